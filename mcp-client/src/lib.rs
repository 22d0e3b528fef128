//! Use the tools, prompts and resources of servers over the Model Context Protocol.
//!
//! A [`Client`] says who we are and what we answer; [`Client::connect`] opens a [`Connection`] over a transport and
//! finds out which era the server speaks; calls are futures that settle exactly once, whatever happens to the other
//! side. Application code is written once and never asks which era it runs in.
//!
//! ```no_run
//! use mcp_client::{ChildProcess, Client};
//! use serde_json::json;
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let server = ChildProcess::new("npx").args(["-y", "@modelcontextprotocol/server-everything"]);
//! let connection = Client::new("my-app", "1.0").connect(server).await?;
//! let answer = connection.call_tool("echo", &json!({ "message": "hello" })).await?;
//! println!("{:?}", answer.content);
//! connection.close().await;
//! # Ok(())
//! # }
//! ```
//!
//! # What can be connected to
//!
//! A [`ChildProcess`], which is started, looked after and ended: see [`child`]. Any pair of an `AsyncRead` and an
//! `AsyncWrite`, as a [`Stream`](mcp_session::transports::io::Stream). An end in memory. Any other transport, as
//! [`Opened`], or a way of one's own, as [`Connect`]. There is no client over HTTP yet.
//!
//! # What can be asked
//!
//! Tools are called by [`Connection::call_tool`]; resources, prompts and completions have methods of their own, and
//! [`Connection::request`] makes any request. [`Connection::tools`] and its like are lists, read page by page as they
//! are needed. [`Connection::subscribe`] is one stream of changes.
//!
//! # What a server may ask
//!
//! The callbacks of a [`Client`] answer: [`Client::on_elicit`], [`Client::on_elicit_url`], [`Client::on_sample`], and
//! [`Roots`]. What there is a callback for is what the server is told that this client can do. A modern server asks in
//! the answer to a call, which is then made again; with [`InputRounds::hand_over`] the caller sees that and answers.
//!
//! ```
//! use mcp_client::Client;
//! use mcp_session::transports::memory;
//! use mcp_types::elicitation::ElicitResult;
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let (ours, _theirs) = memory::bytes();
//! let client = Client::new("my-app", "1.0").on_elicit(|form| async move {
//!     println!("the server asks: {}", form.message);
//!     ElicitResult::decline()
//! });
//! let connection = client.connect(ours).await?;
//! # drop(connection);
//! # Ok(())
//! # }
//! ```
//!
//! # How it ends
//!
//! When the server goes away, every pending call fails at once as [`CallError::ConnectionClosed`], whose source says
//! why as far as that is known, such as the exit status of a child. Whether such a call was carried out is unknown, so
//! it is never made again by itself. Where [`Restart`] says so, a server that ended is started again, and calls that
//! are made meanwhile wait for it. [`Connection::close`] settles what is pending, tells the server, and waits until a
//! child is gone; dropping the last handle does the same without waiting.
//!
//! | feature | adds |
//! | --- | --- |
//! | `unstable` | `Client::with_table`, to prove tests by a wrong closing table; not covered by any promise |

mod call;
mod callbacks;
mod capabilities;
pub mod child;
mod client;
mod connect;
mod connection;
mod decode;
mod error;
mod features;
mod input;
mod life;
mod link;
mod lists;
mod opening;
mod roots;
mod shared;
mod subscribe;
mod verdict;

pub use self::call::{Call, CallOutcome, HandedOver, InputRequired, ToolCall};
pub use self::callbacks::{CreateMessage, ElicitForm, ElicitUrl, FromServer, ListChanged};
#[cfg(unix)]
pub use self::child::ChildProcess;
pub use self::child::Restart;
pub use self::client::Client;
pub use self::connect::{Connect, Guard, IntoConnect, Opened};
pub use self::connection::{Closed, Connection};
pub use self::error::{CallError, ConnectError};
pub use self::features::Complete;
pub use self::input::InputRounds;
pub use self::lists::{Bad, Element, ListError, Listing, Page, Pages};
pub use self::roots::Roots;
pub use self::shared::ConnectionState;
pub use self::subscribe::{Change, Subscribe, SubscribeError, Subscription};
pub use self::verdict::{Era, Verdict};
