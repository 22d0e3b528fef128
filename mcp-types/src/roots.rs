//! Roots: the folders and files of a client that a server may work on.

use serde::{Deserialize, Serialize};

use crate::wire::{Object, with};

/// The params of `roots/list`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ListRootsParams {
    /// `_meta`.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Object>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl ListRootsParams {
    /// Asks for all roots.
    pub fn new() -> Self {
        Self::default()
    }

    with! {
        /// Sets `_meta`.
        with_meta(meta: Object);
    }
}

/// The result of `roots/list`.
///
/// ```
/// use mcp_types::roots::{ListRootsResult, Root};
///
/// let result = ListRootsResult::new(vec![Root::new("file:///home/ada/engine").with_name("engine")]);
/// assert!(result.roots[0].is_file());
/// ```
///
/// Spec: [Roots](https://modelcontextprotocol.io/specification/2026-07-28/client/roots)
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ListRootsResult {
    /// The roots.
    pub roots: Vec<Root>,
    /// `_meta` (up to 2025-11-25).
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Object>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl ListRootsResult {
    /// Lists roots.
    pub fn new(roots: Vec<Root>) -> Self {
        Self { roots, meta: None, extra: Object::new() }
    }

    with! {
        /// Sets `_meta`.
        with_meta(meta: Object);
    }
}

/// A folder or file of the client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Root {
    /// Where it is: a `file://` URI.
    pub uri: String,
    /// The name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// `_meta` (from 2025-06-18).
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Object>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl Root {
    /// Names a root by its URI.
    pub fn new(uri: impl Into<String>) -> Self {
        Self { uri: uri.into(), name: None, meta: None, extra: Object::new() }
    }

    with! {
        /// Sets the name for people.
        with_name(name: String);
        /// Sets `_meta`.
        with_meta(meta: Object);
    }

    /// Whether it is a `file://` URI, as the protocol wants it for now.
    pub fn is_file(&self) -> bool {
        self.uri.get(..7).is_some_and(|scheme| scheme.eq_ignore_ascii_case("file://"))
    }
}
