//! Which sessions are alive, to tell them what has changed.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use mcp_session::Link;
use mcp_session::engine::Change;

/// The live sessions of a server.
#[derive(Clone, Debug, Default)]
pub(crate) struct Live(Arc<Mutex<Sessions>>);

#[derive(Debug, Default)]
struct Sessions {
    next: u64,
    /// In the order in which they came.
    sessions: BTreeMap<u64, Link>,
}

impl Live {
    /// Takes a session in for as long as the membership is kept.
    pub(crate) fn join(&self, session: Link) -> Membership {
        self.with(|live| {
            let number = live.next;
            live.next += 1;
            live.sessions.insert(number, session);
            Membership { live: self.clone(), number }
        })
    }

    /// Tells every live session of a change. Each of them decides whom that concerns.
    pub(crate) fn changed(&self, change: Change) {
        self.sessions().iter().for_each(|session| session.changed(change));
    }

    /// Tells every live session that the contents of a resource changed.
    pub(crate) fn resource_updated(&self, uri: &str) {
        self.sessions().iter().for_each(|session| session.resource_updated(uri));
    }

    /// The sessions have locks of their own, which must not be waited for under this one.
    fn sessions(&self) -> Vec<Link> {
        self.with(|live| live.sessions.values().cloned().collect())
    }

    fn with<R>(&self, act: impl FnOnce(&mut Sessions) -> R) -> R {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A session is told of changes until this is dropped.
#[derive(Debug)]
pub(crate) struct Membership {
    live: Live,
    number: u64,
}

impl Drop for Membership {
    fn drop(&mut self) {
        // What goes may be the last that holds a session: it is dropped when the lock is free.
        let session = self.live.with(|live| live.sessions.remove(&self.number));
        drop(session);
    }
}
