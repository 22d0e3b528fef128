//! `server/discover`: what a modern server is asked first.

use serde::{Deserialize, Serialize};

use crate::capabilities::ServerCapabilities;
use crate::implementation::Implementation;
use crate::meta::SERVER_INFO;
use crate::result::{CacheScope, ResultType};
use crate::version::SUPPORTED_MODERN;
use crate::wire::{Object, with, with_plain};

/// The result of `server/discover` (from 2026-07-28).
///
/// Spec: [Discovery](https://modelcontextprotocol.io/specification/2026-07-28/server/discover)
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct DiscoverResult {
    /// What kind of result it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result_type: Option<ResultType>,
    /// The revisions the server speaks without a handshake, as text.
    pub supported_versions: Vec<String>,
    /// What the server can do.
    pub capabilities: ServerCapabilities,
    /// How to use the server, for a language model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// For how many milliseconds it may be cached. Absent means not at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl_ms: Option<u64>,
    /// Who may cache it. Absent means private.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_scope: Option<CacheScope>,
    /// `_meta`; who the server is stands in it.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Object>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl DiscoverResult {
    /// Lists the modern revisions of this crate; not to be cached.
    pub fn new(capabilities: ServerCapabilities) -> Self {
        Self {
            result_type: Some(ResultType::Complete),
            supported_versions: SUPPORTED_MODERN.iter().map(|&text| text.to_owned()).collect(),
            capabilities,
            instructions: None,
            ttl_ms: Some(0),
            cache_scope: Some(CacheScope::Private),
            meta: None,
            extra: Object::new(),
        }
    }

    /// Says who the server is.
    #[must_use]
    #[expect(clippy::missing_panics_doc, reason = "it cannot panic, as the text says")]
    pub fn with_server_info(mut self, server_info: &Implementation) -> Self {
        let value = serde_json::to_value(server_info).expect("strings, and maps with string keys, can always be JSON");
        self.meta.get_or_insert_default().insert(SERVER_INFO.to_owned(), value);
        self
    }

    with! {
        /// Says how to use the server.
        with_instructions(instructions: String);
        /// Sets who may cache it.
        with_cache_scope(cache_scope: CacheScope);
        /// Sets `_meta`.
        with_meta(meta: Object);
    }

    with_plain! {
        /// Sets for how many milliseconds it may be cached.
        with_ttl_ms(ttl_ms: u64);
    }

    /// Who the server is. `None` when it does not say so or not in the proper shape.
    pub fn server_info(&self) -> Option<Implementation> {
        Implementation::deserialize(self.meta.as_ref()?.get(SERVER_INFO)?).ok()
    }
}
