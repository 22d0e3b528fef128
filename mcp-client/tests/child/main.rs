//! Children for real: programs, signals, process groups.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod client;
mod closing;
mod exits;
mod leaks;
mod output;
mod starting;
mod support;
