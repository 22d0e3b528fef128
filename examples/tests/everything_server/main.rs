//! The programs as a client that starts them sees them: real processes, pipes and signals.
#![expect(clippy::unwrap_used, reason = "tests")]

mod drain;
mod options;
mod quickstart;
mod signals;
mod support;
