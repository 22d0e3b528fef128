//! How calls are made: their parameters, metadata, progress, limits and results.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_client::{CallError, Era};
use mcp_session::engine::Dropped;
use mcp_types::tools::ListToolsResult;
use mcp_types::{Object, RawJson, Version};
use serde_json::{Value, json};

use crate::support::{LEGACY, NO_CONTENT, client, connected};

fn object(value: Value) -> Object {
    serde_json::from_value(value).unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_legacy_call_is_written_as_it_is() {
    let (connection, mut server) = connected(client(), LEGACY).await;
    #[rustfmt::skip]
    let rows = [
        (connection.call_tool("a", &()),                         r#""method":"tools/call","params":{"name":"a"}}"#),
        (connection.call_tool("a", &json!({ "x": [1, null] })),  r#""method":"tools/call","params":{"name":"a","arguments":{"x":[1,null]}}}"#),
        (connection.request("tools/call", &json!({ "name": "ä" })), r#""method":"tools/call","params":{"name":"ä"}}"#),
        (connection.request("vendor/x", &()),                    r#""method":"vendor/x"}"#),
        (connection.call_tool("a", &()).with_meta(object(json!({ "com.example/a": 1 }))),
                                                                 r#""method":"tools/call","params":{"name":"a","_meta":{"com.example/a":1}}}"#),
    ];
    for (call, expected) in rows {
        let pending = tokio::spawn(call);
        let text = server.text().await;
        assert!(text.ends_with(expected), "{text}\n{expected}");
        let request = serde_json::from_str::<Value>(&text).unwrap();
        server.answer(&request, NO_CONTENT).await;
        pending.await.unwrap().unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_modern_call_says_who_asks_and_has_one_meta() {
    let (connection, mut server) = connected(client(), Era::Modern).await;
    let plain = connection.call_tool("a", &());
    let with_meta = connection.request("tools/call", &json!({ "name": "a", "_meta": { "com.example/a": 1 } }));
    let with_both = connection
        .call_tool("a", &())
        .with_meta(object(json!({ "com.example/a": 1, "io.modelcontextprotocol/clientInfo": "another" })))
        .on_progress(drop);
    for (call, own, token) in [(plain, false, false), (with_meta, true, false), (with_both, true, true)] {
        let pending = tokio::spawn(call);
        let text = server.text().await;
        assert_eq!(text.matches("\"_meta\"").count(), 1, "{text}");
        let request = serde_json::from_str::<Value>(&text).unwrap();
        let meta = &request["params"]["_meta"];
        assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
        assert_eq!(meta["io.modelcontextprotocol/clientInfo"], json!({ "name": "test", "version": "1" }));
        assert_eq!(meta["io.modelcontextprotocol/clientCapabilities"], json!({}));
        assert_eq!(meta.get("com.example/a").is_some(), own);
        assert_eq!(meta.get("progressToken").is_some(), token);
        assert_eq!(request["params"]["name"], "a");
        server.answer(&request, NO_CONTENT).await;
        pending.await.unwrap().unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn parameters_that_are_no_object_are_an_error_of_this_side() {
    let (connection, mut server) = connected(client(), LEGACY).await;
    let no_texts = BTreeMap::from([((1, 2), 3)]);
    for call in [connection.call_tool("a", &[1]), connection.call_tool("a", "x"), connection.call_tool("a", &no_texts)]
    {
        let error = call.timeout(Duration::from_secs(1)).await.unwrap_err();
        assert!(matches!(error, CallError::Arguments { .. }), "{error}");
    }
    let error = connection.request_raw("x", &7).await.unwrap_err();
    assert!(matches!(error, CallError::Arguments { .. }), "{error}");
    assert!(connection.notify("x", &7).await.is_err());
    connection.notify("x", &json!({ "a": 1 })).await.unwrap();
    assert_eq!(server.recv().await, json!({ "jsonrpc": "2.0", "method": "x", "params": { "a": 1 } }), "nothing else");
}

#[tokio::test(start_paused = true)]
async fn progress_restarts_the_clock_and_comes_in_order_before_the_result() {
    let (connection, mut server) = connected(client(), LEGACY).await;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let call = connection.call_tool("slow", &Value::Null).timeout(Duration::from_secs(10)).on_progress({
        let seen = Arc::clone(&seen);
        move |progress| seen.lock().unwrap().push(progress.progress)
    });
    let (result, ()) = tokio::join!(call, async {
        let request = server.asked("tools/call").await;
        let token = &request["params"]["_meta"]["progressToken"];
        for step in 1..=4 {
            tokio::time::advance(Duration::from_secs(6)).await;
            let params = json!({ "progressToken": token, "progress": step });
            server.send(json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": params })).await;
        }
        server.answer(&request, NO_CONTENT).await;
    });
    result.unwrap();
    assert_eq!(*seen.lock().unwrap(), [1.0, 2.0, 3.0, 4.0]);
}

#[tokio::test(start_paused = true)]
async fn progress_without_an_end_runs_into_the_limit_for_the_whole() {
    let (connection, mut server) = connected(client(), LEGACY).await;
    let limit = Duration::from_secs(60);
    let call =
        tokio::spawn(connection.call_tool("a", &()).timeout(Duration::from_secs(5)).max_time(limit).on_progress(drop));
    let request = server.asked("tools/call").await;
    let token = request["params"]["_meta"]["progressToken"].clone();
    let cancel = loop {
        let params = json!({ "progressToken": token, "progress": 1 });
        server.send(json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": params })).await;
        if let Ok(line) = tokio::time::timeout(Duration::from_secs(1), server.0.recv()).await {
            break serde_json::from_str::<Value>(&line.unwrap()).unwrap();
        }
    };
    assert_eq!(
        (&cancel["method"], &cancel["params"]["requestId"]),
        (&json!("notifications/cancelled"), &request["id"])
    );
    let error = call.await.unwrap().unwrap_err();
    assert!(matches!(error, CallError::TimedOut { limit: passed, .. } if passed == limit), "{error}");
    assert_eq!(connection.meters().unwrap().pending_slots, 0);
}

#[tokio::test(start_paused = true)]
async fn a_token_of_the_callers_is_what_progress_is_told_with() {
    let (connection, mut server) = connected(client(), LEGACY).await;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let call = connection.call_tool("slow", &()).with_meta(object(json!({ "progressToken": "mine" }))).on_progress({
        let seen = Arc::clone(&seen);
        move |progress| seen.lock().unwrap().push(progress.progress_token.to_string())
    });
    let (result, ()) = tokio::join!(call, async {
        let request = server.asked("tools/call").await;
        let params = json!({ "progressToken": request["params"]["_meta"]["progressToken"], "progress": 1 });
        server.send(json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": params })).await;
        server.answer(&request, NO_CONTENT).await;
    });
    result.unwrap();
    assert_eq!(*seen.lock().unwrap(), [r#""mine""#]);
}

#[tokio::test(start_paused = true)]
async fn progress_told_with_the_callers_token_restarts_the_clock_too() {
    for era in [LEGACY, Era::Modern] {
        let (connection, mut server) = connected(client(), era).await;
        let meta = object(json!({ "progressToken": "mine" }));
        let call = connection.call_tool("slow", &()).with_meta(meta).timeout(Duration::from_secs(10)).on_progress(drop);
        let (result, ()) = tokio::join!(call, async {
            let request = server.asked("tools/call").await;
            let token = &request["params"]["_meta"]["progressToken"];
            for step in 1..=4 {
                tokio::time::advance(Duration::from_secs(6)).await;
                let params = json!({ "progressToken": token, "progress": step });
                server.send(json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": params })).await;
            }
            server.answer(&request, NO_CONTENT).await;
        });
        result.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn progress_of_all_calls_goes_to_the_callback_of_the_client() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let client = client().on_progress({
        let seen = Arc::clone(&seen);
        move |progress| seen.lock().unwrap().push(progress.progress)
    });
    let (connection, mut server) = connected(client, LEGACY).await;
    let (result, ()) = tokio::join!(connection.call_tool("a", &()), async {
        let request = server.asked("tools/call").await;
        let params = json!({ "progressToken": request["params"]["_meta"]["progressToken"], "progress": 0.5 });
        server.send(json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": params })).await;
        server.answer(&request, NO_CONTENT).await;
    });
    result.unwrap();
    assert_eq!(*seen.lock().unwrap(), [0.5]);
}

#[tokio::test(start_paused = true)]
async fn a_result_that_cannot_be_read_says_where() {
    let (connection, mut server) = connected(client(), LEGACY).await;
    let call = tokio::spawn(connection.request::<ListToolsResult>("tools/list", &()));
    let request = server.asked("tools/list").await;
    server.answer(&request, r#"{"tools":[{"name":"a","inputSchema":{}},{"name":7,"inputSchema":{}}]}"#).await;
    let error = call.await.unwrap().unwrap_err();
    assert!(error.to_string().contains("`tools[1].name`"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_raw_result_is_as_it_was_sent() {
    let (connection, mut server) = connected(client(), LEGACY).await;
    let call = tokio::spawn(connection.request_raw("vendor/x", &()));
    let request = server.asked("vendor/x").await;
    server.answer(&request, r#"{"a":1.0,"b":[ 1e400 ]}"#).await;
    assert_eq!(call.await.unwrap().unwrap(), RawJson::parse(r#"{"a":1.0,"b":[ 1e400 ]}"#).unwrap());
}

//= 2026-07-28/basic/index#resulttype
//# If a client receives a `resultType` value that it does not recognize, it MUST treat the response as invalid
#[tokio::test(start_paused = true)]
async fn a_result_of_an_unknown_type_is_not_a_result_in_the_modern_era() {
    for (era, fails) in [(Era::Modern, true), (LEGACY, false)] {
        let (connection, mut server) = connected(client(), era).await;
        let call = tokio::spawn(connection.call_tool("a", &()));
        let request = server.asked("tools/call").await;
        server.answer(&request, r#"{"content":[],"resultType":"vendor"}"#).await;
        let result = call.await.unwrap();
        assert_eq!(matches!(&result, Err(CallError::Malformed { .. })), fails, "{result:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_error_of_the_server_is_as_it_was_sent() {
    let (connection, mut server) = connected(client(), LEGACY).await;
    let call = tokio::spawn(connection.call_tool("a", &()));
    let request = server.asked("tools/call").await;
    let data = json!({ "reason": "overloaded" });
    server.refuse(&request, json!({ "code": -32603, "message": "no", "data": data })).await;
    let error = call.await.unwrap().unwrap_err();
    let CallError::Peer { error: object, method } = &error else { panic!("{error:?}") };
    assert_eq!((object.code.0, &*object.message, &**method), (-32603, "no", "tools/call"));
    assert!(error.is_retryable());
}

#[tokio::test(start_paused = true)]
async fn a_sign_of_life_is_asked_for_in_the_way_of_the_era() {
    for (era, method) in [(LEGACY, "ping"), (Era::Modern, "server/discover")] {
        let (connection, mut server) = connected(client(), era).await;
        let (pong, ()) = tokio::join!(connection.ping(), async {
            let request = server.asked(method).await;
            server.answer(&request, "{}").await;
        });
        pong.unwrap();
        let version = if era == LEGACY { Version::LATEST_LEGACY } else { Version::MODERN };
        assert_eq!(connection.version(), version);
    }
}

#[tokio::test(start_paused = true)]
async fn progress_that_falls_is_counted_and_not_told() {
    let (connection, mut server) = connected(client(), LEGACY).await;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let call = connection.call_tool("slow", &()).on_progress({
        let seen = Arc::clone(&seen);
        move |progress| seen.lock().unwrap().push(progress.progress)
    });
    let (result, ()) = tokio::join!(call, async {
        let request = server.asked("tools/call").await;
        for value in [json!(1), json!(3), json!(2.5), json!(3), json!(0), json!(3.5)] {
            let params = json!({ "progressToken": request["params"]["_meta"]["progressToken"], "progress": value });
            server.send(json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": params })).await;
        }
        server.answer(&request, NO_CONTENT).await;
    });
    result.unwrap();
    assert_eq!(*seen.lock().unwrap(), [1.0, 3.0, 3.0, 3.5]);
    server.0.close_write();
    assert_eq!(connection.closed().await.tally.dropped(Dropped::FallingProgress), 2);
}

#[tokio::test(start_paused = true)]
async fn an_answer_whose_id_is_a_text_is_taken_and_counted() {
    let (connection, mut server) = connected(client(), LEGACY).await;
    let (result, ()) = tokio::join!(connection.call_tool("a", &()), async {
        let mut request = server.asked("tools/call").await;
        request["id"] = request["id"].to_string().into();
        server.answer(&request, NO_CONTENT).await;
    });
    result.unwrap();
    server.0.close_write();
    assert_eq!(connection.closed().await.tally.ids_as_text, 1);
}

#[tokio::test(start_paused = true)]
async fn late_and_foreign_progress_is_counted() {
    let (connection, mut server) = connected(client(), LEGACY).await;
    let params = json!({ "progressToken": 77, "progress": 1 });
    server.send(json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": params })).await;
    server.0.close_write();
    assert_eq!(connection.closed().await.tally.dropped(Dropped::UnknownProgress), 1);
}
