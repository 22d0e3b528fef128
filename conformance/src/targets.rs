//! The kinds of targets.

pub mod child;
pub mod client;
pub mod http;
pub mod memory;
pub mod nothing;
pub mod own;
mod place;
mod streams;

pub use child::Child;
pub use client::ClientProgram;
pub use http::Http;
pub use memory::Memory;
pub use nothing::Nothing;
pub use own::Own;
