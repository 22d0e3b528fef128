//! What a client answers and takes, beside its calls.

use std::sync::{Arc, Mutex};

use mcp_client::{Era, ListChanged, Roots};
use mcp_types::Content;
use mcp_types::elicitation::ElicitResult;
use mcp_types::jsonrpc::{ErrorCode, ErrorObject};
use mcp_types::roots::Root;
use mcp_types::sampling::CreateMessageResult;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::support::{LEGACY, NO_CONTENT, Server, client, connected};

fn form() -> Value {
    json!({ "message": "who?", "requestedSchema": { "type": "object", "properties": { "name": { "type": "string" } } } })
}

fn sampling() -> Value {
    json!({ "messages": [{ "role": "user", "content": { "type": "text", "text": "hi" } }], "maxTokens": 10 })
}

/// What the client answers to a request of the server.
async fn asked(server: &mut Server, method: &str, params: &Value) -> Value {
    server.send(json!({ "jsonrpc": "2.0", "id": "q", "method": method, "params": params })).await;
    let answer = server.recv().await;
    assert_eq!(answer["id"], "q", "{answer}");
    answer
}

#[tokio::test(start_paused = true)]
async fn callbacks_answer_the_requests_of_a_legacy_server() {
    let client = client()
        .on_elicit(|form| async move {
            ElicitResult::accept([("name".to_owned(), json!(form.message))].into_iter().collect())
        })
        .on_elicit_url(|_| async { ElicitResult::decline() })
        .on_sample(|asked| async move {
            Ok(CreateMessageResult::new("m", vec![Content::text(format!("{} tokens", asked.max_tokens))]))
        })
        .with_roots([Root::new("file:///a")]);
    let (_connection, mut server) = connected(client, LEGACY).await;
    let url = json!({ "mode": "url", "message": "go", "url": "https://example.com", "elicitationId": "e" });
    #[rustfmt::skip]
    let rows = [
        ("elicitation/create",     form(),     json!({ "action": "accept", "content": { "name": "who?" } })),
        ("elicitation/create",     url,        json!({ "action": "decline" })),
        ("sampling/createMessage", sampling(), json!({ "role": "assistant", "content": { "type": "text", "text": "10 tokens" }, "model": "m" })),
        ("roots/list",             json!({}),  json!({ "roots": [{ "uri": "file:///a" }] })),
    ];
    for (method, params, result) in rows {
        assert_eq!(asked(&mut server, method, &params).await["result"], result, "{method}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_not_declared_is_refused() {
    let nothing = || client();
    let forms = || client().on_elicit(|_| async { ElicitResult::decline() });
    let samples = || client().on_sample(|_| async { Err(ErrorObject::new(ErrorCode(-1), "User rejected")) });
    let url = json!({ "mode": "url", "message": "go", "url": "https://example.com", "elicitationId": "e" });
    let with_tools = {
        let mut params = sampling();
        params["tools"] = json!([{ "name": "t", "inputSchema": { "type": "object" } }]);
        params
    };
    let unpaired = json!({ "maxTokens": 1, "messages": [
        { "role": "assistant", "content": { "type": "tool_use", "id": "u", "name": "t", "input": {} } },
        { "role": "user", "content": { "type": "text", "text": "no result" } },
    ] });
    #[rustfmt::skip]
    let rows = [
        (nothing(),                        "elicitation/create",     form(),              -32601),
        (nothing(),                        "sampling/createMessage", sampling(),          -32601),
        (nothing(),                        "roots/list",             json!({}),           -32601),
        (nothing(),                        "vendor/ask",             json!({}),           -32601),
        (forms(),                          "elicitation/create",     url,                 -32602),
        (forms(),                          "elicitation/create",     json!({ "x": 1 }),   -32602),
        (samples(),                        "sampling/createMessage", with_tools.clone(),  -32602),
        (samples().with_sampling_tools(),  "sampling/createMessage", with_tools,          -1),
        (samples(),                        "sampling/createMessage", sampling(),          -1),
        (samples().with_sampling_tools(),  "sampling/createMessage", unpaired,            -32602),
        (samples(),                        "sampling/createMessage", json!({ "messages": [{ "role": 1 }] }), -32602),
    ];
    for (client, method, params, code) in rows {
        let (_connection, mut server) = connected(client, LEGACY).await;
        let answer = asked(&mut server, method, &params).await;
        assert_eq!(answer["error"]["code"], code, "{method} {params}: {answer}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_question_that_its_revision_does_not_have_is_unknown() {
    let (end, server) = mcp_session::transports::memory::raw();
    let mut server = Server(server);
    let client = client().on_elicit(|_| async { ElicitResult::decline() });
    let connecting = tokio::spawn(async move { client.with_era(LEGACY).connect(end).await });
    let initialize = server.asked("initialize").await;
    server.answer(&initialize, &crate::support::INITIALIZED.replace("2025-11-25", "2025-03-26")).await;
    server.asked("notifications/initialized").await;
    let _connection = connecting.await.unwrap().unwrap();
    assert_eq!(asked(&mut server, "elicitation/create", &form()).await["error"]["code"], -32601);
}

#[tokio::test(start_paused = true)]
async fn a_callback_calls_the_server_while_the_server_waits_for_it() {
    let client = client().on_elicit(|form| async move {
        let answer = form.connection().call_tool("inner", &()).await.unwrap();
        ElicitResult::accept([("n".to_owned(), json!(answer.content.len()))].into_iter().collect())
    });
    let (connection, mut server) = connected(client, LEGACY).await;
    let outer = tokio::spawn(connection.call_tool("outer", &()));
    let outer_request = server.asked("tools/call").await;
    server.send(json!({ "jsonrpc": "2.0", "id": 1, "method": "elicitation/create", "params": form() })).await;
    let inner = server.asked("tools/call").await;
    assert_eq!(inner["params"]["name"], "inner");
    server.answer(&inner, NO_CONTENT).await;
    assert_eq!(server.recv().await["result"]["content"]["n"], 0);
    server.answer(&outer_request, NO_CONTENT).await;
    outer.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_slow_callback_holds_up_neither_calls_nor_progress_nor_other_questions() {
    let client = client()
        .on_sample(|_| std::future::pending())
        .on_elicit(|_| async { ElicitResult::cancel() })
        .on_notification(|_| std::future::pending());
    let (connection, mut server) = connected(client, LEGACY).await;
    server.send(json!({ "jsonrpc": "2.0", "method": "notifications/vendor" })).await;
    server.send(json!({ "jsonrpc": "2.0", "id": 1, "method": "sampling/createMessage", "params": sampling() })).await;
    let seen = Arc::new(Mutex::new(0));
    let call = connection.call_tool("a", &()).on_progress({
        let seen = Arc::clone(&seen);
        move |_| *seen.lock().unwrap() += 1
    });
    let (result, ()) = tokio::join!(call, async {
        let request = server.asked("tools/call").await;
        let params = json!({ "progressToken": request["params"]["_meta"]["progressToken"], "progress": 1 });
        server.send(json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": params })).await;
        assert_eq!(asked(&mut server, "elicitation/create", &form()).await["result"]["action"], "cancel");
        server.answer(&request, NO_CONTENT).await;
    });
    result.unwrap();
    assert_eq!(*seen.lock().unwrap(), 1);
    // A server that does not want to know any more cancels the callback.
    server.send(json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } })).await;
    asked(&mut server, "ping", &json!({})).await;
    assert_eq!(connection.meters().unwrap().tasks_alive, 0);
}

#[tokio::test(start_paused = true)]
async fn a_callback_that_panics_answers_an_internal_error() {
    let client = client().on_elicit(|_| async { panic!("this callback always panics") });
    let (_connection, mut server) = connected(client, LEGACY).await;
    assert_eq!(asked(&mut server, "elicitation/create", &form()).await["error"]["code"], -32603);
    asked(&mut server, "ping", &json!({})).await;
}

#[tokio::test(start_paused = true)]
async fn notifications_go_to_the_callback_that_is_most_about_them() {
    let (told, mut heard) = mpsc::unbounded_channel();
    let tell = move |what: String| drop(told.send(what));
    let (log, changed, updated, other) = (tell.clone(), tell.clone(), tell.clone(), tell);
    let client = client()
        .on_log(move |message| {
            log(format!("log {}", message.level));
            async {}
        })
        .on_list_changed(move |list| {
            changed(format!("changed {:?}", *list));
            async {}
        })
        .on_resource_updated(move |uri| {
            updated(format!("updated {}", *uri));
            async {}
        })
        .on_notification(move |note| {
            other(format!("other {}", note.method));
            async {}
        });
    let (_connection, mut server) = connected(client, LEGACY).await;
    for (method, params, expected) in [
        ("notifications/message", json!({ "level": "warning", "data": null }), "log warning"),
        ("notifications/tools/list_changed", json!({}), "changed Tools"),
        ("notifications/prompts/list_changed", json!({}), "changed Prompts"),
        ("notifications/resources/list_changed", json!({}), "changed Resources"),
        ("notifications/resources/updated", json!({ "uri": "file:///a" }), "updated file:///a"),
        ("notifications/vendor", json!({}), "other notifications/vendor"),
    ] {
        server.send(json!({ "jsonrpc": "2.0", "method": method, "params": params })).await;
        assert_eq!(heard.recv().await.unwrap(), expected);
    }
}

#[tokio::test(start_paused = true)]
async fn without_a_callback_of_its_own_a_notification_goes_to_the_one_for_all() {
    let (told, mut heard) = mpsc::unbounded_channel();
    let client = client().on_notification(move |note| {
        drop(told.send(note.into_inner().method));
        async {}
    });
    let (_connection, mut server) = connected(client, LEGACY).await;
    for method in ["notifications/message", "notifications/tools/list_changed", "notifications/resources/updated"] {
        server.send(json!({ "jsonrpc": "2.0", "method": method, "params": {} })).await;
        assert_eq!(&*heard.recv().await.unwrap(), method);
    }
}

#[tokio::test(start_paused = true)]
async fn a_change_of_a_list_makes_the_client_list_again_on_the_same_connection() {
    let (told, mut heard) = mpsc::unbounded_channel();
    let client = client().on_list_changed(move |list| {
        let told = told.clone();
        async move {
            assert_eq!(*list, ListChanged::Tools);
            let tools = list.connection().request_raw("tools/list", &()).await.unwrap();
            drop(told.send(tools.to_string()));
        }
    });
    let (_connection, mut server) = connected(client, LEGACY).await;
    server.send(json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" })).await;
    let request = server.asked("tools/list").await;
    server.answer(&request, r#"{"tools":[]}"#).await;
    assert_eq!(heard.recv().await.unwrap(), r#"{"tools":[]}"#);
}

#[tokio::test(start_paused = true)]
async fn a_handle_in_a_callback_does_not_keep_the_connection_open() {
    let (given, mut handles) = mpsc::unbounded_channel();
    let client = client().on_notification(move |note| {
        drop(given.send(note.connection()));
        std::future::pending()
    });
    let (connection, mut server) = connected(client, LEGACY).await;
    server.send(json!({ "jsonrpc": "2.0", "method": "notifications/vendor" })).await;
    let handle = handles.recv().await.unwrap();
    drop(connection);
    server.ended().await;
    assert!(handle.call_tool("a", &()).await.unwrap_err().is_connection_closed());
}

#[tokio::test(start_paused = true)]
async fn roots_change_while_connected_and_a_legacy_server_is_told() {
    let roots = Roots::new([Root::new("file:///a")]);
    let (_legacy, mut server) = connected(client().with_roots(roots.clone()), LEGACY).await;
    let (_modern, mut modern) = connected(client().with_roots(roots.clone()), Era::Modern).await;
    roots.set([Root::new("file:///b")]);
    server.asked("notifications/roots/list_changed").await;
    assert_eq!(asked(&mut server, "roots/list", &json!({})).await["result"]["roots"][0]["uri"], "file:///b");
    drop(_modern);
    modern.ended().await;
}
