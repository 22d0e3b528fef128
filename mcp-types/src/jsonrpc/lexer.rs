//! Strict JSON (RFC 8259) without building anything: a cursor that validates as it moves.

mod open;
mod scalar;

use open::{Kind, Open};

use super::text::{LoneSurrogate, plain_run, unescape};

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

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str, depth_limit: usize) -> Self {
        Self { text, at: 0, depth_limit, too_deep: false, escapes: false, expected: "" }
    }

    pub(super) fn allow_depth(&mut self, depth_limit: usize) {
        self.depth_limit = depth_limit;
    }

    pub(super) fn allows_depth(&self, depth: usize) -> bool {
        depth <= self.depth_limit
    }

    pub(super) fn skip_byte(&mut self) {
        self.at += 1;
    }

    /// Passes over a text if it stands here, byte by byte.
    #[inline]
    pub(super) fn eat_text(&mut self, text: &str) -> bool {
        let found = self.text.as_bytes().get(self.at..).is_some_and(|rest| rest.starts_with(text.as_bytes()));
        self.at += if found { text.len() } else { 0 };
        found
    }

    /// Goes back to a former position.
    pub(super) fn back_to(&mut self, position: usize) {
        self.at = position;
    }

    #[inline]
    pub(super) fn skip_whitespace(&mut self) {
        while let Some(byte) = self.peek()
            && is_whitespace(byte)
        {
            self.at += 1;
        }
    }

    /// Ends the text: nothing but whitespace may follow.
    pub(super) fn end(&mut self) -> Step {
        self.skip_whitespace();
        if self.at == self.text.len() { Ok(()) } else { self.fail("the end of the text") }
    }

    /// Walks an object and hands each member to `member`, which must consume the value.
    ///
    /// `find` tells which known name a text starts with, as `"name":`, and how long that is. `depth`
    /// counts the containers around the members, this one included. An object that is too deep is
    /// passed over without a look at its members.
    #[inline]
    pub(super) fn object<N>(
        &mut self,
        depth: usize,
        find: impl Fn(&[u8]) -> Option<(usize, N)>,
        mut member: impl FnMut(&mut Self, Option<N>) -> Step,
    ) -> Step {
        if depth > self.depth_limit {
            return self.skip_beyond_limit();
        }
        self.at += 1;
        if self.is_empty(Kind::Object) {
            return Ok(());
        }
        loop {
            let name = match self.text.as_bytes().get(self.at..).and_then(&find) {
                Some((len, name)) => {
                    self.at += len;
                    self.skip_whitespace();
                    Some(name)
                }
                None if self.peek().is_some_and(is_whitespace) => {
                    self.skip_whitespace();
                    continue;
                }
                None => self.other_name()?.and_then(|name| {
                    // A name may go on behind a quote that was escaped.
                    let (len, known) = find(name.as_bytes())?;
                    (len == name.len()).then_some(known)
                }),
            };
            member(self, name)?;
            match self.goes_on(Kind::Object) {
                Ok(true) => {}
                Ok(false) => return Ok(()),
                Err(NotJson) => return Err(NotJson),
            }
        }
    }

    /// Walks an object and hands each member to `member` with what stands between the quotes of its name. `member` must
    /// consume the value.
    pub(super) fn members(&mut self, mut member: impl FnMut(&mut Self, &'a [u8]) -> Step) -> Step {
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
        let mut count = 0;
        self.array(|lexer| {
            count += 1;
            lexer.value(1)
        })?;
        Ok(count)
    }

    /// Walks an array and stops at each element, which `element` must consume.
    pub(super) fn array(&mut self, mut element: impl FnMut(&mut Self) -> Step) -> Step {
        self.at += 1;
        if self.is_empty(Kind::Array) {
            return Ok(());
        }
        loop {
            self.skip_whitespace();
            element(self)?;
            if !self.goes_on(Kind::Array)? {
                return Ok(());
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

    /// Passes over a name that `find` does not know. Returns it as `"name":` if it was written in
    /// another way and may be a known one after all.
    #[inline(never)]
    fn other_name(&mut self) -> Step<Option<String>> {
        /// The longest name we know, with each of its characters written as an escape.
        const LONGEST: usize = "io.modelcontextprotocol/clientCapabilities".len() * r"\u0000".len();
        let start = self.at;
        let raw = self.name()?;
        let after = self.text.as_bytes().get(start + raw.len() + 2);
        let is_usual = after == Some(&b':') && memchr::memchr(b'\\', raw).is_none();
        if is_usual || raw.len() > LONGEST {
            return Ok(None);
        }
        let decoded = std::str::from_utf8(raw).ok().and_then(|raw| unescape(raw, LoneSurrogate::Refuse));
        Ok(decoded.map(|name| format!("\"{name}\":")))
    }

    /// Passes over a member name, the whitespace before it, the colon and the whitespace up to the
    /// value. Returns what stands between the quotes.
    #[inline]
    fn name(&mut self) -> Step<&'a [u8]> {
        // The usual name is plain, and the colon and the value follow at once.
        if let Some([b'"', rest @ ..]) = self.text.as_bytes().get(self.at..) {
            let (raw, after) = rest.split_at(plain_run(rest));
            if let [b'"', b':', value, ..] = after
                && *value > b' '
            {
                self.at += raw.len() + 3;
                return Ok(raw);
            }
        }
        self.unusual_name()
    }

    #[inline(never)]
    fn unusual_name(&mut self) -> Step<&'a [u8]> {
        self.skip_whitespace();
        if self.peek() != Some(b'"') {
            return self.fail("a member name");
        }
        let start = self.at + 1;
        self.string()?;
        let raw = &self.text.as_bytes()[start..self.at - 1];
        self.colon()?;
        Ok(raw)
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
            Some(b'"') => self.string(),
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

    /// Passes over a container.
    ///
    /// Most hold no other: those need no memory of what is open, which saves 70 of 140 instructions.
    #[inline(never)]
    fn container(&mut self, depth: usize) -> Step {
        if depth >= self.depth_limit {
            return self.skip_beyond_limit();
        }
        let kind = if self.peek() == Some(b'{') { Kind::Object } else { Kind::Array };
        self.at += 1;
        if self.is_empty(kind) {
            return Ok(());
        }
        loop {
            self.next_in(kind)?;
            match self.peek() {
                Some(b'"') => self.string()?,
                Some(b'{' | b'[') => return self.rest_of_container(depth, kind),
                _ => self.unquoted()?,
            }
            if !self.goes_on(kind)? {
                return Ok(());
            }
        }
    }

    /// Goes on where a container has a value that is one too. Without recursion: the kinds of the open
    /// ones are bits.
    #[inline(never)]
    fn rest_of_container(&mut self, depth: usize, kind: Kind) -> Step {
        let mut open = Open::new();
        open.push(kind);
        loop {
            // A value starts here.
            match self.peek() {
                Some(b'"') => self.string()?,
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
    // A call of it would cost a fifth of what it does.
    #[inline(always)]
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
    pub(super) fn eat(&mut self, byte: u8) -> bool {
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

#[inline]
const fn is_whitespace(byte: u8) -> bool {
    // Most texts have none, and everything else is above a space.
    byte <= b' ' && matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}
