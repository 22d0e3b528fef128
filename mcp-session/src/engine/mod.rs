//! The session engine: one pure, synchronous state machine that takes every decision about endings.
//!
//! It has no input or output of its own, no clock, no task, no lock and no channel, and it is deterministic. Whoever
//! drives it tells it what happened outside ([`Engine::handle`]) and what our side wants ([`Engine::call`],
//! [`Engine::finish`], [`Engine::notify`], [`Engine::close`], …), and **after each of these drains
//! [`Engine::poll_output`] until it says [`Output::Wait`]**. Acting on an output late means acting on it wrongly; in
//! debug builds the engine panics when an input comes before the outputs of the last one were taken.
//!
//! What happens at an ending is not written in these files but in the rows of [`Table`]: an event, the facts that hold
//! when it happens, and the acts that follow. The files here say what an act does (`halves`, `serving`, `calls`,
//! `exchanges`, `listens`), which facts hold (each where its state is), and nothing about when.
//!
//! The module is public so that transports, drivers and tests can be written against it. It is not covered by any
//! promise of stability.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use mcp_types::jsonrpc::Id;
use mcp_types::version::Version;

pub use self::event::{Act, Event, No, NoCall, Takes, Why};
pub use self::facts::Facts;
pub use self::io::{
    By, CallId, CallRefused, CallSpec, Claim, Close, Delivery, ErrorId, ExchangeId, ExchangeKind, Frame, Head, Input,
    MethodKind, Moment, Origin, Outcome, Output, Principal, Progress, Refusal, RequestHead, Served, Settled, Verdict,
    WriteFailure,
};
pub use self::report::{CutOff, Dropped, Reason, Report, Tally};
pub use self::rule::{Keeper, Rule};
pub use self::table::{Row, Table};
pub use self::wants::{Change, Changes, TooMany, Wants};
use crate::few::Few;
use crate::limits::Limits;
use crate::line::Line;
use crate::numbered::Numbered;

mod calls;
mod event;
mod exchanges;
mod facts;
mod fingerprint;
mod fire;
mod halves;
mod io;
mod listens;
mod report;
mod rule;
mod serving;
mod table;
mod timers;
mod wants;

/// Which side of the protocol this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Role {
    /// The side that offers tools.
    Server,
    /// The side that calls them.
    Client,
}

/// What happens to requests in flight when the peer has said all it will say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AtReadEnd {
    /// They run to their end and are answered: the peer may still read.
    Drain,
    /// They are cancelled.
    Cancel,
}

/// Whether a peer that has said all it will say can still read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PeerAtReadEnd {
    /// It can: its two halves end separately.
    Reads,
    /// It cannot: the end of its one half is the end of it.
    IsGone,
}

/// When a write that makes no progress means that nobody is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StallCounts {
    /// From the start, as on a network.
    Always,
    /// Only once the session is ending: before that the peer may just be suspended.
    WhenEnding,
}

/// What an engine is made from.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Config {
    /// Which side this is.
    pub role: Role,
    /// The policy at read end. A client always cancels what it serves.
    pub at_read_end: AtReadEnd,
    /// Whether the peer can still read then. A transport says so.
    pub peer_at_read_end: PeerAtReadEnd,
    /// When a stalled write counts.
    pub stall: StallCounts,
    /// The limits.
    pub limits: Limits,
    /// How long the session may be idle, with nothing in flight and no stream open. `None` for ever.
    pub expires: Option<Duration>,
    /// The closing table: another one than the standard one makes a mutant.
    pub table: Arc<Table>,
}

impl Config {
    /// A session of this role with default limits that cancels at read end.
    #[must_use]
    pub fn new(role: Role) -> Self {
        Self {
            role,
            at_read_end: AtReadEnd::Cancel,
            peer_at_read_end: PeerAtReadEnd::Reads,
            stall: StallCounts::WhenEnding,
            limits: Limits::default(),
            expires: None,
            table: Table::standard(),
        }
    }

    /// The same, for a session that ends when it is idle for so long: nobody tells when its client is gone.
    #[must_use]
    pub fn with_expiry(mut self, idle: Duration) -> Self {
        self.expires = Some(idle);
        self
    }

    /// The same with this policy at read end.
    #[must_use]
    pub fn with_at_read_end(mut self, policy: AtReadEnd) -> Self {
        self.at_read_end = policy;
        self
    }

    /// The same with these limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The same with a peer that does this.
    #[must_use]
    pub fn with_peer_at_read_end(mut self, peer: PeerAtReadEnd) -> Self {
        self.peer_at_read_end = peer;
        self
    }

    /// The same with stalled writes that count like this.
    #[must_use]
    pub fn with_stall(mut self, stall: StallCounts) -> Self {
        self.stall = stall;
        self
    }

    /// The same with this closing table.
    #[must_use]
    pub fn with_table(mut self, table: Arc<Table>) -> Self {
        self.table = table;
        self
    }
}

/// The session engine. See the [module documentation](self).
#[derive(Clone, Debug)]
pub struct Engine {
    config: Arc<Config>,
    now: Moment,
    // The halves and the ending: `halves.rs`.
    read: Read,
    write: Write,
    /// Bytes wait, and the transport takes none. It can be so while the write half is being closed, too.
    stuck: bool,
    draining: bool,
    noted: Option<(Reason, Option<i32>)>,
    closing: bool,
    awaiting: bool,
    over: Option<Reason>,
    announced: bool,
    // Exchanges: `exchanges.rs`.
    exchanges: Few<ExchangeId, exchanges::Exchange>,
    single: Option<ExchangeId>,
    // What is served: `serving.rs`.
    served: Few<u64, serving::ServedState>,
    ids: Few<(Id, ExchangeId), u64>,
    queue: VecDeque<u64>,
    running: usize,
    held: usize,
    next_served: u64,
    dying: BTreeMap<u64, CutOff>,
    handshake: Handshake,
    modern_seen: bool,
    peer_modern: bool,
    // Calls: `calls.rs`.
    calls: Numbered<calls::CallState>,
    /// No call has a limit that passes before; the moment may be too early.
    calls_due: Option<Moment>,
    calls_sent: usize,
    next_call: u64,
    // Listens and changes: `listens.rs`.
    listening: usize,
    /// The session of the legacy handshake, as one who listens. None while it has subscribed to nothing and has been told
    /// everything.
    legacy: Option<Box<listens::Listener>>,
    /// Subscriptions to resources, of all who listen.
    subscriptions: usize,
    // Flow.
    unwritten_answers: usize,
    reading_stopped: bool,
    inbox: usize,
    // Time: `timers.rs`.
    /// When a session that is idle now has been idle for too long.
    expires_at: Option<Moment>,
    timers: BTreeSet<(Moment, timers::Timer)>,
    outputs: Line<Output>,
    tally: Tally,
    reached: u128,
}

/// The read half.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Read {
    Open,
    Ended,
}

/// The write half.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Write {
    Open,
    Blocked,
    /// Being flushed and closed.
    Closing,
    Failed,
}

/// The legacy handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Handshake {
    Fresh,
    /// An `initialize` is being answered.
    Answering(u64, Version),
    Done(Version),
}

/// A truthful word on where a session stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum State {
    /// Both halves are open.
    Open,
    /// Requests in flight run to their end; the session closes after them.
    Draining,
    /// The session has come to its end.
    Closed(Reason),
}

impl State {
    /// Whether the session has come to its end.
    #[must_use]
    pub const fn is_closed(self) -> bool {
        matches!(self, Self::Closed(_))
    }
}

impl Engine {
    /// An engine that has no exchange yet.
    #[must_use]
    pub fn new(config: impl Into<Arc<Config>>) -> Self {
        Self {
            config: config.into(),
            now: Moment::default(),
            read: Read::Open,
            write: Write::Open,
            stuck: false,
            draining: false,
            noted: None,
            closing: false,
            awaiting: false,
            over: None,
            announced: false,
            exchanges: Few::new(),
            single: None,
            served: Few::new(),
            ids: Few::new(),
            queue: VecDeque::new(),
            running: 0,
            held: 0,
            next_served: 0,
            dying: BTreeMap::new(),
            handshake: Handshake::Fresh,
            modern_seen: false,
            peer_modern: false,
            calls: Numbered::default(),
            calls_due: None,
            calls_sent: 0,
            next_call: 1,
            listening: 0,
            legacy: None,
            subscriptions: 0,
            unwritten_answers: 0,
            reading_stopped: false,
            inbox: 0,
            expires_at: None,
            timers: BTreeSet::new(),
            outputs: Line::default(),
            tally: Tally::default(),
            reached: 0,
        }
    }

    /// Takes what happened outside.
    pub fn handle(&mut self, now: Moment, input: Input) {
        self.begin(now);
        match input {
            Input::Opened(exchange, kind, principal) => self.opened(exchange, kind, principal),
            Input::Frame(exchange, frame) => self.frame(exchange, frame),
            Input::Malformed(exchange, head) => self.malformed(exchange, head),
            Input::ReadEnded(exchange) => self.read_ended(exchange),
            Input::PeerGone(exchange) => self.peer_gone(exchange),
            Input::Detached(exchange) => self.detached(exchange),
            Input::Attached(exchange) => self.attached(exchange),
            Input::WriteBlocked => self.write_blocked(),
            Input::WriteReady => self.write_ready(),
            Input::WriteFailed(failure) => self.write_failed(failure),
            Input::ExchangeClosed(exchange) => self.exchange_closed(exchange),
            Input::Gone(served) => self.gone(served),
            Input::NoteDone { panicked } => self.note_done(panicked),
            Input::Deleted => self.session_over(Reason::Deleted),
            Input::HandlesDropped => self.ending(Event::HandlesDropped, By::Handle),
            Input::DriverGone => self.ending(Event::DriverGone, By::Handle),
            Input::Timeout => self.timeout(),
        }
        self.afterwards();
    }

    /// The next thing to do. Call it until it says [`Output::Wait`].
    pub fn poll_output(&mut self) -> Output {
        self.outputs.pop_front().unwrap_or_else(|| Output::Wait(self.next_deadline()))
    }

    /// Whether the session wants to read more now.
    #[must_use]
    pub fn wants_read(&self) -> bool {
        self.read == Read::Open && self.over.is_none() && self.write != Write::Closing && !self.reading_stopped
    }

    /// Where the session stands.
    #[must_use]
    pub fn state(&self) -> State {
        match (self.over, self.noted) {
            (Some(reason), _) => State::Closed(reason),
            (None, Some(_)) => State::Draining,
            (None, None) => State::Open,
        }
    }

    /// Why the session ended or is ending, and by which signal.
    #[must_use]
    pub fn reason(&self) -> Option<(Reason, Option<i32>)> {
        let signal = self.noted.and_then(|(_, signal)| signal);
        self.over.map(|reason| (reason, signal)).or(self.noted)
    }

    /// Whether the end was announced: nothing comes any more.
    #[must_use]
    pub const fn is_finished(&self) -> bool {
        self.announced
    }

    /// The revision that a legacy handshake agreed on.
    #[must_use]
    pub const fn negotiated(&self) -> Option<Version> {
        match self.handshake {
            Handshake::Done(version) | Handshake::Answering(_, version) => Some(version),
            Handshake::Fresh => None,
        }
    }

    /// Requests in flight: running or queued, listens not counted.
    #[must_use]
    pub fn in_flight(&self) -> usize {
        self.running + self.queue.len()
    }

    /// Listens that are open.
    #[must_use]
    pub const fn listens(&self) -> usize {
        self.listening
    }

    /// Calls that have not settled.
    #[must_use]
    pub fn pending_calls(&self) -> usize {
        self.calls.len()
    }

    /// Handlers that are running, or were told to stop and have not yet.
    #[must_use]
    pub fn handlers(&self) -> usize {
        self.running + self.listening + self.dying.len()
    }

    /// Handlers that were told to stop and have not yet.
    pub fn dying(&self) -> impl Iterator<Item = &CutOff> {
        self.dying.values()
    }

    /// What was counted so far.
    #[must_use]
    pub const fn tally(&self) -> &Tally {
        &self.tally
    }

    /// The report of the run as it stands, with the calls that have a slot.
    #[must_use]
    pub fn report(&self, elapsed: Duration, pending_slots: usize) -> Report {
        let (reason, signal) = self.reason().unwrap_or((Reason::DriverGone, None));
        let still_running: Vec<_> = self.dying.values().cloned().collect();
        let tasks_alive = self.handlers();
        Report { reason, signal, tally: self.tally.clone(), still_running, tasks_alive, pending_slots, elapsed }
    }

    /// The rules that were carried out so far.
    pub fn reached(&self) -> impl Iterator<Item = Rule> {
        let reached = self.reached;
        Rule::ALL.iter().copied().filter(move |rule| reached & (1 << (*rule as u32)) != 0)
    }

    /// The limits of the session.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.config.limits
    }

    /// What it was made from.
    #[must_use]
    pub const fn config(&self) -> &Arc<Config> {
        &self.config
    }

    /// Which side this is.
    #[must_use]
    pub fn role(&self) -> Role {
        self.config.role
    }

    fn begin(&mut self, now: Moment) {
        debug_assert!(self.outputs.is_empty(), "outputs must be taken after each input: {:?} is left", self.outputs);
        self.now = self.now.max(now);
    }

    fn deadline(&self, wait: Option<Duration>) -> Option<Moment> {
        wait.map(|wait| self.now.after(wait))
    }
}
