//! Requests that wait for their turn, with their frames.

use std::collections::{BTreeMap, VecDeque};

use crate::engine::Served;

/// The requests that the engine has put into its queue, and those of them that may start by now.
///
/// Most sessions never have one: for them this is a word.
#[derive(Debug, Default)]
pub(crate) struct Queue(Option<Box<Frames>>);

#[derive(Debug, Default)]
struct Frames {
    waiting: BTreeMap<Served, Box<[u8]>>,
    starts: VecDeque<(Served, Box<[u8]>)>,
}

impl Queue {
    /// A request has to wait.
    pub(super) fn push(&mut self, served: Served, frame: &[u8]) {
        self.0.get_or_insert_default().waiting.insert(served, frame.into());
    }

    /// A request may start. Whether it has waited here.
    pub(super) fn start(&mut self, served: Served) -> bool {
        let Some(frames) = &mut self.0 else { return false };
        let Some(frame) = frames.waiting.remove(&served) else { return false };
        frames.starts.push_back((served, frame));
        true
    }

    /// A request is not wanted any more.
    pub(super) fn cancel(&mut self, served: Served) {
        let Some(frames) = &mut self.0 else { return };
        frames.waiting.remove(&served);
        frames.starts.retain(|(start, _)| *start != served);
        self.give_back();
    }

    /// The next that may start.
    pub(crate) fn pop_start(&mut self) -> Option<(Served, Box<[u8]>)> {
        let start = self.0.as_mut()?.starts.pop_front();
        self.give_back();
        start
    }

    pub(super) fn has_starts(&self) -> bool {
        self.0.as_ref().is_some_and(|frames| !frames.starts.is_empty())
    }

    fn give_back(&mut self) {
        self.0.take_if(|frames| frames.waiting.is_empty() && frames.starts.is_empty());
    }
}
