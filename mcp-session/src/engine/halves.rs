//! The one place that ends things: the read half, the write half, the drain, and the end.

use super::event::Event;
use super::facts::Facts;
use super::fire::Matter;
use super::io::{By, Close, ExchangeId, Moment, Output, WriteFailure};
use super::report::Reason;
use super::timers::{Because, Timer};
use super::{Engine, Read, StallCounts, Write};

impl Engine {
    /// Our side closes: everything in flight runs to its end, or nothing does.
    pub fn close(&mut self, now: Moment, close: Close, by: By) {
        self.begin(now);
        let event = match close {
            Close::Drain { within } => {
                let until = self.deadline(within.or(self.config.limits.drain));
                self.ending_until(Event::Close, by, until);
                self.closing = true;
                return self.afterwards();
            }
            Close::Abort => Event::Abort,
        };
        self.ending(event, by);
        self.closing = true;
        self.afterwards();
    }

    /// Something that ends things, now or later.
    pub(super) fn ending(&mut self, event: Event, by: By) {
        self.ending_until(event, by, self.deadline(self.config.limits.drain));
    }

    fn ending_until(&mut self, event: Event, by: By, until: Option<Moment>) {
        if self.over.is_some() {
            return;
        }
        let asked = match by {
            By::Handle => ((Reason::Closed, None), (Reason::Aborted, None)),
            By::Signal(signal) => ((Reason::Signalled, Some(signal)), (Reason::SignalledTwice, Some(signal))),
        };
        self.fire(event, Facts::NONE, &mut Matter { asked: Some(asked), until, ..Matter::default() });
    }

    pub(super) fn session_over(&mut self, reason: Reason) {
        let asked = Some(((reason, None), (reason, None)));
        self.fire(Event::SessionOver, Facts::NONE, &mut Matter { asked, ..Matter::default() });
    }

    /// The read half of the session has ended.
    pub(super) fn session_read_ended(&mut self, exchange: ExchangeId) {
        if self.read == Read::Ended {
            return;
        }
        let until = self.deadline(self.config.limits.drain);
        // The facts that rows ask about are those before this event: the half is marked after the rows have run, so
        // that a drain under way is told from the one that this event begins.
        self.fire(Event::ReadEnded, Facts::NONE, &mut Matter { exchange: Some(exchange), until, ..Matter::default() });
        self.read = Read::Ended;
        self.rearm_stall();
    }

    pub(super) fn session_peer_gone(&mut self, exchange: Option<ExchangeId>) {
        self.fire(Event::PeerGone, Facts::NONE, &mut Matter { exchange, ..Matter::default() });
        self.read = Read::Ended;
    }

    pub(super) fn write_failed(&mut self, failure: WriteFailure) {
        let local = failure == WriteFailure::Local;
        if self.over.is_none() {
            // Stronger than whatever ending was under way: what was owed can no longer be written.
            self.noted = Some((if local { Reason::WriteFailed } else { Reason::WriteBroken }, None));
        }
        self.fire(Event::WriteFailed, Facts::NONE.with(Facts::LOCAL, local), &mut Matter::default());
    }

    pub(super) fn write_blocked(&mut self) {
        self.stuck = true;
        if self.write == Write::Open {
            self.write = Write::Blocked;
        }
        self.rearm_stall();
    }

    pub(super) fn write_ready(&mut self) {
        self.stuck = false;
        self.disarm(Timer::Stall);
        if self.write == Write::Blocked {
            self.write = Write::Open;
            self.flush_changes();
        }
    }

    /// Arms the stall timer when nothing is being written and that counts now.
    fn rearm_stall(&mut self) {
        let counts = self.config.stall == StallCounts::Always || self.read == Read::Ended || self.noted.is_some();
        if self.stuck && counts && self.over.is_none() && !self.is_armed(Timer::Stall) {
            self.arm(self.deadline(self.config.limits.write_stall), Timer::Stall);
        }
    }

    /// How many bytes of answers wait to be written.
    ///
    /// Reading stops while they exceed their limit; see [`Engine::wants_read`].
    pub fn unwritten_answers(&mut self, bytes: usize) {
        if self.over.is_some() {
            return;
        }
        let limit = self.config.limits.unwritten_answers;
        let (was, is) = (self.unwritten_answers > limit, bytes > limit);
        self.unwritten_answers = bytes;
        match (was, is) {
            (false, true) => self.fire(Event::AnswersHigh, Facts::NONE, &mut Matter::default()),
            (true, false) => self.fire(Event::AnswersLow, Facts::NONE, &mut Matter::default()),
            _ => {}
        }
    }

    /// What follows from the state after each input, whatever the input was.
    pub(super) fn afterwards(&mut self) {
        if self.over.is_some() {
            if self.dying.is_empty() {
                self.announce();
            }
            return;
        }
        self.start_queued();
        if self.awaiting && self.calls_sent == 0 {
            self.ending(Event::AwaitOver, By::Handle);
        }
        let is_writing = matches!(self.write, Write::Open | Write::Blocked);
        let is_idle = if self.draining { self.in_flight() == 0 } else { self.single_is_done() };
        if is_idle && is_writing && self.over.is_none() {
            self.ending(Event::Idle, By::Handle);
        }
        if self.over.is_some() && self.dying.is_empty() {
            self.announce();
        }
        self.watch_idleness();
    }

    // What follows are the acts of the table that are about endings.

    pub(super) fn note(&mut self, reason: Reason, signal: Option<i32>) {
        self.noted.get_or_insert((reason, signal));
    }

    pub(super) fn begin_drain(&mut self, (reason, signal): Because, until: Option<Moment>) {
        self.note(reason, signal);
        self.draining = true;
        self.arm(until, Timer::Drain);
        self.rearm_stall();
    }

    pub(super) fn close_write(&mut self, (reason, signal): Because) {
        if !matches!(self.write, Write::Open | Write::Blocked) {
            return;
        }
        self.note(reason, signal);
        self.write = Write::Closing;
        if !self.draining {
            // The flush is bounded as a drain is.
            self.arm(self.deadline(self.config.limits.drain), Timer::Drain);
        }
        self.rearm_stall();
        self.close_all_exchanges();
        if self.exchanges.is_empty() {
            self.ending(Event::Flushed, By::Handle);
        }
    }

    /// Every exchange has been flushed and closed.
    pub(super) fn all_closed(&mut self) {
        if self.write == Write::Closing {
            self.ending(Event::Flushed, By::Handle);
        }
    }

    pub(super) fn discard(&mut self) {
        self.write = Write::Failed;
        self.stuck = false;
        self.disarm(Timer::Stall);
        self.outputs.push_back(Output::Discard);
    }

    pub(super) fn await_answers(&mut self) {
        self.awaiting = true;
        self.arm(self.deadline(Some(self.config.limits.await_answers)), Timer::Await);
    }

    pub(super) fn finish_session(&mut self, (reason, signal): Because) {
        if self.over.is_some() {
            return;
        }
        self.over = Some(reason);
        self.noted = Some((reason, signal.or_else(|| self.noted.and_then(|(_, signal)| signal))));
        self.awaiting = false;
        self.clear_timers();
        self.cancel_served();
        self.close_all_exchanges();
        if !self.dying.is_empty() {
            self.arm(self.deadline(Some(self.config.limits.abort)), Timer::Abort);
        }
    }
}

impl Engine {
    /// What was dropped from a discarded buffer.
    pub fn discarded(&mut self, frames: u64) {
        self.tally.drop_many(super::Dropped::Discarded, frames);
    }

    /// Something was dropped that had been delivered to a call.
    pub fn dropped(&mut self, why: super::Dropped) {
        self.tally.drop_many(why, 1);
    }
}
