//! What was read of a list.

use super::lenient::Bad;

/// One page of a list.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Page<T> {
    /// The elements, in the order of the server's.
    pub items: Vec<T>,
    /// The elements that could not be read.
    pub bad: Vec<Bad>,
    /// Where the next page begins. `None`: this is the last one.
    pub next_cursor: Option<String>,
}

/// A list, read to its end.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Listing<T> {
    /// The elements, in the order of the server's.
    pub items: Vec<T>,
    /// The elements that could not be read.
    pub bad: Vec<Bad>,
}

impl<T> IntoIterator for Listing<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    /// The elements that could be read.
    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}
