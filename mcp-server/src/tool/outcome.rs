//! What a tool returns.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

use mcp_types::jsonrpc::write_string;
use mcp_types::{CallToolResult, Content, RawJson};
use serde::Serialize;

/// How a call of a tool ended: a result, which may be that of a tool that failed.
#[derive(Debug)]
pub struct ToolOutcome(pub(crate) Form);

#[derive(Debug)]
pub(crate) enum Form {
    /// The JSON of the result, an object whose closing brace is still missing.
    Open(Vec<u8>),
    /// A result that may have anything in it.
    Full(Box<CallToolResult>),
}

impl ToolOutcome {
    /// A result of one text.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Self(Form::Open(open_text(text)))
    }

    /// The result of a tool that failed, with a text from which a language model can learn.
    #[must_use]
    pub fn failure(text: &str) -> Self {
        let mut open = open_text(text);
        open.extend_from_slice(b",\"isError\":true");
        Self(Form::Open(open))
    }

    /// A result without content.
    #[must_use]
    pub fn empty() -> Self {
        Self(Form::Open(b"{\"content\":[]".to_vec()))
    }
}

/// The result with one text block, open. There is room for what ends it.
fn open_text(text: &str) -> Vec<u8> {
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

/// What a tool may return.
///
/// | type | result |
/// | --- | --- |
/// | texts, numbers, `bool` | one text |
/// | `()` | no content |
/// | [`Json<T>`] | structured content, and its JSON as text |
/// | [`Content`], `Vec<Content>`, [`CallToolResult`] | as it is |
/// | `Result<T, E>` | that of `T`, or an error result with the text of `E`, which is a [`ToolError`] or becomes one |
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not something that a tool can return",
    note = "a tool returns a text, a number, `Json<T>`, `CallToolResult`, `()`, or a `Result` of one of these"
)]
pub trait IntoToolOutcome {
    /// Makes the result.
    fn into_outcome(self) -> ToolOutcome;
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

impl IntoToolOutcome for Content {
    fn into_outcome(self) -> ToolOutcome {
        vec![self].into_outcome()
    }
}

impl IntoToolOutcome for Vec<Content> {
    fn into_outcome(self) -> ToolOutcome {
        CallToolResult::new(self).into()
    }
}

impl<T: IntoToolOutcome, E: Into<ToolError>> IntoToolOutcome for Result<T, E> {
    fn into_outcome(self) -> ToolOutcome {
        match self {
            Ok(value) => value.into_outcome(),
            Err(error) => error.into().into(),
        }
    }
}

/// A structured result: anything that can be JSON.
///
/// Legacy clients take only objects for structured content; they get anything else as text alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "made by tools")]
pub struct Json<T>(pub T);

impl<T: Serialize> IntoToolOutcome for Json<T> {
    fn into_outcome(self) -> ToolOutcome {
        match RawJson::encode(&self.0) {
            Ok(json) => CallToolResult::new(vec![Content::text(json.get())]).with_structured_content(json).into(),
            Err(error) => ToolError::from(error).into(),
        }
    }
}

/// Why a tool failed, as a language model is told: a text.
///
/// Every [`Error`] becomes one by `?`, with the texts of its sources. What a text says is sent to the client, so an
/// error that knows secrets has to be turned into another one first.
///
/// ```
/// use mcp_server::ToolError;
///
/// fn parse(text: &str) -> Result<u8, ToolError> {
///     let number: u8 = text.parse()?;
///     if number == 0 {
///         return Err(ToolError::new("zero is not allowed"));
///     }
///     Ok(number)
/// }
///
/// assert_eq!(parse("x").unwrap_err().to_string(), "invalid digit found in string");
/// ```
// It is not an `Error` itself: then it could not be made of every other one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolError {
    text: Cow<'static, str>,
}

impl ToolError {
    /// A failure with this text.
    #[must_use]
    pub fn new(text: impl Into<Cow<'static, str>>) -> Self {
        Self { text: text.into() }
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl<E: Error> From<E> for ToolError {
    fn from(error: E) -> Self {
        let mut text = error.to_string();
        let mut source = error.source();
        while let Some(error) = source {
            let more = error.to_string();
            // Some errors say themselves what their source says.
            if !text.ends_with(&more) {
                text.push_str(": ");
                text.push_str(&more);
            }
            source = error.source();
        }
        Self::new(text)
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("reading the file failed")]
    struct Outer(#[source] io::Error);

    #[derive(Debug, thiserror::Error)]
    #[error("told: {0}")]
    struct Telling(#[source] io::Error);

    #[test]
    fn the_text_of_an_error_has_its_sources_once() {
        let error = ToolError::from(Outer(io::Error::other("disk on fire")));
        assert_eq!(error.to_string(), "reading the file failed: disk on fire");
        let error = ToolError::from(Telling(io::Error::other("disk on fire")));
        assert_eq!(error.to_string(), "told: disk on fire");
    }
}
