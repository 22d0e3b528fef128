//! A whole client with a server that is a child.

use std::error::Error;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use mcp_client::child::{ChildExited, Process};
use mcp_client::{ChildProcess, Client, ConnectError, Connection, Era, Restart};
use mcp_session::Cause;
use mcp_types::Version;
use serde_json::json;

use crate::support::{SHORT, SOON, sh, state, within};

/// A legacy server in a few lines of shell. `$1` is what it does before it reads, `$2` for a probe of the era, `$3` for
/// a call of a tool and `$4` after its input has ended.
const SERVER: &str = r#"
    answer() { echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$1}"; }
    content() { answer "{\"content\":[{\"type\":\"text\",\"text\":\"$1\"}]}"; }
    eval "$1"
    while read -r line; do
        id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
        case "$line" in
            *'"initialize"'*) answer '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}';;
            *'"server/discover"'*) eval "$2";;
            *'"tools/call"'*) eval "$3";;
        esac
    done
    eval "$4""#;

#[derive(Default)]
struct Script {
    first: &'static str,
    on_probe: &'static str,
    on_call: &'static str,
    last: &'static str,
}

/// The program, and each process that it becomes.
fn server(script: &Script) -> (ChildProcess, Receiver<Process>) {
    let (started, processes) = channel();
    let Script { first, on_probe, on_call, last } = script;
    let child = sh(SERVER).args(["sh", first, on_probe, on_call, last]);
    (child.on_start(move |process| drop(started.send(process))), processes)
}

fn client() -> Client {
    Client::new("test", "1")
}

fn legacy() -> Client {
    client().with_era(Era::Legacy(Version::LATEST_LEGACY))
}

async fn connected(script: &Script) -> (Connection, Process) {
    let (child, processes) = server(script);
    let connection = within(legacy().connect(child)).await.unwrap();
    (connection, processes.try_recv().unwrap())
}

/// How the child ended that an error comes from.
fn exited(error: &dyn Error) -> ChildExited {
    let mut next = error.source();
    while let Some(error) = next {
        if let Some(cause) = error.downcast_ref::<Cause>() {
            return cause.downcast_ref::<ChildExited>().unwrap().clone();
        }
        next = error.source();
    }
    panic!("no child in {error:?}")
}

fn is_gone(process: &Process) -> bool {
    process.has_exited() && state(process.id()).is_none()
}

#[tokio::test]
async fn connecting_to_a_program_that_fails_says_how_it_failed() {
    let (child, processes) = server(&Script { first: "echo 'no configuration' >&2; exit 3", ..Script::default() });
    let start = Instant::now();
    let error = within(client().connect(child)).await.unwrap_err();
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
    let exited = exited(&error);
    assert_eq!((exited.code(), exited.stderr()), (Some(3), "no configuration\n"));
    // Once for the era and once for the handshake; both are reaped by now.
    let processes: Vec<_> = processes.try_iter().collect();
    assert_eq!(processes.len(), 2);
    assert!(processes.iter().all(is_gone));
}

#[tokio::test]
async fn connecting_to_no_program_names_it() {
    let error = client().connect(ChildProcess::new("no-such-server")).await.unwrap_err();
    assert!(matches!(error, ConnectError::Open(_)), "{error:?}");
    assert!(error.source().unwrap().to_string().contains("`no-such-server`"));
}

#[tokio::test]
async fn a_server_that_dies_of_the_question_for_the_era_is_started_once_more() {
    let (child, processes) = server(&Script { on_probe: "exit 1", on_call: "content hello", ..Script::default() });
    let connection = within(client().connect(child)).await.unwrap();
    assert_eq!(connection.version(), Version::LATEST_LEGACY);
    let result = within(connection.call_tool("x", &json!({}))).await.unwrap();
    assert_eq!(result.content.len(), 1);
    within(connection.close()).await;
    let processes: Vec<_> = processes.try_iter().collect();
    assert_eq!(processes.len(), 2);
    assert!(processes.iter().all(is_gone));
}

#[tokio::test]
async fn a_call_fails_with_the_signal_that_killed_the_server() {
    let (connection, process) = connected(&Script { on_call: "kill -9 $$", ..Script::default() }).await;
    let start = Instant::now();
    let error = within(connection.call_tool("x", &json!({}))).await.unwrap_err();
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
    assert!(error.is_connection_closed());
    assert_eq!(exited(&error).signal(), Some(9));
    // A later one knows as much.
    let error = within(connection.call_tool("x", &json!({}))).await.unwrap_err();
    assert_eq!(exited(&error).signal(), Some(9));
    within(connection.closed()).await;
    assert!(is_gone(&process));
}

#[tokio::test]
async fn a_call_fails_at_once_when_the_server_exits_in_good_order() {
    let (connection, process) = connected(&Script { on_call: "exit 0", ..Script::default() }).await;
    let start = Instant::now();
    let error = within(connection.call_tool("x", &json!({}))).await.unwrap_err();
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
    assert!(error.is_connection_closed());
    assert_eq!(exited(&error).code(), Some(0));
    within(connection.closed()).await;
    assert!(is_gone(&process));
}

#[tokio::test]
async fn closing_while_the_server_exits_ends_for_all_who_wait() {
    for _ in 0..10 {
        let (connection, process) = connected(&Script { on_call: "exit 5", ..Script::default() }).await;
        let call = tokio::spawn(connection.call_tool("x", &json!({})).into_future());
        let closings: Vec<_> = (0..3)
            .map(|_| {
                let connection = connection.clone();
                tokio::spawn(async move { connection.close().await.reason })
            })
            .collect();
        assert!(within(call).await.unwrap().unwrap_err().is_connection_closed());
        let mut reasons = Vec::new();
        for closing in closings {
            reasons.push(within(closing).await.unwrap());
        }
        assert!(reasons.iter().all(|reason| *reason == reasons[0]), "{reasons:?}");
        assert!(is_gone(&process));
    }
}

#[tokio::test]
async fn closing_waits_until_the_child_is_reaped() {
    let (connection, process) =
        connected(&Script { last: "sleep 0.2; exit 7", on_call: "content hello", ..Script::default() }).await;
    within(connection.call_tool("x", &json!({}))).await.unwrap();
    let closings: Vec<_> = (0..3)
        .map(|_| {
            let (connection, process) = (connection.clone(), process.clone());
            tokio::spawn(async move {
                connection.close().await;
                is_gone(&process)
            })
        })
        .collect();
    for closing in closings {
        assert!(within(closing).await.unwrap());
    }
    assert_eq!(process.exit_status().unwrap().code(), Some(7));
}

#[tokio::test]
async fn closing_a_server_that_ignores_everything_is_bounded() {
    let script = Script { first: "trap '' TERM", last: "while :; do sleep 600; done", ..Script::default() };
    let (child, processes) = server(&script);
    let connection = within(legacy().connect(child.stdin_grace(SHORT).term_grace(SHORT))).await.unwrap();
    let start = Instant::now();
    within(connection.close()).await;
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
    let process = processes.try_recv().unwrap();
    assert!(is_gone(&process));
    assert_eq!(within(process.wait()).await.signal(), Some(9));
}

#[tokio::test]
async fn a_connection_that_is_dropped_leaves_no_child() {
    let (connection, process) = connected(&Script::default()).await;
    drop(connection);
    within(process.ended()).await;
    assert!(is_gone(&process));
}

#[test]
fn a_connection_that_outlives_its_runtime_leaves_no_child() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (connection, process) = runtime.block_on(connected(&Script::default()));
    drop(runtime);
    drop(connection);
    mcp_session::block_on(process.ended());
    assert!(is_gone(&process));
}

#[tokio::test]
async fn log_lines_disturb_nothing() {
    let script = Script {
        first: "echo Starting…; echo '[INFO] up'",
        on_call: "echo working; content hello; echo done",
        ..Script::default()
    };
    let (connection, process) = connected(&script).await;
    for _ in 0..3 {
        let result = within(connection.call_tool("x", &json!({}))).await.unwrap();
        assert_eq!(result.content.len(), 1);
    }
    within(connection.close()).await;
    assert!(process.stray_lines() >= 7, "{}", process.stray_lines());
}

#[tokio::test]
async fn a_server_that_crashes_is_started_again_where_that_is_wanted() {
    let script = Script { on_call: "content \"$$\"; kill -9 $$", ..Script::default() };
    let (child, processes) = server(&script);
    let restart = Restart::on_exit().backoff(Duration::from_millis(1), Duration::from_secs(60));
    let connection = within(legacy().connect(child.restart(restart))).await.unwrap();
    for times in 1..=3 {
        let result = within(connection.call_tool("x", &json!({}))).await.unwrap();
        assert_eq!(result.content.len(), 1);
        within(connection.restarted(times)).await;
    }
    within(connection.close()).await;
    let processes: Vec<_> = processes.try_iter().collect();
    assert_eq!(processes.len(), 4);
    assert!(processes.iter().all(is_gone));
}
