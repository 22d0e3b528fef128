//! Exchanges: the ways back to the peer, and how each of them ends.

use super::event::Event;
use super::facts::Facts;
use super::fire::Matter;
use super::io::{CallId, ExchangeId, ExchangeKind, Head, Origin, Output, Principal, Verdict};
use super::timers::Timer;
use super::{Engine, PeerAtReadEnd, Write};

#[derive(Clone, Debug)]
pub(super) struct Exchange {
    pub(super) kind: ExchangeKind,
    principal: Principal,
    read_ended: bool,
    link: Link,
    /// It carries answers and nothing else.
    is_quiet: bool,
    /// Requests that came on it and have not ended.
    pub(super) open: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Link {
    Attached,
    /// Its stream was lost and may be picked up again.
    Detached,
    /// The same, and nobody is expected any more.
    Forsaken,
    /// Being flushed and closed.
    Closing,
    /// Nobody reads it.
    Gone,
}

impl Exchange {
    /// Whether the end of this exchange is the end of the session.
    fn is_session(&self) -> bool {
        matches!(self.kind, ExchangeKind::Pipe | ExchangeKind::Single)
    }

    fn is_stored(&self) -> bool {
        matches!(self.kind, ExchangeKind::Post { stored: true } | ExchangeKind::Stream { stored: true })
    }

    /// Whether its frames are kept for somebody who may come back.
    fn is_away(&self) -> bool {
        matches!(self.link, Link::Detached | Link::Forsaken)
    }

    pub(super) fn fingerprint(&self) -> (ExchangeKind, bool, usize, bool, usize) {
        (self.kind, self.read_ended, self.link as usize, self.is_quiet, self.open)
    }
}

impl Engine {
    pub(super) fn opened(&mut self, id: ExchangeId, kind: ExchangeKind, principal: Principal) {
        if self.over.is_some() {
            return self.fire(Event::AfterEnd, Facts::NONE, &mut Matter::default());
        }
        let exchange = Exchange { kind, principal, read_ended: false, link: Link::Attached, is_quiet: false, open: 0 };
        self.exchanges.insert(id, exchange);
        if kind == ExchangeKind::Single {
            self.single = Some(id);
        }
        // The others were asked to close before it came.
        if self.write == Write::Closing {
            self.close_exchange(Some(id));
        }
    }

    /// An exchange carries answers and nothing else, as a response of HTTP that is one JSON text does: notifications about
    /// its requests are dropped, and calls go out where the session's own do.
    pub fn quiet(&mut self, exchange: ExchangeId) {
        if let Some(exchange) = self.exchanges.get_mut(&exchange) {
            exchange.is_quiet = true;
        }
    }

    /// The exchange that what this origin sends goes out on, when there is one.
    #[must_use]
    pub fn way_of_origin(&self, origin: Origin) -> Option<ExchangeId> {
        match origin {
            Origin::Own => self.own_way(),
            Origin::Handler(served) => Some(self.carrier(served.exchange)),
        }
    }

    /// The exchange for a call that is made while a request is served which came on this one.
    pub(super) fn call_way(&self, exchange: ExchangeId) -> Option<ExchangeId> {
        let carrier = self.carrier(exchange);
        let is_quiet = self.exchanges.get(&carrier).is_some_and(|it| it.is_quiet && it.kind != ExchangeKind::Single);
        if is_quiet { self.own_way() } else { Some(carrier) }
    }

    /// Whether an exchange carries what is not an answer.
    pub(super) fn is_talkative(&self, exchange: ExchangeId) -> bool {
        self.exchanges.get(&exchange).is_none_or(|exchange| !exchange.is_quiet)
    }

    /// Who speaks through an exchange: in a batch, whoever speaks through what it came on.
    #[must_use]
    pub fn principal(&self, exchange: ExchangeId) -> Option<&Principal> {
        self.exchanges.get(&self.carrier(exchange)).map(|exchange| &exchange.principal)
    }

    pub(super) fn read_ended(&mut self, id: ExchangeId) {
        let Some(exchange) = self.exchanges.get_mut(&id) else { return };
        exchange.read_ended = true;
        match (exchange.is_session(), self.config.peer_at_read_end) {
            (true, PeerAtReadEnd::Reads) => self.session_read_ended(id),
            (true, PeerAtReadEnd::IsGone) => self.session_peer_gone(Some(id)),
            (false, _) => self.close_if_done(id),
        }
    }

    pub(super) fn peer_gone(&mut self, id: Option<ExchangeId>) {
        let Some(id) = id else { return self.session_peer_gone(None) };
        let Some(exchange) = self.exchanges.get_mut(&id) else { return };
        if exchange.is_session() {
            return self.session_peer_gone(Some(id));
        }
        if exchange.link == Link::Closing {
            return;
        }
        exchange.link = Link::Gone;
        let serving = Facts::NONE.with(Facts::SERVING, exchange.open > 0);
        self.fire(Event::ExchangeGone, serving, &mut Matter { exchange: Some(id), ..Matter::default() });
    }

    /// Whether the one request that the session is was read and has ended; or the one batch, which is beside it until
    /// what it collected was written.
    pub(super) fn single_is_done(&self) -> bool {
        let single = self.single.and_then(|id| self.exchanges.get(&id));
        single.is_some_and(|exchange| exchange.read_ended && exchange.open == 0)
            && self.exchanges.iter().nth(1).is_none()
    }

    pub(super) fn detached(&mut self, id: ExchangeId) {
        let Some(exchange) = self.exchanges.get_mut(&id) else { return };
        if exchange.link != Link::Attached {
            return;
        }
        let stored = exchange.is_stored();
        exchange.link = if stored { Link::Detached } else { Link::Gone };
        let facts = Facts::NONE.with(Facts::STORED, stored).with(Facts::SERVING, exchange.open > 0);
        self.fire(Event::Detached, facts, &mut Matter { exchange: Some(id), ..Matter::default() });
    }

    pub(super) fn detached_too_long(&mut self, id: ExchangeId) {
        if let Some(exchange) = self.exchanges.get_mut(&id)
            && exchange.link == Link::Detached
        {
            exchange.link = Link::Forsaken;
        }
        let serving = self.exchanges.get(&id).is_some_and(|exchange| exchange.open > 0);
        let facts = Facts::NONE.with(Facts::SERVING, serving);
        self.fire(Event::DetachedTooLong, facts, &mut Matter { exchange: Some(id), ..Matter::default() });
    }

    pub(super) fn attached(&mut self, id: ExchangeId) {
        let Some(exchange) = self.exchanges.get_mut(&id) else { return };
        if !exchange.is_away() {
            return;
        }
        exchange.link = Link::Attached;
        self.disarm(Timer::Detached(id));
        self.outputs.push_back(Output::Replay(id));
        self.close_if_done(id);
    }

    pub(super) fn exchange_closed(&mut self, id: ExchangeId) {
        self.exchanges.remove(&id);
        if self.exchanges.is_empty() {
            self.all_closed();
        }
    }

    /// The exchange that carries what is sent through this one: itself, or what a batch came on.
    #[must_use]
    pub fn carrier(&self, id: ExchangeId) -> ExchangeId {
        match self.exchanges.get(&id).map(|exchange| exchange.kind) {
            Some(ExchangeKind::Batch { via }) => via,
            _ => id,
        }
    }

    /// Whether frames can be written to the exchange, and whether they are kept when not.
    pub(super) fn way_facts(&self, id: Option<ExchangeId>) -> Facts {
        let exchange = id.and_then(|id| self.exchanges.get(&self.carrier(id)));
        let is_open = matches!(self.write, Write::Open | Write::Blocked);
        let is_attached = exchange.is_some_and(|exchange| exchange.link == Link::Attached);
        let is_stored = exchange.is_some_and(|exchange| exchange.is_stored() && exchange.is_away());
        Facts::NONE.with(Facts::WRITABLE, is_open && is_attached).with(Facts::STORED, is_open && is_stored)
    }

    /// Whether a frame for the exchange is written or kept.
    pub(super) fn can_carry(&self, id: Option<ExchangeId>) -> bool {
        self.way_facts(id).any(Facts::WRITABLE | Facts::STORED)
    }

    /// Whether a call can travel on the exchange and be answered: a frame that is kept for nobody never is.
    pub(super) fn can_carry_call(&self, id: Option<ExchangeId>) -> bool {
        let exchange = id.and_then(|id| self.exchanges.get(&self.carrier(id)));
        // An answer to what goes out on a single exchange would come on another one, and find nobody.
        let is_hopeless = |it: &Exchange| it.link == Link::Forsaken || it.kind == ExchangeKind::Single;
        self.can_carry(id) && !exchange.is_some_and(is_hopeless)
    }

    /// The verdict that lets an answer or a notification out.
    pub(super) fn way_of(&self, matter: &Matter) -> Option<Verdict> {
        let id = matter.exchange?;
        let is_answer = matter.gave_up.is_none() && matter.served.is_some() && matter.delivery.is_none();
        match self.exchanges.get(&id).map(|exchange| exchange.kind) {
            Some(ExchangeKind::Batch { .. }) if is_answer => Some(Verdict::Collect(id)),
            Some(ExchangeKind::Batch { via }) => Some(Verdict::Write(via)),
            _ => Some(Verdict::Write(id)),
        }
    }

    /// The verdict that keeps an answer or a notification: an answer of a batch is collected as ever.
    pub(super) fn store_of(&self, matter: &Matter) -> Option<Verdict> {
        self.way_of(matter).map(|way| match way {
            Verdict::Write(id) => Verdict::Store(id),
            collected => collected,
        })
    }

    /// The exchange for what belongs to no request: the pipe, or a stream that is open.
    pub(super) fn own_way(&self) -> Option<ExchangeId> {
        let carries = |kind| matches!(kind, ExchangeKind::Pipe | ExchangeKind::Stream { .. });
        let open = |link| self.exchanges.iter().find(|(_, it)| carries(it.kind) && it.link == link).map(|(id, _)| *id);
        open(Link::Attached).or_else(|| open(Link::Detached)).or_else(|| open(Link::Forsaken))
    }

    pub(super) fn transmit(&mut self, exchange: Option<ExchangeId>, head: Head) {
        if let Some(exchange) = exchange {
            self.outputs.push_back(Output::Transmit(exchange, head));
        }
    }

    /// An exchange beside others closes once it has said all and everything on it was answered.
    pub(super) fn close_if_done(&mut self, id: ExchangeId) {
        let Some(exchange) = self.exchanges.get(&id) else { return };
        let has_said_all = exchange.read_ended || matches!(exchange.link, Link::Gone | Link::Forsaken);
        let is_done = has_said_all && exchange.open == 0 && exchange.link != Link::Detached;
        let is_request = matches!(exchange.kind, ExchangeKind::Post { .. } | ExchangeKind::Batch { .. });
        if is_done && is_request {
            self.close_exchange(Some(id));
        }
    }

    pub(super) fn close_exchange(&mut self, id: Option<ExchangeId>) {
        let Some(exchange) = id.and_then(|id| self.exchanges.get_mut(&id)) else { return };
        if exchange.link != Link::Closing {
            exchange.link = Link::Closing;
            self.outputs.extend(id.map(Output::CloseExchange));
        }
    }

    /// Batches first: what they collected goes out through the others.
    pub(super) fn close_all_exchanges(&mut self) {
        let is_batch = |exchange: &Exchange| matches!(exchange.kind, ExchangeKind::Batch { .. });
        let (batches, others): (Vec<_>, Vec<_>) =
            self.exchanges.iter().map(|(id, exchange)| (*id, is_batch(exchange))).partition(|(_, batch)| *batch);
        for (id, _) in batches.into_iter().chain(others) {
            self.close_exchange(Some(id));
        }
    }

    pub(super) fn await_attach(&mut self, exchange: Option<ExchangeId>) {
        let at = self.deadline(Some(self.config.limits.detached));
        if let Some(exchange) = exchange {
            self.arm(at, Timer::Detached(exchange));
        }
    }

    /// What is said of a call on its way to the peer: whether some exchange can carry it.
    pub(super) fn carrier_of_call(&self, call: CallId) -> Option<ExchangeId> {
        self.calls.get(call.0).and_then(|call| call.exchange)
    }
}
