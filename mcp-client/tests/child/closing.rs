//! A child that is ended with its connection.

use std::process::Command;
use std::thread;

use mcp_client::ChildProcess;
use mcp_session::block_on;

use crate::support::{SHORT, SOON, Said, WATCHDOG, Wire, runs, session, sh, state, within};

#[tokio::test]
async fn a_child_that_behaves_well_is_gone_long_before_its_grace_has_passed() {
    let mut wire = Wire::to(&sh("while read line; do echo \"$line\"; done; exit 4"));
    wire.send("{}").await;
    assert_eq!(wire.next().await, Said::Frame("{}".to_owned()));
    let (exited, elapsed) = wire.end().await;
    assert_eq!(exited.code(), Some(4));
    assert!(elapsed < SOON, "{elapsed:?}");
    assert_eq!(state(wire.process.id()), None);
}

#[tokio::test]
async fn a_child_that_ignores_the_end_of_its_input_gets_sigterm() {
    let script = r#"trap 'echo "{}"; exit 7' TERM; echo '{"ready":1}'; while :; do sleep 600 & wait; done"#;
    let mut wire = Wire::to(&sh(script).stdin_grace(SHORT));
    wire.next().await;
    let (exited, elapsed) = wire.end().await;
    assert_eq!(exited.code(), Some(7));
    assert!(elapsed >= SHORT && elapsed < SOON, "{elapsed:?}");
    assert_eq!(wire.next().await, Said::Frame("{}".to_owned()));
}

#[tokio::test]
async fn a_child_that_ignores_sigterm_too_is_killed() {
    let mut wire = Wire::to(
        &sh(r#"trap '' TERM; echo '{"ready":1}'; while :; do sleep 600; done"#).stdin_grace(SHORT).term_grace(SHORT),
    );
    wire.next().await;
    let (exited, elapsed) = wire.end().await;
    assert_eq!(exited.signal(), Some(9));
    assert!(elapsed >= 2 * SHORT && elapsed < SOON, "{elapsed:?}");
}

#[tokio::test]
async fn a_child_that_was_stopped_is_killed() {
    let mut wire = Wire::to(&sh("kill -STOP $$").stdin_grace(SHORT).term_grace(SHORT));
    assert_eq!(wire.end().await.0.signal(), Some(9));
}

#[tokio::test]
async fn the_server_behind_a_launcher_ends_with_it() {
    let mut wire = Wire::to(&sh(r#"sleep 600 & echo '[{"n":'$!'}]'; wait"#).stdin_grace(SHORT));
    let server = wire.number().await;
    let (exited, elapsed) = wire.end().await;
    assert_eq!(exited.signal(), Some(15));
    assert!(elapsed < SOON, "{elapsed:?}");
    assert!(!runs(server));
}

#[tokio::test]
async fn what_outlives_a_child_and_ignores_sigterm_is_killed() {
    let script = r#"sh -c "trap '' TERM; echo '[{\"n\":'\$\$'}]'; exec sleep 600" & read line; exit 0"#;
    let mut wire = Wire::to(&sh(script).term_grace(SHORT));
    let descendant = wire.number().await;
    let (exited, elapsed) = wire.end().await;
    assert_eq!(exited.code(), Some(0));
    assert!(elapsed >= SHORT && elapsed < SOON, "{elapsed:?}");
    assert!(!runs(descendant));
}

#[tokio::test]
async fn a_member_of_the_group_that_nobody_reaps_is_not_waited_for() {
    // The shell in the background becomes a process outside the group that never asks after its child.
    let script = r#"
        sh -c 'sleep 0 & exec setsid sleep 600 >/dev/null 2>&1' & echo '[{"n":'$!'}]'
        read line; exit 0"#;
    let mut wire = Wire::to(&sh(script));
    let parent = wire.number().await;
    while session(parent) != parent {
        tokio::task::yield_now().await;
    }
    let (exited, elapsed) = wire.end().await;
    assert_eq!(exited.code(), Some(0));
    assert!(elapsed < SOON, "{elapsed:?}");
    assert!(runs(parent));
    kill(parent);
}

#[tokio::test]
async fn in_our_group_only_the_child_itself_is_signalled() {
    let script = r#"sleep 600 & echo '[{"n":'$!'}]'; wait"#;
    let mut wire = Wire::to(&sh(script).in_our_group().stdin_grace(SHORT).term_grace(SHORT));
    let descendant = wire.number().await;
    assert_eq!(wire.end().await.0.signal(), Some(15));
    assert!(runs(descendant));
    kill(descendant);
}

fn kill(pid: u32) {
    assert!(Command::new("kill").arg(pid.to_string()).status().unwrap().success());
}

#[tokio::test]
async fn everybody_who_waits_learns_of_the_same_end() {
    let mut wire = Wire::to(&sh("read line; exit 2"));
    let waiting: Vec<_> = (0..4)
        .map(|_| {
            let (ended, exited) = (wire.process.ended(), wire.process.wait());
            tokio::spawn(async move {
                ended.await;
                exited.await.code()
            })
        })
        .collect();
    // One who gives up takes nothing from the others.
    waiting[0].abort();
    wire.close().await;
    wire.close().await;
    for waiting in waiting.into_iter().skip(1) {
        assert_eq!(within(waiting).await.unwrap(), Some(2));
    }
}

#[tokio::test]
async fn dropping_the_transport_ends_the_child() {
    let transport = ChildProcess::new("cat").spawn().unwrap();
    let process = transport.process();
    drop(transport);
    within(process.ended()).await;
    assert!(process.exit_status().unwrap().success());
}

#[test]
fn a_child_that_is_dropped_after_its_runtime_is_ended_and_reaped() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (transport, deaf) = runtime.block_on(async {
        let deaf = sh(r#"trap '' TERM; echo '{"ready":1}'; while :; do sleep 600; done"#);
        let mut deaf = Wire::to(&deaf.stdin_grace(SHORT).term_grace(SHORT));
        deaf.next().await;
        (ChildProcess::new("cat").spawn().unwrap(), deaf)
    });
    drop(runtime);
    let processes = [transport.process(), deaf.process.clone()];
    drop((transport, deaf));
    // Nor does waiting need a runtime.
    let waiting = thread::spawn(move || {
        for process in &processes {
            block_on(process.ended());
            assert_eq!(state(process.id()), None);
        }
        processes.map(|process| process.exit_status().unwrap().success())
    });
    let start = std::time::Instant::now();
    assert_eq!(waiting.join().unwrap(), [true, false]);
    assert!(start.elapsed() < WATCHDOG);
}
