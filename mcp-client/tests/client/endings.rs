//! What becomes of calls, and of the connection, when either side ends.

use std::time::Duration;

use mcp_client::{CallError, ConnectError, ConnectionState, Era};
use mcp_session::engine::{Dropped, Reason};
use mcp_session::transports::memory;
use serde_json::{Value, json};

use crate::support::{LEGACY, NO_CONTENT, Server, client, connected};

#[tokio::test(start_paused = true)]
async fn c1_every_pending_call_settles_when_the_server_goes_away() {
    for era in [LEGACY, Era::Modern] {
        let (connection, mut server) = connected(client(), era).await;
        let calls = tokio::spawn({
            let (a, b) = (connection.call_tool("a", &Value::Null), connection.call_tool("b", &Value::Null));
            async move { tokio::join!(a, b) }
        });
        server.recv().await;
        server.recv().await;
        drop(server);
        let (a, b) = calls.await.unwrap();
        for error in [a.unwrap_err(), b.unwrap_err()] {
            assert!(error.is_connection_closed(), "{error}");
            assert_eq!(error.to_error_object().code.0, -32000);
        }
        assert_eq!(connection.meters().unwrap().pending_slots, 0);
        let later = connection.call_tool("c", &Value::Null).await.unwrap_err();
        assert!(later.is_connection_closed());
        assert_eq!(connection.closed().await.reason, Reason::ReadEnded);
        assert_eq!(connection.state(), ConnectionState::Closed);
    }
}

#[tokio::test(start_paused = true)]
async fn the_error_of_a_call_names_what_broke_the_connection() {
    let (connection, mut server) = connected(client(), LEGACY).await;
    let faults = server.0.faults();
    let call = tokio::spawn(connection.call_tool("a", &()));
    server.recv().await;
    faults.outgoing.reset_reader();
    let error = call.await.unwrap().unwrap_err();
    let CallError::ConnectionClosed { cause: Some(cause), .. } = &error else { panic!("{error:?}") };
    assert_eq!(cause.downcast_ref::<std::io::Error>().unwrap().kind(), std::io::ErrorKind::ConnectionReset);
    assert!(std::error::Error::source(&error).is_some());
    assert!(connection.cause().is_some());
}

#[tokio::test(start_paused = true)]
async fn c11_a_call_that_takes_too_long_is_cancelled_and_its_late_answer_ignored() {
    let (connection, mut server) = connected(client(), LEGACY).await;
    let error = connection.call_tool("slow", &Value::Null).timeout(Duration::from_secs(1)).await.unwrap_err();
    assert!(error.is_timeout(), "{error}");
    let request = server.recv().await;
    let cancel = server.asked("notifications/cancelled").await;
    assert_eq!(cancel["params"]["requestId"], request["id"]);
    server.answer(&request, NO_CONTENT).await;
    server.0.close_write();
    assert_eq!(connection.closed().await.tally.dropped(Dropped::UnknownResponse), 1);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_dropped_is_cancelled_and_leaves_nothing_behind() {
    let (connection, mut server) = connected(client(), LEGACY).await;
    let abandoned = tokio::time::timeout(Duration::from_millis(300), connection.call_tool("slow", &()));
    assert!(abandoned.await.is_err());
    let request = server.asked("tools/call").await;
    let cancel = server.asked("notifications/cancelled").await;
    assert_eq!(cancel["params"]["requestId"], request["id"]);
    assert_eq!(connection.meters().unwrap().pending_slots, 0);
}

#[tokio::test(start_paused = true)]
async fn c15_a_malformed_response_settles_its_call_and_nothing_is_answered() {
    let (connection, mut server) = connected(client(), LEGACY).await;
    let call = tokio::spawn(connection.call_tool("a", &Value::Null));
    let request = server.recv().await;
    server.0.send("log line on the wire").await.unwrap();
    server.send(json!({ "jsonrpc": "2.0", "id": request["id"] })).await;
    server
        .send(json!({ "jsonrpc": "2.0", "id": request["id"], "result": {}, "error": { "code": 1, "message": "x" } }))
        .await;
    assert!(matches!(call.await.unwrap(), Err(CallError::Malformed { .. })));
    server.send(json!({ "jsonrpc": "2.0", "id": "p", "method": "ping" })).await;
    let pong = json!({ "jsonrpc": "2.0", "id": "p", "result": {} });
    assert_eq!(server.recv().await, pong, "the next frame is the pong");
}

#[tokio::test(start_paused = true)]
async fn c29_close_settles_tells_and_closes_for_all_who_wait() {
    let (connection, mut server) = connected(client(), LEGACY).await;
    let call = tokio::spawn(connection.call_tool("slow", &Value::Null));
    let request = server.recv().await;
    let other = connection.clone();
    let (report, same, again) = tokio::join!(connection.close(), other.close(), other.closed());
    assert_eq!(report.reason, Reason::Closed);
    assert_eq!([&same.reason, &again.reason], [&Reason::Closed; 2]);
    assert!(call.await.unwrap().unwrap_err().is_connection_closed());
    let cancel = server.asked("notifications/cancelled").await;
    assert_eq!(cancel["params"]["requestId"], request["id"]);
    server.ended().await;
    assert_eq!(connection.close().await.reason, Reason::Closed, "whenever it is asked for");
}

#[tokio::test(start_paused = true)]
async fn an_abort_writes_nothing_any_more() {
    let (connection, mut server) = connected(client(), LEGACY).await;
    let call = tokio::spawn(connection.call_tool("slow", &Value::Null));
    server.asked("tools/call").await;
    assert_eq!(connection.abort().await.reason, Reason::Aborted);
    assert!(call.await.unwrap().unwrap_err().is_connection_closed());
    server.ended().await;
}

#[tokio::test(start_paused = true)]
async fn c32_a_request_of_a_modern_server_is_counted_and_not_answered() {
    let (connection, mut server) = connected(client().with_roots([]), Era::Modern).await;
    server.send(json!({ "jsonrpc": "2.0", "id": 1, "method": "roots/list" })).await;
    server.0.close_write();
    server.ended().await;
    assert_eq!(connection.closed().await.tally.dropped(Dropped::NotInThisEra), 1);
}

#[tokio::test(start_paused = true)]
async fn c42_the_last_handle_closes_the_connection_and_no_other() {
    let (connection, mut server) = connected(client(), LEGACY).await;
    let other = connection.clone();
    drop(connection);
    let (result, ()) = tokio::join!(other.call_tool("a", &()), async {
        let request = server.asked("tools/call").await;
        server.answer(&request, NO_CONTENT).await;
    });
    result.unwrap();
    let closed = other.closed();
    drop(other);
    server.ended().await;
    assert_eq!(closed.await.reason, Reason::Closed);
}

#[tokio::test(start_paused = true)]
async fn c43_a_handshake_that_is_never_answered_closes_without_a_cancel() {
    let (end, server) = memory::raw();
    let mut server = Server(server);
    let connecting = tokio::spawn(async move { client().with_era(LEGACY).connect(end).await });
    server.asked("initialize").await;
    let error = connecting.await.unwrap().unwrap_err();
    assert!(matches!(error, ConnectError::TimedOut { limit, .. } if limit == Duration::from_secs(30)), "{error:?}");
    assert_eq!(error.report().unwrap().reason, Reason::HandshakeTimedOut);
    server.ended().await;
}

#[tokio::test(start_paused = true)]
async fn a_connect_that_nobody_waits_for_closes() {
    let (end, server) = memory::raw();
    let mut server = Server(server);
    let impatient = tokio::time::timeout(Duration::from_secs(1), client().with_era(LEGACY).connect(end)).await;
    assert!(impatient.is_err());
    server.asked("initialize").await;
    server.ended().await;
}
