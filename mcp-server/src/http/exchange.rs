//! The seam between what HTTP says and what a session does with it.

use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use http::Response;
use http::request::Parts;
use http_body::Body;
use mcp_types::jsonrpc::Scanned;
use mcp_types::version::{Era, Version};

use super::headers::HeaderParams;
use super::negotiate::Acceptable;
use super::session_id::SessionId;
use super::sse::EventId;

/// Serves requests that a [`Front`](super::Front) has found to be in order.
pub trait Exchange: Clone + Send + Sync + 'static {
    /// The body of its responses.
    type Body: Body<Data = Bytes, Error = Infallible> + Send + 'static;
    /// A response to come. Dropping it means that the client is gone.
    type Future: Future<Output = Response<Self::Body>> + Send + 'static;

    /// The headers that mirror arguments of a tool. `None` when there is no such tool or none of its arguments is
    /// mirrored.
    fn header_params(&self, tool: &str) -> Option<Arc<HeaderParams>> {
        let _ = tool;
        None
    }

    /// Serves a message. What the future needs of it is taken out here, where it is borrowed.
    fn post(&self, head: Parts, post: Post<'_>) -> Self::Future;

    /// Opens a stream of a session, or resumes one.
    fn get(&self, head: Parts, get: Get) -> Self::Future;

    /// Ends a session at the wish of its client.
    fn delete(&self, head: Parts, session: SessionId) -> Self::Future;

    /// Opens a session of HTTP+SSE, by its stream.
    fn open_sse(&self, head: Parts) -> Self::Future;

    /// Takes a message of a session of HTTP+SSE, which may exist. It is JSON, and no more is known of it.
    fn post_sse(&self, head: Parts, session: SessionId, frame: &Bytes) -> Self::Future;
}

/// A message that was posted and is in order by itself.
#[derive(Debug)]
#[non_exhaustive]
pub struct Post<'a> {
    /// The message, or in revision 2025-03-26 a batch of them.
    pub message: Scanned<'a>,
    /// The same as it was sent.
    pub frame: &'a Bytes,
    /// Where it belongs.
    pub place: Place,
    /// How it may be answered. A request may be answered in one way at least.
    pub acceptable: Acceptable,
}

/// Where a message belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "who serves one kind must be told of the next")]
pub enum Place {
    /// It stands alone. If it is a request, it says whose it is and its headers mirror it; its version is ours.
    Modern,
    /// It is `initialize`, and opens a session.
    Opening,
    /// It stands alone, in a revision that has sessions elsewhere.
    Stateless {
        /// The revision that it is written in.
        version: Version,
    },
    /// It is of a session that may exist.
    Session {
        /// Its session.
        id: SessionId,
        /// The revision that its header names, which is one with a handshake.
        version: Option<Version>,
    },
}

impl Place {
    /// The era whose rules hold.
    #[must_use]
    pub const fn era(self) -> Era {
        match self {
            Self::Modern => Era::Modern,
            Self::Opening | Self::Stateless { .. } | Self::Session { .. } => Era::Legacy,
        }
    }
}

/// A GET for a stream of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Get {
    /// The session, which may exist.
    pub session: SessionId,
    /// The revision that its header names, which is one with a handshake.
    pub version: Option<Version>,
    /// The event after which a stream is to be resumed. `None` for a new stream.
    pub after: Option<EventId>,
}

impl Get {
    pub(super) const fn new(session: SessionId, version: Option<Version>, after: Option<EventId>) -> Self {
        Self { session, version, after }
    }
}
