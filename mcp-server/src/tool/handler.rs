//! Functions as tools.

use std::sync::Arc;

use mcp_session::{Answer, HandlerFuture};
use mcp_types::RawJson;
use mcp_types::jsonrpc::{ErrorCode, ErrorObject};
use mcp_types::version::Version;

use super::outcome::{Form, IntoToolOutcome, ToolOutcome};
use crate::call::{BlockingFunction, Call, Ending, Function, Parameters, Rejection};
use crate::conversation::Shared;

/// A function that is a tool: async, with up to four parameters that are taken from the call ([`FromCall`](crate::call::FromCall)) and a
/// return value that becomes the result ([`IntoToolOutcome`]).
///
/// Everything is taken from the call before the function's future is made, which therefore borrows nothing. `M` tells
/// the implementations apart; it is inferred.
#[diagnostic::on_unimplemented(
    message = "this function cannot be a tool",
    note = "a tool is an `async fn` with up to four parameters such as `Args<T>`, `State<S>` and `Context`, all by value",
    note = "it returns a text, a number, `Json<T>`, content, `()`, or a `Result` of one of these",
    note = "its future has to be `Send`: nothing that is not may live across an `.await`",
    note = "a function that is not async is added by `Server::blocking_tool`"
)]
pub trait ToolHandler<M>: Send + Sync + 'static {
    /// Calls the function.
    ///
    /// # Errors
    ///
    /// [`Rejection`] when a parameter could not be taken from the call.
    fn call(&self, call: &Call<'_>) -> Result<HandlerFuture, Rejection>;

    /// What its parameters and its return value say of it.
    #[must_use]
    fn signature() -> Signature;
}

/// A function that is a tool and blocks: a plain one, with parameters and a return value as those of a
/// [`ToolHandler`].
#[diagnostic::on_unimplemented(
    message = "this function cannot be a blocking tool",
    note = "a blocking tool is a plain `fn` with up to four parameters such as `Args<T>`, `State<S>` and `Context`, all by value and `Send`",
    note = "it returns a text, a number, `Json<T>`, content, `()`, or a `Result` of one of these"
)]
pub trait BlockingToolHandler<M>: Send + Sync + 'static {
    /// Has the function called, on another thread.
    ///
    /// # Errors
    ///
    /// [`Rejection`] when a parameter could not be taken from the call.
    fn call(self: Arc<Self>, call: &Call<'_>) -> Result<HandlerFuture, Rejection>;

    /// What its parameters and its return value say of it.
    #[must_use]
    fn signature() -> Signature;
}

/// What the parameters and the return value of a function say of the tool that it is.
#[derive(Debug)]
pub struct Signature {
    pub(super) parameters: Parameters,
    output: fn() -> Option<RawJson>,
}

impl Signature {
    fn new<R: IntoToolOutcome>(parameters: Parameters) -> Self {
        Self { parameters, output: R::output_schema }
    }

    /// Makes the schema of the structured result, if there is one.
    pub(super) fn output(&self) -> Option<RawJson> {
        (self.output)()
    }
}

impl<F, M> ToolHandler<M> for F
where
    F: Function<M, Returned: IntoToolOutcome>,
{
    fn call(&self, call: &Call<'_>) -> Result<HandlerFuture, Rejection> {
        self.start(call, ToolEnding::of(call))
    }

    fn signature() -> Signature {
        Signature::new::<F::Returned>(F::parameters())
    }
}

impl<F, M> BlockingToolHandler<M> for F
where
    F: BlockingFunction<M, Returned: IntoToolOutcome>,
{
    fn call(self: Arc<Self>, call: &Call<'_>) -> Result<HandlerFuture, Rejection> {
        self.start(call, ToolEnding::of(call))
    }

    fn signature() -> Signature {
        Signature::new::<F::Returned>(F::parameters())
    }
}

/// What makes an answer of what a tool returns.
#[derive(Debug)]
pub(crate) struct ToolEnding {
    conversation: Shared,
    version: Version,
    /// Whether clients were told a schema that every result has to conform to.
    is_structured: bool,
}

impl ToolEnding {
    pub(crate) fn of(call: &Call<'_>) -> Self {
        Self {
            conversation: Shared::clone(call.conversation),
            version: call.version,
            is_structured: call.asked.tool().is_some_and(|tool| tool.description().output_schema.is_some()),
        }
    }
}

impl<T: IntoToolOutcome> Ending<T> for ToolEnding {
    fn answer(&self, returned: T) -> Answer {
        let outcome = returned.into_outcome();
        if self.is_structured && outcome.lacks_structure() {
            //= 2026-07-28/server/tools#output-schema
            //# Servers **MUST** provide structured results that conform to this schema.
            tracing::error!("a tool with an output schema returned no structured content");
            return Err(ErrorObject::new(ErrorCode::INTERNAL_ERROR, "the tool returned no structured content"));
        }
        self.conversation.identity.finish(outcome, self.version)
    }
}

impl ToolOutcome {
    /// Whether it is a result that is no failure and has nothing for programs.
    const fn lacks_structure(&self) -> bool {
        match &self.0 {
            Form::Text(_) => true,
            Form::Full(result) => result.structured_content.is_none() && !matches!(result.is_error, Some(true)),
            Form::Failure(_) | Form::Json(_) | Form::Error(_) => false,
        }
    }
}
