//! Over HTTP, as a program.

use std::process::Stdio;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};

use crate::support::{EVERYTHING, scratch};

async fn start(more: &[&str]) -> (Child, String) {
    let mut program = Command::new(EVERYTHING)
        .args(["--http", "127.0.0.1:0"])
        .args(more)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(program.stdout.take().unwrap()).read_line(&mut line).await.unwrap();
    let address = line.strip_prefix("LISTENING ").unwrap().trim().to_owned();
    (program, address)
}

/// A connection on which this tool was called.
async fn call(address: &str, tool: &str, arguments: Value) -> TcpStream {
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}});
    let params = json!({"name": tool, "arguments": arguments, "_meta": meta});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nMCP-Protocol-Version: 2026-07-28\r\n\
         Mcp-Method: tools/call\r\nMcp-Name: {tool}\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all((head + &body).as_bytes()).await.unwrap();
    stream
}

/// Everything up to the end of the connection.
async fn read(mut stream: TcpStream) -> String {
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    text
}

#[tokio::test]
async fn the_end_of_input_ends_it_and_the_run_is_reported() {
    let path = scratch("http-report");
    let (mut program, address) = start(&["--until-stdin-eof", "--report-file", path.to_str().unwrap()]).await;
    let sleeps = call(&address, "sleep", json!({"ms": 100})).await;
    let mut answered = call(&address, "echo", json!({"text": "hi"})).await;
    // The request that was made first has arrived when a later one is answered: both are read by one thread, in order.
    let mut buffer = [0; 1024];
    let count = answered.read(&mut buffer).await.unwrap();
    assert!(String::from_utf8_lossy(&buffer[..count]).contains("\"hi\""));
    drop(program.stdin.take());
    assert!(read(sleeps).await.contains("slept 100 ms"));
    assert!(program.wait().await.unwrap().success());
    let report: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!((&report["reason"], &report["requests"]["answered"]), (&json!("Closed"), &json!(2)));
    assert_eq!((&report["tasks_alive"], &report["exit_code"]), (&json!(0), &json!(0)));
}

#[tokio::test]
async fn a_second_signal_cuts_off() {
    let (mut program, address) = start(&[]).await;
    let mut sleeps = call(&address, "progress", json!({"steps": 1_000_000})).await;
    let pid = rustix::process::Pid::from_raw(program.id().unwrap().cast_signed()).unwrap();
    // It runs when something else is answered.
    let mut echo = call(&address, "echo", json!({"text": "hi"})).await;
    assert!(echo.read(&mut [0; 1024]).await.unwrap() > 0);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    // The first one closes what is idle.
    assert_eq!(echo.read(&mut [0; 1024]).await.unwrap(), 0);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    assert_eq!(program.wait().await.unwrap().code(), Some(143));
    drop(sleeps.read(&mut [0; 1024]).await);
}

#[tokio::test]
async fn one_transport_is_served() {
    let output = Command::new(EVERYTHING).args(["--http", "127.0.0.1:0", "--stdio"]).output().await.unwrap();
    assert!(!output.status.success() && output.stdout.is_empty(), "one or the other");
}
