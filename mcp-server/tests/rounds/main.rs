//! Questions of handlers to their client: each test in both eras, as far as they have what it is about.

#![expect(clippy::unwrap_used, reason = "tests")]

mod answers;
mod blocking;
mod capabilities;
mod elsewhere;
mod property;
mod questions;
mod states;
mod support;
mod threads;
mod withdrawn;
