//! A server behind a launcher, which does not end when its input does.

use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use mcp_client::ChildProcess;
use mcp_client::child::{Process, Stderr};
use serde_json::json;

use crate::support::{ERAS, SHORT, WATCHDOG, client, connected, exited, kill, script, state, text, until_gone, within};

/// A launcher. What it starts, and says the number of, ignores SIGTERM, and runs on for ever when the server that it
/// starts in turn has ended.
fn launcher() -> (ChildProcess, Receiver<u32>) {
    let (tell, told) = channel();
    let child = script(
        r#"exec 3<&0
        (trap '' TERM; "$0" --stdio <&3; while :; do sleep 600; done) &
        echo $! >&2; exec 3<&-; wait"#,
    );
    let numbers = Stderr::lines(move |line| {
        // The server may have its say too.
        if let Ok(number) = line.text().parse() {
            tell.send(number).unwrap_or_default();
        }
    });
    (child.stderr(numbers).stdin_grace(SHORT).term_grace(SHORT), told)
}

fn nothing_is_left(launcher: &Process, descendant: &Receiver<u32>) {
    let descendant = descendant.recv_timeout(WATCHDOG).unwrap();
    assert_eq!(state(launcher.id()), None, "it is reaped");
    until_gone(descendant);
}

#[tokio::test]
async fn closing_leaves_neither_the_launcher_nor_the_server() {
    for era in ERAS {
        let (child, descendant) = launcher();
        let (connection, process) = connected(&client(era), child).await;
        assert_eq!(text(&connection, "echo", &json!({ "text": "hello" })).await, "hello");
        within(connection.close()).await;
        nothing_is_left(&process, &descendant);
    }
}

#[tokio::test]
async fn a_dropped_connection_leaves_neither_the_launcher_nor_the_server() {
    let (child, descendant) = launcher();
    let (connection, process) = connected(&client(ERAS[0]), child).await;
    let call = tokio::spawn(connection.call_tool("sleep", &json!({ "ms": 600_000 })).into_future());
    drop(connection);
    assert!(within(call).await.unwrap().unwrap_err().is_connection_closed());
    within(process.ended()).await;
    nothing_is_left(&process, &descendant);
}

#[test]
fn a_connection_that_outlives_its_runtime_leaves_neither_the_launcher_nor_the_server() {
    for era in ERAS {
        let (child, descendant) = launcher();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let (connection, process, call) = runtime.block_on(async {
            let (connection, process) = connected(&client(era), child).await;
            assert_eq!(text(&connection, "echo", &json!({ "text": "hello" })).await, "hello");
            let mut call = Box::pin(connection.call_tool("sleep", &json!({ "ms": 600_000 })).into_future());
            assert!(tokio::time::timeout(Duration::ZERO, &mut call).await.is_err());
            (connection, process, call)
        });
        drop(runtime);
        // Whoever waited for an answer is not left waiting.
        assert!(mcp_session::block_on(call).unwrap_err().is_connection_closed());
        drop(connection);
        mcp_session::block_on(process.ended());
        nothing_is_left(&process, &descendant);
    }
}

#[tokio::test]
async fn a_launcher_that_is_killed_takes_its_server_and_the_calls_with_it() {
    let (child, descendant) = launcher();
    let (connection, process) = connected(&client(ERAS[1]), child).await;
    assert_eq!(text(&connection, "echo", &json!({ "text": "hello" })).await, "hello");
    let call = tokio::spawn(connection.call_tool("sleep", &json!({ "ms": 600_000 })).into_future());
    kill(process.id());
    // The server holds the pipe, so that its end does not tell.
    let error = within(call).await.unwrap().unwrap_err();
    assert!(error.is_connection_closed(), "{error:?}");
    assert_eq!(exited(&error).signal(), Some(9));
    within(connection.closed()).await;
    nothing_is_left(&process, &descendant);
}
