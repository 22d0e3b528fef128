//! How listing fails.

use crate::error::CallError;
use mcp_types::jsonrpc::ErrorCode;

/// Why a list could not be read to its end.
///
/// The variants and the predicates are promised, the texts are not.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ListError {
    /// The server has not said that it offers this. Nothing was sent.
    #[error("the server does not offer `{method}`")]
    NotSupported {
        /// The method that would have been called.
        method: &'static str,
    },
    /// The server named a cursor that it had named before, so that the list would never end.
    #[error("the cursor of `{method}` stands still after page {pages}")]
    CursorStandsStill {
        /// The method that was called.
        method: &'static str,
        /// How many pages were read.
        pages: usize,
    },
    /// The list has more pages than were to be read.
    #[error("`{method}` has more than {limit} pages")]
    TooManyPages {
        /// The method that was called.
        method: &'static str,
        /// How many there may be.
        limit: usize,
    },
    /// The list has more elements than were to be read.
    #[error("`{method}` has more than {limit} elements")]
    TooManyElements {
        /// The method that was called.
        method: &'static str,
        /// How many there may be.
        limit: usize,
    },
    /// The call for a page failed, or its result is no page.
    #[error("a page of the list could not be read")]
    Call(
        /// How it failed.
        #[source]
        CallError,
    ),
}

impl ListError {
    /// Whether the server does not have such a list: it does not offer it, or does not know the method.
    #[must_use]
    pub fn is_not_supported(&self) -> bool {
        matches!(self, Self::NotSupported { .. }) || self.is_answer(ErrorCode::METHOD_NOT_FOUND)
    }

    /// Whether a limit of time passed.
    #[must_use]
    pub const fn is_timeout(&self) -> bool {
        matches!(self, Self::Call(error) if error.is_timeout())
    }

    /// Whether nobody can answer any more.
    #[must_use]
    pub const fn is_connection_closed(&self) -> bool {
        matches!(self, Self::Call(error) if error.is_connection_closed())
    }

    /// Whether the server answered with an error of this code.
    pub(super) fn is_answer(&self, code: ErrorCode) -> bool {
        matches!(self, Self::Call(CallError::Peer { error, .. }) if error.code == code)
    }
}
