//! The JSON-RPC 2.0 envelope: one pass over a frame, and the writers for the way back.
//!
//! [`scan`] reads one frame (one JSON text) and tells what kind of message it is. It validates the
//! whole text strictly, checks nesting and lengths, and keeps borrowed slices of the raw JSON of
//! everything that is decoded later: `params`, the members of `params` that routing needs, `_meta`,
//! `result`. Nothing is decoded twice, nothing is recursive, and only a string id is allocated.
//!
//! ```
//! use mcp_types::jsonrpc::{scan, Message, ScanLimits, Scanned};
//!
//! let frame = br#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":{"a":1}}}"#;
//! let Scanned::Message(Message::Request(request)) = scan(frame, &ScanLimits::default()).unwrap() else {
//!     panic!("`method` and `id` make a request");
//! };
//! assert_eq!(request.method, "tools/call");
//! assert_eq!(request.params.name, Some(r#""echo""#));
//! assert_eq!(request.params.arguments, Some(r#"{"a":1}"#));
//! ```
//!
//! What is wrong with a frame is a [`Malformed`]: the fault, what the frame was meant to be, and the
//! id whenever it could be read, wherever in the object it stands.

mod classify;
mod error;
mod id;
mod lexer;
mod malformed;
mod message;
mod names;
mod object;
mod scan;
mod text;
mod tool_result;
mod write;

pub use error::{ErrorCode, ErrorObject};
pub use id::Id;
pub use malformed::{Fault, Malformed, Subject};
pub use message::{
    Batch, BatchIter, Message, Meta, Notification, Params, PeerError, Request, Response, ResponseOutcome, Scanned,
};
pub(crate) use object::PlainObject;
pub use scan::{ScanLimits, member, scan};
pub use text::read_string;
pub(crate) use tool_result::read_plain_result;
pub use write::{
    ErrorId, write_error, write_notification, write_request, write_response_head, write_result, write_string,
};
