//! Progress and log messages.

use std::time::Duration;

use mcp_server::{Context, Server};
use mcp_types::logging::LoggingLevel;
use serde_json::{Value, json};

use crate::support::{Client, Era, assert_error, text_result};

async fn work(context: Context) -> &'static str {
    context.progress(1.0, Some(4.0), None).await;
    // tidy: waits for the paused clock, as a tool that takes its time
    tokio::time::sleep(Duration::from_millis(5)).await;
    context.progress(2.5, Some(f64::INFINITY), Some("half")).await;
    context.progress(2.5, None, Some("not more")).await;
    context.progress(1.0, None, Some("less")).await;
    context.progress(f64::NAN, None, Some("nothing")).await;
    context.progress(4.0, Some(4.0), None).await;
    "done"
}

//= 2026-07-28/basic/patterns/progress#progress-flow
//# The `progress` value **MUST** increase with each notification, even if the total is
//# unknown.
#[tokio::test(start_paused = true)]
async fn progress_goes_out_in_order_before_the_answer_and_only_grows() {
    let server = Server::new("s", "1").tool("work", "", work);
    for era in [Era::Legacy, Era::Modern] {
        for token in [json!("t"), json!(7)] {
            let mut client = Client::ready(&server, era).await;
            let params = json!({"name": "work", "_meta": {"progressToken": token}});
            client.request(1, "tools/call", params).await;
            let (frames, _) = client.finish().await;
            let note = |params: Value| json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params});
            let expected = [
                note(json!({"progressToken": token, "progress": 1, "total": 4})),
                note(json!({"progressToken": token, "progress": 2.5, "message": "half"})),
                note(json!({"progressToken": token, "progress": 4, "total": 4})),
                json!({"jsonrpc": "2.0", "id": 1, "result": text_result(era, "done")}),
            ];
            assert_eq!(frames, expected);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_first_legacy_revision_has_no_messages_in_progress() {
    let mut client = Client::new(&Server::new("s", "1").tool("work", "", work), Era::Legacy);
    client.initialize("2024-11-05").await;
    client.request(1, "tools/call", json!({"name": "work", "_meta": {"progressToken": 1}})).await;
    let (frames, _) = client.finish().await;
    assert_eq!(frames.len(), 4);
    assert!(frames.iter().all(|frame| frame["params"].get("message").is_none()), "{frames:?}");
}

#[tokio::test(start_paused = true)]
async fn nobody_hears_of_progress_that_nobody_asked_for() {
    let mut client = Client::ready(&Server::new("s", "1").tool("work", "", work), Era::Legacy).await;
    assert_eq!(client.call("work", json!({})).await["result"], text_result(Era::Legacy, "done"));
}

async fn chat(context: Context) -> &'static str {
    context.log(LoggingLevel::Debug, None, "debug").await;
    context.log(LoggingLevel::Info, None, "info").await;
    context.log(LoggingLevel::Error, Some("disk"), &json!({"full": true})).await;
    "done"
}

/// The data of the log messages that a call of `chat` brings.
async fn logged(client: &mut Client, meta: Value) -> Vec<Value> {
    client.request(1, "tools/call", json!({"name": "chat", "_meta": meta})).await;
    let mut data = Vec::new();
    loop {
        let frame = client.recv().await;
        if frame["id"] == 1 {
            return data;
        }
        assert_eq!(frame["method"], "notifications/message");
        data.push(frame["params"].clone());
    }
}

#[tokio::test(start_paused = true)]
async fn legacy_clients_set_the_log_level_of_their_session() {
    let server = Server::new("s", "1").tool("chat", "", chat);
    let debug = json!({"level": "debug", "data": "debug"});
    let info = json!({"level": "info", "data": "info"});
    let error = json!({"level": "error", "logger": "disk", "data": {"full": true}});
    let mut client = Client::ready(&server, Era::Legacy).await;
    assert_eq!(logged(&mut client, json!({})).await, [info.clone(), error.clone()]);
    let rows = [
        ("debug", vec![debug, info.clone(), error.clone()]),
        ("notice", vec![error.clone()]),
        ("error", vec![error]),
        ("emergency", vec![]),
    ];
    for (level, expected) in rows {
        assert_eq!(client.ask("logging/setLevel", json!({"level": level})).await["result"], json!({}));
        assert_eq!(logged(&mut client, json!({})).await, expected, "{level}");
    }
    for level in [json!("loud"), json!(3), json!(null)] {
        assert_error(&client.ask("logging/setLevel", json!({"level": level})).await, -32602, "`level`");
    }
    assert_error(&client.ask("logging/setLevel", json!({})).await, -32602, "`level`");
    assert_eq!(logged(&mut client, json!({})).await, Vec::<Value>::new());
    // Sessions do not share it.
    let mut other = Client::ready(&server, Era::Legacy).await;
    assert_eq!(logged(&mut other, json!({})).await.len(), 2);
}

//= 2026-07-28/server/utilities/logging#per-request-log-level
//# The server **MUST NOT**
//# emit `notifications/message` for a request that does not include this field.
#[tokio::test(start_paused = true)]
async fn modern_clients_set_the_log_level_of_each_request() {
    let mut client = Client::ready(&Server::new("s", "1").tool("chat", "", chat), Era::Modern).await;
    assert_eq!(logged(&mut client, json!({})).await, Vec::<Value>::new());
    for (level, count) in [("debug", 3), ("info", 2), ("warning", 1), ("critical", 0)] {
        let meta = json!({"io.modelcontextprotocol/logLevel": level});
        assert_eq!(logged(&mut client, meta).await.len(), count, "{level}");
    }
    assert_eq!(logged(&mut client, json!({})).await, Vec::<Value>::new());
}
