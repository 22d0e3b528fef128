//! Calls of ours: each settles exactly once.

use std::time::Duration;

use mcp_types::jsonrpc::Id;

use super::Engine;
use super::event::{Event, NoCall};
use super::facts::Facts;
use super::fire::Matter;
use super::io::{
    CallId, CallRefused, CallSpec, Delivery, ExchangeId, Head, Moment, Origin, Output, Progress, Served, Settled,
};
use super::report::Reason;

#[derive(Clone, Copy, Debug)]
pub(super) struct CallState {
    pub(super) handler: Option<Served>,
    pub(super) exchange: Option<ExchangeId>,
    pub(super) sent: bool,
    opens: bool,
    listens: bool,
    idle: Option<Duration>,
    idle_at: Option<Moment>,
    /// The most that was told of it.
    progress: Progress,
    total_at: Option<Moment>,
}

impl CallState {
    /// When the first of its limits passes.
    fn due(&self) -> Option<Moment> {
        match (self.idle_at, self.total_at) {
            (Some(idle), Some(total)) => Some(idle.min(total)),
            (idle, total) => idle.or(total),
        }
    }

    pub(super) fn fingerprint(&self, now: Moment) -> impl std::hash::Hash + use<> {
        let left = |at: Option<Moment>| at.map(|at| at.since_start().saturating_sub(now.since_start()));
        (
            self.handler.is_some(),
            self.exchange,
            self.sent,
            self.opens,
            self.listens,
            left(self.idle_at),
            self.progress.bits(),
            left(self.total_at),
        )
    }
}

impl Engine {
    /// Our side calls the peer.
    ///
    /// # Errors
    ///
    /// [`CallRefused`] when the call cannot be answered or carried; nothing is sent then.
    pub fn call(&mut self, now: Moment, spec: CallSpec) -> Result<CallId, CallRefused> {
        self.begin(now);
        let (handler, modern, exchange) = match spec.origin {
            Origin::Own => (None, false, self.own_way()),
            Origin::Handler(served) => {
                let modern = self.served.get(&served.key).is_some_and(|state| state.modern);
                (Some(served), modern, self.call_way(served.exchange))
            }
        };
        let facts = Facts::NONE
            .with(Facts::BY_HANDLER, handler.is_some())
            .with(Facts::MODERN, modern)
            .with(Facts::CARRIER, self.can_carry_call(exchange));
        let mut matter = Matter { exchange, ..Matter::default() };
        self.fire(Event::Call, facts, &mut matter);
        let Some(exchange) = exchange.filter(|_| matter.placed) else {
            let reason = self.reason().map(|(reason, _)| reason);
            return Err(CallRefused { why: matter.refused.unwrap_or(NoCall::NoCarrier), reason });
        };
        let id = CallId(self.next_call);
        self.next_call += 1;
        let call = CallState {
            handler,
            exchange: Some(exchange),
            sent: false,
            opens: spec.opens,
            listens: spec.listens,
            idle: spec.idle,
            idle_at: self.deadline(spec.first.or(spec.idle)),
            progress: Progress::NONE,
            total_at: self.deadline(spec.total),
        };
        self.await_call(call.due());
        self.calls.push(id.0, call);
        self.transmit(Some(exchange), Head::Call(id));
        Ok(id)
    }

    /// Our side does not want the answer of a call any more: its future was dropped.
    pub fn cancel(&mut self, now: Moment, call: CallId) {
        self.begin(now);
        self.give_up(Event::CallCancelled, call, Settled::Cancelled);
        self.afterwards();
    }

    /// The peer has told a client which era it speaks, or a client has finished its handshake.
    pub fn established(&mut self, version: mcp_types::version::Version) {
        match version.era() {
            mcp_types::version::Era::Modern => self.peer_modern = true,
            mcp_types::version::Era::Legacy => self.handshake = super::Handshake::Done(version),
        }
    }

    /// The first byte of a call's frame was written. Nothing follows from it before something else happens.
    pub fn sent(&mut self, call: CallId) {
        if let Some(state) = self.calls.get_mut(call.0)
            && !state.sent
        {
            state.sent = true;
            self.calls_sent += 1;
        }
    }

    pub(super) fn response(&mut self, call: Option<CallId>, is_text: bool) {
        let known = call.filter(|call| self.calls.contains(call.0));
        self.tally.ids_as_text += u64::from(is_text && known.is_some());
        let facts = Facts::NONE.with(Facts::KNOWN, known.is_some());
        self.fire(Event::Response, facts, &mut Matter { call: known, ..Matter::default() });
    }

    /// The listen of ours that an id names. The peer cannot know of one that was not sent.
    pub(super) fn listen_of_ours(&self, id: &Id) -> Option<CallId> {
        CallId::from_wire(id).filter(|call| self.calls.get(call.0).is_some_and(|state| state.listens && state.sent))
    }

    //= 2026-07-28/basic/patterns/progress#progress-flow
    //# The `progress` value **MUST** increase with each notification, even if the total is
    //# unknown.
    pub(super) fn progress(&mut self, call: Option<CallId>, progress: Option<Progress>) {
        let state = call.and_then(|call| self.calls.get_mut(call.0));
        let is_falling = match (state, progress) {
            (Some(state), Some(progress)) if progress < state.progress => true,
            (Some(state), Some(progress)) => {
                state.progress = progress;
                false
            }
            _ => false,
        };
        let facts = Facts::NONE.with(Facts::FALLING, is_falling);
        self.about_call(Event::Progress, call, facts, Delivery::Progress);
    }

    pub(super) fn subscribed(&mut self, call: Option<CallId>) {
        self.about_call(Event::Subscribed, call, Facts::NONE, Delivery::Subscribed);
    }

    /// A notification arrived that belongs to a call.
    fn about_call(&mut self, event: Event, call: Option<CallId>, more: Facts, delivery: impl Fn(CallId) -> Delivery) {
        let known = call.filter(|call| self.calls.contains(call.0));
        let facts = more.with(Facts::KNOWN, known.is_some());
        let delivery = known.map(delivery);
        self.fire(event, facts, &mut Matter { call: known, delivery, ..Matter::default() });
    }

    pub(super) fn restart_idle(&mut self, call: CallId) {
        // What calls are awaited until stays: when that passes, the later limit is found.
        let now = self.now;
        if let Some(state) = self.calls.get_mut(call.0) {
            state.idle_at = state.idle.map(|idle| now.after(idle));
        }
    }

    /// Gives up the calls that have a limit which has passed by `at`.
    ///
    /// Calls settle long before their limits, so no call has a timer of its own: there is one moment before which none
    /// of them is due, and when it passes they are looked at. With defaults that is once a minute.
    pub(super) fn calls_due_at(&mut self, at: Moment) {
        let is_past = |limit: Option<Moment>| limit.is_some_and(|limit| limit <= at);
        let due: Vec<_> = self.calls.iter().filter(|(_, call)| is_past(call.due())).map(|(id, _)| CallId(id)).collect();
        self.calls_due = self.calls.iter().filter_map(|(_, call)| call.due().filter(|due| *due > at)).min();
        for call in due {
            // Giving up one may have settled others.
            let Some(state) = self.calls.get(call.0) else { continue };
            let how = if is_past(state.total_at) { Settled::TookTooLong } else { Settled::Idle };
            self.give_up(Event::CallTimedOut, call, how);
        }
    }

    fn await_call(&mut self, due: Option<Moment>) {
        if let Some(due) = due {
            self.calls_due = Some(self.calls_due.map_or(due, |at| at.min(due)));
        }
    }

    fn give_up(&mut self, event: Event, call: CallId, gave_up: Settled) {
        let state = self.calls.get(call.0);
        let facts = Facts::NONE
            .with(Facts::KNOWN, state.is_some())
            .with(Facts::SENT, state.is_some_and(|state| state.sent))
            .with(Facts::INITIALIZE, state.is_some_and(|state| state.opens));
        let asked = Some(((Reason::Closed, None), (Reason::Aborted, None)));
        let mut matter = Matter { call: Some(call), gave_up: Some(gave_up), asked, ..Matter::default() };
        self.fire(event, facts, &mut matter);
    }

    // What follows are the acts of the table that are about calls.

    pub(super) fn settle(&mut self, call: CallId, settled: Settled) {
        let Some(was_sent) = self.calls.remove(call.0, |state| state.sent) else { return };
        self.calls_sent -= usize::from(was_sent);
        if self.calls.is_empty() {
            self.calls_due = None;
        }
        self.outputs.push_back(Output::Settle(call, settled));
    }

    pub(super) fn settle_calls(&mut self, matter: &Matter, which: impl Fn(&CallState) -> bool) {
        let calls: Vec<_> = self.calls.iter().filter(|(_, state)| which(state)).map(|(call, _)| CallId(call)).collect();
        if calls.is_empty() {
            return;
        }
        // What does not end the session leaves an end that began before, or it is a stream that nobody reads.
        let noted = || self.noted.map(|(reason, _)| reason);
        let reason = self.ends_with(matter).or_else(noted).unwrap_or(Reason::PeerGone);
        for call in calls {
            self.settle(call, Settled::Closed(reason));
        }
    }

    pub(super) fn withdraw(&mut self, call: Option<CallId>) {
        self.outputs.extend(call.map(Output::Withdraw));
    }

    pub(super) fn tell_peer(&mut self, call: Option<CallId>) {
        let Some(call) = call else { return };
        let exchange = self.carrier_of_call(call);
        if self.can_carry(exchange) {
            self.transmit(exchange, Head::CancelCall(call));
        }
    }

    pub(super) fn tell_peer_of_calls(&mut self) {
        let calls: Vec<_> = self.calls.iter().map(|(call, state)| (CallId(call), state.sent, state.opens)).collect();
        for (call, sent, opens) in calls {
            match (sent, opens) {
                (_, true) => {}
                (false, false) => self.withdraw(Some(call)),
                (true, false) => self.tell_peer(Some(call)),
            }
        }
    }
}
