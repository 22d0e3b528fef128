//! A server as its client sees it: lines in, lines out, in both eras.
#![expect(clippy::unwrap_used, reason = "tests")]

mod arguments;
mod calls;
mod changes;
mod endings;
mod handshake;
mod lists;
mod notes;
mod support;
