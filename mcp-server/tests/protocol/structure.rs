//! Results for programs, and what clients are told of them.

use mcp_server::{Json, Server, Tool, ToolError};
use mcp_types::{CallToolResult, Content};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::support::{Client, Era, assert_error, dressed};

#[derive(Serialize, JsonSchema)]
struct Weather {
    /// How warm it is.
    celsius: f64,
    wind: Option<u8>,
}

async fn weather() -> Result<Json<Weather>, ToolError> {
    Ok(Json(Weather { celsius: 22.5, wind: None }))
}

async fn list(server: &Server, era: Era) -> Value {
    Client::ready(server, era).await.ask("tools/list", json!({})).await["result"]["tools"].take()
}

#[tokio::test(start_paused = true)]
async fn the_schema_of_a_result_follows_from_its_type() {
    let server = Server::new("s", "1")
        .tool("weather", "", weather)
        .blocking_tool("numbers", "", || Json(vec![1, 2]))
        .tool("anything", "", async || Json(json!({"any": 1})))
        .tool("text", "", async || "text");
    let object = json!({
        "type": "object",
        "properties": {
            "celsius": {"type": "number", "description": "How warm it is."},
            "wind": {"type": ["integer", "null"], "minimum": 0, "maximum": 255},
        },
        "required": ["celsius", "wind"],
    });
    let numbers = json!({"type": "array", "items": {"type": "integer"}});
    // Legacy clients know only results that are objects.
    for (era, schemas) in [(Era::Modern, [&object, &numbers]), (Era::Legacy, [&object, &Value::Null])] {
        let tools = list(&server, era).await;
        assert_eq!([&tools[0]["outputSchema"], &tools[1]["outputSchema"]], schemas, "{era:?}");
        assert!(tools[2].get("outputSchema").is_none() && tools[3].get("outputSchema").is_none());
    }
}

#[tokio::test]
async fn structured_results_are_told_as_text_too() {
    let server = Server::new("s", "1").tool("weather", "", weather).blocking_tool("numbers", "", || Json(vec![1, 2]));
    for era in [Era::Legacy, Era::Modern] {
        let mut client = Client::ready(&server, era).await;
        let content = json!([{"type": "text", "text": r#"{"celsius":22.5,"wind":null}"#}]);
        let result = json!({"content": content, "structuredContent": {"celsius": 22.5, "wind": null}});
        assert_eq!(client.call("weather", json!({})).await["result"], dressed(era, result));
        let mut result = json!({"content": [{"type": "text", "text": "[1,2]"}]});
        if era == Era::Modern {
            result["structuredContent"] = json!([1, 2]);
        }
        assert_eq!(client.call("numbers", json!({})).await["result"], dressed(era, result));
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_promised_is_returned_or_it_is_an_error() {
    let schema = json!({"type": "object", "$comment": "by hand"});
    let promise = |tool: Tool| tool.with_output_schema(schema.clone());
    let full = CallToolResult::new(vec![Content::text("1")]).with_structured_content(json!({"n": 1}));
    let bare = CallToolResult::new(vec![Content::text("1")]);
    let server = Server::new("s", "1")
        .add_tool(promise(Tool::new("text", async || "text")))
        .add_tool(promise(Tool::new("bare", move || std::future::ready(bare.clone()))))
        .add_tool(promise(Tool::new("full", move || std::future::ready(full.clone()))))
        .add_tool(promise(Tool::new("fails", async || Err::<&str, _>(ToolError::new("no luck")))))
        .add_tool(promise(Tool::new("failure", async || CallToolResult::failure("no luck"))));
    for era in [Era::Legacy, Era::Modern] {
        assert_eq!(list(&server, era).await[0]["outputSchema"], schema);
        let mut client = Client::ready(&server, era).await;
        for tool in ["text", "bare"] {
            assert_error(&client.call(tool, json!({})).await, -32603, "structured content");
        }
        assert_eq!(client.call("full", json!({})).await["result"]["structuredContent"], json!({"n": 1}));
        // A failure is not what the schema speaks of.
        for tool in ["fails", "failure"] {
            let failure = json!({"content": [{"type": "text", "text": "no luck"}], "isError": true});
            assert_eq!(client.call(tool, json!({})).await["result"], dressed(era, failure), "{tool}");
        }
    }
}
