//! Calls tools over the Model Context Protocol.
//!
//! A [`Client`] says who we are and what we answer; [`Client::connect`] opens a [`Connection`] over a transport and
//! finds out which era the server speaks; calls are futures that settle exactly once, whatever happens to the other
//! side. Application code is written once and never asks which era it runs in.
//!
//! ```
//! use mcp_client::Client;
//! use mcp_session::transports::memory;
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let (ours, _theirs) = memory::bytes();
//! let connection = Client::new("my-app", "1.0").connect(ours).await?;
//! let answer = connection.call_tool("echo", &serde_json::json!({ "text": "hello" })).await?;
//! println!("{:?}", answer.content);
//! connection.close().await;
//! # Ok(())
//! # }
//! ```

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
