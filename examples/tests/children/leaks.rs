//! Many connections leave nothing behind.

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use mcp_client::Era;
use mcp_client::child::Process;
use serde_json::json;

use crate::support::{ERAS, WATCHDOG, client, connected, kill, server, text, within};

/// What this process holds: descriptors, threads, tasks.
type Held = (usize, usize, usize);

/// In a process of its own: the other tests have descriptors, threads and children too.
#[test]
fn connections_leave_no_descriptor_thread_task_or_process() {
    if std::env::var_os(ALONE).is_some() {
        return alone();
    }
    let test = "leaks::connections_leave_no_descriptor_thread_task_or_process";
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--test-threads=1"])
        .env(ALONE, "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

fn alone() {
    let cycles = std::env::var(CYCLES).map_or(DEFAULT_CYCLES, |cycles| cycles.parse().unwrap());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        // What a runtime opens once is open after the first, and what is looked at does exist.
        let (connection, process) = connected(&client(Era::Detect), server()).await;
        assert_eq!(children().split_whitespace().collect::<Vec<_>>(), [process.id().to_string()]);
        assert!(held().2 > 0);
        drop((connection, process));
        cycle(0).await;
        let before = settled(None).await;
        // The handles outlive everything else, as a program may keep them.
        let mut processes = Vec::new();
        for number in 0..cycles {
            processes.push(cycle(number).await);
        }
        settled(Some(before)).await;
        assert_eq!(children(), "");
        assert!(processes.iter().all(Process::has_exited));
    });
}

/// A connection that closes, is dropped, or loses its server, in each era.
async fn cycle(number: u32) -> Process {
    let era = [Era::Detect, ERAS[0], ERAS[1]][(number / 4) as usize % 3];
    let (connection, process) = connected(&client(era), server()).await;
    assert_eq!(text(&connection, "echo", &json!({ "text": "hello" })).await, "hello");
    match number % 4 {
        0 => drop(within(connection.close()).await),
        1 => drop(connection),
        2 => {
            let call = tokio::spawn(connection.call_tool("sleep", &json!({ "ms": 600_000 })).into_future());
            drop(within(connection.close()).await);
            assert!(within(call).await.unwrap().is_err());
        }
        _ => {
            let call = tokio::spawn(connection.call_tool("sleep", &json!({ "ms": 600_000 })).into_future());
            kill(process.id());
            assert!(within(call).await.unwrap().is_err());
            within(connection.closed()).await;
        }
    }
    within(process.ended()).await;
    process
}

/// The children of this process, zombies among them.
fn children() -> String {
    let threads = fs::read_dir("/proc/self/task").unwrap();
    // A thread may end while it is looked at.
    threads.filter_map(|thread| fs::read_to_string(thread.ok()?.path().join("children")).ok()).collect()
}

fn held() -> Held {
    let count = |folder: &str| fs::read_dir(folder).unwrap().count();
    let tasks = tokio::runtime::Handle::current().metrics().num_alive_tasks();
    (count("/proc/self/fd"), count("/proc/self/task"), tasks)
}

/// What is held once the last threads and tasks have ended, which nobody joins.
async fn settled(expected: Option<Held>) -> Held {
    let start = Instant::now();
    loop {
        let now = held();
        // The main thread of the tests, and the one of this test.
        if expected.map_or(now.1 <= 2 && now.2 == 0, |expected| now == expected) {
            return now;
        }
        assert!(start.elapsed() < WATCHDOG, "held: {now:?} instead of {expected:?}");
        tokio::time::sleep(Duration::from_millis(1)).await; // tidy: waits for the end of threads that nobody joins
    }
}

/// How many connections are opened. A thousand take a minute, so that they are for those who look for a leak.
const DEFAULT_CYCLES: u32 = 240;

const ALONE: &str = "MCP_LEAKS_ALONE";
const CYCLES: &str = "MCP_LEAKS_CYCLES";
