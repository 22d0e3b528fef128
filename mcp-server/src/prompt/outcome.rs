//! What a prompt returns.

use std::borrow::Cow;

use mcp_types::jsonrpc::ErrorObject;
use mcp_types::prompts::{GetPromptResult, PromptMessage};

use super::PromptError;

/// How a prompt ended: by messages or by a protocol error.
#[derive(Debug)]
pub struct PromptOutcome(pub(crate) Form);

#[derive(Debug)]
pub(crate) enum Form {
    /// Messages alone.
    Messages(Vec<PromptMessage>),
    /// A result that may have anything in it.
    Full(Box<GetPromptResult>),
    /// No result.
    Error(Box<ErrorObject>),
}

impl From<GetPromptResult> for PromptOutcome {
    fn from(result: GetPromptResult) -> Self {
        Self(Form::Full(Box::new(result)))
    }
}

impl From<PromptError> for PromptOutcome {
    fn from(error: PromptError) -> Self {
        Self(Form::Error(Box::new(error.into_object())))
    }
}

/// What a prompt may return.
///
/// | type | messages |
/// | --- | --- |
/// | texts | one, of the user |
/// | [`PromptMessage`] | this one |
/// | `Vec<PromptMessage>`, `[PromptMessage; N]` | these |
/// | [`GetPromptResult`] | as it is |
/// | `Result<T, E>` | that of `T`, or the protocol error that `E` is or becomes: a [`PromptError`] |
///
/// The description of the prompt goes with them, unless a `GetPromptResult` has its own.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not something that a prompt can return",
    note = "a prompt returns a text, `PromptMessage`, `Vec<PromptMessage>`, `GetPromptResult`, or a `Result` of one of these"
)]
pub trait IntoPromptOutcome {
    /// Makes the result.
    fn into_outcome(self) -> PromptOutcome;
}

impl IntoPromptOutcome for PromptOutcome {
    fn into_outcome(self) -> PromptOutcome {
        self
    }
}

impl IntoPromptOutcome for Vec<PromptMessage> {
    fn into_outcome(self) -> PromptOutcome {
        PromptOutcome(Form::Messages(self))
    }
}

impl<const N: usize> IntoPromptOutcome for [PromptMessage; N] {
    fn into_outcome(self) -> PromptOutcome {
        Vec::from(self).into_outcome()
    }
}

impl IntoPromptOutcome for PromptMessage {
    fn into_outcome(self) -> PromptOutcome {
        vec![self].into_outcome()
    }
}

impl IntoPromptOutcome for String {
    fn into_outcome(self) -> PromptOutcome {
        PromptMessage::user(self).into_outcome()
    }
}

impl IntoPromptOutcome for &'static str {
    fn into_outcome(self) -> PromptOutcome {
        PromptMessage::user(self).into_outcome()
    }
}

impl IntoPromptOutcome for Cow<'static, str> {
    fn into_outcome(self) -> PromptOutcome {
        PromptMessage::user(self).into_outcome()
    }
}

impl IntoPromptOutcome for GetPromptResult {
    fn into_outcome(self) -> PromptOutcome {
        self.into()
    }
}

impl<T: IntoPromptOutcome, E: Into<PromptError>> IntoPromptOutcome for Result<T, E> {
    fn into_outcome(self) -> PromptOutcome {
        match self {
            Ok(value) => value.into_outcome(),
            Err(error) => error.into().into(),
        }
    }
}
