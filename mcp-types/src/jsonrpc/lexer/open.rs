//! The containers around the cursor.

#[derive(Clone, Copy, PartialEq, Eq)]
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

/// The kinds of the open containers, a bit each: the innermost 64 in a word, the others set aside.
#[derive(Default)]
pub(super) struct Open {
    pub(super) count: usize,
    innermost: u64,
    outer: Vec<u64>,
}

impl Open {
    #[inline]
    pub(super) fn push(&mut self, kind: Kind) {
        if self.count != 0 && self.count.is_multiple_of(64) {
            self.outer.push(self.innermost);
        }
        self.innermost = self.innermost << 1 | u64::from(kind == Kind::Object);
        self.count += 1;
    }

    #[inline]
    pub(super) fn pop(&mut self) {
        self.count -= 1;
        self.innermost >>= 1;
        if self.count != 0
            && self.count.is_multiple_of(64)
            && let Some(outer) = self.outer.pop()
        {
            self.innermost = outer;
        }
    }

    #[inline]
    pub(super) fn last(&self) -> Option<Kind> {
        match (self.count, self.innermost & 1) {
            (0, _) => None,
            (_, 0) => Some(Kind::Array),
            (_, _) => Some(Kind::Object),
        }
    }
}
