//! The client that plays scripts, as a program beside the server with a tool for everything.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::process::{Command, Output};

use serde_json::{Value, json};

const CLIENT: &str = env!("CARGO_BIN_EXE_everything-client");
const SERVER: &str = env!("CARGO_BIN_EXE_everything-server");

/// The lines of a script that is played against this server.
fn play(script: Option<&str>, server: &[&str]) -> Vec<Value> {
    let mut command = Command::new(CLIENT);
    command.arg("--").args(server).env_remove("SCRIPT").env("RUST_BACKTRACE", "0");
    if let Some(script) = script {
        command.env("SCRIPT", script);
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    lines(&output)
}

fn lines(output: &Output) -> Vec<Value> {
    String::from_utf8(output.stdout.clone()).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn steps(lines: &[Value]) -> Vec<&str> {
    lines.iter().map(|line| line["step"].as_str().unwrap()).collect()
}

fn text(line: &Value) -> &str {
    line["result"]["content"][0]["text"].as_str().unwrap_or_default()
}

#[test]
fn without_a_script_it_lists_calls_and_closes() {
    let lines = play(None, &[SERVER, "--stdio"]);
    assert_eq!(steps(&lines), ["connect", "list", r#"call:echo:{"text":"x"}"#, "close"]);
    assert!(lines.iter().all(|line| line["ok"] == true), "{lines:?}");
    assert_eq!(lines[0]["result"]["serverInfo"]["name"], "everything-server");
    let tools = lines[1]["result"]["tools"].as_array().unwrap();
    assert!(tools.iter().any(|tool| tool["name"] == "echo" && tool["inputSchema"].is_object()));
    assert_eq!(text(&lines[2]), "x");
}

#[test]
fn steps_end_in_their_own_order() {
    let script = r#"start:sleep:{"ms":300},call:progress:{"steps":3},progress,wait,call:echo,dance,sleep:x,close,list"#;
    let lines = play(Some(script), &[SERVER, "--stdio"]);
    let expected = [
        "connect",
        r#"call:progress:{"steps":3}"#,
        "progress",
        r#"start:sleep:{"ms":300}"#,
        "wait",
        "call:echo",
        "dance",
        "sleep:x",
        "close",
        "list",
    ];
    assert_eq!(steps(&lines), expected);
    assert_eq!(lines[2]["result"], json!([1, 2, 3]));
    assert_eq!(lines[6]["error"], json!({"message": "unsupported", "unsupported": true}));
    assert!(lines[7]["ok"] == false && lines[9]["ok"] == false, "{lines:?}");
}

#[test]
fn what_tools_ask_is_answered() {
    let lines = play(Some("call:ask,call:sample,call:ask_twice,call:roots,close"), &[SERVER, "--stdio"]);
    assert_eq!(text(&lines[1]), "action=accept");
    assert!(text(&lines[2]).contains("a sampled text"), "{}", lines[2]);
    assert_eq!(lines[3]["ok"], true, "{}", lines[3]);
    // It has no roots to tell of.
    assert_eq!(lines[4]["error"]["code"], -32_021, "{}", lines[4]);
}

#[test]
fn a_change_of_the_list_is_listed() {
    let lines = play(Some("set:on_list_changed=list,call:toggle,sleep:300,close"), &[SERVER, "--stdio"]);
    let changed = lines.iter().find(|line| line["step"] == "list_changed");
    let changed = changed.unwrap_or_else(|| panic!("nothing was told of the change: {lines:?}"));
    let tools = changed["result"]["tools"].as_array().unwrap();
    assert!(tools.iter().any(|tool| tool["name"] == "toggled"), "{changed}");
}

#[test]
fn a_server_that_cannot_start_is_one_line() {
    let lines = play(None, &["/no/such/server"]);
    assert_eq!(steps(&lines), ["connect"]);
    assert!(lines[0]["error"]["message"].as_str().unwrap().contains("/no/such/server"), "{}", lines[0]);
}

#[test]
fn closing_twice_is_closing_once() {
    let lines = play(Some("start:sleep:{\"ms\":60000},close_twice"), &[SERVER, "--stdio"]);
    let closed = lines.iter().find(|line| line["step"] == "close_twice").unwrap();
    assert_eq!(closed["ok"], true);
    let slept = lines.iter().find(|line| line["step"] == "start:sleep:{\"ms\":60000}").unwrap();
    assert_eq!(slept["error"]["kind"], "closed");
}

#[test]
fn an_address_or_no_server_at_all_is_refused() {
    for arguments in [["http://127.0.0.1:1/mcp"].as_slice(), &[]] {
        let output = Command::new(CLIENT).args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{output:?}");
    }
}
