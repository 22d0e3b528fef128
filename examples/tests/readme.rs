//! The programs that the README shows are the programs that are run here.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::net::TcpListener;
use std::process::{Command, Stdio};

use mcp_client::{ChildProcess, Client, Era};
use mcp_types::elicitation::ElicitResult;
use mcp_types::{Object, Version};
use serde_json::json;

const README: &str = include_str!("../../README.md");

#[test]
fn the_readme_shows_the_quickstart_programs() {
    for source in [
        include_str!("../src/bin/quickstart-server.rs"),
        include_str!("../src/bin/quickstart-client.rs"),
        include_str!("../src/bin/quickstart-asking.rs"),
        include_str!("../src/bin/quickstart-http.rs"),
    ] {
        let code = source.split_once("\n\n").unwrap().1.trim();
        assert!(README.contains(&format!("```rust\n{code}\n```")), "the README does not show:\n{code}");
    }
}

#[test]
fn the_first_client_calls_the_first_server() {
    let output = Command::new(env!("CARGO_BIN_EXE_quickstart-client"))
        .arg(env!("CARGO_BIN_EXE_quickstart-server"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let shown = String::from_utf8(output.stdout).unwrap();
    assert_eq!(shown.trim(), r#"[{"type":"text","text":"42"}]"#);
    assert!(README.contains(shown.trim()));
}

#[tokio::test]
async fn the_tool_that_asks_is_answered_in_both_eras() {
    for era in [Era::Legacy(Version::LATEST_LEGACY), Era::Modern] {
        for (answer, greeting) in [
            (ElicitResult::accept(Object::from_iter([("name".to_owned(), json!("Ada"))])), "Hello, Ada!"),
            (ElicitResult::decline(), "Hello, whoever you are!"),
        ] {
            let client = Client::new("reader", "1.0.0").with_era(era).on_elicit(move |form| {
                assert_eq!(form.message, "Who are you?");
                std::future::ready(answer.clone())
            });
            let server = client.connect(ChildProcess::new(env!("CARGO_BIN_EXE_quickstart-asking"))).await.unwrap();
            let greeted = server.call_tool("greet", &()).await.unwrap();
            let shown = serde_json::to_value(&greeted.content).unwrap();
            assert_eq!(shown, json!([{ "type": "text", "text": greeting }]), "{era:?}");
            server.close().await;
        }
    }
}

/// Sends the README's command to the README's server, at a port that is free.
#[test]
fn the_server_over_http_answers_curl() {
    // Whoever has no curl may build this all the same; continuous integration has it.
    if Command::new("curl").arg("--version").output().is_err() {
        return;
    }
    let command = README.lines().find(|line| line.starts_with("$ curl")).unwrap().trim_start_matches("$ ");
    let expected = README.split_once(command).unwrap().1.trim_start().lines().next().unwrap();
    let retrying = command.replacen("curl", "curl --retry 20 --retry-connrefused --retry-delay 0", 1);
    assert!(retrying.contains(ADDRESS), "{command}");
    // Somebody else may take the port meanwhile: then the server ends, and there is another one.
    let output = (0..10).find_map(|_| {
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
        let mut server = Command::new(env!("CARGO_BIN_EXE_quickstart-http"));
        let mut server = server.arg(&address).stderr(Stdio::null()).spawn().unwrap();
        let output = Command::new("sh").arg("-c").arg(retrying.replace(ADDRESS, &address)).output();
        let has_served = server.try_wait().unwrap().is_none();
        server.kill().unwrap();
        server.wait().unwrap();
        has_served.then(|| output.unwrap())
    });
    let output = output.unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), expected, "{output:?}");
}

/// Where the README's server is found unless it is told otherwise.
const ADDRESS: &str = "127.0.0.1:8000";
