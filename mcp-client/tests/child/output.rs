//! What a child says besides messages.

use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_client::child::{LogLine, Origin, Stderr};

use crate::support::{Said, WATCHDOG, Wire, sh};

/// Hands log lines to the test.
fn heard() -> (Stderr, Receiver<LogLine>) {
    let (lines, heard) = channel();
    (Stderr::lines(move |line| lines.send(line).unwrap_or_default()), heard)
}

fn next(heard: &Receiver<LogLine>) -> (Origin, String) {
    let line = heard.recv_timeout(WATCHDOG).unwrap();
    (line.origin(), line.text().to_owned())
}

#[tokio::test]
async fn a_child_that_fills_standard_error_before_it_answers_is_not_held_up() {
    let script = r#"head -c 1048576 /dev/zero | tr '\0' x >&2; echo >&2; echo '{"ready":1}'; read line"#;
    let mut wire = Wire::to(&sh(script));
    assert_eq!(wire.next().await, Said::Frame(r#"{"ready":1}"#.to_owned()));
    wire.end().await;
    let tail = wire.process.stderr_tail();
    assert!(tail.len() <= 16 << 10 && tail.len() >= 4 << 10, "{}", tail.len());
    assert!(tail.bytes().all(|byte| byte == b'x' || byte == b'\n'));
}

#[tokio::test]
async fn log_lines_on_standard_output_are_skipped_and_counted() {
    let script = r#"
        echo 'Starting…'; echo '[INFO] reading'; echo '{"a":1}'; echo oops >&2; echo 'ready'; echo '{"b":2}'
        echo '{ broken'; printf 'bye'"#;
    let mut wire = Wire::to(&sh(script));
    for frame in [r#"{"a":1}"#, r#"{"b":2}"#, "{ broken"] {
        assert_eq!(wire.next().await, Said::Frame(frame.to_owned()));
    }
    assert_eq!(wire.next().await, Said::Ended);
    assert_eq!(wire.process.stray_lines(), 4);
    let cause = wire.cause().unwrap();
    for line in ["stdout: Starting…", "stdout: [INFO] reading", "oops", "stdout: ready", "stdout: bye"] {
        assert!(cause.stderr().lines().any(|other| other == line), "{line}: {}", cause.stderr());
    }
}

#[tokio::test]
async fn ten_thousand_log_lines_hide_no_message() {
    let script = r#"i=0; while [ $i -lt 10000 ]; do echo "line $i"; i=$((i+1)); done; echo '{}'; read line"#;
    let mut wire = Wire::to(&sh(script));
    assert_eq!(wire.next().await, Said::Frame("{}".to_owned()));
    assert_eq!(wire.process.stray_lines(), 10_000);
    wire.end().await;
}

#[tokio::test]
async fn each_line_is_handed_out_with_where_it_came_from() {
    let (stderr, heard) = heard();
    let mut wire = Wire::to(&sh(r"echo one >&2; echo two; echo '{}'; read line; printf 'thr\351e' >&2").stderr(stderr));
    assert_eq!(wire.next().await, Said::Frame("{}".to_owned()));
    let mut first = [next(&heard), next(&heard)];
    first.sort_by_key(|(_, text)| text.clone());
    assert_eq!(first, [(Origin::Stderr, "one".to_owned()), (Origin::Stdout, "two".to_owned())]);
    wire.end().await;
    assert_eq!(next(&heard), (Origin::Stderr, "thr\u{fffd}e".to_owned()));
}

#[tokio::test]
async fn a_callback_that_blocks_holds_up_neither_the_child_nor_its_end() {
    let (release, released) = channel::<()>();
    let released = Mutex::new(released);
    let stderr = Stderr::lines(move |_| released.lock().unwrap().recv_timeout(WATCHDOG).unwrap_or_default());
    let script = r#"i=0; while [ $i -lt 3000 ]; do echo "line $i" >&2; i=$((i+1)); done; echo '{}'; read line"#;
    let mut wire = Wire::to(&sh(script).stderr(stderr));
    assert_eq!(wire.next().await, Said::Frame("{}".to_owned()));
    assert_eq!(wire.end().await.0.code(), Some(1));
    assert!(wire.process.stderr_tail().ends_with("line 2999\n"));
    drop(release);
}

#[tokio::test]
async fn a_callback_that_panics_hears_the_next_line() {
    let (lines, heard) = channel();
    let lines = Mutex::new(lines);
    let stderr = Stderr::lines(move |line| {
        assert!(line.text() != "one", "this panic is part of the test");
        lines.lock().unwrap().send(line).unwrap();
    });
    let mut wire = Wire::to(&sh("echo one >&2; echo two >&2; read line").stderr(stderr));
    assert_eq!(next(&heard), (Origin::Stderr, "two".to_owned()));
    wire.end().await;
}

#[tokio::test]
async fn what_goes_elsewhere_is_not_kept() {
    for stderr in [Stderr::Null, Stderr::Inherit] {
        let mut wire = Wire::to(&sh("echo 'standard error of a child, as a test wants it' >&2; exit 1").stderr(stderr));
        assert_eq!(wire.next().await, Said::Ended);
        assert_eq!(wire.cause().unwrap().stderr(), "");
    }
}

#[tokio::test]
async fn the_thread_of_a_callback_ends_with_the_child() {
    let alive = Arc::new(());
    let held = Arc::clone(&alive);
    let child = sh("echo one >&2").stderr(Stderr::lines(move |_| assert!(Arc::strong_count(&held) > 0)));
    let mut wire = Wire::to(&child);
    wire.end().await;
    drop((wire, child));
    let start = std::time::Instant::now();
    while Arc::strong_count(&alive) > 1 {
        assert!(start.elapsed() < WATCHDOG, "the callback is still held");
        tokio::time::sleep(Duration::from_millis(1)).await; // tidy: waits for the end of a thread that nobody joins
    }
}
