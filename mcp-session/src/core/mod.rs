//! The mutexed core: the engine, the buffer of what is to be written, and whoever waits for either.
//!
//! Handles, handlers and the driver all lock it for as long as it takes to tell the engine one thing and to carry its
//! outputs out. Nothing is awaited and nobody is woken while it is locked.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::Duration;

use mcp_types::jsonrpc::Id;
use tokio::task::AbortHandle;

use crate::clock::Clock;
use crate::engine::{CallId, Changes, Engine, ExchangeId, Input, Moment, Reason, Report, Served};
use crate::framing::Outgoing;
use crate::service::{Answer, Note};
use crate::tasks::outcome_of;

mod inbound;
mod outbound;
mod pump;
mod slots;

pub(crate) use inbound::frame_of;
pub(crate) use pump::Current;
pub(crate) use slots::CallSlot;

/// The exchange of a byte stream.
pub(crate) const PIPE: ExchangeId = ExchangeId(0);

#[derive(Debug)]
pub(crate) struct Shared {
    core: Mutex<Core>,
    clock: Arc<dyn Clock>,
}

#[derive(Debug)]
pub(crate) struct Core {
    pub(crate) engine: Engine,
    pub(crate) outgoing: Outgoing,
    pub(crate) calls: BTreeMap<CallId, CallSlot>,
    pub(crate) notes: VecDeque<Note>,
    /// Requests that may start now, with their frames: they waited in the queue.
    pub(crate) starts: VecDeque<(Served, Box<[u8]>)>,
    /// The request of the frame that was just fed, when it may start.
    pub(crate) started: Option<Served>,
    pub(crate) deadline: Option<Moment>,
    /// The exchange that is to be flushed and closed.
    pub(crate) ending: Option<ExchangeId>,
    pub(crate) finished: Option<Reason>,
    pub(crate) report: Option<Arc<Report>>,
    queued: BTreeMap<Served, Box<[u8]>>,
    handlers: BTreeMap<Served, AbortHandle>,
    batches: BTreeMap<ExchangeId, Vec<u8>>,
    next_batch: u32,
    server_info: Option<Box<[u8]>>,
    // Whoever waits.
    pub(crate) driver: Option<Waker>,
    room: Vec<Waker>,
    enders: Vec<Waker>,
    wakers: Vec<Waker>,
}

impl Shared {
    pub(crate) fn new(engine: Engine, clock: Arc<dyn Clock>) -> Self {
        let core = Core {
            engine,
            outgoing: Outgoing::new(),
            calls: BTreeMap::new(),
            notes: VecDeque::new(),
            starts: VecDeque::new(),
            started: None,
            deadline: None,
            ending: None,
            finished: None,
            report: None,
            queued: BTreeMap::new(),
            handlers: BTreeMap::new(),
            batches: BTreeMap::new(),
            next_batch: PIPE.0 + 1,
            server_info: None,
            driver: None,
            room: Vec::new(),
            enders: Vec::new(),
            wakers: Vec::new(),
        };
        Self { core: Mutex::new(core), clock }
    }

    pub(crate) fn now(&self) -> Moment {
        self.clock.now()
    }

    /// Looks at the core, or registers a waker in it.
    pub(crate) fn look<R>(&self, look: impl FnOnce(&mut Core) -> R) -> R {
        look(&mut self.lock())
    }

    /// Does something to the core from within the driver, which goes on anyway, and says what there is to do next.
    pub(crate) fn drive<R>(&self, act: impl FnOnce(&mut Core) -> R) -> (R, Agenda) {
        let mut core = self.lock();
        let result = act(&mut core);
        let agenda = core.agenda();
        Self::unlock_and_wake(core);
        (result, agenda)
    }

    /// Does something to the core from anywhere else, and wakes the driver.
    pub(crate) fn act<R>(&self, act: impl FnOnce(&mut Core) -> R) -> R {
        let mut core = self.lock();
        let result = act(&mut core);
        let driver = core.driver.take();
        core.wakers.extend(driver);
        Self::unlock_and_wake(core);
        result
    }

    // A panic under the lock leaves the core in order: the engine's state is changed in steps that do not call out.
    fn lock(&self) -> MutexGuard<'_, Core> {
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn unlock_and_wake(mut core: MutexGuard<'_, Core>) {
        if core.wakers.is_empty() {
            return;
        }
        let wakers = std::mem::take(&mut core.wakers);
        drop(core);
        wakers.into_iter().for_each(Waker::wake);
    }
}

/// What a driver may have to do next.
#[derive(Clone, Copy, Debug)]
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
    fn agenda(&self) -> Agenda {
        Agenda {
            wants_read: self.engine.wants_read(),
            has_output: !self.outgoing.is_empty(),
            has_starts: !self.starts.is_empty(),
            has_notes: !self.notes.is_empty(),
            ending: self.ending,
            deadline: self.deadline,
            finished: self.finished,
        }
    }

    /// Tells the engine what happened and carries out what follows.
    pub(crate) fn feed(&mut self, now: Moment, input: Input, current: &Current<'_>) {
        self.engine.handle(now, input);
        self.pump(now, current);
    }

    /// The exchange for a batch that has arrived.
    pub(crate) fn open_batch(&mut self) -> ExchangeId {
        let id = ExchangeId(self.next_batch);
        self.next_batch = self.next_batch.wrapping_add(1).max(PIPE.0 + 1);
        self.batches.insert(id, Vec::new());
        id
    }

    /// Takes note of the task that runs a handler, unless the request was cancelled meanwhile: then the task ends.
    pub(crate) fn handled_by(&mut self, served: Served, task: AbortHandle) {
        if self.engine.is_serving(served) {
            self.handlers.insert(served, task);
        } else {
            task.abort();
        }
    }

    /// Wakes `waker` when there is room for notifications, if there is none now.
    pub(crate) fn wait_for_room(&mut self, waker: &Waker) -> bool {
        let waits = self.outgoing.len() > self.engine.limits().unwritten_notes && !self.engine.state().is_closed();
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
        self.engine.unwritten_answers(self.outgoing.unwritten_answers());
        if !self.room.is_empty() && self.outgoing.len() <= self.engine.limits().unwritten_notes / 2 {
            self.wakers.append(&mut self.room);
        }
    }

    /// The report of the run as it stands.
    pub(crate) fn make_report(&mut self, elapsed: Duration) -> Arc<Report> {
        // A call that has settled is not pending, even if nobody has taken its result yet.
        let pending = self.calls.values().filter(|slot| slot.outcome.is_none()).count();
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
    pub(crate) fn listen(&mut self, now: Moment, served: Served, wants: Changes, acknowledged: &[u8]) {
        let verdict = self.engine.listen(now, served, wants);
        self.note(verdict, mcp_types::method::NOTIFICATIONS_SUBSCRIPTIONS_ACKNOWLEDGED, Some(acknowledged));
        self.pump(now, &Current::Nothing);
    }
}
