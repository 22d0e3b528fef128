//! The end of the process that started the server.

use rustix::process::Signal;
use serde_json::json;
use tokio::process::Command;

use crate::support::{EVERYTHING, Ending, Program, call, text};

/// A server whose parent is a shell, and whose pipes are open beyond the end of that.
fn with_a_parent(options: &str) -> Program {
    // The shell gives what runs in the background an empty input unless it is told otherwise.
    let script = format!("exec 3<&0; '{EVERYTHING}' --stdio {options} <&3 3<&- & wait");
    Program::start(Command::new("sh").arg("-c").arg(script))
}

#[tokio::test]
async fn a_server_that_watches_its_parent_ends_with_it() {
    let mut program = with_a_parent("--parent-watch");
    program.initialize().await;
    program.send(&call(1, "sleep", json!({"ms": 300}))).await;
    program.send(&call(2, "echo", json!({"text": "started"}))).await;
    assert_eq!(text(&program.recv().await), "started");
    program.signal(Signal::KILL);
    // What is in flight is still answered, as it is when input ends.
    let Ending { rest, .. } = program.ended().await;
    assert_eq!(rest.iter().map(text).collect::<Vec<_>>(), ["slept 300 ms"]);
}

#[tokio::test]
async fn a_server_that_does_not_lives_on() {
    let mut program = with_a_parent("");
    program.initialize().await;
    program.signal(Signal::KILL);
    program.has_ended().await;
    program.send(&call(1, "echo", json!({"text": "orphaned"}))).await;
    assert_eq!(text(&program.recv().await), "orphaned");
    let Ending { rest, .. } = program.finish().await;
    assert!(rest.is_empty(), "{rest:?}");
}
