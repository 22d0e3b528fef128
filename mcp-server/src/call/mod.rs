//! A call as it arrived, and what a handler takes from it: the same for tools, prompts and resources.

mod args;
mod arguments;
mod finish;
mod function;
mod handler;
mod texts;

use mcp_session::Context;
use mcp_types::RawJson;
use mcp_types::jsonrpc::{ErrorObject, Request};
use mcp_types::version::Version;

use crate::conversation::Shared;
use crate::prompt::Prompt;
use crate::resource::Read;
use crate::rounds::Asking;
use crate::tool::{ProtocolError, Tool, ToolError};

pub use self::args::{Args, Meta};
pub use self::arguments::InvalidArguments;
pub(crate) use self::finish::{Ending, Finish};
pub(crate) use self::function::{BlockingFunction, Function, Parameters};
pub(crate) use self::handler::{Handler, paced};
pub(crate) use self::texts::{Texts, from_json, to_json};
pub use crate::state::Need;

/// A call as it arrived: what extractors take their parts from.
#[derive(Debug)]
pub struct Call<'a> {
    pub(crate) arguments: &'a str,
    pub(crate) request: &'a Request<'a>,
    pub(crate) context: &'a Context,
    pub(crate) conversation: &'a Shared,
    pub(crate) version: Version,
    pub(crate) asked: Asked<'a>,
    /// What the handler asks the client. It starts as the default.
    pub(crate) asking: Asking,
}

/// What is called.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Asked<'a> {
    /// A tool.
    Tool(&'a Tool),
    /// A prompt, with what is filled in.
    Prompt {
        /// The prompt.
        prompt: &'a Prompt,
        /// What is filled in.
        filled: &'a Texts,
    },
    /// A resource, with the variables of its template.
    Resource {
        /// What is said of its contents.
        read: &'a Read,
        /// Its URI as it was sent.
        uri: &'a str,
        /// The variables, decoded.
        variables: &'a Texts,
    },
    /// What could stand in a place.
    Completion {
        /// What is written there so far.
        prefix: &'a str,
        /// The other places that are filled in already.
        filled: &'a Texts,
    },
}

impl<'a> Asked<'a> {
    /// The tool, if it is one.
    pub(crate) const fn tool(self) -> Option<&'a Tool> {
        match self {
            Self::Tool(tool) => Some(tool),
            _ => None,
        }
    }

    /// The texts that the arguments are, if they are texts.
    pub(crate) const fn texts(self) -> Option<&'a Texts> {
        match self {
            Self::Prompt { filled: texts, .. }
            | Self::Resource { variables: texts, .. }
            | Self::Completion { filled: texts, .. } => Some(texts),
            Self::Tool(_) => None,
        }
    }
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
}

/// A parameter of a handler: something that can be taken from a call.
///
/// [`Args`], [`Meta`], [`State`](crate::State) and [`Context`](crate::Context) are such parameters; an application can
/// have its own.
#[diagnostic::on_unimplemented(
    message = "a tool cannot have a parameter of type `{Self}`",
    note = "the parameters of a tool are `Args<T>`, for its arguments, `Meta<T>`, `State<S>` and `Context`"
)]
pub trait FromCall: Sized {
    /// Takes it from a call. This happens before the handler's future is made.
    ///
    /// # Errors
    ///
    /// [`Rejection`] says how the call is answered instead of by the handler.
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

/// How a call is answered that does not reach its handler.
#[derive(Debug)]
#[non_exhaustive]
pub enum Rejection {
    /// By a text. A tool answers with an error result, from which a language model can learn what was wrong; prompts
    /// and resources have no such results and answer with the protocol error −32602.
    Failure(ToolError),
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
        Self::Failure(error)
    }
}
