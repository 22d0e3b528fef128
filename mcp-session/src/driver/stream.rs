//! The driver of a byte stream: read, feed, poll handlers once, write once, wait.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as Cx, Poll};

use super::alarm::Alarm;
use super::ear::Ear;
use super::inner::Inner;
use crate::cause::Cause;
use crate::core::{Current, PIPE, Shared};
use crate::engine::{CallId, ExchangeId, ExchangeKind, Input, Principal, Report, Role, WriteFailure};
use crate::error::RunError;
use crate::framing::{Batch, FrameKind};
use crate::service::Service;
use crate::tasks::TaskSet;
use crate::transport::{Incoming, Sink, Source, Transport};

/// Runs a session over a transport. Resolves when the session has ended and everything in it is gone.
///
/// # Errors
///
/// [`RunError`] when writing failed for a reason of this side, such as a full disk: data was lost.
///
/// # Cancel safety
///
/// Dropping it ends the session at once: what is served is cancelled, pending calls settle as connection closed, and
/// nothing is written any more.
#[must_use = "nothing happens unless it is polled"]
pub struct Driver<S, T: Transport> {
    source: T::Source,
    /// What a client hears with, as it is polled for other reasons, too.
    ears: Option<Ears>,
    sink: T::Sink,
    inner: Inner<S, TaskSet>,
    flow: Flow,
    alarm: Alarm,
    failure: Option<Arc<io::Error>>,
}

struct Ears {
    source: Ear,
    alarm: Ear,
}

/// How it stands between the buffer and the sink.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flow {
    /// All that was given to the sink has left it.
    Flushed,
    /// The sink may hold something back.
    Written,
    /// The sink takes nothing now, and has our waker.
    Blocked,
}

/// How a step of a turn went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// Whatever comes next will wake us.
    Waiting,
    /// The session does not want more now. What there is to read was not looked for, so that it wakes nobody.
    Unwanted,
    /// There may be more to do.
    Again,
    /// As much was done as one turn may.
    Enough,
}

impl<S: Service, T: Transport> Driver<S, T> {
    pub(crate) fn new(shared: Arc<Shared>, service: Arc<S>, transport: T) -> Self {
        let (source, sink) = transport.split();
        let role = shared.look(|core| core.engine.role());
        let ears = (role == Role::Client).then(|| Ears { source: Ear::new(), alarm: Ear::new() });
        let mut inner = Inner::new(shared, service, TaskSet::default());
        inner.feed(Input::Opened(PIPE, ExchangeKind::Pipe, Principal::default()));
        Self { source, ears, sink, inner, flow: Flow::Flushed, alarm: Alarm::default(), failure: None }
    }

    /// Reads and handles frames until input is dry or the turn is over.
    fn read(&mut self, cx: &mut Cx<'_>) -> Step {
        for _ in 0..self.inner.frames_per_turn {
            if !self.inner.agenda.wants_read {
                return Step::Unwanted;
            }
            let heard = match &mut self.ears {
                Some(ears) => ears.source.poll(cx, |cx| self.source.poll_next(cx)),
                None => self.source.poll_next(cx),
            };
            let Poll::Ready(incoming) = heard else { return Step::Waiting };
            match incoming {
                Incoming::Frame => self.inner.frame(PIPE, self.source.frame()),
                Incoming::Tail => self.inner.tail(PIPE, self.source.frame()),
                Incoming::TooLarge(frame) => self.inner.too_large(&frame),
                Incoming::Ended => {
                    self.inner.ends_because(self.source.cause(), None);
                    self.inner.feed(Input::ReadEnded(PIPE));
                }
                Incoming::Gone(error) => {
                    tracing::debug!(%error, "reading failed");
                    self.inner.ends_because(self.source.cause(), Some(Cause::new(error)));
                    self.inner.feed(Input::PeerGone(None));
                }
            }
        }
        Step::Enough
    }

    /// Writes what is waiting, all of it at once, and then closes if that is asked.
    fn write(&mut self, cx: &mut Cx<'_>) -> Step {
        while self.inner.agenda.has_output {
            let batch = self.inner.drive(|core| core.pipe().take());
            match self.sink.poll_write(cx, batch.frames()) {
                Poll::Ready(Ok(count)) => {
                    let was = std::mem::replace(&mut self.flow, Flow::Written);
                    self.wrote(batch, count, was);
                }
                Poll::Ready(Err(error)) => {
                    self.restore(batch);
                    return self.write_failed(error);
                }
                Poll::Pending => {
                    self.restore(batch);
                    return self.blocked();
                }
            }
        }
        match (self.inner.agenda.ending, self.flow) {
            (Some(exchange), _) => match self.sink.poll_close(cx) {
                Poll::Ready(Ok(())) => self.ended(exchange),
                Poll::Ready(Err(error)) => self.write_failed(error),
                Poll::Pending => self.blocked(),
            },
            (None, Flow::Flushed) => Step::Waiting,
            (None, Flow::Written | Flow::Blocked) => match self.sink.poll_flush(cx) {
                Poll::Ready(Ok(())) => {
                    let was = std::mem::replace(&mut self.flow, Flow::Flushed);
                    if was == Flow::Blocked {
                        self.inner.feed(Input::WriteReady);
                    }
                    Step::Waiting
                }
                Poll::Ready(Err(error)) => self.write_failed(error),
                Poll::Pending => self.blocked(),
            },
        }
    }

    fn wrote(&mut self, mut batch: Batch, count: usize, was: Flow) {
        let waited = (was == Flow::Blocked).then(|| self.inner.now());
        self.inner.drive(|core| {
            batch.advance(count, |kind| {
                if let FrameKind::Call(call) = kind {
                    core.engine.sent(CallId(call));
                }
            });
            core.pipe().restore(batch);
            if let Some(now) = waited {
                core.feed(now, Input::WriteReady, &Current::Nothing);
            }
            core.wrote();
        });
    }

    fn restore(&mut self, batch: Batch) {
        self.inner.drive(|core| core.pipe().restore(batch));
    }

    fn ended(&mut self, exchange: ExchangeId) -> Step {
        let now = self.inner.now();
        self.inner.drive(|core| {
            core.ending = None;
            core.feed(now, Input::ExchangeClosed(exchange), &Current::Nothing);
        });
        Step::Again
    }

    fn blocked(&mut self) -> Step {
        if self.flow != Flow::Blocked {
            self.flow = Flow::Blocked;
            self.inner.feed(Input::WriteBlocked);
        }
        Step::Waiting
    }

    fn write_failed(&mut self, error: io::Error) -> Step {
        let is_peer = matches!(
            error.kind(),
            io::ErrorKind::BrokenPipe
                | io::ErrorKind::ConnectionReset
                | io::ErrorKind::ConnectionAborted
                | io::ErrorKind::NotConnected
        );
        tracing::debug!(%error, "writing failed");
        let error = Arc::new(error);
        self.inner.ends_because(self.source.cause(), Some(Arc::clone(&error).into()));
        self.failure = (!is_peer).then_some(error);
        self.flow = Flow::Flushed;
        let failure = if is_peer { WriteFailure::Broken } else { WriteFailure::Local };
        let now = self.inner.now();
        self.inner.drive(|core| {
            core.ending = None;
            core.feed(now, Input::WriteFailed(failure), &Current::Nothing);
        });
        Step::Again
    }

    /// Sleeps until the engine's deadline.
    fn wait(&mut self, cx: &mut Cx<'_>) -> Step {
        let Some(deadline) = self.inner.agenda.deadline else { return Step::Waiting };
        if !self.alarm.is_set_by(deadline) {
            let now = self.inner.refresh();
            self.alarm.set(now, deadline);
            // From now on it may go off earlier, and the first time it has no bell yet.
            self.ears.iter_mut().for_each(|ears| ears.alarm.poll_anyway());
        }
        let goes_off = match &mut self.ears {
            Some(ears) => ears.alarm.poll(cx, |cx| self.alarm.poll(cx)),
            None => self.alarm.poll(cx),
        };
        if goes_off.is_ready() {
            self.inner.refresh();
            self.inner.feed(Input::Timeout);
            return Step::Again;
        }
        Step::Waiting
    }

    fn report(&mut self) -> Result<Report, RunError> {
        let elapsed = self.inner.refresh().since_start();
        let report = self.inner.drive(|core| core.make_report(elapsed));
        let report = Arc::unwrap_or_clone(report);
        match self.failure.take() {
            Some(cause) => Err(RunError { report: Box::new(report), cause }),
            None => Ok(report),
        }
    }
}

impl<S: Service, T: Transport> Future for Driver<S, T> {
    type Output = Result<Report, RunError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Cx<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        this.inner.turn();
        this.inner.register(cx);
        loop {
            // Input first, so that everything it leads to goes out in one write; the clock last, so that what was
            // ready in time counts as in time.
            let read = this.read(cx);
            this.inner.start_queued();
            this.inner.deliver(cx);
            let wrote = this.write(cx);
            this.inner.rest.reap(cx);
            if this.inner.agenda.finished.is_some() {
                return Poll::Ready(this.report());
            }
            let waited = this.wait(cx);
            if read == Step::Enough {
                // Others get their turn.
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            let agenda = this.inner.agenda;
            let may_read = agenda.wants_read && read == Step::Unwanted;
            let is_moving = agenda.has_output && this.flow != Flow::Blocked;
            let again = wrote == Step::Again || waited == Step::Again;
            if !(again || may_read || is_moving || agenda.has_starts) {
                return Poll::Pending;
            }
        }
    }
}

impl<S, T: Transport> Unpin for Driver<S, T> {}

impl<S, T: Transport> std::fmt::Debug for Driver<S, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Driver").field("flow", &self.flow).finish_non_exhaustive()
    }
}
