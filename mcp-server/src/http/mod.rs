//! Streamable HTTP: a [`Server`](crate::Server) at one endpoint, for every revision.
//!
//! [`Server::http`](crate::Server::http) makes an [`HttpService`] of a server, a [`tower_service::Service`] that nests
//! into axum and runs on hyper, over HTTP/1.1 and HTTP/2. With the feature `http` a server listens by itself:
//! `Server::serve_http`, and [`HttpService`]'s `serve` for a listener of one's own. What can be set is an
//! [`HttpConfig`].
//!
//! # How requests are answered
//!
//! A request of the revision without a handshake stands alone. It is answered by one JSON object; by a stream of events
//! when something is said before the answer, when nothing is said for so long that whoever stands in between might take
//! the connection for dead, when it listens, and when the client takes nothing else. A client that leaves has cancelled
//! its request.
//!
//! `initialize` of the revisions with a handshake opens a session, which is named by `Mcp-Session-Id`. A request of it is
//! answered by JSON when the answer is there at once, and by a stream otherwise. What belongs to no request goes out on
//! the stream of a GET; of several, each message goes to one. A client that leaves has cancelled nothing; with an
//! [`EventStore`] it resumes the stream by a GET with `Last-Event-ID`, and takes it over from whoever reads it. A session
//! ends by DELETE (204), when it is idle for too long, and with the server; it is 404 from then on. With too many of
//! them, none is opened (503): one that is idle is not ended for another, as a stranger could end those of others.
//!
//! When the server closes, new requests are answered by 503, and what is under way runs to its end.
//!
//! # What is refused
//!
//! A [`Front`] turns away what may not come in, reads the body, checks that the headers say what the body says, and
//! hands what is in order to an [`Exchange`].
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
//! | there is no such session, or it is somebody else's | 404 | −32600 |
//! | the event to resume after is not kept | 400 | −32600 |
//! | somebody listens too often | 429 | −32603 |
//! | there are too many sessions or listens, or the server is closing | 503 | −32603 |
//!
//! Each of these answers is a JSON-RPC error. A client that leaves in the middle of its body gets none.

mod answer;
mod answering;
mod body;
mod cap;
mod config;
mod endpoint;
mod events;
mod exchange;
mod front;
mod headers;
mod http_body;
mod http_sse;
mod journal;
mod judge;
mod negotiate;
mod said;
mod security;
#[cfg(feature = "http")]
mod serve;
mod service;
mod session_id;
mod sessions;
mod shares;
mod single;
mod sse;
mod store;
mod sum;
mod told;
mod under_way;

pub use self::answer::{accepted, event_stream, json_response, status};
pub use self::config::HttpConfig;
pub use self::exchange::{Exchange, Get, Place, Post};
pub use self::front::{Front, FrontBody, FrontFuture};
pub use self::headers::{
    HeaderFault, HeaderMismatch, HeaderParams, InvalidAnnotation, LAST_EVENT_ID, METHOD, NAME, PROTOCOL_VERSION,
    SESSION_ID,
};
pub use self::http_body::HttpBody;
pub use self::negotiate::Acceptable;
pub use self::service::{HttpClosed, HttpFuture, HttpHandle, HttpService};
pub use self::session_id::{NoRandomness, SessionId};
pub use self::sse::{EventId, StreamId, write_event, write_keep_alive, write_priming, write_retry};
pub use self::store::{Event, EventStore, MemoryEvents, StoreError};
