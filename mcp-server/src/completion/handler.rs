//! Functions that complete.

use mcp_session::{Answer, Body, HandlerFuture};
use mcp_types::completion::{CompleteResult, Completion};
use mcp_types::gate::Gated;
use mcp_types::version::Version;

use super::outcome::IntoCompletion;
use crate::call::{Call, Ending, Function, Parameters, Rejection};
use crate::conversation::Shared;
use crate::identity::encode;

/// A function that completes a place: async, with up to four parameters that are taken from the call
/// ([`FromCall`](crate::call::FromCall)) and a return value that becomes values ([`IntoCompletion`]).
///
/// `M` tells the implementations apart; it is inferred.
#[diagnostic::on_unimplemented(
    message = "this function cannot complete anything",
    note = "it is an `async fn` with up to four parameters such as `Prefix`, `Filled`, `State<S>` and `Context`, all by value",
    note = "it returns a list of texts, `Completion`, or a `Result` of one of these"
)]
pub trait CompletionHandler<M>: Send + Sync + 'static {
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

/// What the parameters of a function say of the completion that it is.
#[derive(Debug)]
pub struct Signature(pub(super) Parameters);

impl<F, M> CompletionHandler<M> for F
where
    F: Function<M, Returned: IntoCompletion>,
{
    fn call(&self, call: &Call<'_>) -> Result<HandlerFuture, Rejection> {
        self.start(call, CompletionEnding::of(call))
    }

    fn signature() -> Signature {
        Signature(F::parameters())
    }
}

/// What makes an answer of what a completion returns.
#[derive(Debug)]
pub(crate) struct CompletionEnding {
    conversation: Shared,
    version: Version,
}

impl CompletionEnding {
    pub(crate) fn of(call: &Call<'_>) -> Self {
        Self { conversation: Shared::clone(call.conversation), version: call.version }
    }
}

impl<T: IntoCompletion> Ending<T> for CompletionEnding {
    fn answer(&self, returned: T) -> Answer {
        let completion: Completion = returned.into_completion()?;
        let mut result = CompleteResult::new(completion);
        self.conversation.identity.sign(&mut result.meta, self.version);
        result.fit(self.version);
        Ok(Body::from_json(encode(&result)))
    }
}
