//! What can be set from the command line.

use std::fs;

use serde_json::{Value, json};
use tokio::process::Command;

use crate::support::{EVERYTHING, Program, call, modern_call, scratch, text};

#[tokio::test]
async fn the_run_is_reported() {
    let path = scratch("report-file");
    let mut program = Program::everything(&["--report-file", path.to_str().unwrap()]);
    program.initialize().await;
    program.send_bytes(b"not json\n").await;
    assert_eq!(program.recv().await["error"]["code"], -32700);
    program.send(&call(1, "sleep", json!({"ms": 100}))).await;
    program.finish().await;
    let mut report: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    fs::remove_file(&path).unwrap();
    assert!(report["elapsed_ms"].take().as_u64().unwrap() >= 100);
    let requests = json!({
        "received": 2, "answered": 2, "drained": 1, "cancelled": 0, "cut_off": [], "refused": 0, "never_started": 0,
    });
    let expected = json!({
        "reason": "ReadEnded", "signal": null, "requests": requests, "malformed": 1, "truncated": 0, "ids_as_text": 0,
        "dropped": {}, "still_running": [], "tasks_alive": 0, "pending_slots": 0, "exit_code": 0, "elapsed_ms": null,
    });
    assert_eq!(report, expected);
}

#[tokio::test]
async fn the_report_goes_to_a_descriptor_too() {
    let path = scratch("report-fd");
    let script = format!("exec '{EVERYTHING}' --stdio --drain-ms 50 --report 3 3>'{}'", path.display());
    let mut program = Program::start(Command::new("sh").arg("-c").arg(script));
    program.send(&modern_call("gone", "sleep", json!({"ms": 60_000}))).await;
    let ending = program.finish().await;
    let report: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    fs::remove_file(&path).unwrap();
    assert_eq!(report["requests"]["cut_off"], json!([{"id": "gone", "method": "tools/call"}]));
    assert_eq!((report["exit_code"].as_i64(), ending.status.code()), (Some(1), Some(1)));
}

#[tokio::test]
async fn in_flight_requests_and_the_queue_have_limits() {
    let mut program = Program::everything(&["--in-flight", "1", "--queue", "1"]);
    for id in 1..=3 {
        program.send(&modern_call(id, "sleep", json!({"ms": 200}))).await;
    }
    let refused = program.recv().await;
    assert_eq!((&refused["id"], &refused["error"]["data"]["reason"]), (&json!(3), &json!("overloaded")));
    let ending = program.finish().await;
    assert_eq!(ending.rest.iter().map(|answer| answer["id"].clone()).collect::<Vec<_>>(), [1, 2]);
}

#[tokio::test]
async fn the_end_of_input_can_cancel() {
    let mut program = Program::everything(&["--at-read-end", "cancel"]);
    program.send(&modern_call(1, "sleep", json!({"ms": 60_000}))).await;
    let ending = program.finish().await;
    assert_eq!((ending.status.code(), ending.rest.len()), (Some(0), 0));
}

#[tokio::test]
async fn a_mutant_breaks_its_rule() {
    for (options, ids) in [(&[][..], &[2][..]), (&["--mutant", "C10"][..], &[2, 1][..])] {
        let mut program = Program::everything(options);
        program.send(&modern_call(1, "sleep", json!({"ms": 200}))).await;
        let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
        program.send(&cancel).await;
        program.send(&modern_call(2, "echo", json!({"text": "on"}))).await;
        let ending = program.finish().await;
        let answered: Vec<_> = ending.rest.iter().map(|answer| answer["id"].as_i64().unwrap()).collect();
        assert_eq!(answered, ids, "{options:?}");
    }
}

#[tokio::test]
async fn a_wrong_command_line_serves_nothing() {
    for options in [&["--mutant", "C99"][..], &["--mutant", "C18"], &["--report", "99"], &["--at-read-end", "wait"]] {
        let ending = Program::everything(options).ended().await;
        assert!(!ending.status.success() && !ending.stderr.is_empty(), "{options:?}: {ending:?}");
    }
}

#[tokio::test]
async fn a_tool_calls_the_client_and_learns_when_nobody_can_answer() {
    let mut program = Program::everything(&[]);
    program.initialize().await;
    program.send(&call(1, "call_client", json!({"method": "ping"}))).await;
    let asked = program.recv().await;
    assert_eq!(asked["method"], "ping");
    program.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"pong": true}})).await;
    assert_eq!(text(&program.recv().await), "ok: {\"pong\":true}");

    program.send(&call(2, "call_client", json!({"method": "ping", "timeout_ms": 30_000}))).await;
    assert_eq!(program.recv().await["method"], "ping");
    let ending = program.finish().await;
    let [answer] = ending.rest.as_slice() else { panic!("{ending:?}") };
    assert!(text(answer).starts_with("error: connection closed"), "{answer}");
    assert_eq!(ending.status.code(), Some(0));
}
