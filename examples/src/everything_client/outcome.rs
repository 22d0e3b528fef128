//! The lines that tell what came of a step.

use std::error::Error;

use mcp_client::{CallError, ConnectError, Connection, ListError};
use serde_json::{Value, json};

/// What came of a step, or why nothing did.
pub(super) type Outcome = Result<Value, Failure>;

/// Why a step failed.
#[derive(Debug)]
pub(super) enum Failure {
    /// A call has no result.
    Call(CallError),
    /// A list cannot be read to its end.
    List(ListError),
    /// The step makes no sense here, or cannot be read.
    Other(String),
    /// This program has no such step.
    Unsupported,
}

impl From<CallError> for Failure {
    fn from(error: CallError) -> Self {
        Self::Call(error)
    }
}

impl From<ListError> for Failure {
    fn from(error: ListError) -> Self {
        Self::List(error)
    }
}

impl Failure {
    fn json(&self) -> Value {
        match self {
            Self::Unsupported => json!({"message": "unsupported", "unsupported": true}),
            Self::Other(message) => json!({"message": message}),
            Self::Call(error) => failed(error, code(error), kind(error)),
            Self::List(error) => match error {
                ListError::Call(call) => failed(error, code(call), kind(call)),
                _ => failed(error, None, "not possible"),
            },
        }
    }
}

/// The line of a step.
pub(super) fn line(step: &str, outcome: &Outcome) -> Value {
    match outcome {
        Ok(result) => json!({"step": step, "ok": true, "result": result}),
        Err(failure) => json!({"step": step, "ok": false, "error": failure.json()}),
    }
}

/// The line that says how connecting went: always the first one.
pub(super) fn connected_line(outcome: Result<&Connection, &ConnectError>) -> Value {
    match outcome {
        Ok(connection) => {
            let result = json!({
                "protocolVersion": connection.version().as_str(),
                "serverInfo": connection.server(),
                "capabilities": connection.capabilities(),
                "instructions": connection.instructions(),
            });
            json!({"step": "connect", "ok": true, "result": result})
        }
        Err(error) => {
            let (code, kind) = match error {
                ConnectError::Refused { error, .. } => (Some(error.code.0), "refused"),
                ConnectError::Unsupported { .. } => (None, "unsupported"),
                ConnectError::Open(_) => (None, "not opened"),
                ConnectError::Closed { .. } => (None, "closed"),
                ConnectError::TimedOut { .. } => (None, "timed out"),
                _ => (None, "malformed"),
            };
            json!({"step": "connect", "ok": false, "error": failed(error, code, kind)})
        }
    }
}

/// An error with everything that stands behind it in its text.
fn failed(error: &dyn Error, code: Option<i64>, kind: &str) -> Value {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        message.push_str(": ");
        message.push_str(&error.to_string());
        cause = error.source();
    }
    let mut json = json!({"message": message, "kind": kind});
    if let Some(code) = code {
        json["code"] = code.into();
    }
    json
}

/// The code of an answer of the server's. What only happened here has none.
fn code(error: &CallError) -> Option<i64> {
    match error {
        CallError::Peer { error, .. } => Some(error.code.0),
        _ => None,
    }
}

/// The kind of an error, in words.
const fn kind(error: &CallError) -> &'static str {
    match error {
        CallError::Peer { .. } => "peer",
        CallError::Malformed { .. } => "malformed",
        CallError::ConnectionClosed { .. } => "closed",
        CallError::TimedOut { .. } => "timed out",
        _ => "not possible",
    }
}
