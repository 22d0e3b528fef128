//! The handlers of a session that were not ready at once: an owned set, which ends with its session, or in the hands of
//! the exchange that they belong to.
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
use crate::engine::{Input, Outcome, Served};
use crate::service::{Answer, HandlerFuture, Service};
use crate::transport::Transport;

#[derive(Debug, Default)]
pub(crate) struct TaskSet {
    /// Made for the first.
    tasks: Option<JoinSet<()>>,
}

/// Where a handler goes that was not ready at once.
pub(crate) trait Rest: Send {
    /// Whether a handler is polled before it comes here, with a waker that does nothing.
    const POLLS_FIRST: bool;

    /// Keeps a handler until it ends, and gives what ends it before, unless whoever keeps it looks after that.
    fn keep(&mut self, shared: &Arc<Shared>, served: Served, id: &Id, handler: HandlerFuture) -> Option<AbortHandle>;
}

impl Rest for TaskSet {
    // A task polls what it is given once at its start, so that no wake is lost.
    const POLLS_FIRST: bool = true;

    fn keep(
        &mut self,
        shared: &Arc<Shared>,
        served: Served,
        id: &Id,
        mut handler: HandlerFuture,
    ) -> Option<AbortHandle> {
        let of_job = Owed::of_job(shared, served, id, &mut handler);
        let owed = of_job.unwrap_or_else(|| Owed::new(shared, served, id));
        let task = self.tasks.get_or_insert_default().spawn(async move {
            let answer = Guarded(handler).await;
            owed.pay(answer);
        });
        Some(task)
    }
}

/// Handlers that are polled by whoever keeps them: one, as a rule, or those of a batch.
#[derive(Debug, Default)]
pub(crate) enum InPlace {
    #[default]
    Nothing,
    One(Kept),
    Several(Vec<Kept>),
}

#[derive(Debug)]
pub(crate) struct Kept {
    served: Served,
    id: Id,
    handler: HandlerFuture,
    /// What is owed outlives this when the work is on a thread.
    owed: Option<Arc<Owed>>,
}

impl Rest for InPlace {
    const POLLS_FIRST: bool = false;

    fn keep(
        &mut self,
        shared: &Arc<Shared>,
        served: Served,
        id: &Id,
        mut handler: HandlerFuture,
    ) -> Option<AbortHandle> {
        let owed = Owed::of_job(shared, served, id, &mut handler);
        let kept = Kept { served, id: id.clone(), handler, owed };
        *self = match std::mem::take(self) {
            Self::Nothing => Self::One(kept),
            Self::One(first) => Self::Several(vec![first, kept]),
            Self::Several(mut all) => {
                all.push(kept);
                Self::Several(all)
            }
        };
        None
    }
}

impl InPlace {
    /// Polls the handlers, unless they are not wanted any more: then they end here. Whoever drives the session is not
    /// woken by what they do meanwhile.
    pub(crate) fn poll(&mut self, shared: &Arc<Shared>, cx: &mut Context<'_>) {
        match self {
            Self::Nothing => {}
            Self::One(kept) => {
                let Poll::Ready(over) = kept.poll(shared, cx) else { return };
                if let Self::One(kept) = std::mem::take(self) {
                    kept.ends(shared, over);
                }
            }
            Self::Several(all) => {
                let mut at = 0;
                while let Some(kept) = all.get_mut(at) {
                    match kept.poll(shared, cx) {
                        Poll::Ready(over) => all.remove(at).ends(shared, over),
                        Poll::Pending => at += 1,
                    }
                }
            }
        }
    }

    /// Ends the handlers that there are.
    pub(crate) fn end(&mut self, shared: &Arc<Shared>) {
        match std::mem::take(self) {
            Self::Nothing => {}
            Self::One(kept) => kept.ends(shared, Over::Unwanted),
            Self::Several(all) => all.into_iter().for_each(|kept| kept.ends(shared, Over::Unwanted)),
        }
    }
}

/// Why a handler is not polled any more.
enum Over {
    Answered(Option<Answer>),
    Unwanted,
}

impl Kept {
    fn poll(&mut self, shared: &Arc<Shared>, cx: &mut Context<'_>) -> Poll<Over> {
        let is_wanted = shared.look(|core| {
            core.driver = None;
            core.engine.is_serving(self.served)
        });
        if is_wanted { poll_guarded(&mut self.handler, cx).map(Over::Answered) } else { Poll::Ready(Over::Unwanted) }
    }

    fn ends(self, shared: &Arc<Shared>, over: Over) {
        let Self { served, id, handler, owed } = self;
        if catch_unwind(AssertUnwindSafe(|| drop(handler))).is_err() {
            tracing::error!("a handler panicked as it was dropped");
        }
        match (over, owed) {
            (Over::Answered(answer), Some(owed)) => owed.pay(answer),
            (Over::Answered(answer), None) => {
                let now = shared.now();
                shared.drive(|core| core.finish(now, served, &id, answer));
            }
            // Who works on a thread says when it is gone.
            (Over::Unwanted, Some(_)) => {}
            (Over::Unwanted, None) => {
                let now = shared.now();
                shared.drive(|core| core.feed(now, Input::Gone(served), &Current::Nothing));
            }
        }
    }
}

impl TaskSet {
    /// Takes tasks that have ended out of the set, and wakes who polls when another one ends.
    pub(crate) fn reap(&mut self, cx: &mut Context<'_>) {
        let Some(tasks) = self.tasks.as_mut().filter(|tasks| !tasks.is_empty()) else { return };
        while let Poll::Ready(Some(_)) = tasks.poll_join_next(cx) {}
    }

    /// Takes tasks that have ended out of the set.
    pub(crate) fn reap_ended(&mut self) {
        let Some(tasks) = &mut self.tasks else { return };
        while tasks.try_join_next().is_some() {}
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

impl std::fmt::Debug for Owed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Owed").field("id", &self.id).finish_non_exhaustive()
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
    fn new(shared: &Arc<Shared>, served: Served, id: &Id) -> Arc<Self> {
        Arc::new(Self { shared: Arc::clone(shared), served, id: id.clone(), is_paid: AtomicBool::new(false) })
    }

    /// What the work of a handler on a thread owes, if it has such work. That outlives whoever keeps the handler.
    fn of_job(shared: &Arc<Shared>, served: Served, id: &Id, handler: &mut HandlerFuture) -> Option<Arc<Self>> {
        let job = handler.job.take()?;
        let owed = Self::new(shared, served, id);
        job.keep(Arc::clone(&owed));
        Some(owed)
    }

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
    /// dropped, if it is a client's. How it ended stands in the report that its handles wait for: a task whose result
    /// is large moves room for it whenever it is polled.
    #[expect(clippy::disallowed_methods, reason = "this is the place that spawns")]
    pub fn spawn(self) -> JoinHandle<()>
    where
        T: 'static,
    {
        tokio::spawn(async { drop(self.await) })
    }
}
