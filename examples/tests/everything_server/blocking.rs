//! Tools that block their threads.

use std::fs;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::{Program, call, modern_call, scratch, text};

#[tokio::test]
async fn tools_that_block_run_side_by_side_and_hold_nothing_up() {
    let mut program = Program::everything(&[]);
    program.initialize().await;
    let began = Instant::now();
    for id in 1..=3 {
        program.send(&call(id, "block", json!({"ms": 400}))).await;
    }
    program.send(&call(4, "echo", json!({"text": "meanwhile"}))).await;
    assert_eq!(text(&program.recv().await), "meanwhile");
    let ending = program.finish().await;
    assert_eq!(ending.rest.iter().map(text).collect::<Vec<_>>(), ["blocked after 400 ms"; 3]);
    assert_eq!((ending.status.code(), &*ending.stderr), (Some(0), ""));
    // One after the other they take 1.2 s.
    assert!(began.elapsed() < Duration::from_millis(1100), "{:?}", began.elapsed());
}

#[tokio::test]
async fn more_than_there_are_threads_wait() {
    let mut program = Program::everything(&["--blocking-threads", "1"]);
    for id in 1..=3 {
        program.send(&modern_call(id, "block", json!({"ms": 100}))).await;
    }
    let ending = program.finish().await;
    let answered: Vec<_> = ending.rest.iter().map(|answer| answer["id"].as_i64().unwrap()).collect();
    assert_eq!((answered, ending.status.code()), (vec![1, 2, 3], Some(0)));
}

#[tokio::test]
async fn a_tool_that_never_returns_keeps_no_process() {
    let path = scratch("never-returns");
    let mut program = Program::everything(&["--drain-ms", "300", "--report-file", path.to_str().unwrap()]);
    program.initialize().await;
    program.send(&call("stuck", "block", json!({"ms": 600_000}))).await;
    program.send(&call("mark", "echo", json!({"text": "started"}))).await;
    assert_eq!(text(&program.recv().await), "started");
    let began = Instant::now();
    let ending = program.finish().await;
    let took = began.elapsed();
    let report: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    fs::remove_file(&path).unwrap();
    assert_eq!((ending.status.code(), ending.rest.len()), (Some(1), 0));
    assert_eq!(ending.stderr, "1 request cut off at shutdown: tools/call \"stuck\"\n");
    let stuck = json!([{"id": "stuck", "method": "tools/call"}]);
    assert_eq!((&report["still_running"], &report["requests"]["cut_off"]), (&stuck, &stuck));
    assert!(took >= Duration::from_millis(300) && took < Duration::from_millis(300 + 1500), "{took:?}");
}

#[tokio::test]
async fn two_signals_end_a_server_whose_tool_never_returns() {
    let mut program = Program::everything(&[]);
    program.initialize().await;
    program.send(&call("stuck", "block", json!({"ms": 600_000}))).await;
    program.signal(Signal::TERM);
    loop {
        program.send(&call("probe", "echo", json!({"text": "still open"}))).await;
        if program.recv().await["error"]["data"]["reason"] == "closing" {
            break;
        }
    }
    let began = Instant::now();
    program.signal(Signal::TERM);
    let ending = program.ended().await;
    assert_eq!((ending.status.code(), ending.rest.len()), (Some(143), 0));
    assert!(began.elapsed() < Duration::from_millis(1500), "{:?}", began.elapsed());
}

#[tokio::test]
async fn a_cancelled_tool_that_blocks_is_not_answered_and_the_session_goes_on() {
    let mut program = Program::everything(&["--blocking-threads", "1"]);
    program.initialize().await;
    program.send(&call(1, "block", json!({"ms": 300}))).await;
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
    program.send(&cancel).await;
    program.send(&call(2, "block", json!({"ms": 1}))).await;
    let ending = program.finish().await;
    assert_eq!(ending.rest.iter().map(text).collect::<Vec<_>>(), ["blocked after 1 ms"]);
    assert_eq!(ending.status.code(), Some(0));
}

#[tokio::test]
async fn a_panic_on_a_thread_is_an_internal_error() {
    let mut program = Program::everything(&[]);
    program.initialize().await;
    program.send(&call(1, "blocking_panic", json!({}))).await;
    assert_eq!(program.recv().await["error"]["code"], -32603);
    let ending = program.finish().await;
    assert_eq!(ending.status.code(), Some(0));
    assert!(ending.stderr.contains("this tool always panics"), "{ending:?}");
}
