//! The mutexed core: the engine, the buffer of what is to be written, and whoever waits for either.
//!
//! Handles, handlers and the driver all lock it for as long as it takes to tell the engine one thing and to carry its
//! outputs out. Nothing is awaited and nobody is woken while it is locked.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::Duration;

use mcp_types::jsonrpc::{Id, Malformed};
use tokio::task::AbortHandle;

use crate::cause::{Cause, FrameTooLarge};
use crate::clock::Clock;
use crate::engine::{Config, Engine, ExchangeId, Input, Moment, Origin, Reason, Report, Served, Wants};
use crate::framing::Outgoing;
use crate::limits::Limits;
use crate::line::Line;
use crate::numbered::Numbered;
use crate::service::{Answer, Note};
use crate::tasks::outcome_of;

mod inbound;
mod outbound;
mod outbox;
mod pump;
mod queue;
mod slots;
mod wakers;

pub(crate) use inbound::frame_of;
use outbox::Outboxes;
pub(crate) use outbox::{Found, Reader, Unstored};
pub(crate) use pump::Current;
use queue::Queue;
pub(crate) use slots::{CallSlot, Inbox, Waiting};
use wakers::{Waiters, Wakers};

/// The exchange of a byte stream.
pub(crate) const PIPE: ExchangeId = ExchangeId(0);

#[derive(Debug)]
pub(crate) struct Shared {
    core: Mutex<Core>,
    clock: Arc<dyn Clock>,
    /// What the engine goes by, where no lock is needed to know it.
    config: Arc<Config>,
}

#[derive(Debug)]
pub(crate) struct Core {
    pub(crate) engine: Engine,
    /// What waits to be written to a pipe. A session of many streams has none.
    outgoing: Option<Box<Outgoing>>,
    pub(crate) calls: Numbered<CallSlot>,
    pub(crate) notes: Line<Note>,
    /// Requests that wait for their turn.
    pub(crate) queue: Queue,
    /// What is to be done at once about the frame that was just fed.
    pub(crate) arrived: Option<Arrived>,
    pub(crate) deadline: Option<Moment>,
    /// The exchange that is to be flushed and closed.
    pub(crate) ending: Option<ExchangeId>,
    pub(crate) finished: Option<Reason>,
    pub(crate) report: Option<Arc<Report>>,
    /// What stands behind the end, as far as it is known.
    pub(crate) cause: Option<Cause>,
    handlers: BTreeMap<Served, AbortHandle>,
    batches: BTreeMap<ExchangeId, Vec<u8>>,
    next_exchange: u32,
    /// What goes out on exchanges that are no pipe.
    pub(crate) outboxes: Outboxes,
    server_info: Option<Arc<[u8]>>,
    // Whoever waits.
    pub(crate) driver: Option<Waker>,
    /// When the driver wakes by itself, if it wants to be woken only when there is something to do for it.
    pub(crate) alarm: Option<Alarm>,
    room: Waiters,
    enders: Waiters,
    wakers: Wakers,
}

/// When a driver that others do the work for wakes by itself: never, or at that moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Alarm(pub(crate) Option<Moment>);

/// What is to be done at once about a frame.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Arrived {
    /// It is a request that may start.
    Request(Served),
    /// It is a notification for the service.
    Note,
}

impl Shared {
    pub(crate) fn new(engine: Engine, clock: Arc<dyn Clock>) -> Self {
        let config = Arc::clone(engine.config());
        let core = Core {
            engine,
            outgoing: None,
            calls: Numbered::default(),
            notes: Line::default(),
            queue: Queue::default(),
            arrived: None,
            deadline: None,
            ending: None,
            finished: None,
            report: None,
            cause: None,
            handlers: BTreeMap::new(),
            batches: BTreeMap::new(),
            next_exchange: PIPE.0 + 1,
            outboxes: Outboxes::default(),
            server_info: None,
            driver: None,
            alarm: None,
            room: Waiters::default(),
            enders: Waiters::default(),
            wakers: Wakers::default(),
        };
        Self { core: Mutex::new(core), clock, config }
    }

    /// The limits of the session.
    pub(crate) fn limits(&self) -> &Limits {
        &self.config.limits
    }

    pub(crate) fn now(&self) -> Moment {
        self.clock.now()
    }

    /// Looks at the core, or registers a waker in it.
    pub(crate) fn look<R>(&self, look: impl FnOnce(&mut Core) -> R) -> R {
        look(&mut self.lock())
    }

    /// Does something to the core from within the driver, which goes on anyway.
    pub(crate) fn drive<R>(&self, act: impl FnOnce(&mut Core) -> R) -> R {
        let mut core = self.lock();
        let result = act(&mut core);
        Self::unlock_and_wake(core);
        result
    }

    /// The same, and writes down what there is to do next. It is written where it stays: to hand it around as a value
    /// takes 40 instructions more each time.
    pub(crate) fn drive_by<R>(&self, agenda: &mut Agenda, act: impl FnOnce(&mut Core) -> R) -> R {
        let mut core = self.lock();
        let result = act(&mut core);
        core.write_agenda(agenda);
        Self::unlock_and_wake(core);
        result
    }

    /// Does something to the core from anywhere else, and wakes the driver.
    pub(crate) fn act<R>(&self, act: impl FnOnce(&mut Core) -> R) -> R {
        let mut core = self.lock();
        let result = act(&mut core);
        if core.alarm.is_none() {
            let driver = core.driver.take();
            core.wakers.push(driver);
        }
        Self::unlock_and_wake(core);
        result
    }

    // A panic under the lock leaves the core in order: the engine's state is changed in steps that do not call out.
    #[inline]
    fn lock(&self) -> MutexGuard<'_, Core> {
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[inline]
    fn unlock_and_wake(core: MutexGuard<'_, Core>) {
        // Mostly there is nobody to wake, which takes no call to see.
        if core.alarm.is_some() || !core.wakers.is_empty() {
            Self::unlock_and_wake_those_who_wait(core);
        }
    }

    fn unlock_and_wake_those_who_wait(mut core: MutexGuard<'_, Core>) {
        if core.alarm.is_some_and(|alarm| core.has_work_for_driver(alarm)) {
            let driver = core.driver.take();
            core.wakers.push(driver);
        }
        let wakers = std::mem::take(&mut core.wakers);
        drop(core);
        wakers.wake();
    }
}

/// What a driver may have to do next.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Agenda {
    pub(crate) wants_read: bool,
    pub(crate) has_output: bool,
    pub(crate) has_starts: bool,
    pub(crate) has_notes: bool,
    pub(crate) ending: Option<ExchangeId>,
    pub(crate) deadline: Option<Moment>,
    pub(crate) finished: Option<Reason>,
}

impl Core {
    fn write_agenda(&self, agenda: &mut Agenda) {
        agenda.wants_read = self.engine.wants_read();
        agenda.has_output = self.outgoing.as_ref().is_some_and(|outgoing| !outgoing.is_empty());
        agenda.has_starts = self.queue.has_starts();
        agenda.has_notes = !self.notes.is_empty();
        agenda.ending = self.ending;
        agenda.deadline = self.deadline;
        agenda.finished = self.finished;
    }

    /// What waits to be written to the pipe.
    pub(crate) fn pipe(&mut self) -> &mut Outgoing {
        self.outgoing.get_or_insert_with(Box::default)
    }

    /// How many bytes wait to be written to the pipe, or are being written.
    fn unwritten(&self) -> usize {
        self.outgoing.as_ref().map_or(0, |outgoing| outgoing.len())
    }

    /// Whoever changes this wakes the driver.
    pub(crate) fn driven_by(&mut self, waker: &Waker) {
        if self.driver.as_ref().is_none_or(|driver| !driver.will_wake(waker)) {
            self.driver = Some(waker.clone());
        }
    }

    /// Tells the engine what happened and carries out what follows.
    pub(crate) fn feed(&mut self, now: Moment, input: Input, current: &Current<'_>) {
        self.engine.handle(now, input);
        self.pump(now, current);
    }

    /// Tells the engine of a frame that was discarded for its size. When it ends the session, it is the cause.
    pub(crate) fn too_large(&mut self, now: Moment, malformed: Malformed, what: FrameTooLarge) {
        let before = self.cause.replace(Cause::new(what));
        self.feed(now, Input::Malformed(PIPE, malformed), &Current::Nothing);
        if before.is_some() || self.engine.reason().is_none_or(|(reason, _)| reason != Reason::FrameTooLarge) {
            self.cause = before;
        }
    }

    /// The exchange for a batch that has arrived.
    pub(crate) fn open_batch(&mut self) -> ExchangeId {
        let id = self.next_exchange();
        self.batches.insert(id, Vec::new());
        id
    }

    /// A name for an exchange that is about to be opened.
    pub(crate) fn next_exchange(&mut self) -> ExchangeId {
        let id = ExchangeId(self.next_exchange);
        self.next_exchange = self.next_exchange.wrapping_add(1).max(PIPE.0 + 1);
        id
    }

    /// Whether a driver that sleeps until its alarm is needed before.
    pub(crate) fn has_work_for_driver(&self, alarm: Alarm) -> bool {
        let is_due = match (self.deadline, alarm.0) {
            (Some(deadline), Some(alarm)) => deadline < alarm,
            (deadline, None) => deadline.is_some(),
            (None, Some(_)) => false,
        };
        let has_work = !self.notes.is_empty() || self.queue.has_starts() || self.outboxes.has_unstored();
        is_due || has_work || self.finished.is_some()
    }

    /// Takes note of the task that runs a handler, unless the request was cancelled meanwhile: then the task ends.
    pub(crate) fn handled_by(&mut self, served: Served, task: AbortHandle) {
        if self.engine.is_serving(served) {
            self.handlers.insert(served, task);
        } else {
            task.abort();
        }
    }

    /// Wakes `waker` when there is room for what this origin sends, if there is none now.
    pub(crate) fn wait_for_room(&mut self, origin: Origin, waker: &Waker) -> bool {
        let waiting = self.unwritten() + self.outboxes.waiting(|| self.engine.way_of_origin(origin));
        let waits = waiting > self.engine.limits().unwritten_notes && !self.engine.state().is_closed();
        if waits {
            self.room.push(waker.clone());
        }
        waits
    }

    /// Wakes `waker` when the run has ended, unless it has.
    pub(crate) fn wait_for_report(&mut self, waker: &Waker) -> Option<Arc<Report>> {
        if self.report.is_none() {
            self.enders.push(waker.clone());
        }
        self.report.clone()
    }

    /// Some of what waited was written.
    pub(crate) fn wrote(&mut self) {
        let answers = self.pipe().unwritten_answers();
        self.engine.unwritten_answers(answers);
        if !self.room.is_empty() && self.unwritten() <= self.engine.limits().unwritten_notes / 2 {
            self.wakers.append(&mut self.room);
        }
    }

    /// Somebody has taken some of what waited on an exchange. Whoever waits for room looks again.
    fn made_room(&mut self) {
        if !self.room.is_empty() {
            self.wakers.append(&mut self.room);
        }
    }

    /// The report of the run as it stands.
    pub(crate) fn make_report(&mut self, elapsed: Duration) -> Arc<Report> {
        // A call that has settled is not pending, even if nobody has taken its result yet.
        let pending = self.calls.iter().filter(|(_, slot)| slot.outcome.is_none()).count();
        let report = Arc::new(self.engine.report(elapsed, pending));
        self.report = Some(Arc::clone(&report));
        self.wakers.append(&mut self.enders);
        self.wakers.append(&mut self.room);
        report
    }
}

impl Core {
    /// A handler has ended: its answer goes where the engine says. `None` when it panicked or vanished.
    pub(crate) fn finish(&mut self, now: Moment, served: Served, id: &Id, answer: Option<Answer>) {
        let was_serving = self.engine.is_serving(served);
        let verdict = self.engine.finish(now, served, outcome_of(answer.as_ref()));
        if let Some(answer) = answer {
            self.answer(verdict, id, &answer);
        }
        self.pump(now, &Current::Nothing);
        if !was_serving {
            // It was cancelled while it ran, and is gone now.
            self.feed(now, Input::Gone(served), &Current::Nothing);
        }
    }
}

impl Core {
    /// A request has become a listen: its acknowledgement goes out first.
    pub(crate) fn listen(&mut self, now: Moment, served: Served, wants: Wants, acknowledged: &[u8]) {
        let verdict = self.engine.listen(now, served, wants);
        self.note(verdict, mcp_types::method::NOTIFICATIONS_SUBSCRIPTIONS_ACKNOWLEDGED, Some(acknowledged));
        self.pump(now, &Current::Nothing);
    }
}
