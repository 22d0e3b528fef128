//! Ids and methods at the limit of their length, and beyond it.

use super::table::{self, EXTRA, Golden, Opening, Row, checks, fill, filled, made};
use crate::scenario::{Applies, Check, Family, Need, Scenario, issue, row as table_row, spec};

pub(super) static SCENARIOS: [Scenario; 1] = [Scenario {
    title: "ids and methods of more than 256 bytes are refused, and those of 256 are not",
    requirement: "id length, method length: 256 bytes each; beyond it −32600, with the id when that is not what is too \
                  long",
    sources: &[table_row("C15"), issue("python-sdk", 961), spec("2025-11-25", "basic/index#requests")],
    applies: Applies::EVERYWHERE.with_needs(&[Need::DefaultLimits, Need::Tool("echo"), Need::Tool("sleep")]),
    checks: &CHECKS,
    limit: table::LIMIT,
    ..Scenario::new("hostile-lengths", Family::Hostile, |ctx| Box::pin(table::run(ctx, Opening::Ready, &ROWS)))
}];

static CHECKS: [Check; ROWS.len() + EXTRA] = checks(&ROWS);
#[rustfmt::skip]
const ROWS: [Row; 10] = [
    id("id-of-256-characters",      quoted::<258>(),      Golden::Echo(quoted::<258>(), "x")),
    id("id-of-256-digits",          digits::<256>(),      Golden::Echo(digits::<256>(), "x")),
    id("id-of-257-characters",      quoted::<259>(),      Golden::Unread(INVALID)),
    id("id-of-257-digits",          digits::<257>(),      Golden::Unread(INVALID)),
    id("id-of-300-digits",          digits::<300>(),      Golden::Unread(INVALID)),
    id("id-of-64-kib",              quoted::<65_538>(),   Golden::Unread(INVALID)),
    made("method-of-257-bytes",            |era| fill(era, NAMED, "m".repeat(257).as_bytes()),                         Golden::Error("7", INVALID)),
    made("method-of-257-escapes",          |era| fill(era, NAMED, r"\u006d".repeat(257).as_bytes()),                   Golden::Error("7", INVALID)),
    made("method-of-one-mib",              |era| fill(era, NAMED, "m".repeat(1 << 20).as_bytes()),                     Golden::Error("7", INVALID)).by(Need::Unmirrored),
    made("method-of-256-bytes",            |era| fill(era, NAMED, "m".repeat(256).as_bytes()),                         Golden::Error("7", UNKNOWN)),
];

/// A row for an id.
const fn id(check: &'static str, id: &'static str, golden: Golden) -> Row {
    const ECHO: &str =
        r#"{"jsonrpc":"2.0","id":¤,"method":"tools/call","params":{$META,"name":"echo","arguments":{"text":"x"}}}"#;
    filled(check, ECHO, id.as_bytes(), golden)
}

const NAMED: &str = r#"{"jsonrpc":"2.0","id":7,"method":"¤","params":{$META}}"#;

/// Texts of a length.
struct Long<const N: usize>;

impl<const N: usize> Long<N> {
    const DIGITS: [u8; N] = [b'1'; N];
    const QUOTED: [u8; N] = {
        let mut bytes = [b'x'; N];
        bytes[0] = b'"';
        bytes[N - 1] = b'"';
        bytes
    };
}

/// A number of this many digits.
const fn digits<const N: usize>() -> &'static str {
    ascii(&Long::<N>::DIGITS)
}

/// A string of this many bytes, its quotes included.
const fn quoted<const N: usize>() -> &'static str {
    ascii(&Long::<N>::QUOTED)
}

const fn ascii(bytes: &'static [u8]) -> &'static str {
    match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => "",
    }
}

const INVALID: i64 = -32600;
const UNKNOWN: i64 = -32601;
