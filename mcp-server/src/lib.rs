//! Serve tools, prompts and resources over the Model Context Protocol.
//!
//! A [`Server`] has a name, a version and, as a rule, tools. A tool is a plain async function; what its parameters are
//! says what it needs of a call ([`Args`], [`Context`]), and what it returns becomes the result ([`IntoToolOutcome`]).
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
//! application they take as [`State`]. A tool that fails returns a [`ToolError`], from which a language model can
//! learn; one that must answer by a protocol error returns a [`ProtocolError`].
//!
//! Prompts and resources are such functions too ([`Server::prompt`], [`Server::resource`],
//! [`Server::resource_template`]). What can be filled into a prompt, and the variables of a [`UriTemplate`], are texts
//! that [`Args`] reads as what its type wants. [`Server::tools`], [`Server::prompts`] and [`Server::resources`] are
//! handles to add and to remove some while the server runs, and [`Resources::updated`] says that one has changed:
//! clients that want to know are told, in the way of their revision.
//!
//! The same server speaks all revisions of the protocol, those with a handshake and the one without: a tool is written
//! once and is not told apart by who calls it.
//!
//! # Asking the user
//!
//! A tool, prompt or resource that takes a [`Context`] can ask the user ([`Context::elicit`]), the model of the client
//! ([`Context::sample`]), and for the folders that it may work on ([`Context::roots`]). Each gives a [`Question`], a
//! future of the answer. In a session with a handshake that is a request to the client; without one the call is
//! answered with the question, the client makes it again with the answer, and the function runs **once more from its
//! start**: what must not be done twice stands in [`Context::once`].
//!
//! ```
//! use mcp_server::{AskError, Context, Elicited, Server};
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Guest {
//!     /// Your name
//!     name: String,
//! }
//!
//! async fn greet(ctx: Context) -> Result<String, AskError> {
//!     Ok(match ctx.elicit::<Guest>("guest", "Who are you?").await? {
//!         Elicited::Accepted(guest) => format!("Hello, {}!", guest.name),
//!         Elicited::Declined | Elicited::Cancelled => "Hello, whoever you are!".to_owned(),
//!     })
//! }
//!
//! let server = Server::new("asking", "1.0.0").tool("greet", "Greets the user.", greet);
//! # drop(server);
//! ```
//!
//! # How it ends
//!
//! When the client ends its side, requests in flight run to their end and are answered; then the server returns a
//! [`Report`] of what became of every request. A `main` that returns it ends with the exit status that fits: 0 when
//! everything owed was written, 1 when something was lost, 143 when a second SIGTERM cut it off.
//!
//! | feature | adds |
//! | --- | --- |
//! | `http` | a server over HTTP that listens by itself: `Server::serve_http` |
//! | `http-core` | the module `http`: a server over HTTP as a service, for axum and hyper. Part of `http` |
//! | `seal` | the module `seal`, by which what a call was told over rounds of input travels with the client, encrypted. Part of `http-core` |
//! | `unstable` | `Server::with_table`, to prove tests by a wrong closing table; not covered by any promise |

pub mod call;
mod changes;
pub mod completion;
mod content;
mod context;
mod conversation;
mod error;
mod fault;
#[cfg(feature = "http-core")]
pub mod http;
mod identity;
pub mod prompt;
mod registry;
pub mod resource;
mod rounds;
mod routing;
mod schema;
#[cfg(feature = "seal")]
pub mod seal;
mod serve;
mod server;
#[cfg(unix)]
mod signals;
mod state;
mod template;
pub mod tool;
#[cfg(any(feature = "http-core", feature = "seal"))]
mod unbase64;
mod uri;

pub use mcp_session::engine::{AtReadEnd, Principal, Report};
pub use mcp_session::limits::Limits;

pub use self::call::{Args, InvalidArguments, Meta};
pub use self::completion::{Filled, IntoCompletion, Prefix};
pub use self::content::base64;
pub use self::context::Context;
pub use self::error::ServeError;
pub use self::identity::Cached;
pub use self::prompt::{IntoPromptOutcome, Prompt, PromptError, PromptOutcome, Prompts};
pub use self::resource::{
    Blob, IntoResourceOutcome, Resource, ResourceError, ResourceOutcome, ResourceTemplate, Resources,
};
pub use self::rounds::{AskError, Elicited, Question};
pub use self::server::Server;
pub use self::state::State;
pub use self::template::{TemplateError, UriTemplate};
pub use self::tool::{IntoToolOutcome, Json, ProtocolError, Tool, ToolError, ToolOutcome, Tools};
pub use self::uri::Uri;
