//! Keeping the events of streams that can be resumed.

use std::collections::{BTreeMap, HashMap};
use std::error::Error;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use bytes::Bytes;
use mcp_session::limits::Limits;

use super::session_id::SessionId;
use super::sse::{EventId, StreamId};

/// Keeps the events of sessions, so that a stream that broke can be resumed.
///
/// [`MemoryEvents`] keeps them in this process. Where several processes share the sessions, they share a store.
///
/// Appends to one session come one after the other; those of different sessions come at the same time.
///
/// Spec: [Resumability and redelivery](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery)
#[async_trait]
pub trait EventStore: fmt::Debug + Send + Sync + 'static {
    /// Keeps an event and gives it its id. An empty message is an event from which a client can resume, and no more.
    ///
    /// # Errors
    ///
    /// [`StoreError::Failed`]: the event has no id, and the stream cannot be resumed over it.
    async fn append(&self, session: SessionId, stream: StreamId, message: Bytes) -> Result<EventId, StoreError>;

    /// Gives the events that came after this one on its stream, in order, each once.
    ///
    /// # Errors
    ///
    /// - [`StoreError::Unknown`]: the session has no such event, or its stream was retired.
    /// - [`StoreError::Evicted`]: of the events after it, some are not kept any more.
    /// - [`StoreError::Failed`]: the store does not answer.
    async fn replay(&self, session: SessionId, after: EventId) -> Result<Vec<Event>, StoreError>;

    /// Forgets a stream that nobody will resume.
    ///
    /// # Errors
    ///
    /// [`StoreError::Failed`]: its events may still be there.
    async fn retire_stream(&self, session: SessionId, stream: StreamId) -> Result<(), StoreError>;

    /// Forgets a session that has ended.
    ///
    /// # Errors
    ///
    /// [`StoreError::Failed`]: its events may still be there.
    async fn retire_session(&self, session: SessionId) -> Result<(), StoreError>;
}

/// An event that was kept.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "stores of users make them")]
pub struct Event {
    /// Its id.
    pub id: EventId,
    /// The message; empty when there is none.
    pub message: Bytes,
}

/// Why a store has no answer.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The session has no such event.
    #[error("no such event")]
    Unknown,
    /// Events that came after this one had to make room.
    #[error("events after this one are not kept any more")]
    Evicted,
    /// The store itself failed.
    #[error("the store failed")]
    Failed(#[source] Arc<dyn Error + Send + Sync>),
}

/// Keeps events in memory: by default 1 000 of each stream and 1 MiB of each session. What is over makes the oldest
/// ones go, of the stream or of the session.
///
/// ```
/// use bytes::Bytes;
/// use mcp_server::http::{EventStore, MemoryEvents, SessionId, StreamId};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let (store, session) = (MemoryEvents::default(), SessionId::random()?);
/// let first = store.append(session, StreamId(1), Bytes::new()).await?;
/// store.append(session, StreamId(1), Bytes::from_static(b"{}")).await?;
/// let missed = store.replay(session, first).await?;
/// assert_eq!(missed[0].message, "{}");
/// assert!(store.replay(session, missed[0].id).await?.is_empty());
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
#[derive(Debug)]
pub struct MemoryEvents {
    events: usize,
    bytes: usize,
    sessions: Mutex<HashMap<SessionId, Log>>,
}

impl Default for MemoryEvents {
    fn default() -> Self {
        Self::new(&Limits::default())
    }
}

impl MemoryEvents {
    /// A store with the bounds [`Limits::stored_events`] and [`Limits::stored_bytes`].
    #[must_use]
    pub fn new(limits: &Limits) -> Self {
        Self { events: limits.stored_events, bytes: limits.stored_bytes, sessions: Mutex::default() }
    }

    /// How many sessions have events here.
    #[must_use]
    pub fn sessions(&self) -> usize {
        self.lock().len()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, Log>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl EventStore for MemoryEvents {
    async fn append(&self, session: SessionId, stream: StreamId, message: Bytes) -> Result<EventId, StoreError> {
        Ok(self.lock().entry(session).or_default().append(stream, message, self.events, self.bytes))
    }

    async fn replay(&self, session: SessionId, after: EventId) -> Result<Vec<Event>, StoreError> {
        self.lock().get(&session).ok_or(StoreError::Unknown)?.replay(after)
    }

    async fn retire_stream(&self, session: SessionId, stream: StreamId) -> Result<(), StoreError> {
        if let Some(log) = self.lock().get_mut(&session) {
            log.retire(stream);
        }
        Ok(())
    }

    async fn retire_session(&self, session: SessionId) -> Result<(), StoreError> {
        self.lock().remove(&session);
        Ok(())
    }
}

/// The events of one session.
#[derive(Debug, Default)]
struct Log {
    last_place: u64,
    /// By place, so that the oldest one of the session is the first.
    events: BTreeMap<u64, (StreamId, Bytes)>,
    streams: HashMap<StreamId, Kept>,
    bytes: usize,
}

/// What is there of one stream.
#[derive(Debug, Default)]
struct Kept {
    /// In order.
    places: std::collections::VecDeque<u64>,
    /// Of the last event that had to go; 0 when none had to.
    evicted: u64,
}

impl Log {
    fn append(&mut self, stream: StreamId, message: Bytes, max_events: usize, max_bytes: usize) -> EventId {
        self.last_place += 1;
        let place = self.last_place;
        self.bytes += message.len();
        self.events.insert(place, (stream, message));
        let kept = self.streams.entry(stream).or_default();
        kept.places.push_back(place);
        if kept.places.len() > max_events
            && let Some(oldest) = kept.places.front().copied()
        {
            self.evict(oldest);
        }
        while self.bytes > max_bytes
            && let Some((oldest, _)) = self.events.first_key_value()
        {
            self.evict(*oldest);
        }
        EventId { stream, place }
    }

    /// Lets an event go that is the oldest of its stream.
    fn evict(&mut self, place: u64) {
        let Some((stream, message)) = self.events.remove(&place) else { return };
        self.bytes -= message.len();
        if let Some(kept) = self.streams.get_mut(&stream) {
            kept.places.pop_front();
            kept.evicted = place;
        }
    }

    fn replay(&self, after: EventId) -> Result<Vec<Event>, StoreError> {
        let kept = self.streams.get(&after.stream).ok_or(StoreError::Unknown)?;
        let first = match kept.places.binary_search(&after.place) {
            Ok(at) => at + 1,
            // The event itself may be gone, as long as everything after it is there.
            Err(_) if after.place == kept.evicted && after.place != 0 => 0,
            Err(_) if after.place < kept.evicted => return Err(StoreError::Evicted),
            Err(_) => return Err(StoreError::Unknown),
        };
        let events = kept.places.range(first..).filter_map(|place| {
            let (stream, message) = self.events.get(place)?;
            Some(Event { id: EventId { stream: *stream, place: *place }, message: message.clone() })
        });
        Ok(events.collect())
    }

    fn retire(&mut self, stream: StreamId) {
        for place in self.streams.remove(&stream).into_iter().flat_map(|kept| kept.places) {
            if let Some((_, message)) = self.events.remove(&place) {
                self.bytes -= message.len();
            }
        }
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ONE: StreamId = StreamId(1);
    const TWO: StreamId = StreamId(2);

    fn store(events: usize, bytes: usize) -> (MemoryEvents, SessionId) {
        let mut limits = Limits::default();
        limits.stored_events = events;
        limits.stored_bytes = bytes;
        (MemoryEvents::new(&limits), SessionId::random().unwrap())
    }

    /// What would be replayed, or the name of the error.
    async fn after(store: &MemoryEvents, session: SessionId, id: EventId) -> String {
        match store.replay(session, id).await {
            Ok(events) => {
                events.iter().map(|event| String::from_utf8_lossy(&event.message).into_owned() + " ").collect()
            }
            Err(error) => format!("{error:?}"),
        }
    }

    #[tokio::test]
    async fn a_stream_is_replayed_from_where_it_broke() {
        let (store, session) = store(10, 100);
        let mut ids = Vec::new();
        for (stream, message) in [(ONE, ""), (TWO, "a"), (ONE, "b"), (TWO, "c"), (ONE, "d")] {
            ids.push(store.append(session, stream, Bytes::from_static(message.as_bytes())).await.unwrap());
        }
        assert_eq!(after(&store, session, ids[0]).await, "b d ");
        assert_eq!(after(&store, session, ids[2]).await, "d ");
        assert_eq!(after(&store, session, ids[4]).await, "");
        assert_eq!(after(&store, session, ids[1]).await, "c ");
        assert!(
            ids.iter().map(ToString::to_string).collect::<Vec<_>>().is_sorted_by_key(|id| id
                .split('-')
                .next_back()
                .unwrap()
                .to_owned())
        );
    }

    #[tokio::test]
    async fn what_was_never_sent_cannot_be_resumed_from() {
        let (store, session) = store(10, 100);
        let id = store.append(session, ONE, Bytes::from_static(b"a")).await.unwrap();
        let of_two = store.append(session, TWO, Bytes::from_static(b"b")).await.unwrap();
        for wrong in [
            EventId { place: 0, ..id },
            EventId { place: 99, ..id },
            EventId { stream: StreamId(9), ..id },
            // The event is there, and on another stream.
            EventId { stream: ONE, ..of_two },
        ] {
            assert_eq!(after(&store, session, wrong).await, "Unknown", "{wrong}");
        }
        assert_eq!(after(&store, SessionId::random().unwrap(), id).await, "Unknown");
    }

    #[tokio::test]
    async fn the_oldest_of_a_stream_makes_room() {
        let (store, session) = store(2, 100);
        let mut ids = Vec::new();
        for message in ["a", "b", "c", "d"] {
            ids.push(store.append(session, ONE, Bytes::from_static(message.as_bytes())).await.unwrap());
        }
        store.append(session, TWO, Bytes::from_static(b"x")).await.unwrap();
        let said = [
            after(&store, session, ids[0]).await,
            after(&store, session, ids[1]).await,
            after(&store, session, ids[2]).await,
        ];
        assert_eq!(said, ["Evicted", "c d ", "d "]);
    }

    #[tokio::test]
    async fn the_oldest_of_a_session_makes_room() {
        let (store, session) = store(10, 6);
        let one = store.append(session, ONE, Bytes::from_static(b"aaa")).await.unwrap();
        let two = store.append(session, TWO, Bytes::from_static(b"bb")).await.unwrap();
        let one_b = store.append(session, ONE, Bytes::from_static(b"cccc")).await.unwrap();
        assert_eq!(after(&store, session, one).await, "cccc ");
        assert_eq!(after(&store, session, two).await, "");
        // One that is larger than the bound is not kept, and nobody resumes over it.
        store.append(session, ONE, Bytes::from_static(b"ddddddd")).await.unwrap();
        assert_eq!(after(&store, session, one_b).await, "Evicted");
        assert_eq!(store.lock()[&session].bytes, 0);
        store.append(session, ONE, Bytes::from_static(b"e")).await.unwrap();
        assert_eq!(after(&store, session, one_b).await, "Evicted");
    }

    #[tokio::test]
    async fn nothing_is_left_of_what_was_retired() {
        let (store, session) = store(10, 100);
        let one = store.append(session, ONE, Bytes::from_static(b"a")).await.unwrap();
        let two = store.append(session, TWO, Bytes::from_static(b"bb")).await.unwrap();
        store.retire_stream(session, ONE).await.unwrap();
        store.retire_stream(session, ONE).await.unwrap();
        assert_eq!(after(&store, session, one).await, "Unknown");
        assert_eq!(after(&store, session, two).await, "");
        assert_eq!(store.lock()[&session].bytes, 2);
        store.retire_session(session).await.unwrap();
        assert_eq!(store.sessions(), 0);
        assert_eq!(after(&store, session, two).await, "Unknown");
    }

    proptest! {
        /// However events come and go, the bounds hold and a replay has everything after its event or fails.
        #[test]
        fn a_replay_is_whole_or_refused(steps in prop::collection::vec((0_u64..3, 0_usize..5, prop::bool::weighted(0.1)), 1..60)) {
            let mut log = Log::default();
            let mut sent: Vec<Event> = Vec::new();
            for (stream, length, retires) in steps {
                let stream = StreamId(stream);
                if retires {
                    log.retire(stream);
                    sent.retain(|event| event.id.stream != stream);
                    continue;
                }
                let message = Bytes::from(vec![b'x'; length]);
                let id = log.append(stream, message.clone(), 4, 12);
                sent.push(Event { id, message });
                prop_assert!(log.bytes <= 12);
                prop_assert!(log.streams.values().all(|kept| kept.places.len() <= 4));
                prop_assert_eq!(log.bytes, log.events.values().map(|(_, message)| message.len()).sum::<usize>());
                for event in &sent {
                    let later = sent.iter().filter(|other| other.id.stream == event.id.stream && other.id > event.id);
                    match log.replay(event.id) {
                        Ok(events) => prop_assert_eq!(events, later.cloned().collect::<Vec<_>>()),
                        Err(StoreError::Evicted) => prop_assert!(log.streams[&event.id.stream].evicted > event.id.place),
                        Err(error) => prop_assert!(false, "{error:?}"),
                    }
                }
            }
        }
    }
}
