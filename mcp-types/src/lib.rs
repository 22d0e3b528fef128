//! The messages of the Model Context Protocol: pure data, no I/O, no async.
//!
//! Two layers, and what joins them:
//!
//! - [`jsonrpc`]: the envelope. [`jsonrpc::scan`] reads a frame in one pass and sorts it by kind;
//!   params and results stay raw JSON until somebody knows what they are. Writers make the way back.
//! - one module per page of the specification, with the types that its messages carry: [`tools`],
//!   [`resources`], [`prompts`], [`completion`], [`content`], [`initialize`], [`discover`], [`listen`], …
//! - [`version`], [`method`] and [`gate`]: which revision has what. One set of types serves all five
//!   revisions; a table says what is withheld from a peer that would misread it.
//!
//! ```
//! use mcp_types::gate::Gated;
//! use mcp_types::version::Version;
//! use mcp_types::{CallToolResult, Content};
//!
//! let mut result = CallToolResult::new(vec![Content::text("22.5 °C")]);
//! result.fit(Version::V2025_06_18);
//! assert_eq!(
//!     serde_json::to_string(&result)?,
//!     r#"{"content":[{"type":"text","text":"22.5 °C"}]}"#,
//! );
//! # Ok::<_, serde_json::Error>(())
//! ```
//!
//! # What all types keep to
//!
//! - Options that are absent are never written as `null`, and `null` is read as absent, except where
//!   `null` is a value (`structuredContent`, the data of a log message).
//! - Members that a type does not know end up in its `extra` and are written again.
//! - Texts out of a fixed set are open enums: one that is not known is kept as `Other`.
//! - Structs are made by `new` with what is required and `with_…` for the rest, so that fields can be
//!   added.
//! - JSON that is only passed on is a [`RawJson`], whose text is never changed. It needs `serde_json`
//!   on both ways.

pub mod cancelled;
pub mod capabilities;
pub mod completion;
pub mod content;
pub mod discover;
pub mod elicitation;
pub mod gate;
pub mod implementation;
pub mod initialize;
pub mod input;
pub mod jsonrpc;
pub mod listen;
pub mod logging;
pub mod meta;
mod meta_object;
pub mod method;
pub mod progress;
pub mod prompts;
mod raw;
pub mod resources;
pub mod result;
pub mod roots;
pub mod sampling;
pub mod tools;
pub mod version;
mod wire;

pub use capabilities::{ClientCapabilities, ServerCapabilities};
pub use content::Content;
pub use implementation::{Icon, Implementation};
pub use meta_object::MetaObject;
pub use raw::RawJson;
pub use tools::{CallToolResult, Tool, ToolAnnotations};
pub use version::Version;
pub use wire::Object;
