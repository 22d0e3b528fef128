//! The server behind `everything-server`, for whoever wants it in the same process.

mod asking;
mod diagnostic;
mod fixtures;
mod forms;
mod prompts;
mod resources;
mod rounds;
mod summary;
mod tools;

pub use self::summary::Summary;

/// The server, with everything that it has.
#[must_use]
pub fn server() -> mcp_server::Server {
    resources::add(prompts::add(tools::server()))
}
