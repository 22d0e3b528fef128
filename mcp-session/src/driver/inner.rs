//! What every driver does with a frame, whatever it came over.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::{Context as Cx, Poll, Waker};
use std::time::Duration;

use mcp_types::jsonrpc::{Batch, Fault, Id, Malformed, Message, Request, ScanLimits, Scanned, Subject, scan};

use crate::cause::{Cause, FrameTooLarge};
use crate::context::Context;
use crate::core::{Agenda, Arrived, Core, Current, PIPE, Shared, frame_of};
use crate::engine::{ExchangeId, ExchangeKind, Input, Moment, Principal, Served};
use crate::peer::Peer;
use crate::service::{Answer, Answering, HandlerFuture, NoteFuture, Service};
use crate::tasks::{TaskSet, poll_guarded};
use crate::transport::TooLarge;

pub(super) struct Inner<S> {
    shared: Arc<Shared>,
    service: Arc<S>,
    peer: Peer,
    pub(super) tasks: TaskSet,
    note: Option<NoteFuture>,
    scan: ScanLimits,
    pub(super) frames_per_turn: usize,
    slow_poll: Duration,
    /// What time it is in this turn.
    pub(super) now: Moment,
    /// What there was to do when the core was last locked. Whoever changed it since has woken us.
    pub(super) agenda: Agenda,
}

impl<S> Inner<S> {
    pub(super) fn drive<R>(&mut self, act: impl FnOnce(&mut Core) -> R) -> R {
        let (result, agenda) = self.shared.drive(act);
        self.agenda = agenda;
        result
    }

    /// Tells the engine what happened.
    pub(super) fn feed(&mut self, input: Input) {
        let now = self.now;
        self.drive(|core| core.feed(now, input, &Current::Nothing));
    }

    /// Takes note of what stands behind an end that is about to be told: what the source knows, else what was seen
    /// first.
    pub(super) fn ends_because(&mut self, named: Option<Cause>, seen: Option<Cause>) {
        self.drive(|core| core.cause = named.or_else(|| core.cause.take()).or(seen));
    }

    /// Looks at the clock.
    pub(super) fn refresh(&mut self) -> Moment {
        self.now = self.shared.now();
        self.now
    }

    /// Whoever changes the core wakes us from now on.
    pub(super) fn register(&mut self, cx: &Cx<'_>) {
        self.drive(|core| {
            if core.driver.as_ref().is_none_or(|waker| !waker.will_wake(cx.waker())) {
                core.driver = Some(cx.waker().clone());
            }
        });
    }
}

impl<S: Service> Inner<S> {
    pub(super) fn new(shared: Arc<Shared>, service: Arc<S>, peer: Peer) -> Self {
        let (limits, agenda) = shared.drive(|core| core.engine.limits().clone());
        let scan = ScanLimits::default().with_depth(limits.depth).with_id_len(limits.id).with_method_len(limits.method);
        Self {
            shared,
            service,
            peer,
            tasks: TaskSet::default(),
            note: None,
            scan,
            frames_per_turn: limits.frames_per_turn,
            slow_poll: limits.slow_poll,
            now: Moment::default(),
            agenda,
        }
    }

    /// A whole frame.
    pub(super) fn frame(&mut self, frame: &[u8]) {
        match scan(frame, &self.scan) {
            Ok(Scanned::Message(message)) => self.message(PIPE, &message, frame),
            Ok(Scanned::Batch(batch)) => self.batch(&batch),
            Err(malformed) => self.feed(Input::Malformed(PIPE, malformed)),
        }
    }

    /// What input ended with: a message all the same if it is a whole one.
    pub(super) fn tail(&mut self, frame: &[u8]) {
        if scan(frame, &self.scan).is_err_and(|malformed| malformed.fault == Fault::NotJson) {
            let malformed = Malformed::new(Fault::Truncated, Subject::Unknown, "input ended inside the message");
            self.feed(Input::Malformed(PIPE, malformed));
        } else {
            self.frame(frame);
        }
    }

    /// A frame that was discarded for its size.
    pub(super) fn too_large(&mut self, frame: &TooLarge) {
        let id = frame.id.as_deref().and_then(|raw| std::str::from_utf8(raw).ok()).and_then(Id::parse);
        let subject = match (frame.has_method, frame.has_id, frame.has_outcome) {
            (true, true, _) => Subject::Request,
            (true, false, _) => Subject::Notification,
            (false, _, true) => Subject::Response,
            (false, _, false) => Subject::Unknown,
        };
        let detail = format!("{} bytes, over the limit of {}", frame.size, frame.limit);
        let malformed = Malformed::new(Fault::TooLarge, subject, detail).with_id(id);
        let cause = FrameTooLarge { size: frame.size, limit: frame.limit };
        let now = self.now;
        self.drive(|core| core.too_large(now, malformed, cause));
    }

    fn message(&mut self, exchange: ExchangeId, message: &Message<'_>, raw: &[u8]) {
        let now = self.now;
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

    fn batch(&mut self, batch: &Batch<'_>) {
        let has_batches = self.peer.negotiated().is_some_and(|version| version.batches());
        if !has_batches || batch.is_empty() {
            let detail = if has_batches { "the batch is empty" } else { "this revision has no batches" };
            let malformed = Malformed::new(Fault::NotAMessage, Subject::Unknown, detail);
            return self.feed(Input::Malformed(PIPE, malformed));
        }
        let exchange = self.drive(Core::open_batch);
        self.feed(Input::Opened(exchange, ExchangeKind::Batch { via: PIPE }, Principal::default()));
        for element in batch {
            match scan(element.as_bytes(), &self.scan) {
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
            && let Some((served, frame)) = self.drive(|core| core.starts.pop_front())
        {
            // It was scanned when it arrived.
            if let Ok(Scanned::Message(Message::Request(request))) = scan(&frame, &self.scan) {
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
                let now = self.now;
                return self.drive(|core| core.listen(now, served, wants, &acknowledged));
            }
            Ok(Answering::Future(handler)) => match self.first_poll(served, &request.id, handler) {
                Poll::Ready(answer) => answer,
                Poll::Pending => return,
            },
        };
        let now = self.now;
        self.drive(|core| core.finish(now, served, &request.id, answer));
    }

    /// Polls a handler in place unless its kind is known to be slow; what is not ready gets a task.
    ///
    /// The waker of that first poll does nothing: a handler that is not ready is polled again by its task at once, and
    /// with the waker of that.
    fn first_poll(&mut self, served: Served, id: &Id, mut handler: HandlerFuture) -> Poll<Option<Answer>> {
        let is_slow = handler.pace.as_ref().is_some_and(|pace| pace.take_turn());
        if !is_slow {
            let poll = poll_guarded(&mut handler, &mut Cx::from_waker(Waker::noop()));
            if let Some(pace) = &handler.pace {
                let began = self.now;
                let took = self.refresh().since_start().saturating_sub(began.since_start());
                if took > self.slow_poll {
                    pace.mark_slow();
                } else {
                    pace.mark_fast();
                }
            }
            if let Poll::Ready(answer) = poll {
                return Poll::Ready(answer);
            }
        }
        let task = self.tasks.spawn(&self.shared, served, id.clone(), handler);
        self.drive(|core| core.handled_by(served, task));
        Poll::Pending
    }

    /// Tells the service of a notification that has arrived, whose callback may have to wait.
    fn hear(&self, method: &str, params: Option<&str>) {
        if catch_unwind(AssertUnwindSafe(|| self.service.heard(method, params))).is_err() {
            tracing::error!(method, "the service panicked as it heard of a notification");
        }
    }

    /// Runs the callbacks for notifications, one after the other.
    pub(super) fn deliver(&mut self, cx: &mut Cx<'_>) {
        loop {
            if self.note.is_none() {
                if !self.agenda.has_notes {
                    return;
                }
                let Some(note) = self.drive(|core| core.notes.pop_front()) else { return };
                match catch_unwind(AssertUnwindSafe(|| self.service.notified(note, &self.peer))) {
                    Ok(Some(callback)) => self.note = Some(callback),
                    Ok(None) => self.feed(Input::NoteDone { panicked: false }),
                    Err(_) => self.feed(Input::NoteDone { panicked: true }),
                }
            }
            let Some(callback) = &mut self.note else { continue };
            match catch_unwind(AssertUnwindSafe(|| callback.as_mut().poll(cx))) {
                Ok(Poll::Pending) => return,
                Ok(Poll::Ready(())) => self.feed(Input::NoteDone { panicked: false }),
                Err(_) => self.feed(Input::NoteDone { panicked: true }),
            }
            self.note = None;
        }
    }
}

impl<S> Drop for Inner<S> {
    fn drop(&mut self) {
        let elapsed = self.refresh().since_start();
        self.feed(Input::DriverGone);
        self.drive(|core| {
            if core.report.is_none() {
                core.make_report(elapsed);
            }
        });
    }
}
