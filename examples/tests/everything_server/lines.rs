//! Lines that are broken, come in pieces, or have no end.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Ending, Program, call, modern_call, request, text};

const MIB: usize = 1 << 20;

/// A call whose text is no text.
fn broken(call: fn(i64, &str, Value) -> Value) -> Vec<u8> {
    let line = call(7, "echo", json!({"text": "HERE"})).to_string();
    let (before, after) = line.split_once("HERE").unwrap();
    [before.as_bytes(), b"a\xff", after.as_bytes(), b"\n"].concat()
}

#[tokio::test]
async fn a_broken_call_is_answered_though_the_input_ends_with_it() {
    for call in [call, modern_call] {
        let mut program = Program::everything(&[]);
        program.initialize().await;
        program.send_bytes(&broken(call)).await;
        let Ending { status, rest, stderr } = program.finish().await;
        let [answer] = rest.as_slice() else { panic!("{rest:?}") };
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(7), &json!(-32700)));
        assert!(answer["error"]["message"].as_str().unwrap().contains("UTF-8"), "{answer}");
        assert_eq!((status.code(), &*stderr), (Some(0), ""));
    }
}

/// The second call comes in two pieces, with an answer to the first between them, and its line never ends.
#[tokio::test]
async fn a_line_that_is_half_there_while_an_answer_is_written_is_read_to_its_end() {
    for call in [call, modern_call] {
        let second = call(2, "echo", json!({"text": "whole 🦀"})).to_string().into_bytes();
        let within_the_character = second.iter().position(|byte| !byte.is_ascii()).unwrap() + 2;
        for at in [1, within_the_character, second.len() - 1] {
            let mut program = Program::everything(&[]);
            program.initialize().await;
            let first = format!("{}\n", call(1, "sleep", json!({"ms": 50})));
            let (before, after) = second.split_at(at);
            program.send_bytes(&[first.as_bytes(), before].concat()).await;
            assert_eq!(text(&program.recv().await), "slept 50 ms");
            program.send_bytes(after).await;
            let Ending { status, rest, .. } = program.finish().await;
            let [answer] = rest.as_slice() else { panic!("cut at {at}: {rest:?}") };
            assert_eq!((&answer["id"], text(answer)), (&json!(2), "whole 🦀"));
            assert_eq!(status.code(), Some(0));
        }
    }
}

#[tokio::test]
async fn a_line_that_does_not_end_costs_little_memory_and_no_other_line() {
    let mut program = Program::everything(&[]);
    program.initialize().await;
    program.send_bytes(br#"{"jsonrpc":"2.0","method":"tools/call","params":{"x":""#).await;
    let piece = vec![b'x'; MIB];
    for _ in 0..256 {
        program.send_bytes(&piece).await;
    }
    program.send_bytes(b"\"},\"id\":\"long\"}\n").await;
    let refused = program.recv().await;
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!("long"), &json!(-32600)));
    let pong = program.ask(&request("next", "ping", json!({}))).await;
    assert_eq!((&pong["id"], &pong["result"]), (&json!("next"), &json!({})));
    let most = program.most_memory();
    assert!(most < 64 * MIB, "it took {} MiB", most / MIB);
    assert_eq!(program.finish().await.status.code(), Some(0));
}

impl Program {
    /// The most memory that it has taken so far, in bytes.
    fn most_memory(&self) -> usize {
        let status = fs::read_to_string(format!("/proc/{}/status", self.id())).unwrap();
        let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        most.trim().trim_end_matches(" kB").parse::<usize>().unwrap() << 10
    }
}
