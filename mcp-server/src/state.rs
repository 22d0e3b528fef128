//! What an application shares with all its tools.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use mcp_types::jsonrpc::{ErrorCode, ErrorObject};

use crate::call::{Call, FromCall, Rejection};

/// Something of the application that all its tools share: an extractor, taken as a parameter of a tool.
///
/// It is given to the server by [`Server::with_state`](crate::Server::with_state), one of each type, and cloned for
/// each call: a pool of connections, an `Arc`, a handle. A tool that wants a state which the server was not given is
/// found out before anything is served. What only one tool needs can be captured by its closure instead.
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU64, Ordering};
///
/// use mcp_server::{Server, State};
///
/// async fn count(State(counter): State<Arc<AtomicU64>>) -> u64 {
///     counter.fetch_add(1, Ordering::Relaxed)
/// }
///
/// let server = Server::new("counter", "1.0.0").with_state(Arc::new(AtomicU64::new(0))).tool("count", "Counts.", count);
/// # drop(server);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "taken apart in the parameters of tools")]
pub struct State<S>(pub S);

impl<S> Deref for State<S> {
    type Target = S;

    fn deref(&self) -> &S {
        &self.0
    }
}

impl<S: Clone + Send + Sync + 'static> FromCall for State<S> {
    fn from_call(call: &Call<'_>) -> Result<Self, Rejection> {
        match call.state::<S>() {
            Some(state) => Ok(Self(state.clone())),
            // Tools that are added while the server runs are not looked at before.
            None => {
                tracing::error!(
                    state = std::any::type_name::<S>(),
                    "a tool needs a state that the server was not given"
                );
                Err(Rejection::Error(ErrorObject::new(ErrorCode::INTERNAL_ERROR, "internal error")))
            }
        }
    }

    fn needs() -> Option<Need> {
        Some(Need::of::<S>())
    }
}

/// A state that a tool cannot do without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    id: TypeId,
    name: &'static str,
}

impl Need {
    /// The state of this type.
    #[must_use]
    pub fn of<S: 'static>() -> Self {
        Self { id: TypeId::of::<S>(), name: std::any::type_name::<S>() }
    }

    /// The name of its type.
    pub(crate) const fn name(self) -> &'static str {
        self.name
    }
}

/// The states of a server, one of each type.
#[derive(Clone, Default)]
pub(crate) struct States(HashMap<TypeId, Arc<dyn Any + Send + Sync>>);

impl States {
    pub(crate) fn insert<S: Send + Sync + 'static>(&mut self, state: S) {
        self.0.insert(TypeId::of::<S>(), Arc::new(state));
    }

    pub(crate) fn get<S: 'static>(&self) -> Option<&S> {
        self.0.get(&TypeId::of::<S>())?.downcast_ref()
    }

    pub(crate) fn has(&self, need: Need) -> bool {
        self.0.contains_key(&need.id)
    }
}

impl fmt::Debug for States {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("States").field("count", &self.0.len()).finish()
    }
}
