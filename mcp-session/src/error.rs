//! How calls and runs fail.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use mcp_types::jsonrpc::{ErrorCode, ErrorObject};

use crate::cause::Cause;
use crate::engine::{CallRefused, NoCall, Reason, Report};

/// Why a call has no result.
///
/// The variants and the predicates are promised, the texts are not.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// The peer answered with an error.
    #[error("the peer answered `{method}` with error {code}: {message}", code = .error.code.0, message = .error.message)]
    Peer {
        /// The method that was called.
        method: Arc<str>,
        /// The error as it was sent.
        error: Box<ErrorObject>,
    },
    /// The peer answered with something that is not a response.
    #[error("the response to `{method}` is malformed: {detail}")]
    Malformed {
        /// The method that was called.
        method: Arc<str>,
        /// What is wrong with it.
        detail: Box<str>,
    },
    /// Nobody can answer any more, or our side is closing. Whether the peer did what was asked is unknown if the
    /// request was sent.
    #[error("connection closed before `{method}` was answered: {}", .reason.map_or_else(|| "closing".to_owned(), |reason| reason.to_string()))]
    ConnectionClosed {
        /// The method that was called.
        method: Arc<str>,
        /// Why the session ended, if it has.
        reason: Option<Reason>,
        /// What stands behind it, as far as the transport knows: the exit of a child, a reset, a failed write.
        #[source]
        cause: Option<Cause>,
    },
    /// The peer has ended the subscription that the call was.
    #[error("the peer has ended the `{method}`")]
    EndedByPeer {
        /// The method that was called.
        method: Arc<str>,
    },
    /// One of the limits of the call passed. The peer has been told to stop.
    #[error("no answer to `{method}` within {limit:?}")]
    TimedOut {
        /// The method that was called.
        method: Arc<str>,
        /// The limit that passed.
        limit: Duration,
    },
    /// The call could not be made: nothing was sent.
    #[error("`{method}` cannot be called here: {why}")]
    NotPossible {
        /// The method that was called.
        method: Arc<str>,
        /// Why not.
        why: Impossible,
    },
}

/// Why a call cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Impossible {
    /// Too many calls are pending.
    #[error("too many calls are pending")]
    TooManyCalls,
    /// The era of the connection has no requests in this direction.
    #[error("the era of this connection has no requests in this direction")]
    NotInThisEra,
    /// No stream is open that could carry it.
    #[error("no stream is open that could carry it")]
    NoCarrier,
}

impl CallError {
    pub(crate) fn refused(method: Arc<str>, refused: CallRefused, cause: Option<Cause>) -> Self {
        let impossible = |method, why| Self::NotPossible { method, why };
        match refused.why {
            NoCall::Closed | NoCall::Closing => Self::ConnectionClosed { method, reason: refused.reason, cause },
            NoCall::TooMany => impossible(method, Impossible::TooManyCalls),
            NoCall::NotInThisEra => impossible(method, Impossible::NotInThisEra),
            NoCall::NoCarrier => impossible(method, Impossible::NoCarrier),
        }
    }

    /// Whether nobody can answer any more.
    #[must_use]
    pub const fn is_connection_closed(&self) -> bool {
        matches!(self, Self::ConnectionClosed { .. })
    }

    /// Whether a limit passed.
    #[must_use]
    pub const fn is_timeout(&self) -> bool {
        matches!(self, Self::TimedOut { .. })
    }

    /// Whether the peer answered, with an error.
    #[must_use]
    pub const fn is_peer(&self) -> bool {
        matches!(self, Self::Peer { .. })
    }

    /// The error as other SDKs show it: a closed connection is −32000 "Connection closed". It is for logs and for
    /// programs that expect it; it is never sent.
    #[must_use]
    pub fn to_error_object(&self) -> ErrorObject {
        match self {
            Self::Peer { error, .. } => (**error).clone(),
            Self::ConnectionClosed { .. } => ErrorObject::new(ErrorCode::CONNECTION_CLOSED, "Connection closed"),
            Self::EndedByPeer { .. } | Self::TimedOut { .. } | Self::Malformed { .. } | Self::NotPossible { .. } => {
                ErrorObject::new(ErrorCode::INTERNAL_ERROR, self.to_string())
            }
        }
    }
}

/// A run that lost data for a reason of this side.
#[derive(Clone, Debug, thiserror::Error)]
#[error("writing failed")]
#[non_exhaustive]
pub struct RunError {
    /// What became of everything.
    pub report: Box<Report>,
    /// What writing failed with.
    #[source]
    pub cause: Arc<io::Error>,
}
