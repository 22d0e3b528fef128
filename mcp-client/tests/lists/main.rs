//! Lists, prompts, resources and completion, of servers of both eras.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod cache;
mod calls;
mod lists;
mod peer;
mod servers;
