//! The child target, with real processes.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    path::Path,
    time::{Duration, Instant},
};

use conformance::{
    target::{Connection, Exit, OpenOptions, Received, Signal, Target},
    targets::Child,
};

async fn open(script: &str) -> Box<dyn Connection> {
    let child = Child::foreign("sh", ["-c".to_owned(), script.to_owned()]);
    child.open(&OpenOptions::new()).await.unwrap()
}

async fn line(connection: &mut Box<dyn Connection>) -> String {
    match connection.recv(LONG).await {
        Received::Line(line) => line,
        other => panic!("{other:?} instead of a line"),
    }
}

#[tokio::test]
async fn lines_and_bytes_go_through_as_they_are() {
    let mut cat = open("exec cat").await;
    cat.send_line("one").await;
    cat.send_bytes(b"tw").await;
    cat.send_bytes(b"o\nthree").await;
    assert_eq!(line(&mut cat).await, "one");
    assert_eq!(line(&mut cat).await, "two");
    cat.close_write().await;
    assert_eq!(line(&mut cat).await, "three");
    assert_eq!(cat.recv(LONG).await, Received::Ended);
    assert_eq!(cat.taken(), 13);
    let ending = cat.finish().await;
    assert_eq!(ending.exit, Exit::Code(0));
    assert!(ending.reaped);
    assert!(ending.report.is_err());
}

#[tokio::test]
async fn a_line_that_does_not_come_times_out() {
    let mut cat = open("exec cat").await;
    assert_eq!(cat.recv(Duration::from_millis(20)).await, Received::TimedOut);
    cat.send_line("late").await;
    assert_eq!(line(&mut cat).await, "late");
    cat.finish().await;
}

#[tokio::test]
async fn a_script_writes_more_than_the_peer_takes() {
    let mut deaf = open("read line; exec 0<&-; echo gone; sleep 100").await;
    deaf.send_bytes(&vec![b'x'; 1_000_000]).await;
    deaf.send_line("end of the first line").await;
    deaf.send_bytes(&vec![b'x'; 1_000_000]).await;
    assert_eq!(line(&mut deaf).await, "gone");
    assert!(deaf.taken() < 2_000_000);
}

#[tokio::test]
async fn exit_code_and_stderr_are_told() {
    let failing = open("echo why >&2; exit 7").await;
    let ending = failing.finish().await;
    assert_eq!(ending.exit, Exit::Code(7));
    assert_eq!(ending.stderr, "why\n");
}

#[tokio::test]
async fn a_full_stderr_does_not_block_the_child() {
    let mut noisy = open("head -c 300000 /dev/zero >&2; echo done").await;
    assert_eq!(line(&mut noisy).await, "done");
    assert_eq!(noisy.finish().await.stderr.len(), 64 * 1_024);
}

#[tokio::test]
async fn signals_reach_the_process() {
    let mut patient = open("trap 'exit 3' TERM; echo ready; while :; do sleep 0.01; done").await;
    assert_eq!(line(&mut patient).await, "ready");
    patient.signal(Signal::Term).await.unwrap();
    assert!(patient.wait_end(LONG).await);
    assert!(patient.signal(Signal::Term).await.is_err());
    assert_eq!(patient.finish().await.exit, Exit::Code(3));
}

#[tokio::test]
async fn without_a_reader_the_child_cannot_write() {
    let mut writer = open("read line; while echo x; do :; done 2>/dev/null; exit 5").await;
    writer.close_read().await;
    writer.send_line("go").await;
    assert!(writer.wait_end(LONG).await);
    let exit = writer.finish().await.exit;
    // A shell may die of SIGPIPE before it sees the error.
    assert!(matches!(exit, Exit::Code(5) | Exit::Signal(13)), "{exit}");
}

#[tokio::test]
async fn a_dropped_connection_leaves_no_process_of_its_group() {
    let mut family = open("sleep 100 & echo $!; echo $$; wait").await;
    let descendant = line(&mut family).await;
    let child = line(&mut family).await;
    assert!(is_alive(&child) && is_alive(&descendant));
    drop(family);
    assert!(!Path::new("/proc").join(&child).exists(), "the child was not reaped");
    // The descendant was killed with its group: it is gone as soon as the kernel comes to it.
    let deadline = Instant::now() + LONG;
    while is_alive(&descendant) {
        assert!(Instant::now() < deadline, "the descendant lives on");
        std::thread::yield_now();
    }
}

#[tokio::test]
async fn a_child_that_does_not_end_is_killed() {
    let mut stubborn = open("echo $$; exec sleep 100").await;
    let child = line(&mut stubborn).await;
    let ending = stubborn.finish().await;
    assert_eq!(ending.exit, Exit::Enforced);
    assert!(ending.reaped);
    assert!(!Path::new("/proc").join(child).exists());
}

#[tokio::test]
async fn a_program_that_is_not_there_is_an_error() {
    let missing = Child::foreign("/no/such/program", []);
    let error = missing.open(&OpenOptions::new()).await.err().unwrap();
    assert_eq!(error.to_string(), "cannot start /no/such/program");
}

#[tokio::test]
async fn the_report_is_read_from_its_file_and_the_place_removed() {
    let script = r#"[ "$1 $3" = "--report-file --drain-ms" ] && echo "{\"drain\": $4}" > "$2"; echo "$2""#;
    let child = Child::contract("sh", ["-c", script, "sh"].map(str::to_owned));
    let options = OpenOptions::new().with_drain(Duration::from_millis(250));
    let mut connection = child.open(&options).await.unwrap();
    let file = line(&mut connection).await;
    let ending = connection.finish().await;
    assert_eq!(ending.report.unwrap()["drain"], 250);
    assert!(!Path::new(&file).parent().unwrap().exists());
}

/// Whether a process runs; a zombie does not.
fn is_alive(pid: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|stat| !stat.rsplit(')').next().unwrap().trim_start().starts_with('Z'))
}

const LONG: Duration = Duration::from_secs(10);
