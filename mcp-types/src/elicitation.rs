//! Elicitation: a server asks the user of its client.

mod check;
mod fields;
mod form;
mod format;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::json;

pub use self::check::FormFault;
pub use self::fields::{
    BooleanSchema, EnumOption, EnumSchema, FieldSchema, MultiEnumSchema, NumberSchema, StringSchema,
};
pub use self::form::{FormSchema, FormSchemaError};
pub use self::format::StringFormat;
use crate::jsonrpc::{ErrorCode, ErrorObject, member, read_string};
use crate::raw::RawJson;
use crate::wire::{Object, open_enum, with};

/// The params of `elicitation/create` (from 2025-06-18): told apart by `mode`, which means a form where it is absent.
///
/// ```
/// use mcp_types::elicitation::{ElicitParams, ElicitUrlParams};
///
/// let params: ElicitParams = serde_json::from_str(r#"{"message":"Who?","requestedSchema":{}}"#)?;
/// assert!(matches!(params, ElicitParams::Form(_)));
/// let params: ElicitParams = serde_json::from_str(r#"{"mode":"url","message":"Go","url":"https://a.example"}"#)?;
/// assert_eq!(params, ElicitUrlParams::new("Go", "https://a.example").into());
/// let params: ElicitParams = serde_json::from_str(r#"{"mode":"voice","message":"Say"}"#)?;
/// assert_eq!((params.mode().as_str(), params.message()), ("voice", ""));
/// # Ok::<_, serde_json::Error>(())
/// ```
///
/// Spec: [Elicitation](https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation)
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ElicitParams {
    /// By a form.
    Form(ElicitFormParams),
    /// By a page that is opened (from 2025-11-25).
    Url(ElicitUrlParams),
    /// In a mode that this crate does not know: an object, kept as it is.
    Unknown(RawJson),
}

impl ElicitParams {
    /// How the user is asked.
    pub fn mode(&self) -> ElicitMode {
        match self {
            Self::Form(_) => ElicitMode::Form,
            Self::Url(_) => ElicitMode::Url,
            Self::Unknown(raw) => {
                let mode = member(raw.get(), "mode").and_then(read_string);
                ElicitMode::from(mode.as_deref().unwrap_or_default())
            }
        }
    }

    /// What the user is told. Empty in a mode that is not known.
    pub fn message(&self) -> &str {
        match self {
            Self::Form(params) => &params.message,
            Self::Url(params) => &params.message,
            Self::Unknown(_) => "",
        }
    }
}

impl From<ElicitFormParams> for ElicitParams {
    fn from(params: ElicitFormParams) -> Self {
        Self::Form(params)
    }
}

impl From<ElicitUrlParams> for ElicitParams {
    fn from(params: ElicitUrlParams) -> Self {
        Self::Url(params)
    }
}

impl Serialize for ElicitParams {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Form(params) => params.serialize(serializer),
            Self::Url(params) => params.serialize(serializer),
            Self::Unknown(raw) => raw.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ElicitParams {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = RawJson::deserialize(deserializer)?;
        if !raw.is_object() {
            return Err(D::Error::custom("the params of an elicitation are an object"));
        }
        //= 2026-07-28/client/elicitation#elicitation-requests
        //# Clients **MUST** treat requests without a `mode` field as form mode.
        let read = match member(raw.get(), "mode").filter(|mode| *mode != "null") {
            None | Some(r#""form""#) => raw.decode().map(Self::Form),
            Some(r#""url""#) => raw.decode().map(Self::Url),
            Some(mode) if mode.starts_with('"') => return Ok(Self::Unknown(raw)),
            Some(_) => return Err(D::Error::custom("`mode` is a string")),
        };
        read.map_err(D::Error::custom)
    }
}

open_enum! {
    /// How a user is asked.
    ElicitMode {
        /// By a form.
        Form = "form",
        /// By a page that is opened.
        Url = "url",
    }
}

/// Asks by a form. What is entered passes through the client, so it is not for secrets.
///
/// ```
/// use mcp_types::elicitation::{ElicitFormParams, FormSchema, StringSchema};
///
/// let form = FormSchema::new().with_required("name", StringSchema::new().with_max_length(40));
/// let params = ElicitFormParams::new("Who are you?", &form);
/// assert_eq!(
///     params.requested_schema.get(),
///     r#"{"type":"object","properties":{"name":{"type":"string","maxLength":40}},"required":["name"]}"#,
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ElicitFormParams {
    /// `form`, or absent, which means the same (named from 2025-11-25).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<ElicitMode>,
    /// What the user is told.
    pub message: String,
    /// The schema of the form, as it was sent: [`FormSchema::read`] takes it apart.
    pub requested_schema: RawJson,
    /// `_meta` (up to 2025-11-25).
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Object>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl ElicitFormParams {
    /// Asks for what the schema describes.
    pub fn new(message: impl Into<String>, requested_schema: impl Into<RawJson>) -> Self {
        Self {
            mode: Some(ElicitMode::Form),
            message: message.into(),
            requested_schema: requested_schema.into(),
            meta: None,
            extra: Object::new(),
        }
    }

    with! {
        /// Sets `_meta`.
        with_meta(meta: Object);
    }
}

/// Asks by a page that the user opens (from 2025-11-25). What is entered there does not pass through the client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ElicitUrlParams {
    /// `url`.
    pub mode: ElicitMode,
    /// What the user is told.
    pub message: String,
    /// The page.
    pub url: String,
    /// What [`ElicitationCompleteParams`] names (2025-11-25 only, where it is required).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elicitation_id: Option<String>,
    /// `_meta` (2025-11-25 only).
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Object>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl ElicitUrlParams {
    /// Asks the user to open a page.
    pub fn new(message: impl Into<String>, url: impl Into<String>) -> Self {
        Self {
            mode: ElicitMode::Url,
            message: message.into(),
            url: url.into(),
            elicitation_id: None,
            meta: None,
            extra: Object::new(),
        }
    }

    with! {
        /// Sets what the notification of its completion will name.
        with_elicitation_id(elicitation_id: String);
        /// Sets `_meta`.
        with_meta(meta: Object);
    }
}

/// What a user answered.
///
/// ```
/// use mcp_types::elicitation::{ElicitAction, ElicitResult};
///
/// let result: ElicitResult = serde_json::from_str(r#"{"action":"accept","content":{"name":"Ada"}}"#)?;
/// assert_eq!(result.action, ElicitAction::Accept);
/// assert_eq!(result.content.unwrap()["name"], "Ada");
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ElicitResult {
    /// What the user did.
    pub action: ElicitAction,
    /// What was entered; only of a form that was accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Object>,
    /// `_meta` (up to 2025-11-25).
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Object>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl ElicitResult {
    /// An answer without content.
    pub fn new(action: ElicitAction) -> Self {
        Self { action, content: None, meta: None, extra: Object::new() }
    }

    /// The user accepted a form and entered this.
    pub fn accept(content: Object) -> Self {
        Self { content: Some(content), ..Self::new(ElicitAction::Accept) }
    }

    /// The user declined.
    pub fn decline() -> Self {
        Self::new(ElicitAction::Decline)
    }

    /// The user closed the question without a choice.
    pub fn cancel() -> Self {
        Self::new(ElicitAction::Cancel)
    }

    with! {
        /// Sets what was entered.
        with_content(content: Object);
        /// Sets `_meta`.
        with_meta(meta: Object);
    }
}

open_enum! {
    /// What a user did with a question.
    ElicitAction {
        /// The form was submitted, or the page may be opened. That it was opened or completed is not said.
        Accept = "accept",
        /// The user said no.
        Decline = "decline",
        /// The user closed it without a choice.
        Cancel = "cancel",
    }
}

/// The params of `notifications/elicitation/complete` (2025-11-25 only): what was asked by a page is done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ElicitationCompleteParams {
    /// Which question.
    pub elicitation_id: String,
    /// `_meta`.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Object>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl ElicitationCompleteParams {
    /// Says which question is done.
    pub fn new(elicitation_id: impl Into<String>) -> Self {
        Self { elicitation_id: elicitation_id.into(), meta: None, extra: Object::new() }
    }
}

/// The data of the error −32042 (2025-11-25 only): pages that the user has to visit before the request can succeed.
///
/// ```
/// use mcp_types::elicitation::{ElicitUrlParams, UrlElicitationRequired};
///
/// let page = ElicitUrlParams::new("Sign in", "https://a.example/sign-in").with_elicitation_id("7");
/// let error = UrlElicitationRequired::new(vec![page]).to_error_object("sign in first");
/// assert_eq!(error.code.0, -32042);
/// assert_eq!(UrlElicitationRequired::from_error(&error).unwrap().elicitations.len(), 1);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct UrlElicitationRequired {
    /// The pages, each with an `elicitation_id`.
    pub elicitations: Vec<ElicitUrlParams>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl UrlElicitationRequired {
    /// Names the pages.
    pub fn new(elicitations: Vec<ElicitUrlParams>) -> Self {
        Self { elicitations, extra: Object::new() }
    }

    /// The error to answer a request with.
    pub fn to_error_object(&self, message: impl Into<std::borrow::Cow<'static, str>>) -> ErrorObject {
        ErrorObject::new(ErrorCode::URL_ELICITATION_REQUIRED, message).with_value(&json!(self))
    }

    /// Reads the data of an error. `None` when it is another error, or its data has another shape.
    pub fn from_error(error: &ErrorObject) -> Option<Self> {
        let data = error.data.as_ref().filter(|_| error.code == ErrorCode::URL_ELICITATION_REQUIRED)?;
        serde_json::from_str(data.get()).ok()
    }
}
