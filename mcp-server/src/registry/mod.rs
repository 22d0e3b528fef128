//! What a server has of one kind: named, in order, and free to change while it runs.

mod list;

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use mcp_session::engine::Change;
use mcp_types::version::Version;

use crate::changes::Live;
use crate::state::{Need, States};

pub(crate) use self::list::{Cursor, List};

/// Something that a server has and lists: a tool, a prompt, a resource.
pub(crate) trait Listed: fmt::Debug + Send + Sync + 'static {
    /// What clients are told when there are others.
    const CHANGE: Change;
    /// The member of a list's result that has them.
    const MEMBER: &'static str;

    /// What it is found by.
    fn key(&self) -> &str;

    /// What it needs of its server.
    fn needs(&self) -> Vec<Need>;

    /// What clients of a revision are told of it, as JSON.
    fn told(&self, version: Version) -> Vec<u8>;
}

/// All that a server has of one kind: a handle. Clients are told of changes by themselves.
pub(crate) struct Registry<T>(Arc<Shared<T>>);

#[derive(Debug)]
struct Shared<T> {
    shelf: RwLock<Shelf<T>>,
    live: Live,
    is_declared: AtomicBool,
}

#[derive(Debug)]
struct Shelf<T> {
    by_key: HashMap<Box<str>, Arc<T>>,
    /// In the order in which they were first added.
    //= 2026-07-28/server/tools#capabilities
    //# Servers **SHOULD** return tools in a deterministic order
    in_order: Vec<Arc<T>>,
    /// The list, for each revision that asked for it since the last change.
    lists: Vec<(Version, Arc<List>)>,
}

impl<T: Listed> Registry<T> {
    /// A registry with nothing in it. `live` are the sessions that are told of changes.
    pub(crate) fn new(live: Live) -> Self {
        let shelf = Shelf { by_key: HashMap::new(), in_order: Vec::new(), lists: Vec::new() };
        Self(Arc::new(Shared { shelf: RwLock::new(shelf), live, is_declared: AtomicBool::new(false) }))
    }

    /// Adds one. One of the same key is replaced and leaves its place in the list to it; whether there was one is
    /// returned.
    pub(crate) fn add(&self, item: T) -> bool {
        self.declare();
        let was_there = self.change(|shelf| shelf.add(Arc::new(item)));
        self.0.live.changed(T::CHANGE);
        was_there
    }

    /// Removes one, and says whether it was there.
    pub(crate) fn remove(&self, key: &str) -> bool {
        let is_removed = self.change(|shelf| shelf.remove(key));
        if is_removed {
            self.0.live.changed(T::CHANGE);
        }
        is_removed
    }

    pub(crate) fn contains(&self, key: &str) -> bool {
        self.look(|shelf| shelf.by_key.contains_key(key))
    }

    pub(crate) fn find(&self, key: &str) -> Option<Arc<T>> {
        self.look(|shelf| shelf.by_key.get(key).cloned())
    }

    /// Looks at all of them, in order.
    pub(crate) fn all<R>(&self, look: impl FnOnce(&[Arc<T>]) -> R) -> R {
        self.look(|shelf| look(&shelf.in_order))
    }

    /// The first that needs what is not there, by its key, and what that is.
    pub(crate) fn lacking(&self, states: &States) -> Option<(String, Need)> {
        let lacks = |item: &T| item.needs().into_iter().find(|need| !states.has(*need));
        self.all(|items| items.iter().find_map(|item| Some((item.key().to_owned(), lacks(item)?))))
    }

    /// The list, with what this revision knows of each.
    pub(crate) fn list(&self, version: Version) -> Arc<List> {
        let built = self.look(|shelf| shelf.built(version));
        built.unwrap_or_else(|| self.change(|shelf| shelf.build(version)))
    }

    /// Whether clients are told that this server has things of this kind: it has, or had, or may have.
    pub(crate) fn is_declared(&self) -> bool {
        self.0.is_declared.load(Ordering::Relaxed)
    }

    pub(crate) fn declare(&self) {
        self.0.is_declared.store(true, Ordering::Relaxed);
    }

    // Nothing under these locks calls code of an application, so that a panic leaves the shelf in order.

    fn look<R>(&self, look: impl FnOnce(&Shelf<T>) -> R) -> R {
        look(&self.0.shelf.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn change<R>(&self, change: impl FnOnce(&mut Shelf<T>) -> R) -> R {
        change(&mut self.0.shelf.write().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<T> Clone for Registry<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T: fmt::Debug> fmt::Debug for Registry<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shelf = self.0.shelf.read().unwrap_or_else(PoisonError::into_inner);
        f.debug_list().entries(&shelf.in_order).finish()
    }
}

impl<T: Listed> Shelf<T> {
    fn add(&mut self, item: Arc<T>) -> bool {
        self.lists.clear();
        let replaced = self.by_key.insert(item.key().into(), Arc::clone(&item));
        // Most are new, and those need no search.
        let place = replaced.as_ref().and_then(|old| self.in_order.iter().position(|other| Arc::ptr_eq(other, old)));
        match place.and_then(|place| self.in_order.get_mut(place)) {
            Some(old) => *old = item,
            None => self.in_order.push(item),
        }
        replaced.is_some()
    }

    fn remove(&mut self, key: &str) -> bool {
        let Some(removed) = self.by_key.remove(key) else { return false };
        self.lists.clear();
        self.in_order.retain(|other| !Arc::ptr_eq(other, &removed));
        true
    }

    fn built(&self, version: Version) -> Option<Arc<List>> {
        self.lists.iter().find(|(of, _)| *of == version).map(|(_, list)| Arc::clone(list))
    }

    fn build(&mut self, version: Version) -> Arc<List> {
        // Somebody else may have come first.
        if let Some(list) = self.built(version) {
            return list;
        }
        let list = Arc::new(List::of(&self.in_order, version));
        self.lists.push((version, Arc::clone(&list)));
        list
    }
}
