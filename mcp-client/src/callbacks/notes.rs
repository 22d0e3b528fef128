//! Which callback takes a notification.

use std::sync::Arc;

use mcp_session::{Note, NoteFuture};
use mcp_types::method;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::FromServer;
use crate::decode::decode;
use crate::shared::Shared;

/// A list of the server that has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ListChanged {
    /// Its tools.
    Tools,
    /// Its prompts.
    Prompts,
    /// Its resources.
    Resources,
}

/// Hands a notification to the callback that is most about it; what none takes goes to that for all others.
pub(super) fn deliver(shared: &Arc<Shared>, note: Note) -> Option<NoteFuture> {
    let callbacks = shared.callbacks();
    if let (Some(callback), Some(list)) = (&callbacks.list_changed, ListChanged::of(&note.method)) {
        return Some(callback(FromServer::new(list, Arc::clone(shared))));
    }
    match (&*note.method, &callbacks.log, &callbacks.resource_updated) {
        (method::NOTIFICATIONS_MESSAGE, Some(callback), _) => {
            read(&note).map(|message| callback(FromServer::new(message, Arc::clone(shared))))
        }
        (method::NOTIFICATIONS_RESOURCES_UPDATED, _, Some(callback)) => {
            read::<Updated>(&note).map(|updated| callback(FromServer::new(updated.uri, Arc::clone(shared))))
        }
        _ => callbacks.notification.as_ref().map(|callback| callback(FromServer::new(note, Arc::clone(shared)))),
    }
}

impl ListChanged {
    /// The list that a notification is about.
    fn of(method: &str) -> Option<Self> {
        match method {
            method::NOTIFICATIONS_TOOLS_LIST_CHANGED => Some(Self::Tools),
            method::NOTIFICATIONS_PROMPTS_LIST_CHANGED => Some(Self::Prompts),
            method::NOTIFICATIONS_RESOURCES_LIST_CHANGED => Some(Self::Resources),
            _ => None,
        }
    }
}

#[derive(Deserialize)]
struct Updated {
    uri: String,
}

/// Nobody answers a notification: one that cannot be read is dropped.
fn read<T: DeserializeOwned>(note: &Note) -> Option<T> {
    let params = note.params.as_ref().map_or("{}", |params| params.get());
    decode(params).inspect_err(|wrong| tracing::debug!(method = &*note.method, %wrong, "dropped")).ok()
}
