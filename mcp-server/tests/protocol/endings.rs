//! How a run ends.

use std::time::Duration;

use mcp_server::{AtReadEnd, Context, Report, Server};
use mcp_session::engine::Reason;
use mcp_session::transports::memory;
use serde_json::json;

use crate::support::{Client, Era, text_result};

async fn wait(context: Context) -> &'static str {
    // tidy: waits for the paused clock, as a tool that takes its time
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert!(!context.is_cancelled());
    "waited"
}

fn server() -> Server {
    Server::new("s", "1").tool("wait", "", wait)
}

/// Sends a call that takes 5 s and ends the input at once.
async fn call_and_end(server: &Server, era: Era) -> (Vec<serde_json::Value>, Report) {
    let mut client = Client::ready(server, era).await;
    client.request("w", "tools/call", json!({"name": "wait"})).await;
    client.finish().await
}

#[tokio::test(start_paused = true)]
async fn what_is_in_flight_when_input_ends_is_answered() {
    for era in [Era::Legacy, Era::Modern] {
        let (rest, report) = call_and_end(&server(), era).await;
        assert_eq!(rest, [json!({"jsonrpc": "2.0", "id": "w", "result": text_result(era, "waited")})]);
        assert_eq!((report.reason, report.tally.drained, report.exit_code()), (Reason::ReadEnded, 1, 0));
    }
}

#[tokio::test(start_paused = true)]
async fn a_drain_has_its_limit() {
    let server = server().with_drain(Some(Duration::from_secs(1)));
    let (rest, report) = call_and_end(&server, Era::Modern).await;
    assert!(rest.is_empty(), "{rest:?}");
    assert_eq!((report.reason, report.exit_code()), (Reason::DeadlinePassed, 1));
    let [cut] = report.tally.cut_off.as_slice() else { panic!("{report:?}") };
    assert_eq!((&*cut.method, cut.id.to_string()), ("tools/call", "\"w\"".to_owned()));
    assert_eq!(report.tasks_alive, 0);
}

#[tokio::test(start_paused = true)]
async fn another_policy_cancels_what_is_in_flight() {
    let server = server().with_at_read_end(AtReadEnd::Cancel);
    let (rest, report) = call_and_end(&server, Era::Legacy).await;
    assert!(rest.is_empty(), "{rest:?}");
    assert_eq!((report.reason, report.tally.cancelled, report.exit_code()), (Reason::ReadEnded, 1, 0));
}

#[tokio::test(start_paused = true)]
async fn an_embedding_program_can_close_a_session() {
    let (end, mut wire) = memory::raw();
    let (handle, run) = server().open(end);
    let run = tokio::spawn(run);
    wire.send(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#).await.unwrap();
    assert_eq!(wire.recv().await.as_deref(), Some(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#));
    let report = handle.close().await;
    assert_eq!(report.reason, Reason::Closed);
    assert_eq!(wire.recv().await, None);
    assert_eq!(run.await.unwrap().unwrap().reason, Reason::Closed);
}

#[test]
fn what_serves_can_be_sent_to_another_thread() {
    fn is_send<T: Send + 'static>(_: T) {}
    fn is_shared<T: Send + Sync + Clone>(_: &T) {}
    let server = server();
    is_shared(&server);
    is_shared(&server.tools());
    is_send(server.serve(memory::raw().0));
    is_send(server.open(memory::raw().0));
    // It borrows the server, so it may be spawned wherever that is owned.
    is_send(async move { server.serve_stdio().await });
}
