//! A call of a tool.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use mcp_session::{CallError, CallFuture, Peer};
use mcp_types::progress::ProgressParams;
use mcp_types::{CallToolResult, method};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::meta::Meta;

/// The result of a tool, when it comes.
///
/// # Errors
///
/// - [`CallError::Peer`]: the server answered with an error; its code and data are as sent. A tool that fails is not
///   that but a result with `is_error`.
/// - [`CallError::TimedOut`]: one of the limits passed. The server has been told to stop.
/// - [`CallError::ConnectionClosed`]: nobody can answer any more. Whether the tool ran is unknown.
/// - [`CallError::Malformed`]: the answer is not a result of a tool.
///
/// # Cancel safety
///
/// Dropping it cancels the call and tells the server.
#[derive(Debug)]
#[must_use = "the call is made when it is awaited"]
pub struct ToolCall {
    call: CallFuture,
    meta: Meta,
    params: Map<String, Value>,
}

impl ToolCall {
    pub(crate) fn new(peer: &Peer, meta: Meta, name: &str, arguments: &impl Serialize) -> Self {
        let mut params = Map::new();
        params.insert("name".to_owned(), name.into());
        match serde_json::to_value(arguments) {
            Ok(Value::Null) => {}
            Ok(arguments) => drop(params.insert("arguments".to_owned(), arguments)),
            // A map with keys that are not strings, say: the server will name what is missing.
            Err(error) => tracing::warn!(%error, "arguments cannot be written as JSON"),
        }
        let call = peer.call(method::TOOLS_CALL, meta.add(params.clone(), None));
        Self { call, meta, params }
    }

    /// Limits how long the call may be silent; progress restarts it. Default 60 s.
    pub fn timeout(mut self, idle: Duration) -> Self {
        self.call = self.call.timeout(idle);
        self
    }

    /// Limits how long the call may take altogether. Default 10 min.
    pub fn max_time(mut self, total: Duration) -> Self {
        self.call = self.call.max_time(total);
        self
    }

    /// Asks for progress, and takes it: in order, before the result.
    pub fn on_progress(mut self, mut callback: impl FnMut(ProgressParams) + Send + 'static) -> Self {
        let (meta, params) = (self.meta.clone(), self.params.clone());
        let with_token = move |token| meta.add(params.clone(), Some(token)).unwrap_or_default();
        self.call = self.call.with_progress(with_token, move |params| match serde_json::from_str(params.get()) {
            Ok(progress) => callback(progress),
            Err(error) => tracing::debug!(%error, "progress cannot be read"),
        });
        self
    }
}

impl Future for ToolCall {
    type Output = Result<CallToolResult, CallError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.call).poll(cx).map(|result| {
            serde_json::from_str(result?.get()).map_err(|error| CallError::Malformed {
                method: Arc::from(method::TOOLS_CALL),
                detail: error.to_string().into(),
            })
        })
    }
}
