//! Tables of hostile input tell a right server from one that is wrong in one thing.

mod support;

use conformance::{
    runner::{Options, Run, run},
    scenario::Era,
    scenarios,
};
use serde_json::{Value, json};
use support::{Scripted, pong};

/// What a server answers to a frame.
type Answers = fn(&Value) -> Vec<Value>;

/// A server that does what `hostile-cursor` asks for in the legacy era.
fn right(frame: &Value) -> Vec<Value> {
    let params = &frame["params"];
    let refused = json!({"error": {"code": -32602, "message": "unknown cursor"}});
    let text = |text: &Value| json!({"result": {"content": [{"type": "text", "text": text}]}});
    let mut answer = match frame["method"].as_str() {
        Some("initialize") => json!({"result": {"protocolVersion": params["protocolVersion"]}}),
        Some("tools/call") if params["name"] == "echo" => text(&params["arguments"]["text"]),
        Some("tools/call") => text(&json!("slept")),
        Some("tools/list") if params["cursor"].is_null() => json!({"result": {"tools": [{"name": "echo"}]}}),
        Some("tools/list") => refused,
        _ => return pong(frame),
    };
    answer["jsonrpc"] = "2.0".into();
    answer["id"] = frame["id"].clone();
    vec![answer]
}

fn is_paged(frame: &Value) -> bool {
    frame["params"].get("cursor").is_some_and(|cursor| !cursor.is_null())
}

/// Takes every cursor for the first page.
fn ignores_cursors(frame: &Value) -> Vec<Value> {
    let mut frame = frame.clone();
    frame["params"]["cursor"] = Value::Null;
    right(&frame)
}

fn refuses_with_another_code(frame: &Value) -> Vec<Value> {
    let mut answers = right(frame);
    if is_paged(frame) {
        answers[0]["error"]["code"] = json!(-32600);
    }
    answers
}

fn forgets_the_text(frame: &Value) -> Vec<Value> {
    let mut answers = right(frame);
    if is_paged(frame) {
        answers[0]["error"]["message"] = "".into();
    }
    answers
}

fn says_more(frame: &Value) -> Vec<Value> {
    let mut answers = right(frame);
    if is_paged(frame) {
        answers.push(json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {}}));
    }
    answers
}

fn is_silent(frame: &Value) -> Vec<Value> {
    if is_paged(frame) { Vec::new() } else { right(frame) }
}

fn answers_the_running_request_twice(frame: &Value) -> Vec<Value> {
    let mut answers = right(frame);
    if frame["params"]["name"] == "sleep" {
        answers.extend(answers.clone());
    }
    answers
}

fn forgets_the_running_request(frame: &Value) -> Vec<Value> {
    if frame["params"]["name"] == "sleep" { Vec::new() } else { right(frame) }
}

/// Answers nothing any more once it has seen an empty cursor: the sessions after it are new ones.
fn dies_of_an_empty_cursor(frame: &Value) -> Vec<Value> {
    if frame["id"] == "after empty" { Vec::new() } else { right(frame) }
}

const PAGED: [&str; 5] = ["never-given-out", "empty", "number", "object", "of-10-kib"];

#[tokio::test(start_paused = true)]
async fn each_wrong_is_told_by_the_check_that_is_about_it() {
    let rows: [(Answers, &[&str]); 9] = [
        (right, &[]),
        (ignores_cursors, &PAGED),
        (refuses_with_another_code, &PAGED),
        (forgets_the_text, &PAGED),
        (says_more, &PAGED),
        (is_silent, &PAGED),
        (answers_the_running_request_twice, &["running-request-untouched"]),
        (forgets_the_running_request, &["running-request-untouched"]),
        (dies_of_an_empty_cursor, &["empty"]),
    ];
    for (number, (answers, expected)) in rows.into_iter().enumerate() {
        let failed = failed_checks(Scripted::new(answers)).await;
        assert_eq!(failed, expected, "target {number}");
    }
}

async fn failed_checks(target: Scripted) -> Vec<String> {
    let cursor: Vec<_> = scenarios::all().into_iter().filter(|scenario| scenario.id == "hostile-cursor").collect();
    let mut options = Options::default();
    options.filter.eras = vec![Era::Legacy];
    let Run { cells, .. } = run(&cursor, &[target.shared()], &options).await;
    assert_eq!(cells.len(), 1);
    cells.iter().flat_map(|cell| cell.failures()).map(|(check, _)| check.to_owned()).collect()
}
