//! The closing table: every decision about endings, as data.
//!
//! Size: one row a line, so that it can be read from top to bottom.

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use super::event::{Act, Event, No, NoCall, Takes, Why};
use super::facts::Facts as F;
use super::report::{Dropped, Reason};
use super::rule::{Keeper, Rule};

/// One row: on this event, when these facts hold and those do not, do this.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Row {
    /// The rule that the row belongs to.
    pub rule: Rule,
    /// The event that the row is about.
    pub on: Event,
    /// Facts that must hold.
    pub when: F,
    /// Facts that must not hold.
    pub unless: F,
    /// What is done, in order.
    pub then: &'static [Act],
}

const fn row(rule: Rule, on: Event, when: F, unless: F, then: &'static [Act]) -> Row {
    Row { rule, on, when, unless, then }
}

const ANY: F = F::NONE;

use Act::*;
use Event as E;
use Rule::*;

#[rustfmt::skip]
const ROWS: &[Row] = &[
    //  rule event               when                          unless                       then
    row(C8,  E::AfterEnd,        ANY,                          ANY,                         &[Drop(Dropped::AfterEnd)]),

    // The peer has said all it will say.
    row(C1,  E::ReadEnded,       ANY,                          ANY,                         &[SettleOwnCalls]),
    row(C13, E::ReadEnded,       ANY,                          ANY,                         &[SettleHandlerCalls]),
    row(C19, E::ReadEnded,       F::LISTENING,                 F::WRITE_OVER.and(F::SINGLE), &[EndListens]),
    row(C2,  E::ReadEnded,       F::DRAINS,                    F::AWAITING.and(F::DRAINING).and(F::SINGLE), &[Drain(Why::Is(Reason::ReadEnded))]),
    row(C3a, E::ReadEnded,       ANY,                          F::AWAITING.and(F::DRAINS).and(F::SINGLE), &[CancelServed, CloseWrite(Why::Is(Reason::ReadEnded))]),

    // Nobody reads any more.
    row(C1,  E::PeerGone,        ANY,                          ANY,                         &[SettleOwnCalls]),
    row(C13, E::PeerGone,        ANY,                          ANY,                         &[SettleHandlerCalls]),
    row(C3b, E::PeerGone,        ANY,                          F::AWAITING,                 &[CancelServed, Discard, Finish(Why::Is(Reason::PeerGone))]),
    row(C37, E::ExchangeGone,    ANY,                          F::SERVING,                  &[CloseExchange]),
    row(C33, E::ExchangeGone,    ANY,                          ANY,                         &[SettleExchangeCalls]),
    row(C33, E::Detached,        ANY,                          F::STORED,                   &[SettleExchangeCalls]),
    row(C33, E::Detached,        ANY,                          F::STORED.and(F::SERVING),   &[CloseExchange]),
    row(C33, E::Detached,        F::STORED,                    ANY,                         &[AwaitAttach]),
    row(C33, E::DetachedTooLong, ANY,                          ANY,                         &[SettleExchangeCalls]),
    row(C33, E::DetachedTooLong, ANY,                          F::SERVING,                  &[CloseExchange]),
    row(C34, E::SessionOver,     ANY,                          ANY,                         &[SettleOwnCalls, SettleHandlerCalls, CancelServed, Discard, Finish(Why::Asked)]),

    // Writing fails.
    row(C6b, E::WriteFailed,     F::CALLS_SENT,                F::LOCAL,                    &[CancelServed, Discard, SettleUnsentCalls]),
    row(C6c, E::WriteFailed,     F::CALLS_SENT.and(F::LOCAL),  ANY,                         &[CancelServed, Discard, SettleUnsentCalls]),
    row(C20, E::WriteFailed,     F::CALLS_SENT,                ANY,                         &[AwaitAnswers]),
    row(C6b, E::WriteFailed,     ANY,                          F::CALLS_SENT.and(F::LOCAL), &[CancelServed, Discard, SettleUnsentCalls, Finish(Why::Noted)]),
    row(C6c, E::WriteFailed,     F::LOCAL,                     F::CALLS_SENT,               &[CancelServed, Discard, SettleUnsentCalls, Finish(Why::Noted)]),
    row(C20, E::AwaitOver,       ANY,                          ANY,                         &[SettleOwnCalls, SettleHandlerCalls, Finish(Why::Noted)]),
    row(C31, E::Stalled,         ANY,                          ANY,                         &[SettleOwnCalls, SettleHandlerCalls, CancelServed, Discard, Finish(Why::Is(Reason::Stalled))]),

    // Our side ends.
    row(C30, E::Close,           F::DRAINING,                  ANY,                         &[SettleOwnCalls, SettleHandlerCalls, CutOffServed, Discard, Finish(Why::AskedAbort)]),
    row(C29, E::Close,           F::CLIENT,                    F::DRAINING.and(F::CLOSING), &[TellPeerOfCalls, SettleOwnCalls, SettleHandlerCalls, CancelServed, CloseWrite(Why::Asked)]),
    row(C19, E::Close,           F::LISTENING,                 F::DRAINING,                 &[EndListens]),
    row(C17, E::Close,           ANY,                          F::CLIENT.and(F::DRAINING),  &[Drain(Why::Asked)]),
    row(C9,  E::Abort,           ANY,                          ANY,                         &[SettleOwnCalls, SettleHandlerCalls, CutOffServed, Discard, Finish(Why::AskedAbort)]),
    row(C25, E::DriverGone,      ANY,                          ANY,                         &[SettleOwnCalls, SettleHandlerCalls, CancelServed, Discard, Finish(Why::Is(Reason::DriverGone))]),
    row(C42, E::HandlesDropped,  F::CLIENT,                    F::CLOSING,                  &[TellPeerOfCalls, SettleOwnCalls, SettleHandlerCalls, CancelServed, CloseWrite(Why::Asked)]),
    row(C42, E::HandlesDropped,  ANY,                          F::CLIENT,                   &[Nothing]),
    row(C4,  E::DrainOver,       ANY,                          ANY,                         &[SettleOwnCalls, SettleHandlerCalls, CutOffServed, Discard, Finish(Why::Is(Reason::DeadlinePassed))]),
    row(C2,  E::Idle,            F::SINGLE,                    F::DRAINING,                 &[CloseWrite(Why::Is(Reason::ReadEnded))]),
    row(C2,  E::Idle,            F::READ_ENDED.and(F::DRAINING), ANY,                       &[CloseWrite(Why::Noted)]),
    row(C17, E::Idle,            ANY,                          F::READ_ENDED,               &[SettleOwnCalls, SettleHandlerCalls, CloseWrite(Why::Noted)]),
    row(S7,  E::Flushed,         ANY,                          ANY,                         &[Finish(Why::Noted)]),

    // Requests.
    row(C20, E::Request,         F::WRITE_OVER,                ANY,                         &[Drop(Dropped::NobodyToAnswer)]),
    row(C6a, E::Request,         ANY,                          F::WRITABLE.and(F::STORED),  &[Drop(Dropped::NotWritable)]),
    row(C32, E::Request,         F::CLIENT.and(F::PEER_MODERN), ANY,                        &[Drop(Dropped::NotInThisEra)]),
    row(C40, E::Request,         F::DUPLICATE,                 ANY,                         &[Refuse(No::DuplicateId)]),
    row(S3,  E::Request,         F::UNSUPPORTED,               F::CLIENT,                   &[Refuse(No::UnsupportedVersion)]),
    row(S3,  E::Request,         F::PARTIAL,                   F::CLIENT.and(F::HANDSHAKEN), &[Refuse(No::BadMeta)]),
    row(S3,  E::Request,         F::MODERN.and(F::LEGACY_ONLY), F::CLIENT,                  &[Refuse(No::MethodNotFound)]),
    row(S2,  E::Request,         F::PING,                      ANY,                         &[Pong]),
    row(C40, E::Request,         F::INITIALIZE.and(F::HANDSHAKEN), F::CLIENT,               &[Refuse(No::AlreadyInitialized)]),
    row(S3,  E::Request,         F::LEGACY_METHOD,             F::CLIENT.and(F::HANDSHAKEN).and(F::MODERN).and(F::INITIALIZE), &[Refuse(No::InitializeFirst)]),
    row(S3,  E::Request,         ANY,                          F::CLIENT.and(F::HANDSHAKEN).and(F::MODERN).and(F::INITIALIZE), &[Refuse(No::BadMeta)]),
    row(C39, E::Request,         F::CLOSING,                   ANY,                         &[Refuse(No::Closing)]),
    row(C39, E::Request,         F::QUEUE_FULL,                ANY,                         &[Refuse(No::Overloaded)]),
    row(C16, E::Request,         F::FULL,                      ANY,                         &[Enqueue]),
    row(S1,  E::Request,         ANY,                          ANY,                         &[Start]),

    // Cancellation by the peer.
    row(C10, E::Cancelled,       F::OUR_LISTEN,                ANY,                         &[SettleEnded]),
    row(C22, E::Cancelled,       ANY,                          F::KNOWN,                    &[Drop(Dropped::LateCancel)]),
    row(C22, E::Cancelled,       F::INITIALIZE,                ANY,                         &[Drop(Dropped::LateCancel)]),
    row(C22, E::Cancelled,       F::QUEUED,                    ANY,                         &[CancelOne]),
    row(C10, E::Cancelled,       ANY,                          ANY,                         &[CancelOne]),

    // Responses and notifications of the peer.
    row(C12, E::Response,        ANY,                          F::KNOWN,                    &[Drop(Dropped::UnknownResponse)]),
    row(S5,  E::Response,        F::KNOWN,                     ANY,                         &[SettleAnswered]),
    row(S6,  E::Progress,        F::KNOWN,                     F::FALLING,                  &[Deliver]),
    row(S6,  E::Progress,        F::KNOWN.and(F::FALLING),     ANY,                         &[Drop(Dropped::FallingProgress)]),
    row(S6,  E::Progress,        ANY,                          F::KNOWN,                    &[Drop(Dropped::UnknownProgress)]),
    row(S6,  E::Subscribed,      F::KNOWN,                     ANY,                         &[Deliver]),
    row(S6,  E::Subscribed,      ANY,                          F::KNOWN,                    &[Drop(Dropped::UnknownSubscription)]),
    row(S3,  E::Note,            ANY,                          F::CLIENT.and(F::HANDSHAKEN).and(F::MODERN), &[Drop(Dropped::BeforeHandshake)]),
    row(C38, E::Note,            F::INBOX_FULL,                ANY,                         &[DropOldestNote, Deliver]),
    row(S6,  E::Note,            ANY,                          ANY,                         &[Deliver]),
    row(C44, E::CallbackPanicked, ANY,                         ANY,                         &[Drop(Dropped::CallbackPanicked)]),

    // What cannot be read.
    row(C14, E::Malformed,       F::TRUNCATED,                 ANY,                         &[CountTruncated]),
    row(C8,  E::Malformed,       ANY,                          F::WRITABLE.and(F::RESPONSE), &[Drop(Dropped::Malformed)]),
    row(C15, E::Malformed,       F::CLIENT.and(F::LOST),       F::NOTIFICATION,             &[SettleOwnCalls, SettleHandlerCalls, CancelServed, CloseWrite(Why::Is(Reason::FrameTooLarge))]),
    row(C15, E::Malformed,       F::RESPONSE.and(F::KNOWN),    ANY,                         &[SettleBroken]),
    row(C15, E::Malformed,       F::RESPONSE,                  F::KNOWN,                    &[Drop(Dropped::Malformed)]),
    row(C15, E::Malformed,       F::NOTIFICATION,              ANY,                         &[Drop(Dropped::Malformed)]),
    row(C15, E::Malformed,       F::CLIENT,                    F::BAD_PARAMS,               &[Drop(Dropped::Malformed)]),
    row(C15, E::Malformed,       ANY,                          ANY,                         &[AnswerMalformed]),

    // Answers and notifications of ours.
    row(C23, E::Answer,          ANY,                          F::KNOWN,                    &[Drop(Dropped::AfterAnswer)]),
    row(C6a, E::Answer,          F::STORED,                    F::WRITABLE,                 &[Store]),
    row(C6a, E::Answer,          ANY,                          F::WRITABLE,                 &[Drop(Dropped::NotWritable)]),
    row(S4,  E::Answer,          ANY,                          ANY,                         &[Transmit]),
    row(C23, E::Panicked,        ANY,                          F::KNOWN,                    &[Drop(Dropped::AfterAnswer)]),
    row(C6a, E::Panicked,        ANY,                          F::WRITABLE.and(F::STORED),  &[Drop(Dropped::NotWritable)]),
    row(C24, E::Panicked,        F::KNOWN,                     ANY,                         &[Refuse(No::Internal)]),
    row(C23, E::ServedNote,      ANY,                          F::KNOWN,                    &[Drop(Dropped::AfterAnswer)]),
    row(C6a, E::ServedNote,      F::STORED,                    F::WRITABLE,                 &[Store]),
    row(C6a, E::ServedNote,      ANY,                          F::WRITABLE,                 &[Drop(Dropped::NotWritable)]),
    row(S4,  E::ServedNote,      ANY,                          ANY,                         &[Transmit]),
    row(C6a, E::OwnNote,         F::STORED,                    F::WRITABLE,                 &[Store]),
    row(C6a, E::OwnNote,         ANY,                          F::WRITABLE,                 &[Drop(Dropped::NotWritable)]),
    row(S4,  E::OwnNote,         ANY,                          ANY,                         &[Transmit]),

    row(C19, E::Listen,          F::DRAINING,                  ANY,                         &[EndListens]),
    row(C39, E::Listen,          F::SUBSCRIPTIONS_FULL,        ANY,                         &[Refuse(No::Overloaded)]),
    row(S4,  E::Listen,          ANY,                          ANY,                         &[Nothing]),

    // Calls of ours.
    row(C32, E::Call,            F::BY_HANDLER.and(F::MODERN), F::CLIENT,                   &[RefuseCall(NoCall::NotInThisEra)]),
    row(C7,  E::Call,            F::WRITE_OVER,                ANY,                         &[RefuseCall(NoCall::Closed)]),
    row(C5,  E::Call,            F::READ_ENDED.and(F::BY_HANDLER), F::SINGLE,               &[RefuseCall(NoCall::Closed)]),
    row(C1,  E::Call,            F::READ_ENDED,                F::BY_HANDLER.and(F::SINGLE), &[RefuseCall(NoCall::Closed)]),
    row(C17, E::Call,            F::CLOSING,                   F::BY_HANDLER,               &[RefuseCall(NoCall::Closing)]),
    row(C32, E::Call,            ANY,                          F::CLIENT.and(F::HANDSHAKEN), &[RefuseCall(NoCall::NotInThisEra)]),
    row(C35, E::Call,            ANY,                          F::CARRIER,                  &[RefuseCall(NoCall::NoCarrier)]),
    row(S5,  E::Call,            F::CALLS_FULL,                ANY,                         &[RefuseCall(NoCall::TooMany)]),
    row(S5,  E::Call,            ANY,                          ANY,                         &[Place]),
    row(C43, E::CallTimedOut,    F::KNOWN.and(F::INITIALIZE),  ANY,                         &[SettleGivenUp, SettleOwnCalls, SettleHandlerCalls, CancelServed, CloseWrite(Why::Is(Reason::HandshakeTimedOut))]),
    row(C21, E::CallTimedOut,    F::KNOWN,                     F::SENT,                     &[Withdraw, SettleGivenUp]),
    row(C11, E::CallTimedOut,    F::KNOWN.and(F::SENT),        ANY,                         &[TellPeer, SettleGivenUp]),
    row(C11, E::CallCancelled,   F::KNOWN.and(F::INITIALIZE),  ANY,                         &[SettleGivenUp, SettleOwnCalls, SettleHandlerCalls, CancelServed, CloseWrite(Why::Asked)]),
    row(C21, E::CallCancelled,   F::KNOWN,                     F::SENT,                     &[Withdraw, SettleGivenUp]),
    row(C11, E::CallCancelled,   F::KNOWN.and(F::SENT),        ANY,                         &[TellPeer, SettleGivenUp]),
    row(S5,  E::CallCancelled,   ANY,                          F::KNOWN,                    &[Nothing]),
    row(S5,  E::CallTimedOut,    ANY,                          F::KNOWN,                    &[Nothing]),

    // A peer that does not read.
    row(C16, E::AnswersHigh,     ANY,                          F::CLIENT,                   &[StopReading]),
    row(C16, E::AnswersHigh,     F::CLIENT,                    ANY,                         &[Nothing]),
    row(C16, E::AnswersLow,      ANY,                          ANY,                         &[ResumeReading]),
];

/// The rows, indexed by event.
///
/// [`Table::standard`] is the table of every session. Other tables exist to prove the tests: a scenario that does not
/// notice a missing row proves nothing.
#[derive(Debug)]
pub struct Table {
    rows: Cow<'static, [Row]>,
    /// The same, each event's together: what the dispatcher walks.
    by_event: Vec<Box<[Row]>>,
}

static STANDARD: LazyLock<Arc<Table>> = LazyLock::new(|| Arc::new(Table::from_rows(Cow::Borrowed(ROWS))));

impl Table {
    /// The closing table.
    #[must_use]
    pub fn standard() -> Arc<Self> {
        Arc::clone(&STANDARD)
    }

    /// The closing table without the rows of one rule.
    #[must_use]
    pub fn without(rule: Rule) -> Arc<Self> {
        let rows = ROWS.iter().filter(|row| row.rule != rule).copied().collect();
        Arc::new(Self::from_rows(Cow::Owned(rows)))
    }

    /// A table of these rows.
    #[must_use]
    pub fn from_rows(rows: Cow<'static, [Row]>) -> Self {
        let of = |event| rows.iter().filter(|row| row.on == event).copied().collect();
        let by_event = Event::ALL.iter().map(|event| of(*event)).collect();
        Self { rows, by_event }
    }

    /// The rows, in order.
    #[must_use]
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The rows of an event, in order.
    pub(super) fn rows_of(&self, event: Event) -> &[Row] {
        self.by_event.get(event as usize).map_or(&[], |rows| rows)
    }

    /// The first row of an event that holds, from this one on, and its place among them.
    #[inline]
    pub(super) fn find(&self, event: Event, from: usize, facts: F) -> Option<(usize, Row)> {
        let rows = self.rows_of(event);
        let at = from + rows.get(from..)?.iter().position(|row| row.holds(facts))?;
        rows.get(at).map(|row| (at, *row))
    }

    /// The rules that fire on `event` when exactly `facts` hold.
    #[must_use]
    pub fn fires(&self, event: Event, facts: F) -> Vec<Rule> {
        let holds = self.rows.iter().filter(|row| row.on == event && row.holds(facts)).map(|row| row.rule);
        match event.takes() {
            Takes::Every => holds.collect(),
            Takes::First => holds.take(1).collect(),
        }
    }

    /// The facts that any row of `event` asks about.
    #[must_use]
    pub fn relevant(&self, event: Event) -> F {
        self.rows.iter().filter(|row| row.on == event).fold(F::NONE, |all, row| all | row.when | row.unless)
    }

    /// The table as Markdown, in the order of the rules.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        let mut text = String::from("| rule | promise | on: when → then |\n| --- | --- | --- |\n");
        for rule in Rule::ALL {
            let steps = match rule.keeper() {
                Keeper::Engine => self.steps(*rule),
                other => format!("kept by the {other:?}"),
            };
            text.push_str(&format!("| {rule} | {} | {steps} |\n", rule.promise()));
        }
        text
    }

    fn steps(&self, rule: Rule) -> String {
        let lines = self.rows.iter().filter(|row| row.rule == rule).map(|row| {
            let when = if row.when == F::NONE { String::new() } else { format!(", {}", row.when) };
            let unless = if row.unless == F::NONE { String::new() } else { format!(", not: {}", row.unless) };
            let acts: Vec<_> = row.then.iter().map(|act| format!("{act:?}")).collect();
            format!("{:?}{when}{unless} → {}", row.on, acts.join(", "))
        });
        lines.collect::<Vec<_>>().join("<br>")
    }
}

impl Row {
    /// Whether the row applies.
    #[must_use]
    pub const fn holds(&self, facts: F) -> bool {
        facts.has(self.when) && !facts.any(self.unless)
    }
}
