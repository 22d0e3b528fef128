//! Tools: what a server can be asked to do.

mod structured;

use serde::{Deserialize, Serialize};

pub use self::structured::StructuredError;
use crate::content::Content;
use crate::implementation::Icon;
use crate::input::InputResponses;
use crate::jsonrpc::read_plain_result;
use crate::meta_object::MetaObject;
use crate::raw::RawJson;
use crate::result::{CacheScope, ResultType};
use crate::wire::{Object, open_enum, present, with, with_plain};

/// A tool, as a server lists it.
///
/// Spec: [Tool](https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool)
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Tool {
    /// The name by which it is called.
    pub name: String,
    /// The name for people (from 2025-06-18).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it does, for a language model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The JSON schema of the arguments. Its root is `"type": "object"`.
    pub input_schema: RawJson,
    /// The JSON schema of `structuredContent` (from 2025-06-18; of an object up to 2025-11-25).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<RawJson>,
    /// Hints on what it does (from 2025-03-26).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<ToolAnnotations>,
    /// Pictures to show (from 2025-11-25).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icons: Option<Vec<Icon>>,
    /// How it runs (2025-11-25 only).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub execution: Option<ToolExecution>,
    /// `_meta` (from 2025-06-18).
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Object>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl Tool {
    /// Names a tool and the schema of its arguments.
    pub fn new(name: impl Into<String>, input_schema: impl Into<RawJson>) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: None,
            input_schema: input_schema.into(),
            output_schema: None,
            annotations: None,
            icons: None,
            execution: None,
            meta: None,
            extra: Object::new(),
        }
    }

    with! {
        /// Sets the name for people.
        with_title(title: String);
        /// Says what it does.
        with_description(description: String);
        /// Sets the schema of its structured result.
        with_output_schema(output_schema: RawJson);
        /// Gives hints on what it does.
        with_annotations(annotations: ToolAnnotations);
        /// Sets the pictures to show.
        with_icons(icons: Vec<Icon>);
        /// Says how it runs.
        with_execution(execution: ToolExecution);
        /// Sets `_meta`.
        with_meta(meta: Object);
    }
}

/// Hints on what a tool does. They come from the server and are no promise.
///
/// ```
/// use mcp_types::tools::ToolAnnotations;
///
/// // Who says nothing is taken to do the worst.
/// assert!(ToolAnnotations::new().is_destructive());
/// assert!(!ToolAnnotations::new().with_read_only_hint(true).is_destructive());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolAnnotations {
    /// The name for people, where `title` of the tool is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// It changes nothing. Absent means that it may.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_only_hint: Option<bool>,
    /// Its changes may destroy something. Absent means that they may.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destructive_hint: Option<bool>,
    /// Calling it twice is as good as once. Absent means that it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotent_hint: Option<bool>,
    /// It reaches beyond a closed domain. Absent means that it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_world_hint: Option<bool>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl ToolAnnotations {
    /// Creates annotations that say nothing.
    pub fn new() -> Self {
        Self::default()
    }

    with! {
        /// Sets the name for people.
        with_title(title: String);
        /// Says whether it changes nothing.
        with_read_only_hint(read_only_hint: bool);
        /// Says whether its changes may destroy something.
        with_destructive_hint(destructive_hint: bool);
        /// Says whether calling it twice is as good as once.
        with_idempotent_hint(idempotent_hint: bool);
        /// Says whether it reaches beyond a closed domain.
        with_open_world_hint(open_world_hint: bool);
    }

    /// Whether it changes nothing, as far as it says.
    pub fn is_read_only(&self) -> bool {
        self.read_only_hint.unwrap_or(false)
    }

    /// Whether it may destroy something. What changes nothing does not.
    pub fn is_destructive(&self) -> bool {
        !self.is_read_only() && self.destructive_hint.unwrap_or(true)
    }

    /// Whether calling it twice is as good as once, as far as it says.
    pub fn is_idempotent(&self) -> bool {
        self.idempotent_hint.unwrap_or(false)
    }

    /// Whether it reaches beyond a closed domain.
    pub fn is_open_world(&self) -> bool {
        self.open_world_hint.unwrap_or(true)
    }
}

/// How a tool runs (2025-11-25 only).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolExecution {
    /// Whether it can be called as a task. Absent means that it cannot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_support: Option<TaskSupport>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl ToolExecution {
    /// Creates a description that says nothing.
    pub fn new() -> Self {
        Self::default()
    }

    with! {
        /// Says whether it can be called as a task.
        with_task_support(task_support: TaskSupport);
    }
}

open_enum! {
    /// Whether a tool can be called as a task.
    TaskSupport {
        /// It cannot.
        Forbidden = "forbidden",
        /// It can.
        Optional = "optional",
        /// It must.
        Required = "required",
    }
}

/// The params of `tools/list` and of the other lists.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ListParams {
    /// Where to go on: `nextCursor` of the page before. Its text means something to the server alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// `_meta`.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Object>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl ListParams {
    /// Asks for the first page.
    pub fn new() -> Self {
        Self::default()
    }

    with! {
        /// Asks for another page.
        with_cursor(cursor: String);
        /// Sets `_meta`.
        with_meta(meta: Object);
    }
}

/// The result of `tools/list`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ListToolsResult {
    /// What kind of result it is (from 2026-07-28).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result_type: Option<ResultType>,
    /// The tools of this page.
    pub tools: Vec<Tool>,
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

impl ListToolsResult {
    /// Lists tools on the last page; not to be cached.
    pub fn new(tools: Vec<Tool>) -> Self {
        Self {
            result_type: Some(ResultType::Complete),
            tools,
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

/// The params of `tools/call`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CallToolParams {
    /// Which tool.
    pub name: String,
    /// Its arguments: an object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<RawJson>,
    /// Answers to what an earlier try was asked (from 2026-07-28).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_responses: Option<InputResponses>,
    /// What an earlier try was told to send back (from 2026-07-28).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_state: Option<String>,
    /// `_meta`.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Object>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl CallToolParams {
    /// Calls a tool without arguments.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            arguments: None,
            input_responses: None,
            request_state: None,
            meta: None,
            extra: Object::new(),
        }
    }

    with! {
        /// Sets the arguments.
        with_arguments(arguments: RawJson);
        /// Sets the answers to what an earlier try was asked.
        with_input_responses(input_responses: InputResponses);
        /// Sets what an earlier try was told to send back.
        with_request_state(request_state: String);
        /// Sets `_meta`.
        with_meta(meta: Object);
    }
}

/// The result of `tools/call`.
///
/// ```
/// use mcp_types::content::Content;
/// use mcp_types::tools::CallToolResult;
/// use serde_json::json;
///
/// let result = CallToolResult::new(vec![Content::text("22.5 °C")]).with_structured_content(json!({"celsius": 22.5}));
/// assert!(!result.is_failure());
/// ```
///
/// Spec: [Tool result](https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-result)
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CallToolResult {
    /// What kind of result it is (from 2026-07-28).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result_type: Option<ResultType>,
    /// The result for a language model. Some servers leave it out.
    #[serde(default)]
    pub content: Vec<Content>,
    /// The result for programs (from 2025-06-18): an object up to 2025-11-25, then any JSON. `null`
    /// is a result; `None` is none.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub structured_content: Option<RawJson>,
    /// The tool ran and failed. Absent means that it did not fail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_error: Option<bool>,
    /// `_meta`.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<MetaObject>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl CallToolResult {
    /// Creates a result that is no failure.
    pub fn new(content: Vec<Content>) -> Self {
        Self {
            result_type: Some(ResultType::Complete),
            content,
            structured_content: None,
            is_error: None,
            meta: None,
            extra: Object::new(),
        }
    }

    /// Creates the result of a tool that failed, with a text from which a language model can learn.
    pub fn failure(text: impl Into<String>) -> Self {
        Self::new(vec![Content::text(text)]).with_is_error(true)
    }

    with! {
        /// Sets the result for programs.
        with_structured_content(structured_content: RawJson);
        /// Says whether the tool failed.
        with_is_error(is_error: bool);
        /// Sets `_meta`.
        with_meta(meta: MetaObject);
    }

    /// Reads one from its JSON: what `serde_json` does too, in a fraction of the time for results that are plain.
    ///
    /// # Errors
    ///
    /// When it is not JSON, or not of this shape.
    pub fn from_json(json: &str) -> Result<Self, serde_json::Error> {
        read_plain_result(json).map_or_else(|| serde_json::from_str(json), Ok)
    }

    /// Reads a result that is complete and has nothing out of the ordinary, in one pass. `None` says nothing about it:
    /// [`from_json`](Self::from_json) reads it, or tells what is wrong.
    ///
    /// A result that it reads is no [`InputRequiredResult`](crate::input::InputRequiredResult), so whoever has to tell
    /// the two apart need not look for the type first.
    pub fn from_plain_json(json: &str) -> Option<Self> {
        read_plain_result(json)
    }

    /// Whether the tool ran and failed.
    pub fn is_failure(&self) -> bool {
        self.is_error.unwrap_or(false)
    }
}
