//! A session on one pipe: two requests, a listen, and two calls.

use std::hash::{DefaultHasher, Hash};
use std::time::Duration;

use mcp_session::engine::{
    CallId, CallSpec, Config, Head, Input, Origin, Output, Role, Rule, Served, Table, Wants, WriteFailure,
};

use super::{World, explore, visits};
use crate::support::{Checked, Fixture, PIPE, Said, cancelling_server, client, limited, server};

const OWN: usize = 0;
const BY_HANDLER: usize = 1;

/// Something that can happen next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Step {
    Request(usize),
    Finish(usize),
    Panic(usize),
    PeerCancels(usize),
    Note,
    ReadEnds,
    PeerGone,
    Blocked,
    Ready,
    Fails(WriteFailure),
    Call(usize),
    Sent(usize),
    Response(usize),
    CancelCall(usize),
    Drain,
    Abort,
    HandlesDropped,
    DriverGone,
    Listen,
    Updated,
    Timeout,
    Closed,
    Gone(usize),
}

/// A handler, as its driver sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Handler {
    None,
    Queued,
    Running,
    Listening,
    /// Told to stop; the word may cross with its answer.
    Dying,
    Over,
}

/// A call, as its caller sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Call {
    None,
    Placed,
    Sent,
    Settled,
}

#[derive(Clone, Debug)]
struct Pipe {
    fixture: Fixture,
    handlers: [Handler; 2],
    /// One that a handle made, and one that the first handler made.
    calls: [(Call, CallId); 2],
    readable: bool,
    blocked: bool,
    discarded: bool,
    asked_to_close: bool,
    failed: bool,
    /// Whether an end was asked for.
    asked: bool,
}

impl Pipe {
    fn new(config: Config) -> Self {
        Self {
            fixture: Fixture::handshaken(config),
            handlers: [Handler::None; 2],
            calls: [(Call::None, CallId(0)); 2],
            readable: true,
            blocked: false,
            discarded: false,
            asked_to_close: false,
            failed: false,
            asked: false,
        }
    }

    /// What the driver does about the outputs.
    fn looks(&mut self, step: Step) {
        let at_of = |fixture: &Fixture, served: &Served| {
            (0..2).find(|at| fixture.served(*at as i64 + 1).is_ok_and(|it| it == *served)).unwrap()
        };
        for said in &self.fixture.step {
            let Said::Output(output) = said else { continue };
            match output {
                Output::Start(served) => self.handlers[at_of(&self.fixture, served)] = Handler::Running,
                Output::Enqueue(served) => self.handlers[at_of(&self.fixture, served)] = Handler::Queued,
                Output::Cancel(served) => {
                    let handler = &mut self.handlers[at_of(&self.fixture, served)];
                    *handler = if *handler == Handler::Running { Handler::Dying } else { Handler::Over };
                }
                Output::Settle(call, _) => {
                    if let Some(known) = self.calls.iter_mut().find(|known| known.1 == *call) {
                        known.0 = Call::Settled;
                    }
                }
                Output::Transmit(_, Head::ListenEnd(_)) => self.handlers[1] = Handler::Over,
                Output::Discard => self.discarded = true,
                Output::CloseExchange(_) => self.asked_to_close = true,
                _ => {}
            }
        }
        // A request that was refused has no handler.
        if let Step::Request(at) = step
            && self.handlers[at] == Handler::None
        {
            self.handlers[at] = Handler::Over;
        }
    }

    /// Handlers that were told to stop do, and what was to be closed is.
    fn cleans_up(&mut self) {
        for step in [Step::Gone(0), Step::Gone(1), Step::Closed] {
            if self.can(step) {
                self.take(step);
            }
        }
    }

    /// Once nothing can come in and nothing goes on, no clock is needed.
    fn ends_at_once(&self) -> Checked {
        let goes_on = self.handlers.iter().any(|handler| matches!(handler, Handler::Running | Handler::Queued));
        let ended = !self.readable || self.asked;
        let awaits = self.failed && self.readable && self.calls.iter().any(|call| call.0 == Call::Sent);
        if !ended || goes_on || self.blocked || awaits {
            return Ok(());
        }
        let mut end = self.clone();
        end.cleans_up();
        end.fixture.is_sound()?;
        end.fixture.holds("it ends as soon as nothing goes on", end.fixture.engine.is_finished())
    }

    /// Once an ending began, the clock finishes it, whatever handlers do.
    fn ends_in_time(&self) -> Checked {
        if self.readable && !self.asked {
            return Ok(());
        }
        let mut end = self.clone();
        for _ in 0..6 {
            end.cleans_up();
            if end.fixture.due_in().is_some() {
                end.take(Step::Timeout);
            }
        }
        end.fixture.is_sound()?;
        end.fixture.holds("it ends in time", end.fixture.engine.is_finished())
    }
}

impl World for Pipe {
    type Step = Step;

    const STEPS: &'static [Step] = &[
        Step::Request(0),
        Step::Request(1),
        Step::Finish(0),
        Step::Finish(1),
        Step::Panic(0),
        Step::PeerCancels(0),
        Step::PeerCancels(1),
        Step::Note,
        Step::ReadEnds,
        Step::PeerGone,
        Step::Blocked,
        Step::Ready,
        Step::Fails(WriteFailure::Broken),
        Step::Fails(WriteFailure::Local),
        Step::Call(OWN),
        Step::Call(BY_HANDLER),
        Step::Sent(OWN),
        Step::Sent(BY_HANDLER),
        Step::Response(OWN),
        Step::Response(BY_HANDLER),
        Step::CancelCall(OWN),
        Step::CancelCall(BY_HANDLER),
        Step::Drain,
        Step::Abort,
        Step::HandlesDropped,
        Step::DriverGone,
        Step::Listen,
        Step::Updated,
        Step::Timeout,
        Step::Closed,
        Step::Gone(0),
        Step::Gone(1),
    ];

    fn can(&self, step: Step) -> bool {
        match step {
            Step::Request(at) => self.readable && matches!(self.handlers[at], Handler::None | Handler::Over),
            Step::Finish(at) | Step::Panic(at) => matches!(self.handlers[at], Handler::Running | Handler::Dying),
            Step::Note => self.fixture.served(1).is_ok() && self.handlers[0] != Handler::Queued,
            Step::PeerCancels(at) => self.readable && self.handlers[at] != Handler::None,
            Step::ReadEnds | Step::PeerGone => self.readable,
            Step::Blocked => !self.blocked && !self.discarded,
            Step::Ready => self.blocked,
            Step::Fails(_) => !self.failed,
            Step::Call(OWN) => matches!(self.calls[OWN].0, Call::None | Call::Settled),
            Step::Call(by) => {
                matches!(self.calls[by].0, Call::None | Call::Settled) && self.handlers[0] == Handler::Running
            }
            Step::Sent(by) => self.calls[by].0 == Call::Placed && !self.discarded,
            Step::Response(by) => self.readable && matches!(self.calls[by].0, Call::Sent | Call::Settled),
            Step::CancelCall(by) => matches!(self.calls[by].0, Call::Placed | Call::Sent),
            Step::Listen => self.handlers[1] == Handler::Running,
            Step::Updated => self.handlers[1] == Handler::Listening,
            Step::Drain | Step::Abort | Step::HandlesDropped | Step::DriverGone => true,
            Step::Timeout => self.fixture.due_in().is_some(),
            Step::Closed => self.asked_to_close,
            Step::Gone(at) => self.handlers[at] == Handler::Dying,
        }
    }

    fn take(&mut self, step: Step) {
        let id = |at: usize| at as i64 + 1;
        self.asked |= match step {
            Step::Drain | Step::Abort | Step::DriverGone | Step::Fails(_) => true,
            Step::HandlesDropped => self.fixture.engine.role() == Role::Client,
            _ => false,
        };
        let f = &mut self.fixture;
        match step {
            Step::Request(at) => f.request(id(at)),
            Step::Finish(at) => {
                f.finish(id(at)).unwrap();
                self.handlers[at] = Handler::Over;
            }
            Step::Panic(at) => {
                f.panics(id(at)).unwrap();
                self.handlers[at] = Handler::Over;
            }
            Step::Note => f.note_by(id(0)).unwrap(),
            Step::PeerCancels(at) => f.peer_cancels(id(at)),
            Step::ReadEnds => {
                f.read_ends();
                self.readable = false;
            }
            Step::PeerGone => {
                f.peer_gone();
                self.readable = false;
            }
            Step::Blocked => {
                f.feed(Input::WriteBlocked);
                self.blocked = true;
            }
            Step::Ready => {
                f.feed(Input::WriteReady);
                self.blocked = false;
            }
            Step::Fails(failure) => {
                f.write_fails(failure);
                self.failed = true;
            }
            Step::Call(by) => {
                let origin = if by == OWN { Origin::Own } else { Origin::Handler(f.served(id(0)).unwrap()) };
                let mut spec = CallSpec::new(origin);
                spec.total = Some(Duration::from_secs(40));
                if let Some(call) = f.call_with(spec) {
                    self.calls[by] = (Call::Placed, call);
                }
            }
            Step::Sent(by) => {
                f.sent(self.calls[by].1);
                self.calls[by].0 = Call::Sent;
            }
            Step::Response(by) => f.response(self.calls[by].1),
            Step::CancelCall(by) => f.cancel_call(self.calls[by].1),
            Step::Drain => f.close(),
            Step::Abort => f.abort(),
            Step::HandlesDropped => f.feed(Input::HandlesDropped),
            Step::DriverGone => f.feed(Input::DriverGone),
            Step::Listen => {
                self.handlers[1] = Handler::Listening;
                f.becomes_listen_for(id(1), Wants::default().with_resource("a")).unwrap();
            }
            Step::Updated => f.updated("a"),
            Step::Timeout => f.timeout().unwrap(),
            Step::Closed => {
                f.closed(PIPE);
                self.asked_to_close = false;
            }
            Step::Gone(at) => {
                f.gone(id(at)).unwrap();
                self.handlers[at] = Handler::Over;
            }
        }
        self.looks(step);
    }

    fn feed(&self, hasher: &mut DefaultHasher) {
        self.fixture.engine.fingerprint(hasher);
        (self.handlers, self.calls[0].0, self.calls[1].0, self.readable, self.blocked, self.discarded).hash(hasher);
        (self.asked_to_close, self.failed, self.asked, self.calls[0].1 < self.calls[1].1).hash(hasher);
    }

    fn check(&self) -> Checked {
        self.fixture.is_sound()?;
        self.ends_at_once()?;
        self.ends_in_time()
    }
}

fn narrow(config: Config) -> Config {
    limited(config, |limits| {
        limits.in_flight = 1;
        limits.queue = 1;
    })
}

#[test]
fn a_server_that_drains() {
    visits(Pipe::new(narrow(server())), 15_000);
}

#[test]
fn a_server_that_cancels() {
    visits(Pipe::new(narrow(cancelling_server())), 15_000);
}

#[test]
fn a_client() {
    visits(Pipe::new(narrow(client())), 12_000);
}

/// The general promises are no empty words: without one of these rules some sequence breaks them.
#[test]
fn a_table_without_these_rules_breaks_a_promise() {
    use Rule::*;
    for rule in [C1, C2, C3b, C4, C5, C6b, C6c, C8, C9, C13, C16, C17, C20, C25, S7] {
        let found = explore(Pipe::new(narrow(server()).with_table(Table::without(rule))));
        assert!(found.is_err(), "nothing breaks without {rule}");
    }
    for rule in [C29, C42] {
        let found = explore(Pipe::new(narrow(client()).with_table(Table::without(rule))));
        assert!(found.is_err(), "nothing breaks without {rule}");
    }
    let found = explore(Pipe::new(narrow(cancelling_server()).with_table(Table::without(C3a))));
    assert!(found.is_err(), "nothing breaks without C3a");
}
