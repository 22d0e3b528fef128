//! Streamable HTTP: everything that stands between a request of HTTP and a message of a session.
//!
//! A [`Front`] is a [`tower_service::Service`]: it nests into axum and runs on hyper by itself, over HTTP/1.1 and
//! HTTP/2. It turns away what may not come in, reads the body, checks that the headers say what the body says, and
//! hands what is in order to an [`Exchange`].
//!
//! **Unfinished:** there is no [`Exchange`] here that serves a [`Server`](crate::Server), so that none can be reached over
//! HTTP yet. What is here will change.
//!
//! | what is wrong | status | code |
//! | --- | --- | --- |
//! | another path than [`HttpConfig::with_path`] | 404 | −32600 |
//! | the host or the origin is not allowed | 403 | −32600 |
//! | target and headers are too long | 431 | −32600 |
//! | another method than POST, GET or DELETE; the last two from a modern client | 405 | −32600 |
//! | too much is under way | 503 | −32603 |
//! | neither JSON nor events are accepted; no events for a GET | 406 | −32600 |
//! | the body is not `application/json`, or packed | 415 | −32600 |
//! | the body is too long | 413 | −32600 |
//! | the body is too slow | 408 | −32600 |
//! | the body is not JSON | 400 | −32700 |
//! | the body is no message, or an array where there are no batches | 400 | −32600 |
//! | a header is missing, stands there twice, cannot be read, or contradicts the body | 400 | −32020 |
//! | `_meta` lacks something | 400 | −32602 |
//! | the revision is not one of ours | 400 | −32022 |
//! | the session is not named | 400 | −32600 |
//! | there is no such session | 404 | −32600 |
//!
//! Each of these answers is a JSON-RPC error. A client that leaves in the middle of its body gets none.

mod answer;
mod body;
mod cap;
mod config;
mod exchange;
mod front;
mod headers;
mod judge;
mod negotiate;
mod security;
mod session_id;
mod sse;
mod store;

pub use self::answer::{accepted, event_stream, json_response, status};
pub use self::config::HttpConfig;
pub use self::exchange::{Exchange, Get, Place, Post};
pub use self::front::{Front, FrontBody, FrontFuture};
pub use self::headers::{
    HeaderFault, HeaderMismatch, HeaderParams, InvalidAnnotation, LAST_EVENT_ID, METHOD, NAME, PROTOCOL_VERSION,
    SESSION_ID,
};
pub use self::negotiate::Acceptable;
pub use self::session_id::{NoRandomness, SessionId};
pub use self::sse::{EventId, StreamId, write_event, write_keep_alive, write_priming, write_retry};
pub use self::store::{Event, EventStore, MemoryEvents, StoreError};
