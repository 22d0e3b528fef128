//! A legacy session over HTTP: one POST with a request, one GET, and two calls.

use std::hash::{DefaultHasher, Hash};

use mcp_session::engine::{
    CallId, CallSpec, Config, ExchangeId, ExchangeKind, Input, Origin, Output, Rule, State, Table, Verdict,
};

use super::{World, explore, visits};
use crate::support::{Checked, Fixture, Said, server};

const POST: usize = 0;
const GET: usize = 1;
const OWN: usize = 0;
const BY_HANDLER: usize = 1;

/// Something that can happen next.
#[derive(Clone, Copy, Debug)]
enum Step {
    Opens(usize),
    ReadEnds,
    Gone(usize),
    Detaches(usize),
    Attaches(usize),
    Closed(usize),
    Request,
    PeerCancels,
    Finish,
    Panic,
    Note,
    OwnNote,
    HandlerGone,
    Call(usize),
    Sent(usize),
    Response(usize),
    CancelCall(usize),
    Drain,
    Deleted,
    Timeout,
}

/// A stream, as HTTP sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Stream {
    None,
    Attached,
    /// It may be picked up again.
    Away,
    /// Nobody reads it.
    Lost,
    /// It was to be closed.
    Closing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Handler {
    None,
    Running,
    Dying,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Call {
    None,
    Placed,
    Sent,
}

#[derive(Clone, Debug)]
struct Http {
    fixture: Fixture,
    stored: bool,
    streams: [Stream; 2],
    /// Whether the body of the POST was read to its end.
    was_read: bool,
    handler: Handler,
    /// One that a handle made, and one that the handler made.
    calls: [(Call, CallId); 2],
    /// Whether an end was asked for.
    asked: bool,
    wrong: Option<String>,
}

impl Http {
    fn new(config: Config, stored: bool) -> Self {
        let mut fixture = Fixture::bare(config);
        let handshake = ExchangeId(9);
        fixture.opens(handshake, ExchangeKind::Post { stored });
        fixture.handshake(handshake);
        fixture.feed(Input::ReadEnded(handshake));
        fixture.closed(handshake);
        Self {
            fixture,
            stored,
            streams: [Stream::None; 2],
            was_read: false,
            handler: Handler::None,
            calls: [(Call::None, CallId(0)); 2],
            asked: false,
            wrong: None,
        }
    }

    fn calls_from(&mut self, by: usize) {
        let origin = if by == OWN { Origin::Own } else { Origin::Handler(self.fixture.served(1).unwrap()) };
        if let Some(call) = self.fixture.call_with(CallSpec::new(origin)) {
            self.calls[by] = (Call::Placed, call);
        }
    }

    /// What HTTP does about the outputs, and what it could not do.
    fn looks(&mut self) {
        for said in &self.fixture.step {
            match said {
                Said::Output(Output::Start(_)) => self.handler = Handler::Running,
                Said::Output(Output::Cancel(_)) => self.handler = Handler::Dying,
                Said::Output(Output::Settle(call, _)) => {
                    if let Some(known) = self.calls.iter_mut().find(|known| known.1 == *call) {
                        known.0 = Call::None;
                    }
                }
                Said::Output(Output::CloseExchange(ExchangeId(at))) => self.streams[*at as usize] = Stream::Closing,
                Said::Output(Output::Transmit(ExchangeId(at), _)) if !self.is_kept(*at) => {
                    self.wrong = Some(format!("{said:?} for nobody"));
                }
                // A terminal frame may be followed by the close of its stream in the same step.
                Said::Verdict(Verdict::Write(ExchangeId(at)))
                    if !matches!(self.streams[*at as usize], Stream::Attached | Stream::Closing) =>
                {
                    self.wrong = Some(format!("{said:?} for nobody"));
                }
                Said::Verdict(Verdict::Store(ExchangeId(at))) if self.streams[*at as usize] != Stream::Away => {
                    self.wrong = Some(format!("{said:?}, and nobody is away"));
                }
                _ => {}
            }
        }
    }

    /// Whether somebody reads the stream, or may come back to.
    fn is_kept(&self, at: u32) -> bool {
        matches!(self.streams[at as usize], Stream::Attached | Stream::Away)
    }

    fn cleans_up(&mut self) {
        for step in [Step::HandlerGone, Step::Closed(POST), Step::Closed(GET)] {
            if self.can(step) {
                self.take(step);
            }
        }
    }

    /// A stream that has nothing to say and nobody to come back is closed.
    fn nothing_lingers(&self) -> Checked {
        let is_idle = self.handler != Handler::Running;
        let post_is_over = match self.streams[POST] {
            Stream::Attached => is_idle && self.was_read,
            Stream::Lost => is_idle,
            _ => false,
        };
        self.fixture.holds("a POST that was answered is closed", !post_is_over)?;
        self.fixture.holds("a GET that was lost is closed", self.streams[GET] != Stream::Lost)
    }

    fn ends_in_time(&self) -> Checked {
        if !self.asked {
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

impl World for Http {
    type Step = Step;

    const STEPS: &'static [Step] = &[
        Step::Opens(POST),
        Step::Opens(GET),
        Step::ReadEnds,
        Step::Gone(POST),
        Step::Gone(GET),
        Step::Detaches(POST),
        Step::Detaches(GET),
        Step::Attaches(POST),
        Step::Attaches(GET),
        Step::Closed(POST),
        Step::Closed(GET),
        Step::Request,
        Step::PeerCancels,
        Step::Finish,
        Step::Panic,
        Step::Note,
        Step::OwnNote,
        Step::HandlerGone,
        Step::Call(OWN),
        Step::Call(BY_HANDLER),
        Step::Sent(OWN),
        Step::Sent(BY_HANDLER),
        Step::Response(OWN),
        Step::Response(BY_HANDLER),
        Step::CancelCall(OWN),
        Step::CancelCall(BY_HANDLER),
        Step::Drain,
        Step::Deleted,
        Step::Timeout,
    ];

    fn can(&self, step: Step) -> bool {
        match step {
            Step::Opens(POST) => self.streams[POST] == Stream::None && self.handler == Handler::None,
            Step::Opens(at) => self.streams[at] == Stream::None,
            Step::ReadEnds => !matches!(self.streams[POST], Stream::None | Stream::Lost) && !self.was_read,
            Step::Gone(at) => !matches!(self.streams[at], Stream::None | Stream::Lost),
            Step::Detaches(at) => self.streams[at] == Stream::Attached,
            Step::Attaches(at) => self.streams[at] == Stream::Away,
            Step::Closed(at) => self.streams[at] == Stream::Closing,
            Step::Request => self.streams[POST] == Stream::Attached && !self.was_read && self.handler == Handler::None,
            Step::PeerCancels => self.handler == Handler::Running,
            Step::Finish | Step::Panic | Step::Note => self.handler != Handler::None,
            Step::OwnNote | Step::Drain | Step::Deleted => true,
            Step::HandlerGone => self.handler == Handler::Dying,
            Step::Call(by) => self.calls[by].0 == Call::None && (by == OWN || self.handler == Handler::Running),
            Step::Sent(by) => self.calls[by].0 == Call::Placed,
            Step::Response(by) => self.calls[by].0 == Call::Sent,
            Step::CancelCall(by) => self.calls[by].0 != Call::None,
            Step::Timeout => self.fixture.due_in().is_some(),
        }
    }

    fn take(&mut self, step: Step) {
        self.asked |= matches!(step, Step::Drain | Step::Deleted);
        let f = &mut self.fixture;
        let name = |at: usize| ExchangeId(if at == POST { 0 } else { 1 });
        match step {
            Step::Opens(at) => {
                let stored = self.stored;
                let kind = if at == POST { ExchangeKind::Post { stored } } else { ExchangeKind::Stream { stored } };
                f.opens(name(at), kind);
                if !matches!(f.engine.state(), State::Closed(_)) {
                    self.streams[at] = Stream::Attached;
                    self.was_read &= at != POST;
                }
            }
            Step::ReadEnds => {
                self.was_read = true;
                f.feed(Input::ReadEnded(name(POST)));
            }
            Step::Gone(at) => {
                if self.streams[at] != Stream::Closing {
                    self.streams[at] = Stream::Lost;
                }
                f.feed(Input::PeerGone(Some(name(at))));
            }
            Step::Detaches(at) => {
                self.streams[at] = if self.stored { Stream::Away } else { Stream::Lost };
                f.feed(Input::Detached(name(at)));
            }
            Step::Attaches(at) => {
                self.streams[at] = Stream::Attached;
                f.feed(Input::Attached(name(at)));
            }
            Step::Closed(at) => {
                self.streams[at] = Stream::None;
                f.closed(name(at));
            }
            Step::Request => f.request_on(name(POST), 1),
            Step::PeerCancels => f.peer_cancels(1),
            Step::Finish | Step::Panic => {
                self.handler = Handler::None;
                if matches!(step, Step::Finish) { f.finish(1) } else { f.panics(1) }.unwrap();
            }
            Step::Note => f.note_by(1).unwrap(),
            Step::OwnNote => f.own_note(),
            Step::HandlerGone => {
                self.handler = Handler::None;
                f.gone(1).unwrap();
            }
            Step::Call(by) => self.calls_from(by),
            Step::Sent(by) => {
                self.calls[by].0 = Call::Sent;
                f.sent(self.calls[by].1);
            }
            Step::Response(by) => f.response(self.calls[by].1),
            Step::CancelCall(by) => f.cancel_call(self.calls[by].1),
            Step::Drain => f.close(),
            Step::Deleted => f.feed(Input::Deleted),
            Step::Timeout => f.timeout().unwrap(),
        }
        self.looks();
    }

    fn feed(&self, hasher: &mut DefaultHasher) {
        self.fixture.engine.fingerprint(hasher);
        (self.streams, self.was_read, self.handler, self.calls[0].0, self.calls[1].0).hash(hasher);
        (self.asked, self.calls[0].1 < self.calls[1].1).hash(hasher);
    }

    fn check(&self) -> Checked {
        self.fixture.is_sound()?;
        self.wrong.clone().map_or(Ok(()), Err)?;
        self.nothing_lingers()?;
        self.ends_in_time()
    }
}

#[test]
fn a_session_whose_streams_are_stored() {
    visits(Http::new(server(), true), 3000);
}

#[test]
fn a_session_whose_streams_are_not() {
    visits(Http::new(server(), false), 600);
}

/// The promises are no empty words here either.
#[test]
fn a_table_without_these_rules_breaks_a_promise() {
    use Rule::*;
    for rule in [C4, C6a, C8, C17, C33, C34, C35, C37] {
        let breaks = |stored| explore(Http::new(server().with_table(Table::without(rule)), stored)).is_err();
        assert!(breaks(true) || breaks(false), "nothing breaks without {rule}");
    }
}
