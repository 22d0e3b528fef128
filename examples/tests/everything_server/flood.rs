//! More than anybody wants to read.

use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::Command;
use tokio::time::timeout;

use crate::support::EVERYTHING;

const REQUESTS: usize = 200_000;

#[tokio::test]
async fn a_peer_that_never_reads_costs_little_memory_and_loses_nothing() {
    let mut server = Command::new(EVERYTHING)
        .arg("--stdio")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let (mut input, output) = (server.stdin.take().unwrap(), server.stdout.take().unwrap());
    let requests: Vec<u8> = (0..REQUESTS)
        .flat_map(|id| {
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping","padding":"{:64}"}}"#, "")
                .into_bytes()
                .into_iter()
                .chain(*b"\n")
        })
        .collect();

    let mut sent = 0;
    // A server that takes nothing for a second has stopped reading.
    while let Ok(count) = timeout(Duration::from_secs(1), input.write(&requests[sent..])).await {
        sent += count.unwrap();
        assert!(sent < requests.len(), "it reads on although nobody takes its answers");
    }
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.id().unwrap())).unwrap();
    let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let most: u64 = most.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(most < 64 << 10, "it took {most} kB");

    let rest = tokio::spawn(async move { input.write_all(&requests[sent..]).await });
    let mut lines = BufReader::new(output).lines();
    let mut answers = 0;
    while let Some(line) = timeout(Duration::from_secs(60), lines.next_line()).await.unwrap().unwrap() {
        assert_eq!(line, format!(r#"{{"jsonrpc":"2.0","id":{answers},"result":{{}}}}"#));
        answers += 1;
    }
    assert_eq!(answers, REQUESTS);
    rest.await.unwrap().unwrap();
    assert!(server.wait().await.unwrap().success());
}
