//! A client against a server that a test plays by hand, on a clock that stands still.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_client::{CallError, Client, ConnectError, Connection, Era};
use mcp_session::engine::{Dropped, Reason};
use mcp_session::transports::memory::{self, RawEnd};
use mcp_types::Version;
use serde_json::{Value, json};

const DISCOVERED: &str = r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}}"#;
const INITIALIZED: &str =
    r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}"#;

async fn recv(server: &mut RawEnd) -> Value {
    let line = tokio::time::timeout(Duration::from_secs(3600), server.recv()).await.unwrap();
    serde_json::from_str(&line.expect("the client is still there")).unwrap()
}

async fn answer(server: &mut RawEnd, id: &Value, result: &str) {
    server.send(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)).await.unwrap();
}

fn client() -> Client {
    Client::new("test", "1")
}

async fn connected(client: Client, era: Era) -> (Connection, RawEnd) {
    let (end, mut server) = memory::raw();
    let connecting = tokio::spawn(async move { client.with_era(era).connect(end).await });
    if era != Era::Modern {
        let initialize = recv(&mut server).await;
        assert_eq!(initialize["method"], "initialize");
        answer(&mut server, &initialize["id"], INITIALIZED).await;
        assert_eq!(recv(&mut server).await["method"], "notifications/initialized");
    }
    (connecting.await.unwrap().unwrap(), server)
}

const LEGACY: Era = Era::Legacy(Version::LATEST_LEGACY);

#[tokio::test(start_paused = true)]
async fn a_modern_server_is_found_by_asking() {
    let (end, mut server) = memory::raw();
    let connecting = tokio::spawn(async move { client().connect(end).await });
    let probe = recv(&mut server).await;
    assert_eq!(probe["method"], "server/discover");
    assert_eq!(probe["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
    answer(&mut server, &probe["id"], DISCOVERED).await;
    let connection = connecting.await.unwrap().unwrap();
    assert_eq!(connection.version(), Version::MODERN);
    assert_eq!(connection.server().unwrap().name, "s");
    let call = connection.call_tool("echo", &json!({ "text": "hi" }));
    let (result, ()) = tokio::join!(call, async {
        let request = recv(&mut server).await;
        assert_eq!(request["params"]["arguments"]["text"], "hi");
        assert!(request["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"].is_object());
        answer(&mut server, &request["id"], r#"{"resultType":"complete","content":[]}"#).await;
    });
    assert!(result.unwrap().content.is_empty());
}

#[tokio::test(start_paused = true)]
async fn any_other_answer_and_silence_mean_a_legacy_server() {
    for reply in
        [Some(r#""error":{"code":-32601,"message":"no"}"#), Some(r#""error":{"code":-32000,"message":"no"}"#), None]
    {
        let (end, mut server) = memory::raw();
        let connecting = tokio::spawn(async move { client().connect(end).await });
        let probe = recv(&mut server).await;
        if let Some(reply) = reply {
            server.send(&format!(r#"{{"jsonrpc":"2.0","id":{},{reply}}}"#, probe["id"])).await.unwrap();
        } else {
            assert_eq!(recv(&mut server).await["method"], "notifications/cancelled");
        }
        let initialize = recv(&mut server).await;
        assert_eq!(
            (&initialize["method"], &initialize["params"]["protocolVersion"]),
            (&json!("initialize"), &json!("2025-11-25"))
        );
        answer(&mut server, &initialize["id"], INITIALIZED).await;
        assert_eq!(connecting.await.unwrap().unwrap().version(), Version::LATEST_LEGACY);
    }
}

#[tokio::test(start_paused = true)]
async fn a_modern_refusal_is_not_a_legacy_server() {
    let (end, mut server) = memory::raw();
    let connecting = tokio::spawn(async move { client().connect(end).await });
    let probe = recv(&mut server).await;
    let error = r#""error":{"code":-32022,"message":"Unsupported protocol version","data":{"supported":["2027-01-01"],"requested":"2026-07-28"}}"#;
    server.send(&format!(r#"{{"jsonrpc":"2.0","id":{},{error}}}"#, probe["id"])).await.unwrap();
    assert!(matches!(connecting.await.unwrap(), Err(ConnectError::Refused(error)) if error.code.0 == -32022));
}

#[tokio::test(start_paused = true)]
async fn c1_every_pending_call_settles_when_the_server_goes_away() {
    for era in [LEGACY, Era::Modern] {
        let (connection, mut server) = connected(client(), era).await;
        let calls = tokio::spawn({
            let (a, b) = (connection.call_tool("a", &Value::Null), connection.call_tool("b", &Value::Null));
            async move { tokio::join!(a, b) }
        });
        recv(&mut server).await;
        recv(&mut server).await;
        drop(server);
        let (a, b) = calls.await.unwrap();
        for error in [a.unwrap_err(), b.unwrap_err()] {
            assert!(error.is_connection_closed(), "{error}");
            assert_eq!(error.to_error_object().code.0, -32000);
        }
        assert_eq!(connection.meters().pending_slots, 0);
        let later = connection.call_tool("c", &Value::Null).await.unwrap_err();
        assert!(later.is_connection_closed());
    }
}

#[tokio::test(start_paused = true)]
async fn c11_a_call_that_takes_too_long_is_cancelled_and_its_late_answer_ignored() {
    let (connection, mut server) = connected(client(), LEGACY).await;
    let error = connection.call_tool("slow", &Value::Null).timeout(Duration::from_secs(1)).await.unwrap_err();
    assert!(error.is_timeout(), "{error}");
    let request = recv(&mut server).await;
    let cancel = recv(&mut server).await;
    assert_eq!(cancel["params"]["requestId"], request["id"]);
    answer(&mut server, &request["id"], r#"{"content":[]}"#).await;
    server.close_write();
    assert_eq!(connection.closed().await.tally.dropped(Dropped::UnknownResponse), 1);
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
        let request = recv(&mut server).await;
        let token = &request["params"]["_meta"]["progressToken"];
        for step in 1..=4 {
            tokio::time::advance(Duration::from_secs(6)).await;
            let note = format!(
                r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{token},"progress":{step}}}}}"#
            );
            server.send(&note).await.unwrap();
        }
        answer(&mut server, &request["id"], r#"{"content":[]}"#).await;
    });
    result.unwrap();
    assert_eq!(*seen.lock().unwrap(), [1.0, 2.0, 3.0, 4.0]);
}

#[tokio::test(start_paused = true)]
async fn c15_a_malformed_response_settles_its_call_and_nothing_is_answered() {
    let (connection, mut server) = connected(client(), LEGACY).await;
    let call = tokio::spawn(connection.call_tool("a", &Value::Null));
    let request = recv(&mut server).await;
    server.send("log line on the wire").await.unwrap();
    server.send(&format!(r#"{{"jsonrpc":"2.0","id":{}}}"#, request["id"])).await.unwrap();
    server
        .send(&format!(
            r#"{{"jsonrpc":"2.0","id":{},"result":{{}},"error":{{"code":1,"message":"x"}}}}"#,
            request["id"]
        ))
        .await
        .unwrap();
    assert!(matches!(call.await.unwrap(), Err(CallError::Malformed { .. })));
    server.send(r#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#).await.unwrap();
    assert_eq!(
        recv(&mut server).await,
        json!({ "jsonrpc": "2.0", "id": "p", "result": {} }),
        "the next frame is the pong"
    );
}

#[tokio::test(start_paused = true)]
async fn c29_close_settles_tells_and_closes() {
    let (connection, mut server) = connected(client(), LEGACY).await;
    let call = tokio::spawn(connection.call_tool("slow", &Value::Null));
    let request = recv(&mut server).await;
    let report = connection.close().await;
    assert_eq!(report.reason, Reason::Closed);
    assert!(call.await.unwrap().unwrap_err().is_connection_closed());
    let cancel = recv(&mut server).await;
    assert_eq!(
        (&cancel["method"], &cancel["params"]["requestId"]),
        (&json!("notifications/cancelled"), &request["id"])
    );
    assert_eq!(server.recv().await, None);
}

#[tokio::test(start_paused = true)]
async fn c32_a_request_of_a_modern_server_is_counted_and_not_answered() {
    let (connection, mut server) = connected(client(), Era::Modern).await;
    server.send(r#"{"jsonrpc":"2.0","id":1,"method":"roots/list"}"#).await.unwrap();
    server.close_write();
    assert_eq!(server.recv().await, None);
    assert_eq!(connection.closed().await.tally.dropped(Dropped::NotInThisEra), 1);
}

#[tokio::test(start_paused = true)]
async fn c38_a_callback_that_never_ends_holds_up_no_call() {
    let client = client().on_notification(|_| std::future::pending());
    let (connection, mut server) = connected(client, LEGACY).await;
    server.send(r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#).await.unwrap();
    let (result, ()) = tokio::join!(connection.call_tool("a", &Value::Null), async {
        let request = recv(&mut server).await;
        answer(&mut server, &request["id"], r#"{"content":[]}"#).await;
    });
    result.unwrap();
}

#[tokio::test(start_paused = true)]
async fn c42_dropping_the_connection_closes_it() {
    let (connection, mut server) = connected(client(), LEGACY).await;
    drop(connection);
    assert_eq!(server.recv().await, None);
}

#[tokio::test(start_paused = true)]
async fn c43_a_handshake_that_is_never_answered_closes_without_a_cancel() {
    let (end, mut server) = memory::raw();
    let connecting = tokio::spawn(async move { client().with_era(LEGACY).connect(end).await });
    assert_eq!(recv(&mut server).await["method"], "initialize");
    let error = connecting.await.unwrap().unwrap_err();
    assert!(matches!(error, ConnectError::Call(CallError::TimedOut { .. })), "{error:?}");
    assert_eq!(server.recv().await, None, "no cancel was sent");
}
