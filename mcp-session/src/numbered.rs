//! Things that are named by numbers in rising order, and most of which are taken out soon.

use std::collections::{BTreeMap, VecDeque};

/// A map whose keys are handed out in order.
///
/// The latest stand in a ring, where a number says the place: to find one takes a subtraction, and a steady coming and
/// going allocates nothing. What stays while many others come moves to a tree.
#[derive(Clone, Debug)]
pub(crate) struct Numbered<T>(
    /// Most sessions never number anything: for them it is a word.
    Option<Box<Ring<T>>>,
);

#[derive(Clone, Debug)]
struct Ring<T> {
    old: BTreeMap<u64, T>,
    recent: VecDeque<Option<T>>,
    /// The number of the first place in the ring, which is never empty.
    first: u64,
    len: usize,
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Numbered<T> {
    /// Takes in what has a higher number than everything before.
    pub(crate) fn push(&mut self, number: u64, value: T) {
        self.0.get_or_insert_default().push(number, value);
    }

    /// Takes something out, and looks at it once more on the way.
    pub(crate) fn remove<R>(&mut self, number: u64, look: impl FnOnce(&mut T) -> R) -> Option<R> {
        self.0.as_mut()?.remove(number, look)
    }

    pub(crate) fn get_mut(&mut self, number: u64) -> Option<&mut T> {
        self.0.as_mut()?.get_mut(number)
    }

    pub(crate) fn get(&self, number: u64) -> Option<&T> {
        self.0.as_ref()?.get(number)
    }

    pub(crate) fn contains(&self, number: u64) -> bool {
        self.get(number).is_some()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |ring| ring.len)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All there is, in order of the numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &T)> {
        self.0.iter().flat_map(|ring| ring.iter())
    }
}

impl<T> Default for Ring<T> {
    fn default() -> Self {
        Self { old: BTreeMap::new(), recent: VecDeque::new(), first: 0, len: 0 }
    }
}

impl<T> Ring<T> {
    fn push(&mut self, number: u64, value: T) {
        if self.recent.is_empty() {
            self.first = number;
        }
        debug_assert!(number >= self.first + self.recent.len() as u64, "numbers rise");
        while self.first + (self.recent.len() as u64) < number {
            if self.recent.len() == RING {
                self.retire_first();
            }
            self.recent.push_back(None);
        }
        if self.recent.len() == RING {
            self.retire_first();
        }
        self.recent.push_back(Some(value));
        self.len += 1;
    }

    fn remove<R>(&mut self, number: u64, look: impl FnOnce(&mut T) -> R) -> Option<R> {
        let looked = match self.place(number) {
            Some(place) => {
                // It is dropped where it stands: moving it out would cost more than all the rest.
                let slot = self.recent.get_mut(place)?;
                let looked = look(slot.as_mut()?);
                *slot = None;
                looked
            }
            None => look(&mut self.old.remove(&number)?),
        };
        self.len -= 1;
        while let Some(None) = self.recent.front() {
            self.recent.pop_front();
            self.first += 1;
        }
        Some(looked)
    }

    fn get_mut(&mut self, number: u64) -> Option<&mut T> {
        match self.place(number) {
            Some(place) => self.recent.get_mut(place)?.as_mut(),
            None => self.old.get_mut(&number),
        }
    }

    fn get(&self, number: u64) -> Option<&T> {
        match self.place(number) {
            Some(place) => self.recent.get(place)?.as_ref(),
            None => self.old.get(&number),
        }
    }

    fn iter(&self) -> impl Iterator<Item = (u64, &T)> {
        let old = self.old.iter().map(|(number, value)| (*number, value));
        let recent = (self.first..).zip(&self.recent).filter_map(|(number, value)| Some((number, value.as_ref()?)));
        old.chain(recent)
    }

    /// The place in the ring of a number that is not too old for it; there may be nothing there.
    fn place(&self, number: u64) -> Option<usize> {
        usize::try_from(number.checked_sub(self.first)?).ok()
    }

    fn retire_first(&mut self) {
        if let Some(Some(value)) = self.recent.pop_front() {
            self.old.insert(self.first, value);
        }
        self.first += 1;
    }
}

/// How many numbers the ring spans.
const RING: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[derive(Clone, Copy, Debug)]
    enum Step {
        Push(u64),
        RemoveNth(usize),
        Remove(u64),
    }

    proptest! {
        #[test]
        fn it_is_a_map(steps in proptest::collection::vec(prop_oneof![
            8 => prop_oneof![9 => Just(0), 1 => 0..200_u64].prop_map(Step::Push),
            4 => (0..400_usize).prop_map(Step::RemoveNth),
            1 => (0..400_u64).prop_map(Step::Remove),
        ], 0..600)) {
            let (mut numbered, mut map, mut next) = (Numbered::default(), BTreeMap::new(), 1);
            for step in steps {
                match step {
                    Step::Push(gap) => {
                        next += gap;
                        numbered.push(next, next);
                        map.insert(next, next);
                        next += 1;
                    }
                    Step::RemoveNth(nth) => {
                        if let Some(number) = map.keys().nth(nth).copied() {
                            prop_assert_eq!(numbered.remove(number, |value| *value), map.remove(&number));
                        }
                    }
                    Step::Remove(number) => prop_assert_eq!(numbered.remove(number, |value| *value), map.remove(&number)),
                }
                prop_assert_eq!((numbered.len(), numbered.is_empty()), (map.len(), map.is_empty()));
                prop_assert!(numbered.0.as_ref().is_none_or(|ring| ring.recent.len() <= RING));
                prop_assert!(numbered.iter().map(|(number, value)| (number, *value)).eq(map.clone()));
            }
            for number in 0..next + 2 {
                prop_assert_eq!(numbered.get(number), map.get(&number));
                prop_assert_eq!(numbered.get_mut(number), map.get_mut(&number));
                prop_assert_eq!(numbered.contains(number), map.contains_key(&number));
            }
        }
    }
}
