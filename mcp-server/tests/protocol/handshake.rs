//! `initialize` and `server/discover`.

use std::time::Duration;

use mcp_server::{Args, Context, Server};
use mcp_types::result::CacheScope;
use serde_json::json;

use crate::support::{Client, Era, assert_error, dressed};

fn server() -> Server {
    Server::new("s", "1").tool("t", "A tool.", async || "t")
}

#[tokio::test(start_paused = true)]
async fn initialize_agrees_on_a_legacy_revision() {
    let rows = [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("soon", "2025-11-25"),
    ];
    for (asked, agreed) in rows {
        let mut client = Client::new(&server().with_title("S").with_instructions("Call t."), Era::Legacy);
        let expected = json!({
            "protocolVersion": agreed,
            "capabilities": {"tools": {"listChanged": true}, "logging": {}},
            "serverInfo": {"name": "s", "version": "1", "title": "S"},
            "instructions": "Call t.",
        });
        assert_eq!(client.initialize(asked).await, expected, "{asked}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_initialize_without_a_revision_is_refused_and_may_be_repeated() {
    let mut client = Client::new(&server(), Era::Legacy);
    for params in [json!({}), json!({"protocolVersion": 7}), json!({"protocolVersion": null})] {
        assert_error(&client.ask("initialize", params).await, -32602, "`protocolVersion`");
    }
    assert_eq!(client.initialize("2025-06-18").await["protocolVersion"], "2025-06-18");
}

#[tokio::test(start_paused = true)]
async fn discover_names_modern_revisions_and_what_the_server_can_do() {
    let server = server().with_instructions("Call t.").with_cache(Duration::from_secs(60), CacheScope::Public);
    let mut client = Client::new(&server, Era::Modern);
    let answer = client.ask("server/discover", json!({})).await;
    let expected = json!({
        "supportedVersions": ["2026-07-28"],
        "capabilities": {"tools": {"listChanged": true}, "logging": {}},
        "instructions": "Call t.",
        "ttlMs": 60_000,
        "cacheScope": "public",
    });
    assert_eq!(answer["result"], dressed(Era::Modern, expected));
}

#[tokio::test(start_paused = true)]
async fn a_server_without_tools_does_not_have_them() {
    for era in [Era::Legacy, Era::Modern] {
        let mut client = Client::ready(&Server::new("s", "1"), era).await;
        assert_error(&client.ask("tools/list", json!({})).await, -32601, "tools/list");
        assert_error(&client.call("t", json!({})).await, -32601, "tools/call");
    }
    let mut client = Client::new(&Server::new("s", "1"), Era::Modern);
    let answer = client.ask("server/discover", json!({})).await;
    assert_eq!(answer["result"]["capabilities"], json!({"logging": {}}));
}

#[tokio::test(start_paused = true)]
async fn methods_of_the_other_era_and_unknown_ones_do_not_exist() {
    let rows = [
        (Era::Legacy, "server/discover"),
        (Era::Legacy, "subscriptions/listen"),
        (Era::Legacy, "resources/list"),
        (Era::Legacy, "no/such"),
        (Era::Modern, "initialize"),
        (Era::Modern, "ping"),
        (Era::Modern, "logging/setLevel"),
        (Era::Modern, "prompts/get"),
        (Era::Modern, "no/such"),
    ];
    for (era, method) in rows {
        let mut client = Client::ready(&server(), era).await;
        assert_error(&client.ask(method, json!({"notifications": {}})).await, -32601, "not found");
    }
}

#[tokio::test(start_paused = true)]
async fn a_tool_can_tell_who_calls_it() {
    async fn who(context: Context) -> String {
        format!("{} {:?}", context.client_info().unwrap().name, context.version())
    }
    let server = Server::new("s", "1").tool("who", "Names the client.", who);
    let mut client = Client::ready(&server, Era::Legacy).await;
    let answer = client.call("who", json!({})).await;
    assert_eq!(answer["result"]["content"][0]["text"], "tester 2025-11-25");

    let mut client = Client::new(&server, Era::Modern);
    let meta = json!({"io.modelcontextprotocol/clientInfo": {"name": "other", "version": "1"}});
    let answer = client.ask("tools/call", json!({"name": "who", "_meta": meta})).await;
    assert_eq!(answer["result"]["content"][0]["text"], "other 2026-07-28");
}

#[tokio::test(start_paused = true)]
async fn one_session_serves_both_eras() {
    async fn era(context: Context, _: Args<serde_json::Value>) -> String {
        format!("{:?}", context.era())
    }
    let server = Server::new("s", "1").tool("era", "Names the era.", era);
    let mut client = Client::ready(&server, Era::Legacy).await;
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let modern = client.ask("tools/call", json!({"name": "era", "_meta": meta})).await;
    assert_eq!(modern["result"]["content"][0]["text"], "Modern");
    assert_eq!(modern["result"]["resultType"], "complete");
    let legacy = client.call("era", json!({})).await;
    assert_eq!(legacy["result"], json!({"content": [{"type": "text", "text": "Legacy"}]}));
}
