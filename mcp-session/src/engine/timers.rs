//! The deadlines of a session, in order of time.

use super::event::Event;
use super::io::{By, ExchangeId, Moment, Output};
use super::{Engine, Reason};

/// What a deadline is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Timer {
    /// The drain, the flush included.
    Drain,
    /// Answers after a failed write.
    Await,
    /// A write that makes no progress.
    Stall,
    /// Handlers that were told to stop.
    Abort,
    /// A lost stream.
    Detached(ExchangeId),
}

impl Engine {
    pub(super) fn next_deadline(&self) -> Option<Moment> {
        let first = self.timers.first().map(|(at, _)| *at);
        earlier(earlier(first, self.calls_due), self.expires_at)
    }

    /// Watches whether anything keeps the session that would otherwise expire.
    pub(super) fn watch_idleness(&mut self) {
        let Some(idle) = self.config.expires else { return };
        let is_idle = self.over.is_none() && self.exchanges.is_empty() && self.served.is_empty();
        self.expires_at = if is_idle { self.expires_at.or_else(|| Some(self.now.after(idle))) } else { None };
    }

    pub(super) fn arm(&mut self, at: Option<Moment>, timer: Timer) {
        if let Some(at) = at {
            self.timers.insert((at, timer));
        }
    }

    /// Takes every deadline of this kind away. Only for timers that are few.
    pub(super) fn disarm(&mut self, timer: Timer) {
        self.timers.retain(|(_, armed)| *armed != timer);
    }

    pub(super) fn is_armed(&self, timer: Timer) -> bool {
        self.timers.iter().any(|(_, armed)| *armed == timer)
    }

    pub(super) fn clear_timers(&mut self) {
        self.timers.clear();
        self.calls_due = None;
        self.expires_at = None;
    }

    pub(super) fn timeout(&mut self) {
        while let Some(at) = self.next_deadline().filter(|at| *at <= self.now) {
            if self.expires_at == Some(at) {
                self.expires_at = None;
                self.session_over(Reason::Expired);
                continue;
            }
            let Some(&(_, timer)) = self.timers.first().filter(|(first, _)| *first == at) else {
                self.calls_due_at(at);
                continue;
            };
            self.timers.pop_first();
            match timer {
                Timer::Drain => self.ending(Event::DrainOver, By::Handle),
                Timer::Await => self.ending(Event::AwaitOver, By::Handle),
                Timer::Stall => self.ending(Event::Stalled, By::Handle),
                Timer::Abort => self.announce(),
                Timer::Detached(exchange) => self.detached_too_long(exchange),
            }
        }
    }

    /// Says that the session is over, if it is and has not been said.
    pub(super) fn announce(&mut self) {
        if let Some(reason) = self.over
            && !self.announced
        {
            self.announced = true;
            self.clear_timers();
            self.outputs.push_back(Output::Finished(reason));
        }
    }
}

fn earlier(one: Option<Moment>, other: Option<Moment>) -> Option<Moment> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

/// A reason with the signal that led to it.
pub(super) type Because = (Reason, Option<i32>);
