//! What reading a resource returns.

use std::borrow::Cow;

use mcp_types::content::ResourceContents;
use mcp_types::resources::ReadResourceResult;
use serde::Serialize;

use super::ResourceError;
use crate::content::base64;
use crate::tool::Json;

/// How reading a resource ended: by contents or by a protocol error.
#[derive(Debug)]
pub struct ResourceOutcome(pub(super) Form);

#[derive(Debug)]
pub(super) enum Form {
    /// The contents of the resource itself.
    Part(Part),
    /// Contents that say themselves where they are.
    Contents(Vec<ResourceContents>),
    /// A result that may have anything in it.
    Full(Box<ReadResourceResult>),
    /// No result.
    Error(ResourceError),
}

/// Contents that do not say where they are.
#[derive(Debug)]
pub(super) enum Part {
    Text { text: String, mime_type: Cow<'static, str>, is_declared: bool },
    Bytes { bytes: Vec<u8>, mime_type: Cow<'static, str>, is_declared: bool },
}

impl Part {
    /// The contents, as those of the resource at this URI. What the resource says of its kind goes before what its type
    /// suggests, and what was said of these very bytes before that.
    pub(super) fn at(self, uri: &str, said: Option<&str>) -> ResourceContents {
        let kind = |mime_type: Cow<'static, str>, is_declared: bool| match said {
            Some(said) if !is_declared => said.to_owned(),
            _ => mime_type.into_owned(),
        };
        match self {
            Self::Text { text, mime_type, is_declared } => {
                ResourceContents::text(uri, text).with_mime_type(kind(mime_type, is_declared))
            }
            Self::Bytes { bytes, mime_type, is_declared } => {
                ResourceContents::blob(uri, base64(&bytes)).with_mime_type(kind(mime_type, is_declared))
            }
        }
    }
}

impl ResourceOutcome {
    fn text(text: String, mime_type: &'static str) -> Self {
        Self(Form::Part(Part::Text { text, mime_type: mime_type.into(), is_declared: false }))
    }

    fn bytes(bytes: Vec<u8>) -> Self {
        Self(Form::Part(Part::Bytes { bytes, mime_type: BYTES.into(), is_declared: false }))
    }
}

impl From<ResourceError> for ResourceOutcome {
    fn from(error: ResourceError) -> Self {
        Self(Form::Error(error))
    }
}

/// What a resource may return when it is read.
///
/// | type | contents | kind |
/// | --- | --- | --- |
/// | texts | this text | `text/plain` |
/// | `Vec<u8>`, `&'static [u8]` | these bytes, in Base64 | `application/octet-stream` |
/// | [`Blob`] | the same | as it says |
/// | [`Json<T>`] | the JSON of `T`, as a text | `application/json` |
/// | [`ResourceContents`], `Vec<ResourceContents>` | as they are, each with a URI of its own | as it says |
/// | [`ReadResourceResult`] | as it is | as it says |
/// | `Option<T>` | those of `T`, or an error that there is no such resource | that of `T` |
/// | `Result<T, E>` | those of `T`, or the protocol error that `E` is or becomes: a [`ResourceError`] | that of `T` |
///
/// A kind that was set by [`Resource::with_mime_type`](super::Resource::with_mime_type) goes before that of the table.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not something that a resource can return",
    note = "a resource returns a text, bytes, `Blob`, `Json<T>`, `ResourceContents`, or an `Option` or a `Result` of one of these"
)]
pub trait IntoResourceOutcome {
    /// Makes the result.
    fn into_outcome(self) -> ResourceOutcome;

    /// What kind the contents are, if the type says it.
    #[must_use]
    fn mime_type() -> Option<&'static str> {
        None
    }
}

/// Bytes of a kind.
///
/// ```
/// use mcp_server::{Blob, Server};
///
/// async fn logo() -> Blob {
///     Blob::new(b"\x89PNG\r\n\x1a\n...", "image/png")
/// }
///
/// let server = Server::new("s", "1.0.0").resource("app://logo", "logo", logo);
/// # drop(server);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blob {
    bytes: Vec<u8>,
    mime_type: Cow<'static, str>,
}

impl Blob {
    /// Bytes, and what kind they are.
    #[must_use]
    pub fn new(bytes: impl Into<Vec<u8>>, mime_type: impl Into<Cow<'static, str>>) -> Self {
        Self { bytes: bytes.into(), mime_type: mime_type.into() }
    }
}

const TEXT: &str = "text/plain";
const BYTES: &str = "application/octet-stream";
const JSON: &str = "application/json";

impl IntoResourceOutcome for ResourceOutcome {
    fn into_outcome(self) -> ResourceOutcome {
        self
    }
}

macro_rules! texts {
    ($($type:ty)*) => {$(
        impl IntoResourceOutcome for $type {
            fn into_outcome(self) -> ResourceOutcome {
                ResourceOutcome::text(self.into(), TEXT)
            }

            fn mime_type() -> Option<&'static str> {
                Some(TEXT)
            }
        }
    )*};
}

texts!(String &'static str Cow<'static, str>);

macro_rules! bytes {
    ($($type:ty)*) => {$(
        impl IntoResourceOutcome for $type {
            fn into_outcome(self) -> ResourceOutcome {
                ResourceOutcome::bytes(self.into())
            }

            fn mime_type() -> Option<&'static str> {
                Some(BYTES)
            }
        }
    )*};
}

bytes!(Vec<u8> &'static [u8]);

impl IntoResourceOutcome for Blob {
    fn into_outcome(self) -> ResourceOutcome {
        let Self { bytes, mime_type } = self;
        ResourceOutcome(Form::Part(Part::Bytes { bytes, mime_type, is_declared: true }))
    }
}

impl<T: Serialize> IntoResourceOutcome for Json<T> {
    fn into_outcome(self) -> ResourceOutcome {
        match serde_json::to_string(&self.0) {
            Ok(json) => ResourceOutcome::text(json, JSON),
            Err(error) => ResourceError::from(error).into(),
        }
    }

    fn mime_type() -> Option<&'static str> {
        Some(JSON)
    }
}

impl IntoResourceOutcome for ResourceContents {
    fn into_outcome(self) -> ResourceOutcome {
        vec![self].into_outcome()
    }
}

impl IntoResourceOutcome for Vec<ResourceContents> {
    fn into_outcome(self) -> ResourceOutcome {
        ResourceOutcome(Form::Contents(self))
    }
}

impl IntoResourceOutcome for ReadResourceResult {
    fn into_outcome(self) -> ResourceOutcome {
        ResourceOutcome(Form::Full(Box::new(self)))
    }
}

impl<T: IntoResourceOutcome> IntoResourceOutcome for Option<T> {
    fn into_outcome(self) -> ResourceOutcome {
        match self {
            Some(value) => value.into_outcome(),
            None => ResourceError::not_found().into(),
        }
    }

    fn mime_type() -> Option<&'static str> {
        T::mime_type()
    }
}

impl<T: IntoResourceOutcome, E: Into<ResourceError>> IntoResourceOutcome for Result<T, E> {
    fn into_outcome(self) -> ResourceOutcome {
        match self {
            Ok(value) => value.into_outcome(),
            Err(error) => error.into().into(),
        }
    }

    fn mime_type() -> Option<&'static str> {
        T::mime_type()
    }
}
