//! A list that is ready to be sent, whole or in pages.

use std::sync::Arc;

use mcp_types::version::Version;

use super::Listed;

/// A list as JSON, with what it takes to cut pages from it.
#[derive(Debug)]
pub(crate) struct List {
    /// The items with commas between them.
    json: Box<[u8]>,
    /// Where each of them ends.
    ends: Box<[usize]>,
    /// What each of them is recognised by.
    marks: Box<[u64]>,
}

/// A part of a list.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Page<'a> {
    /// The items with commas between them.
    pub(crate) json: &'a [u8],
    /// Where the next page begins, if there is one.
    pub(crate) next: Option<Cursor>,
}

/// Where a page begins: after the item at this place, which had this mark.
///
/// The mark tells a cursor that was given out from one that was made up, and finds the item when the list has changed
/// meanwhile. It is made of the item's key alone, so that a cursor means the same to every process of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cursor {
    place: usize,
    mark: u64,
}

impl List {
    pub(super) fn of<T: Listed>(items: &[Arc<T>], version: Version) -> Self {
        let mut json = Vec::new();
        let mut ends = Vec::with_capacity(items.len());
        for item in items {
            if !ends.is_empty() {
                json.push(b',');
            }
            json.extend_from_slice(&item.told(version));
            ends.push(json.len());
        }
        let marks = items.iter().map(|item| mark(T::MEMBER, item.key())).collect();
        Self { json: json.into(), ends: ends.into(), marks }
    }

    /// Up to `size` items after a cursor. `None` when no item is where it says.
    //= 2026-07-28/server/utilities/pagination#error-handling
    //# Invalid cursors **SHOULD** result in an error with code -32602 (Invalid params).
    pub(crate) fn page(&self, after: Option<Cursor>, size: Option<usize>) -> Option<Page<'_>> {
        let first = match after {
            None => 0,
            Some(cursor) => self.find(cursor)? + 1,
        };
        let past = size.map_or(self.ends.len(), |size| first.saturating_add(size).min(self.ends.len()));
        let start = first.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |end| end + 1);
        let last = past.checked_sub(1).filter(|last| *last >= first);
        let json = last.and_then(|last| self.json.get(start..*self.ends.get(last)?)).unwrap_or_default();
        let next = last.filter(|_| past < self.ends.len());
        Some(Page { json, next: next.and_then(|place| Some(Cursor { place, mark: *self.marks.get(place)? })) })
    }

    /// Where the item is that a page ended with. It may have moved.
    fn find(&self, cursor: Cursor) -> Option<usize> {
        if self.marks.get(cursor.place) == Some(&cursor.mark) {
            return Some(cursor.place);
        }
        self.marks.iter().position(|mark| *mark == cursor.mark)
    }
}

impl Cursor {
    /// Its text, which means nothing to clients.
    pub(crate) fn text(self) -> String {
        format!("{:x}.{:016x}", self.place, self.mark)
    }

    /// Reads a text that was given out. `None` for any other one.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (place, mark) = text.split_once('.')?;
        let cursor = Self { place: usize::from_str_radix(place, 16).ok()?, mark: u64::from_str_radix(mark, 16).ok()? };
        (cursor.text() == text).then_some(cursor)
    }
}

/// The 64 bits of FNV-1a, which are the same everywhere, over the kind of an item and its key.
fn mark(kind: &str, key: &str) -> u64 {
    const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    let bytes = kind.bytes().chain([0]).chain(key.bytes());
    bytes.fold(BASIS, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME))
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use mcp_session::engine::Change;

    use super::*;
    use crate::state::Need;

    #[derive(Debug)]
    struct Item(&'static str);

    impl Listed for Item {
        const CHANGE: Change = Change::Tools;
        const MEMBER: &'static str = "items";

        fn key(&self) -> &str {
            self.0
        }

        fn needs(&self) -> Vec<Need> {
            Vec::new()
        }

        fn told(&self, _: Version) -> Vec<u8> {
            self.0.as_bytes().to_vec()
        }
    }

    fn list(keys: &[&'static str]) -> List {
        let items: Vec<_> = keys.iter().map(|key| Arc::new(Item(key))).collect();
        List::of(&items, Version::MODERN)
    }

    /// All pages of a list.
    fn pages(list: &List, size: usize) -> Vec<String> {
        let mut pages = Vec::new();
        let mut after = None;
        loop {
            let page = list.page(after, Some(size)).unwrap();
            pages.push(String::from_utf8(page.json.to_vec()).unwrap());
            after = page.next.map(|next| Cursor::parse(&next.text()).unwrap());
            if after.is_none() {
                return pages;
            }
        }
    }

    #[test]
    fn pages_have_every_item_once() {
        let five = list(&["a", "bb", "ccc", "d", "e"]);
        assert_eq!(pages(&five, 1), ["a", "bb", "ccc", "d", "e"]);
        assert_eq!(pages(&five, 2), ["a,bb", "ccc,d", "e"]);
        assert_eq!(pages(&five, 5), ["a,bb,ccc,d,e"]);
        assert_eq!(pages(&five, usize::MAX), ["a,bb,ccc,d,e"]);
        assert_eq!(pages(&list(&[]), 3), [""]);
        assert_eq!(five.page(None, None).unwrap(), Page { json: b"a,bb,ccc,d,e", next: None });
    }

    #[test]
    fn a_page_goes_on_where_the_last_one_ended_though_the_list_has_changed() {
        let next = list(&["a", "b", "c", "d"]).page(None, Some(2)).unwrap().next;
        let json = |keys| list(keys).page(next, None).map(|page| String::from_utf8(page.json.to_vec()).unwrap());
        assert_eq!(json(&["a", "b", "x", "c"]).unwrap(), "x,c");
        assert_eq!(json(&["b", "c", "d"]).unwrap(), "c,d");
        assert_eq!(json(&["x", "y", "a", "b"]).unwrap(), "");
        assert_eq!(json(&["a", "c", "d"]), None);
    }

    #[test]
    fn texts_that_were_never_given_out_are_no_cursors() {
        let cursor = Cursor { place: 31, mark: 7 };
        assert_eq!(Cursor::parse("1f.0000000000000007"), Some(cursor));
        for text in ["", "zzz", "1f", "1f.7", "1F.0000000000000007", "+1.0000000000000007", "01.0000000000000007"] {
            assert_eq!(Cursor::parse(text), None, "{text}");
        }
        // One of another list has another mark.
        assert_eq!(list(&["a", "b"]).page(Some(Cursor { place: 0, mark: mark("others", "a") }), None), None);
    }
}
