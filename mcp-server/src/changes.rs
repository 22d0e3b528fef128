//! Which sessions are alive, to tell them what has changed.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use mcp_session::Peer;
use mcp_session::engine::Change;

/// The live sessions of a server.
#[derive(Clone, Debug, Default)]
pub(crate) struct Live(Arc<Mutex<Peers>>);

#[derive(Debug, Default)]
struct Peers {
    next: u64,
    /// In the order in which they came.
    peers: BTreeMap<u64, Peer>,
}

impl Live {
    /// Takes a session in for as long as the membership is kept.
    pub(crate) fn join(&self, peer: Peer) -> Membership {
        self.with(|live| {
            let number = live.next;
            live.next += 1;
            live.peers.insert(number, peer);
            Membership { live: self.clone(), number }
        })
    }

    /// Tells every live session of a change. Each of them decides whom that concerns.
    pub(crate) fn changed(&self, change: Change) {
        self.peers().iter().for_each(|peer| peer.changed(change));
    }

    /// Tells every live session that the contents of a resource changed.
    pub(crate) fn resource_updated(&self, uri: &str) {
        self.peers().iter().for_each(|peer| peer.resource_updated(uri));
    }

    /// The sessions have locks of their own, which must not be waited for under this one.
    fn peers(&self) -> Vec<Peer> {
        self.with(|live| live.peers.values().cloned().collect())
    }

    fn with<R>(&self, act: impl FnOnce(&mut Peers) -> R) -> R {
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
        let peer = self.live.with(|live| live.peers.remove(&self.number));
        drop(peer);
    }
}
