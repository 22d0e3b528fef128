//! An ordered map that mostly has one entry or none: one needs no heap, and what many needed is given back with the last.

use std::collections::{BTreeMap, btree_map};
use std::mem;
use std::ops::RangeInclusive;

/// What is in flight on one connection: one thing as a rule, many now and then, and nothing for most of the time.
#[derive(Clone, Debug, Default)]
pub(crate) enum Few<K, V> {
    #[default]
    None,
    One(K, V),
    Many(BTreeMap<K, V>),
}

impl<K: Ord, V> Few<K, V> {
    pub(crate) const fn new() -> Self {
        Self::None
    }

    pub(crate) fn is_empty(&self) -> bool {
        matches!(self, Self::None)
    }

    pub(crate) fn get(&self, key: &K) -> Option<&V> {
        match self {
            Self::None => None,
            Self::One(own, value) => (own == key).then_some(value),
            Self::Many(map) => map.get(key),
        }
    }

    pub(crate) fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        match self {
            Self::None => None,
            Self::One(own, value) => (own == key).then_some(value),
            Self::Many(map) => map.get_mut(key),
        }
    }

    pub(crate) fn contains_key(&self, key: &K) -> bool {
        self.get(key).is_some()
    }

    pub(crate) fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self {
            Self::None => {
                *self = Self::One(key, value);
                None
            }
            Self::One(own, old) if *own == key => Some(mem::replace(old, value)),
            Self::One(..) => {
                let Self::One(first, old) = mem::replace(self, Self::None) else { return None };
                *self = Self::Many(BTreeMap::from([(first, old), (key, value)]));
                None
            }
            Self::Many(map) => map.insert(key, value),
        }
    }

    pub(crate) fn remove(&mut self, key: &K) -> Option<V> {
        match self {
            Self::None => None,
            Self::One(own, _) if own != key => None,
            Self::One(..) => match mem::replace(self, Self::None) {
                Self::One(_, value) => Some(value),
                _ => None,
            },
            Self::Many(map) => {
                let value = map.remove(key);
                if map.is_empty() {
                    *self = Self::None;
                }
                value
            }
        }
    }

    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = (&K, &V)> {
        let (one, many) = match self {
            Self::None => (None, None),
            Self::One(key, value) => (Some((key, value)), None),
            Self::Many(map) => (None, Some(map.iter())),
        };
        one.into_iter().chain(many.into_iter().flatten())
    }

    pub(crate) fn keys(&self) -> impl DoubleEndedIterator<Item = &K> {
        self.iter().map(|(key, _)| key)
    }

    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        let (one, many) = match self {
            Self::None => (None, None),
            Self::One(_, value) => (Some(value), None),
            Self::Many(map) => (None, Some(map.values_mut())),
        };
        one.into_iter().chain(many.into_iter().flatten())
    }

    pub(crate) fn first_key_value(&self) -> Option<(&K, &V)> {
        match self {
            Self::Many(map) => map.first_key_value(),
            _ => self.iter().next(),
        }
    }

    pub(crate) fn range(&self, range: RangeInclusive<K>) -> impl DoubleEndedIterator<Item = (&K, &V)> {
        let (one, many): (_, Option<btree_map::Range<'_, K, V>>) = match self {
            Self::None => (None, None),
            Self::One(key, value) => (range.contains(key).then_some((key, value)), None),
            Self::Many(map) => (None, Some(map.range(range))),
        };
        one.into_iter().chain(many.into_iter().flatten())
    }
}
