//! A server as its client sees it: lines in, lines out, in both eras.
#![expect(clippy::unwrap_used, reason = "tests")]

mod arguments;
mod calls;
mod changes;
mod content;
mod endings;
mod extractors;
mod failures;
mod handshake;
mod lists;
mod notes;
mod structure;
mod support;
