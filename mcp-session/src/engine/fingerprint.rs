//! A canonical word for the state of an engine, so that an exploration can tell states apart.

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::time::Duration;

use super::{Engine, Moment};

impl Engine {
    /// Feeds everything that decides what the engine does next into `hasher`.
    ///
    /// Times are relative to now and names are ranks, so that two engines that behave the same hash the same. What was
    /// counted does not enter.
    pub fn fingerprint<H: Hasher>(&self, hasher: &mut H) {
        (self.read, self.write, self.stuck, self.draining, self.noted, self.closing, self.awaiting).hash(hasher);
        (self.over, self.announced, self.modern_seen, self.peer_modern, self.reading_stopped, self.inbox).hash(hasher);
        for (id, exchange) in self.exchanges.iter() {
            (id, exchange.fingerprint()).hash(hasher);
        }
        let ranks: BTreeMap<_, _> = self.served.keys().chain(self.dying.keys()).zip(0_u64..).collect();
        let rank = |key: u64| ranks.get(&key).copied();
        for (key, state) in self.served.iter() {
            (rank(*key), state.fingerprint()).hash(hasher);
        }
        for key in &self.queue {
            rank(*key).hash(hasher);
        }
        self.dying.len().hash(hasher);
        match self.handshake {
            super::Handshake::Fresh => 0.hash(hasher),
            super::Handshake::Answering(key, version) => (1, rank(key), version.as_str()).hash(hasher),
            super::Handshake::Done(version) => (2, version.as_str()).hash(hasher),
        }
        for (position, call) in self.calls.iter().map(|(_, call)| call).enumerate() {
            (position, call.fingerprint(self.now)).hash(hasher);
        }
        self.legacy.hash(hasher);
        for (at, timer) in &self.timers {
            (self.until(*at), timer).hash(hasher);
        }
        self.calls_due.map(|at| self.until(at)).hash(hasher);
        self.expires_at.map(|at| self.until(at)).hash(hasher);
    }

    fn until(&self, at: Moment) -> Duration {
        at.since_start().saturating_sub(self.now.since_start())
    }
}
