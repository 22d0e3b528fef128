//! The server behind `everything-server`, for whoever wants it in the same process.

mod fixtures;
mod summary;
mod tools;

pub use self::summary::Summary;
pub use self::tools::server;
