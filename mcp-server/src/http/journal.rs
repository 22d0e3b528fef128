//! The log of one session, in the store of its server.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use mcp_session::engine::ExchangeId;
use mcp_session::{Appending, Log};

use super::session_id::SessionId;
use super::sse::{EventId, StreamId};
use super::store::{Event, EventStore, StoreError};

/// Keeps what is said in one session.
pub(crate) struct Journal {
    store: Arc<dyn EventStore>,
    session: SessionId,
    /// Streams that have said everything, the oldest first. A client may have missed the end of them.
    over: Mutex<VecDeque<StreamId>>,
}

impl Journal {
    pub(crate) fn new(store: Arc<dyn EventStore>, session: SessionId) -> Self {
        Self { store, session, over: Mutex::default() }
    }

    /// What came after an event on its stream.
    pub(crate) async fn replay(&self, after: EventId) -> Result<Vec<Event>, StoreError> {
        self.store.replay(self.session, after).await
    }

    /// A stream has said everything. It can be resumed for a while; those that have been over for longer are forgotten.
    pub(crate) async fn is_over(&self, stream: StreamId) {
        let oldest = {
            let mut over = self.over.lock().unwrap_or_else(PoisonError::into_inner);
            if !over.contains(&stream) {
                over.push_back(stream);
            }
            if over.len() > OVER { over.pop_front() } else { None }
        };
        if let Some(oldest) = oldest
            && let Err(error) = self.store.retire_stream(self.session, oldest).await
        {
            tracing::warn!(session = ?self.session, %error, "the events of a stream are still kept");
        }
    }

    /// The session has ended, and everything of it is forgotten.
    pub(crate) async fn forget(&self) {
        if let Err(error) = self.store.retire_session(self.session).await {
            tracing::warn!(session = ?self.session, %error, "the events of a session that has ended are still kept");
        }
    }
}

impl Log for Journal {
    fn append(&self, stream: ExchangeId, message: Bytes) -> Appending {
        let (store, session) = (Arc::clone(&self.store), self.session);
        Box::pin(async move {
            match store.append(session, stream_of(stream), message).await {
                Ok(id) => Some(id.place),
                Err(error) => {
                    tracing::warn!(?session, %error, "a stream cannot be resumed over an event");
                    None
                }
            }
        })
    }
}

impl fmt::Debug for Journal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Journal").field("session", &self.session).finish_non_exhaustive()
    }
}

/// How clients know a stream.
pub(crate) const fn stream_of(exchange: ExchangeId) -> StreamId {
    StreamId(exchange.0 as u64)
}

/// The stream that a client means. `None` when there can be no such one.
pub(crate) fn exchange_of(stream: StreamId) -> Option<ExchangeId> {
    u32::try_from(stream.0).ok().map(ExchangeId)
}

/// How many streams that are over can be resumed in one session.
const OVER: usize = 64;

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::http::store::MemoryEvents;

    #[tokio::test]
    async fn streams_that_are_over_are_forgotten_in_time() {
        let journal = Journal::new(Arc::new(MemoryEvents::default()), SessionId::random().unwrap());
        let mut places = Vec::new();
        for number in 0..100 {
            places.push(journal.append(ExchangeId(number), Bytes::from_static(b"{}")).await.unwrap());
            journal.is_over(StreamId(number.into())).await;
            journal.is_over(StreamId(number.into())).await;
        }
        let kept = |number: u64| EventId { stream: StreamId(number), place: places[usize::try_from(number).unwrap()] };
        assert!(journal.replay(kept(36)).await.is_ok(), "64 are there");
        assert!(matches!(journal.replay(kept(35)).await, Err(StoreError::Unknown)));
        journal.forget().await;
        assert!(matches!(journal.replay(kept(99)).await, Err(StoreError::Unknown)));
    }
}
