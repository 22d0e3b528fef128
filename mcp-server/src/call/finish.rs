//! From what a handler returns to the answer.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use mcp_session::Answer;
use pin_project_lite::pin_project;

/// What makes an answer of what a handler returns.
pub(crate) trait Ending<T> {
    /// Makes the answer.
    fn answer(&self, returned: T) -> Answer;
}

pin_project! {
    /// Makes an answer of what a function returns. An `async` block would hold the function's future twice.
    pub(crate) struct Finish<R, E> {
        #[pin]
        future: R,
        ending: E,
    }
}

impl<R, E> Finish<R, E> {
    pub(crate) const fn new(future: R, ending: E) -> Self {
        Self { future, ending }
    }
}

impl<R, E> Future for Finish<R, E>
where
    R: Future,
    E: Ending<R::Output>,
{
    type Output = Answer;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Answer> {
        let this = self.project();
        let returned = ready!(this.future.poll(cx));
        Poll::Ready(this.ending.answer(returned))
    }
}
