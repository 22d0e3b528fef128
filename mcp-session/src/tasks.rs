//! The handlers of a session that were not ready at once: an owned set, which ends with its session.
//!
//! This is the one place that spawns. Another runtime would need another one of these.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use mcp_types::jsonrpc::Id;
use tokio::task::{AbortHandle, JoinHandle, JoinSet};

use crate::core::{Current, Shared};
use crate::driver::Driver;
use crate::engine::{Input, Outcome, Report, Served};
use crate::error::RunError;
use crate::service::{Answer, HandlerFuture, Service};
use crate::transport::Transport;

#[derive(Debug, Default)]
pub(crate) struct TaskSet {
    tasks: JoinSet<()>,
}

impl TaskSet {
    /// Runs a handler to its end.
    ///
    /// It may have been polled before, with a waker that does nothing: a task polls what it is given once at its
    /// start, so that no wake is lost.
    pub(crate) fn spawn(
        &mut self,
        shared: &Arc<Shared>,
        served: Served,
        id: Id,
        mut handler: HandlerFuture,
    ) -> AbortHandle {
        let owed = Arc::new(Owed { shared: Arc::clone(shared), served, id, is_paid: AtomicBool::new(false) });
        if let Some(job) = handler.job.take() {
            // Work that blocks outlives its task when that is aborted.
            job.keep(Arc::clone(&owed));
        }
        self.tasks.spawn(async move {
            let answer = Guarded(handler).await;
            owed.pay(answer);
        })
    }

    /// Takes tasks that have ended out of the set.
    pub(crate) fn reap(&mut self, cx: &mut Context<'_>) {
        if self.tasks.is_empty() {
            return;
        }
        while let Poll::Ready(Some(_)) = self.tasks.poll_join_next(cx) {}
    }
}

/// A handler whose panics become an absent answer.
struct Guarded(HandlerFuture);

impl Future for Guarded {
    type Output = Option<Answer>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Answer>> {
        poll_guarded(&mut self.0, cx)
    }
}

/// Polls a handler once. `None` when it panicked.
pub(crate) fn poll_guarded(handler: &mut HandlerFuture, cx: &mut Context<'_>) -> Poll<Option<Answer>> {
    match catch_unwind(AssertUnwindSafe(|| handler.future.as_mut().poll(cx))) {
        Ok(poll) => poll.map(Some),
        Err(_) => Poll::Ready(None),
    }
}

/// The answer that a handler owes. When the handler vanishes without it, the session is told so.
pub(crate) struct Owed {
    shared: Arc<Shared>,
    served: Served,
    id: Id,
    is_paid: AtomicBool,
}

impl Owed {
    fn pay(&self, answer: Option<Answer>) {
        self.is_paid.store(true, Ordering::Relaxed);
        let now = self.shared.now();
        self.shared.act(|core| {
            core.ended(self.served);
            core.finish(now, self.served, &self.id, answer);
        });
    }
}

impl Drop for Owed {
    fn drop(&mut self) {
        if *self.is_paid.get_mut() {
            return;
        }
        let now = self.shared.now();
        self.shared.act(|core| {
            core.ended(self.served);
            if core.engine.is_serving(self.served) {
                core.finish(now, self.served, &self.id, None);
            } else {
                core.feed(now, Input::Gone(self.served), &Current::Nothing);
            }
        });
    }
}

/// How a handler ended, as the engine knows it.
pub(crate) const fn outcome_of(answer: Option<&Answer>) -> Outcome {
    match answer {
        Some(Ok(_)) => Outcome::Result,
        Some(Err(_)) => Outcome::Error,
        None => Outcome::Panicked,
    }
}

/// A task that runs beside a session, such as one that waits for signals: a driver that is polled for every message
/// is not the place to poll what almost never happens. It ends when this is dropped.
#[derive(Debug)]
#[must_use = "the task ends when this is dropped"]
pub struct Companion(JoinHandle<()>);

impl Companion {
    /// Runs `task` until it ends by itself or this is dropped.
    ///
    /// # Panics
    ///
    /// Outside a tokio runtime.
    #[expect(clippy::disallowed_methods, reason = "this is the place that spawns")]
    pub fn spawn(task: impl Future<Output = ()> + Send + 'static) -> Self {
        Self(tokio::spawn(task))
    }
}

impl Drop for Companion {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl<S: Service, T: Transport> Driver<S, T> {
    /// Runs the session in a task of its own. The task ends with the session, which ends when its last handle is
    /// dropped, if it is a client's.
    #[expect(clippy::disallowed_methods, reason = "this is the place that spawns")]
    pub fn spawn(self) -> JoinHandle<Result<Report, RunError>>
    where
        T: 'static,
    {
        tokio::spawn(self)
    }
}
