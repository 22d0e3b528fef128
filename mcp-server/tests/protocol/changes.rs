//! Tools that come and go while the server runs.

use mcp_server::{Context, Server, Tool};
use serde_json::{Value, json};

use crate::support::{Client, Era, assert_error, text_result};

async fn toggle(context: Context) -> &'static str {
    if context.tools().remove("toggled") {
        return "removed";
    }
    context.tools().add(Tool::new("toggled", async || "toggled"));
    "added"
}

fn server() -> Server {
    Server::new("s", "1").tool("toggle", "", toggle)
}

#[tokio::test(start_paused = true)]
async fn legacy_clients_are_told_that_the_list_changed() {
    let mut client = Client::ready(&server(), Era::Legacy).await;
    client.request(1, "tools/call", json!({"name": "toggle"})).await;
    let note = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
    assert_eq!(client.recv().await, note);
    assert_eq!(client.recv().await["result"], text_result(Era::Legacy, "added"));
    assert_eq!(client.call("toggled", json!({})).await["result"], text_result(Era::Legacy, "toggled"));
    let tools = client.ask("tools/list", json!({})).await;
    assert_eq!(tools["result"]["tools"].as_array().unwrap().len(), 2);

    client.request(1, "tools/call", json!({"name": "toggle"})).await;
    assert_eq!(client.recv().await, note);
    assert_eq!(client.recv().await["result"], text_result(Era::Legacy, "removed"));
    assert_error(&client.call("toggled", json!({})).await, -32602, "Unknown tool: toggled");
}

#[tokio::test(start_paused = true)]
async fn every_session_is_told_and_none_that_has_ended() {
    let server = server();
    let mut one = Client::ready(&server, Era::Legacy).await;
    let other = Client::ready(&server, Era::Legacy).await;
    let gone = Client::ready(&server, Era::Legacy).await;
    gone.finish().await;
    server.tools().add(Tool::new("new", async || "new"));
    assert_eq!(one.recv().await["method"], "notifications/tools/list_changed");
    let (rest, _) = other.finish().await;
    assert_eq!(rest.len(), 1);
    // What is not there cannot be removed, so nothing changes.
    assert!(!server.tools().remove("old"));
    let (rest, _) = one.finish().await;
    assert_eq!(rest, Vec::<Value>::new());
}

//= 2026-07-28/basic/patterns/subscriptions#acknowledgment
//# The server **MUST** send `notifications/subscriptions/acknowledged` as the first message
#[tokio::test(start_paused = true)]
async fn modern_clients_hear_what_they_listen_for() {
    for id in [json!("sub"), json!(77)] {
        let mut client = Client::ready(&server(), Era::Modern).await;
        let wanted = json!({"toolsListChanged": true, "promptsListChanged": true, "resourceSubscriptions": ["x:y"]});
        client.request(id.clone(), "subscriptions/listen", json!({"notifications": wanted})).await;
        let meta = json!({"io.modelcontextprotocol/subscriptionId": id});
        let params = json!({"notifications": {"toolsListChanged": true}, "_meta": meta});
        let method = "notifications/subscriptions/acknowledged";
        assert_eq!(client.recv().await, json!({"jsonrpc": "2.0", "method": method, "params": params}));

        client.request(1, "tools/call", json!({"name": "toggle"})).await;
        let method = "notifications/tools/list_changed";
        assert_eq!(client.recv().await, json!({"jsonrpc": "2.0", "method": method, "params": {"_meta": meta}}));
        assert_eq!(client.recv().await["result"], text_result(Era::Modern, "added"));

        // It ends with the server's input, by a result that names it.
        let (rest, report) = client.finish().await;
        let mut ended = text_result(Era::Modern, "");
        ended.as_object_mut().unwrap().remove("content");
        ended["_meta"]["io.modelcontextprotocol/subscriptionId"] = id.clone();
        assert_eq!(rest, [json!({"jsonrpc": "2.0", "id": id, "result": ended})]);
        assert_eq!(report.tally.received, report.tally.answered);
    }
}

//= 2026-07-28/basic/patterns/subscriptions#opening-a-stream
//# The server **MUST NOT** send
//# notification types the client has not explicitly requested.
#[tokio::test(start_paused = true)]
async fn modern_clients_hear_nothing_else() {
    let server = server();
    let mut client = Client::ready(&server, Era::Modern).await;
    for filter in [json!({}), json!({"toolsListChanged": false}), json!({"toolsListChanged": null, "more": 1})] {
        client.request("sub", "subscriptions/listen", json!({"notifications": filter})).await;
        assert_eq!(client.recv().await["params"]["notifications"], json!({}));
        client
            .send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "sub"}}))
            .await;
        assert_eq!(client.call("toggle", json!({})).await["id"], 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_listen_says_what_it_listens_for() {
    let mut client = Client::ready(&server(), Era::Modern).await;
    for params in [
        json!({}),
        json!({"notifications": null}),
        json!({"notifications": []}),
        json!({"notifications": {"toolsListChanged": "yes"}}),
    ] {
        assert_error(&client.ask("subscriptions/listen", params).await, -32602, "`notifications`");
    }
}
