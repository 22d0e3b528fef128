//! Functions as tools.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use mcp_session::{Answer, HandlerFuture};
use mcp_types::RawJson;
use mcp_types::version::Version;
use pin_project_lite::pin_project;

use super::extract::{Call, FromCall, Rejection};
use super::outcome::IntoToolOutcome;
use crate::conversation::Shared;

/// A function that is a tool: async, with up to four parameters that are taken from the call ([`FromCall`]) and a
/// return value that becomes the result ([`IntoToolOutcome`]).
///
/// Everything is taken from the call before the function's future is made, which therefore borrows nothing. `M` tells
/// the implementations apart; it is inferred.
#[diagnostic::on_unimplemented(
    message = "this function cannot be a tool",
    note = "a tool is an `async fn` with up to four parameters such as `Args<T>` and `Context`, all by value",
    note = "it returns a text, a number, `Json<T>`, `CallToolResult`, `()`, or a `Result` of one of these",
    note = "its future has to be `Send`: nothing that is not may live across an `.await`"
)]
pub trait ToolHandler<M>: Send + Sync + 'static {
    /// Calls the function.
    ///
    /// # Errors
    ///
    /// [`Rejection`] when a parameter could not be taken from the call.
    fn call(&self, call: &Call<'_>) -> Result<HandlerFuture, Rejection>;

    /// The schema of its arguments.
    #[must_use]
    fn input_schema() -> RawJson;
}

macro_rules! functions {
    ($($parameter:ident)*) => {
        impl<F, R, $($parameter,)*> ToolHandler<($($parameter,)*)> for F
        where
            F: Fn($($parameter),*) -> R + Send + Sync + 'static,
            R: Future + Send + 'static,
            R::Output: IntoToolOutcome,
            $($parameter: FromCall,)*
        {
            fn call(&self, call: &Call<'_>) -> Result<HandlerFuture, Rejection> {
                let future = self($($parameter::from_call(call)?),*);
                let conversation = Arc::clone(call.conversation);
                Ok(HandlerFuture::new(Finish { future, conversation, version: call.version }))
            }

            fn input_schema() -> RawJson {
                let schemas: &[fn() -> Option<RawJson>] = &[$($parameter::input_schema),*];
                schemas.iter().find_map(|schema| schema()).unwrap_or_else(no_arguments)
            }
        }
    };
}

functions!();
functions!(A);
functions!(A B);
functions!(A B C);
functions!(A B C D);

//= 2026-07-28/server/tools#tool
//# For tools with no parameters, use one of these valid approaches:
//# - `{ "type": "object", "additionalProperties": false }` - **Recommended**: explicitly accepts only empty objects
fn no_arguments() -> RawJson {
    serde_json::json!({ "type": "object", "additionalProperties": false }).into()
}

pin_project! {
    /// Makes an answer of what a function returns. An `async` block would hold the function's future twice.
    struct Finish<R> {
        #[pin]
        future: R,
        conversation: Shared,
        version: Version,
    }
}

impl<R> Future for Finish<R>
where
    R: Future,
    R::Output: IntoToolOutcome,
{
    type Output = Answer;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Answer> {
        let this = self.project();
        let outcome = ready!(this.future.poll(cx)).into_outcome();
        Poll::Ready(this.conversation.answer(outcome, *this.version))
    }
}
