//! The commands in `docs/curl.md` are run, and what comes is what is written there.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdin, Command, Stdio};

const PAGE: &str = include_str!("../../docs/curl.md");
const ADDRESS: &str = "127.0.0.1:8000";

/// The server that the page speaks of, at a free port. It ends with its input.
struct Server {
    child: Child,
    input: Option<ChildStdin>,
    address: String,
}

impl Server {
    fn start() -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_everything-server"))
            .args(["--http", "127.0.0.1:0", "--until-stdin-eof"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("LISTENING ").unwrap().to_owned();
        Self { input: child.stdin.take(), child, address }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.input.take());
        let status = self.child.wait();
        assert!(std::thread::panicking() || status.unwrap().success());
    }
}

/// A command with what is shown below it.
#[derive(Default)]
struct Step {
    command: String,
    shown: String,
}

fn steps() -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut is_console = false;
    for line in PAGE.lines() {
        match (is_console, line) {
            (_, "```console") => is_console = true,
            (_, "```") => is_console = false,
            (true, line) => match (line.strip_prefix("$ "), steps.last_mut()) {
                (Some(command), _) => steps.push(Step { command: command.to_owned(), ..Step::default() }),
                (None, Some(step)) => {
                    step.shown += line;
                    step.shown.push('\n');
                }
                (None, None) => panic!("output before any command: {line}"),
            },
            (false, _) => {}
        }
    }
    steps
}

#[test]
fn the_commands_for_curl_show_what_is_written() {
    // Whoever has no curl may build this all the same; continuous integration has it.
    if Command::new("curl").arg("--version").output().is_err() {
        return;
    }
    let server = Server::start();
    let steps = steps();
    // The first one starts the server.
    assert!(steps[0].command.contains("everything-server") && steps[0].shown.contains(ADDRESS), "{}", steps[0].command);
    let steps = &steps[1..];
    assert!(steps.len() > 10, "only {} commands", steps.len());
    // One shell runs them all; a line that nothing else prints stands between them.
    let mut script = String::new();
    for step in steps {
        script += &step.command.replace(ADDRESS, &server.address);
        script += "\necho '-- next --'\n";
    }
    let output = Command::new("bash").arg("-c").arg(script).output().unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    let mut parts = shown.split("-- next --\n");
    for step in steps {
        let part = parts.next().unwrap();
        assert_eq!(part, step.shown, "after: {}\n{}", step.command, String::from_utf8_lossy(&output.stderr));
    }
}
