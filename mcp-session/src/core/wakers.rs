//! Who is to be woken once the lock is released, and who waits for something that is seldom waited for.

use std::task::Waker;

/// Wakers, of which there is rarely more than one: that one needs no memory of its own.
#[derive(Debug, Default)]
pub(crate) struct Wakers {
    first: Option<Waker>,
    more: Waiters,
}

/// Those who wait for something that seldom anybody waits for: nobody takes a word.
#[derive(Debug, Default)]
pub(crate) struct Waiters(
    #[expect(clippy::box_collection, reason = "a session holds several of these, and there are many sessions")]
    Option<Box<Vec<Waker>>>,
);

impl Wakers {
    pub(crate) fn push(&mut self, waker: Option<Waker>) {
        match (waker, &self.first) {
            (Some(waker), None) => self.first = Some(waker),
            (Some(waker), Some(_)) => self.more.push(waker),
            (None, _) => {}
        }
    }

    /// All of those who have waited.
    pub(crate) fn append(&mut self, waiters: &mut Waiters) {
        if let Some(waiters) = waiters.0.take() {
            waiters.into_iter().for_each(|waker| self.push(Some(waker)));
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.first.is_none() && self.more.is_empty()
    }

    pub(crate) fn wake(self) {
        if let Some(first) = self.first {
            first.wake();
        }
        self.more.0.into_iter().flat_map(|more| *more).for_each(Waker::wake);
    }
}

impl Waiters {
    pub(crate) fn push(&mut self, waker: Waker) {
        self.0.get_or_insert_default().push(waker);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_none()
    }
}
