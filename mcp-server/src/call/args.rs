//! What the client passed: arguments and metadata, decoded.

use std::ops::Deref;

use mcp_types::RawJson;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::arguments::{self, InvalidArguments};
use super::{Call, FromCall, Rejection, texts};
use crate::schema;
use crate::tool::{ProtocolError, ToolError};

/// The arguments of a call, decoded as a whole.
///
/// Arguments of a tool that do not decode are answered for it, by an error result that names the argument and what was
/// expected of it; [`Server::with_invalid_arguments`](crate::Server::with_invalid_arguments) sets another answer. A
/// number without a fraction, such as `1.0`, is an integer.
///
/// The schema that clients are told follows from the type: doc comments become descriptions; what may be left out is
/// not in `required` and is not told to be `null`, though `null` is accepted; an enum is told as one object that has the
/// members of all its variants.
///
/// The arguments of prompts and the variables of resource templates are texts on the wire and are read as what the type
/// wants: a number, `true` or `false`, the name of a variant; for lists and objects, as JSON. An empty text is nothing
/// for an `Option`. Those that do not decode are answered by the protocol error −32602, which names them.
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
        let decoded = match call.asked.texts() {
            None => arguments::decode(call.arguments, "arguments"),
            Some(texts) => texts::decode(texts),
        };
        decoded.map(Self).map_err(|error| match call.conversation.config.invalid_arguments {
            InvalidArguments::ToolError => ToolError::new(error).into(),
            InvalidArguments::ProtocolError => ProtocolError::invalid_params(error).into(),
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
