//! Readers that leave before the end.

use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::process::Command;

use crate::support::{EVERYTHING, Ending, Program, call, conversation};

#[tokio::test]
async fn a_reader_that_left_is_noticed_within_a_second() {
    let mut program = Program::everything(&[]);
    program.stop_reading();
    let began = Instant::now();
    program.send_bytes(conversation(&[]).as_bytes()).await;
    let Ending { status, stderr, .. } = program.ended().await;
    assert_eq!((status.code(), &*stderr), (Some(1), ""));
    assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
}

/// The shell tells the exit status of the server, which has the other end of the pipe still open as its input.
#[tokio::test]
async fn head_takes_what_it_wants_and_the_server_ends() {
    let script = format!("{{ '{EVERYTHING}' --stdio; echo \"exit status $?\" >&2; }} | head -1");
    let mut program = Program::start(Command::new("sh").arg("-c").arg(script));
    program.send_bytes(conversation(&[]).as_bytes()).await;
    assert_eq!(program.recv().await["id"], "init");
    // Whether `head` is gone when the answer is written is a race: one of these comes after it.
    let mut id = 0;
    while program.try_send(&call(id, "echo", json!({"text": "nobody reads this"}))).await {
        id += 1;
    }
    let Ending { rest, stderr, .. } = program.ended().await;
    assert_eq!((rest.len(), &*stderr), (0, "exit status 1\n"));
}

/// As a program sees it that was started by a shell with `>&-`.
#[tokio::test]
async fn an_output_that_was_never_open_is_no_panic() {
    let script = format!("exec '{EVERYTHING}' --stdio >&-");
    let mut command = Command::new("sh");
    command.arg("-c").arg(script).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut program = Program::start_as_it_is(&mut command);
    program.send_bytes(conversation(&[]).as_bytes()).await;
    let Ending { status, stderr, .. } = program.finish().await;
    // Nobody reads it, and nobody wanted to.
    assert_eq!((status.code(), &*stderr), (Some(0), ""));
}
