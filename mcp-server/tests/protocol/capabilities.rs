//! What a server says that it has follows from what it has.

use mcp_server::{Args, Prefix, Prompt, ResourceTemplate, Server};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::{Client, Era, assert_error};

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its schema is looked at")]
struct Choice {
    yes: bool,
}

async fn said(server: &Server) -> Value {
    let mut modern = Client::ready(server, Era::Modern).await;
    let discovered = modern.ask("server/discover", json!({})).await["result"]["capabilities"].clone();
    let mut legacy = Client::new(server, Era::Legacy);
    assert_eq!(legacy.initialize("2025-11-25").await["capabilities"], discovered);
    discovered
}

#[tokio::test(start_paused = true)]
async fn what_there_is_is_said() {
    let nothing = || Server::new("s", "1");
    let prompts = json!({"listChanged": true});
    let resources = json!({"subscribe": true, "listChanged": true});
    let completed = Prompt::new("p", async || "").complete("a", async |Prefix(_): Prefix| [""; 0]);
    let template = ResourceTemplate::new("a:{yes}", "t", async |_: Args<Choice>| "");
    let with_handles = nothing();
    drop((with_handles.prompts(), with_handles.resources()));
    #[rustfmt::skip]
    let rows = [
        (nothing(),                                             json!({"logging": {}})),
        (nothing().tool("t", "", async || ()),                  json!({"logging": {}, "tools": {"listChanged": true}})),
        (nothing().prompt("p", "", async || ""),                json!({"logging": {}, "prompts": prompts})),
        (nothing().resource("a:b", "r", async || ""),           json!({"logging": {}, "resources": resources})),
        (nothing().resource_template("a:{b}", "t", async || ""), json!({"logging": {}, "resources": resources})),
        (with_handles,                                          json!({"logging": {}, "prompts": prompts, "resources": resources})),
        (nothing().add_prompt(completed),                       json!({"logging": {}, "prompts": prompts, "completions": {}})),
        (nothing().add_resource_template(template),             json!({"logging": {}, "resources": resources, "completions": {}})),
        (nothing().prompt("p", "", async |_: Args<Choice>| ""), json!({"logging": {}, "prompts": prompts, "completions": {}})),
    ];
    for (server, expected) in rows {
        assert_eq!(said(&server).await, expected);
    }
}

#[tokio::test(start_paused = true)]
async fn what_there_is_not_is_not_answered() {
    for era in [Era::Legacy, Era::Modern] {
        let mut client = Client::ready(&Server::new("s", "1"), era).await;
        for method in [
            "tools/list",
            "tools/call",
            "prompts/list",
            "prompts/get",
            "resources/list",
            "resources/templates/list",
            "resources/read",
            "resources/subscribe",
            "completion/complete",
        ] {
            assert_error(&client.ask(method, json!({})).await, -32601, "Method not found");
        }
        // With nothing in it a list is empty, not unknown.
        let server = Server::new("s", "1");
        drop((server.prompts(), server.resources()));
        let mut client = Client::ready(&server, era).await;
        assert_eq!(client.ask("prompts/list", json!({})).await["result"]["prompts"], json!([]));
        assert_eq!(client.ask("resources/list", json!({})).await["result"]["resources"], json!([]));
        assert_error(&client.ask("completion/complete", json!({})).await, -32601, "completion/complete");
    }
}
