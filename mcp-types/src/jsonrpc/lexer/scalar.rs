//! Values that are no containers.

use super::super::text::plain_run;
use super::{Lexer, Step};

impl Lexer<'_> {
    /// Passes over a value that is neither a container nor a string.
    #[inline]
    pub(super) fn unquoted(&mut self) -> Step {
        match self.peek() {
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => self.literal(),
        }
    }

    /// Passes over a string.
    #[inline]
    pub(super) fn string(&mut self) -> Step {
        let start = self.at + 1;
        let rest = self.text.as_bytes().get(start..).unwrap_or_default();
        let len = plain_run(rest);
        if rest.get(len) == Some(&b'"') {
            self.at = start + len + 1;
            return Ok(());
        }
        self.at = start + len;
        self.escaped_string()
    }

    /// Goes on at the first byte of a string that is not plain and not its end.
    #[inline(never)]
    fn escaped_string(&mut self) -> Step {
        self.escapes = true;
        let bytes = self.text.as_bytes();
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => self.escape()?,
                Some(_) => return self.fail("an escape instead of a control character"),
                None => return self.fail("the end of a string"),
            }
            self.at += plain_run(&bytes[self.at..]);
        }
    }

    fn escape(&mut self) -> Step {
        self.at += 1;
        match self.peek() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                self.at += 1;
                Ok(())
            }
            Some(b'u') => {
                self.at += 1;
                for _ in 0..4 {
                    if !self.peek().is_some_and(|byte| byte.is_ascii_hexdigit()) {
                        return self.fail("four hexadecimal digits");
                    }
                    self.at += 1;
                }
                Ok(())
            }
            _ => self.fail("an escape"),
        }
    }

    #[inline(never)]
    fn number(&mut self) -> Step {
        // The usual number is a positive integer, such as an id.
        let bytes = self.text.as_bytes();
        let digits = bytes[self.at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let end = self.at + digits;
        if matches!(bytes[self.at], b'1'..=b'9') && !matches!(bytes.get(end), Some(b'.' | b'e' | b'E')) {
            self.at = end;
            return Ok(());
        }
        self.unusual_number()
    }

    #[inline(never)]
    fn unusual_number(&mut self) -> Step {
        self.eat(b'-');
        // Nothing follows a leading zero; a digit there is then not what the container expects.
        if !self.eat(b'0') {
            self.digits()?;
        }
        if self.eat(b'.') {
            self.digits()?;
        }
        if self.eat(b'e') || self.eat(b'E') {
            if !self.eat(b'+') {
                self.eat(b'-');
            }
            self.digits()?;
        }
        Ok(())
    }

    #[inline]
    fn digits(&mut self) -> Step {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at == start { self.fail("a digit") } else { Ok(()) }
    }

    #[inline(never)]
    fn literal(&mut self) -> Step {
        let expected = match self.peek() {
            Some(b't') => "true",
            Some(b'f') => "false",
            Some(b'n') => "null",
            _ => return self.fail("a value"),
        };
        if self.text.as_bytes()[self.at..].starts_with(expected.as_bytes()) {
            self.at += expected.len();
            Ok(())
        } else {
            self.fail(expected)
        }
    }
}
