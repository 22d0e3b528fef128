//! The folders and files that a server may work on.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use mcp_types::method;
use mcp_types::roots::Root;

use crate::shared::Shared;

/// The roots of a client, which can be changed while it is connected.
///
/// Clones are handles to the same roots. Only what the user has agreed to belongs in here; by the protocol each is a
/// `file://` URI.
///
/// ```
/// use mcp_client::{Client, Roots};
/// use mcp_types::roots::Root;
///
/// let roots = Roots::new([Root::new("file:///home/ada/engine")]);
/// let client = Client::new("my-app", "1.0").with_roots(roots.clone());
/// // Later: servers of the legacy era are told, others ask each time anyway.
/// roots.set([Root::new("file:///home/ada/notes")]);
/// # drop(client);
/// ```
///
/// Spec: [Roots](https://modelcontextprotocol.io/specification/2025-11-25/client/roots)
#[derive(Clone, Default)]
pub struct Roots(Arc<Inner>);

#[derive(Default)]
struct Inner {
    roots: Mutex<Vec<Root>>,
    /// The connections that tell their servers.
    told: Mutex<Vec<Weak<Shared>>>,
}

impl Roots {
    /// Holds these roots.
    pub fn new(roots: impl IntoIterator<Item = Root>) -> Self {
        let these = Self::default();
        *lock(&these.0.roots) = roots.into_iter().collect();
        these
    }

    /// The roots as they are now.
    #[must_use]
    pub fn get(&self) -> Vec<Root> {
        lock(&self.0.roots).clone()
    }

    /// Replaces the roots. Every legacy server that is connected is told that they have changed.
    pub fn set(&self, roots: impl IntoIterator<Item = Root>) {
        let roots = roots.into_iter().collect();
        *lock(&self.0.roots) = roots;
        let mut told = Vec::new();
        lock(&self.0.told).retain(|shared| match shared.upgrade() {
            Some(shared) => {
                told.push(shared);
                true
            }
            None => false,
        });
        for link in told.iter().filter_map(|shared| shared.link()) {
            //= 2025-11-25/client/roots#root-list-changes
            //# When roots change, clients that support `listChanged` MUST send a notification
            if !link.is_modern() {
                link.peer.notify_now(method::NOTIFICATIONS_ROOTS_LIST_CHANGED, None);
            }
        }
    }

    pub(crate) fn tell(&self, shared: &Arc<Shared>) {
        lock(&self.0.told).push(Arc::downgrade(shared));
    }
}

impl<I: IntoIterator<Item = Root>> From<I> for Roots {
    fn from(roots: I) -> Self {
        Self::new(roots)
    }
}

impl fmt::Debug for Roots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Roots").field(&self.get()).finish()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What is locked is replaced as a whole, so that a panic leaves it in order.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
