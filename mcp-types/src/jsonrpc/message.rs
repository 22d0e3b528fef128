//! What a scanned frame is: borrowed slices of its raw JSON, sorted by kind of message.

use std::borrow::Cow;

use super::error::{ErrorCode, ErrorObject};
use super::id::Id;
use super::lexer::Lexer;
use super::text::read_string_lossy;

/// One frame.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_enums, reason = "JSON-RPC has no third kind of frame")]
#[expect(clippy::large_enum_variant, reason = "it is taken apart where it is made; a box would cost each message")]
pub enum Scanned<'a> {
    /// An object.
    Message(Message<'a>),
    /// An array. Only revision 2025-03-26 has batches.
    Batch(Batch<'a>),
}

/// One message, by its members: `method` and `id` make a request, `method` alone a notification,
/// `result` or `error` without `method` a response.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_enums, reason = "JSON-RPC has no fourth kind of message")]
pub enum Message<'a> {
    /// Somebody waits for an answer.
    Request(Request<'a>),
    /// Nobody waits for an answer.
    Notification(Notification<'a>),
    /// The answer to a request of ours.
    Response(Response<'a>),
}

/// A request.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_structs, reason = "tests and transports build messages by hand")]
pub struct Request<'a> {
    /// What the answer has to carry.
    pub id: Id,
    /// The method, decoded. It may be empty and then names no method.
    pub method: Cow<'a, str>,
    /// The parameters, raw.
    pub params: Params<'a>,
}

/// A notification.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_structs, reason = "tests and transports build messages by hand")]
pub struct Notification<'a> {
    /// The method, decoded.
    pub method: Cow<'a, str>,
    /// The parameters, raw.
    pub params: Params<'a>,
}

/// A response.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_structs, reason = "tests and transports build messages by hand")]
pub struct Response<'a> {
    /// The request that is answered, as the peer sent its id. `None` when it is absent or `null`.
    pub id: Option<Id>,
    /// The answer.
    pub outcome: ResponseOutcome<'a>,
}

/// What a response says.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_enums, reason = "a response is one or the other")]
pub enum ResponseOutcome<'a> {
    /// The raw JSON of the result.
    Result(&'a str),
    /// The error.
    Error(PeerError<'a>),
}

/// An error that the peer sent, with as much of it as can be read.
///
/// Peers get errors wrong in many ways. A code that is no integer reads as `0`, a missing message as
/// an empty one, and an error that is a mere string is the message.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_structs, reason = "tests and transports build messages by hand")]
pub struct PeerError<'a> {
    /// The code.
    pub code: ErrorCode,
    /// The message. Halves of surrogate pairs in it are replaced.
    pub message: Cow<'a, str>,
    /// The raw JSON of the data.
    pub data: Option<&'a str>,
}

impl<'a> PeerError<'a> {
    /// Reads the members of an error object from their raw JSON.
    pub(super) fn from_members(code: Option<&'a str>, message: Option<&'a str>, data: Option<&'a str>) -> Self {
        Self {
            code: ErrorCode(code.and_then(read_code).unwrap_or(0)),
            message: message.map(|raw| read_string_lossy(raw).unwrap_or(Cow::Borrowed(raw))).unwrap_or_default(),
            data,
        }
    }

    /// Reads an error that is a string.
    pub(super) fn from_text(raw: &'a str) -> Self {
        Self::from_members(None, Some(raw), None)
    }
}

/// Reads an integer, also when it is written as `-32601.0` or as a string.
fn read_code(raw: &str) -> Option<i64> {
    Id::parse(raw)?.matches_number()
}

impl From<PeerError<'_>> for ErrorObject {
    fn from(error: PeerError<'_>) -> Self {
        let object = Self::new(error.code, error.message.into_owned());
        let data = error.data.and_then(|raw| serde_json::value::RawValue::from_string(raw.to_owned()).ok());
        match data {
            Some(data) => object.with_data(data),
            None => object,
        }
    }
}

/// The raw JSON of the parameters and of those members that routing needs.
///
/// Each value is as it was sent and may be of any type; `name` is `"echo"` with its quotes. Where a
/// member stands there twice, the last one counts.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Params<'a> {
    /// The whole object. `None` when it is absent or `null`.
    pub raw: Option<&'a str>,
    /// `name`, of tools and prompts.
    pub name: Option<&'a str>,
    /// `uri`, of resources.
    pub uri: Option<&'a str>,
    /// `arguments`, of tools and prompts.
    pub arguments: Option<&'a str>,
    /// `requestId`, of cancellations.
    pub request_id: Option<&'a str>,
    /// `progressToken`, of progress notifications. A request has its own in `_meta`.
    pub progress_token: Option<&'a str>,
    /// `progress`, of progress notifications.
    pub progress: Option<&'a str>,
    /// `protocolVersion`, of `initialize`.
    pub protocol_version: Option<&'a str>,
    /// `notifications`, the filter of `subscriptions/listen`.
    pub notifications: Option<&'a str>,
    /// `cursor`, of lists.
    pub cursor: Option<&'a str>,
    /// `level`, of logging.
    pub level: Option<&'a str>,
    /// `inputResponses`, of a request that is made again with answers.
    pub input_responses: Option<&'a str>,
    /// `requestState`, of a request that is made again.
    pub request_state: Option<&'a str>,
    /// `_meta`.
    pub meta: Meta<'a>,
}

/// The raw JSON of `_meta` and of its reserved members.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Meta<'a> {
    /// The whole value. The other fields are filled when it is an object.
    pub raw: Option<&'a str>,
    /// `io.modelcontextprotocol/protocolVersion`.
    pub protocol_version: Option<&'a str>,
    /// `io.modelcontextprotocol/clientInfo`.
    pub client_info: Option<&'a str>,
    /// `io.modelcontextprotocol/clientCapabilities`.
    pub client_capabilities: Option<&'a str>,
    /// `io.modelcontextprotocol/logLevel`.
    pub log_level: Option<&'a str>,
    /// `progressToken`.
    pub progress_token: Option<&'a str>,
    /// `io.modelcontextprotocol/subscriptionId`.
    pub subscription_id: Option<&'a str>,
}

/// An array of messages. The array has been validated as JSON, its elements have not been looked at.
///
/// An element that is itself an array scans as a batch again; batches do not nest, so that is a
/// malformed message.
#[derive(Clone, Debug)]
pub struct Batch<'a> {
    elements: Lexer<'a>,
    len: usize,
}

impl<'a> Batch<'a> {
    /// `elements` stands at the first element of a valid array of `len` elements.
    pub(super) fn new(elements: Lexer<'a>, len: usize) -> Self {
        Self { elements, len }
    }

    /// How many elements there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no element. An empty batch is not a valid one.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The raw JSON of each element, to be scanned one by one.
    pub fn iter(&self) -> BatchIter<'a> {
        BatchIter { elements: self.elements.clone(), left: self.len }
    }
}

impl<'a> IntoIterator for &Batch<'a> {
    type Item = &'a str;
    type IntoIter = BatchIter<'a>;

    fn into_iter(self) -> BatchIter<'a> {
        self.iter()
    }
}

/// The elements of a [`Batch`].
#[derive(Clone, Debug)]
pub struct BatchIter<'a> {
    elements: Lexer<'a>,
    left: usize,
}

impl<'a> Iterator for BatchIter<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        self.left = self.left.checked_sub(1)?;
        let raw = self.elements.raw_value(1).ok()?;
        // Over the comma, or over the bracket after the last one.
        self.elements.skip_whitespace();
        self.elements.skip_byte();
        self.elements.skip_whitespace();
        Some(raw)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for BatchIter<'_> {}
