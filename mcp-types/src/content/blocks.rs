use serde::{Deserialize, Serialize};

use super::Content;
use crate::raw::RawJson;
use crate::wire::{Object, open_enum, present, with};

/// Text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TextContent {
    /// The text.
    pub text: String,
    /// For whom it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
    /// `_meta` (from 2025-06-18).
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Object>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl TextContent {
    /// Creates a block of text.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), annotations: None, meta: None, extra: Object::new() }
    }

    with! {
        /// Says for whom it is.
        with_annotations(annotations: Annotations);
        /// Sets `_meta`.
        with_meta(meta: Object);
    }
}

/// A picture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ImageContent {
    /// The bytes in Base64.
    pub data: String,
    /// What kind of picture it is.
    pub mime_type: String,
    /// For whom it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
    /// `_meta` (from 2025-06-18).
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Object>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl ImageContent {
    /// Creates a picture from bytes that are already in Base64.
    pub fn new(data: impl Into<String>, mime_type: impl Into<String>) -> Self {
        Self { data: data.into(), mime_type: mime_type.into(), annotations: None, meta: None, extra: Object::new() }
    }

    with! {
        /// Says for whom it is.
        with_annotations(annotations: Annotations);
        /// Sets `_meta`.
        with_meta(meta: Object);
    }
}

/// A sound (from 2025-03-26).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AudioContent {
    /// The bytes in Base64.
    pub data: String,
    /// What kind of sound it is.
    pub mime_type: String,
    /// For whom it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
    /// `_meta` (from 2025-06-18).
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Object>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl AudioContent {
    /// Creates a sound from bytes that are already in Base64.
    pub fn new(data: impl Into<String>, mime_type: impl Into<String>) -> Self {
        Self { data: data.into(), mime_type: mime_type.into(), annotations: None, meta: None, extra: Object::new() }
    }

    with! {
        /// Says for whom it is.
        with_annotations(annotations: Annotations);
        /// Sets `_meta`.
        with_meta(meta: Object);
    }
}

/// A language model wants to call a tool (in sampling, from 2025-11-25).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolUseContent {
    /// What the result has to name.
    pub id: String,
    /// Which tool.
    pub name: String,
    /// Its arguments: an object.
    pub input: RawJson,
    /// `_meta`.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Object>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl ToolUseContent {
    /// Wants to call a tool.
    pub fn new(id: impl Into<String>, name: impl Into<String>, input: impl Into<RawJson>) -> Self {
        Self { id: id.into(), name: name.into(), input: input.into(), meta: None, extra: Object::new() }
    }

    with! {
        /// Sets `_meta`.
        with_meta(meta: Object);
    }
}

/// The result of a tool for a language model (in sampling, from 2025-11-25).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolResultContent {
    /// Which use it is the result of.
    pub tool_use_id: String,
    /// The result for the model.
    #[serde(default)]
    pub content: Vec<Content>,
    /// The result for programs: an object in 2025-11-25, then any JSON.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub structured_content: Option<RawJson>,
    /// The tool failed. Absent means that it did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_error: Option<bool>,
    /// `_meta`.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Object>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl ToolResultContent {
    /// Creates the result of a tool use.
    pub fn new(tool_use_id: impl Into<String>, content: Vec<Content>) -> Self {
        Self {
            tool_use_id: tool_use_id.into(),
            content,
            structured_content: None,
            is_error: None,
            meta: None,
            extra: Object::new(),
        }
    }

    with! {
        /// Sets the result for programs.
        with_structured_content(structured_content: RawJson);
        /// Says whether the tool failed.
        with_is_error(is_error: bool);
        /// Sets `_meta`.
        with_meta(meta: Object);
    }
}

/// For whom a piece of content is, and how much it matters.
///
/// Spec: [Annotations](https://modelcontextprotocol.io/specification/2026-07-28/server/resources#annotations)
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Annotations {
    /// For whom it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audience: Option<Vec<Role>>,
    /// How much it matters, from 0 (can be left out) to 1 (is needed).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<f64>,
    /// When it last changed, as in ISO 8601 (from 2025-06-18).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<String>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl Annotations {
    /// Creates annotations that say nothing.
    pub fn new() -> Self {
        Self::default()
    }

    with! {
        /// Says for whom it is.
        with_audience(audience: Vec<Role>);
        /// Says how much it matters.
        with_priority(priority: f64);
        /// Says when it last changed.
        with_last_modified(last_modified: String);
    }
}

open_enum! {
    /// Who speaks or listens.
    Role {
        /// The person.
        User = "user",
        /// The language model.
        Assistant = "assistant",
    }
}
