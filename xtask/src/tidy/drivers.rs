//! A driver moves frames. It has no channel and remembers nothing about endings: the engine decides them.

use crate::tidy::Finding;
use crate::tidy::rust::{RustFile, words};

pub(super) fn check(file: &RustFile<'_>) -> Vec<Finding> {
    if !is_driver(file.path) {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for (number, line) in file.numbered().filter(|(_, line)| !line.is_test) {
        if let Some(channel) = channel(&line.code) {
            findings.push(Finding::new(
                file.path,
                number,
                format!("`{channel}` in a driver: handles reach the engine through the shared core, without a channel"),
            ));
        }
        if let Some(flag) = closing_flag(&line.code) {
            findings.push(Finding::new(
                file.path,
                number,
                format!("the flag `{flag}` in a driver: ask the engine, which alone decides about endings"),
            ));
        }
    }
    findings
}

fn is_driver(path: &str) -> bool {
    path.starts_with("mcp-session/src/driver/") || path == "mcp-session/src/driver.rs"
}

fn channel(code: &str) -> Option<&str> {
    let modules = ["mpsc", "oneshot", "broadcast", "watch"];
    if let Some(module) = modules.into_iter().find(|module| words(code, module).next().is_some()) {
        return Some(module);
    }
    names(code).find_map(|(at, name)| {
        let rest = &code[at + name.len()..];
        (name.ends_with("channel") && (rest.starts_with('(') || rest.starts_with("::<"))).then_some(name)
    })
}

/// A field, parameter or variable that is a truth value and is named for an ending.
fn closing_flag(code: &str) -> Option<&str> {
    names(code).find_map(|(at, name)| {
        let declared = is_truth_type(code[at + name.len()..].trim_start());
        let bound = is_let(&code[..at]) && is_truth_value(code[at + name.len()..].trim_start());
        (names_an_ending(name) && (declared || bound)).then_some(name)
    })
}

fn is_truth_type(after_name: &str) -> bool {
    let Some(ty) = after_name.strip_prefix(':').filter(|ty| !ty.starts_with(':')) else {
        return false;
    };
    // The type ends where the next field, the value or the body begins.
    let ty = ty.split([',', ';', '=', ')', '{', '}']).next().unwrap_or(ty);
    ["bool", "AtomicBool"].iter().any(|truth| words(ty, truth).next().is_some())
}

fn is_let(before_name: &str) -> bool {
    let before = before_name.trim_end();
    let before = before.strip_suffix("mut").unwrap_or(before).trim_end();
    words(before, "let").last().is_some_and(|at| at + "let".len() == before.len())
}

fn is_truth_value(after_name: &str) -> bool {
    let Some(value) = after_name.strip_prefix('=') else {
        return false;
    };
    let value = value.trim_start();
    ["true", "false"].iter().any(|truth| words(value, truth).next() == Some(0))
}

fn names_an_ending(name: &str) -> bool {
    name.split('_').any(|part| {
        let part = part.to_ascii_lowercase();
        // `end` is matched as a word: as a stem it would catch `endpoint`.
        ["end", "ends", "ended", "ending", "done"].contains(&part.as_str())
            || ["clos", "shut", "eof", "finish", "drain", "abort", "gone"].iter().any(|stem| part.starts_with(stem))
    })
}

/// The words of the code with their positions.
fn names(code: &str) -> impl Iterator<Item = (usize, &str)> {
    code.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|name| !name.is_empty())
        .map(|name| (name.as_ptr() as usize - code.as_ptr() as usize, name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tests::lines;

    const DRIVER: &str = "mcp-session/src/driver/stream.rs";

    #[test]
    fn channels_are_found() {
        for code in [
            "use tokio::sync::mpsc;",
            "let (a, b) = oneshot::channel();",
            "let x = broadcast::Sender::new(1);",
            "watch: watch::Receiver<u8>,",
            "let (a, b) = channel(1);",
            "let (a, b) = unbounded_channel::<u8>();",
        ] {
            assert_eq!(lines(check, DRIVER, code), [1], "{code}");
        }
    }

    #[test]
    fn closing_flags_are_found() {
        for code in [
            "closed: bool,",
            "pub(crate) is_shutdown: bool,",
            "read_eof: Arc<AtomicBool>,",
            "let done = false;",
            "let mut draining = true;",
            "let ended: bool = x.y();",
            "fn f(aborting: bool) {}",
            "peer_gone: Cell<bool>,",
            "struct S { a: u8, finished: bool }",
            "let at_end = !true;\nlet half_closed = false;",
        ] {
            assert_eq!(lines(check, DRIVER, code).len(), 1, "{code}");
        }
    }

    #[test]
    fn other_names_types_and_places_are_fine() {
        for code in [
            "sender: bool, pending: bool, endpoint: bool,",
            "closed: Instant, dirty: bool,",
            "fn is_closed(&self) -> bool { self.engine.is_closed() }",
            "State::Closed => true,",
            "if self.core.is_finished() { return false; }",
            "finish(Outcome::Done) == true;",
            "// the channel( is closed: bool",
            "#[cfg(test)]\nmod tests { use tokio::sync::mpsc; }",
        ] {
            assert!(lines(check, DRIVER, code).is_empty(), "{code}");
        }
        assert!(lines(check, "mcp-client/src/call.rs", "closed: bool, x: mpsc::Sender").is_empty());
    }
}
