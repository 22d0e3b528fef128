//! The sessions of revisions with a handshake, by their ids.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock, Weak};

use mcp_session::engine::Principal;

use super::cap::{Cap, Permit};
use super::session_id::SessionId;

/// The sessions that are alive, each with the principal that opened it. Clones share them.
#[derive(Debug)]
pub(crate) struct Sessions<T>(Arc<Shared<T>>);

#[derive(Debug)]
struct Shared<T> {
    places: Cap,
    by_id: RwLock<HashMap<SessionId, Entry<T>>>,
}

#[derive(Debug)]
struct Entry<T> {
    principal: Principal,
    session: T,
    _place: Permit,
}

impl<T: Clone> Sessions<T> {
    pub(crate) fn new(limit: usize) -> Self {
        Self(Arc::new(Shared { places: Cap::new(limit), by_id: RwLock::default() }))
    }

    /// Takes a place for a session to come. `None` when there is no free one.
    ///
    /// None is freed for it: a stranger who opens many sessions must not be able to end those of others.
    pub(crate) fn reserve(&self) -> Option<Permit> {
        self.0.places.enter()
    }

    /// Puts a session in its place, for as long as the guard is kept.
    pub(crate) fn insert(&self, place: Permit, id: SessionId, principal: Principal, session: T) -> Lives<T> {
        let entry = Entry { principal, session, _place: place };
        self.0.by_id.write().unwrap_or_else(PoisonError::into_inner).insert(id, entry);
        Lives { sessions: Arc::downgrade(&self.0), id }
    }

    /// Finds a session of this principal. That of another one is none, so that nobody learns of it: to know its id is
    /// not to be who opened it.
    pub(crate) fn find(&self, id: SessionId, principal: &Principal) -> Option<T> {
        let by_id = self.0.by_id.read().unwrap_or_else(PoisonError::into_inner);
        by_id.get(&id).filter(|entry| entry.principal == *principal).map(|entry| entry.session.clone())
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.0.by_id.read().unwrap_or_else(PoisonError::into_inner).len()
    }
}

impl<T> Clone for Sessions<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

/// A session is found until this is dropped. It does not keep the others: what runs a session ends with them.
#[derive(Debug)]
pub(crate) struct Lives<T> {
    sessions: Weak<Shared<T>>,
    id: SessionId,
}

impl<T> Lives<T> {
    /// Of which session this is.
    pub(crate) const fn id(&self) -> SessionId {
        self.id
    }
}

impl<T> Drop for Lives<T> {
    fn drop(&mut self) {
        let Some(sessions) = self.sessions.upgrade() else { return };
        let removed = sessions.by_id.write().unwrap_or_else(PoisonError::into_inner).remove(&self.id);
        // It may be the last that holds the session, which is dropped when the lock is free.
        drop(removed);
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_found_by_who_opened_it_until_it_has_ended() {
        let sessions = Sessions::new(2);
        let (anna, berta, nobody) = (Principal::named("anna"), Principal::named("berta"), Principal::default());
        let (one, other) = (SessionId::random().unwrap(), SessionId::random().unwrap());
        let lives = sessions.insert(sessions.reserve().unwrap(), one, anna.clone(), "of anna");
        let _lives = sessions.insert(sessions.reserve().unwrap(), other, nobody.clone(), "of nobody");
        assert!(sessions.reserve().is_none());
        #[rustfmt::skip]
        let rows = [
            (one,                           &anna,      Some("of anna")),
            (one,                           &berta,     None),
            (one,                           &nobody,    None),
            (other,                         &nobody,    Some("of nobody")),
            (other,                         &anna,      None),
            (SessionId::random().unwrap(),  &anna,      None),
        ];
        for (id, principal, found) in rows {
            assert_eq!(sessions.find(id, principal), found, "{id:?} {principal:?}");
        }
        drop(lives);
        assert_eq!((sessions.find(one, &anna), sessions.len()), (None, 1));
        assert!(sessions.reserve().is_some());
    }
}
