//! The first server and the first client of the README are the programs that are run here.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::process::Command;

const README: &str = include_str!("../../README.md");

#[test]
fn the_readme_shows_the_quickstart_programs() {
    for source in [include_str!("../src/bin/quickstart-server.rs"), include_str!("../src/bin/quickstart-client.rs")] {
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
