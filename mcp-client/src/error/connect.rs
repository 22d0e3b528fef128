//! How connecting fails.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use mcp_session::Cause;
use mcp_session::engine::{Reason, Report};
use mcp_types::jsonrpc::ErrorObject;

use super::CallError;

/// Why a connection could not be opened. Whatever was opened on the way has been closed, and a child reaped, by the
/// time it is returned.
///
/// The variants and the predicates are promised; the texts, and the types behind `source()`, are not.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// There is no way to the server: the program cannot be started, nobody listens.
    #[error("the way to the server cannot be opened")]
    Open(#[source] Arc<io::Error>),
    /// The server answered the handshake with an error.
    #[error("the server refused the connection: error {}: {}", .error.code.0, .error.message)]
    Refused {
        /// The error as it was sent.
        error: Box<ErrorObject>,
        /// What became of the session.
        report: Option<Arc<Report>>,
    },
    /// The server speaks no revision that this client does.
    #[error("the server offers {offered:?}, none of which is spoken here")]
    Unsupported {
        /// The revisions that the server offers.
        offered: Vec<String>,
        /// What became of the session.
        report: Option<Arc<Report>>,
    },
    /// The connection closed before the handshake was over.
    #[error("the connection closed during the handshake: {}", .reason.map_or_else(|| "closing".to_owned(), |reason| reason.to_string()))]
    Closed {
        /// Why the session ended.
        reason: Option<Reason>,
        /// What stands behind it, as far as it is known: the exit status of a child, and the last it said.
        #[source]
        cause: Option<Cause>,
        /// What became of the session.
        report: Option<Arc<Report>>,
    },
    /// The handshake was not answered in time.
    #[error("the handshake was not over within {limit:?}")]
    TimedOut {
        /// The limit that passed.
        limit: Duration,
        /// What became of the session.
        report: Option<Arc<Report>>,
    },
    /// The handshake was answered with something that is not a result of it.
    #[error("the answer to the handshake is malformed: {detail}")]
    Malformed {
        /// What is wrong with it.
        detail: Box<str>,
        /// What became of the session.
        report: Option<Arc<Report>>,
    },
}

impl ConnectError {
    pub(crate) fn of(error: CallError) -> Self {
        match error {
            CallError::Peer { error, .. } => Self::Refused { error, report: None },
            CallError::ConnectionClosed { reason, cause, .. } => Self::Closed { reason, cause, report: None },
            CallError::TimedOut { limit, .. } => Self::TimedOut { limit, report: None },
            CallError::Malformed { detail, .. } => Self::Malformed { detail, report: None },
            other => Self::Malformed { detail: other.to_string().into(), report: None },
        }
    }

    /// Whether the connection closed before the handshake was over.
    #[must_use]
    pub const fn is_connection_closed(&self) -> bool {
        matches!(self, Self::Closed { .. })
    }

    /// Whether the handshake was not answered in time.
    #[must_use]
    pub const fn is_timeout(&self) -> bool {
        matches!(self, Self::TimedOut { .. })
    }

    /// Whether another try may have a better end: the server went away or did not answer, rather than refusing.
    #[must_use]
    pub const fn is_retryable(&self) -> bool {
        matches!(self, Self::Closed { .. } | Self::TimedOut { .. })
    }

    /// What became of the session, if there was one.
    #[must_use]
    pub const fn report(&self) -> Option<&Arc<Report>> {
        match self {
            Self::Open(_) => None,
            Self::Refused { report, .. }
            | Self::Unsupported { report, .. }
            | Self::Closed { report, .. }
            | Self::TimedOut { report, .. }
            | Self::Malformed { report, .. } => report.as_ref(),
        }
    }

    pub(crate) fn with_report(mut self, of: Arc<Report>) -> Self {
        match &mut self {
            Self::Open(_) => {}
            Self::Refused { report, .. }
            | Self::Unsupported { report, .. }
            | Self::Closed { report, .. }
            | Self::TimedOut { report, .. }
            | Self::Malformed { report, .. } => *report = Some(of),
        }
        self
    }
}
