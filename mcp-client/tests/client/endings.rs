//! What becomes of calls, and of the connection, when either side ends.

use std::time::Duration;

use mcp_client::{CallError, ConnectError, ConnectionState, Era};
use mcp_session::engine::{Dropped, Reason};
use mcp_session::transports::memory;
use mcp_types::jsonrpc::{ErrorCode, ErrorObject};
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
async fn c15_bytes_that_are_no_text_fail_the_call_that_they_answer_and_say_so() {
    for era in [LEGACY, Era::Modern] {
        let (connection, mut server) = connected(client(), era).await;
        let call = tokio::spawn(connection.call_tool("a", &()));
        let request = server.asked("tools/call").await;
        let head = format!(r#"{{"jsonrpc":"2.0","id":{},"result":{{"content":[{{"text":""#, request["id"]);
        server.0.send_bytes(&[head.as_bytes(), b"a\xff\"}]}}\n"].concat()).await.unwrap();
        let error = call.await.unwrap().unwrap_err();
        assert!(matches!(&error, CallError::Malformed { detail, .. } if detail.contains("UTF-8")), "{error}");
        let (next, ()) = tokio::join!(connection.call_tool("b", &()), async {
            let request = server.asked("tools/call").await;
            server.answer(&request, NO_CONTENT).await;
        });
        next.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn an_error_of_the_wrong_shape_is_the_error_of_the_server_as_far_as_it_can_be_read() {
    let (connection, mut server) = connected(client(), LEGACY).await;
    #[rustfmt::skip]
    let rows = [
        (json!({ "code": "E1", "message": "x" }),     0,      "x"),
        (json!({ "code": "-32601", "message": "x" }), -32601, "x"),
        (json!({ "code": 1 }),                        1,      ""),
        (json!({ "message": "x" }),                   0,      "x"),
        (json!("boom"),                               0,      "boom"),
    ];
    for (sent, code, message) in rows {
        let call = tokio::spawn(connection.call_tool("a", &()));
        let request = server.asked("tools/call").await;
        server.refuse(&request, sent).await;
        let error = call.await.unwrap().unwrap_err();
        let CallError::Peer { error, .. } = error else { panic!("{error:?}") };
        assert_eq!((error.code.0, &*error.message), (code, message));
    }
    connection.close().await;
    server.ended().await;
}

/// What is served here may take its time; who waits for the server does not wait for that.
#[tokio::test(start_paused = true)]
async fn c1_a_call_does_not_wait_for_a_callback_when_the_server_goes_away() {
    let asleep = client().on_sample(|_| async {
        tokio::time::sleep(Duration::from_secs(60)).await; // tidy: waits for longer than anything here may take
        Err(ErrorObject::new(ErrorCode(-1), "too late"))
    });
    let (connection, mut server) = connected(asleep, LEGACY).await;
    let call = tokio::spawn(connection.call_tool("a", &()));
    server.asked("tools/call").await;
    let params = json!({ "messages": [], "maxTokens": 1 });
    server.send(json!({ "jsonrpc": "2.0", "id": 1, "method": "sampling/createMessage", "params": params })).await;
    server.send(json!({ "jsonrpc": "2.0", "id": 2, "method": "ping" })).await;
    assert_eq!(server.recv().await["id"], 2, "the callback has begun");
    assert_eq!(connection.meters().unwrap().tasks_alive, 1);
    let gone = tokio::time::Instant::now();
    server.0.close_write();
    let settled = tokio::time::timeout(Duration::from_secs(3_600), call).await.expect("it settles");
    assert!(settled.unwrap().unwrap_err().is_connection_closed());
    let report = connection.closed().await;
    assert_eq!((report.reason, report.tasks_alive), (Reason::ReadEnded, 0));
    assert_eq!(gone.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn a_close_at_the_moment_at_which_the_server_goes_away_is_over_for_all_who_wait() {
    for era in [LEGACY, Era::Modern] {
        let (connection, mut server) = connected(client(), era).await;
        let call = tokio::spawn(connection.call_tool("slow", &()));
        server.asked("tools/call").await;
        let waiting: Vec<_> = (0..4).map(|_| tokio::spawn(connection.clone().closed())).collect();
        server.0.close_write();
        // Nothing has been polled since: the end of input and both of these are found at the same time.
        let (first, second) = (connection.close(), connection.clone().close());
        let (first, second) = tokio::join!(first, second);
        assert_eq!(first.reason, second.reason);
        for waiting in waiting {
            assert_eq!(waiting.await.unwrap().reason, first.reason);
        }
        assert!(call.await.unwrap().unwrap_err().is_connection_closed());
        assert_eq!(connection.state(), ConnectionState::Closed);
    }
}

/// Nobody has to send anything to learn of it.
#[tokio::test(start_paused = true)]
async fn an_idle_connection_whose_server_went_away_is_seen_to_be_closed() {
    for era in [LEGACY, Era::Modern] {
        let (connection, mut server) = connected(client(), era).await;
        assert_eq!(connection.state(), ConnectionState::Open);
        server.0.close_write();
        server.ended().await;
        connection.closed().await;
        assert_eq!(connection.state(), ConnectionState::Closed);
        assert!(connection.ping().await.unwrap_err().is_connection_closed());
    }
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
