//! What a tool takes from its call.

use std::ops::Deref;

use mcp_session::Context;
use mcp_types::RawJson;
use mcp_types::jsonrpc::{ErrorObject, Request};
use mcp_types::version::Version;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::arguments;
use super::outcome::{ToolError, ToolOutcome};
use crate::conversation::Shared;

/// A call as it arrived: what extractors take their parts from.
#[derive(Debug)]
pub struct Call<'a> {
    pub(crate) arguments: &'a str,
    pub(crate) request: &'a Request<'a>,
    pub(crate) context: &'a Context,
    pub(crate) conversation: &'a Shared,
    pub(crate) version: Version,
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
}

/// A parameter of a tool: something that can be taken from a call.
///
/// [`Args`] and [`Context`](crate::Context) are such parameters; an application can have its own.
#[diagnostic::on_unimplemented(
    message = "a tool cannot have a parameter of type `{Self}`",
    note = "the parameters of a tool are `Args<T>`, for its arguments, and `Context`"
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

impl From<ToolError> for Rejection {
    fn from(error: ToolError) -> Self {
        Self::Outcome(error.into())
    }
}

/// The arguments of a call, decoded as a whole.
///
/// Arguments that do not decode are answered for the tool, by an error result that names the argument and what was
/// expected of it. A number without a fraction, such as `1.0`, is an integer.
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
        Ok(Self(arguments::decode(call.arguments)?))
    }

    fn input_schema() -> Option<RawJson> {
        Some(schema_of::<T>())
    }
}

/// The schema of a type, as the root of a tool's arguments.
fn schema_of<T: JsonSchema>() -> RawJson {
    let mut settings = SchemaSettings::draft2020_12();
    settings.meta_schema = None;
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    // The name of a type means nothing to a model.
    schema.remove("title");
    //= 2026-07-28/server/tools#tool
    //# **MUST** be a valid JSON Schema object (not `null`)
    if schema.get("type").is_none() {
        schema.insert("type".to_owned(), Value::from("object"));
    }
    RawJson::from(schema.to_value())
}
