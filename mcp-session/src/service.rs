//! What a session does with what the peer asks: the seam between this crate and those above it.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use mcp_types::jsonrpc::{ErrorObject, Request};
use serde_json::value::RawValue;

use crate::blocking::Job;
use crate::context::Context;
use crate::engine::Wants;
use crate::peer::Peer;

/// Answers requests and takes notifications.
///
/// `ping`, cancellation, duplicate ids, the order of the handshake and everything about endings are dealt with before
/// a service sees a message.
pub trait Service: Send + Sync + 'static {
    /// Serves a request.
    ///
    /// What can be answered at once is; everything else is a future, which is polled once in place and then, if it is
    /// not ready, by a task of its own. It is dropped when the request is cancelled.
    fn serve(&self, request: &Request<'_>, context: Context) -> Answering;

    /// Hears of a notification at the moment it arrives, in the order of everything else that does, and before
    /// [`notified`](Self::notified) is given it. This is for what must not wait for the callbacks of earlier ones, nor
    /// be lost when too many wait: the session goes on only when this returns, so it takes note and no more.
    fn heard(&self, method: &str, params: Option<&str>) {
        let _ = (method, params);
    }

    /// Takes a notification. The future is awaited before the next notification is handed over, and never holds up
    /// anything else.
    fn notified(&self, notification: Note, peer: &Peer) -> Option<NoteFuture> {
        let _ = (notification, peer);
        None
    }
}

/// A notification of the peer.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Note {
    /// The method.
    pub method: Box<str>,
    /// The parameters, if there are any.
    pub params: Option<Box<RawValue>>,
}

/// What becomes of a notification in its callback.
pub type NoteFuture = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The answer to a request: the JSON of its result, or an error.
pub type Answer = Result<Body, ErrorObject>;

/// The JSON of a result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Body(pub(crate) Vec<u8>);

impl Body {
    /// A result that is already JSON: one object.
    #[must_use]
    pub const fn from_json(json: Vec<u8>) -> Self {
        Self(json)
    }

    /// The JSON.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// How a request is answered.
#[non_exhaustive]
pub enum Answering {
    /// Now.
    Ready(Answer),
    /// By a future.
    Future(HandlerFuture),
    /// It is a `subscriptions/listen`, and stays open.
    Listen {
        /// The changes that will be told. More resources than
        /// [`Limits::subscriptions`](crate::limits::Limits::subscriptions) allows get the request refused.
        wants: Wants,
        /// The parameters of the acknowledgement, as JSON.
        acknowledged: Vec<u8>,
    },
}

impl fmt::Debug for Answering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ready(_) => "Ready",
            Self::Future(_) => "Future",
            Self::Listen { .. } => "Listen",
        })
    }
}

/// A handler under way.
pub struct HandlerFuture {
    pub(crate) future: Pin<Box<dyn Future<Output = Answer> + Send>>,
    pub(crate) pace: Option<Arc<Pace>>,
    /// What it waits for, when that runs on a thread.
    pub(crate) job: Option<Arc<Job>>,
}

impl HandlerFuture {
    /// A handler that is polled in place first.
    #[must_use]
    pub fn new(future: impl Future<Output = Answer> + Send + 'static) -> Self {
        Self { future: Box::pin(future), pace: None, job: None }
    }

    /// The same, with the memory of how its kind behaved before.
    #[must_use]
    pub fn with_pace(mut self, pace: Arc<Pace>) -> Self {
        self.pace = Some(pace);
        self
    }
}

impl fmt::Debug for HandlerFuture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HandlerFuture").field("pace", &self.pace).finish_non_exhaustive()
    }
}

/// Remembers whether handlers of one kind were slow to yield: then they get a task from the start for a while, so that
/// they hold up the connection no more.
///
/// A first poll may be slow by accident: on a cold start, or because the machine was busy. So the next 64 handlers get
/// a task, and then one is tried in place again; each time that is slow too, twice as many get a task before the next
/// try. One that is fast clears the record.
#[derive(Debug, Default)]
pub struct Pace {
    /// How many get a task after the next slow one.
    sentence: AtomicU32,
    /// How many of them are left.
    left: AtomicU32,
}

impl Pace {
    /// Whether the next handler gets a task from the start.
    pub(crate) fn take_turn(&self) -> bool {
        let left = self.left.load(Ordering::Relaxed);
        if left > 0 {
            // Two threads may take the same turn: one more or less does not matter.
            self.left.store(left - 1, Ordering::Relaxed);
        }
        left > 0
    }

    /// A first poll took longer than [`Limits::slow_poll`](crate::limits::Limits::slow_poll).
    pub(crate) fn mark_slow(&self) {
        let sentence = self.sentence.load(Ordering::Relaxed).max(Self::FIRST_SENTENCE / 2).saturating_mul(2);
        self.sentence.store(sentence, Ordering::Relaxed);
        self.left.store(sentence, Ordering::Relaxed);
    }

    /// A first poll took no longer: whatever was slow before is forgiven.
    pub(crate) fn mark_fast(&self) {
        if self.sentence.load(Ordering::Relaxed) != 0 {
            self.sentence.store(0, Ordering::Relaxed);
        }
    }

    const FIRST_SENTENCE: u32 = 64;
}

#[cfg(test)]
mod tests {
    use super::Pace;

    #[test]
    fn each_slow_poll_costs_twice_as_many_turns() {
        let pace = Pace::default();
        assert!(!pace.take_turn());
        for sentence in [64, 128, 256] {
            pace.mark_slow();
            assert_eq!((0..).take_while(|_| pace.take_turn()).count(), sentence);
        }
        pace.mark_fast();
        pace.mark_slow();
        assert_eq!((0..).take_while(|_| pace.take_turn()).count(), 64, "a fast one in between is forgiven");
    }
}
