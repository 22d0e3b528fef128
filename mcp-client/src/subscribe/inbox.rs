//! What was not looked at yet.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use tokio::sync::Notify;

use super::change::{Change, Wants};

/// The changes that whoever subscribed has not taken yet, each once, in the order in which they were told first.
#[derive(Debug)]
pub(super) struct Inbox {
    wants: Wants,
    state: Mutex<State>,
    /// Told once, when nobody reads it any more.
    unwanted: Notify,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<Change>,
    /// The same, to find one.
    known: BTreeSet<Change>,
    honoured: Wants,
    is_over: bool,
    reader: Option<Waker>,
}

impl Inbox {
    pub(super) fn new(wants: Wants) -> Self {
        Self { wants, state: Mutex::default(), unwanted: Notify::new() }
    }

    /// What was asked for.
    pub(super) const fn wants(&self) -> &Wants {
        &self.wants
    }

    /// Adds a change, unless it waits already.
    pub(super) fn put(&self, change: Change) {
        let mut state = self.lock();
        if state.is_over || !state.known.insert(change.clone()) {
            return;
        }
        state.waiting.push_back(change);
        if state.waiting.len() > MOST_WAITING + self.wants.uris.len() {
            state.widen(&self.wants);
        }
        Self::unlock_and_wake(state);
    }

    pub(super) fn poll_take(&self, cx: &Context<'_>) -> Poll<Option<Change>> {
        let mut state = self.lock();
        match state.waiting.pop_front() {
            Some(change) => {
                state.known.remove(&change);
                Poll::Ready(Some(change))
            }
            None if state.is_over => Poll::Ready(None),
            None => {
                let before = state.reader.replace(cx.waker().clone());
                // Dropping it may run foreign code.
                drop(state);
                drop(before);
                Poll::Pending
            }
        }
    }

    /// Sets what the server has said that it will tell.
    pub(super) fn honour(&self, honoured: Wants) {
        self.lock().honoured = honoured;
    }

    pub(super) fn honoured(&self) -> Wants {
        self.lock().honoured.clone()
    }

    /// Nothing will be added any more. What waits can be taken.
    pub(super) fn end(&self) {
        let mut state = self.lock();
        state.is_over = true;
        Self::unlock_and_wake(state);
    }

    /// Nobody will take anything any more.
    pub(super) fn leave(&self) {
        self.unwanted.notify_one();
    }

    /// Resolves when nobody will take anything any more.
    pub(super) async fn until_unwanted(&self) {
        self.unwanted.notified().await;
    }

    // What is behind the lock is whole between any two statements.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn unlock_and_wake(mut state: MutexGuard<'_, State>) {
        let reader = state.reader.take();
        drop(state);
        reader.into_iter().for_each(Waker::wake);
    }
}

impl State {
    /// There are more different resources than can wait. All that were subscribed to are said to have changed instead,
    /// which is not less than is true.
    fn widen(&mut self, wants: &Wants) {
        self.waiting.retain(|change| !matches!(change, Change::Resource { .. }));
        self.waiting.extend(wants.uris.iter().map(|uri| Change::Resource { uri: uri.clone() }));
        self.known = self.waiting.iter().cloned().collect();
    }
}

/// How many changes wait at most, beside one of each resource that was subscribed to.
const MOST_WAITING: usize = 1_024;

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn resource(uri: impl ToString) -> Change {
        Change::Resource { uri: uri.to_string() }
    }

    fn take(inbox: &Inbox) -> Option<Change> {
        match inbox.poll_take(&Context::from_waker(Waker::noop())) {
            Poll::Ready(change) => change,
            Poll::Pending => None,
        }
    }

    #[test]
    fn a_change_waits_once_and_in_its_place() {
        let inbox = Inbox::new(Wants::default());
        for change in [Change::Tools, resource("a:b"), Change::Tools, Change::Prompts, resource("a:b")] {
            inbox.put(change);
        }
        let taken: Vec<_> = std::iter::from_fn(|| take(&inbox)).collect();
        assert_eq!(taken, [Change::Tools, resource("a:b"), Change::Prompts]);
        inbox.put(Change::Tools);
        assert_eq!(take(&inbox), Some(Change::Tools), "what was taken may change again");
    }

    #[test]
    fn too_many_resources_become_those_that_were_subscribed_to() {
        let uris = BTreeSet::from(["a:1".to_owned(), "a:2".to_owned()]);
        let inbox = Inbox::new(Wants { uris, ..Wants::default() });
        inbox.put(Change::Tools);
        for number in 0..10 * MOST_WAITING {
            inbox.put(resource(format_args!("a:1/{number}")));
            let state = inbox.lock();
            assert!(state.waiting.len() <= MOST_WAITING + 2);
            assert_eq!(state.waiting.len(), state.known.len());
        }
        let taken: Vec<_> = std::iter::from_fn(|| take(&inbox)).collect();
        assert_eq!(taken[..3], [Change::Tools, resource("a:1"), resource("a:2")]);
    }

    #[test]
    fn what_waits_can_be_taken_after_the_end() {
        let inbox = Inbox::new(Wants::default());
        inbox.put(Change::Tools);
        inbox.end();
        inbox.put(Change::Prompts);
        let poll = || inbox.poll_take(&Context::from_waker(Waker::noop()));
        assert_eq!(poll(), Poll::Ready(Some(Change::Tools)));
        assert_eq!(poll(), Poll::Ready(None));
        assert_eq!(poll(), Poll::Ready(None));
        assert!(inbox.state.lock().unwrap().reader.is_none());
    }
}
