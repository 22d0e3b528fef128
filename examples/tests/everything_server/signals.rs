//! Signals: the first closes, the second aborts.

use rustix::process::Signal;
use serde_json::json;

use crate::support::{Ending, Program, call, text};

/// A program that has a call in flight which takes this long.
async fn busy(ms: u64) -> Program {
    let mut program = Program::everything(&[]);
    program.initialize().await;
    program.send(&call("busy", "sleep", json!({"ms": ms}))).await;
    program.send(&call("mark", "echo", json!({"text": "started"}))).await;
    assert_eq!(text(&program.recv().await), "started");
    program
}

#[tokio::test]
async fn a_signal_lets_calls_in_flight_end() {
    for signal in [Signal::TERM, Signal::INT] {
        let program = busy(400).await;
        program.signal(signal);
        let Ending { status, rest, stderr } = program.ended().await;
        assert_eq!(rest.iter().map(text).collect::<Vec<_>>(), ["slept 400 ms"]);
        assert_eq!((status.code(), &*stderr), (Some(0), ""));
    }
}

#[tokio::test]
async fn a_signal_ends_an_idle_server_at_once() {
    let mut program = Program::everything(&[]);
    program.initialize().await;
    program.signal(Signal::TERM);
    let Ending { status, rest, stderr } = program.ended().await;
    assert_eq!((status.code(), rest.len(), &*stderr), (Some(0), 0, ""));
}

#[tokio::test]
async fn a_second_signal_cuts_calls_off() {
    for (signal, code) in [(Signal::TERM, 143), (Signal::INT, 130)] {
        let mut program = busy(60_000).await;
        program.signal(signal);
        // Two signals that come together are one: the first has arrived when new requests are refused.
        loop {
            program.send(&call("probe", "echo", json!({"text": "still open"}))).await;
            if program.recv().await["error"]["data"]["reason"] == "closing" {
                break;
            }
        }
        program.signal(signal);
        let Ending { status, rest, stderr } = program.ended().await;
        assert_eq!((status.code(), rest.len()), (Some(code), 0));
        assert_eq!(stderr, "1 request cut off at shutdown: tools/call \"busy\"\n");
    }
}
