//! An open connection to a server.

use std::sync::Arc;

use mcp_session::engine::{Report, State};
use mcp_session::{CallFuture, Closed, Handle, Meters, Peer, RunError};
use mcp_types::{Implementation, ServerCapabilities, Version};
use serde::Serialize;
use serde_json::{Map, Value};
use tokio::task::JoinHandle;

use crate::call::ToolCall;
use crate::handshake::Agreed;

/// An open connection to a server.
///
/// When it is dropped the connection closes: calls settle as connection closed, the server is told, and nothing is
/// waited for. [`close`](Self::close) does the same and waits.
#[derive(Debug)]
pub struct Connection {
    handle: Handle,
    task: JoinHandle<Result<Report, RunError>>,
    agreed: Agreed,
}

impl Connection {
    pub(crate) const fn new(handle: Handle, task: JoinHandle<Result<Report, RunError>>, agreed: Agreed) -> Self {
        Self { handle, task, agreed }
    }

    /// Calls a tool. The arguments are one JSON object, or `null` for none.
    pub fn call_tool(&self, name: &str, arguments: &impl Serialize) -> ToolCall {
        ToolCall::new(self.handle.peer(), self.agreed.meta.clone(), name, arguments)
    }

    /// Calls any method. In the modern era the parameters get the metadata that every request must carry.
    pub fn request(&self, method: impl Into<Arc<str>>, params: Map<String, Value>) -> CallFuture {
        self.handle.peer().call(method, self.agreed.meta.add(params, None))
    }

    /// The revision that both sides speak.
    #[must_use]
    pub const fn version(&self) -> Version {
        self.agreed.version
    }

    /// Who the server says it is, if it has said so yet.
    #[must_use]
    pub const fn server(&self) -> Option<&Implementation> {
        self.agreed.server.as_ref()
    }

    /// What the server says it can do, if it has said so yet.
    #[must_use]
    pub const fn capabilities(&self) -> Option<&ServerCapabilities> {
        self.agreed.capabilities.as_ref()
    }

    /// What the server would like a model to know.
    #[must_use]
    pub fn instructions(&self) -> Option<&str> {
        self.agreed.instructions.as_deref()
    }

    /// The server, for calls and notifications below the level of tools.
    #[must_use]
    pub const fn peer(&self) -> &Peer {
        self.handle.peer()
    }

    /// Where the connection stands.
    #[must_use]
    pub fn state(&self) -> State {
        self.handle.peer().state()
    }

    /// What is alive in the connection.
    #[must_use]
    pub fn meters(&self) -> Meters {
        self.handle.peer().meters()
    }

    /// Closes the connection and waits until it is closed: pending calls settle, the server is told of them, what is
    /// written is flushed.
    pub async fn close(self) -> Arc<Report> {
        let report = self.handle.close().await;
        // The report is there once the run is over; the task has nothing else to say.
        drop(self.task.await);
        report
    }

    /// Resolves with the report when the connection has ended, for whatever reason.
    pub fn closed(&self) -> Closed {
        self.handle.closed()
    }
}
