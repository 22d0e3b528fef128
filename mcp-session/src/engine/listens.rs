//! Listens, and change notifications of both eras.

use std::collections::BTreeSet;
use std::sync::Arc;

use mcp_types::jsonrpc::Id;

use super::event::Event;
use super::facts::Facts;
use super::fire::Matter;
use super::io::{ExchangeId, Head, Moment, Origin, Output, Served, Verdict};
use super::serving::Stage;
use super::wants::{Change, Changes, TooMany, Wants};
use super::{Engine, Handshake, Write};

/// Somebody who waits for changes, and those that were not told yet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Listener {
    wants: Wants,
    dirty: Wants,
}

impl Listener {
    fn changed(&mut self, change: Change) {
        if self.wants.changes.has(change) {
            self.dirty.changes = self.dirty.changes.with(change);
        }
    }

    fn updated(&mut self, uri: &str) {
        if let Some(uri) = self.wants.resources.get(uri) {
            self.dirty.resources.insert(Arc::clone(uri));
        }
    }

    /// How many resources it subscribes to.
    pub(super) fn subscriptions(&self) -> usize {
        self.wants.resources.len()
    }
}

impl Engine {
    /// A served request becomes a listen: it waits for these changes from now on, and no longer counts as in flight.
    ///
    /// The verdict says where its acknowledgement goes, which is the first frame of the listen. A listen that
    /// subscribes to more resources than the connection may is refused: the verdict is [`Verdict::Answered`].
    pub fn listen(&mut self, now: Moment, served: Served, wants: impl Into<Wants>) -> Verdict {
        let wants = wants.into();
        let verdict = self.notify(now, Origin::Handler(served));
        let goes_out = matches!(verdict, Verdict::Write(_) | Verdict::Store(_));
        let is_over = self.subscriptions + wants.resources.len() > self.config.limits.subscriptions;
        let mut matter = Matter { exchange: Some(served.exchange), served: Some(served), ..Matter::default() };
        if let Some(state) = self.served.get_mut(&served.key)
            && state.stage == Stage::Running
        {
            let listener = Listener { wants, dirty: Wants::default() };
            self.subscriptions += listener.subscriptions();
            state.stage = Stage::Listening(Box::new(listener));
            self.running -= 1;
            self.listening += 1;
            let facts = Facts::NONE.with(Facts::SUBSCRIPTIONS_FULL, is_over && goes_out);
            self.fire(Event::Listen, facts, &mut matter);
        }
        let is_refused = matter.verdict == Some(Verdict::Answered);
        if is_refused && self.remove(served).is_some() {
            self.tally.refused += 1;
        }
        self.afterwards();
        if is_refused { Verdict::Answered } else { verdict }
    }

    /// The session of a legacy handshake wants to be told when the contents of this resource change. Subscribing twice
    /// is once.
    ///
    /// # Errors
    ///
    /// [`TooMany`] when the connection has as many subscriptions as it may, those of listens included.
    pub fn subscribe(&mut self, uri: &str) -> Result<(), TooMany> {
        let limit = self.config.limits.subscriptions;
        let is_full = self.subscriptions >= limit;
        let resources = &mut self.legacy_listener().wants.resources;
        if resources.contains(uri) {
            return Ok(());
        }
        if is_full {
            return Err(TooMany { limit });
        }
        resources.insert(uri.into());
        self.subscriptions += 1;
        Ok(())
    }

    /// The session of a legacy handshake does not want to be told of this resource any more. What was not told yet is
    /// not told.
    pub fn unsubscribe(&mut self, uri: &str) {
        let legacy = self.legacy_listener();
        let was_subscribed = legacy.wants.resources.remove(uri);
        legacy.dirty.resources.remove(uri);
        self.subscriptions -= usize::from(was_subscribed);
        self.rest_legacy_listener();
    }

    /// Something changed on our side. Whoever listens is told, at once or when writing is possible again; changes of
    /// one kind that come together are told once.
    pub fn changed(&mut self, now: Moment, change: Change) {
        self.tell_listeners(now, |listener| listener.changed(change));
    }

    /// The contents of a resource changed on our side. Whoever subscribed to it is told, at once or when writing is
    /// possible again; changes of one resource that come together are told once.
    pub fn resource_updated(&mut self, now: Moment, uri: &str) {
        self.tell_listeners(now, |listener| listener.updated(uri));
    }

    fn tell_listeners(&mut self, now: Moment, tell: impl Fn(&mut Listener)) {
        self.begin(now);
        if self.listening > 0 {
            for state in self.served.values_mut() {
                if let Stage::Listening(listener) = &mut state.stage {
                    tell(listener);
                }
            }
        }
        if matches!(self.handshake, Handshake::Done(_)) {
            tell(self.legacy_listener());
        }
        if self.write == Write::Open && self.over.is_none() {
            self.flush_changes();
        }
    }

    pub(super) fn flush_changes(&mut self) {
        for (exchange, id, dirty) in self.take_dirty() {
            if self.can_carry(Some(exchange)) {
                let changed = |change| Head::Changed(id.clone(), change);
                self.transmit_changes(exchange, dirty, changed, |uri| Head::Updated(id.clone(), uri));
            }
        }
        let Some(legacy) = &mut self.legacy else { return };
        let dirty = std::mem::take(&mut legacy.dirty);
        self.rest_legacy_listener();
        if !dirty.is_empty()
            && let Some(exchange) = self.own_way().filter(|exchange| self.can_carry(Some(*exchange)))
        {
            self.transmit_changes(exchange, dirty, Head::LegacyChanged, Head::LegacyUpdated);
        }
    }

    fn legacy_listener(&mut self) -> &mut Listener {
        self.legacy.get_or_insert_with(|| Box::new(Listener::legacy()))
    }

    /// Keeps nothing of a listener that is as it was at the start.
    fn rest_legacy_listener(&mut self) {
        self.legacy.take_if(|legacy| legacy.subscriptions() == 0 && legacy.dirty.is_empty());
    }

    fn transmit_changes(
        &mut self,
        exchange: ExchangeId,
        dirty: Wants,
        changed: impl Fn(Change) -> Head,
        updated: impl Fn(Arc<str>) -> Head,
    ) {
        let changes = Change::ALL.into_iter().filter(|change| dirty.changes.has(*change)).map(changed);
        let updates = dirty.resources.into_iter().map(updated);
        self.outputs.extend(changes.chain(updates).map(|head| Output::Transmit(exchange, head)));
    }

    fn take_dirty(&mut self) -> Vec<(ExchangeId, Id, Wants)> {
        let mut taken = Vec::new();
        if self.listening == 0 {
            return taken;
        }
        for state in self.served.values_mut() {
            if let Stage::Listening(listener) = &mut state.stage
                && !listener.dirty.is_empty()
            {
                taken.push((state.exchange, state.id.clone(), std::mem::take(&mut listener.dirty)));
            }
        }
        taken
    }

    pub(super) fn end_listens(&mut self) {
        let listens: Vec<_> = self
            .served
            .iter()
            .filter(|(_, state)| matches!(state.stage, Stage::Listening(_)))
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

impl Listener {
    /// The session of a legacy handshake is told of every change of a list.
    pub(super) fn legacy() -> Self {
        let every = Change::ALL.into_iter().fold(Changes::NONE, Changes::with);
        Self { wants: Wants { changes: every, resources: BTreeSet::new() }, dirty: Wants::default() }
    }
}
