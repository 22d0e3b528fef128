//! Exchanges that have a way back of their own, as HTTP gives them, without any HTTP: one message that stands alone, and
//! sessions over many streams, on a clock that stands still.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::disallowed_methods, reason = "a test plays several sides at once")]

mod batch;
mod logged;
mod session;
mod single;
mod support;
