//! A load driver that knows no SDK: it starts a server, keeps so many calls in flight, and counts the answers.

mod cpu;
pub mod http;
mod lines;
mod memory;
mod messages;
mod server;

pub use self::messages::{Era, Request};
pub use self::server::{Load, Server, cold_start};
