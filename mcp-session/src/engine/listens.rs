//! Listens, and change notifications of both eras.

use super::event::Event;
use super::facts::Facts;
use super::fire::Matter;
use super::io::{Change, Changes, ExchangeId, Head, Moment, Output, Served, Verdict};
use super::serving::Stage;
use super::{Engine, Handshake, Write};

impl Engine {
    /// A served request becomes a listen: it waits for these changes from now on, and no longer counts as in flight.
    ///
    /// The verdict says where its acknowledgement goes, which is the first frame of the listen.
    pub fn listen(&mut self, now: Moment, served: Served, wants: Changes) -> Verdict {
        let verdict = self.notify(now, super::Origin::Handler(served));
        if let Some(state) = self.served.get_mut(&served.key)
            && state.stage == Stage::Running
        {
            state.stage = Stage::Listening { wants, dirty: Changes::NONE };
            self.running -= 1;
            self.listening += 1;
            self.fire(Event::Listen, Facts::NONE, &mut Matter::default());
        }
        self.afterwards();
        verdict
    }

    /// Something changed on our side. Whoever listens is told, at once or when writing is possible again; changes of
    /// one kind that come together are told once.
    pub fn changed(&mut self, now: Moment, change: Change) {
        self.begin(now);
        for state in self.served.values_mut() {
            if let Stage::Listening { wants, dirty } = &mut state.stage
                && wants.has(change)
            {
                *dirty = dirty.with(change);
            }
        }
        if matches!(self.handshake, Handshake::Done(_)) {
            self.legacy_dirty = self.legacy_dirty.with(change);
        }
        if self.write == Write::Open && self.over.is_none() {
            self.flush_changes();
        }
    }

    pub(super) fn flush_changes(&mut self) {
        for (exchange, id, dirty) in self.take_dirty() {
            if !self.can_carry(Some(exchange)) {
                continue;
            }
            for change in Change::ALL {
                if dirty.has(change) {
                    self.outputs.push_back(Output::Transmit(exchange, Head::Changed(id.clone(), change)));
                }
            }
        }
        let dirty = std::mem::take(&mut self.legacy_dirty);
        if let Some(exchange) = self.own_way().filter(|exchange| self.can_carry(Some(*exchange))) {
            for change in Change::ALL {
                if dirty.has(change) {
                    self.outputs.push_back(Output::Transmit(exchange, Head::LegacyChanged(change)));
                }
            }
        }
    }

    fn take_dirty(&mut self) -> Vec<(ExchangeId, mcp_types::jsonrpc::Id, Changes)> {
        let mut taken = Vec::new();
        for state in self.served.values_mut() {
            if let Stage::Listening { dirty, .. } = &mut state.stage
                && *dirty != Changes::NONE
            {
                taken.push((state.exchange, state.id.clone(), std::mem::take(dirty)));
            }
        }
        taken
    }

    pub(super) fn end_listens(&mut self) {
        let listens: Vec<_> = self
            .served
            .iter()
            .filter(|(_, state)| matches!(state.stage, Stage::Listening { .. }))
            .map(|(key, state)| Served { key: *key, exchange: state.exchange })
            .collect();
        for served in listens {
            if let Some(state) = self.remove(served) {
                self.tally.answered += 1;
                self.outputs.push_back(Output::Transmit(state.exchange, Head::ListenEnd(state.id)));
            }
        }
    }
}
