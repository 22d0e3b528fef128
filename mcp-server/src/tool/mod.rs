//! Tools: functions that a client can have called.

mod arguments;
mod extract;
mod handler;
mod outcome;
mod registry;

use std::fmt;
use std::sync::Arc;

use mcp_session::{HandlerFuture, Pace};
use mcp_types::{RawJson, ToolAnnotations};

pub use self::extract::{Args, Call, FromCall, Rejection};
pub use self::handler::ToolHandler;
pub(crate) use self::outcome::Form;
pub use self::outcome::{IntoToolOutcome, Json, ToolError, ToolOutcome};
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
    description: mcp_types::Tool,
    handler: Box<Handler>,
    pace: Arc<Pace>,
}

type Handler = dyn Fn(&Call<'_>) -> Result<HandlerFuture, Rejection> + Send + Sync;

impl Tool {
    /// A tool of this name that calls a function. The schema of its arguments follows from the function's parameters.
    ///
    /// A name has 1 to 128 letters, digits, `_`, `-` and `.`; clients may not accept others.
    #[must_use]
    pub fn new<H: ToolHandler<M>, M>(name: impl Into<String>, handler: H) -> Self {
        Self {
            description: mcp_types::Tool::new(name, H::input_schema()),
            handler: Box::new(move |call| handler.call(call)),
            pace: Arc::default(),
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
    pub fn with_input_schema(self, schema: impl Into<RawJson>) -> Self {
        self.with(|tool| tool.input_schema = schema.into())
    }

    /// Sets the schema of its structured result, which the result must then conform to.
    #[must_use]
    pub fn with_output_schema(self, schema: impl Into<RawJson>) -> Self {
        self.with(|tool| tool.output_schema = Some(schema.into()))
    }

    /// The name by which it is called.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.description.name
    }

    /// What clients are told of it.
    #[must_use]
    pub const fn description(&self) -> &mcp_types::Tool {
        &self.description
    }

    pub(crate) fn call(&self, call: &Call<'_>) -> Result<HandlerFuture, Rejection> {
        (self.handler)(call).map(|future| future.with_pace(Arc::clone(&self.pace)))
    }

    fn with(mut self, set: impl FnOnce(&mut mcp_types::Tool)) -> Self {
        set(&mut self.description);
        self
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool").field("description", &self.description).finish_non_exhaustive()
    }
}
