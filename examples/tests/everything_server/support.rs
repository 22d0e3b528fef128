//! A child process, spoken to by hand.

use std::fs;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

pub(crate) const EVERYTHING: &str = env!("CARGO_BIN_EXE_everything-server");
pub(crate) const QUICKSTART: &str = env!("CARGO_BIN_EXE_quickstart-server");

/// A server in a process of its own, which is killed when this is dropped.
#[derive(Debug)]
pub(crate) struct Program {
    child: Child,
    input: Option<ChildStdin>,
    output: Option<Lines<BufReader<ChildStdout>>>,
}

/// How a program ended.
#[derive(Debug)]
pub(crate) struct Ending {
    pub(crate) status: ExitStatus,
    /// What it still said.
    pub(crate) rest: Vec<Value>,
    pub(crate) stderr: String,
}

impl Program {
    /// Starts the server with a tool for everything.
    pub(crate) fn everything(options: &[&str]) -> Self {
        Self::start(Command::new(EVERYTHING).arg("--stdio").args(options))
    }

    pub(crate) fn start(command: &mut Command) -> Self {
        Self::start_as_it_is(command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()))
    }

    /// Starts it with the descriptors that the command has been given.
    pub(crate) fn start_as_it_is(command: &mut Command) -> Self {
        // A backtrace on standard error would only make failures hard to read.
        let mut child = command.env("RUST_BACKTRACE", "0").kill_on_drop(true).spawn().unwrap();
        let input = child.stdin.take();
        let output = child.stdout.take().map(|output| BufReader::new(output).lines());
        Self { child, input, output }
    }

    /// Does the handshake.
    pub(crate) async fn initialize(&mut self) {
        let info = json!({"name": "tester", "version": "1"});
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info});
        self.send(&request("init", "initialize", params)).await;
        assert!(self.recv().await["result"].is_object());
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    }

    pub(crate) async fn send(&mut self, message: &Value) {
        self.send_bytes(format!("{message}\n").as_bytes()).await;
    }

    pub(crate) async fn send_bytes(&mut self, bytes: &[u8]) {
        self.input.as_mut().unwrap().write_all(bytes).await.unwrap();
    }

    /// Sends a message, and says whether there was still somebody who could read it.
    pub(crate) async fn try_send(&mut self, message: &Value) -> bool {
        self.input.as_mut().unwrap().write_all(format!("{message}\n").as_bytes()).await.is_ok()
    }

    /// Whether its input is a pipe that is held here.
    pub(crate) const fn takes_input(&self) -> bool {
        self.input.is_some()
    }

    pub(crate) async fn recv(&mut self) -> Value {
        let line = within(self.output.as_mut().unwrap().next_line()).await;
        serde_json::from_str(&line.unwrap().expect("the program has closed its output")).unwrap()
    }

    /// Sends a message, and gives what comes next.
    pub(crate) async fn ask(&mut self, message: &Value) -> Value {
        self.send(message).await;
        self.recv().await
    }

    /// Reads no more, as `head` when it has its lines.
    pub(crate) fn stop_reading(&mut self) {
        self.output = None;
    }

    /// Lets nobody read what goes to standard error.
    pub(crate) fn stop_reading_errors(&mut self) {
        self.child.stderr = None;
    }

    /// The names of its threads.
    pub(crate) fn threads(&self) -> Vec<String> {
        let tasks = fs::read_dir(format!("/proc/{}/task", self.id())).unwrap();
        // One may end while the others are looked at.
        let names = tasks.filter_map(|task| fs::read_to_string(task.ok()?.path().join("comm")).ok());
        names.map(|name| name.trim().to_owned()).collect()
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id().unwrap()
    }

    pub(crate) fn signal(&self, signal: Signal) {
        let id = i32::try_from(self.id()).unwrap();
        kill_process(Pid::from_raw(id).unwrap(), signal).unwrap();
    }

    /// Waits for the end of the process that was started, whatever it has started itself.
    pub(crate) async fn has_ended(&mut self) {
        within(self.child.wait()).await.unwrap();
    }

    /// Ends the program's input and waits for its end.
    pub(crate) async fn finish(mut self) -> Ending {
        self.input = None;
        self.ended().await
    }

    /// Waits for the program's end, its input still open.
    pub(crate) async fn ended(mut self) -> Ending {
        let mut rest = Vec::new();
        if let Some(mut output) = self.output.take() {
            while let Some(line) = within(output.next_line()).await.unwrap() {
                rest.push(serde_json::from_str(&line).unwrap());
            }
        }
        let mut stderr = String::new();
        if let Some(errors) = &mut self.child.stderr {
            within(errors.read_to_string(&mut stderr)).await.unwrap();
        }
        let status = within(self.child.wait()).await.unwrap();
        Ending { status, rest, stderr }
    }
}

/// Waits with a limit: what takes this long does not happen.
pub(crate) async fn within<F: Future>(future: F) -> F::Output {
    tokio::time::timeout(Duration::from_secs(20), future).await.expect("nothing happens")
}

pub(crate) fn request(id: impl Into<Value>, method: &str, params: Value) -> Value {
    let id = id.into();
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// A call of a tool in a legacy session.
pub(crate) fn call(id: impl Into<Value>, tool: &str, arguments: Value) -> Value {
    request(id, "tools/call", json!({"name": tool, "arguments": arguments}))
}

/// A call of a tool that stands alone.
pub(crate) fn modern_call(id: impl Into<Value>, tool: &str, arguments: Value) -> Value {
    standing_alone(call(id, tool, arguments))
}

/// The request of a legacy session as one that stands alone.
pub(crate) fn standing_alone(mut request: Value) -> Value {
    request["params"]["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    request
}

/// What makes of a request of a legacy session one of each era. A server that was initialized serves both.
pub(crate) const ERAS: [fn(Value) -> Value; 2] = [std::convert::identity, standing_alone];

/// The handshake, and then these messages, as lines.
pub(crate) fn conversation(messages: &[Value]) -> String {
    let info = json!({"name": "tester", "version": "1"});
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info});
    let before =
        [request("init", "initialize", params), json!({"jsonrpc": "2.0", "method": "notifications/initialized"})];
    before.iter().chain(messages).map(|message| format!("{message}\n")).collect()
}

/// The text of a result.
pub(crate) fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {answer}"))
}

/// A file of this test alone.
pub(crate) fn scratch(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()))
}
