//! The first server of the guide.

use serde_json::json;
use tokio::process::Command;

use crate::support::{Program, QUICKSTART, call, modern_call, text};

#[tokio::test]
async fn the_first_server_adds_in_both_eras() {
    let mut program = Program::start(&mut Command::new(QUICKSTART));
    program.initialize().await;
    program.send(&call(1, "add", json!({"a": 40, "b": 2}))).await;
    assert_eq!(text(&program.recv().await), "42");
    program.send(&modern_call(2, "add", json!({"a": -1, "b": 1.0}))).await;
    assert_eq!(text(&program.recv().await), "0");
    let ending = program.finish().await;
    assert_eq!((ending.status.code(), &*ending.stderr), (Some(0), ""));
}
