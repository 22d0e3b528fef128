//! Prompts: messages that a person can pick, with places to fill in.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::content::{Content, Role};
use crate::implementation::Icon;
use crate::result::{CacheScope, ResultType};
use crate::wire::{Object, with, with_plain};

/// A prompt, as a server lists it.
///
/// Spec: [Prompt](https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#prompt)
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Prompt {
    /// The name by which it is got.
    pub name: String,
    /// The name for people (from 2025-06-18).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What can be filled in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Vec<PromptArgument>>,
    /// Pictures to show (from 2025-11-25).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icons: Option<Vec<Icon>>,
    /// `_meta` (from 2025-06-18).
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Object>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl Prompt {
    /// Names a prompt.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: None,
            arguments: None,
            icons: None,
            meta: None,
            extra: Object::new(),
        }
    }

    with! {
        /// Sets the name for people.
        with_title(title: String);
        /// Says what it is for.
        with_description(description: String);
        /// Says what can be filled in.
        with_arguments(arguments: Vec<PromptArgument>);
        /// Sets the pictures to show.
        with_icons(icons: Vec<Icon>);
        /// Sets `_meta`.
        with_meta(meta: Object);
    }
}

/// Something that can be filled in. Its value is a text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PromptArgument {
    /// Its name.
    pub name: String,
    /// Its name for people (from 2025-06-18).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether it has to be filled in. Absent means that it has not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required: Option<bool>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl PromptArgument {
    /// Names an argument that may be left out.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), title: None, description: None, required: None, extra: Object::new() }
    }

    with! {
        /// Sets the name for people.
        with_title(title: String);
        /// Says what it is.
        with_description(description: String);
        /// Says whether it has to be filled in.
        with_required(required: bool);
    }

    /// Whether it has to be filled in.
    pub fn is_required(&self) -> bool {
        self.required.unwrap_or(false)
    }
}

/// A message of a prompt: one block of content, and who says it.
///
/// ```
/// use mcp_types::prompts::PromptMessage;
///
/// let message = PromptMessage::user("Review this code.");
/// assert_eq!(
///     serde_json::to_string(&message)?,
///     r#"{"role":"user","content":{"type":"text","text":"Review this code."}}"#,
/// );
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PromptMessage {
    /// Who says it.
    pub role: Role,
    /// What is said.
    pub content: Content,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl PromptMessage {
    /// Creates a message.
    pub fn new(role: Role, content: impl Into<Content>) -> Self {
        Self { role, content: content.into(), extra: Object::new() }
    }

    /// Creates a text that the person says.
    pub fn user(text: impl Into<String>) -> Self {
        Self::new(Role::User, Content::text(text))
    }

    /// Creates a text that the language model says.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::new(Role::Assistant, Content::text(text))
    }
}

/// The result of `prompts/list`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ListPromptsResult {
    /// What kind of result it is (from 2026-07-28).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result_type: Option<ResultType>,
    /// The prompts of this page.
    pub prompts: Vec<Prompt>,
    /// Where to go on. Absent on the last page; an empty text is a cursor too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// For how many milliseconds it may be cached (from 2026-07-28). Absent means not at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl_ms: Option<u64>,
    /// Who may cache it (from 2026-07-28). Absent means private.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_scope: Option<CacheScope>,
    /// `_meta`.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Object>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl ListPromptsResult {
    /// Lists prompts on the last page; not to be cached.
    pub fn new(prompts: Vec<Prompt>) -> Self {
        Self {
            result_type: Some(ResultType::Complete),
            prompts,
            next_cursor: None,
            ttl_ms: Some(0),
            cache_scope: Some(CacheScope::Private),
            meta: None,
            extra: Object::new(),
        }
    }

    with! {
        /// Says that there is another page.
        with_next_cursor(next_cursor: String);
        /// Sets who may cache it.
        with_cache_scope(cache_scope: CacheScope);
        /// Sets `_meta`.
        with_meta(meta: Object);
    }

    with_plain! {
        /// Sets for how many milliseconds it may be cached.
        with_ttl_ms(ttl_ms: u64);
    }
}

/// The params of `prompts/get`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct GetPromptParams {
    /// Which prompt.
    pub name: String,
    /// What is filled in: texts only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<BTreeMap<String, String>>,
    /// `_meta`.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Object>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl GetPromptParams {
    /// Asks for a prompt with nothing filled in.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), arguments: None, meta: None, extra: Object::new() }
    }

    with! {
        /// Fills in.
        with_arguments(arguments: BTreeMap<String, String>);
        /// Sets `_meta`.
        with_meta(meta: Object);
    }

    /// Fills in one more argument.
    #[must_use]
    pub fn with_argument(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.arguments.get_or_insert_default().insert(name.into(), value.into());
        self
    }
}

/// The result of `prompts/get`.
///
/// Spec: [Getting a prompt](https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#getting-a-prompt)
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct GetPromptResult {
    /// What kind of result it is (from 2026-07-28).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result_type: Option<ResultType>,
    /// What the prompt is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What it says.
    pub messages: Vec<PromptMessage>,
    /// `_meta`.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Object>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl GetPromptResult {
    /// Creates a result of these messages.
    pub fn new(messages: Vec<PromptMessage>) -> Self {
        Self { result_type: Some(ResultType::Complete), description: None, messages, meta: None, extra: Object::new() }
    }

    with! {
        /// Says what the prompt is for.
        with_description(description: String);
        /// Sets `_meta`.
        with_meta(meta: Object);
    }
}
