//! A server that is killed, and one that talks too much.

use std::time::{Duration, Instant};

use mcp_client::child::Process;
use mcp_client::{Connection, Era};
use serde_json::json;
use tokio::sync::mpsc::unbounded_channel;

use crate::support::{ERAS, client, connected, exited, kill, script, server, state, text, within};

/// Kills the server while it works on calls, and says how long it took until all of them had failed.
async fn killed_during_calls(connection: &Connection, process: &Process) -> Duration {
    let (tell, mut told) = unbounded_channel();
    let under_way = connection
        .call_tool("progress", &json!({ "steps": 100_000 }))
        .on_progress(move |progress| drop(tell.send(progress)));
    let calls = tokio::spawn(async move { under_way.await.unwrap_err() });
    let other = tokio::spawn(connection.call_tool("sleep", &json!({ "ms": 600_000 })).into_future());
    within(told.recv()).await.expect("it is at work");
    let start = Instant::now();
    kill(process.id());
    let errors = [within(calls).await.unwrap(), within(other).await.unwrap().unwrap_err()];
    let took = start.elapsed();
    for error in errors {
        assert!(error.is_connection_closed(), "{error:?}");
        assert_eq!(exited(&error).signal(), Some(9));
    }
    took
}

#[tokio::test]
async fn calls_fail_at_once_with_the_signal_that_killed_the_server() {
    for era in ERAS {
        let mut fastest = Duration::MAX;
        // A busy machine may take its time, but not each time.
        for _ in 0..5 {
            let (connection, process) = connected(&client(era), server()).await;
            fastest = fastest.min(killed_during_calls(&connection, &process).await);
            assert_eq!(connection.meters().unwrap().pending_slots, 0);
            within(connection.closed()).await;
            // It is closed only when no zombie is left.
            assert_eq!(state(process.id()), None);
            assert_eq!(exited(&connection.call_tool("echo", &()).await.unwrap_err()).signal(), Some(9));
        }
        assert!(fastest < Duration::from_millis(100), "{fastest:?}");
    }
}

#[tokio::test]
async fn a_server_that_fills_standard_error_is_understood() {
    let noise = r#"noise() { head -c 2097152 /dev/zero | tr '\0' x >&2; echo >&2; }"#;
    // Before it answers, and beside its answers.
    let child = script(&format!(r#"{noise}; noise; (noise; noise) & exec "$0" --stdio"#));
    for era in [Era::Detect, ERAS[0], ERAS[1]] {
        let (connection, process) = connected(&client(era), child.clone()).await;
        for _ in 0..20 {
            assert_eq!(text(&connection, "echo", &json!({ "text": "hello" })).await, "hello");
        }
        within(connection.close()).await;
        assert_eq!(state(process.id()), None);
        assert!(process.stderr_tail().contains("xxxx"));
    }
}
