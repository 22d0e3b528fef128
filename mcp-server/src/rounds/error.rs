//! Why a question has no answer.

use mcp_session::CallError;
use mcp_types::elicitation::FormSchemaError;
use mcp_types::jsonrpc::ErrorCode;

/// Why a question to the client has no answer.
///
/// That a client of the modern era has to be asked first is not one of these: then the handler stays where it is. The
/// variants and the predicates are promised, the texts are not.
///
/// In the hands of `?` it is the text that a tool fails with. Prompts and resources have no such text: where the client
/// is at fault they are answered by a protocol error with the same words, −32600 for [`NotSupported`](Self::NotSupported)
/// and −32602 for [`InvalidAnswer`](Self::InvalidAnswer).
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// The client of a legacy session did not declare that it can answer this, or its revision does not have it. Nothing
    /// was sent. (A modern call is answered by the protocol error −32021 then.)
    #[error("the client cannot be asked for this: it does not support {what}")]
    NotSupported {
        /// What it would have to support.
        what: &'static str,
    },
    /// The call has already asked a question, or done a step, by this key.
    #[error("the key `{key}` is used twice in one call")]
    DuplicateKey {
        /// The key.
        key: Box<str>,
    },
    /// The type or the schema is not that of a form.
    #[error("the question `{key}` cannot be asked by a form")]
    InvalidForm {
        /// The key.
        key: Box<str>,
        /// What is wrong with it.
        #[source]
        why: FormSchemaError,
    },
    /// The question is not one that may be asked.
    #[error("the question `{key}` cannot be asked: {why}")]
    InvalidQuestion {
        /// The key.
        key: Box<str>,
        /// Why not.
        why: Box<str>,
    },
    /// The client of a legacy session answered something that does not fit the question. (A modern call is answered by
    /// the protocol error −32602 then.)
    #[error("the answer to `{key}` does not fit: {why}")]
    InvalidAnswer {
        /// The key.
        key: Box<str>,
        /// What does not fit; never what was answered.
        why: Box<str>,
    },
    /// The result of a step cannot be kept as JSON, or be read from what was kept.
    #[error("the result of the step `{key}` cannot be kept: {why}")]
    InvalidStep {
        /// The key.
        key: Box<str>,
        /// Why not.
        why: Box<str>,
    },
    /// The request to the client of a legacy session failed.
    #[error("the client did not answer")]
    Call(#[from] CallError),
    /// The call that asks is over: this happens to what outlives its handler only.
    #[error("the call is over")]
    CallOver,
}

impl AskError {
    /// Whether the client cannot be asked for this.
    #[must_use]
    pub const fn is_not_supported(&self) -> bool {
        matches!(self, Self::NotSupported { .. })
    }

    /// The code for a legacy client whose fault it is, where a modern one would have been answered by the round.
    pub(crate) const fn fault_of_client(&self) -> Option<ErrorCode> {
        match self {
            Self::NotSupported { .. } => Some(ErrorCode::INVALID_REQUEST),
            Self::InvalidAnswer { .. } => Some(ErrorCode::INVALID_PARAMS),
            _ => None,
        }
    }

    /// Whether nobody can answer any more.
    #[must_use]
    pub const fn is_connection_closed(&self) -> bool {
        matches!(self, Self::Call(error) if error.is_connection_closed())
    }

    /// Whether the client took too long.
    #[must_use]
    pub const fn is_timeout(&self) -> bool {
        matches!(self, Self::Call(error) if error.is_timeout())
    }
}
