//! Keeps a list from going on for ever.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The cursors that a server has named so far.
///
/// A fingerprint of each is kept rather than its text, which may be as long as a frame. Should two be mistaken for one,
/// a list ends with an error that need not have: it takes a server that wants this.
#[derive(Debug, Default)]
pub(super) struct Cursors(BTreeSet<u64>);

impl Cursors {
    /// Takes note of a cursor. `false`: it was named before.
    pub(super) fn is_new(&mut self, cursor: &str) -> bool {
        let mut hasher = DefaultHasher::new();
        cursor.hash(&mut hasher);
        self.0.insert(hasher.finish())
    }
}
