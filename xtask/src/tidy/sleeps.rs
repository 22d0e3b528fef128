//! A test waits for the event itself; a sleep makes it slow, or wrong on a busy machine.

use crate::tidy::Finding;
use crate::tidy::lexer::Line;
use crate::tidy::rust::{RustFile, words};

pub(super) fn check(file: &RustFile<'_>) -> Vec<Finding> {
    let mut excused_above = false;
    let mut findings = Vec::new();
    for (number, line) in file.numbered() {
        let excused = excused_above || is_excused(line);
        if line.is_test && calls_sleep(&line.code) && !excused {
            findings.push(Finding::new(
                file.path,
                number,
                format!("a sleep in a test: wait for the event itself, or say which with `{EXCUSE} <event>`"),
            ));
        }
        excused_above = is_excused(line) && line.code.trim().is_empty();
    }
    findings
}

fn calls_sleep(code: &str) -> bool {
    // The definition of a tool named `sleep` is not a call.
    words(code, "sleep").any(|at| code[at..].starts_with("sleep(") && !code[..at].ends_with("fn "))
}

fn is_excused(line: &Line) -> bool {
    line.comment.strip_prefix(EXCUSE).is_some_and(|event| !event.trim().is_empty())
}

const EXCUSE: &str = "// tidy: waits for";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tests::lines;

    #[test]
    fn a_sleep_in_a_test_is_found() {
        let text = "fn f() {\n    tokio::time::sleep(x).await;\n}\n";
        assert_eq!(lines(check, "x/tests/a.rs", text), [2]);
        let text = "fn f() { sleep(x) }\n#[cfg(test)]\nmod tests {\n    fn g() { thread::sleep(x) }\n}\n";
        assert_eq!(lines(check, "x/src/a.rs", text), [4]);
    }

    #[test]
    fn a_sleep_that_names_its_event_is_not() {
        let text = "sleep(x); // tidy: waits for the paused clock\n// tidy: waits for the child's exit\nsleep(x);\nsleep(x);\n";
        assert_eq!(lines(check, "x/tests/a.rs", text), [4]);
        assert_eq!(lines(check, "x/tests/a.rs", "sleep(x); // tidy: waits for\n"), [1]);
    }

    #[test]
    fn text_definitions_and_other_words_are_not_sleeps() {
        let text = "call(\"sleep(1)\");\nasync fn sleep(ms: u64) {}\ntime::advance(x);\nasleep(x);\n// sleep(x)\n";
        assert!(lines(check, "x/tests/a.rs", text).is_empty());
    }
}
