//! What every driver does with a frame, whatever it came over.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::{Context as Cx, Poll, Waker};
use std::time::Duration;

use mcp_types::jsonrpc::{Batch, Fault, Id, Malformed, Message, Request, ScanLimits, Scanned, Subject, scan};

use crate::context::Context;
use crate::core::{Agenda, Arrived, Core, Current, Shared, frame_of};
use crate::engine::{ExchangeId, ExchangeKind, Input, Moment, Principal, Served};
use crate::limits::Limits;
use crate::service::{Answer, Answering, HandlerFuture, Service};
use crate::tasks::{Rest, poll_guarded};

/// One who hands frames to the engine, and requests to the service.
pub(super) struct Serving<S, R> {
    pub(super) shared: Arc<Shared>,
    pub(super) service: Arc<S>,
    /// Where handlers go that are not ready at once.
    pub(super) rest: R,
    rules: Rules,
    /// What time it is in this turn, once somebody has asked.
    now: Option<Moment>,
    /// What there was to do when the core was last locked. Whoever changed it since has woken us.
    pub(super) agenda: Agenda,
}

/// What of the limits counts for every frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    scan: ScanLimits,
    slow_poll: Duration,
}

impl Rules {
    pub(super) fn of(limits: &Limits) -> Self {
        let scan = ScanLimits::default().with_depth(limits.depth).with_id_len(limits.id).with_method_len(limits.method);
        Self { scan, slow_poll: limits.slow_poll }
    }
}

impl<S, R> Serving<S, R> {
    pub(super) fn new(shared: Arc<Shared>, service: Arc<S>, rest: R, rules: Rules) -> Self {
        Self { shared, service, rest, rules, now: None, agenda: Agenda::default() }
    }

    pub(super) fn drive<T>(&mut self, act: impl FnOnce(&mut Core) -> T) -> T {
        self.shared.drive_by(&mut self.agenda, act)
    }

    /// Tells the engine what happened.
    pub(super) fn feed(&mut self, input: Input) {
        let now = self.now();
        self.drive(|core| core.feed(now, input, &Current::Nothing));
    }

    /// Looks what there is to do.
    pub(super) fn look_ahead(&mut self) {
        self.drive(|_| ());
    }

    /// What time it is in this turn: one look at the clock, when there is anything that depends on it.
    pub(super) fn now(&mut self) -> Moment {
        *self.now.get_or_insert_with(|| self.shared.now())
    }

    /// Time has passed: the clock is looked at when it matters next.
    pub(super) const fn turn(&mut self) {
        self.now = None;
    }

    /// Looks at the clock.
    pub(super) fn refresh(&mut self) -> Moment {
        self.turn();
        self.now()
    }

    /// The session is driven no more, whether it has come to its end or not.
    pub(super) fn ends_driving(&mut self) {
        let elapsed = self.refresh().since_start();
        self.feed(Input::DriverGone);
        self.drive(|core| {
            if core.report.is_none() {
                core.make_report(elapsed);
            }
        });
    }

    /// Whoever changes the core wakes us from now on.
    pub(super) fn register(&mut self, cx: &Cx<'_>) {
        self.drive(|core| core.driven_by(cx.waker()));
    }
}

impl<S: Service, R: Rest> Serving<S, R> {
    /// A whole frame.
    pub(super) fn frame(&mut self, exchange: ExchangeId, frame: &[u8]) {
        // A message is large: it stays where it was put.
        match &scan(frame, &self.rules.scan) {
            Ok(Scanned::Message(message)) => self.message(exchange, message, frame),
            Ok(Scanned::Batch(batch)) => self.batch(exchange, batch),
            Err(malformed) => self.feed(Input::Malformed(exchange, malformed.clone())),
        }
    }

    /// What input ended with: a message all the same if it is a whole one.
    pub(super) fn tail(&mut self, exchange: ExchangeId, frame: &[u8]) {
        if scan(frame, &self.rules.scan).is_err_and(|malformed| malformed.fault == Fault::NotJson) {
            let malformed = Malformed::new(Fault::Truncated, Subject::Unknown, "input ended inside the message");
            self.feed(Input::Malformed(exchange, malformed));
        } else {
            self.frame(exchange, frame);
        }
    }

    pub(super) fn message(&mut self, exchange: ExchangeId, message: &Message<'_>, raw: &[u8]) {
        let now = self.now();
        let head = frame_of(message, raw.len());
        tracing::trace!(bytes = raw.len(), "frame in");
        let arrived = self.drive(|core| {
            core.feed(now, Input::Frame(exchange, head), &Current::Arrived(message, raw));
            core.arrived.take()
        });
        match (arrived, message) {
            (Some(Arrived::Request(served)), Message::Request(request)) => self.serve(served, request),
            (Some(Arrived::Note), Message::Notification(note)) => self.hear(&note.method, note.params.raw),
            _ => {}
        }
    }

    pub(super) fn batch(&mut self, via: ExchangeId, batch: &Batch<'_>) {
        let negotiated = self.shared.look(|core| core.engine.negotiated());
        let has_batches = negotiated.is_some_and(|version| version.batches());
        if !has_batches || batch.is_empty() {
            let detail = if has_batches { "the batch is empty" } else { "this revision has no batches" };
            let malformed = Malformed::new(Fault::NotAMessage, Subject::Unknown, detail);
            return self.feed(Input::Malformed(via, malformed));
        }
        let exchange = self.drive(Core::open_batch);
        self.feed(Input::Opened(exchange, ExchangeKind::Batch { via }, Principal::default()));
        for element in batch {
            match scan(element.as_bytes(), &self.rules.scan) {
                Ok(Scanned::Message(message)) => self.message(exchange, &message, element.as_bytes()),
                Ok(Scanned::Batch(_)) => {
                    let malformed = Malformed::new(Fault::NotAMessage, Subject::Unknown, "a batch inside a batch");
                    self.feed(Input::Malformed(exchange, malformed));
                }
                Err(malformed) => self.feed(Input::Malformed(exchange, malformed)),
            }
        }
        self.feed(Input::ReadEnded(exchange));
    }

    /// Starts requests whose turn has come.
    pub(super) fn start_queued(&mut self) {
        while self.agenda.has_starts
            && let Some((served, frame)) = self.drive(|core| core.queue.pop_start())
        {
            // It was scanned when it arrived.
            if let Ok(Scanned::Message(Message::Request(request))) = scan(&frame, &self.rules.scan) {
                self.serve(served, &request);
            }
        }
    }

    /// Hands a request to the service, and polls its handler once in place.
    fn serve(&mut self, served: Served, request: &Request<'_>) {
        let context = Context::new(Arc::clone(&self.shared), served);
        let answering = catch_unwind(AssertUnwindSafe(|| self.service.serve(request, context)));
        let answer = match answering {
            Err(_) => None,
            Ok(Answering::Ready(answer)) => Some(answer),
            Ok(Answering::Listen { wants, acknowledged }) => {
                let now = self.now();
                return self.drive(|core| core.listen(now, served, wants, &acknowledged));
            }
            Ok(Answering::Future(handler)) => match self.first_poll(served, &request.id, handler) {
                Poll::Ready(answer) => answer,
                Poll::Pending => return,
            },
        };
        let now = self.now();
        self.drive(|core| core.finish(now, served, &request.id, answer));
    }

    /// Polls a handler in place unless its kind is known to be slow; what is not ready gets a task.
    ///
    /// The waker of that first poll does nothing: a handler that is not ready is polled again by its task at once, and
    /// with the waker of that. What has no tasks is not polled here.
    fn first_poll(&mut self, served: Served, id: &Id, mut handler: HandlerFuture) -> Poll<Option<Answer>> {
        let is_slow = handler.pace.as_ref().is_some_and(|pace| pace.take_turn());
        if R::POLLS_FIRST && !is_slow {
            let began = self.now();
            let poll = poll_guarded(&mut handler, &mut Cx::from_waker(Waker::noop()));
            if let Some(pace) = &handler.pace {
                let took = self.refresh().since_start().saturating_sub(began.since_start());
                if took > self.rules.slow_poll {
                    pace.mark_slow();
                } else {
                    pace.mark_fast();
                }
            }
            if let Poll::Ready(answer) = poll {
                return Poll::Ready(answer);
            }
        }
        if let Some(task) = self.rest.keep(&self.shared, served, id, handler) {
            self.drive(|core| core.handled_by(served, task));
        }
        Poll::Pending
    }

    /// Tells the service of a notification that has arrived, whose callback may have to wait.
    fn hear(&self, method: &str, params: Option<&str>) {
        if catch_unwind(AssertUnwindSafe(|| self.service.heard(method, params))).is_err() {
            tracing::error!(method, "the service panicked as it heard of a notification");
        }
    }
}
