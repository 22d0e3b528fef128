//! Sampling: a server asks the language model of its client.

mod pairs;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use self::pairs::UnpairedTool;
use crate::content::{Content, Role};
use crate::raw::RawJson;
use crate::tools::Tool;
use crate::wire::{Object, open_enum, with, with_plain};

/// The params of `sampling/createMessage`.
///
/// ```
/// use mcp_types::sampling::{CreateMessageParams, SamplingMessage};
///
/// let params = CreateMessageParams::new(vec![SamplingMessage::user("What is the capital of France?")], 100);
/// assert_eq!(
///     serde_json::to_string(&params)?,
///     r#"{"messages":[{"role":"user","content":{"type":"text","text":"What is the capital of France?"}}],"maxTokens":100}"#,
/// );
/// # Ok::<_, serde_json::Error>(())
/// ```
///
/// Spec: [Sampling](https://modelcontextprotocol.io/specification/2026-07-28/client/sampling)
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CreateMessageParams {
    /// What was said so far.
    pub messages: Vec<SamplingMessage>,
    /// At most how many tokens are wanted.
    pub max_tokens: u64,
    /// Which model would be best.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_preferences: Option<ModelPreferences>,
    /// A system prompt, which the client may change or leave out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<String>,
    /// Which context of servers is wanted. Absent means none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub include_context: Option<IncludeContext>,
    /// How much chance there is in the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Texts at which the model stops.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_sequences: Option<Vec<String>>,
    /// Passed on to whoever runs the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Object>,
    /// Tools that the model may use (from 2025-11-25, where the client declares `sampling.tools`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<Tool>>,
    /// How the model uses them (from 2025-11-25).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_choice: Option<ToolChoice>,
    /// `_meta` (up to 2025-11-25).
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Object>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl CreateMessageParams {
    /// Asks for the next message, of at most so many tokens.
    pub fn new(messages: Vec<SamplingMessage>, max_tokens: u64) -> Self {
        Self {
            messages,
            max_tokens,
            model_preferences: None,
            system_prompt: None,
            include_context: None,
            temperature: None,
            stop_sequences: None,
            metadata: None,
            tools: None,
            tool_choice: None,
            meta: None,
            extra: Object::new(),
        }
    }

    with! {
        /// Says which model would be best.
        with_model_preferences(model_preferences: ModelPreferences);
        /// Sets a system prompt.
        with_system_prompt(system_prompt: String);
        /// Says which context of servers is wanted.
        with_include_context(include_context: IncludeContext);
        /// Sets how much chance there is in the answer.
        with_temperature(temperature: f64);
        /// Sets texts at which the model stops.
        with_stop_sequences(stop_sequences: Vec<String>);
        /// Sets what is passed on to whoever runs the model.
        with_metadata(metadata: Object);
        /// Gives the model tools.
        with_tools(tools: Vec<Tool>);
        /// Says how the model uses its tools.
        with_tool_choice(tool_choice: ToolChoice);
        /// Sets `_meta`.
        with_meta(meta: Object);
    }

    /// Whether the client has to declare `sampling.tools` for this.
    pub fn needs_tools(&self) -> bool {
        self.tools.is_some() || self.tool_choice.is_some()
    }

    /// Whether the client should declare `sampling.context` for this.
    pub fn needs_context(&self) -> bool {
        self.include_context.as_ref().is_some_and(|context| *context != IncludeContext::None)
    }
}

/// The result of `sampling/createMessage`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CreateMessageResult {
    /// Who speaks; as a rule the assistant.
    pub role: Role,
    /// What is said. One block is written as itself; several are an array (from 2025-11-25).
    #[serde(serialize_with = "write_blocks", deserialize_with = "read_blocks")]
    pub content: Vec<Content>,
    /// The model that said it.
    pub model: String,
    /// Why it stopped there, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<StopReason>,
    /// `_meta`.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Object>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl CreateMessageResult {
    /// A message of the assistant.
    pub fn new(model: impl Into<String>, content: Vec<Content>) -> Self {
        Self {
            role: Role::Assistant,
            content,
            model: model.into(),
            stop_reason: None,
            meta: None,
            extra: Object::new(),
        }
    }

    with! {
        /// Says why the model stopped.
        with_stop_reason(stop_reason: StopReason);
        /// Sets `_meta`.
        with_meta(meta: Object);
    }

    /// The first block of text.
    pub fn as_text(&self) -> Option<&str> {
        self.content.iter().find_map(Content::as_text)
    }

    /// The same as a message, to go on from.
    pub fn into_message(self) -> SamplingMessage {
        SamplingMessage { role: self.role, content: self.content, meta: None, extra: Object::new() }
    }
}

/// One message of a conversation with a language model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SamplingMessage {
    /// Who speaks.
    pub role: Role,
    /// What is said. One block is written as itself; several are an array (from 2025-11-25).
    #[serde(serialize_with = "write_blocks", deserialize_with = "read_blocks")]
    pub content: Vec<Content>,
    /// `_meta` (from 2025-11-25).
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Object>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl SamplingMessage {
    /// A message of these blocks.
    pub fn new(role: Role, content: Vec<Content>) -> Self {
        Self { role, content, meta: None, extra: Object::new() }
    }

    /// A text of the user.
    pub fn user(text: impl Into<String>) -> Self {
        Self::new(Role::User, vec![Content::text(text)])
    }

    /// A text of the assistant.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::new(Role::Assistant, vec![Content::text(text)])
    }

    /// Messages of one block each.
    pub(crate) fn split(self) -> impl Iterator<Item = Self> {
        let Self { role, content, meta, extra } = self;
        content.into_iter().map(move |block| Self {
            role: role.clone(),
            content: vec![block],
            meta: meta.clone(),
            extra: extra.clone(),
        })
    }

    with! {
        /// Sets `_meta`.
        with_meta(meta: Object);
    }
}

/// Which model would be best. All of it is advice.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ModelPreferences {
    /// Names to look for, the best first. The first that matches counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hints: Option<Vec<ModelHint>>,
    /// How much a low price matters, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_priority: Option<f64>,
    /// How much speed matters, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speed_priority: Option<f64>,
    /// How much intelligence matters, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intelligence_priority: Option<f64>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl ModelPreferences {
    /// Prefers nothing.
    pub fn new() -> Self {
        Self::default()
    }

    with! {
        /// Sets names to look for.
        with_hints(hints: Vec<ModelHint>);
    }

    with_plain! {
        /// Sets how much a low price matters.
        with_cost_priority(cost_priority: f64);
        /// Sets how much speed matters.
        with_speed_priority(speed_priority: f64);
        /// Sets how much intelligence matters.
        with_intelligence_priority(intelligence_priority: f64);
    }

    /// The first of these models that a hint names, by hints in their order and then by models in theirs.
    ///
    /// ```
    /// use mcp_types::sampling::{ModelHint, ModelPreferences};
    ///
    /// let hints = vec![ModelHint::new("opus"), ModelHint::new("sonnet")];
    /// let preferences = ModelPreferences::new().with_hints(hints);
    /// assert_eq!(preferences.pick(["small", "sonnet-4", "sonnet-5"]), Some("sonnet-4"));
    /// assert_eq!(preferences.pick(["small"]), None);
    /// ```
    //= 2026-07-28/client/sampling#model-hints
    //# Hints are treated as substrings that can match model names flexibly
    pub fn pick<'a>(&self, models: impl IntoIterator<Item = &'a str> + Clone) -> Option<&'a str> {
        let names = self.hints.iter().flatten().filter_map(|hint| hint.name.as_deref());
        let mut found = names.filter_map(|name| models.clone().into_iter().find(|model| model.contains(name)));
        found.next()
    }
}

/// A part of the name of a model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ModelHint {
    /// The part of the name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl ModelHint {
    /// Hints at models with this in their name.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), extra: Object::new() }
    }
}

/// How a model uses the tools it is given (from 2025-11-25).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolChoice {
    /// Absent means [`ToolChoiceMode::Auto`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<ToolChoiceMode>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl ToolChoice {
    /// Chooses in this way.
    pub fn new(mode: ToolChoiceMode) -> Self {
        Self { mode: Some(mode), extra: Object::new() }
    }
}

open_enum! {
    /// How a model uses tools.
    ToolChoiceMode {
        /// As it likes.
        Auto = "auto",
        /// At least one.
        Required = "required",
        /// None.
        None = "none",
    }
}

open_enum! {
    /// Which context of servers is wanted. All but `none` is deprecated and needs `sampling.context`.
    IncludeContext {
        /// None.
        None = "none",
        /// That of the server that asks.
        ThisServer = "thisServer",
        /// That of all servers.
        AllServers = "allServers",
    }
}

open_enum! {
    /// Why a model stopped. Whoever runs it may have other reasons.
    StopReason {
        /// It had no more to say.
        EndTurn = "endTurn",
        /// It came to one of the stop sequences.
        StopSequence = "stopSequence",
        /// It came to the limit.
        MaxTokens = "maxTokens",
        /// It wants tools to be called (from 2025-11-25).
        ToolUse = "toolUse",
    }
}

/// Every revision reads one block as itself; only the newest two read an array.
fn write_blocks<S: Serializer>(blocks: &[Content], serializer: S) -> Result<S::Ok, S::Error> {
    match blocks {
        [block] => block.serialize(serializer),
        _ => blocks.serialize(serializer),
    }
}

fn read_blocks<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Content>, D::Error> {
    let raw = RawJson::deserialize(deserializer)?;
    if raw.get().starts_with('[') {
        raw.decode().map_err(D::Error::custom)
    } else {
        raw.decode().map(|block| vec![block]).map_err(D::Error::custom)
    }
}
