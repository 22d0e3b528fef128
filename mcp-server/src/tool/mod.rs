//! Tools: functions that a client can have called.

mod error;
mod handler;
mod outcome;
mod registry;

use std::fmt;
use std::sync::{Arc, OnceLock};

use mcp_session::HandlerFuture;
use mcp_types::gate::Gated;
use mcp_types::version::{Era, Version};
use mcp_types::{RawJson, ToolAnnotations};

use crate::call::{Call, Handler, Rejection, paced};
#[cfg(feature = "http-core")]
use crate::http::HeaderParams;
use crate::schema::is_of_object;

pub use self::error::{ProtocolError, ToolError};
pub(crate) use self::handler::ToolEnding;
pub use self::handler::{BlockingToolHandler, Signature, ToolHandler};
pub(crate) use self::outcome::{Form, open_text};
pub use self::outcome::{IntoToolOutcome, Json, ToolOutcome};
pub use self::registry::Tools;

/// A tool: a function, and what clients are told of it.
///
/// ```
/// use mcp_server::{Args, Server, Tool};
/// use mcp_types::ToolAnnotations;
/// use schemars::JsonSchema;
/// use serde::Deserialize;
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Greeting {
///     name: String,
/// }
///
/// let greet = Tool::new("greet", async |Args(greeting): Args<Greeting>| format!("hello {}", greeting.name))
///     .with_description("Greets somebody by name.")
///     .with_annotations(ToolAnnotations::new().with_read_only_hint(true));
/// let server = Server::new("greeter", "1.0.0").add_tool(greet);
/// # drop(server);
/// ```
pub struct Tool {
    /// What was said of it, without what its function says.
    draft: mcp_types::Tool,
    has_input_schema: bool,
    signature: Signature,
    /// The two together.
    description: OnceLock<mcp_types::Tool>,
    #[cfg(feature = "http-core")]
    header_params: OnceLock<Option<Arc<HeaderParams>>>,
    handler: Box<Handler>,
}

impl Tool {
    /// A tool of this name that calls a function. The schemas of its arguments and of its structured result follow
    /// from the function's parameters and its return value.
    ///
    /// A name has 1 to 128 letters, digits, `_`, `-` and `.`. Clients may not accept others: adding one is logged.
    #[must_use]
    pub fn new<H: ToolHandler<M>, M>(name: impl Into<String>, handler: H) -> Self {
        Self::from_signature(name.into(), H::signature(), paced(move |call| handler.call(call)))
    }

    /// A tool of this name that calls a function which blocks, on a thread of its own.
    ///
    /// Up to [`Limits::blocking_threads`](crate::Limits::blocking_threads) calls of blocking tools run at a time; more
    /// wait, and can be cancelled while they do. A call that runs cannot be stopped from outside: a function that
    /// takes long asks [`Context::is_cancelled`](crate::Context::is_cancelled) now and then. One that never returns
    /// does not keep the program alive: when the drain limit has passed, the server waits for
    /// [`Limits::abort`](crate::Limits::abort) and then ends, with the call named in its report.
    ///
    /// What is async of a [`Context`](crate::Context) is called through
    /// [`Context::block_on`](crate::Context::block_on).
    #[must_use]
    pub fn blocking<H: BlockingToolHandler<M>, M>(name: impl Into<String>, handler: H) -> Self {
        let handler = Arc::new(handler);
        Self::from_signature(name.into(), H::signature(), Box::new(move |call| Arc::clone(&handler).call(call)))
    }

    fn from_signature(name: String, signature: Signature, handler: Box<Handler>) -> Self {
        let draft = mcp_types::Tool::new(name, serde_json::json!({}));
        Self {
            draft,
            has_input_schema: false,
            signature,
            description: OnceLock::new(),
            #[cfg(feature = "http-core")]
            header_params: OnceLock::new(),
            handler,
        }
    }

    /// Says what it does, for a language model.
    #[must_use]
    pub fn with_description(self, description: impl Into<String>) -> Self {
        self.with(|tool| tool.description = Some(description.into()))
    }

    /// Sets the name for people.
    #[must_use]
    pub fn with_title(self, title: impl Into<String>) -> Self {
        self.with(|tool| tool.title = Some(title.into()))
    }

    /// Gives hints on what it does.
    #[must_use]
    pub fn with_annotations(self, annotations: ToolAnnotations) -> Self {
        self.with(|tool| tool.annotations = Some(annotations))
    }

    /// Sets another schema for its arguments than the one that follows from the function. Its root is
    /// `"type": "object"`.
    #[must_use]
    pub fn with_input_schema(mut self, schema: impl Into<RawJson>) -> Self {
        self.has_input_schema = true;
        self.with(|tool| tool.input_schema = schema.into())
    }

    /// Sets another schema for its structured result than the one that follows from the function.
    ///
    /// Every result that is no failure has to have structured content then, which conforms to it. One without is
    /// answered by the protocol error −32603; whether it conforms is not checked.
    #[must_use]
    pub fn with_output_schema(self, schema: impl Into<RawJson>) -> Self {
        self.with(|tool| tool.output_schema = Some(schema.into()))
    }

    /// The name by which it is called.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.draft.name
    }

    /// What clients are told of it. The schemas are made when this is asked for first.
    #[must_use]
    pub fn description(&self) -> &mcp_types::Tool {
        self.description.get_or_init(|| {
            let mut tool = self.draft.clone();
            if !self.has_input_schema {
                tool.input_schema = self.signature.parameters.schema();
            }
            tool.output_schema = tool.output_schema.or_else(|| self.signature.output());
            tool
        })
    }

    /// The headers that mirror its arguments over HTTP, made when this is asked for first. `None` when there are none,
    /// and when its schema breaks a rule for them, which is logged: clients do not list such a tool over HTTP.
    #[cfg(feature = "http-core")]
    pub(crate) fn header_params(&self) -> Option<Arc<HeaderParams>> {
        let made = self.header_params.get_or_init(|| match HeaderParams::of(&self.description().input_schema) {
            Ok(params) => Some(params).filter(|params| !params.is_empty()).map(Arc::new),
            Err(error) => {
                tracing::warn!(tool = self.name(), %error, "clients over HTTP will not list a tool");
                None
            }
        });
        made.clone()
    }

    pub(crate) fn call(&self, call: &Call<'_>) -> Result<HandlerFuture, Rejection> {
        (self.handler)(call)
    }

    /// What clients of a revision are told of it.
    fn told(&self, version: Version) -> mcp_types::Tool {
        let mut tool = self.description().clone();
        tool.fit(version);
        //= 2025-11-25/schema#tool
        //# Currently restricted to type: "object" at the root level.
        if version.era() == Era::Legacy {
            tool.output_schema = tool.output_schema.filter(is_of_object);
        }
        tool
    }

    //= 2026-07-28/server/tools#tool-names
    //# Tool names **SHOULD** be between 1 and 128 characters in length (inclusive).
    fn has_good_name(&self) -> bool {
        let is_good = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
        (1..=128).contains(&self.name().len()) && self.name().bytes().all(is_good)
    }

    fn with(mut self, set: impl FnOnce(&mut mcp_types::Tool)) -> Self {
        set(&mut self.draft);
        self.description = OnceLock::new();
        #[cfg(feature = "http-core")]
        {
            self.header_params = OnceLock::new();
        }
        self
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool").field("description", self.description()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::Tool;

    #[test]
    fn names_that_every_client_accepts() {
        let long = "a".repeat(128);
        for name in ["a", "get_user", "DATA-export.v2", "7", &long] {
            assert!(Tool::new(name, async || ()).has_good_name(), "{name}");
        }
        let too_long = "a".repeat(129);
        for name in ["", "a b", "a/b", "a,b", "é", "a\n", &too_long] {
            assert!(!Tool::new(name, async || ()).has_good_name(), "{name}");
        }
    }
}
