//! The programs as a client that starts them sees them: real processes, pipes and signals.
#![expect(clippy::unwrap_used, reason = "tests")]

mod asking;
mod blocking;
mod descriptors;
mod diagnostic;
mod drain;
mod fixtures;
mod flood;
mod forms;
mod http;
mod lines;
mod options;
mod parent;
mod prompts;
mod quickstart;
mod readers;
mod resources;
mod rounds;
mod signals;
mod support;
