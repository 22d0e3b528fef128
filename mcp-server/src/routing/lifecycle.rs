//! What a client hears of a server before it asks for anything, and what it sets.

use mcp_session::{Answer, Body, Context};
use mcp_types::RawJson;
use mcp_types::capabilities::{PromptsCapability, ResourcesCapability, ServerCapabilities, ToolsCapability};
use mcp_types::discover::DiscoverResult;
use mcp_types::initialize::InitializeResult;
use mcp_types::jsonrpc::Request;
use mcp_types::version::{Era, Version};
use serde::Deserialize;

use super::{Routes, expected, text};
use crate::context::read_level;
use crate::identity::encode;

impl Routes {
    pub(super) fn initialize(&self, request: &Request<'_>, context: &Context) -> Answer {
        let asked = text("protocolVersion", request.params.protocol_version)?;
        let version = context.negotiated().unwrap_or_else(|| Version::negotiate_legacy(&asked));
        let version = *self.conversation.negotiated.get_or_init(|| version);
        if let Some(client) = request.params.raw.and_then(|raw| serde_json::from_str::<Greeting>(raw).ok()) {
            if let Some(info) = client.client_info {
                self.conversation.client_info.get_or_init(|| info);
            }
            if let Some(capabilities) = client.capabilities {
                self.conversation.client_capabilities.get_or_init(|| capabilities);
            }
        }
        let mut result = InitializeResult::new(version, self.capabilities(), self.config().info.clone());
        result.instructions.clone_from(&self.config().instructions);
        Ok(Body::from_json(encode(&result)))
    }

    pub(super) fn discover(&self, version: Version) -> Body {
        let mut result = DiscoverResult::new(self.capabilities()).with_server_info(&self.config().info);
        result.instructions.clone_from(&self.config().instructions);
        result.ttl_ms = Some(self.config().caches.discovery.ttl_ms);
        result.cache_scope = Some(self.config().caches.discovery.scope.clone());
        debug_assert_eq!(version.era(), Era::Modern, "legacy revisions have no discovery");
        Body::from_json(encode(&result))
    }

    pub(super) fn set_level(&self, request: &Request<'_>) -> Answer {
        let raw = request.params.level;
        let severity = raw.and_then(read_level).and_then(|level| level.severity());
        let Some(severity) = severity else { return Err(expected("level", "a log level", raw)) };
        self.conversation.set_log_level(severity);
        Ok(Body::from_json(b"{}".to_vec()))
    }

    /// What there is, is said.
    fn capabilities(&self) -> ServerCapabilities {
        let conversation = &self.conversation;
        let mut capabilities = ServerCapabilities::new().with_logging(mcp_types::Object::new());
        if conversation.tools.0.is_declared() {
            capabilities = capabilities.with_tools(ToolsCapability::new().with_list_changed(true));
        }
        if conversation.prompts.0.is_declared() {
            capabilities = capabilities.with_prompts(PromptsCapability::new().with_list_changed(true));
        }
        if conversation.resources.is_declared() {
            let resources = ResourcesCapability::new().with_subscribe(true).with_list_changed(true);
            capabilities = capabilities.with_resources(resources);
        }
        if self.completes() {
            capabilities = capabilities.with_completions(mcp_types::Object::new());
        }
        capabilities
    }
}

/// What is kept of an `initialize`, whatever else it says.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Greeting {
    client_info: Option<RawJson>,
    capabilities: Option<RawJson>,
}
