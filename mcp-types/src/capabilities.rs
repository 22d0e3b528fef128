//! What a client and a server can do.

use serde::{Deserialize, Serialize};

use crate::wire::{Object, with};

/// What a client can do for a server.
///
/// Spec: [Client capabilities](https://modelcontextprotocol.io/specification/2026-07-28/schema#clientcapabilities)
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ClientCapabilities {
    /// It has roots to list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roots: Option<RootsCapability>,
    /// It can ask a language model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampling: Option<SamplingCapability>,
    /// It can ask its user (from 2025-06-18).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elicitation: Option<ElicitationCapability>,
    /// Which requests it takes as tasks (2025-11-25 only).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tasks: Option<Object>,
    /// Extensions, by name, with their settings (from 2026-07-28).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extensions: Option<Object>,
    /// Capabilities that no specification defines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub experimental: Option<Object>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl ClientCapabilities {
    /// Creates the capabilities of a client that can do nothing.
    pub fn new() -> Self {
        Self::default()
    }

    with! {
        /// Says that it has roots to list.
        with_roots(roots: RootsCapability);
        /// Says that it can ask a language model.
        with_sampling(sampling: SamplingCapability);
        /// Says that it can ask its user.
        with_elicitation(elicitation: ElicitationCapability);
        /// Says which requests it takes as tasks.
        with_tasks(tasks: Object);
        /// Names extensions.
        with_extensions(extensions: Object);
        /// Names capabilities that no specification defines.
        with_experimental(experimental: Object);
    }
}

/// How a client has roots.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct RootsCapability {
    /// It tells when they change (up to 2025-11-25).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list_changed: Option<bool>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl RootsCapability {
    /// Creates the capability.
    pub fn new() -> Self {
        Self::default()
    }

    with! {
        /// Says whether it tells when they change.
        with_list_changed(list_changed: bool);
    }
}

/// How a client asks a language model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SamplingCapability {
    /// It can include the context of servers (from 2025-11-25, deprecated in 2026-07-28).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<Object>,
    /// It can give the model tools (from 2025-11-25).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Object>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl SamplingCapability {
    /// Creates the capability.
    pub fn new() -> Self {
        Self::default()
    }

    with! {
        /// Says that it can include the context of servers.
        with_context(context: Object);
        /// Says that it can give the model tools.
        with_tools(tools: Object);
    }
}

/// How a client asks its user.
///
/// ```
/// use mcp_types::capabilities::ElicitationCapability;
///
/// // Older clients say `{}` and mean forms.
/// assert!(ElicitationCapability::new().supports_form());
/// assert!(!ElicitationCapability::new().with_url(mcp_types::Object::new()).supports_form());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ElicitationCapability {
    /// By a form (named from 2025-11-25).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<Object>,
    /// By a page that it opens (from 2025-11-25).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<Object>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl ElicitationCapability {
    /// Creates the capability, which means forms as long as nothing is named.
    pub fn new() -> Self {
        Self::default()
    }

    with! {
        /// Says that it can show a form.
        with_form(form: Object);
        /// Says that it can open a page.
        with_url(url: Object);
    }

    /// Whether it can show a form.
    pub fn supports_form(&self) -> bool {
        self.form.is_some() || self.url.is_none()
    }

    /// Whether it can open a page.
    pub fn supports_url(&self) -> bool {
        self.url.is_some()
    }
}

/// What a server can do for a client.
///
/// Spec: [Server capabilities](https://modelcontextprotocol.io/specification/2026-07-28/schema#servercapabilities)
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ServerCapabilities {
    /// It has tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<ToolsCapability>,
    /// It has prompts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompts: Option<PromptsCapability>,
    /// It has resources.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<ResourcesCapability>,
    /// It completes arguments (named from 2025-03-26).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completions: Option<Object>,
    /// It sends log messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logging: Option<Object>,
    /// Which requests it takes as tasks (2025-11-25 only).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tasks: Option<Object>,
    /// Extensions, by name, with their settings (from 2026-07-28).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extensions: Option<Object>,
    /// Capabilities that no specification defines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub experimental: Option<Object>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl ServerCapabilities {
    /// Creates the capabilities of a server that can do nothing.
    pub fn new() -> Self {
        Self::default()
    }

    with! {
        /// Says that it has tools.
        with_tools(tools: ToolsCapability);
        /// Says that it has prompts.
        with_prompts(prompts: PromptsCapability);
        /// Says that it has resources.
        with_resources(resources: ResourcesCapability);
        /// Says that it completes arguments.
        with_completions(completions: Object);
        /// Says that it sends log messages.
        with_logging(logging: Object);
        /// Says which requests it takes as tasks.
        with_tasks(tasks: Object);
        /// Names extensions.
        with_extensions(extensions: Object);
        /// Names capabilities that no specification defines.
        with_experimental(experimental: Object);
    }
}

/// How a server has tools.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolsCapability {
    /// It tells when they change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list_changed: Option<bool>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl ToolsCapability {
    /// Creates the capability.
    pub fn new() -> Self {
        Self::default()
    }

    with! {
        /// Says whether it tells when they change.
        with_list_changed(list_changed: bool);
    }
}

/// How a server has prompts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PromptsCapability {
    /// It tells when they change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list_changed: Option<bool>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl PromptsCapability {
    /// Creates the capability.
    pub fn new() -> Self {
        Self::default()
    }

    with! {
        /// Says whether it tells when they change.
        with_list_changed(list_changed: bool);
    }
}

/// How a server has resources.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ResourcesCapability {
    /// One can subscribe to them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subscribe: Option<bool>,
    /// It tells when the list changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list_changed: Option<bool>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl ResourcesCapability {
    /// Creates the capability.
    pub fn new() -> Self {
        Self::default()
    }

    with! {
        /// Says whether one can subscribe to them.
        with_subscribe(subscribe: bool);
        /// Says whether it tells when the list changes.
        with_list_changed(list_changed: bool);
    }
}
