//! Failures that clients are told nothing of.

use std::error::Error;

use mcp_types::jsonrpc::{ErrorCode, ErrorObject};

/// The error by which a failure of the application is answered. What went wrong is logged and not sent.
pub(crate) fn internal(of: &'static str, error: &(dyn Error + 'static)) -> ErrorObject {
    let mut why = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        why = format!("{why}: {error}");
        source = error.source();
    }
    tracing::error!(error = why, "a {of} failed");
    ErrorObject::new(ErrorCode::INTERNAL_ERROR, "internal error")
}
