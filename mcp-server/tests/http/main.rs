//! The front of a server over HTTP, by real connections: what comes in, what is turned away, and how that is said.

#![expect(clippy::unwrap_used, reason = "tests")]

mod axum;
mod bodies;
mod doors;
mod http2;
mod shares;
mod support;
mod verdicts;
