//! The session of the Model Context Protocol: how it is said, and what happens when the other side goes away.
//!
//! One pure state machine, the [`engine`], takes every decision about endings. Around it stand the framing of byte
//! streams ([`framing`]), the contract of transports ([`transport`]), and, with the feature `tokio`, the drivers and
//! [`transports`] that connect the two.
//!
//! Whoever writes a server or a client wants the crates `mcp-server` and `mcp-client`. This one is for those who write
//! a transport, or something else that speaks by sessions: a [`Service`] answers what the peer asks, a `Transport`
//! carries frames, and a [`Session`] joins the two. Where each message has a way back of its own, as over HTTP, an
//! [`Opener`] takes the place of both.
//!
//! ```
//! use std::sync::Arc;
//!
//! use mcp_session::engine::{Config, Role};
//! use mcp_session::transports::memory;
//! use mcp_session::{Answering, Body, Context, Service, Session};
//! use mcp_types::jsonrpc::Request;
//!
//! /// Answers everything by an empty result.
//! struct Yes;
//!
//! impl Service for Yes {
//!     fn serve(&self, _request: &Request<'_>, _context: Context) -> Answering {
//!         Answering::Ready(Ok(Body::from_json(b"{}".to_vec())))
//!     }
//! }
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! let (ours, theirs) = memory::pair();
//! let (_handle, driver) = Session::new(Config::new(Role::Server)).open(Arc::new(Yes), ours);
//! drop(theirs);
//! let report = driver.await?;
//! assert_eq!(report.tally.received, 0);
//! # Ok::<_, mcp_session::RunError>(())
//! # }).unwrap();
//! ```
//!
//! | feature | adds |
//! | --- | --- |
//! | `tokio` (default) | `Session`, handles, drivers, tasks and the transports that do I/O |

mod cause;
pub mod engine;
mod few;
pub mod framing;
pub mod limits;
mod line;
mod numbered;
pub mod transport;

#[cfg(feature = "tokio")]
pub mod transports;

#[cfg(feature = "tokio")]
mod blocking;
#[cfg(feature = "tokio")]
mod call;
#[cfg(feature = "tokio")]
mod clock;
#[cfg(feature = "tokio")]
mod context;
#[cfg(feature = "tokio")]
mod core;
#[cfg(feature = "tokio")]
mod driver;
#[cfg(feature = "tokio")]
mod error;
#[cfg(feature = "tokio")]
mod method;
#[cfg(feature = "tokio")]
mod params;
#[cfg(feature = "tokio")]
mod peer;
#[cfg(feature = "tokio")]
mod said;
#[cfg(feature = "tokio")]
mod service;
#[cfg(feature = "tokio")]
mod session;
#[cfg(feature = "tokio")]
mod tasks;

pub use self::cause::{Cause, FrameTooLarge};
#[cfg(feature = "tokio")]
pub use self::{
    blocking::{Threads, block_on},
    call::CallFuture,
    clock::Clock,
    context::Context,
    driver::{
        Appending, Delivery, Driver, Log, Opener, Opening, ReplyStream, SessionRun, SingleExchange, StreamSession,
    },
    error::{CallError, Impossible, RunError},
    method::MethodName,
    params::CallParams,
    peer::{Closed, Handle, Link, Meters, Peer},
    said::{Said, Terminal, What},
    service::{Answer, Answering, Body, HandlerFuture, Note, NoteFuture, Pace, Service},
    session::Session,
    tasks::Companion,
};
