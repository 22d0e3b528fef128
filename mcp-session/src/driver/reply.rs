//! The stream on which a session answers a delivery, or says what belongs to none.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as Cx, Poll};

use crate::core::{Found, Reader, Shared};
use crate::engine::ExchangeId;
use crate::said::Said;

/// What a session says on one of its streams.
///
/// # Cancel safety
///
/// Dropping it means that the stream is lost. Handlers run on, and in a session that has a log the stream can be taken up
/// again by [`StreamSession::attach`](crate::StreamSession::attach).
#[must_use = "the stream is lost when this is dropped"]
pub struct ReplyStream {
    shared: Arc<Shared>,
    exchange: ExchangeId,
    /// None when there is nothing more to read.
    reader: Option<Reader>,
}

impl ReplyStream {
    pub(super) const fn new(shared: Arc<Shared>, exchange: ExchangeId, reader: Reader) -> Self {
        Self { shared, exchange, reader: Some(reader) }
    }

    /// Its name in the session, by which it is taken up again.
    #[must_use]
    pub const fn exchange(&self) -> ExchangeId {
        self.exchange
    }

    /// Whether what is said on it is put into the log from now on.
    #[must_use]
    pub fn is_logged(&self) -> bool {
        self.shared.look(|core| core.outboxes.is_logged(self.exchange))
    }

    /// What is said next. `None` when the stream has ended, when somebody else has taken it over, and
    /// when the peer is to come back for the rest.
    pub fn poll_next(&mut self, cx: &mut Cx<'_>) -> Poll<Option<Said>> {
        let Some(reader) = self.reader else { return Poll::Ready(None) };
        let now = self.shared.now();
        let found = self.shared.drive(|core| core.read_in_session(now, self.exchange, reader, cx));
        match found {
            Poll::Pending => Poll::Pending,
            Poll::Ready(Found::Said(said)) => Poll::Ready(Some(said)),
            Poll::Ready(Found::Closed | Found::Leave | Found::Lost) => {
                self.reader = None;
                Poll::Ready(None)
            }
        }
    }

    /// A future of what is said next, for a stream that is not polled by hand. Dropping it loses nothing.
    pub fn said(&mut self) -> impl Future<Output = Option<Said>> + Send + '_ {
        Next(self)
    }
}

impl Drop for ReplyStream {
    fn drop(&mut self) {
        let Some(reader) = self.reader else { return };
        let now = self.shared.now();
        self.shared.act(|core| core.leave(now, self.exchange, reader));
    }
}

impl std::fmt::Debug for ReplyStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ReplyStream").field("exchange", &self.exchange).finish_non_exhaustive()
    }
}

struct Next<'a>(&'a mut ReplyStream);

impl Future for Next<'_> {
    type Output = Option<Said>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Cx<'_>) -> Poll<Option<Said>> {
        self.0.poll_next(cx)
    }
}
