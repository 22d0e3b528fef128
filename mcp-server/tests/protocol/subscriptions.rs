//! Resources that come, go and change while the server runs.

use mcp_server::{Context, Limits, Resource, ResourceTemplate, Server};
use serde_json::{Value, json};

use crate::support::{Client, Era, assert_error};

async fn touch(context: Context) -> &'static str {
    context.resources().updated("a:1");
    "touched"
}

fn server() -> Server {
    Server::new("s", "1")
        .resource("a:1", "1", async || "1")
        .resource("a:2", "2", async || "2")
        .resource_template("b:{x}", "b", async || "b")
        .tool("touch", "", touch)
}

fn updated(uri: &str) -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": uri}})
}

#[tokio::test(start_paused = true)]
async fn a_session_hears_of_what_it_subscribed_to() {
    let server = server();
    let mut client = Client::ready(&server, Era::Legacy).await;
    for uri in ["a:1", "b:7", "a:1"] {
        assert_eq!(client.ask("resources/subscribe", json!({"uri": uri})).await["result"], json!({}));
    }
    let resources = server.resources();
    for uri in ["a:2", "a:1", "b:8", "b:7"] {
        resources.updated(uri);
    }
    assert_eq!(client.recv().await, updated("a:1"));
    assert_eq!(client.recv().await, updated("b:7"));
    // A tool says it too, and its own answer comes after it.
    client.request(1, "tools/call", json!({"name": "touch"})).await;
    assert_eq!(client.recv().await, updated("a:1"));
    assert_eq!(client.recv().await["id"], 1);

    assert_eq!(client.ask("resources/unsubscribe", json!({"uri": "a:1"})).await["result"], json!({}));
    assert_eq!(client.ask("resources/unsubscribe", json!({"uri": "never"})).await["result"], json!({}));
    resources.updated("a:1");
    resources.updated("b:7");
    assert_eq!(client.recv().await, updated("b:7"));
    let (rest, _) = client.finish().await;
    assert_eq!(rest, Vec::<Value>::new());
}

#[tokio::test(start_paused = true)]
async fn one_cannot_subscribe_to_what_is_not_there() {
    let server = server().with_limits({
        let mut limits = Limits::default();
        limits.subscriptions = 1;
        limits
    });
    let mut client = Client::ready(&server, Era::Legacy).await;
    let answer = client.ask("resources/subscribe", json!({"uri": "a:3"})).await;
    assert_error(&answer, -32002, "Resource not found: a:3");
    assert_eq!(answer["error"]["data"], json!({"uri": "a:3"}));
    assert_error(&client.ask("resources/subscribe", json!({"uri": "a b"})).await, -32602, "`a b` is no URI");
    for method in ["resources/subscribe", "resources/unsubscribe"] {
        assert_error(&client.ask(method, json!({})).await, -32602, "`uri` is missing");
    }
    assert_eq!(client.ask("resources/subscribe", json!({"uri": "a:1"})).await["result"], json!({}));
    assert_error(&client.ask("resources/subscribe", json!({"uri": "a:2"})).await, -32603, "1 subscription");
    // What it has it keeps.
    server.resources().updated("a:1");
    assert_eq!(client.recv().await, updated("a:1"));
}

//= 2026-07-28/basic/patterns/subscriptions#acknowledgment
//# Notification types the server does not support are omitted.
#[tokio::test(start_paused = true)]
async fn a_listen_hears_of_the_resources_that_it_names() {
    let server = server();
    let mut client = Client::ready(&server, Era::Modern).await;
    let wanted = json!({"resourcesListChanged": true, "promptsListChanged": true,
        "resourceSubscriptions": ["a:1", "b:7", "a:3", "not a uri"]});
    client.request("sub", "subscriptions/listen", json!({"notifications": wanted})).await;
    let meta = json!({"io.modelcontextprotocol/subscriptionId": "sub"});
    let honoured = json!({"resourcesListChanged": true, "resourceSubscriptions": ["a:1", "b:7"]});
    assert_eq!(client.recv().await["params"], json!({"notifications": honoured, "_meta": meta}));

    let resources = server.resources();
    for uri in ["a:2", "b:7"] {
        resources.updated(uri);
    }
    let note = client.recv().await;
    assert_eq!(note["method"], "notifications/resources/updated");
    assert_eq!(note["params"], json!({"uri": "b:7", "_meta": meta}));

    assert!(!resources.add(Resource::new("a:3", "3", async || "3")));
    let note = client.recv().await;
    assert_eq!(note["method"], "notifications/resources/list_changed");
    assert_eq!(note["params"], json!({"_meta": meta}));
}

#[tokio::test(start_paused = true)]
async fn one_cannot_subscribe_in_the_way_of_the_other_era() {
    let mut modern = Client::ready(&server(), Era::Modern).await;
    for method in ["resources/subscribe", "resources/unsubscribe"] {
        assert_error(&modern.ask(method, json!({"uri": "a:1"})).await, -32601, "Method not found");
    }
}

#[tokio::test(start_paused = true)]
async fn resources_come_and_go_while_the_server_runs() {
    let server = server();
    let mut client = Client::ready(&server, Era::Legacy).await;
    let resources = server.resources();
    let note = json!({"jsonrpc": "2.0", "method": "notifications/resources/list_changed"});
    assert!(!resources.add(Resource::new("a:3", "3", async || "3")));
    assert_eq!(client.recv().await, note);
    let answer = client.ask("resources/read", json!({"uri": "a:3"})).await;
    assert_eq!(answer["result"]["contents"][0]["text"], "3");
    assert!(resources.remove("a:3") && !resources.remove("a:3"));
    assert_eq!(client.recv().await, note);
    assert_error(&client.ask("resources/read", json!({"uri": "a:3"})).await, -32002, "a:3");

    assert!(!resources.add_template(ResourceTemplate::new("c:{x}", "c", async || "c")));
    assert_eq!(client.recv().await, note);
    assert!(resources.contains("c:1") && !resources.contains("d:1") && !resources.contains("c: 1"));
    assert!(resources.remove_template("c:{x}") && !resources.contains("c:1"));
    assert_eq!(client.recv().await, note);
}
