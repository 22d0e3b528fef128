//! The session engine, without a runtime and without a byte: every rule, every state, every ending.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod closing_table;
mod directed;
mod explore;
mod given;
mod halves;
mod model;
mod paper_http;
mod support;
mod total;
mod watch;
mod words;
