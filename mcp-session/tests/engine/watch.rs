//! What must hold after every step of any session, whatever the session is about.

use std::collections::BTreeSet;

use mcp_session::engine::{CallId, Engine, ExchangeId, Head, Output, Served, Verdict};

/// Looks at everything that an engine says, and remembers the first promise that it broke.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watch {
    settled: BTreeSet<CallId>,
    queued: BTreeSet<Served>,
    started: BTreeSet<Served>,
    /// Answered, cancelled or otherwise over: no terminal frame may follow.
    ended: BTreeSet<Served>,
    asked_to_close: BTreeSet<ExchangeId>,
    discarded: bool,
    finished: bool,
    broken: Option<String>,
}

impl Watch {
    /// An exchange was opened under a name that may have been used before.
    pub(crate) fn opened(&mut self, exchange: ExchangeId) {
        self.asked_to_close.remove(&exchange);
    }

    pub(crate) fn output(&mut self, output: &Output) {
        if self.finished && !matches!(output, Output::Dropped(_) | Output::Wait(_)) {
            self.breaks(format!("{output:?} after the end"));
        }
        match output {
            Output::Start(served) => {
                if !self.started.insert(*served) {
                    self.breaks(format!("{served:?} started twice"));
                }
                if self.ended.contains(served) {
                    self.breaks(format!("{served:?} started after its end"));
                }
            }
            Output::Cancel(served) => {
                if !self.ended.insert(*served) {
                    self.breaks(format!("{served:?} cancelled after its end"));
                }
            }
            Output::Settle(call, _) => {
                if !self.settled.insert(*call) {
                    self.breaks(format!("{call:?} settled twice"));
                }
            }
            Output::Transmit(exchange, head) => self.writes(*exchange, head),
            Output::CloseExchange(exchange) => {
                if !self.asked_to_close.insert(*exchange) {
                    self.breaks(format!("{exchange:?} closed twice"));
                }
            }
            Output::Discard => self.discarded = true,
            Output::Finished(_) => self.finished = true,
            Output::Enqueue(served) => {
                self.queued.insert(*served);
            }
            Output::Deliver(_)
            | Output::DropOldestNote
            | Output::Withdraw(_)
            | Output::Replay(_)
            | Output::Dropped(_)
            | Output::Wait(_) => {}
        }
    }

    fn writes(&mut self, exchange: ExchangeId, head: &Head) {
        if self.discarded {
            self.breaks(format!("{head:?} written after everything was discarded"));
        }
        if self.asked_to_close.contains(&exchange) {
            self.breaks(format!("{head:?} written to {exchange:?}, which was closed"));
        }
    }

    /// An answer of a handler.
    pub(crate) fn answer(&mut self, served: Served, verdict: Verdict) {
        if self.goes_out(verdict) && !self.ended.insert(served) {
            self.breaks(format!("{served:?} answered after its end"));
        }
    }

    /// A notification about a request.
    pub(crate) fn note(&mut self, served: Served, verdict: Verdict) {
        if self.goes_out(verdict) && self.ended.contains(&served) {
            self.breaks(format!("a notification for {served:?} after its end"));
        }
    }

    /// A notification about nothing.
    pub(crate) fn own_note(&mut self, verdict: Verdict) {
        self.goes_out(verdict);
    }

    fn goes_out(&mut self, verdict: Verdict) -> bool {
        let goes_out = !matches!(verdict, Verdict::Drop(_));
        if goes_out && (self.discarded || self.finished) {
            self.breaks(format!("{verdict:?} after everything was discarded"));
        }
        goes_out
    }

    /// What must hold between two inputs.
    pub(crate) fn step(&mut self, engine: &Engine) {
        let tally = engine.tally();
        let ended = tally.answered + tally.cancelled + tally.cut_off.len() as u64 + tally.refused + tally.never_started;
        let serving = self.started.iter().filter(|served| engine.is_serving(**served)).count();
        let waiting = self.queued.difference(&self.started).filter(|served| engine.is_serving(**served)).count();
        let inside = (serving + waiting) as u64;
        let running = engine.in_flight().saturating_sub(waiting);
        if tally.received != ended + inside {
            self.breaks(format!("{} received, {ended} ended, {inside} inside: {tally:?}", tally.received));
        }
        let limits = engine.limits();
        if running > limits.in_flight || waiting > limits.queue || engine.pending_calls() > limits.calls {
            self.breaks("a limit was exceeded".to_owned());
        }
        if self.finished != engine.is_finished() {
            self.breaks("the end was announced, and is not known, or the other way".to_owned());
        }
        if self.finished && engine.pending_calls() > 0 {
            self.breaks(format!("{} calls are pending after the end", engine.pending_calls()));
        }
        if self.finished && inside > 0 {
            self.breaks(format!("{inside} requests are served after the end"));
        }
    }

    pub(crate) fn breaks(&mut self, what: String) {
        self.broken.get_or_insert(what);
    }

    /// The first promise that was broken.
    pub(crate) fn broken(&self) -> Option<&str> {
        self.broken.as_deref()
    }

    pub(crate) fn was_started(&self, served: Served) -> bool {
        self.started.contains(&served)
    }

    pub(crate) fn is_finished(&self) -> bool {
        self.finished
    }
}
