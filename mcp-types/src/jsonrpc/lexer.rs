//! Strict JSON (RFC 8259) without building anything: a cursor that validates as it moves.

mod open;
mod scalar;

use open::{Kind, Open};

use super::text::plain_run;

/// A cursor over one JSON text.
///
/// Each method that reads something expects the cursor at its first byte and leaves it after its last.
#[derive(Clone, Debug)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
    depth_limit: usize,
    too_deep: bool,
    escapes: bool,
    expected: &'static str,
}

/// The text is not JSON; [`Lexer::complaint`] says why. Empty, so that results stay in registers.
#[derive(Clone, Copy, Debug)]
pub(super) struct NotJson;

type Step<T = ()> = Result<T, NotJson>;

/// Where something stands in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
}

/// A member name as it stands between its quotes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Name<'a> {
    pub(super) raw: &'a [u8],
    pub(super) escaped: bool,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str, depth_limit: usize) -> Self {
        Self { text, at: 0, depth_limit, too_deep: false, escapes: false, expected: "" }
    }

    pub(super) fn allow_depth(&mut self, depth_limit: usize) {
        self.depth_limit = depth_limit;
    }

    pub(super) fn skip_byte(&mut self) {
        self.at += 1;
    }

    #[inline]
    pub(super) fn skip_whitespace(&mut self) {
        // Most texts have none, and everything else is above a space.
        while let Some(byte) = self.peek()
            && byte <= b' '
            && matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
        {
            self.at += 1;
        }
    }

    /// Ends the text: nothing but whitespace may follow.
    pub(super) fn end(&mut self) -> Step {
        self.skip_whitespace();
        if self.at == self.text.len() { Ok(()) } else { self.fail("the end of the text") }
    }

    /// Walks an object and hands each member name to `member`, which must consume the value.
    ///
    /// `depth` counts the containers around the members, this one included. An object that is too
    /// deep is passed over without a look at its members.
    #[inline]
    pub(super) fn object(&mut self, depth: usize, mut member: impl FnMut(&mut Self, Name<'a>) -> Step) -> Step {
        if depth > self.depth_limit {
            return self.skip_beyond_limit();
        }
        self.at += 1;
        if self.is_empty(Kind::Object) {
            return Ok(());
        }
        loop {
            let name = self.name()?;
            member(self, name)?;
            if !self.goes_on(Kind::Object)? {
                return Ok(());
            }
        }
    }

    /// Walks the array that is the whole text and counts its elements.
    pub(super) fn count_elements(&mut self) -> Step<usize> {
        self.at += 1;
        if self.is_empty(Kind::Array) {
            return Ok(0);
        }
        let mut count = 0;
        loop {
            self.skip_whitespace();
            self.value(1)?;
            count += 1;
            if !self.goes_on(Kind::Array)? {
                return Ok(count);
            }
        }
    }

    /// Passes over the end of a container that has just begun, if it is empty.
    #[inline]
    fn is_empty(&mut self, kind: Kind) -> bool {
        // A quote is what usually follows.
        if self.peek() == Some(b'"') {
            return false;
        }
        self.skip_whitespace();
        self.eat(kind.closing())
    }

    /// Passes over what follows a value: a comma, and then the container goes on, or its end.
    #[inline]
    fn goes_on(&mut self, kind: Kind) -> Step<bool> {
        // Most texts have no whitespace.
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                Ok(true)
            }
            Some(byte) if byte == kind.closing() => {
                self.at += 1;
                Ok(false)
            }
            _ => self.goes_on_after_whitespace(kind),
        }
    }

    #[inline(never)]
    fn goes_on_after_whitespace(&mut self, kind: Kind) -> Step<bool> {
        self.skip_whitespace();
        if self.eat(b',') {
            Ok(true)
        } else if self.eat(kind.closing()) {
            Ok(false)
        } else {
            self.fail(match kind {
                Kind::Object => "`,` or `}`",
                Kind::Array => "`,` or `]`",
            })
        }
    }

    /// Reads a member name, the whitespace before it, the colon and the whitespace up to the value.
    #[inline]
    fn name(&mut self) -> Step<Name<'a>> {
        // The usual name is plain, and the colon and the value follow at once.
        if let Some([b'"', rest @ ..]) = self.text.as_bytes().get(self.at..) {
            let (raw, after) = rest.split_at(plain_run(rest));
            if let [b'"', b':', value, ..] = after
                && *value > b' '
            {
                self.at += raw.len() + 3;
                return Ok(Name { raw, escaped: false });
            }
        }
        self.unusual_name()
    }

    #[inline(never)]
    fn unusual_name(&mut self) -> Step<Name<'a>> {
        self.skip_whitespace();
        if self.peek() != Some(b'"') {
            return self.fail("a member name");
        }
        let start = self.at + 1;
        let escaped = self.string()?;
        let raw = &self.text.as_bytes()[start..self.at - 1];
        self.colon()?;
        Ok(Name { raw, escaped })
    }

    fn colon(&mut self) -> Step {
        self.skip_whitespace();
        if !self.eat(b':') {
            return self.fail("`:`");
        }
        self.skip_whitespace();
        Ok(())
    }

    /// Passes over any value. `depth` counts the containers around it.
    #[inline]
    pub(super) fn value(&mut self, depth: usize) -> Step {
        match self.peek() {
            Some(b'"') => self.string().map(drop),
            Some(b'{' | b'[') => self.container(depth),
            _ => self.unquoted(),
        }
    }

    /// Passes over any value and returns its raw text.
    #[inline]
    pub(super) fn raw_value(&mut self, depth: usize) -> Step<&'a str> {
        let start = self.at;
        self.value(depth)?;
        Ok(self.since(start))
    }

    /// Passes over a container without recursion: kinds of the open ones are bits.
    #[inline(never)]
    fn container(&mut self, depth: usize) -> Step {
        let mut open = Open::default();
        loop {
            // A value starts here.
            match self.peek() {
                Some(b'"') => {
                    self.string()?;
                }
                Some(b'{' | b'[') if depth + open.count >= self.depth_limit => self.skip_beyond_limit()?,
                Some(bracket @ (b'{' | b'[')) => {
                    self.at += 1;
                    let kind = if bracket == b'{' { Kind::Object } else { Kind::Array };
                    if !self.is_empty(kind) {
                        open.push(kind);
                        self.next_in(kind)?;
                        continue;
                    }
                }
                _ => self.unquoted()?,
            }
            // A value ended here; so may the containers around it.
            loop {
                let Some(kind) = open.last() else {
                    return Ok(());
                };
                if self.goes_on(kind)? {
                    self.next_in(kind)?;
                    break;
                }
                open.pop();
            }
        }
    }

    /// Goes to the next value of a container that has one.
    #[inline]
    fn next_in(&mut self, kind: Kind) -> Step {
        match kind {
            Kind::Object => self.name().map(drop),
            Kind::Array => {
                self.skip_whitespace();
                Ok(())
            }
        }
    }

    /// Passes over a container that is too deep, whatever is in it.
    ///
    /// The frame is refused anyway. All that is looked for is the end of the container, so that an id
    /// behind it can still be read; counting brackets outside strings finds it in constant memory.
    #[cold]
    fn skip_beyond_limit(&mut self) -> Step {
        self.too_deep = true;
        let mut open = 0_usize;
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.string()?;
                    continue;
                }
                Some(b'{' | b'[') => open += 1,
                Some(b'}' | b']') => open -= 1,
                Some(_) => {}
                None => return self.fail("the end of a container"),
            }
            self.at += 1;
            if open == 0 {
                return Ok(());
            }
        }
    }

    #[inline]
    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    #[cold]
    fn fail<T>(&mut self, expected: &'static str) -> Step<T> {
        self.expected = expected;
        Err(NotJson)
    }

    #[inline]
    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// The text between `start`, a former position, and the cursor.
    #[inline]
    pub(super) fn since(&self, start: usize) -> &'a str {
        &self.text[start..self.at]
    }

    pub(super) fn text(&self) -> &'a str {
        self.text
    }

    pub(super) fn too_deep(&self) -> bool {
        self.too_deep
    }

    /// Whether there was an escape in any string so far.
    pub(super) fn saw_escape(&self) -> bool {
        self.escapes
    }

    /// Says what was expected where, after a [`NotJson`].
    pub(super) fn complaint(&self) -> String {
        let found = match self.text.get(self.at..).and_then(|rest| rest.chars().next()) {
            Some(character) => format!("{character:?}"),
            None => "the end of the text".to_owned(),
        };
        format!("expected {}, found {found} at byte {}", self.expected, self.at)
    }
}
