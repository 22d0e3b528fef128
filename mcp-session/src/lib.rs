//! The session of the Model Context Protocol: how it is said, and what happens when the other side goes away.
//!
//! One pure state machine, the [`engine`], takes every decision about endings. Around it stand the framing of byte
//! streams ([`framing`]), the contract of transports ([`transport`]), and, with the feature `tokio`, the drivers and
//! [`transports`] that connect the two.
//!
//! | feature | adds |
//! | --- | --- |
//! | `tokio` (default) | `Session`, handles, drivers, tasks and transports |

mod cause;
pub mod engine;
pub mod framing;
pub mod limits;
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
    driver::Driver,
    error::{CallError, Impossible, RunError},
    method::MethodName,
    params::CallParams,
    peer::{Closed, Handle, Meters, Peer},
    service::{Answer, Answering, Body, HandlerFuture, Note, NoteFuture, Pace, Service},
    session::Session,
    tasks::Companion,
};
