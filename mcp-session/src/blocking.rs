//! Handlers that block: they run on threads of their own, and no thread keeps the process alive.
//!
//! The blocking pool of a runtime is joined when the runtime ends, so that one handler that never returns would keep
//! the process for ever. These threads are started on demand, up to a limit, end when they have had nothing to do for
//! a while, and are never joined.

use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::{Pin, pin};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Duration;

use mcp_types::jsonrpc::{ErrorCode, ErrorObject};
use tokio::runtime::Handle as Runtime;

use crate::service::{Answer, HandlerFuture};
use crate::tasks::Owed;

/// Threads for handlers that block. Cloning is cheap, and clones share the threads.
///
/// Work that finds no thread free waits in a queue, in which it can still be given up. The queue is as long as there
/// are requests in flight, which every session limits.
#[derive(Clone, Debug)]
pub struct Threads(Arc<Pool>);

#[derive(Debug)]
struct Pool {
    state: Mutex<PoolState>,
    has_work: Condvar,
    limit: usize,
    idle_for: Duration,
}

#[derive(Debug, Default)]
struct PoolState {
    queue: VecDeque<Arc<Job>>,
    alive: usize,
    /// How many threads wait for work, those included that have been woken and do not run yet.
    idle: usize,
}

impl Threads {
    /// Up to `limit` threads, and at least one. None is started before there is something to do.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self::idle_for(limit, IDLE)
    }

    fn idle_for(limit: usize, idle_for: Duration) -> Self {
        Self(Arc::new(Pool { state: Mutex::default(), has_work: Condvar::new(), limit: limit.max(1), idle_for }))
    }

    /// How many threads there are.
    #[must_use]
    pub fn alive(&self) -> usize {
        self.0.lock().alive
    }

    fn enqueue(&self, job: &Arc<Job>) -> io::Result<()> {
        let mut state = self.0.lock();
        state.queue.push_back(Arc::clone(job));
        if state.queue.len() <= state.idle {
            self.0.has_work.notify_one();
            return Ok(());
        }
        if state.alive == self.0.limit {
            return Ok(());
        }
        state.alive += 1;
        drop(state);
        let pool = Arc::clone(&self.0);
        let started = thread::Builder::new().name("mcp-blocking".to_owned()).spawn(move || pool.work());
        let Err(error) = started else { return Ok(()) };
        let mut state = self.0.lock();
        state.alive -= 1;
        // Another thread will come to it, if there is one.
        if state.alive > 0 {
            return Ok(());
        }
        state.queue.retain(|other| !Arc::ptr_eq(other, job));
        Err(error)
    }

    fn take_back(&self, job: &Arc<Job>) {
        self.0.lock().queue.retain(|other| !Arc::ptr_eq(other, job));
    }
}

impl Pool {
    fn work(&self) {
        while let Some(job) = self.next() {
            job.run();
        }
    }

    /// Waits for something to do. `None` when the thread has waited long enough.
    fn next(&self) -> Option<Arc<Job>> {
        let mut state = self.lock();
        loop {
            if let Some(job) = state.queue.pop_front() {
                return Some(job);
            }
            state.idle += 1;
            let waited = self.has_work.wait_timeout(state, self.idle_for);
            let (guard, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
            state = guard;
            state.idle -= 1;
            if timeout.timed_out() && state.queue.is_empty() {
                state.alive -= 1;
                return None;
            }
        }
    }

    // Nothing under this lock calls out, so that a panic leaves the pool in order.
    fn lock(&self) -> MutexGuard<'_, PoolState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One piece of work.
pub(crate) struct Job(Mutex<JobState>);

struct JobState {
    stage: Stage,
    waker: Option<Waker>,
    /// The answer is owed until the work has ended, even when nobody waits for it any more: only then is the handler
    /// gone.
    owed: Option<Arc<Owed>>,
}

enum Stage {
    Waiting(Box<dyn FnOnce() -> Answer + Send>),
    Running,
    Done(thread::Result<Answer>),
    /// Its answer was taken, or it was given up before it began.
    Over,
}

impl Job {
    /// Keeps the debt for as long as the work is not over.
    pub(crate) fn keep(&self, owed: Arc<Owed>) {
        let mut state = self.lock();
        if matches!(state.stage, Stage::Waiting(_) | Stage::Running) {
            state.owed = Some(owed);
        }
    }

    fn run(&self) {
        let Some(work) = self.begin() else { return };
        let answer = catch_unwind(AssertUnwindSafe(work));
        self.end(Stage::Done(answer));
    }

    /// Takes the work. `None` when it was given up after a thread had taken it out of the queue.
    fn begin(&self) -> Option<Box<dyn FnOnce() -> Answer + Send>> {
        let mut state = self.lock();
        match std::mem::replace(&mut state.stage, Stage::Running) {
            Stage::Waiting(work) => Some(work),
            other => {
                state.stage = other;
                None
            }
        }
    }

    /// Ends it. Whoever waits is woken and whatever is dropped is dropped without the lock.
    fn end(&self, stage: Stage) -> Stage {
        let mut state = self.lock();
        let was = std::mem::replace(&mut state.stage, stage);
        let (waker, owed) = (state.waker.take(), state.owed.take());
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
        drop(owed);
        was
    }

    fn give_up(&self) {
        let was = {
            let mut state = self.lock();
            if !matches!(state.stage, Stage::Waiting(_)) {
                return;
            }
            (std::mem::replace(&mut state.stage, Stage::Over), state.owed.take())
        };
        drop(was);
    }

    fn lock(&self) -> MutexGuard<'_, JobState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.lock().stage {
            Stage::Waiting(_) => "Waiting",
            Stage::Running => "Running",
            Stage::Done(_) => "Done",
            Stage::Over => "Over",
        })
    }
}

/// Waits for a piece of work. Dropping it gives the work up if it has not begun; else the work runs on.
struct Running {
    threads: Threads,
    job: Arc<Job>,
    is_queued: bool,
}

impl Future for Running {
    type Output = Answer;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Answer> {
        let this = &mut *self;
        if !this.is_queued {
            this.is_queued = true;
            if let Err(error) = this.threads.enqueue(&this.job) {
                tracing::error!(%error, "no thread could be started for a blocking handler");
                this.job.give_up();
                return Poll::Ready(Err(ErrorObject::new(ErrorCode::INTERNAL_ERROR, "internal error")));
            }
        }
        let mut state = this.job.lock();
        match std::mem::replace(&mut state.stage, Stage::Over) {
            Stage::Done(Ok(answer)) => Poll::Ready(answer),
            Stage::Done(Err(panic)) => {
                drop(state);
                // Whoever polls handlers deals with their panics.
                resume_unwind(panic)
            }
            stage @ (Stage::Waiting(_) | Stage::Running | Stage::Over) => {
                state.stage = stage;
                state.waker = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.is_queued {
            self.threads.take_back(&self.job);
        }
        self.job.give_up();
    }
}

impl HandlerFuture {
    /// A handler that blocks, on one of these threads.
    ///
    /// When its request is cancelled before it has begun it never begins. Once it has begun it runs to its end: it
    /// can ask [`Context::is_cancelled`](crate::Context::is_cancelled), and the session waits for it only as long as
    /// [`Limits::abort`](crate::limits::Limits::abort) and then names it in the report.
    ///
    /// Inside it the runtime that serves the session is the current one, if there is one.
    #[must_use]
    pub fn blocking(threads: &Threads, work: impl FnOnce() -> Answer + Send + 'static) -> Self {
        let runtime = Runtime::try_current();
        let work = move || {
            let _entered = runtime.as_ref().map(Runtime::enter);
            work()
        };
        let state = JobState { stage: Stage::Waiting(Box::new(work)), waker: None, owed: None };
        let job = Arc::new(Job(Mutex::new(state)));
        let running = Running { threads: threads.clone(), job: Arc::clone(&job), is_queued: false };
        Self { future: Box::pin(running), pace: None, job: Some(job) }
    }
}

/// Runs a future to its end on this thread, which sleeps meanwhile: for handlers that block.
///
/// On a thread of the runtime it may wait for ever, for something that this very thread would have to do.
pub fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    wait(|cx| future.as_mut().poll(cx))
}

/// Polls until it is ready, with the thread asleep in between.
pub(crate) fn wait<T>(mut poll: impl FnMut(&mut Context<'_>) -> Poll<T>) -> T {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut cx = Context::from_waker(&waker);
    loop {
        match poll(&mut cx) {
            Poll::Ready(value) => return value,
            Poll::Pending => thread::park(),
        }
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// For how long a thread waits for work before it ends.
const IDLE: Duration = Duration::from_secs(10);

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn threads_without_work_end_and_start_again() {
        let threads = Threads::idle_for(4, Duration::from_millis(1));
        for _ in 0..3 {
            let HandlerFuture { future, .. } = HandlerFuture::blocking(&threads, || Ok(crate::Body::default()));
            assert!(block_on(future).is_ok());
            while threads.alive() > 0 {
                thread::yield_now();
            }
        }
    }

    #[test]
    fn work_that_is_given_up_as_a_thread_takes_it_never_begins() {
        let HandlerFuture { future, job, .. } = HandlerFuture::blocking(&Threads::new(1), || panic!("it was given up"));
        let job = job.expect("it blocks");
        drop(future);
        let (tell, told) = channel();
        // What a thread does that took it out of the queue just before.
        thread::spawn(move || {
            job.run();
            tell.send(())
        });
        assert_eq!(told.recv_timeout(Duration::from_secs(20)), Ok(()));
    }

    #[test]
    fn a_thread_that_is_free_is_used_again() {
        let threads = Threads::new(4);
        let (tell, told) = channel();
        for _ in 0..10 {
            let tell = tell.clone();
            let HandlerFuture { future, .. } = HandlerFuture::blocking(&threads, move || {
                tell.send(thread::current().id()).ok();
                Ok(crate::Body::default())
            });
            assert!(block_on(future).is_ok());
            // The answer is there before the thread waits again.
            while threads.0.lock().idle == 0 {
                thread::yield_now();
            }
        }
        drop(tell);
        let mut ids: Vec<_> = told.iter().collect();
        ids.dedup();
        assert_eq!((ids.len(), threads.alive()), (1, 1));
    }
}
