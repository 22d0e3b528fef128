//! A server over HTTP: by real connections, and asked in process.

#![expect(clippy::unwrap_used, reason = "tests")]

mod alone;
mod axum;
mod bodies;
mod doors;
mod http2;
mod old;
mod rig;
mod serving;
mod sessions;
mod shares;
mod support;
mod verdicts;
