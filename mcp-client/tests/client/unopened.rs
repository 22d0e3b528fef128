//! Connections that a callback is given while the handshake is under way, and that never come to be.

use std::sync::{Arc, Mutex};

use mcp_client::{Client, ConnectError, Connection, ConnectionState};
use mcp_session::transports::memory;
use serde_json::json;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use crate::support::{LEGACY, Server, client};

/// A connect that has come as far as its question, and the connection that its callback was given.
async fn opening() -> (JoinHandle<Result<Connection, ConnectError>>, Connection, Server) {
    let (given, arrived) = (Arc::new(Mutex::new(None)), Arc::new(Notify::new()));
    let (slot, tell) = (Arc::clone(&given), Arc::clone(&arrived));
    let client: Client = client().with_era(LEGACY).on_notification(move |note| {
        *slot.lock().unwrap() = Some(note.connection());
        tell.notify_one();
        async {}
    });
    let (end, server) = memory::raw();
    let mut server = Server(server);
    let connecting = tokio::spawn(async move { client.connect(end).await });
    server.send(json!({ "jsonrpc": "2.0", "method": "notifications/early" })).await;
    arrived.notified().await;
    let connection = given.lock().unwrap().take().unwrap();
    assert_eq!(connection.state(), ConnectionState::Restarting);
    (connecting, connection, server)
}

/// Nobody who holds it waits for anything.
async fn is_over(connection: &Connection) {
    assert_eq!(connection.state(), ConnectionState::Closed);
    assert!(connection.call_tool("a", &()).await.unwrap_err().is_connection_closed());
    connection.restarted(1).await;
    assert_eq!(connection.closed().await.pending_slots, 0);
    assert_eq!(connection.close().await, connection.abort().await);
}

#[tokio::test(start_paused = true)]
async fn a_connection_whose_handshake_is_refused_is_over() {
    let (connecting, connection, mut server) = opening().await;
    let call = tokio::spawn(connection.call_tool("a", &()).into_future());
    let initialize = server.asked("initialize").await;
    server.refuse(&initialize, json!({ "code": -32603, "message": "no" })).await;
    assert!(matches!(connecting.await.unwrap(), Err(ConnectError::Refused { .. })));
    assert!(call.await.unwrap().unwrap_err().is_connection_closed());
    is_over(&connection).await;
    server.ended().await;
}

#[tokio::test(start_paused = true)]
async fn a_connection_whose_connect_is_dropped_is_over() {
    let (connecting, connection, mut server) = opening().await;
    connecting.abort();
    connection.closed().await;
    is_over(&connection).await;
    server.asked("initialize").await;
    server.ended().await;
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_is_closed_before_it_is_open_is_over() {
    let (connecting, connection, mut server) = opening().await;
    let closing = tokio::spawn(connection.close());
    assert!(matches!(connecting.await.unwrap(), Err(ConnectError::Closed { .. })));
    closing.await.unwrap();
    is_over(&connection).await;
    server.asked("initialize").await;
    server.ended().await;
}
