//! A server as its client sees it: lines in, lines out, in both eras.
#![expect(clippy::unwrap_used, reason = "tests")]

mod arguments;
mod calls;
mod capabilities;
mod changes;
mod completions;
mod content;
mod endings;
mod extractors;
mod failures;
mod handshake;
mod lists;
mod notes;
mod pages;
mod prompts;
mod resources;
mod structure;
mod subscriptions;
mod support;
