//! The program, and what is seen of processes from the outside.

use std::error::Error;
use std::fs;
use std::future::Future;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use mcp_client::child::{ChildExited, Process};
use mcp_client::{ChildProcess, Client, Connection, Era};
use mcp_session::Cause;
use mcp_types::tools::CallToolResult;
use mcp_types::{Content, Version};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

pub(crate) const EVERYTHING: &str = env!("CARGO_BIN_EXE_everything-server");

pub(crate) const ERAS: [Era; 2] = [Era::Legacy(Version::LATEST_LEGACY), Era::Modern];

/// No test that works takes as long, however busy the machine is.
pub(crate) const WATCHDOG: Duration = Duration::from_secs(60);

/// A grace that a test waits out.
pub(crate) const SHORT: Duration = Duration::from_millis(50);

pub(crate) fn server() -> ChildProcess {
    ChildProcess::new(EVERYTHING).arg("--stdio")
}

/// A shell script, in which `"$0"` is the server.
pub(crate) fn script(script: &str) -> ChildProcess {
    ChildProcess::new("sh").args(["-c", script, EVERYTHING])
}

/// The same program, and each process that it becomes.
pub(crate) fn watched(child: ChildProcess) -> (ChildProcess, Receiver<Process>) {
    let (started, processes) = channel();
    (child.on_start(move |process| drop(started.send(process))), processes)
}

pub(crate) fn client(era: Era) -> Client {
    Client::new("test", "1").with_era(era)
}

pub(crate) async fn connected(client: &Client, child: ChildProcess) -> (Connection, Process) {
    let (child, processes) = watched(child);
    let connection = within(client.connect(child)).await.unwrap();
    (connection, processes.try_recv().unwrap())
}

/// The text that a tool returns.
pub(crate) async fn text(connection: &Connection, tool: &str, arguments: &Value) -> String {
    text_of(&within(connection.call_tool(tool, arguments)).await.unwrap())
}

pub(crate) fn text_of(result: &CallToolResult) -> String {
    match &*result.content {
        [Content::Text(text)] => text.text.clone(),
        other => panic!("no text: {other:?}"),
    }
}

/// How the child ended that an error comes from.
pub(crate) fn exited(error: &dyn Error) -> ChildExited {
    let mut next = error.source();
    while let Some(error) = next {
        if let Some(cause) = error.downcast_ref::<Cause>() {
            return cause.downcast_ref::<ChildExited>().unwrap().clone();
        }
        next = error.source();
    }
    panic!("no child in {error:?}")
}

pub(crate) async fn within<F: Future>(future: F) -> F::Output {
    tokio::time::timeout(WATCHDOG, future).await.expect("it takes too long")
}

pub(crate) fn kill(pid: u32) {
    let pid = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    kill_process(pid, Signal::KILL).unwrap();
}

/// The state of a process, as the kernel abbreviates it. `None` when there is none of that number.
pub(crate) fn state(pid: u32) -> Option<char> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit(')').next()?.trim_start().chars().next()
}

/// Waits until a process has ended. One that its parent, which is not us, has yet to reap has.
pub(crate) fn until_gone(pid: u32) {
    let start = Instant::now();
    while state(pid).is_some_and(|state| !"ZX".contains(state)) {
        assert!(start.elapsed() < WATCHDOG, "process {pid} runs on");
        std::thread::sleep(Duration::from_millis(1)); // tidy: waits for the end of a process that is not our child
    }
}
