//! One session with the server, for as long as it lasts.

use std::sync::Arc;

use mcp_session::{Closed, Peer};
use mcp_types::logging::LoggingLevel;
use mcp_types::{ClientCapabilities, Implementation, ServerCapabilities, Version};
use serde_json::value::RawValue;

use crate::call::Meta;
use crate::verdict::Verdict;

/// A session, and what both sides agreed on in it. When a server is restarted there is a new one.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    /// Tells the sessions of one connection apart.
    pub(crate) number: u32,
    pub(crate) peer: Peer,
    pub(crate) closed: Closed,
    pub(crate) agreed: Arc<Agreed>,
    /// What goes into the `_meta` of each request. `None` in the legacy era.
    pub(crate) meta: Option<Arc<Meta>>,
}

/// What both sides agreed on.
#[derive(Clone, Debug)]
pub(crate) struct Agreed {
    pub(crate) version: Version,
    pub(crate) server: Option<Implementation>,
    pub(crate) capabilities: Option<ServerCapabilities>,
    pub(crate) instructions: Option<String>,
}

impl Link {
    pub(crate) fn verdict(&self) -> Verdict {
        Verdict::new(self.agreed.version)
    }

    /// The metadata of a request that adds none.
    pub(crate) fn meta_text(&self) -> Option<&RawValue> {
        self.meta.as_deref().map(Meta::text)
    }

    pub(crate) const fn is_modern(&self) -> bool {
        self.meta.is_some()
    }

    /// The same session, with requests that ask for another log level.
    pub(crate) fn at_level(
        &self,
        identity: &Implementation,
        capabilities: &ClientCapabilities,
        level: &LoggingLevel,
    ) -> Self {
        let meta = self.meta.as_ref().map(|_| Arc::new(Meta::modern(identity, capabilities, Some(level))));
        Self { meta, ..self.clone() }
    }
}
