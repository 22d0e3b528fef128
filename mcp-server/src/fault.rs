//! Failures of the application that are answered by a protocol error.

use std::error::Error;
use std::iter::successors;

use mcp_types::jsonrpc::{ErrorCode, ErrorObject};

use crate::rounds::AskError;

/// The error by which a failure of the application is answered. What went wrong is logged and not sent, unless it is the
/// client's doing: then it is told in the words that a tool would fail with.
pub(crate) fn failure(of: &'static str, error: &(dyn Error + 'static)) -> ErrorObject {
    let chain = || successors(Some(error), |&error| error.source());
    if let Some(asked) = chain().find_map(|error| error.downcast_ref::<AskError>())
        && let Some(code) = asked.fault_of_client()
    {
        return ErrorObject::new(code, asked.to_string());
    }
    let why: Vec<_> = chain().map(ToString::to_string).collect();
    tracing::error!(error = why.join(": "), "a {of} failed");
    ErrorObject::new(ErrorCode::INTERNAL_ERROR, "internal error")
}
