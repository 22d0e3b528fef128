//! A client against a server that a test plays by hand, on a clock that stands still, and against a server of this
//! project.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod callbacks;
mod calls;
mod endings;
mod eras;
mod load;
mod logging;
mod restarts;
mod rounds;
mod servers;
mod support;
mod unopened;
