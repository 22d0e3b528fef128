//! A server between two pipes that nobody looks after.

use std::ffi::OsString;
use std::io;
use std::process::Stdio;

use mcp_client::Connect;
use mcp_session::transports::io::Stream;
use tokio::process::{ChildStdin, ChildStdout, Command};

/// Starts the server with nothing of what a [`ChildProcess`](mcp_client::ChildProcess) does for it: it is sent no
/// signals, belongs to no group of its own, is never started again, and nobody knows how it ended.
#[derive(Debug)]
pub(crate) struct Bare {
    program: OsString,
    arguments: Vec<String>,
}

impl Bare {
    pub(crate) fn new(program: &str, arguments: &[String]) -> Self {
        Self { program: program.into(), arguments: arguments.to_vec() }
    }
}

impl Connect for Bare {
    type Transport = Stream<ChildStdout, ChildStdin>;

    async fn open(&mut self) -> io::Result<Self::Transport> {
        let mut command = Command::new(&self.program);
        let mut child = command.args(&self.arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        match (child.stdout.take(), child.stdin.take()) {
            (Some(output), Some(input)) => Ok(Stream::new(output, input)),
            _ => Err(io::Error::other("the child has no pipes")),
        }
    }
}
