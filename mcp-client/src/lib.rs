//! Calls tools over the Model Context Protocol.
//!
//! A [`Client`] says who we are; [`Client::connect`] opens a [`Connection`] over a transport and finds out which era
//! the server speaks; calls are futures that settle exactly once, whatever happens to the other side.
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
mod client;
mod connection;
mod error;
mod handshake;
mod meta;
mod service;

pub use self::call::ToolCall;
pub use self::client::{Client, Era};
pub use self::connection::Connection;
pub use self::error::ConnectError;
pub use mcp_session::CallError;
