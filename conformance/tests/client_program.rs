//! The target that is a client, with real processes: shells that connect a relay to what they like.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{path::Path, time::Duration};

use conformance::{
    target::{Connection, Deed, Exit, OpenOptions, Received, Target},
    targets::ClientProgram,
};
use serde_json::{Value, json};

const RELAY: &str = env!("CARGO_BIN_EXE_mcp-conformance");
const LONG: Duration = Duration::from_secs(10);

/// A client that is a shell script. The command of its server is in `"$@"`.
async fn open(script: &str) -> Box<dyn Connection> {
    let script = format!("shift; {script}");
    let client = ClientProgram::foreign("sh", ["-c".to_owned(), script, "sh".to_owned()], RELAY);
    client.open(&OpenOptions::new().with_script("list,close")).await.unwrap()
}

async fn line(connection: &mut Box<dyn Connection>) -> String {
    match connection.recv(LONG).await {
        Received::Line(line) => line,
        other => panic!("{other:?} instead of a line"),
    }
}

async fn told(connection: &mut Box<dyn Connection>) -> Value {
    connection.told(LONG).await.unwrap()
}

async fn server_tells(connection: &mut Box<dyn Connection>, what: &str) -> u64 {
    let told = told(connection).await;
    assert_eq!(told["server"], what, "{told}");
    told["pid"].as_u64().unwrap()
}

#[tokio::test]
async fn lines_go_both_ways_and_steps_are_told() {
    // What the server writes is what the client prints.
    let mut client = open(r#"(echo one; read line < /dev/null; echo two) | "$@""#).await;
    assert_eq!(line(&mut client).await, "one");
    assert_eq!(line(&mut client).await, "two");
    assert_eq!(client.recv(LONG).await, Received::Ended);
    server_tells(&mut client, "input ended").await;
    server_tells(&mut client, "gone").await;
    let ending = client.finish().await;
    assert_eq!((ending.exit, ending.reaped), (Exit::Code(0), true));
    assert_eq!(ending.left, [""; 0]);

    let mut client = open(r#"sleep 600 | "$@""#).await;
    client.send_line("not a step").await;
    client.send_line(r#"{"step":"x","ok":true}"#).await;
    assert_eq!(told(&mut client).await, json!({"step": "x", "ok": true}));
}

#[tokio::test]
async fn the_script_is_in_the_environment() {
    let mut client = open(r#"echo "$SCRIPT" | "$@""#).await;
    assert_eq!(line(&mut client).await, "list,close");
    client.finish().await;
}

#[tokio::test]
async fn each_start_is_another_server() {
    let mut client = open(r#"echo one | "$@"; echo two | "$@""#).await;
    assert_eq!(line(&mut client).await, "one");
    assert!(client.next_server(LONG).await.unwrap());
    assert_eq!(line(&mut client).await, "two");
    let ending = client.finish().await;
    assert_eq!((ending.exit, ending.left.len()), (Exit::Code(0), 0));
}

#[tokio::test]
async fn a_server_that_stops_reading_is_noticed_by_its_client() {
    let mut client = open(r#"exec 3>&1; (yes 2>/dev/null; echo '{"step":"unheard"}' >&3) | "$@""#).await;
    assert_eq!(line(&mut client).await, "y");
    client.close_read().await;
    assert_eq!(told(&mut client).await["step"], "unheard");
    client.server(Deed::Exit(0)).await.unwrap();
    server_tells(&mut client, "gone").await;
    assert_eq!(client.finish().await.exit, Exit::Code(0));
}

#[tokio::test]
async fn the_end_of_what_the_script_says_is_the_end_of_the_servers_output() {
    let mut client = open(r#"sleep 600 | "$@" | (cat >/dev/null; echo '{"step":"ended"}')"#).await;
    client.send_line("something").await;
    client.close_write().await;
    assert_eq!(told(&mut client).await["step"], "ended");
}

#[tokio::test]
async fn a_server_dies_exits_complains_and_ignores_signals_as_it_is_told() {
    let mut client = open(r#"sleep 600 | ("$@"; echo "{\"step\":\"status $?\"}")"#).await;
    client.server(Deed::Complain("why")).await.unwrap();
    client.server(Deed::IgnoreTerm).await.unwrap();
    client.server(Deed::Exit(7)).await.unwrap();
    let tells = [told(&mut client).await, told(&mut client).await];
    assert!(tells.iter().any(|told| told["step"] == "status 7"), "{tells:?}");
    assert!(tells.iter().any(|told| told["server"] == "gone"), "{tells:?}");

    let mut client = open(r#"sleep 600 | "$@""#).await;
    client.server(Deed::IgnoreTerm).await.unwrap();
    client.server(Deed::Die).await.unwrap();
    server_tells(&mut client, "gone").await;
}

#[tokio::test]
async fn what_a_client_leaves_behind_is_named_and_killed() {
    let mut client = open(r#"setsid "$@" < /dev/zero > /dev/null & sleep 1"#).await;
    // Without its input ending, and out of its client's group, it lives on.
    client.server(Deed::Spawn).await.unwrap();
    let ending = client.finish().await;
    assert_eq!(ending.left.len(), 2, "{:?}", ending.left);
    for left in &ending.left {
        let pid = left.rsplit(' ').next().unwrap();
        let gone = std::fs::read_to_string(format!("/proc/{pid}/stat"))
            .map_or(true, |stat| stat.rsplit(')').next().unwrap().trim_start().starts_with('Z'));
        assert!(gone || wait_for_the_end_of(pid), "{left} lives on");
    }
}

#[tokio::test]
async fn a_client_that_starts_nothing_has_nothing_to_say() {
    let mut client = open("exit 3").await;
    assert_eq!(client.recv(LONG).await, Received::Ended);
    assert!(client.server(Deed::IgnoreEnd).await.is_err());
    assert_eq!(client.finish().await.exit, Exit::Code(3));
}

#[tokio::test]
async fn a_client_that_does_not_end_is_killed_with_its_server() {
    let mut client = open(r#"sleep 600 | "$@"; sleep 600"#).await;
    client.server(Deed::IgnoreEnd).await.unwrap();
    drop(client);
    let mut client = open(r#"sleep 600 | "$@""#).await;
    client.server(Deed::IgnoreEnd).await.unwrap();
    let ending = client.finish().await;
    assert_eq!((ending.exit, ending.reaped), (Exit::Enforced, true));
}

/// SIGKILL takes effect within moments.
fn wait_for_the_end_of(pid: &str) -> bool {
    let deadline = std::time::Instant::now() + LONG;
    while Path::new("/proc").join(pid).exists() {
        if std::time::Instant::now() > deadline {
            return false;
        }
        std::thread::yield_now();
    }
    true
}
