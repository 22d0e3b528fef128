//! What can change on our side, and who wants to be told.

use std::collections::BTreeSet;
use std::sync::Arc;

/// What changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Change {
    /// The list of tools.
    Tools,
    /// The list of prompts.
    Prompts,
    /// The list of resources.
    Resources,
}

impl Change {
    /// Every kind of change.
    pub const ALL: [Self; 3] = [Self::Tools, Self::Prompts, Self::Resources];
}

/// A set of changes: what a listen asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Changes(u8);

impl Changes {
    /// No changes.
    pub const NONE: Self = Self(0);

    /// The same set with `change` in it.
    #[must_use]
    pub const fn with(self, change: Change) -> Self {
        Self(self.0 | (1 << change as u8))
    }

    /// The same set without `change`.
    #[must_use]
    pub const fn without(self, change: Change) -> Self {
        Self(self.0 & !(1 << change as u8))
    }

    /// Whether `change` is in the set.
    #[must_use]
    pub const fn has(self, change: Change) -> bool {
        self.0 & (1 << change as u8) != 0
    }
}

/// What a listen waits for: changes of lists, and of the contents of single resources.
///
/// ```
/// use mcp_session::engine::{Change, Changes, Wants};
///
/// let wants = Wants::from(Changes::NONE.with(Change::Resources)).with_resource("file:///a");
/// assert!(wants.changes().has(Change::Resources) && !wants.changes().has(Change::Tools));
/// assert_eq!(wants.resources().collect::<Vec<_>>(), ["file:///a"]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Wants {
    pub(super) changes: Changes,
    pub(super) resources: BTreeSet<Arc<str>>,
}

impl Wants {
    /// The same, with changes of this resource's contents. A resource that is named twice counts once.
    #[must_use]
    pub fn with_resource(mut self, uri: impl Into<Arc<str>>) -> Self {
        self.resources.insert(uri.into());
        self
    }

    /// The changes of lists.
    #[must_use]
    pub const fn changes(&self) -> Changes {
        self.changes
    }

    /// The resources, by their URIs.
    pub fn resources(&self) -> impl Iterator<Item = &str> {
        self.resources.iter().map(|uri| &**uri)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.changes == Changes::NONE && self.resources.is_empty()
    }
}

impl From<Changes> for Wants {
    fn from(changes: Changes) -> Self {
        Self { changes, resources: BTreeSet::new() }
    }
}

/// A connection has as many subscriptions to resources as it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a connection may have {limit} subscriptions to resources")]
#[non_exhaustive]
pub struct TooMany {
    /// How many it may have: [`Limits::subscriptions`](crate::limits::Limits::subscriptions).
    pub limit: usize,
}
