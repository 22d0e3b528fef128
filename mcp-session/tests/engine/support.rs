//! An engine with a clock of its own, told what happens in words and answering in words.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use mcp_session::engine::{
    By, CallId, CallRefused, CallSpec, Change, Changes, Close, Config, Engine, ExchangeId, ExchangeKind, Frame, Input,
    MethodKind, Moment, Origin, Outcome, Output, Principal, Progress, RequestHead, Role, Served, Table, Verdict, Wants,
    WriteFailure,
};
use mcp_types::jsonrpc::{Fault, Id, Malformed, Subject};
use mcp_types::version::Version;

pub(crate) use crate::given::{cancelling_server, client, initialize, limited, modern, server, tools_call};
use crate::watch::Watch;
use crate::words;

/// The exchange that most scripts live on.
pub(crate) const PIPE: ExchangeId = ExchangeId(0);

/// What a script says when it is not content.
pub(crate) type Checked<T = ()> = Result<T, String>;

/// What an engine said in one step: outputs and verdicts, in order.
#[derive(Clone, Debug)]
pub(crate) enum Said {
    Output(Output),
    Verdict(Verdict),
    Refused(CallRefused),
}

/// One engine under test.
#[derive(Clone, Debug)]
pub(crate) struct Fixture {
    pub(crate) engine: Engine,
    pub(crate) now: Moment,
    pub(crate) step: Vec<Said>,
    pub(crate) watch: Watch,
    labels: BTreeMap<Served, i64>,
    latest: BTreeMap<i64, Served>,
    deadline: Option<Moment>,
    table: Arc<Table>,
}

impl Fixture {
    /// An engine that knows of nothing yet.
    pub(crate) fn bare(config: Config) -> Self {
        Self {
            table: Arc::clone(&config.table),
            engine: Engine::new(config),
            now: Moment::default(),
            step: Vec::new(),
            watch: Watch::default(),
            labels: BTreeMap::new(),
            latest: BTreeMap::new(),
            deadline: None,
        }
    }

    /// An engine on a pipe, before any handshake.
    pub(crate) fn fresh(config: Config) -> Self {
        let mut fixture = Self::bare(config);
        fixture.opens(PIPE, ExchangeKind::Pipe);
        fixture
    }

    /// An engine on a pipe after a legacy handshake.
    pub(crate) fn handshaken(config: Config) -> Self {
        let mut fixture = Self::fresh(config);
        fixture.handshake(PIPE);
        fixture
    }

    /// The table of this engine, for a second engine in the same script.
    pub(crate) fn table(&self) -> Arc<Table> {
        Arc::clone(&self.table)
    }

    /// A legacy handshake that came on this exchange, as far as the engine sees it.
    pub(crate) fn handshake(&mut self, exchange: ExchangeId) {
        match self.engine.role() {
            Role::Server => {
                self.feed(Input::Frame(exchange, Frame::Request(initialize(0))));
                if let Ok(served) = self.served(0) {
                    self.finish_as(served, Outcome::Result);
                }
            }
            _ => self.engine.established(Version::LATEST_LEGACY),
        }
        self.step.clear();
    }

    // What happens outside.

    pub(crate) fn feed(&mut self, input: Input) {
        let label = match &input {
            Input::Frame(_, Frame::Request(request)) => request.id.matches_number(),
            _ => None,
        };
        self.step.clear();
        self.engine.handle(self.now, input);
        self.drain(label);
    }

    pub(crate) fn opens(&mut self, exchange: ExchangeId, kind: ExchangeKind) {
        self.watch.opened(exchange);
        self.feed(Input::Opened(exchange, kind, Principal::default()));
    }

    pub(crate) fn request(&mut self, id: i64) {
        self.request_on(PIPE, id);
    }

    pub(crate) fn request_on(&mut self, exchange: ExchangeId, id: i64) {
        self.feed(Input::Frame(exchange, Frame::Request(tools_call(id))));
    }

    /// A request whose head is not the usual one.
    pub(crate) fn request_with(&mut self, head: RequestHead) {
        self.request_with_on(PIPE, head);
    }

    pub(crate) fn request_with_on(&mut self, exchange: ExchangeId, head: RequestHead) {
        self.feed(Input::Frame(exchange, Frame::Request(head)));
    }

    pub(crate) fn peer_cancels(&mut self, id: i64) {
        self.peer_cancels_on(PIPE, id);
    }

    pub(crate) fn peer_cancels_on(&mut self, exchange: ExchangeId, id: i64) {
        self.feed(Input::Frame(exchange, Frame::Cancelled { id: Some(Id::from(id)) }));
    }

    pub(crate) fn response(&mut self, call: CallId) {
        self.response_on(PIPE, call);
    }

    pub(crate) fn response_as_text(&mut self, call: CallId) {
        self.feed(Input::Frame(PIPE, Frame::Response { call: Some(call), is_text: true }));
    }

    pub(crate) fn response_on(&mut self, exchange: ExchangeId, call: CallId) {
        self.feed(Input::Frame(exchange, Frame::Response { call: Some(call), is_text: false }));
    }

    pub(crate) fn progress(&mut self, call: CallId) {
        self.feed(Input::Frame(PIPE, Frame::Progress { call: Some(call), progress: None }));
    }

    pub(crate) fn progress_to(&mut self, call: CallId, value: f64) {
        self.feed(Input::Frame(PIPE, Frame::Progress { call: Some(call), progress: Progress::new(value) }));
    }

    pub(crate) fn note(&mut self) {
        self.feed(Input::Frame(PIPE, Frame::Note { modern: false }));
    }

    pub(crate) fn malformed(&mut self, subject: Subject, id: Option<i64>, fault: Fault) {
        let head = Malformed::new(fault, subject, "not as it should be").with_id(id.map(Id::from));
        self.feed(Input::Malformed(PIPE, head));
    }

    pub(crate) fn read_ends(&mut self) {
        self.feed(Input::ReadEnded(PIPE));
    }

    pub(crate) fn peer_gone(&mut self) {
        self.feed(Input::PeerGone(Some(PIPE)));
    }

    pub(crate) fn write_fails(&mut self, how: WriteFailure) {
        self.feed(Input::WriteFailed(how));
    }

    pub(crate) fn sent(&mut self, call: CallId) {
        self.step.clear();
        self.engine.sent(call);
        self.drain(None);
    }

    pub(crate) fn closed(&mut self, exchange: ExchangeId) {
        self.feed(Input::ExchangeClosed(exchange));
    }

    pub(crate) fn gone(&mut self, id: i64) -> Checked {
        let served = self.served(id)?;
        self.feed(Input::Gone(served));
        Ok(())
    }

    /// Time passes, and nothing is due.
    pub(crate) fn passes(&mut self, wait: Duration) {
        self.now = self.now.after(wait);
    }

    /// Time passes up to the next deadline.
    pub(crate) fn timeout(&mut self) -> Checked {
        self.now = self.deadline.ok_or("nothing is due")?.max(self.now);
        self.feed(Input::Timeout);
        if let Some(next) = self.deadline
            && next <= self.now
        {
            self.watch.breaks("the deadline after a timeout is not later than now".to_owned());
        }
        Ok(())
    }

    // What our side wants.

    pub(crate) fn finish(&mut self, id: i64) -> Checked {
        let served = self.served(id)?;
        self.finish_as(served, Outcome::Result);
        Ok(())
    }

    pub(crate) fn panics(&mut self, id: i64) -> Checked {
        let served = self.served(id)?;
        self.finish_as(served, Outcome::Panicked);
        Ok(())
    }

    pub(crate) fn finish_as(&mut self, served: Served, outcome: Outcome) {
        self.step.clear();
        let verdict = self.engine.finish(self.now, served, outcome);
        self.watch.answer(served, verdict);
        self.step.push(Said::Verdict(verdict));
        self.drain(None);
    }

    pub(crate) fn note_by(&mut self, id: i64) -> Checked {
        let served = self.served(id)?;
        self.step.clear();
        let verdict = self.engine.notify(self.now, Origin::Handler(served));
        self.watch.note(served, verdict);
        self.step.push(Said::Verdict(verdict));
        self.drain(None);
        Ok(())
    }

    pub(crate) fn own_note(&mut self) {
        self.step.clear();
        let verdict = self.engine.notify(self.now, Origin::Own);
        self.watch.own_note(verdict);
        self.step.push(Said::Verdict(verdict));
        self.drain(None);
    }

    pub(crate) fn listen(&mut self, id: i64) -> Checked {
        self.request_with(modern(id, MethodKind::ModernOnly));
        self.becomes_listen(id)
    }

    /// A listen for these resources alone.
    pub(crate) fn listen_for(&mut self, id: i64, uris: &[&str]) -> Checked {
        self.request_with(modern(id, MethodKind::ModernOnly));
        self.becomes_listen_for(id, uris.iter().copied().fold(Wants::default(), Wants::with_resource))
    }

    /// A request that was started becomes a listen for every change of a list.
    pub(crate) fn becomes_listen(&mut self, id: i64) -> Checked {
        self.becomes_listen_for(id, Change::ALL.into_iter().fold(Changes::NONE, Changes::with))
    }

    pub(crate) fn becomes_listen_for(&mut self, id: i64, wants: impl Into<Wants>) -> Checked {
        let served = self.served(id)?;
        self.step.clear();
        let verdict = self.engine.listen(self.now, served, wants);
        self.watch.note(served, verdict);
        self.step.push(Said::Verdict(verdict));
        self.drain(None);
        Ok(())
    }

    pub(crate) fn changed(&mut self, change: Change) {
        self.step.clear();
        self.engine.changed(self.now, change);
        self.drain(None);
    }

    pub(crate) fn updated(&mut self, uri: &str) {
        self.step.clear();
        self.engine.resource_updated(self.now, uri);
        self.drain(None);
    }

    pub(crate) fn call(&mut self) -> Checked<CallId> {
        self.call_with(CallSpec::new(Origin::Own)).ok_or_else(|| format!("no call: {}", self.said()))
    }

    pub(crate) fn call_by(&mut self, id: i64) -> Checked<CallId> {
        let served = self.served(id)?;
        self.call_with(CallSpec::new(Origin::Handler(served))).ok_or_else(|| format!("no call: {}", self.said()))
    }

    /// A call that has been sent.
    pub(crate) fn sent_call(&mut self) -> Checked<CallId> {
        let call = self.call()?;
        self.sent(call);
        Ok(call)
    }

    /// A call that is expected not to be made.
    pub(crate) fn no_call(&mut self, origin: Origin) {
        self.call_with(CallSpec::new(origin));
    }

    pub(crate) fn call_with(&mut self, spec: CallSpec) -> Option<CallId> {
        self.step.clear();
        let call = self.engine.call(self.now, spec);
        if let Err(refused) = call {
            self.step.push(Said::Refused(refused));
        }
        self.drain(None);
        call.ok()
    }

    pub(crate) fn cancel_call(&mut self, call: CallId) {
        self.step.clear();
        self.engine.cancel(self.now, call);
        self.drain(None);
    }

    pub(crate) fn close(&mut self) {
        self.close_by(Close::Drain { within: None }, By::Handle);
    }

    pub(crate) fn abort(&mut self) {
        self.close_by(Close::Abort, By::Handle);
    }

    pub(crate) fn close_by(&mut self, close: Close, by: By) {
        self.step.clear();
        self.engine.close(self.now, close, by);
        self.drain(None);
    }

    pub(crate) fn unwritten_answers(&mut self, bytes: usize) {
        self.step.clear();
        self.engine.unwritten_answers(bytes);
        self.drain(None);
    }

    // What came of it.

    /// The request of this id that came last.
    pub(crate) fn served(&self, id: i64) -> Checked<Served> {
        self.latest.get(&id).copied().ok_or_else(|| format!("request {id} was never started nor queued"))
    }

    /// Whether the request was started at some time.
    pub(crate) fn was_started(&self, served: Served) -> bool {
        self.watch.was_started(served)
    }

    /// Checks what was said in the last step.
    pub(crate) fn says(&self, expected: &str) -> Checked {
        self.is_sound()?;
        let said = self.said();
        if said == expected { Ok(()) } else { Err(format!("expected `{expected}`, got `{said}`")) }
    }

    /// Checks that no general promise was broken so far.
    pub(crate) fn is_sound(&self) -> Checked {
        self.watch.broken().map_or(Ok(()), |broken| Err(broken.to_owned()))
    }

    /// Checks something that outputs do not say.
    pub(crate) fn holds(&self, what: &str, holds: bool) -> Checked {
        if holds { Ok(()) } else { Err(format!("does not hold: {what}")) }
    }

    /// When the engine wants to be woken, from now.
    pub(crate) fn due_in(&self) -> Option<Duration> {
        self.deadline.map(|at| at.since_start().saturating_sub(self.now.since_start()))
    }

    /// What was said in the last step, in words.
    pub(crate) fn said(&self) -> String {
        let words: Vec<_> = self.step.iter().map(|said| self.words(said)).collect();
        words.join(", ")
    }

    /// One thing that was said, in words.
    pub(crate) fn words(&self, said: &Said) -> String {
        words::of(said, &self.labels)
    }

    fn drain(&mut self, label: Option<i64>) {
        loop {
            let output = self.engine.poll_output();
            self.watch.output(&output);
            match output {
                Output::Wait(deadline) => {
                    self.deadline = deadline;
                    break;
                }
                output => {
                    if let (Output::Start(served) | Output::Enqueue(served), Some(label)) = (&output, label)
                        && !self.labels.contains_key(served)
                    {
                        self.labels.insert(*served, label);
                        self.latest.insert(label, *served);
                    }
                    self.step.push(Said::Output(output));
                }
            }
        }
        self.watch.step(&self.engine);
    }
}
