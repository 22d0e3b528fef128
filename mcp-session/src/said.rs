//! What a session says, message by message, on exchanges that are no pipe.

use bytes::Bytes;
use mcp_types::jsonrpc::ErrorCode;

use crate::engine::CallId;
use crate::framing::blank_line_breaks;

/// One message for the peer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "whoever carries messages also makes them up to test itself")]
pub struct Said {
    /// The message: JSON on one line. Empty for [`What::Prime`].
    pub json: Bytes,
    /// What it is.
    pub what: What,
    /// Its place in the log, if its stream can be resumed.
    pub place: Option<u64>,
}

/// What a message is to the session that says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "whoever carries messages decides about each kind")]
pub enum What {
    /// Nothing yet: an event to resume the stream from.
    Prime,
    /// A notification.
    Note,
    /// A request to the peer.
    Call(CallId),
    /// The answer to a request, or to a batch of them.
    Answer(Terminal),
}

/// How a request was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "whoever carries answers has a status for each")]
pub enum Terminal {
    /// By a result, or several requests at once by whatever they were answered with.
    Result,
    /// By this error.
    Error(ErrorCode),
    /// It was refused, because the session has as much to do as it may.
    Overloaded,
    /// It was refused, because the session is closing.
    Closing,
}

impl Said {
    pub(crate) fn new(mut json: Vec<u8>, what: What) -> Self {
        blank_line_breaks(&mut json);
        Self { json: json.into(), what, place: None }
    }
}
