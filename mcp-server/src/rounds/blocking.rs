//! Rounds of handlers that block: they cannot be dropped where they wait, so they are unwound from there.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use mcp_session::Answer;
use pin_project_lite::pin_project;

use super::round::{Round, Running};

/// What a blocking handler is unwound with. It is no panic: no hook sees it.
struct RoundEnds;

/// Runs the whole of a blocking handler.
pub(crate) fn run_blocking(round: Option<Arc<Round>>, work: impl FnOnce() -> Answer) -> Answer {
    let Some(round) = round else { return work() };
    round.begin_blocking();
    let running = Running::new(Some(Arc::clone(&round)));
    let ended = catch_unwind(AssertUnwindSafe(work));
    drop(running);
    // Whatever became of the handler: once one of its threads was unwound for a round, the round is the answer.
    match (round.take_set_aside(), ended) {
        (Some(answer), _) | (None, Ok(answer)) => answer,
        (None, Err(panic)) => resume_unwind(panic),
    }
}

/// Runs a future to its end on this thread. Where a round has to end first, a blocking handler does not return from
/// here.
pub(crate) fn block_on<F: Future>(round: &Round, future: F) -> F::Output {
    if round.is_blocking() { mcp_session::block_on(Watched { future, round }) } else { mcp_session::block_on(future) }
}

pin_project! {
    struct Watched<'a, F> {
        #[pin]
        future: F,
        round: &'a Round,
    }
}

impl<F: Future> Future for Watched<'_, F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        if let Poll::Ready(output) = this.future.poll(cx) {
            this.round.goes_on(cx.waker());
            return Poll::Ready(output);
        }
        if this.round.set_aside(cx.waker()) {
            resume_unwind(Box::new(RoundEnds));
        }
        Poll::Pending
    }
}
