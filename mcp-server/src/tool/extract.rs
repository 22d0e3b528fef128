//! What a tool takes from its call.

use std::ops::Deref;

use mcp_session::Context;
use mcp_types::RawJson;
use mcp_types::jsonrpc::{ErrorObject, Request};
use mcp_types::version::Version;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::arguments::{self, InvalidArguments};
use super::error::{ProtocolError, ToolError};
use super::handler::Ending;
use super::outcome::ToolOutcome;
use super::{Tool, schema};
use crate::conversation::Shared;
use crate::state::Need;

/// A call as it arrived: what extractors take their parts from.
#[derive(Debug)]
pub struct Call<'a> {
    pub(crate) arguments: &'a str,
    pub(crate) request: &'a Request<'a>,
    pub(crate) context: &'a Context,
    pub(crate) conversation: &'a Shared,
    pub(crate) version: Version,
    pub(crate) tool: &'a Tool,
}

impl<'a> Call<'a> {
    /// The JSON of the arguments: one object, `{}` when the client sent none.
    #[must_use]
    pub const fn arguments(&self) -> &'a str {
        self.arguments
    }

    /// The JSON of the request's `_meta`, if it has one.
    #[must_use]
    pub const fn meta(&self) -> Option<&'a str> {
        self.request.params.meta.raw
    }

    /// The revision in which the call was made.
    #[must_use]
    pub const fn version(&self) -> Version {
        self.version
    }

    /// What the server was given as the [state](crate::State) of this type.
    #[must_use]
    pub fn state<S: 'static>(&self) -> Option<&'a S> {
        self.conversation.config.states.get()
    }

    /// What makes its answer.
    pub(crate) fn ending(&self) -> Ending {
        Ending {
            conversation: Shared::clone(self.conversation),
            version: self.version,
            is_structured: self.tool.description().output_schema.is_some(),
        }
    }
}

/// A parameter of a tool: something that can be taken from a call.
///
/// [`Args`], [`Meta`], [`State`](crate::State) and [`Context`](crate::Context) are such parameters; an application can
/// have its own.
#[diagnostic::on_unimplemented(
    message = "a tool cannot have a parameter of type `{Self}`",
    note = "the parameters of a tool are `Args<T>`, for its arguments, `Meta<T>`, `State<S>` and `Context`"
)]
pub trait FromCall: Sized {
    /// Takes it from a call. This happens before the tool's future is made.
    ///
    /// # Errors
    ///
    /// [`Rejection`] says how the call is answered instead of by the tool.
    fn from_call(call: &Call<'_>) -> Result<Self, Rejection>;

    /// The schema of the arguments, if this is what takes them.
    #[must_use]
    fn input_schema() -> Option<RawJson> {
        None
    }

    /// The state that it is, if it is one: a server is not served without it.
    #[must_use]
    fn needs() -> Option<Need> {
        None
    }
}

/// How a call is answered that does not reach its tool.
#[derive(Debug)]
#[non_exhaustive]
pub enum Rejection {
    /// By a result, from which a language model can learn what was wrong.
    Outcome(ToolOutcome),
    /// By a protocol error.
    Error(ErrorObject),
}

impl From<ProtocolError> for Rejection {
    fn from(error: ProtocolError) -> Self {
        Self::Error(error.into_object())
    }
}

impl From<ToolError> for Rejection {
    fn from(error: ToolError) -> Self {
        Self::Outcome(error.into())
    }
}

/// The arguments of a call, decoded as a whole.
///
/// Arguments that do not decode are answered for the tool, by an error result that names the argument and what was
/// expected of it; [`Server::with_invalid_arguments`](crate::Server::with_invalid_arguments) sets another answer. A
/// number without a fraction, such as `1.0`, is an integer.
///
/// The schema that clients are told follows from the type: doc comments become descriptions; what may be left out is
/// not in `required` and is not told to be `null`, though `null` is accepted; an enum is told as one object that has the
/// members of all its variants.
///
/// ```
/// use mcp_server::{Args, Server};
/// use schemars::JsonSchema;
/// use serde::Deserialize;
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Sum {
///     a: i64,
///     b: i64,
/// }
///
/// async fn add(sum: Args<Sum>) -> i64 {
///     sum.a + sum.b
/// }
///
/// let server = Server::new("calculator", "1.0.0").tool("add", "Adds two integers.", add);
/// # drop(server);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "taken apart in the parameters of tools")]
pub struct Args<T>(pub T);

impl<T> Deref for Args<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: DeserializeOwned + JsonSchema> FromCall for Args<T> {
    fn from_call(call: &Call<'_>) -> Result<Self, Rejection> {
        arguments::decode(call.arguments, "arguments").map(Self).map_err(|error| {
            match call.conversation.config.invalid_arguments {
                InvalidArguments::ToolError => ToolError::new(error).into(),
                InvalidArguments::ProtocolError => ProtocolError::invalid_params(error).into(),
            }
        })
    }

    fn input_schema() -> Option<RawJson> {
        Some(schema::input::<T>())
    }
}

/// The `_meta` of a call, decoded: what the client says beside the arguments. An object, empty when there is none.
///
/// `_meta` that does not decode is answered by a protocol error, because a language model does not write it.
///
/// ```
/// use mcp_server::{Meta, Server};
/// use serde::Deserialize;
///
/// #[derive(Deserialize)]
/// struct Trace {
///     #[serde(rename = "traceparent")]
///     parent: Option<String>,
/// }
///
/// async fn traced(Meta(trace): Meta<Trace>) -> String {
///     trace.parent.unwrap_or_default()
/// }
///
/// let server = Server::new("s", "1.0.0").tool("traced", "Tells its trace.", traced);
/// # drop(server);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "taken apart in the parameters of tools")]
pub struct Meta<T>(pub T);

impl<T> Deref for Meta<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: DeserializeOwned> FromCall for Meta<T> {
    fn from_call(call: &Call<'_>) -> Result<Self, Rejection> {
        let raw = call.meta().filter(|raw| *raw != "null").unwrap_or("{}");
        arguments::decode(raw, "`_meta`").map(Self).map_err(|error| ProtocolError::invalid_params(error).into())
    }
}
