//! The handshake of the revisions up to 2025-11-25.

use serde::{Deserialize, Serialize};

use crate::capabilities::{ClientCapabilities, ServerCapabilities};
use crate::implementation::Implementation;
use crate::version::Version;
use crate::wire::{Object, with};

/// The params of `initialize`.
///
/// Spec: [Initialization](https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#initialization)
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct InitializeParams {
    /// The revision the client wants, as text: it may be one that nobody knows.
    pub protocol_version: String,
    /// What the client can do.
    pub capabilities: ClientCapabilities,
    /// Who the client is.
    pub client_info: Implementation,
    /// `_meta`.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Object>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl InitializeParams {
    /// Asks for a revision.
    pub fn new(version: Version, capabilities: ClientCapabilities, client_info: Implementation) -> Self {
        Self { protocol_version: version.to_string(), capabilities, client_info, meta: None, extra: Object::new() }
    }

    with! {
        /// Sets `_meta`.
        with_meta(meta: Object);
    }
}

/// The result of `initialize`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct InitializeResult {
    /// The revision the server chose, as text: a client that does not know it has to disconnect.
    pub protocol_version: String,
    /// What the server can do.
    pub capabilities: ServerCapabilities,
    /// Who the server is.
    pub server_info: Implementation,
    /// How to use the server, for a language model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// `_meta`.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Object>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl InitializeResult {
    /// Answers with a revision.
    pub fn new(version: Version, capabilities: ServerCapabilities, server_info: Implementation) -> Self {
        Self {
            protocol_version: version.to_string(),
            capabilities,
            server_info,
            instructions: None,
            meta: None,
            extra: Object::new(),
        }
    }

    with! {
        /// Says how to use the server.
        with_instructions(instructions: String);
        /// Sets `_meta`.
        with_meta(meta: Object);
    }
}
