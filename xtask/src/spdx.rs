//! Just enough of SPDX license expressions to decide whether one of the offered licences will do.

use anyhow::bail;

/// Whether the expression can be satisfied by accepted licences alone.
///
/// `accepts` gets a licence id, with its exception where there is one (`Apache-2.0 WITH LLVM-exception`).
/// `/` is read as `OR`, as crates published before SPDX still mean it.
///
/// # Errors
/// The expression is not well formed.
pub(crate) fn satisfied(expression: &str, accepts: impl Fn(&str) -> bool) -> anyhow::Result<bool> {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let mut parser = Parser { words: spaced.split_whitespace().collect(), at: 0, accepts };
    let satisfied = parser.either()?;
    match parser.peek() {
        None => Ok(satisfied),
        Some(word) => bail!("unexpected `{word}` in `{expression}`"),
    }
}

struct Parser<'a, F> {
    words: Vec<&'a str>,
    at: usize,
    accepts: F,
}

impl<'a, F: Fn(&str) -> bool> Parser<'a, F> {
    fn either(&mut self) -> anyhow::Result<bool> {
        let mut satisfied = self.all()?;
        while self.take("OR") {
            satisfied |= self.all()?;
        }
        Ok(satisfied)
    }

    fn all(&mut self) -> anyhow::Result<bool> {
        let mut satisfied = self.one()?;
        while self.take("AND") {
            satisfied &= self.one()?;
        }
        Ok(satisfied)
    }

    fn one(&mut self) -> anyhow::Result<bool> {
        if self.take("(") {
            let satisfied = self.either()?;
            if !self.take(")") {
                bail!("a parenthesis is not closed");
            }
            return Ok(satisfied);
        }
        let licence = self.id()?;
        if self.take("WITH") {
            let exception = self.id()?;
            return Ok((self.accepts)(&format!("{licence} WITH {exception}")));
        }
        Ok((self.accepts)(licence))
    }

    fn id(&mut self) -> anyhow::Result<&'a str> {
        match self.peek() {
            None => bail!("the expression ends where a licence should stand"),
            Some(word @ ("(" | ")" | "OR" | "AND" | "WITH")) => {
                bail!("`{word}` stands where a licence should")
            }
            Some(id) => {
                self.at += 1;
                Ok(id)
            }
        }
    }

    fn take(&mut self, word: &str) -> bool {
        let there = self.peek() == Some(word);
        self.at += usize::from(there);
        there
    }

    fn peek(&self) -> Option<&'a str> {
        self.words.get(self.at).copied()
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn expressions_are_decided() {
        #[rustfmt::skip]
        let table = [
            ("MIT",                                            true),
            ("GPL-3.0-only",                                   false),
            ("MIT OR GPL-3.0-only",                            true),
            ("GPL-3.0-only OR MIT",                            true),
            ("MIT AND GPL-3.0-only",                           false),
            ("MIT/Apache-2.0",                                 true),
            ("GPL-3.0-only/LGPL-2.1",                          false),
            ("(MIT OR GPL-3.0-only) AND Unicode-3.0",          true),
            ("(MIT OR Apache-2.0) AND GPL-3.0-only",           false),
            ("MIT OR Apache-2.0 AND GPL-3.0-only",             true),
            ("GPL-3.0-only AND MIT OR GPL-3.0-only",           false),
            ("Apache-2.0 WITH LLVM-exception",                 true),
            ("MIT WITH LLVM-exception",                        false),
            ("GPL-2.0 OR Apache-2.0 WITH LLVM-exception",      true),
        ];
        let accepted = ["MIT", "Apache-2.0", "Unicode-3.0", "Apache-2.0 WITH LLVM-exception"];
        for (expression, expected) in table {
            let decided = satisfied(expression, |licence| accepted.contains(&licence)).unwrap();
            assert_eq!(decided, expected, "{expression}");
        }
    }

    #[test]
    fn broken_expressions_are_errors() {
        for broken in ["", "MIT OR", "OR MIT", "(MIT", "MIT)", "MIT Apache-2.0", "MIT WITH", "()"] {
            assert!(satisfied(broken, |_| true).is_err(), "{broken}");
        }
    }
}
