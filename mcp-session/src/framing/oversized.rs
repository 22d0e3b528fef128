//! What can still be learnt of a frame that is too large to keep.
//!
//! The bytes pass through in pieces and are forgotten. A small machine follows the nesting and the strings, and
//! looks at the members of the outermost object only.

use serde_json::value::RawValue;

use crate::transport::TooLarge;

/// The longest `id` that is kept of an oversized frame, in bytes; for a string, between its quotes.
pub const MAX_ID: usize = 256;

/// Follows one oversized frame.
#[derive(Debug, Default)]
pub(super) struct Oversized {
    size: u64,
    at: Place,
    /// How many brackets are open within the member under way.
    depth: u64,
    /// What is kept of the member name or `id` under way.
    kept: Kept,
    member: Member,
    id: Option<Box<[u8]>>,
    has_method: bool,
    has_id: bool,
    has_outcome: bool,
}

/// Where in the frame the machine stands.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Before the opening brace.
    #[default]
    Start,
    /// In the outermost object, before a member name.
    BeforeName,
    /// In a member name.
    Name(Text),
    /// Between a member name and its value.
    BeforeValue,
    /// In a string that is the value of a member.
    TextValue(Text),
    /// In a number, `true`, `false` or `null` that is the value of a member.
    WordValue,
    /// In an array or object that is the value of a member.
    Nested,
    /// In a string somewhere in such an array or object.
    NestedText(Text),
    /// After a value, before a comma or the closing brace.
    AfterValue,
    /// Nothing more can be learnt.
    Done,
}

/// Whether the next byte of a string is escaped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Text {
    Plain,
    Escaped,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Member {
    Id,
    Method,
    Outcome,
    #[default]
    Other,
}

impl Oversized {
    /// Takes the next piece of the frame.
    pub(super) fn feed(&mut self, piece: &[u8]) {
        self.size += piece.len() as u64;
        let mut rest = piece;
        while let Some(&byte) = rest.first() {
            if self.at == Place::Done {
                return;
            }
            let skipped = self.skippable(rest);
            if skipped > 0 {
                rest = &rest[skipped..];
            } else {
                self.step(byte);
                rest = &rest[1..];
            }
        }
    }

    /// Says what was learnt of a frame that is over `limit` bytes.
    pub(super) fn end(self, limit: usize) -> TooLarge {
        let Self { size, id, has_method, has_id, has_outcome, .. } = self;
        TooLarge { size, limit: limit as u64, id, has_method, has_id, has_outcome }
    }

    /// Counts the bytes at the front that change nothing: most of a large frame is in long strings.
    fn skippable(&self, rest: &[u8]) -> usize {
        let in_text = match self.at {
            Place::NestedText(Text::Plain) => true,
            Place::TextValue(Text::Plain) => self.member != Member::Id,
            _ => false,
        };
        if in_text { memchr::memchr2(b'"', b'\\', rest).unwrap_or(rest.len()) } else { 0 }
    }

    fn step(&mut self, byte: u8) {
        self.at = match (self.at, byte) {
            (Place::Start, b'{') => Place::BeforeName,
            (Place::BeforeName, b'"') => {
                self.kept.restart();
                self.kept.push(byte);
                Place::Name(Text::Plain)
            }
            (Place::Name(Text::Plain), b'"') => {
                self.kept.push(byte);
                self.end_name();
                Place::BeforeValue
            }
            (Place::Name(text), _) => {
                self.kept.push(byte);
                Place::Name(text.then(byte))
            }
            (Place::BeforeValue, b':') => Place::BeforeValue,
            (Place::TextValue(text), _) => {
                self.keep_of_id(byte);
                if text == Text::Plain && byte == b'"' {
                    self.end_scalar();
                    Place::AfterValue
                } else {
                    Place::TextValue(text.then(byte))
                }
            }
            (Place::WordValue, b',' | b'}' | b' ' | b'\t' | b'\r') => {
                self.end_scalar();
                after(byte)
            }
            (Place::WordValue, _) => {
                self.keep_of_id(byte);
                Place::WordValue
            }
            (Place::Nested, _) => self.nested(byte),
            (Place::NestedText(Text::Plain), b'"') => Place::Nested,
            (Place::NestedText(text), _) => Place::NestedText(text.then(byte)),
            (Place::AfterValue, b',' | b'}' | b' ' | b'\t' | b'\r') => after(byte),
            (Place::Start | Place::BeforeName | Place::BeforeValue, b' ' | b'\t' | b'\r') => self.at,
            (Place::BeforeValue, _) => self.begin_value(byte),
            // Not an object, or not JSON, or over.
            (Place::Start | Place::BeforeName | Place::AfterValue | Place::Done, _) => Place::Done,
        };
    }

    fn end_name(&mut self) {
        self.member = match self.kept.name().as_deref() {
            Some("id") => Member::Id,
            Some("method") => Member::Method,
            Some("result" | "error") => Member::Outcome,
            _ => Member::Other,
        };
        self.kept.restart();
    }

    fn begin_value(&mut self, byte: u8) -> Place {
        match self.member {
            // The last of several counts, as it does for a JSON reader.
            Member::Id => (self.has_id, self.id) = (true, None),
            Member::Method => self.has_method = true,
            Member::Outcome => self.has_outcome = true,
            Member::Other => {}
        }
        match byte {
            b'{' | b'[' => {
                self.depth = 1;
                Place::Nested
            }
            b'"' => {
                self.keep_of_id(byte);
                Place::TextValue(Text::Plain)
            }
            _ => {
                self.keep_of_id(byte);
                Place::WordValue
            }
        }
    }

    fn nested(&mut self, byte: u8) -> Place {
        match byte {
            b'"' => return Place::NestedText(Text::Plain),
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => self.depth -= 1,
            _ => {}
        }
        if self.depth == 0 { Place::AfterValue } else { Place::Nested }
    }

    fn keep_of_id(&mut self, byte: u8) {
        if self.member == Member::Id {
            self.kept.push(byte);
        }
    }

    fn end_scalar(&mut self) {
        if self.member == Member::Id {
            self.id = self.kept.scalar();
        }
    }
}

impl Text {
    /// Moves on by a byte of the string.
    const fn then(self, byte: u8) -> Self {
        match (self, byte) {
            (Self::Plain, b'\\') => Self::Escaped,
            _ => Self::Plain,
        }
    }
}

/// Where a byte behind a value leads.
const fn after(byte: u8) -> Place {
    match byte {
        b',' => Place::BeforeName,
        b'}' => Place::Done,
        _ => Place::AfterValue,
    }
}

/// A few bytes kept of what passes.
#[derive(Debug, Default)]
struct Kept {
    bytes: Vec<u8>,
    overrun: bool,
}

impl Kept {
    fn restart(&mut self) {
        self.bytes.clear();
        self.overrun = false;
    }

    fn push(&mut self, byte: u8) {
        if self.bytes.len() < MAX_ID + QUOTES {
            self.bytes.push(byte);
        } else {
            self.overrun = true;
        }
    }

    /// Reads a member name, which may be written with escapes.
    fn name(&self) -> Option<String> {
        if self.overrun {
            return None;
        }
        serde_json::from_slice(&self.bytes).ok()
    }

    /// Takes a value, if it is JSON and short enough to be an `id`.
    fn scalar(&self) -> Option<Box<[u8]>> {
        let most = if self.bytes.first() == Some(&b'"') { MAX_ID + QUOTES } else { MAX_ID };
        if self.overrun || self.bytes.len() > most {
            return None;
        }
        let raw: &RawValue = serde_json::from_slice(&self.bytes).ok()?;
        Some(raw.get().as_bytes().into())
    }
}

const QUOTES: usize = 2;
