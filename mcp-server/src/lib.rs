//! Serve tools over the Model Context Protocol.
//!
//! A [`Server`] has a name, a version and tools. A tool is a plain async function; what its parameters are says what
//! it needs of a call ([`Args`], [`Context`]), and what it returns becomes the result ([`IntoToolOutcome`]).
//!
//! ```
//! use mcp_server::{Args, Server, ToolError};
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Division {
//!     /// What is divided.
//!     dividend: f64,
//!     /// What it is divided by.
//!     divisor: f64,
//! }
//!
//! async fn divide(Args(division): Args<Division>) -> Result<f64, ToolError> {
//!     if division.divisor == 0.0 {
//!         return Err(ToolError::new("the divisor is zero"));
//!     }
//!     Ok(division.dividend / division.divisor)
//! }
//!
//! let server = Server::new("calculator", "1.0.0").tool("divide", "Divides two numbers.", divide);
//! # let _ = async move {
//! server.serve_stdio().await
//! # };
//! ```
//!
//! A function that blocks is a tool too, on a thread of its own ([`Server::blocking_tool`]). What tools share with the
//! application they take as [`State`]. A tool that fails returns a [`ToolError`], from which a language model can learn;
//! one that must answer by a protocol error returns a [`ProtocolError`].
//!
//! The same server speaks all revisions of the protocol, those with a handshake and the one without: a tool is written
//! once and is not told apart by who calls it.
//!
//! # How it ends
//!
//! When the client ends its side, requests in flight run to their end and are answered; then the server returns a
//! [`Report`] of what became of every request. A `main` that returns it ends with the exit status that fits: 0 when
//! everything owed was written, 1 when something was lost, 143 when a second SIGTERM cut it off.
//!
//! | feature | adds |
//! | --- | --- |
//! | `unstable` | `Server::with_table`, to prove tests by a wrong closing table; not covered by any promise |

pub mod call;
mod changes;
mod content;
mod context;
mod conversation;
mod error;
mod identity;
mod schema;
mod serve;
mod server;
mod service;
mod state;
pub mod tool;

pub use mcp_session::engine::{AtReadEnd, Report};
pub use mcp_session::limits::Limits;

pub use self::call::{Args, InvalidArguments, Meta};
pub use self::content::base64;
pub use self::context::Context;
pub use self::error::ServeError;
pub use self::server::Server;
pub use self::state::State;
pub use self::tool::{IntoToolOutcome, Json, ProtocolError, Tool, ToolError, ToolOutcome, Tools};
