//! Rust source as the rules look at it: code, comment, and whether only tests compile it.

use crate::tidy::files::TextFile;
use crate::tidy::lexer::{Line, split};

/// A Rust file, line by line.
#[derive(Debug)]
pub(super) struct RustFile<'a> {
    pub(super) path: &'a str,
    pub(super) lines: Vec<Line>,
}

impl<'a> RustFile<'a> {
    /// `None` when the file is no Rust source.
    pub(super) fn read(file: &'a TextFile) -> Option<Self> {
        if !file.path.ends_with(".rs") {
            return None;
        }
        let mut lines = split(&file.text);
        mark_tests(&file.path, &mut lines);
        Some(Self { path: &file.path, lines })
    }

    /// The lines with their numbers, which start at 1.
    pub(super) fn numbered(&self) -> impl Iterator<Item = (usize, &Line)> {
        (1..).zip(&self.lines)
    }
}

/// The byte positions where `word` stands in `code` as a whole word (`::` within it is fine).
pub(super) fn words<'c>(code: &'c str, word: &'c str) -> impl Iterator<Item = usize> + 'c {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(word)
        .map(|(at, _)| at)
        .filter(move |&at| !code[..at].ends_with(is_part) && !code[at + word.len()..].starts_with(is_part))
}

/// Marks the lines that only tests compile.
fn mark_tests(path: &str, lines: &mut [Line]) {
    let whole = is_test_path(path) || lines.iter().any(|line| line.code.trim_start().starts_with("#![cfg(test)]"));
    let mut at = 0;
    while at < lines.len() {
        let code = lines[at].code.trim_start();
        let opens = code.starts_with("#[cfg(test)]") || code.starts_with("#[cfg(all(test");
        let end = if opens { item_end(lines, at) } else { at };
        for line in &mut lines[at..=end] {
            line.is_test = whole || opens;
        }
        at = end + 1;
    }
}

fn is_test_path(path: &str) -> bool {
    let mut folders = path.split('/').rev();
    folders.next().is_some_and(|name| name.ends_with("tests.rs")) || folders.any(|folder| folder == "tests")
}

/// The last line of the item whose attribute stands at `start`.
fn item_end(lines: &[Line], start: usize) -> usize {
    let (mut braces, mut brackets) = (0_usize, 0_usize);
    for (at, line) in lines.iter().enumerate().skip(start) {
        for c in line.code.chars() {
            match c {
                '(' | '[' => brackets += 1,
                ')' | ']' => brackets = brackets.saturating_sub(1),
                '{' => braces += 1,
                '}' if braces <= 1 => return at,
                '}' => braces -= 1,
                ';' if braces == 0 && brackets == 0 => return at,
                _ => {}
            }
        }
    }
    lines.len() - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test_lines(path: &str, text: &str) -> Vec<usize> {
        let file = TextFile::new(path, text);
        let rust = RustFile::read(&file);
        let lines = rust.iter().flat_map(|rust| rust.numbered());
        lines.filter(|(_, line)| line.is_test).map(|(number, _)| number).collect()
    }

    #[test]
    fn words_are_whole() {
        let found: Vec<usize> = words("sleep asleep sleep_until x::sleep(", "sleep").collect();
        assert_eq!(found, [0, 28]);
    }

    #[test]
    fn a_test_module_is_marked_and_what_stands_around_it_is_not() {
        let text = "fn a() {}\n#[cfg(test)]\n#[expect(x, reason = \"}\")]\nmod tests {\n  fn b() {}\n}\nfn c() {}\n";
        assert_eq!(test_lines("x/src/a.rs", text), [2, 3, 4, 5, 6]);
        assert_eq!(test_lines("x/src/a.rs", "#[cfg(test)]\nmod tests;\nfn c() {}"), [1, 2]);
        assert_eq!(test_lines("x/src/a.rs", "#[cfg(not(test))]\nfn c() {}"), [0_usize; 0]);
    }

    #[test]
    fn test_files_are_tests_from_the_first_line_on() {
        for path in ["x/tests/a.rs", "x/tests/support/mod.rs", "x/src/engine/tests.rs", "x/src/engine_tests.rs"] {
            assert_eq!(test_lines(path, "fn a() {}"), [1], "{path}");
        }
        assert_eq!(test_lines("x/src/a.rs", "#![cfg(test)]\nfn a() {}"), [1, 2]);
    }
}
