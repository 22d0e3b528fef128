//! The tools of a server, which may change while it runs.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use mcp_session::engine::Change;
use mcp_types::version::Version;

use super::Tool;
use crate::changes::Live;
use crate::identity::encode;
use crate::state::{Need, States};

/// The tools of a server: a handle, to add and to remove some while it runs. Clients are told by themselves.
///
/// ```
/// use mcp_server::{Server, Tool};
///
/// let server = Server::new("s", "1.0.0").tool("one", "The first.", async || "1");
/// let tools = server.tools();
/// tools.add(Tool::new("two", async || "2"));
/// assert!(tools.contains("two"));
/// assert!(tools.remove("one"));
/// assert!(!tools.remove("one"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Tools(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    registry: RwLock<Registry>,
    live: Live,
    is_declared: AtomicBool,
}

#[derive(Debug, Default)]
struct Registry {
    by_name: HashMap<Box<str>, Arc<Tool>>,
    /// In the order in which they were first added.
    //= 2026-07-28/server/tools#capabilities
    //# Servers **SHOULD** return tools in a deterministic order
    in_order: Vec<Arc<Tool>>,
    /// The JSON of the list, for each revision that asked for it since the last change.
    lists: Vec<(Version, Arc<[u8]>)>,
}

impl Tools {
    /// Adds a tool. One of the same name is replaced and leaves its place in the list to it; whether there was one is
    /// returned.
    ///
    /// Calls that are under way keep the tool that they began with.
    pub fn add(&self, tool: Tool) -> bool {
        if !tool.has_good_name() {
            let name = tool.name();
            tracing::warn!(tool = name, "clients may not accept a tool of this name");
        }
        self.declare();
        let was_there = self.change(|registry| registry.add(Arc::new(tool)));
        self.0.live.changed(Change::Tools);
        was_there
    }

    /// Removes a tool, and says whether there was one of this name.
    ///
    /// Calls that are under way run to their end.
    pub fn remove(&self, name: &str) -> bool {
        let is_removed = self.change(|registry| registry.remove(name));
        if is_removed {
            self.0.live.changed(Change::Tools);
        }
        is_removed
    }

    /// Whether there is a tool of this name.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.look(|registry| registry.by_name.contains_key(name))
    }

    /// The first tool that needs what is not there, by its name, and what that is.
    pub(crate) fn lacking(&self, states: &States) -> Option<(String, Need)> {
        let lacks = |tool: &Tool| tool.needs().iter().copied().find(|need| !states.has(*need));
        self.look(|registry| registry.in_order.iter().find_map(|tool| Some((tool.name().to_owned(), lacks(tool)?))))
    }

    pub(crate) fn find(&self, name: &str) -> Option<Arc<Tool>> {
        self.look(|registry| registry.by_name.get(name).cloned())
    }

    /// The tools as a JSON array, with what this revision knows of them.
    pub(crate) fn list(&self, version: Version) -> Arc<[u8]> {
        let built = self.look(|registry| registry.built(version));
        built.unwrap_or_else(|| self.change(|registry| registry.build(version)))
    }

    /// Whether clients are told that this server has tools: it has, or had, or may have.
    pub(crate) fn is_declared(&self) -> bool {
        self.0.is_declared.load(Ordering::Relaxed)
    }

    pub(crate) fn declare(&self) {
        self.0.is_declared.store(true, Ordering::Relaxed);
    }

    /// The sessions that are told of changes.
    pub(crate) fn live(&self) -> &Live {
        &self.0.live
    }

    // Nothing under these locks calls out, so that a panic leaves the registry in order.

    fn look<R>(&self, look: impl FnOnce(&Registry) -> R) -> R {
        look(&self.0.registry.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn change<R>(&self, change: impl FnOnce(&mut Registry) -> R) -> R {
        change(&mut self.0.registry.write().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Registry {
    fn add(&mut self, tool: Arc<Tool>) -> bool {
        self.lists.clear();
        let place = self.in_order.iter().position(|other| other.name() == tool.name());
        match place.and_then(|place| self.in_order.get_mut(place)) {
            Some(old) => *old = Arc::clone(&tool),
            None => self.in_order.push(Arc::clone(&tool)),
        }
        self.by_name.insert(tool.name().into(), tool).is_some()
    }

    fn remove(&mut self, name: &str) -> bool {
        if self.by_name.remove(name).is_none() {
            return false;
        }
        self.lists.clear();
        self.in_order.retain(|tool| tool.name() != name);
        true
    }

    fn built(&self, version: Version) -> Option<Arc<[u8]>> {
        self.lists.iter().find(|(of, _)| *of == version).map(|(_, list)| Arc::clone(list))
    }

    fn build(&mut self, version: Version) -> Arc<[u8]> {
        // Somebody else may have come first.
        if let Some(list) = self.built(version) {
            return list;
        }
        let tools: Vec<_> = self.in_order.iter().map(|tool| tool.told(version)).collect();
        let list: Arc<[u8]> = encode(&tools).into();
        self.lists.push((version, Arc::clone(&list)));
        list
    }
}
