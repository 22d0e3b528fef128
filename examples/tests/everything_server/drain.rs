//! The input ends, or the reader goes away, while something is under way.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Ending, Program, call, conversation, modern_call, text};

/// Three calls that take 300, 600 and 900 ms, and then the end of input.
async fn three_calls(mut program: Program, calls: &[Value], last_newline: bool) {
    let lines: Vec<_> = calls.iter().map(Value::to_string).collect();
    let mut bytes = lines.join("\n").into_bytes();
    if last_newline {
        bytes.push(b'\n');
    }
    let began = Instant::now();
    program.send_bytes(&bytes).await;
    let Ending { status, rest, stderr } = program.finish().await;
    let took = began.elapsed();
    let answers: Vec<_> = rest.iter().map(|answer| (answer["id"].as_i64().unwrap(), text(answer))).collect();
    assert_eq!(answers, [(1, "slept 300 ms"), (2, "slept 600 ms"), (3, "slept 900 ms")]);
    assert_eq!((status.code(), &*stderr), (Some(0), ""));
    assert!(took >= Duration::from_millis(900), "{took:?}");
    // They ran side by side: one after the other takes twice as long.
    assert!(took < Duration::from_millis(1700), "{took:?}");
}

fn sleeps(call: fn(i64, &str, Value) -> Value) -> [Value; 3] {
    [1, 2, 3].map(|id| call(id, "sleep", json!({"ms": id * 300})))
}

#[tokio::test]
async fn calls_in_flight_when_input_ends_are_answered() {
    for last_newline in [true, false] {
        let mut program = Program::everything(&[]);
        program.initialize().await;
        three_calls(program, &sleeps(call), last_newline).await;
    }
}

#[tokio::test]
async fn modern_calls_in_flight_when_input_ends_are_answered() {
    for last_newline in [true, false] {
        three_calls(Program::everything(&[]), &sleeps(modern_call), last_newline).await;
    }
}

#[tokio::test]
async fn a_whole_conversation_in_one_write_is_answered() {
    let mut program = Program::everything(&[]);
    program.send_bytes(conversation(&sleeps(call)).as_bytes()).await;
    let Ending { status, rest, stderr } = program.finish().await;
    let ids: Vec<_> = rest.iter().map(|answer| &answer["id"]).collect();
    assert_eq!(ids, [&json!("init"), &json!(1), &json!(2), &json!(3)]);
    assert!(rest.iter().all(|answer| answer["result"].is_object()), "{rest:?}");
    assert_eq!((status.code(), &*stderr), (Some(0), ""));
}

/// What a tool changes then is announced too, and holds up nothing.
#[tokio::test]
async fn a_change_while_the_server_drains_is_announced_before_the_answer() {
    let mut program = Program::everything(&[]);
    program.initialize().await;
    program.send(&call(1, "toggle", json!({"after_ms": 500}))).await;
    let began = Instant::now();
    let Ending { status, rest, stderr } = program.finish().await;
    let took = began.elapsed();
    let [changed, answer] = rest.as_slice() else { panic!("{rest:?}") };
    assert_eq!(changed["method"], "notifications/tools/list_changed");
    assert_eq!((&answer["id"], text(answer)), (&json!(1), "added"));
    assert_eq!((status.code(), &*stderr), (Some(0), ""));
    assert!(took >= Duration::from_millis(400) && took < Duration::from_secs(2), "{took:?}");
}

#[tokio::test]
async fn nothing_in_flight_ends_at_once() {
    let mut program = Program::everything(&[]);
    program.initialize().await;
    let Ending { status, rest, stderr } = program.finish().await;
    assert_eq!((status.code(), rest.len(), &*stderr), (Some(0), 0, ""));
}

#[tokio::test]
async fn what_the_drain_deadline_cuts_off_is_named() {
    let mut program = Program::everything(&["--drain-ms", "200"]);
    program.initialize().await;
    program.send(&call(7, "sleep", json!({"ms": 60_000}))).await;
    program.send(&call("x", "sleep", json!({"ms": 60_000}))).await;
    let Ending { status, rest, stderr } = program.finish().await;
    assert_eq!((status.code(), rest.len()), (Some(1), 0));
    assert_eq!(stderr, "2 requests cut off at shutdown: tools/call 7, tools/call \"x\"\n");
}

#[tokio::test]
async fn nobody_has_to_read_what_was_cut_off() {
    let mut program = Program::everything(&["--drain-ms", "50"]);
    program.stop_reading_errors();
    program.send(&modern_call(1, "sleep", json!({"ms": 60_000}))).await;
    assert_eq!(program.finish().await.status.code(), Some(1));
}

#[tokio::test]
async fn a_server_whose_reader_went_away_ends_by_itself() {
    let mut program = Program::everything(&[]);
    program.initialize().await;
    program.stop_reading();
    program.send(&call(1, "echo", json!({"text": "nobody reads this"}))).await;
    let Ending { status, stderr, .. } = program.ended().await;
    assert_eq!((status.code(), &*stderr), (Some(1), ""));
}

#[tokio::test]
async fn a_reader_that_went_away_ends_what_is_under_way() {
    let mut program = Program::everything(&[]);
    program.send(&modern_call(1, "sleep", json!({"ms": 60_000}))).await;
    program.send(&modern_call(2, "echo", json!({"text": "started"}))).await;
    assert_eq!(text(&program.recv().await), "started");
    program.stop_reading();
    program.send(&modern_call(3, "echo", json!({"text": "nobody reads this"}))).await;
    let Ending { status, .. } = program.ended().await;
    assert_eq!(status.code(), Some(1));
}
