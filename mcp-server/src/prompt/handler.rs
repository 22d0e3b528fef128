//! Functions as prompts.

use std::sync::Arc;

use mcp_session::{Answer, HandlerFuture};
use mcp_types::version::Version;

use super::outcome::{IntoPromptOutcome, PromptOutcome};
use crate::call::{Asked, BlockingFunction, Call, Ending, Function, Parameters, Rejection};
use crate::conversation::Shared;

/// A function that is a prompt: async, with up to four parameters that are taken from the call
/// ([`FromCall`](crate::call::FromCall)) and a return value that becomes messages ([`IntoPromptOutcome`]).
///
/// `M` tells the implementations apart; it is inferred.
#[diagnostic::on_unimplemented(
    message = "this function cannot be a prompt",
    note = "a prompt is an `async fn` with up to four parameters such as `Args<T>`, `State<S>` and `Context`, all by value",
    note = "it returns a text, messages, `GetPromptResult`, or a `Result` of one of these",
    note = "its future has to be `Send`: nothing that is not may live across an `.await`"
)]
pub trait PromptHandler<M>: Send + Sync + 'static {
    /// Calls the function.
    ///
    /// # Errors
    ///
    /// [`Rejection`] when a parameter could not be taken from the call.
    fn call(&self, call: &Call<'_>) -> Result<HandlerFuture, Rejection>;

    /// What its parameters say of it.
    #[must_use]
    fn signature() -> Signature;
}

/// A function that is a prompt and blocks: a plain one, with parameters and a return value as those of a
/// [`PromptHandler`].
#[diagnostic::on_unimplemented(
    message = "this function cannot be a blocking prompt",
    note = "a blocking prompt is a plain `fn` with up to four parameters such as `Args<T>`, `State<S>` and `Context`, all by value and `Send`",
    note = "it returns a text, messages, `GetPromptResult`, or a `Result` of one of these"
)]
pub trait BlockingPromptHandler<M>: Send + Sync + 'static {
    /// Has the function called, on another thread.
    ///
    /// # Errors
    ///
    /// [`Rejection`] when a parameter could not be taken from the call.
    fn call(self: Arc<Self>, call: &Call<'_>) -> Result<HandlerFuture, Rejection>;

    /// What its parameters say of it.
    #[must_use]
    fn signature() -> Signature;
}

/// What the parameters of a function say of the prompt that it is.
#[derive(Debug)]
pub struct Signature(pub(super) Parameters);

impl<F, M> PromptHandler<M> for F
where
    F: Function<M, Returned: IntoPromptOutcome>,
{
    fn call(&self, call: &Call<'_>) -> Result<HandlerFuture, Rejection> {
        self.start(call, PromptEnding::of(call))
    }

    fn signature() -> Signature {
        Signature(F::parameters())
    }
}

impl<F, M> BlockingPromptHandler<M> for F
where
    F: BlockingFunction<M, Returned: IntoPromptOutcome>,
{
    fn call(self: Arc<Self>, call: &Call<'_>) -> Result<HandlerFuture, Rejection> {
        self.start(call, PromptEnding::of(call))
    }

    fn signature() -> Signature {
        Signature(F::parameters())
    }
}

/// What makes an answer of what a prompt returns.
#[derive(Debug)]
struct PromptEnding {
    conversation: Shared,
    version: Version,
    description: Option<String>,
}

impl PromptEnding {
    fn of(call: &Call<'_>) -> Self {
        let description = match call.asked {
            Asked::Prompt { prompt, .. } => prompt.description().description.clone(),
            _ => None,
        };
        Self { conversation: Shared::clone(call.conversation), version: call.version, description }
    }
}

impl<T: IntoPromptOutcome> Ending<T> for PromptEnding {
    fn answer(&self, returned: T) -> Answer {
        let outcome: PromptOutcome = returned.into_outcome();
        self.conversation.identity.finish_prompt(outcome, self.description.as_deref(), self.version)
    }
}
