use std::borrow::Cow;
use std::fmt;

use super::error::{ErrorCode, ErrorObject};
use super::id::Id;

/// A frame that is not a message.
///
/// Whether it is answered is a matter of the session: only a server answers what cannot be read or a
/// broken request, and nobody answers a broken response or notification.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Malformed {
    /// What is wrong.
    pub fault: Fault,
    /// What the frame was meant to be.
    pub subject: Subject,
    /// The id of the request or response, when it could be read.
    pub id: Option<Id>,
    /// What was expected and what was found, in one phrase; never a value from the frame.
    pub detail: Cow<'static, str>,
}

impl Malformed {
    /// Describes a frame whose id could not be read.
    pub fn new(fault: Fault, subject: Subject, detail: impl Into<Cow<'static, str>>) -> Self {
        Self { fault, subject, id: None, detail: detail.into() }
    }

    /// Adds the id that could be read.
    #[must_use]
    pub fn with_id(mut self, id: Option<Id>) -> Self {
        self.id = id;
        self
    }

    /// The error to answer with, if this is to be answered at all.
    pub fn to_error_object(&self) -> ErrorObject {
        ErrorObject::new(self.fault.code(), self.to_string())
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.fault, self.detail)
    }
}

impl std::error::Error for Malformed {}

/// What a malformed frame was meant to be, as far as its members tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Subject {
    /// Not JSON, not an object, or an object that could be anything.
    Unknown,
    /// It has `method` and `id`, or `id` and `params`.
    Request,
    /// It has `method` and no `id`.
    Notification,
    /// It has `result` or `error` and no `method`.
    Response,
}

/// What is wrong with a frame.
///
/// When several things are wrong, the one that stands first in this list is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Fault {
    /// The frame is longer than the limit. Reported by who cuts the stream into frames.
    TooLarge,
    /// The stream ended inside the frame. Reported by who cuts the stream into frames.
    Truncated,
    /// The text is not UTF-8.
    NotUtf8,
    /// The text is not JSON.
    NotJson,
    /// Containers are nested too deeply.
    TooDeep,
    /// One of `jsonrpc`, `id`, `method`, `params`, `result` and `error` stands there twice.
    DuplicateMember,
    /// Neither an object nor an array, or without `method`, `result` and `error`.
    NotAMessage,
    /// `jsonrpc` is missing or not `"2.0"`.
    BadVersion,
    /// The id is neither a string nor a number, or a string that names no text.
    BadId,
    /// The id is longer than the limit.
    IdTooLong,
    /// The method is not a string.
    BadMethod,
    /// The method is longer than the limit.
    MethodTooLong,
    /// `params` is there and neither an object nor `null`.
    BadParams,
    /// Not exactly one of `result` and `error`, or an error that is neither an object nor a string.
    BadResponse,
}

impl Fault {
    /// The code of the error to answer with.
    pub const fn code(self) -> ErrorCode {
        match self {
            Self::NotJson | Self::NotUtf8 | Self::Truncated => ErrorCode::PARSE_ERROR,
            Self::BadParams => ErrorCode::INVALID_PARAMS,
            Self::TooLarge
            | Self::TooDeep
            | Self::DuplicateMember
            | Self::NotAMessage
            | Self::BadVersion
            | Self::BadId
            | Self::IdTooLong
            | Self::BadMethod
            | Self::MethodTooLong
            | Self::BadResponse => ErrorCode::INVALID_REQUEST,
        }
    }

    const fn text(self) -> &'static str {
        match self {
            Self::TooLarge => "frame too large",
            Self::Truncated => "frame cut off",
            Self::NotUtf8 => "not UTF-8",
            Self::NotJson => "not JSON",
            Self::TooDeep => "nested too deeply",
            Self::DuplicateMember => "duplicate member",
            Self::NotAMessage => "not a message",
            Self::BadVersion => "wrong JSON-RPC version",
            Self::BadId => "invalid id",
            Self::IdTooLong => "id too long",
            Self::BadMethod => "invalid method",
            Self::MethodTooLong => "method too long",
            Self::BadParams => "invalid params",
            Self::BadResponse => "invalid response",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}
