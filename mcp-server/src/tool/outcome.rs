//! What a tool returns.

use std::borrow::Cow;

use mcp_types::content::{AudioContent, EmbeddedResource, ImageContent, ResourceLink, TextContent};
use mcp_types::jsonrpc::{ErrorObject, write_string};
use mcp_types::{CallToolResult, Content, RawJson};
use schemars::JsonSchema;
use serde::Serialize;

use super::error::{ProtocolError, ToolError};
use crate::schema;

/// How a call of a tool ended: by a result, which may be that of a tool that failed, or by a protocol error.
#[derive(Debug)]
pub struct ToolOutcome(pub(crate) Form);

#[derive(Debug)]
pub(crate) enum Form {
    /// The JSON of a result of texts, an object whose closing brace is still missing.
    Text(Vec<u8>),
    /// The same, of a tool that failed.
    Failure(Vec<u8>),
    /// The JSON of a structured result.
    Json(Vec<u8>),
    /// A result that may have anything in it.
    Full(Box<CallToolResult>),
    /// No result.
    Error(Box<ErrorObject>),
}

impl ToolOutcome {
    /// A result of one text.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Self(Form::Text(open_text(text)))
    }

    /// The result of a tool that failed, with a text from which a language model can learn.
    #[must_use]
    pub fn failure(text: &str) -> Self {
        let mut open = open_text(text);
        open.extend_from_slice(b",\"isError\":true");
        Self(Form::Failure(open))
    }

    /// A result without content.
    #[must_use]
    pub fn empty() -> Self {
        Self(Form::Text(b"{\"content\":[]".to_vec()))
    }
}

/// The result with one text block, open. There is room for what ends it.
pub(crate) fn open_text(text: &str) -> Vec<u8> {
    const AROUND: usize = 256;
    let mut open = Vec::with_capacity(text.len() + AROUND);
    open.extend_from_slice(b"{\"content\":[{\"type\":\"text\",\"text\":");
    write_string(&mut open, text);
    open.extend_from_slice(b"}]");
    open
}

impl From<CallToolResult> for ToolOutcome {
    fn from(result: CallToolResult) -> Self {
        Self(Form::Full(Box::new(result)))
    }
}

impl From<ToolError> for ToolOutcome {
    fn from(error: ToolError) -> Self {
        Self::failure(&error.text)
    }
}

impl From<ProtocolError> for ToolOutcome {
    fn from(error: ProtocolError) -> Self {
        Self(Form::Error(Box::new(error.into_object())))
    }
}

/// What a tool may return.
///
/// | type | result |
/// | --- | --- |
/// | texts, numbers, `bool` | one text |
/// | `()` | no content |
/// | [`Json<T>`] | structured content, and its JSON as text; clients are told the schema of `T` |
/// | [`TextContent`], [`ImageContent`], [`AudioContent`], [`EmbeddedResource`], [`ResourceLink`], [`Content`] | one block |
/// | `Vec<Content>`, `[Content; N]` | these blocks |
/// | [`CallToolResult`] | as it is |
/// | `Result<T, E>` | that of `T`, or an error result with the text of `E`, which is a [`ToolError`] or becomes one |
/// | `Result<T, ProtocolError>` | that of `T`, or a protocol error |
///
/// Clients of a revision that does not have a kind of block, audio before 2025-03-26 and links before 2025-06-18, get
/// a text in its place that says what it was.
///
/// ```
/// use mcp_server::{Server, base64};
/// use mcp_types::Content;
/// use mcp_types::content::{EmbeddedResource, ImageContent, ResourceContents, ResourceLink};
///
/// async fn plot() -> ImageContent {
///     ImageContent::new(base64(b"\x89PNG\r\n\x1a\n..."), "image/png")
/// }
///
/// async fn report() -> [Content; 3] {
///     let notes = ResourceContents::text("notes://today", "All is well.").with_mime_type("text/plain");
///     [
///         Content::text("Two of the three are attached."),
///         EmbeddedResource::new(notes).into(),
///         ResourceLink::new("file:///var/log/all.log", "all.log").into(),
///     ]
/// }
///
/// let server = Server::new("s", "1.0.0").tool("plot", "Plots.", plot).tool("report", "Reports.", report);
/// # drop(server);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not something that a tool can return",
    note = "a tool returns a text, a number, `Json<T>`, `CallToolResult`, `()`, or a `Result` of one of these"
)]
pub trait IntoToolOutcome {
    /// Makes the result.
    fn into_outcome(self) -> ToolOutcome;

    /// The schema of the structured content that every result has which is no failure.
    #[must_use]
    fn output_schema() -> Option<RawJson> {
        None
    }
}

impl IntoToolOutcome for ToolOutcome {
    fn into_outcome(self) -> ToolOutcome {
        self
    }
}

impl IntoToolOutcome for () {
    fn into_outcome(self) -> ToolOutcome {
        ToolOutcome::empty()
    }
}

impl IntoToolOutcome for String {
    fn into_outcome(self) -> ToolOutcome {
        ToolOutcome::text(&self)
    }
}

impl IntoToolOutcome for &'static str {
    fn into_outcome(self) -> ToolOutcome {
        ToolOutcome::text(self)
    }
}

impl IntoToolOutcome for Cow<'static, str> {
    fn into_outcome(self) -> ToolOutcome {
        ToolOutcome::text(&self)
    }
}

macro_rules! as_text {
    ($($type:ty)*) => {$(
        impl IntoToolOutcome for $type {
            fn into_outcome(self) -> ToolOutcome {
                ToolOutcome::text(&self.to_string())
            }
        }
    )*};
}

as_text!(bool i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64);

impl IntoToolOutcome for CallToolResult {
    fn into_outcome(self) -> ToolOutcome {
        self.into()
    }
}

impl IntoToolOutcome for Vec<Content> {
    fn into_outcome(self) -> ToolOutcome {
        CallToolResult::new(self).into()
    }
}

impl<const N: usize> IntoToolOutcome for [Content; N] {
    fn into_outcome(self) -> ToolOutcome {
        Vec::from(self).into_outcome()
    }
}

macro_rules! as_block {
    ($($type:ty)*) => {$(
        impl IntoToolOutcome for $type {
            fn into_outcome(self) -> ToolOutcome {
                vec![Content::from(self)].into_outcome()
            }
        }
    )*};
}

as_block!(Content TextContent ImageContent AudioContent EmbeddedResource ResourceLink);

impl<T: IntoToolOutcome, E: Into<ToolError>> IntoToolOutcome for Result<T, E> {
    fn into_outcome(self) -> ToolOutcome {
        match self {
            Ok(value) => value.into_outcome(),
            Err(error) => error.into().into(),
        }
    }

    fn output_schema() -> Option<RawJson> {
        T::output_schema()
    }
}

impl<T: IntoToolOutcome> IntoToolOutcome for Result<T, ProtocolError> {
    fn into_outcome(self) -> ToolOutcome {
        match self {
            Ok(value) => value.into_outcome(),
            Err(error) => error.into(),
        }
    }

    fn output_schema() -> Option<RawJson> {
        T::output_schema()
    }
}

/// A structured result: anything that can be JSON and has a schema, which clients are told.
///
/// Legacy clients take only objects for structured content; they get anything else as text alone, and are not told its
/// schema. What has no schema is returned as a [`CallToolResult`].
///
/// ```
/// use mcp_server::{Json, Server};
/// use schemars::JsonSchema;
/// use serde::Serialize;
///
/// #[derive(Serialize, JsonSchema)]
/// struct Weather {
///     celsius: f64,
/// }
///
/// async fn weather() -> Json<Weather> {
///     Json(Weather { celsius: 22.5 })
/// }
///
/// let server = Server::new("weather", "1.0.0").tool("weather", "Tells the weather.", weather);
/// # drop(server);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "made by tools")]
pub struct Json<T>(pub T);

impl<T: Serialize + JsonSchema> IntoToolOutcome for Json<T> {
    fn into_outcome(self) -> ToolOutcome {
        match serde_json::to_vec(&self.0) {
            Ok(json) => ToolOutcome(Form::Json(json)),
            Err(error) => ToolError::from(error).into(),
        }
    }

    fn output_schema() -> Option<RawJson> {
        schema::output::<T>()
    }
}
