//! What a connection knows of its lists and subscriptions.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::task::JoinSet;

use super::change::Change;
use super::inbox::Inbox;
use crate::lists::Cache;
use crate::shared::Shared;

/// What a connection knows of its lists and subscriptions: what is kept of the ones, and who waits for the others.
#[derive(Debug, Default)]
pub(crate) struct Hub {
    cache: Arc<Cache>,
    state: Mutex<State>,
    keepers: Mutex<JoinSet<()>>,
}

#[derive(Debug, Default)]
struct State {
    /// The subscriptions of the legacy era: what is told there is told to the whole connection.
    entries: Vec<Entry>,
    next: u64,
}

#[derive(Debug)]
struct Entry {
    number: u64,
    /// The session of the connection that was subscribed to.
    session: u32,
    inbox: Arc<Inbox>,
}

/// A place in the hub, which is given up when it is dropped.
#[derive(Debug)]
pub(super) struct Place {
    shared: Arc<Shared>,
    number: u64,
}

impl Hub {
    /// What is kept of the lists of this session.
    pub(crate) fn cache(&self, session: u32) -> Arc<Cache> {
        self.cache.turn_to(session);
        Arc::clone(&self.cache)
    }

    /// A notification has arrived that belongs to no call.
    pub(crate) fn heard(&self, method: &str, params: Option<&str>) {
        if let Some(change) = Change::of(method, params) {
            self.changed(&change);
            self.tell(&change);
        }
    }

    /// Something has changed, whoever wants to know.
    pub(super) fn changed(&self, change: &Change) {
        change.lists().iter().for_each(|kind| self.cache.changed(*kind));
    }

    /// Shares a change out. That of a resource which nobody has named, nor anything above it, goes to all who have named
    /// one: the server has a reason to tell.
    pub(super) fn tell(&self, change: &Change) {
        let state = self.lock();
        let is_known = state.entries.iter().any(|entry| entry.inbox.wants().has(change));
        let is_orphan = !is_known && matches!(change, Change::Resource { .. });
        let is_told = |inbox: &Inbox| inbox.wants().has(change) || (is_orphan && !inbox.wants().uris.is_empty());
        let inboxes = state.entries.iter().map(|entry| &entry.inbox).filter(|inbox| is_told(inbox));
        let told: Vec<_> = inboxes.map(Arc::clone).collect();
        // Whoever reads them is woken while nothing is locked.
        drop(state);
        told.iter().for_each(|inbox| inbox.put(change.clone()));
    }

    /// From now on these changes are shared out to that inbox.
    pub(super) fn enter(shared: &Arc<Shared>, session: u32, inbox: &Arc<Inbox>) -> Place {
        let mut state = shared.hub.lock();
        let number = state.next;
        state.next += 1;
        state.entries.push(Entry { number, session, inbox: Arc::clone(inbox) });
        Place { shared: Arc::clone(shared), number }
    }

    /// The resources that somebody subscribed to in this session.
    pub(super) fn subscribed(&self, session: u32) -> BTreeSet<String> {
        let state = self.lock();
        let entries = state.entries.iter().filter(|entry| entry.session == session);
        entries.flat_map(|entry| entry.inbox.wants().uris.iter().cloned()).collect()
    }

    /// Runs what keeps a subscription, for as long as the connection lives.
    pub(super) fn keep(&self, keeper: impl Future<Output = ()> + Send + 'static) {
        let mut keepers = self.keepers.lock().unwrap_or_else(PoisonError::into_inner);
        while keepers.try_join_next().is_some() {}
        keepers.spawn(keeper);
    }

    // What is behind the lock is whole between any two statements.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.shared.hub.lock().entries.retain(|entry| entry.number != self.number);
    }
}
