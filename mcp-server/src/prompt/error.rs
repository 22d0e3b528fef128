//! How prompts fail.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

use mcp_types::jsonrpc::ErrorObject;

use crate::fault::failure;
use crate::tool::ProtocolError;

/// Why a prompt failed. It is answered by a protocol error.
///
/// Every [`Error`] becomes one by `?`: an internal error, −32603. What it says is logged and not sent, as a person sees
/// it who can do nothing about it. What is wrong with the arguments is said by
/// [`invalid_params`](Self::invalid_params). A legacy client that cannot be asked is told so: [`AskError`] says which
/// error that is.
///
/// ```
/// use mcp_server::{Args, PromptError, Server};
/// use schemars::JsonSchema;
/// use serde::Deserialize;
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Review {
///     file: String,
/// }
///
/// async fn review(Args(review): Args<Review>) -> Result<String, PromptError> {
///     if review.file.starts_with('.') {
///         return Err(PromptError::invalid_params("hidden files are not reviewed"));
///     }
///     let code = std::fs::read_to_string(review.file)?;
///     Ok(format!("Review this:\n{code}"))
/// }
///
/// let server = Server::new("s", "1.0.0").prompt("review", "Reviews a file.", review);
/// # drop(server);
/// ```
///
/// [`AskError`]: crate::AskError
// It is not an `Error` itself: then it could not be made of every other one.
#[derive(Clone, Debug, PartialEq)]
pub struct PromptError(ErrorObject);

impl PromptError {
    /// The arguments cannot be as they are: −32602.
    #[must_use]
    pub fn invalid_params(message: impl Into<Cow<'static, str>>) -> Self {
        ProtocolError::invalid_params(message).into()
    }

    pub(super) fn into_object(self) -> ErrorObject {
        self.0
    }
}

impl<E: Error + 'static> From<E> for PromptError {
    fn from(error: E) -> Self {
        Self(failure("prompt", &error))
    }
}

impl From<ProtocolError> for PromptError {
    fn from(error: ProtocolError) -> Self {
        Self(error.into_object())
    }
}

impl fmt::Display for PromptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
