//! Who is to be woken once the lock is released.

use std::task::Waker;

/// Wakers, of which there is rarely more than one: that one needs no memory of its own.
#[derive(Debug, Default)]
pub(crate) struct Wakers {
    first: Option<Waker>,
    more: Vec<Waker>,
}

impl Wakers {
    pub(crate) fn push(&mut self, waker: Option<Waker>) {
        match (waker, &self.first) {
            (Some(waker), None) => self.first = Some(waker),
            (Some(waker), Some(_)) => self.more.push(waker),
            (None, _) => {}
        }
    }

    pub(crate) fn append(&mut self, wakers: &mut Vec<Waker>) {
        self.more.append(wakers);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.first.is_none() && self.more.is_empty()
    }

    pub(crate) fn wake(self) {
        if let Some(first) = self.first {
            first.wake();
        }
        self.more.into_iter().for_each(Waker::wake);
    }
}
