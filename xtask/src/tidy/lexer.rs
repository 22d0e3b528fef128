//! Tells code from comments and from text, as far as the rules need it.

/// One line. The contents of strings and characters are left out of its code.
#[derive(Debug, Default)]
pub(super) struct Line {
    pub(super) code: String,
    pub(super) comment: String,
    pub(super) is_test: bool,
}

/// Splits source into lines, each with its code apart from its comments.
pub(super) fn split(text: &str) -> Vec<Line> {
    let mut lexer = Lexer { rest: text, lines: vec![Line::default()] };
    while !lexer.rest.is_empty() {
        lexer.step();
    }
    lexer.lines
}

struct Lexer<'a> {
    rest: &'a str,
    lines: Vec<Line>,
}

#[derive(Clone, Copy)]
enum Kind {
    Code,
    Comment,
    Text,
}

impl Lexer<'_> {
    fn step(&mut self) {
        if self.rest.starts_with("//") {
            let length = self.rest.chars().take_while(|&c| c != '\n').count();
            self.take(length, Kind::Comment);
        } else if self.rest.starts_with("/*") {
            self.take(block_comment(self.rest), Kind::Comment);
        } else if self.rest.starts_with('"') {
            self.take(1, Kind::Code);
            self.text();
        } else if let Some(hashes) = self.raw_text() {
            self.take("r".len(), Kind::Code);
            self.take(hashes, Kind::Text);
            self.take(1, Kind::Code);
            let end = format!("\"{}", "#".repeat(hashes));
            let inner = self.rest.split(&end).next().unwrap_or(self.rest);
            self.take(inner.chars().count(), Kind::Text);
            self.take(1, Kind::Code);
            self.take(hashes, Kind::Text);
        } else if let Some(length) = char_literal(self.rest) {
            self.take(1, Kind::Code);
            self.take(length - 2, Kind::Text);
            self.take(1, Kind::Code);
        } else {
            self.take(1, Kind::Code);
        }
    }

    /// Takes what is left of a text whose first quote has been taken.
    fn text(&mut self) {
        while !self.rest.is_empty() && !self.rest.starts_with('"') {
            let escape = self.rest.starts_with('\\');
            self.take(if escape { 2 } else { 1 }, Kind::Text);
        }
        self.take(1, Kind::Code);
    }

    /// The number of hashes when a raw text begins here; `r#type` is a name and begins none.
    fn raw_text(&self) -> Option<usize> {
        let after = self.rest.strip_prefix('r')?;
        let quote = after.trim_start_matches('#');
        let before = self.lines.last().map_or("", |line| &line.code);
        let prefix = last_word(before);
        let begins = quote.starts_with('"') && ["", "b", "c"].contains(&prefix);
        begins.then_some(after.len() - quote.len())
    }

    /// Moves so many characters, or what there is, to where they belong.
    fn take(&mut self, count: usize, kind: Kind) {
        for _ in 0..count {
            let mut chars = self.rest.chars();
            let Some(c) = chars.next() else { return };
            self.rest = chars.as_str();
            if c == '\n' {
                self.lines.push(Line::default());
            } else if let Some(line) = self.lines.last_mut() {
                match kind {
                    Kind::Code => line.code.push(c),
                    Kind::Comment => line.comment.push(c),
                    Kind::Text => {}
                }
            }
        }
    }
}

/// The length of the block comment at the start, in characters; such comments nest.
fn block_comment(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut rest = text;
    while !rest.is_empty() {
        let taken = if rest.starts_with("/*") {
            depth += 1;
            2
        } else if rest.starts_with("*/") {
            depth -= 1;
            2
        } else {
            rest.chars().next().map_or(1, char::len_utf8)
        };
        rest = &rest[taken..];
        if depth == 0 {
            break;
        }
    }
    text[..text.len() - rest.len()].chars().count()
}

/// The length of the character literal at the start, in characters; a lifetime is none.
fn char_literal(text: &str) -> Option<usize> {
    let mut chars = text.strip_prefix('\'')?.chars();
    if chars.next()? == '\\' {
        let escaped = chars.next()?;
        let end = chars.position(|c| c == '\'')?;
        // An escape that is longer than this is none: the quote belongs to something else.
        return (escaped == 'u' || end <= 2).then_some(end + 4);
    }
    (chars.next()? == '\'').then_some(3)
}

fn last_word(code: &str) -> &str {
    code.rsplit(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> Vec<String> {
        split(text).into_iter().map(|line| line.code).collect()
    }

    #[test]
    fn text_and_comments_are_not_code() {
        #[rustfmt::skip]
        let table = [
            (r#"a("x // y") // z"#,        r#"a("") "#),
            (r#"a("\"x\\") b"#,            r#"a("") b"#),
            ("a /* b /* c */ d */ e",      "a  e"),
            (r##"a(r#"x " y"#) b"##,       r##"a(r"") b"##),
            (r#"a(br"x\") b"#,             r#"a(br"") b"#),
            ("let r#type = 'x';",          "let r#type = '';"),
            (r"['\'', '\u{1F600}', '\\']", "['', '', '']"),
            ("fn f<'a>(x: &'a str)",       "fn f<'a>(x: &'a str)"),
            (r#"'"' + b"#,                 "'' + b"),
            (r#"a("ü" /* é */, 'ö') b"#,   r#"a("" , '') b"#),
            (r##"a(r#"ü"#, r"") // é"##,   r##"a(r"", r"") "##),
            ("ü // é",                     "ü "),
        ];
        for (text, expected) in table {
            assert_eq!(code(text), [expected], "{text}");
        }
    }

    #[test]
    fn text_and_comments_go_over_lines() {
        assert_eq!(code("a(\"x\ny\\\nz\") b\n/* c\nd */ e"), ["a(\"", "", "\") b", "", " e"]);
    }
}
