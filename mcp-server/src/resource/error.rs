//! How reading a resource fails.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::io;

use mcp_types::jsonrpc::{ErrorCode, ErrorObject};
use mcp_types::version::{Era, Version};
use serde_json::json;

use crate::fault::failure;
use crate::tool::ProtocolError;
use crate::uri::shortened;

/// Why a resource could not be read. It is answered by a protocol error.
///
/// Every [`Error`] becomes one by `?`: an [`io::Error`] that says that something was not found says it of the resource,
/// and any other is an internal error, −32603. What that says is logged and not sent. A legacy client that cannot be
/// asked is told so: [`AskError`] says which error that is.
///
/// ```
/// use mcp_server::{Args, ResourceError, Server};
/// use schemars::JsonSchema;
/// use serde::Deserialize;
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Note {
///     id: u32,
/// }
///
/// async fn note(Args(note): Args<Note>) -> Result<String, ResourceError> {
///     if note.id == 0 {
///         return Err(ResourceError::not_found());
///     }
///     Ok(std::fs::read_to_string(format!("notes/{}", note.id))?)
/// }
///
/// let server = Server::new("notes", "1.0.0").resource_template("note://{id}", "note", note);
/// # drop(server);
/// ```
///
/// [`AskError`]: crate::AskError
// It is not an `Error` itself: then it could not be made of every other one.
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceError(Kind);

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    NotFound,
    Error(ErrorObject),
}

impl ResourceError {
    /// There is no such resource: −32602 from 2026-07-28 and −32002 before, with the URI.
    #[must_use]
    pub const fn not_found() -> Self {
        Self(Kind::NotFound)
    }

    /// The variables cannot be as they are: −32602.
    #[must_use]
    pub fn invalid_params(message: impl Into<Cow<'static, str>>) -> Self {
        ProtocolError::invalid_params(message).into()
    }

    pub(super) fn into_object(self, uri: &str, version: Version) -> ErrorObject {
        match self.0 {
            Kind::NotFound => not_found(uri, version),
            Kind::Error(error) => error,
        }
    }
}

impl<E: Error + 'static> From<E> for ResourceError {
    fn from(error: E) -> Self {
        let any: &(dyn Error + 'static) = &error;
        match any.downcast_ref::<io::Error>() {
            Some(io) if io.kind() == io::ErrorKind::NotFound => Self::not_found(),
            _ => Self(Kind::Error(failure("resource", any))),
        }
    }
}

impl From<ProtocolError> for ResourceError {
    fn from(error: ProtocolError) -> Self {
        Self(Kind::Error(error.into_object()))
    }
}

impl fmt::Display for ResourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::NotFound => f.write_str("resource not found"),
            Kind::Error(error) => error.fmt(f),
        }
    }
}

//= 2026-07-28/server/resources#error-handling
//# If the requested resource does not exist, servers **MUST** return a JSON-RPC error with
//# code `-32602` (Invalid Params).
pub(crate) fn not_found(uri: &str, version: Version) -> ErrorObject {
    let code = match version.era() {
        Era::Legacy => ErrorCode::RESOURCE_NOT_FOUND,
        Era::Modern => ErrorCode::INVALID_PARAMS,
    };
    about(uri, ErrorObject::new(code, format!("Resource not found: {}", shortened(uri))))
}

/// An error with the URI that it is about.
pub(crate) fn about(uri: &str, error: ErrorObject) -> ErrorObject {
    error.with_value(&json!({ "uri": shortened(uri) }))
}
