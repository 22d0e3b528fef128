//! Completion: what could stand in a place that is still to be filled in.

use std::collections::BTreeMap;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::jsonrpc::{member, read_string};
use crate::raw::RawJson;
use crate::result::ResultType;
use crate::wire::{Object, with, with_plain};

/// The params of `completion/complete`.
///
/// ```
/// use mcp_types::completion::{CompleteParams, CompletionReference};
///
/// let params = CompleteParams::new(CompletionReference::prompt("review"), "language", "py");
/// assert_eq!(
///     serde_json::to_string(&params)?,
///     r#"{"ref":{"type":"ref/prompt","name":"review"},"argument":{"name":"language","value":"py"}}"#,
/// );
/// # Ok::<_, serde_json::Error>(())
/// ```
///
/// Spec: [Completion](https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion)
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CompleteParams {
    /// What is being filled in.
    pub r#ref: CompletionReference,
    /// Which of its places.
    pub argument: CompletionArgument,
    /// What is known besides (from 2025-06-18).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<CompletionContext>,
    /// `_meta`.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Object>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl CompleteParams {
    /// Asks what could stand in a place, of which `value` is written so far.
    pub fn new(of: CompletionReference, name: impl Into<String>, value: impl Into<String>) -> Self {
        Self {
            r#ref: of,
            argument: CompletionArgument::new(name, value),
            context: None,
            meta: None,
            extra: Object::new(),
        }
    }

    with! {
        /// Says what is known besides.
        with_context(context: CompletionContext);
        /// Sets `_meta`.
        with_meta(meta: Object);
    }
}

/// What is being filled in.
///
/// A reference of an unknown type, or one that does not have the shape of its type, is kept.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum CompletionReference {
    /// `ref/prompt`
    Prompt(PromptReference),
    /// `ref/resource`
    Resource(ResourceTemplateReference),
    /// A reference of another type, or of another shape: an object.
    Unknown(RawJson),
}

impl CompletionReference {
    /// The arguments of a prompt.
    pub fn prompt(name: impl Into<String>) -> Self {
        Self::Prompt(PromptReference::new(name))
    }

    /// The variables of a resource template.
    pub fn resource(uri: impl Into<String>) -> Self {
        Self::Resource(ResourceTemplateReference::new(uri))
    }
}

/// A reference and the name of its type. The structs do not hold it.
#[derive(Serialize)]
struct Tagged<'a, T> {
    r#type: &'static str,
    #[serde(flatten)]
    reference: &'a T,
}

const PROMPT: &str = "ref/prompt";
const RESOURCE: &str = "ref/resource";

impl Serialize for CompletionReference {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Prompt(reference) => Tagged { r#type: PROMPT, reference }.serialize(serializer),
            Self::Resource(reference) => Tagged { r#type: RESOURCE, reference }.serialize(serializer),
            Self::Unknown(raw) => raw.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for CompletionReference {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = RawJson::deserialize(deserializer)?;
        if !raw.is_object() {
            return Err(D::Error::custom("a reference is an object"));
        }
        let known = member(raw.get(), "type").and_then(read_string).and_then(|kind| read(&kind, &raw));
        Ok(known.unwrap_or(Self::Unknown(raw)))
    }
}

fn read(kind: &str, raw: &RawJson) -> Option<CompletionReference> {
    match kind {
        PROMPT => {
            let mut prompt: PromptReference = raw.decode().ok()?;
            prompt.extra.shift_remove("type");
            Some(CompletionReference::Prompt(prompt))
        }
        RESOURCE => {
            let mut resource: ResourceTemplateReference = raw.decode().ok()?;
            resource.extra.shift_remove("type");
            Some(CompletionReference::Resource(resource))
        }
        _ => None,
    }
}

/// A prompt, by its name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PromptReference {
    /// The name by which it is got.
    pub name: String,
    /// The name for people (from 2025-06-18).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl PromptReference {
    /// Names a prompt.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), title: None, extra: Object::new() }
    }

    with! {
        /// Sets the name for people.
        with_title(title: String);
    }
}

/// A resource template, by its text, or a resource by its URI.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ResourceTemplateReference {
    /// The template as it was listed.
    pub uri: String,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl ResourceTemplateReference {
    /// Names a template.
    pub fn new(uri: impl Into<String>) -> Self {
        Self { uri: uri.into(), extra: Object::new() }
    }
}

/// A place that is being filled in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CompletionArgument {
    /// Its name.
    pub name: String,
    /// What is written of it so far.
    pub value: String,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl CompletionArgument {
    /// Names a place and what is written of it so far.
    pub fn new(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self { name: name.into(), value: value.into(), extra: Object::new() }
    }
}

/// What is known when something is completed (from 2025-06-18).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CompletionContext {
    /// The other places that are filled in already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<BTreeMap<String, String>>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl CompletionContext {
    /// Creates a context that knows nothing.
    pub fn new() -> Self {
        Self::default()
    }

    with! {
        /// Names the places that are filled in already.
        with_arguments(arguments: BTreeMap<String, String>);
    }
}

/// The result of `completion/complete`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CompleteResult {
    /// What kind of result it is (from 2026-07-28).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result_type: Option<ResultType>,
    /// What could stand there.
    pub completion: Completion,
    /// `_meta`.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Object>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl CompleteResult {
    /// Creates a result.
    pub fn new(completion: Completion) -> Self {
        Self { result_type: Some(ResultType::Complete), completion, meta: None, extra: Object::new() }
    }

    with! {
        /// Sets `_meta`.
        with_meta(meta: Object);
    }
}

/// What could stand in a place, the most fitting first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Completion {
    /// Up to [`Completion::MOST`] values.
    pub values: Vec<String>,
    /// How many there are in all, which may be more than are sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// Whether there are more than these. Absent means that there are not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub has_more: Option<bool>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl Completion {
    /// The most values that may be sent at once.
    pub const MOST: usize = 100;

    /// Creates a completion of these values. Of more than [`Self::MOST`] the first are taken, and the rest counted.
    ///
    /// ```
    /// use mcp_types::completion::Completion;
    ///
    /// let few = Completion::new(vec!["python".to_owned()]);
    /// assert_eq!((few.values.len(), few.total, few.has_more), (1, Some(1), Some(false)));
    /// let many = Completion::new((0..150).map(|number| number.to_string()).collect());
    /// assert_eq!((many.values.len(), many.total, many.has_more), (100, Some(150), Some(true)));
    /// ```
    //= 2026-07-28/server/utilities/completion#completion-results
    //# Servers return an array of completion values ranked by relevance, with:
    //# - Maximum 100 items per response
    pub fn new(mut values: Vec<String>) -> Self {
        let total = values.len();
        values.truncate(Self::MOST);
        Self { values, total: u64::try_from(total).ok(), has_more: Some(total > Self::MOST), extra: Object::new() }
    }

    with_plain! {
        /// Says how many there are in all.
        with_total(total: u64);
        /// Says whether there are more.
        with_has_more(has_more: bool);
    }
}
