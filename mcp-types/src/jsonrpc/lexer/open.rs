//! The containers around the cursor.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Array,
    Object,
}

impl Kind {
    pub(super) const fn closing(self) -> u8 {
        match self {
            Self::Array => b']',
            Self::Object => b'}',
        }
    }
}

/// The kinds of the open containers, a bit each: the innermost in a word, the others set aside.
pub(super) struct Open {
    pub(super) count: usize,
    /// Above the kinds stands a bit that is always set, and says how many there are.
    innermost: u64,
    outer: Vec<u64>,
}

/// A word without a kind.
const NONE: u64 = 1;

impl Open {
    pub(super) const fn new() -> Self {
        Self { count: 0, innermost: NONE, outer: Vec::new() }
    }

    #[inline]
    pub(super) fn push(&mut self, kind: Kind) {
        if self.innermost.leading_zeros() == 0 {
            self.outer.push(self.innermost);
            self.innermost = NONE;
        }
        self.innermost = self.innermost << 1 | u64::from(kind == Kind::Object);
        self.count += 1;
    }

    #[inline]
    pub(super) fn pop(&mut self) {
        self.count -= 1;
        self.innermost >>= 1;
        if self.innermost == NONE
            && let Some(outer) = self.outer.pop()
        {
            self.innermost = outer;
        }
    }

    #[inline]
    pub(super) const fn last(&self) -> Option<Kind> {
        match (self.innermost, self.innermost & 1) {
            (NONE, _) => None,
            (_, 0) => Some(Kind::Array),
            (_, _) => Some(Kind::Object),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_was_opened_last_is_closed_first(
            deep in 0..200_usize,
            steps in proptest::collection::vec(prop::option::of(prop_oneof![Just(Kind::Array), Just(Kind::Object)]), 0..200),
        ) {
            let (mut open, mut kinds) = (Open::new(), Vec::new());
            let down = (0..deep).map(|level| if level % 3 == 0 { Kind::Object } else { Kind::Array });
            for step in down.map(Some).chain(steps) {
                if let Some(kind) = step {
                    open.push(kind);
                    kinds.push(kind);
                } else if kinds.pop().is_some() {
                    open.pop();
                }
                prop_assert_eq!((open.count, open.last()), (kinds.len(), kinds.last().copied()));
            }
            while kinds.pop().is_some() {
                open.pop();
                prop_assert_eq!((open.count, open.last()), (kinds.len(), kinds.last().copied()));
            }
        }
    }
}
