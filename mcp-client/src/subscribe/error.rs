//! How subscribing fails.

use crate::error::CallError;

/// Why there is no subscription.
///
/// The variants and the predicates are promised, the texts are not.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SubscribeError {
    /// Nothing was asked for.
    #[error("a subscription to nothing")]
    Nothing,
    /// The server tells of nothing that was asked for.
    #[error("the server tells of nothing that was asked for")]
    NotSupported,
    /// The server ended the subscription before it had begun.
    #[error("the server ended the subscription before it had begun")]
    Ended,
    /// The call failed.
    #[error("the server could not be subscribed to")]
    Call(
        /// How it failed.
        #[source]
        CallError,
    ),
}

impl SubscribeError {
    /// Whether the server does not tell of such changes, whatever is done.
    #[must_use]
    pub fn is_not_supported(&self) -> bool {
        use mcp_types::jsonrpc::ErrorCode;
        match self {
            Self::NotSupported => true,
            Self::Call(CallError::Peer { error, .. }) => error.code == ErrorCode::METHOD_NOT_FOUND,
            Self::Nothing | Self::Ended | Self::Call(_) => false,
        }
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
}
