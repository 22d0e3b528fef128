//! Many children leave nothing behind.

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::support::{Said, WATCHDOG, Wire, sh};

/// Descriptors and threads of this process.
fn held() -> (usize, usize) {
    let count = |folder: &str| fs::read_dir(folder).unwrap().count();
    (count("/proc/self/fd"), count("/proc/self/task"))
}

/// In a process of its own: the other tests have descriptors and threads too.
#[test]
fn two_hundred_children_leave_no_descriptor_thread_or_process() {
    if std::env::var_os(ALONE).is_some() {
        return alone();
    }
    let test = "leaks::two_hundred_children_leave_no_descriptor_thread_or_process";
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--test-threads=1"])
        .env(ALONE, "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

fn alone() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        // What the runtime opens once is open after the first.
        let wire = Wire::to(&sh("read line"));
        assert_eq!(children().split_whitespace().count(), 1);
        drop(wire);
        cycle(0).await;
        let before = settled(None).await;
        let mut processes = Vec::new();
        for round in 0..200 {
            processes.push(cycle(round).await);
        }
        settled(Some(before)).await;
        drop(processes);
    });
    assert_eq!(children(), "");
}

/// The children of this process, zombies among them.
fn children() -> String {
    let threads = fs::read_dir("/proc/self/task").unwrap();
    threads.map(|thread| fs::read_to_string(thread.unwrap().path().join("children")).unwrap()).collect()
}

/// A child that is closed, one that is dropped, or one that exits by itself.
async fn cycle(round: u32) -> mcp_client::child::Process {
    let mut wire = Wire::to(&sh(r#"echo hello >&2; echo '{}'; read line; exit 0"#));
    let process = wire.process.clone();
    assert_eq!(wire.next().await, Said::Frame("{}".to_owned()));
    match round % 3 {
        0 => drop(wire.end().await),
        1 => drop(wire),
        _ => {
            wire.send("{}").await;
            assert_eq!(wire.next().await, Said::Ended);
        }
    }
    crate::support::within(process.ended()).await;
    process
}

/// What is held once the last threads have ended, which nobody joins.
async fn settled(expected: Option<(usize, usize)>) -> (usize, usize) {
    let start = Instant::now();
    loop {
        let now = held();
        // The main thread of the tests, and the one of this test.
        if expected.map_or(now.1 <= 2, |expected| now == expected) {
            return now;
        }
        assert!(start.elapsed() < WATCHDOG, "held: {now:?} instead of {expected:?}");
        tokio::time::sleep(Duration::from_millis(1)).await; // tidy: waits for the end of threads that nobody joins
    }
}

const ALONE: &str = "MCP_CHILD_LEAKS_ALONE";
