//! `tools/list`.

use mcp_server::{Args, Server, Tool};
use mcp_types::ToolAnnotations;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::support::{Client, Era, assert_error, dressed};

/// Where it is.
#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its schema is looked at")]
struct Place {
    /// The city.
    city: String,
    days: Option<u8>,
}

fn server() -> Server {
    let read_only = ToolAnnotations::new().with_read_only_hint(true);
    let weather = Tool::new("weather", async |_: Args<Place>| "rain")
        .with_title("Weather")
        .with_description("Tells the weather.")
        .with_annotations(read_only);
    Server::new("s", "1").add_tool(weather).tool("about", "Tells about it.", async || "it")
}

//= 2026-07-28/server/tools#capabilities
//# Servers **SHOULD** return tools in a deterministic order
#[tokio::test(start_paused = true)]
async fn tools_are_listed_in_the_order_in_which_they_were_added() {
    let tools = json!([
        {
            "name": "weather",
            "title": "Weather",
            "description": "Tells the weather.",
            "inputSchema": {
                "type": "object",
                "description": "Where it is.",
                "properties": {
                    "city": {"type": "string", "description": "The city."},
                    "days": {"type": "integer", "minimum": 0, "maximum": 255},
                },
                "required": ["city"],
            },
            "annotations": {"readOnlyHint": true},
        },
        {
            "name": "about",
            "description": "Tells about it.",
            "inputSchema": {"type": "object", "additionalProperties": false},
        },
    ]);
    let mut legacy = Client::ready(&server(), Era::Legacy).await;
    assert_eq!(legacy.ask("tools/list", json!({})).await["result"], json!({"tools": tools}));
    let mut modern = Client::ready(&server(), Era::Modern).await;
    let expected = dressed(Era::Modern, json!({"tools": tools, "ttlMs": 0, "cacheScope": "private"}));
    assert_eq!(modern.ask("tools/list", json!({})).await["result"], expected);
}

#[tokio::test(start_paused = true)]
async fn a_cursor_that_was_never_given_out_is_refused() {
    for era in [Era::Legacy, Era::Modern] {
        let mut client = Client::ready(&server(), era).await;
        assert_error(&client.ask("tools/list", json!({"cursor": ""})).await, -32602, "`cursor`");
        assert!(client.ask("tools/list", json!({"cursor": null})).await["result"].is_object());
    }
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_is_added_again_keeps_its_place() {
    let server = server();
    assert!(server.tools().add(Tool::new("weather", async || "sun").with_description("Tells it anew.")));
    assert!(!server.tools().add(Tool::new("moon", async || "full")));
    let mut client = Client::ready(&server, Era::Legacy).await;
    let list = client.ask("tools/list", json!({})).await;
    assert_eq!(list["result"]["tools"][0]["description"], "Tells it anew.");
    assert_eq!(list["result"]["tools"][1]["name"], "about");
    assert_eq!(client.call("weather", json!({})).await["result"]["content"][0]["text"], "sun");
}
