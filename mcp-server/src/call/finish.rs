//! From what a handler returns to the answer.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use mcp_session::Answer;
use pin_project_lite::pin_project;

use crate::rounds::{Round, Running};

/// What makes an answer of what a handler returns.
pub(crate) trait Ending<T> {
    /// Makes the answer.
    fn answer(&self, returned: T) -> Answer;
}

pin_project! {
    /// Makes an answer of what a function returns, or of what it asks. An `async` block would hold the function's future
    /// twice.
    pub(crate) struct Finish<R, E> {
        // Before the round, which has to end after it.
        #[pin]
        future: Option<R>,
        ending: E,
        running: Running,
    }
}

impl<R, E> Finish<R, E> {
    pub(crate) fn new(future: R, ending: E, round: Option<Arc<Round>>) -> Self {
        Self { future: Some(future), ending, running: Running::new(round) }
    }
}

impl<R, E> Future for Finish<R, E>
where
    R: Future,
    E: Ending<R::Output>,
{
    type Output = Answer;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Answer> {
        let mut this = self.project();
        let Some(future) = this.future.as_mut().as_pin_mut() else { return Poll::Pending };
        if let Poll::Ready(returned) = future.poll(cx) {
            return Poll::Ready(this.ending.answer(returned));
        }
        // The handler has gone as far as it can without the answers to what it asked.
        let Some(answer) = this.running.round().and_then(|round| round.end_of_poll(cx.waker())) else {
            return Poll::Pending;
        };
        this.future.set(None);
        Poll::Ready(answer)
    }
}
