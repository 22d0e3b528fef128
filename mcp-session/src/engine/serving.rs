//! What is served: requests from their arrival to their one terminal frame, and what cannot be read.

use std::borrow::Cow;

use mcp_types::jsonrpc::{Fault, Id, Malformed, Subject};
use mcp_types::version::Version;

use super::event::Event;
use super::facts::Facts;
use super::fire::Matter;
use super::io::{
    Claim, Delivery, ErrorId, ExchangeId, ExchangeKind, Frame, Head, MethodKind, Moment, Origin, Outcome, Output,
    RequestHead, Served, Verdict,
};
use super::listens::Listener;
use super::report::CutOff;
use super::{Engine, Handshake};

#[derive(Clone, Debug)]
pub(super) struct ServedState {
    pub(super) id: Id,
    pub(super) exchange: ExchangeId,
    method: Cow<'static, str>,
    pub(super) modern: bool,
    kind: MethodKind,
    version: Option<Version>,
    bytes: usize,
    pub(super) stage: Stage,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Stage {
    Queued,
    Running,
    Listening(Box<Listener>),
}

/// Why a request ends without an answer, for the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stopped {
    Cancelled,
    CutOff,
}

impl ServedState {
    pub(super) fn fingerprint(&self) -> (&Id, ExchangeId, bool, MethodKind, &Stage) {
        (&self.id, self.exchange, self.modern, self.kind, &self.stage)
    }
}

impl Engine {
    pub(super) fn frame(&mut self, exchange: ExchangeId, frame: Frame) {
        match frame {
            Frame::Request(request) => self.request(exchange, request),
            Frame::Response { call, is_text } => self.response(call, is_text),
            Frame::Cancelled { id } => self.cancelled(id),
            Frame::Progress { call, progress } => self.progress(call, progress),
            Frame::Subscribed { call } => self.subscribed(call),
            Frame::Note { modern } => {
                let facts = Facts::NONE.with(Facts::MODERN, modern);
                self.fire(Event::Note, facts, &mut Matter { delivery: Some(Delivery::Note), ..Matter::default() });
            }
        }
    }

    fn request(&mut self, exchange: ExchangeId, request: RequestHead) {
        let limits = &self.config.limits;
        let is_full = self.running >= limits.in_flight;
        let is_over = self.held > 0 && self.held + request.bytes > limits.held;
        let kind = request.kind;
        let in_batch = matches!(self.exchanges.get(&exchange).map(|it| it.kind), Some(ExchangeKind::Batch { .. }));
        let facts = self
            .way_facts(Some(exchange))
            .with(Facts::DUPLICATE, self.ids.contains_key(&(request.id.clone(), self.carrier(exchange))))
            .with(Facts::MODERN, request.claim == Claim::Modern)
            .with(Facts::UNSUPPORTED, matches!(request.claim, Claim::Unsupported(_)))
            .with(Facts::PARTIAL, matches!(request.claim, Claim::Partial(_)))
            .with(Facts::PING, kind == MethodKind::Ping)
            .with(Facts::INITIALIZE, kind == MethodKind::Initialize)
            .with(
                Facts::LEGACY_ONLY,
                matches!(kind, MethodKind::Initialize | MethodKind::Ping | MethodKind::LegacyOnly),
            )
            .with(
                Facts::LEGACY_METHOD,
                matches!(kind, MethodKind::LegacyOnly | MethodKind::Both | MethodKind::Ping | MethodKind::Initialize),
            )
            .with(Facts::FULL, is_full)
            .with(Facts::QUEUE_FULL, is_over || (is_full && self.queue.len() >= limits.queue))
            // `initialize` may not stand in a batch: to the table it is a second one.
            .with(Facts::HANDSHAKEN, in_batch && kind == MethodKind::Initialize);
        self.modern_seen |= request.claim == Claim::Modern;
        self.fire(
            Event::Request,
            facts,
            &mut Matter { exchange: Some(exchange), request: Some(request), ..Matter::default() },
        );
    }

    pub(super) fn start(&mut self, matter: &mut Matter) {
        if let Some(served) = self.admit(matter, Stage::Running) {
            self.running += 1;
            self.outputs.push_back(Output::Start(served));
        }
    }

    pub(super) fn enqueue(&mut self, matter: &mut Matter) {
        if let Some(served) = self.admit(matter, Stage::Queued) {
            self.queue.push_back(served.key);
            self.outputs.push_back(Output::Enqueue(served));
        }
    }

    fn admit(&mut self, matter: &mut Matter, stage: Stage) -> Option<Served> {
        let exchange = matter.exchange?;
        let request = matter.request.take()?;
        let key = self.next_served;
        self.next_served += 1;
        self.tally.received += 1;
        self.held += request.bytes;
        self.ids.insert((request.id.clone(), self.carrier(exchange)), key);
        if let Some(exchange) = self.exchanges.get_mut(&exchange) {
            exchange.open += 1;
        }
        if request.kind == MethodKind::Initialize
            && let Some(version) = request.version
        {
            self.handshake = Handshake::Answering(key, version);
        }
        let state = ServedState {
            id: request.id,
            exchange,
            method: request.method,
            modern: request.claim == Claim::Modern,
            kind: request.kind,
            version: request.version,
            bytes: request.bytes,
            stage,
        };
        self.served.insert(key, state);
        Some(Served { key, exchange })
    }

    pub(super) fn start_queued(&mut self) {
        while self.running < self.config.limits.in_flight
            && let Some(key) = self.queue.pop_front()
        {
            if let Some(state) = self.served.get_mut(&key) {
                state.stage = Stage::Running;
                self.running += 1;
                self.outputs.push_back(Output::Start(Served { key, exchange: state.exchange }));
            }
        }
    }

    pub(super) fn pong(&mut self, matter: &mut Matter) {
        if let Some(request) = matter.request.take() {
            self.tally.received += 1;
            self.tally.answered += 1;
            self.transmit(matter.exchange, Head::Pong(request.id));
        }
    }

    /// A handler has ended. The verdict says what becomes of its answer.
    pub fn finish(&mut self, now: Moment, served: Served, outcome: Outcome) -> Verdict {
        self.begin(now);
        let known = self.served.contains_key(&served.key);
        let facts = self.way_facts(Some(served.exchange)).with(Facts::KNOWN, known);
        let event = if outcome == Outcome::Panicked { Event::Panicked } else { Event::Answer };
        let mut matter = Matter { exchange: Some(served.exchange), served: Some(served), ..Matter::default() };
        self.fire(event, facts, &mut matter);
        let verdict = matter.verdict.unwrap_or(Verdict::Drop(super::Dropped::AfterAnswer));
        // A handler that was told to stop may end by itself at that moment: it is gone all the same.
        self.gone(served);
        if let Some(state) = self.remove(served) {
            match verdict {
                Verdict::Drop(_) => self.tally.cancelled += 1,
                Verdict::Write(_) | Verdict::Collect(_) | Verdict::Store(_) | Verdict::Answered => {
                    self.tally.answered += 1;
                    self.tally.drained += u64::from(self.noted.is_some());
                }
            }
            if let (MethodKind::Initialize, Outcome::Result, Some(version)) = (state.kind, outcome, state.version) {
                self.handshake = Handshake::Done(version);
            }
        }
        self.afterwards();
        verdict
    }

    /// Whether the request is still being served: neither answered nor cancelled.
    #[must_use]
    pub fn is_serving(&self, served: Served) -> bool {
        self.served.contains_key(&served.key)
    }

    /// The id of a request that is being served, as it was sent.
    #[must_use]
    pub fn served_id(&self, served: Served) -> Option<&Id> {
        self.served.get(&served.key).map(|state| &state.id)
    }

    /// A notification of ours: about the request of its handler, or about nothing. The verdict says what becomes of it.
    pub fn notify(&mut self, now: Moment, origin: Origin) -> Verdict {
        self.begin(now);
        let (event, exchange, served, known) = match origin {
            Origin::Handler(served) => {
                let known = self.served.contains_key(&served.key);
                (Event::ServedNote, Some(self.carrier(served.exchange)), Some(served), known)
            }
            Origin::Own => (Event::OwnNote, self.own_way(), None, true),
        };
        let talks = exchange.filter(|exchange| self.is_talkative(*exchange));
        let facts = self.way_facts(talks).with(Facts::KNOWN, known);
        let mut matter = Matter { exchange, served, delivery: Some(Delivery::Note), ..Matter::default() };
        self.fire(event, facts, &mut matter);
        matter.verdict.unwrap_or(Verdict::Drop(super::Dropped::NotWritable))
    }

    fn cancelled(&mut self, id: Option<Id>) {
        let key = id.as_ref().and_then(|id| {
            let first = (id.clone(), ExchangeId(0));
            let last = (id.clone(), ExchangeId(u32::MAX));
            self.ids.range(first..=last).next_back().map(|(_, key)| *key)
        });
        let state = key.and_then(|key| self.served.get(&key).map(|state| (key, state)));
        //= 2026-07-28/basic/patterns/cancellation#cancellation
        //# A server **MUST** send `notifications/cancelled`
        //# referencing a `subscriptions/listen` request ID when it tears down that subscription
        //# stream
        let call = id.filter(|_| state.is_none()).and_then(|id| self.listen_of_ours(&id));
        let facts = Facts::NONE
            .with(Facts::OUR_LISTEN, call.is_some())
            .with(Facts::KNOWN, state.is_some())
            .with(Facts::QUEUED, state.is_some_and(|(_, state)| state.stage == Stage::Queued))
            .with(Facts::INITIALIZE, state.is_some_and(|(_, state)| state.kind == MethodKind::Initialize));
        let served = state.map(|(key, state)| Served { key, exchange: state.exchange });
        self.fire(Event::Cancelled, facts, &mut Matter { served, call, ..Matter::default() });
    }

    pub(super) fn cancel_one(&mut self, served: Option<Served>) {
        if let Some(served) = served {
            self.stop(served, Stopped::Cancelled);
        }
    }

    pub(super) fn cancel_served(&mut self) {
        self.stop_all(Stopped::Cancelled);
    }

    pub(super) fn cut_off_served(&mut self) {
        self.stop_all(Stopped::CutOff);
    }

    fn stop_all(&mut self, how: Stopped) {
        while let Some((key, state)) = self.served.first_key_value() {
            self.stop(Served { key: *key, exchange: state.exchange }, how);
        }
    }

    fn stop(&mut self, served: Served, how: Stopped) {
        if !self.is_serving(served) {
            return;
        }
        // Said before the exchange is closed that this may have been the last request of.
        self.outputs.push_back(Output::Cancel(served));
        let Some(state) = self.remove(served) else { return };
        let who = CutOff { id: state.id, method: state.method };
        match (&state.stage, how) {
            (Stage::Queued, _) => self.tally.never_started += 1,
            (Stage::Running, Stopped::CutOff) => self.tally.cut_off.push(who.clone()),
            (Stage::Running | Stage::Listening(_), _) => self.tally.cancelled += 1,
        }
        // A listen has no handler that could outlive it.
        if state.stage == Stage::Running {
            self.dying.insert(served.key, who);
        }
    }

    pub(super) fn gone(&mut self, served: Served) {
        self.dying.remove(&served.key);
    }

    /// Takes a request out of every index.
    pub(super) fn remove(&mut self, served: Served) -> Option<ServedState> {
        let state = self.served.remove(&served.key)?;
        self.ids.remove(&(state.id.clone(), self.carrier(state.exchange)));
        self.held = self.held.saturating_sub(state.bytes);
        match &state.stage {
            Stage::Queued => self.queue.retain(|key| *key != served.key),
            Stage::Running => self.running -= 1,
            Stage::Listening(listener) => {
                self.listening -= 1;
                self.subscriptions -= listener.subscriptions();
            }
        }
        if matches!(self.handshake, Handshake::Answering(key, _) if key == served.key) {
            self.handshake = Handshake::Fresh;
        }
        if let Some(exchange) = self.exchanges.get_mut(&state.exchange) {
            exchange.open -= 1;
        }
        self.close_if_done(state.exchange);
        Some(state)
    }

    pub(super) fn malformed(&mut self, exchange: ExchangeId, head: Malformed) {
        let call = head.id.as_ref().and_then(super::CallId::from_wire).filter(|call| self.calls.contains(call.0));
        // What names one of our calls and asks for nothing was meant to answer it, whatever it lacks.
        let answers = matches!(head.fault, Fault::TooLarge | Fault::NotAMessage) && head.subject == Subject::Unknown;
        let is_response =
            head.subject == Subject::Response || (answers && call.is_some() && self.config.role == super::Role::Client);
        let is_text = matches!(head.id, Some(Id::Str(_)));
        self.tally.ids_as_text += u64::from(is_response && is_text && call.is_some());
        let facts = self
            .way_facts(Some(exchange))
            .with(Facts::KNOWN, call.is_some())
            .with(Facts::RESPONSE, is_response)
            .with(Facts::NOTIFICATION, head.subject == Subject::Notification)
            .with(Facts::BAD_PARAMS, head.fault == Fault::BadParams)
            .with(Facts::TRUNCATED, head.fault == Fault::Truncated)
            .with(Facts::LOST, head.fault == Fault::TooLarge && head.id.is_none());
        let broken = Some(head.to_string().into());
        let mut matter = Matter { exchange: Some(exchange), call, malformed: Some(head), broken, ..Matter::default() };
        self.fire(Event::Malformed, facts, &mut matter);
    }

    pub(super) fn answer_malformed(&mut self, matter: &mut Matter) {
        let Some(head) = matter.malformed.take() else { return };
        self.tally.malformed += 1;
        let id = head.id.clone().map_or_else(|| self.no_id(), ErrorId::Known);
        self.transmit(matter.exchange, Head::Malformed(id, Box::new(head)));
    }

    /// How an error without an id is written: the negotiated revision decides; else it is absent once a modern request
    /// was seen; else null.
    fn no_id(&self) -> ErrorId {
        let is_absent = self.negotiated().map_or(self.modern_seen, |version| version.error_without_id());
        if is_absent { ErrorId::Absent } else { ErrorId::Null }
    }

    pub(super) fn note_done(&mut self, panicked: bool) {
        self.inbox = self.inbox.saturating_sub(1);
        if panicked {
            self.fire(Event::CallbackPanicked, Facts::NONE, &mut Matter::default());
        }
    }
}
