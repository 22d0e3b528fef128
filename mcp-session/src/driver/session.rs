//! A session that many messages come to, each with a way back of its own.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context as Cx, Poll};

use mcp_types::jsonrpc::{Id, Scanned};
use mcp_types::version::Version;
use tokio::task::AbortHandle;

use super::alarm::Alarm;
use super::log::{Appending, Log};
use super::notes::Notes;
use super::reply::ReplyStream;
use super::serving::{Rules, Serving};
use crate::core::{Alarm as WakesAt, Core, Current, Shared, Unstored};
use crate::engine::{By, Close, ExchangeId, ExchangeKind, Input, Origin, Principal, Report, Served, State};
use crate::peer::{Closed, Handle, Link, Peer};
use crate::service::{HandlerFuture, Service};
use crate::tasks::{Rest, TaskSet};

/// A session of a handshake over many streams: each delivery of messages has a stream of its own for what is said about
/// it, and there may be one for everything else. Cloning is cheap.
///
/// Handlers belong to the session and outlive the stream that their request came on.
pub struct StreamSession<S>(Arc<Hub<S>>);

/// What the deliveries of a session have in common with its run.
struct Hub<S> {
    shared: Arc<Shared>,
    service: Arc<S>,
    tasks: Mutex<TaskSet>,
    log: Option<Arc<dyn Log>>,
}

/// What a stream is for.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Delivery {
    /// Who speaks.
    pub principal: Principal,
    /// Whether its answer is all that it can carry.
    pub quiet: bool,
    /// Whether it is resumable from its first event on, even if there is nothing to say yet; for a session that has a
    /// log.
    pub primed: bool,
}

impl<S> Clone for StreamSession<S> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

/// The tasks of a session that many hand frames to.
struct Tasks<S>(Arc<Hub<S>>);

impl<S: Service> Rest for Tasks<S> {
    const POLLS_FIRST: bool = true;

    fn keep(&mut self, shared: &Arc<Shared>, served: Served, id: &Id, handler: HandlerFuture) -> Option<AbortHandle> {
        let mut tasks = self.0.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        // Nobody waits for them.
        tasks.reap_ended();
        tasks.keep(shared, served, id, handler)
    }
}

impl<S> Hub<S> {
    /// One who hands frames over, for as long as that takes.
    fn serving(hub: &Arc<Self>) -> Serving<S, Tasks<S>> {
        let rules = Rules::of(hub.shared.limits());
        Serving::new(Arc::clone(&hub.shared), Arc::clone(&hub.service), Tasks(Arc::clone(hub)), rules)
    }
}

impl<S: Service> StreamSession<S> {
    pub(super) fn open(shared: Arc<Shared>, service: Arc<S>, log: Option<Arc<dyn Log>>) -> (Self, SessionRun<S>) {
        // From now on the run is woken when there is something to do for it.
        shared.look(|core| core.alarm = Some(WakesAt(None)));
        let hub = Arc::new(Hub { shared, service, tasks: Mutex::default(), log });
        let run = SessionRun { hub: Arc::clone(&hub), notes: Notes::default(), alarm: Alarm::default(), storing: None };
        (Self(hub), run)
    }

    /// Takes a delivery: a message, or a batch of them. `frame` is the same as it came. What is said about it is read
    /// from the stream.
    pub fn post(&self, scanned: &Scanned<'_>, frame: &[u8], delivery: Delivery) -> ReplyStream {
        let kind = ExchangeKind::Post { stored: self.0.log.is_some() && !delivery.quiet };
        let is_primed = delivery.primed;
        let mut serving = Hub::serving(&self.0);
        let stream = self.opens(&mut serving, kind, delivery);
        match scanned {
            Scanned::Message(message) => serving.message(stream.exchange(), message, frame),
            Scanned::Batch(batch) => serving.batch(stream.exchange(), batch),
        }
        serving.feed(Input::ReadEnded(stream.exchange()));
        if matches!(kind, ExchangeKind::Post { stored: true }) {
            serving.drive(|core| core.outboxes.log(stream.exchange(), is_primed));
        }
        stream
    }

    /// Opens a stream for what belongs to no delivery. A stream that there was goes on until it is dropped.
    pub fn listen(&self, delivery: Delivery) -> ReplyStream {
        let kind = ExchangeKind::Stream { stored: self.0.log.is_some() };
        self.opens(&mut Hub::serving(&self.0), kind, delivery)
    }

    fn opens(&self, serving: &mut Serving<S, Tasks<S>>, kind: ExchangeKind, delivery: Delivery) -> ReplyStream {
        let now = serving.now();
        let is_logged = matches!(kind, ExchangeKind::Stream { stored: true });
        let is_stored = is_logged || matches!(kind, ExchangeKind::Post { stored: true });
        let (exchange, reader) = serving.drive(|core| {
            let exchange = core.next_exchange();
            let reader = core.outboxes.open(exchange, is_stored);
            core.feed(now, Input::Opened(exchange, kind, delivery.principal), &Current::Nothing);
            if delivery.quiet {
                core.engine.quiet(exchange);
            }
            if is_logged {
                core.outboxes.log(exchange, delivery.primed);
            }
            (exchange, reader)
        });
        ReplyStream::new(Arc::clone(&self.0.shared), exchange, reader)
    }
}

impl<S> StreamSession<S> {
    /// Takes a stream up again that was lost, or takes it over from whoever reads it. `None` when it has ended, or never
    /// was: then what is left of it is in the log.
    ///
    /// What went into the log before has to be read from there; what comes from the stream after it may have been read
    /// there, too, and is told by its place.
    #[must_use]
    pub fn attach(&self, exchange: ExchangeId) -> Option<ReplyStream> {
        let now = self.0.shared.now();
        let reader = self.0.shared.act(|core| core.attach(now, exchange))?;
        Some(ReplyStream::new(Arc::clone(&self.0.shared), exchange, reader))
    }

    /// Ends the session at the wish of the peer.
    pub fn delete(&self) -> Closed {
        let now = self.0.shared.now();
        self.0.shared.act(|core| core.feed(now, Input::Deleted, &Current::Nothing));
        self.link().closed()
    }

    /// Ends the session for a reason and within a time of the caller's.
    pub fn end(&self, how: Close, by: By) -> Closed {
        self.link().end(how, by)
    }

    /// A handle to it.
    #[must_use]
    pub fn handle(&self) -> Handle {
        Handle::new(Arc::clone(&self.0.shared))
    }

    /// The other side.
    #[must_use]
    pub fn peer(&self) -> Peer {
        Peer { shared: Arc::clone(&self.0.shared), origin: Origin::Own }
    }

    /// A link to it, to end it and to tell it of changes.
    #[must_use]
    pub fn link(&self) -> Link {
        Link::new(&self.0.shared)
    }

    /// Where it stands.
    #[must_use]
    pub fn state(&self) -> State {
        self.0.shared.look(|core| core.engine.state())
    }

    /// The revision that the handshake has agreed on, or is about to.
    #[must_use]
    pub fn negotiated(&self) -> Option<Version> {
        self.0.shared.look(|core| core.engine.negotiated())
    }

    /// Whether its streams can be resumed.
    #[must_use]
    pub fn is_logged(&self) -> bool {
        self.0.log.is_some()
    }
}

impl<S> std::fmt::Debug for StreamSession<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StreamSession").field("state", &self.state()).finish_non_exhaustive()
    }
}

/// What goes on in a session besides its deliveries: limits pass, notifications are handed to their callbacks, events
/// are put into the log. Resolves when the session has ended.
///
/// # Cancel safety
///
/// Dropping it ends the session at once.
#[must_use = "nothing happens unless it is polled"]
pub struct SessionRun<S> {
    hub: Arc<Hub<S>>,
    notes: Notes,
    alarm: Alarm,
    storing: Option<Box<(Unstored, Appending)>>,
}

impl<S: Service> SessionRun<S> {
    /// Puts what was said into the log, one after the other.
    fn store(&mut self, serving: &mut Serving<S, Tasks<S>>, cx: &mut Cx<'_>) {
        let Some(log) = &self.hub.log else { return };
        loop {
            if self.storing.is_none() {
                let Some(next) = serving.drive(Core::next_unstored) else { return };
                let appending = log.append(next.exchange, next.said.json.clone());
                self.storing = Some(Box::new((next, appending)));
            }
            let Some((_, appending)) = self.storing.as_deref_mut() else { return };
            let Poll::Ready(place) = appending.as_mut().poll(cx) else { return };
            if let Some(stored) = self.storing.take() {
                serving.drive(|core| core.stored(stored.0, place));
            }
        }
    }

    /// Sleeps until the engine's deadline. Whether it has passed.
    fn wait(&mut self, serving: &mut Serving<S, Tasks<S>>, cx: &mut Cx<'_>) -> bool {
        let Some(deadline) = serving.agenda.deadline else { return false };
        if !self.alarm.is_set_by(deadline) {
            let now = serving.refresh();
            self.alarm.set(now, deadline);
        }
        let goes_off = self.alarm.poll(cx).is_ready();
        if goes_off {
            serving.refresh();
            serving.feed(Input::Timeout);
        }
        goes_off
    }
}

impl<S: Service> Future for SessionRun<S> {
    type Output = Report;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Cx<'_>) -> Poll<Report> {
        let this = &mut *self;
        // Made for each poll: most of the time the run sleeps, and holds no more than it has to.
        let serving = &mut Hub::serving(&this.hub);
        serving.look_ahead();
        loop {
            serving.start_queued();
            this.notes.deliver(serving, cx);
            this.store(serving, cx);
            if serving.agenda.finished.is_some() {
                let elapsed = serving.refresh().since_start();
                let report = serving.drive(|core| core.make_report(elapsed));
                return Poll::Ready(Arc::unwrap_or_clone(report));
            }
            if this.wait(serving, cx) {
                continue;
            }
            let wakes_at = WakesAt(this.alarm.at());
            // Whoever came before this woke nobody, and is seen here.
            let has_more = serving.drive(|core| {
                let has_more = core.has_work_for_driver(wakes_at);
                core.alarm = Some(wakes_at);
                core.driven_by(cx.waker());
                has_more
            });
            // A callback or the log may be what it waits for.
            if !has_more || this.notes.is_busy() || this.storing.is_some() {
                return Poll::Pending;
            }
        }
    }
}

impl<S> Drop for SessionRun<S> {
    fn drop(&mut self) {
        Hub::serving(&self.hub).ends_driving();
    }
}

impl<S> Unpin for SessionRun<S> {}

impl<S> std::fmt::Debug for SessionRun<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SessionRun").finish_non_exhaustive()
    }
}
