//! A queue that mostly has one entry or none: one needs no heap, and what many needed is given back with the last.

use std::collections::VecDeque;
use std::mem;

/// What waits for somebody who comes soon: one thing as a rule, many now and then, and nothing for most of the time.
#[derive(Clone, Debug, Default)]
pub(crate) enum Line<T> {
    #[default]
    None,
    One(T),
    /// Never empty.
    Many(VecDeque<T>),
}

impl<T> Line<T> {
    pub(crate) const fn is_empty(&self) -> bool {
        matches!(self, Self::None)
    }

    pub(crate) fn push_back(&mut self, last: T) {
        match self {
            Self::None => *self = Self::One(last),
            _ => self.push_behind(last),
        }
    }

    #[cold]
    fn push_behind(&mut self, last: T) {
        if let Self::Many(line) = self {
            return line.push_back(last);
        }
        let line = self.take_all().chain([last]).collect();
        *self = Self::Many(line);
    }

    pub(crate) fn pop_front(&mut self) -> Option<T> {
        match self {
            Self::None => None,
            Self::Many(line) if line.len() > 1 => line.pop_front(),
            Self::One(_) | Self::Many(_) => match mem::take(self) {
                Self::None => None,
                Self::One(one) => Some(one),
                Self::Many(mut line) => line.pop_front(),
            },
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        let (one, many) = match self {
            Self::None => (None, None),
            Self::One(one) => (Some(one), None),
            Self::Many(line) => (None, Some(line.iter())),
        };
        one.into_iter().chain(many.into_iter().flatten())
    }

    /// Takes out the first of this kind.
    pub(crate) fn remove_first(&mut self, is_it: impl Fn(&T) -> bool) -> Option<T> {
        let at = self.iter().position(is_it)?;
        match self {
            Self::Many(line) if line.len() > 1 => line.remove(at),
            _ => self.pop_front(),
        }
    }

    /// Takes out everything.
    pub(crate) fn take_all(&mut self) -> impl Iterator<Item = T> + use<T> {
        let (one, many) = match mem::take(self) {
            Self::None => (None, None),
            Self::One(one) => (Some(one), None),
            Self::Many(line) => (None, Some(line)),
        };
        one.into_iter().chain(many.into_iter().flatten())
    }
}

impl<T> Extend<T> for Line<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, more: I) {
        more.into_iter().for_each(|it| self.push_back(it));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[derive(Clone, Copy, Debug)]
    enum Step {
        Push(u8),
        Pop,
        Remove(u8),
        TakeAll,
    }

    proptest! {
        #[test]
        fn it_is_a_queue(steps in proptest::collection::vec(prop_oneof![
            6 => (0..9_u8).prop_map(Step::Push),
            4 => Just(Step::Pop),
            2 => (0..9_u8).prop_map(Step::Remove),
            1 => Just(Step::TakeAll),
        ], 0..60)) {
            let (mut line, mut queue) = (Line::default(), VecDeque::new());
            for step in steps {
                match step {
                    Step::Push(it) => {
                        line.push_back(it);
                        queue.push_back(it);
                    }
                    Step::Pop => prop_assert_eq!(line.pop_front(), queue.pop_front()),
                    Step::Remove(it) => {
                        let at = queue.iter().position(|other| *other == it);
                        prop_assert_eq!(line.remove_first(|other| *other == it), at.and_then(|at| queue.remove(at)));
                    }
                    Step::TakeAll => prop_assert!(line.take_all().eq(queue.drain(..))),
                }
                prop_assert_eq!(line.is_empty(), queue.is_empty());
                prop_assert!(line.iter().eq(queue.iter()));
                prop_assert!(!queue.is_empty() || matches!(line, Line::None), "what many needed is given back");
            }
        }
    }
}
