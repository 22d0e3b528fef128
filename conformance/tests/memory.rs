//! The programs in this process.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::Duration;

use conformance::{
    scenario::Era,
    target::{Connection, Exit, Fault, OpenOptions, Order, Received, Target},
    targets::Memory,
};
use mcp_session::engine::{Rule, Table};
use serde_json::{Value, json};

const HELLO: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
const LONG: Duration = Duration::from_secs(10);

async fn open(memory: Memory) -> Box<dyn Connection> {
    memory.open(&OpenOptions::new()).await.unwrap()
}

async fn frame(connection: &mut Box<dyn Connection>) -> Value {
    match connection.recv(LONG).await {
        Received::Line(line) => serde_json::from_str(&line).unwrap(),
        other => panic!("{other:?} instead of a line"),
    }
}

fn call(id: u32, tool: &str, arguments: Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
        .to_string()
}

#[tokio::test]
async fn the_server_answers_by_bytes_and_by_frames() {
    for memory in [Memory::server(), Memory::server_by_frames()] {
        let mut server = open(memory).await;
        server.send_line(HELLO).await;
        assert_eq!(frame(&mut server).await["result"]["serverInfo"]["name"], "everything-server");
        server.close_write().await;
        assert_eq!(server.recv(LONG).await, Received::Ended);
        let ending = server.finish().await;
        assert_eq!((ending.exit, ending.reaped), (Exit::Code(0), true));
        assert_eq!(ending.report.unwrap()["requests"]["answered"], 1);
    }
}

#[tokio::test]
async fn a_panic_is_told_by_the_ending_of_its_program_alone() {
    let (mut loud, mut quiet) = (open(Memory::server()).await, open(Memory::server()).await);
    for server in [&mut loud, &mut quiet] {
        server.send_line(HELLO).await;
        frame(server).await;
    }
    loud.send_line(&call(1, "panic", json!({}))).await;
    assert_eq!(frame(&mut loud).await["error"]["code"], -32603);
    assert!(loud.finish().await.stderr.contains("this tool always panics"));
    assert_eq!(quiet.finish().await.stderr, "");
}

#[tokio::test]
async fn what_the_program_has_not_taken_is_not_counted_as_taken() {
    let mut server = open(Memory::server()).await;
    server.send_line(HELLO).await;
    frame(&mut server).await;
    server.fault(Fault::Stall).await.unwrap();
    let text = "e".repeat(4 * 1_024);
    for id in 0..1_000 {
        server.send_line(&call(id, "echo", json!({"text": text}))).await;
    }
    // All of it would be 4 MiB; reading stops at 1 MiB of unwritten answers.
    assert!(!server.wait_end(Duration::from_millis(300)).await);
    assert!(server.taken() < 2 << 20, "{} bytes", server.taken());
    server.fault(Fault::Resume).await.unwrap();
    for _ in 0..1_000 {
        frame(&mut server).await;
    }
    assert_eq!(server.finish().await.exit, Exit::Code(0));
}

#[tokio::test]
async fn a_program_that_goes_round_and_round_is_ended() {
    let mut server = open(Memory::server().with_table(Table::without(Rule::C6b))).await;
    server.close_read().await;
    server.send_line(HELLO).await;
    assert!(server.wait_end(LONG).await);
    let ending = server.finish().await;
    assert_eq!((ending.exit, ending.reaped), (Exit::Code(101), true));
    assert!(ending.stderr.contains("writes on and on"), "{}", ending.stderr);
}

#[tokio::test]
async fn a_program_that_does_not_end_is_killed() {
    let mut server = open(Memory::server().with_table(Table::without(Rule::C2))).await;
    server.send_line(HELLO).await;
    frame(&mut server).await;
    let ending = server.finish().await;
    assert_eq!((ending.exit, ending.reaped), (Exit::Enforced, true));
}

#[tokio::test]
async fn the_client_does_as_it_is_told() {
    let mut options = OpenOptions::new();
    options.era = Some(Era::Modern);
    let mut client = Memory::client().open(&options).await.unwrap();
    assert_eq!(client.told(LONG).await.unwrap(), json!({"connected": true}));
    client.order(Order::Call { number: 7, method: "x/y", timeout: None }).await.unwrap();
    let request = frame(&mut client).await;
    assert_eq!(request["method"], "x/y");
    client.send_line(&json!({"jsonrpc": "2.0", "id": request["id"], "result": {"a": 1}}).to_string()).await;
    assert_eq!(client.told(LONG).await.unwrap(), json!({"call": 7, "ok": {"a": 1}}));
    client.order(Order::Close).await.unwrap();
    assert_eq!(client.told(LONG).await.unwrap(), json!({"closed": "Closed"}));
    let ending = client.finish().await;
    assert_eq!((ending.exit, ending.reaped), (Exit::Code(0), true));
}

#[tokio::test]
async fn a_client_that_cannot_connect_has_no_run_to_report_of() {
    let mut options = OpenOptions::new().with_connect(Duration::from_millis(50));
    options.era = Some(Era::Legacy);
    let mut client = Memory::client().open(&options).await.unwrap();
    assert_eq!(client.told(LONG).await.unwrap()["error"], "timed out");
    let ending = client.finish().await;
    assert_eq!((ending.exit, ending.began), (Exit::Code(1), false));
}
