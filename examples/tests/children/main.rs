//! A whole client with the server that has a tool for everything as its child: real processes, pipes and signals.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod callbacks;
mod ends;
mod launchers;
mod leaks;
mod slots;
mod support;
