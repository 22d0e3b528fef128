//! The dispatcher: finds the rows of an event whose facts hold, and carries their acts out.

use std::borrow::Cow;

use mcp_types::jsonrpc::Malformed;

use super::event::{Act, Event, No, NoCall, Takes, Why};
use super::facts::Facts;
use super::io::{CallId, Claim, Delivery, ExchangeId, Moment, RequestHead, Served, Settled, Verdict};
use super::report::{Dropped, Reason};
use super::timers::Because;
use super::{AtReadEnd, Engine, Handshake, Output, Read, Role, Write};

/// What an event is about, and what came of it.
#[derive(Debug, Default)]
pub(super) struct Matter {
    pub(super) exchange: Option<ExchangeId>,
    pub(super) served: Option<Served>,
    pub(super) call: Option<CallId>,
    pub(super) request: Option<RequestHead>,
    pub(super) malformed: Option<Malformed>,
    pub(super) asked: Option<(Because, Because)>,
    pub(super) until: Option<Moment>,
    pub(super) gave_up: Option<Settled>,
    pub(super) fired: Option<(Event, Facts)>,
    pub(super) broken: Option<Cow<'static, str>>,
    pub(super) delivery: Option<Delivery>,
    // What came of it.
    pub(super) verdict: Option<Verdict>,
    pub(super) refused: Option<NoCall>,
    pub(super) placed: bool,
}

impl Engine {
    /// Carries out what the table says of `event`.
    pub(super) fn fire(&mut self, event: Event, more: Facts, matter: &mut Matter) {
        let facts = self.facts() | more;
        let event = self.or_after_end(event);
        matter.fired = Some((event, facts));
        let mut from = 0;
        while let Some((at, row)) = self.config.table.find(event, from, facts) {
            self.reached |= 1 << (row.rule as u32);
            for act in row.then {
                self.apply(*act, matter);
            }
            if event.takes() == Takes::First {
                return;
            }
            from = at + 1;
        }
    }

    /// The reason that the rows of an event end the session with, when they do: calls that settle on the way are told it.
    pub(super) fn ends_with(&self, matter: &Matter) -> Option<Reason> {
        let (event, facts) = matter.fired?;
        let rows = self.config.table.rows_of(event).iter().filter(|row| row.holds(facts));
        let rows = rows.take(if event.takes() == Takes::First { 1 } else { usize::MAX });
        let why = rows.flat_map(|row| row.then).find_map(|act| act.ends())?;
        Some(self.because(why, matter).0)
    }

    /// Once the session is over, whatever is reported from outside is one event. Calls of ours have somebody who waits
    /// for an answer: they keep their rows.
    fn or_after_end(&self, event: Event) -> Event {
        let is_ours = matches!(event, Event::Call | Event::CallCancelled | Event::CallTimedOut);
        let is_over = self.over.is_some() && !is_ours && !self.config.table.rows_of(Event::AfterEnd).is_empty();
        if is_over { Event::AfterEnd } else { event }
    }

    /// The facts that hold whatever the event is about.
    fn facts(&self) -> Facts {
        Facts::NONE
            .with(Facts::CLIENT, self.config.role == Role::Client)
            .with(Facts::READ_ENDED, self.read == Read::Ended)
            .with(Facts::WRITE_OVER, matches!(self.write, Write::Closing | Write::Failed))
            .with(Facts::DRAINING, self.draining)
            .with(Facts::CLOSING, self.closing)
            .with(Facts::DRAINS, self.config.at_read_end == AtReadEnd::Drain && self.config.role == Role::Server)
            .with(Facts::AWAITING, self.awaiting)
            .with(Facts::CALLS_SENT, self.calls_sent > 0)
            .with(Facts::CALLS_FULL, self.calls.len() >= self.config.limits.calls)
            .with(Facts::LISTENING, self.listening > 0)
            .with(Facts::HANDSHAKEN, self.handshake != Handshake::Fresh)
            .with(Facts::PEER_MODERN, self.peer_modern)
            .with(Facts::INBOX_FULL, self.inbox >= self.config.limits.inbox)
            .with(Facts::SINGLE, self.single.is_some())
    }

    // Apart from the walk over the rows, which would otherwise get everything ready that any act may need.
    #[inline(never)]
    fn apply(&mut self, act: Act, matter: &mut Matter) {
        match act {
            Act::SettleOwnCalls => self.settle_calls(matter, |call| call.handler.is_none()),
            Act::SettleHandlerCalls => self.settle_calls(matter, |call| call.handler.is_some()),
            Act::SettleUnsentCalls => self.settle_calls(matter, |call| !call.sent),
            Act::SettleExchangeCalls => {
                self.settle_calls(matter, |call| call.exchange.is_some() && call.exchange == matter.exchange);
            }
            Act::TellPeerOfCalls => self.tell_peer_of_calls(),
            Act::AwaitAnswers => self.await_answers(),
            Act::AwaitAttach => self.await_attach(matter.exchange),
            Act::CancelServed => self.cancel_served(),
            Act::CutOffServed => self.cut_off_served(),
            Act::EndListens => self.end_listens(),
            Act::Drain(why) => self.begin_drain(self.because(why, matter), matter.until),
            Act::CloseWrite(why) => self.close_write(self.because(why, matter)),
            Act::Discard => self.discard(),
            Act::Finish(why) => self.finish_session(self.because(why, matter)),
            Act::CloseExchange => self.close_exchange(matter.exchange),
            Act::Start => self.start(matter),
            Act::Enqueue => self.enqueue(matter),
            Act::Pong => self.pong(matter),
            Act::Refuse(no) => self.refuse(no, matter),
            Act::CancelOne => self.cancel_one(matter.served),
            Act::AnswerMalformed => self.answer_malformed(matter),
            Act::CountTruncated => self.tally.truncated += 1,
            Act::Transmit => matter.verdict = self.way_of(matter),
            Act::Store => matter.verdict = self.store_of(matter),
            Act::Drop(why) => self.drop_matter(why, matter),
            Act::Deliver => self.deliver(matter),
            Act::DropOldestNote => self.drop_oldest_note(),
            Act::Place => matter.placed = true,
            Act::Nothing => {}
            Act::RefuseCall(why) => matter.refused = Some(why),
            Act::SettleAnswered => self.settle_matter(matter, Settled::Answered),
            Act::SettleBroken => {
                let broken = matter.broken.take().unwrap_or_default();
                self.settle_matter(matter, Settled::Broken(broken));
            }
            Act::SettleEnded => self.settle_matter(matter, Settled::EndedByPeer),
            Act::SettleGivenUp => {
                let gave_up = matter.gave_up.take().unwrap_or(Settled::Cancelled);
                self.settle_matter(matter, gave_up);
            }
            Act::Withdraw => self.withdraw(matter.call),
            Act::TellPeer => self.tell_peer(matter.call),
            Act::StopReading => self.reading_stopped = true,
            Act::ResumeReading => self.reading_stopped = false,
        }
    }

    fn because(&self, why: Why, matter: &Matter) -> Because {
        let noted = || self.noted.unwrap_or((Reason::Closed, None));
        match why {
            Why::Is(reason) => (reason, None),
            Why::Noted => noted(),
            Why::Asked => matter.asked.map_or_else(noted, |(close, _)| close),
            Why::AskedAbort => matter.asked.map_or_else(noted, |(_, abort)| abort),
        }
    }

    fn drop_matter(&mut self, why: Dropped, matter: &mut Matter) {
        if matter.request.is_some() {
            self.tally.received += 1;
            self.tally.never_started += 1;
        }
        if matter.malformed.is_some() {
            self.tally.malformed += 1;
        }
        self.note_dropped(why);
        matter.verdict = Some(Verdict::Drop(why));
    }

    pub(super) fn note_dropped(&mut self, why: Dropped) {
        self.tally.drop_one(why);
        self.outputs.push_back(Output::Dropped(why));
    }

    fn settle_matter(&mut self, matter: &Matter, settled: Settled) {
        if let Some(call) = matter.call {
            self.settle(call, settled);
        }
    }

    fn deliver(&mut self, matter: &Matter) {
        let delivery = matter.delivery.unwrap_or(Delivery::Note);
        match delivery {
            Delivery::Progress(call) | Delivery::Subscribed(call) => self.restart_idle(call),
            Delivery::Note => self.inbox += 1,
        }
        self.outputs.push_back(Output::Deliver(delivery));
    }

    fn drop_oldest_note(&mut self) {
        self.inbox = self.inbox.saturating_sub(1);
        self.outputs.push_back(Output::DropOldestNote);
        self.note_dropped(Dropped::Overtaken);
    }

    pub(super) fn refuse(&mut self, no: No, matter: &mut Matter) {
        let (id, claim) = match (matter.request.take(), matter.served) {
            (Some(request), _) => {
                self.tally.received += 1;
                self.tally.refused += 1;
                (request.id, request.claim)
            }
            (None, Some(served)) => match self.served.get(&served.key) {
                Some(state) => (state.id.clone(), Claim::None),
                None => return,
            },
            (None, None) => return,
        };
        self.transmit(matter.exchange, super::Head::Refused(id, Box::new(super::Refusal { no, claim })));
        matter.verdict = Some(Verdict::Answered);
    }
}
