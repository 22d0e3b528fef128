//! Taking a request back.

use serde::{Deserialize, Serialize};

use crate::jsonrpc::Id;
use crate::wire::{Object, with};

/// The params of `notifications/cancelled`.
///
/// Spec: [Cancellation](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation)
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CancelledParams {
    /// The request. Revision 2025-11-25 lets it be absent, for tasks, which have a request of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<Id>,
    /// Why, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// `_meta`.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Object>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl CancelledParams {
    /// Takes a request back.
    pub fn new(request_id: impl Into<Id>) -> Self {
        Self { request_id: Some(request_id.into()), reason: None, meta: None, extra: Object::new() }
    }

    with! {
        /// Says why.
        with_reason(reason: String);
        /// Sets `_meta`.
        with_meta(meta: Object);
    }
}
