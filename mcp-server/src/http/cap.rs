//! A bound on how many of something there are.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts what is there and lets no more in than there may be. Clones share the count.
#[derive(Clone, Debug)]
pub(crate) struct Cap {
    limit: usize,
    taken: Arc<AtomicUsize>,
}

impl Cap {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, taken: Arc::default() }
    }

    /// Takes a place, which is free again once the permit is dropped. `None` when there is no free one.
    pub(crate) fn enter(&self) -> Option<Permit> {
        // The count guards nothing but itself.
        let next = |taken: usize| (taken < self.limit).then_some(taken + 1);
        self.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).ok()?;
        Some(Permit { taken: Arc::clone(&self.taken) })
    }

    pub(crate) fn taken(&self) -> usize {
        self.taken.load(Ordering::Relaxed)
    }
}

/// A place that is taken.
#[derive(Debug)]
pub(crate) struct Permit {
    taken: Arc<AtomicUsize>,
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.taken.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::Cap;

    #[test]
    fn no_more_than_the_limit_are_let_in() {
        let cap = Cap::new(2);
        let first = cap.enter();
        let second = cap.clone().enter();
        assert!(first.is_some() && second.is_some() && cap.enter().is_none());
        drop(second);
        assert_eq!(cap.taken(), 1);
        assert!(cap.enter().is_some());
        drop(first);
        assert_eq!(cap.taken(), 0);
        assert!(Cap::new(0).enter().is_none());
    }
}
