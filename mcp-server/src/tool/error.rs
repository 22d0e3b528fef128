//! Two ways in which a tool can fail.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

use mcp_types::jsonrpc::{ErrorCode, ErrorObject};
use serde_json::Value;

/// Why a tool failed, as a language model is told: a text.
///
/// Every [`Error`] becomes one by `?`, with the texts of its sources. What a text says is sent to the client, so an
/// error that knows secrets has to be turned into another one first.
///
/// ```
/// use mcp_server::ToolError;
///
/// fn parse(text: &str) -> Result<u8, ToolError> {
///     let number: u8 = text.parse()?;
///     if number == 0 {
///         return Err(ToolError::new("zero is not allowed"));
///     }
///     Ok(number)
/// }
///
/// assert_eq!(parse("x").unwrap_err().to_string(), "invalid digit found in string");
/// ```
// It is not an `Error` itself: then it could not be made of every other one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolError {
    pub(super) text: Cow<'static, str>,
}

impl ToolError {
    /// A failure with this text.
    #[must_use]
    pub fn new(text: impl Into<Cow<'static, str>>) -> Self {
        Self { text: text.into() }
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl<E: Error> From<E> for ToolError {
    fn from(error: E) -> Self {
        let mut text = error.to_string();
        let mut source = error.source();
        while let Some(error) = source {
            let more = error.to_string();
            // Some errors say themselves what their source says.
            if !text.ends_with(&more) {
                text.push_str(": ");
                text.push_str(&more);
            }
            source = error.source();
        }
        Self::new(text)
    }
}

/// Why a call is answered by a protocol error instead of a result: for programs, not for a language model.
///
/// Models do not see protocol errors, as a rule, and cannot learn from them; a tool that fails returns a [`ToolError`].
/// This is for calls that should not have been made, such as one that lacks a capability which the tool needs. It does
/// not come about by `?`; a tool that can fail in both ways returns `Result<Result<T, ToolError>, ProtocolError>`.
///
/// ```
/// use mcp_server::{ProtocolError, Server};
/// use mcp_types::jsonrpc::ErrorCode;
/// use serde_json::json;
///
/// async fn teapot() -> Result<&'static str, ProtocolError> {
///     Err(ProtocolError::new(ErrorCode(418), "short and stout").with_data(&json!({ "spout": true })))
/// }
///
/// let server = Server::new("kitchen", "1.0.0").tool("brew", "Brews coffee.", teapot);
/// # drop(server);
/// ```
// It is not an `Error` itself: then every tool that returns one would fail with a text.
#[derive(Clone, Debug, PartialEq)]
pub struct ProtocolError(ErrorObject);

impl ProtocolError {
    /// An error of this code. Codes of an application's own lie outside −32768 to −32000.
    #[must_use]
    pub fn new(code: ErrorCode, message: impl Into<Cow<'static, str>>) -> Self {
        Self(ErrorObject::new(code, message))
    }

    /// The call has parameters that it cannot have: −32602.
    #[must_use]
    pub fn invalid_params(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorCode::INVALID_PARAMS, message)
    }

    /// Adds details for programs.
    #[must_use]
    pub fn with_data(self, data: &Value) -> Self {
        Self(self.0.with_value(data))
    }

    pub(crate) fn into_object(self) -> ErrorObject {
        self.0
    }
}

impl From<ErrorObject> for ProtocolError {
    fn from(error: ErrorObject) -> Self {
        Self(error)
    }
}

impl fmt::Display for ProtocolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("reading the file failed")]
    struct Outer(#[source] io::Error);

    #[derive(Debug, thiserror::Error)]
    #[error("told: {0}")]
    struct Telling(#[source] io::Error);

    #[test]
    fn the_text_of_an_error_has_its_sources_once() {
        let error = ToolError::from(Outer(io::Error::other("disk on fire")));
        assert_eq!(error.to_string(), "reading the file failed: disk on fire");
        let error = ToolError::from(Telling(io::Error::other("disk on fire")));
        assert_eq!(error.to_string(), "told: disk on fire");
    }
}
