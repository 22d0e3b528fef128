//! Deep nesting, wherever it stands.

use super::table::{self, EXTRA, Golden, Opening, Row, checks, fill, made};
use crate::scenario::{Applies, Check, Era, Family, Need, Scenario, issue, row as table_row};

pub(super) static SCENARIOS: [Scenario; 1] = [Scenario {
    title: "nesting beyond 128 levels is refused wherever it stands, and none of it costs the stack",
    requirement: "JSON nesting depth 128 (deeper: −32600 with the id); nobody answers a malformed response or \
                  notification",
    sources: &[table_row("C15"), issue("rust-sdk", 825)],
    applies: Applies::EVERYWHERE.with_needs(&[Need::DefaultLimits, Need::Tool("echo"), Need::Tool("sleep")]),
    checks: &CHECKS,
    limit: table::LIMIT,
    ..Scenario::new("hostile-deep", Family::Hostile, |ctx| Box::pin(table::run(ctx, Opening::Ready, &ROWS)))
}];

static CHECKS: [Check; ROWS.len() + EXTRA] = checks(&ROWS);
#[rustfmt::skip]
const ROWS: [Row; 18] = [
    // The message, its params and the arguments are three levels.
    made("arrays-at-the-limit",         |era| deep(era, ARGUMENT, "[", "]", 125),          Golden::Echo("7", "a")),
    made("objects-at-the-limit",        |era| deep(era, ARGUMENT, r#"{"a":"#, "}", 125),   Golden::Echo("7", "a")),
    made("arrays-one-beyond",           |era| deep(era, ARGUMENT, "[", "]", 126),          Golden::Error("7", INVALID)),
    made("objects-one-beyond",          |era| deep(era, ARGUMENT, r#"{"a":"#, "}", 126),   Golden::Error("7", INVALID)),
    made("arrays-10-000",               |era| deep(era, ARGUMENT, "[", "]", 10_000),       Golden::Error("7", INVALID)),
    made("objects-10-000",              |era| deep(era, ARGUMENT, r#"{"a":"#, "}", 10_000), Golden::Error("7", INVALID)),
    made("id-behind",                   |era| deep(era, ID_LAST, "[", "]", 10_000),        Golden::Error("7", INVALID)),
    made("in-meta",                     |era| deep(era, META, "[", "]", 10_000),           Golden::Error("7", INVALID)),
    made("beside-params",               |era| deep(era, BESIDE, "[", "]", 10_000),         Golden::Error("7", INVALID)),
    made("as-params",                   |era| deep(era, PARAMS, "[", "]", 10_000),         Golden::Error("7", INVALID)),
    made("as-method",                   |era| deep(era, METHOD, "[", "]", 10_000),         Golden::Error("7", INVALID)),
    made("as-id",                       |era| deep(era, ID, "[", "]", 10_000),             Golden::Unread(INVALID)),
    made("as-the-whole-line",           |era| deep(era, "¤", "[", "]", 10_000),            Golden::Unread(INVALID)),
    made("never-closed",                |_| "[".repeat(1_000_000).into_bytes(),            Golden::Unread(PARSE)),
    made("objects-never-closed",        |_| r#"{"a":"#.repeat(200_000).into_bytes(),       Golden::Unread(PARSE)),
    made("in-a-notification",           |era| deep(era, NOTE, "[", "]", 10_000),           Golden::Nothing),
    made("in-a-response",               |era| deep(era, RESPONSE, "[", "]", 10_000),       Golden::Nothing),
    made("brackets-in-a-text",          |era| fill(era, TEXT, "[{".repeat(50).as_bytes()), Golden::Echo("7", BRACKETS)),
];

/// A frame with this many levels in the place of `¤`.
fn deep(era: Era, frame: &str, open: &str, close: &str, levels: usize) -> Vec<u8> {
    let nested = format!("{}1{}", open.repeat(levels), close.repeat(levels));
    fill(era, frame, nested.as_bytes())
}

const ARGUMENT: &str =
    r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$META,"name":"echo","arguments":{"text":"a","x":¤}}}"#;
const ID_LAST: &str =
    r#"{"jsonrpc":"2.0","method":"tools/call","params":{$META,"name":"echo","arguments":{"text":"a","x":¤}},"id":7}"#;
const META: &str = r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":{"x":¤}}}"#;
const BESIDE: &str = r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","x":¤,"params":{$META}}"#;
const PARAMS: &str = r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":¤}"#;
const METHOD: &str = r#"{"jsonrpc":"2.0","id":7,"method":¤,"params":{$META}}"#;
const ID: &str = r#"{"jsonrpc":"2.0","id":¤,"method":"tools/list","params":{$META}}"#;
const NOTE: &str = r#"{"jsonrpc":"2.0","method":"notifications/nope","params":{"x":¤}}"#;
const RESPONSE: &str = r#"{"jsonrpc":"2.0","id":7,"result":{"x":¤}}"#;
const TEXT: &str =
    r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$META,"name":"echo","arguments":{"text":"¤"}}}"#;
const BRACKETS: &str =
    "[{[{[{[{[{[{[{[{[{[{[{[{[{[{[{[{[{[{[{[{[{[{[{[{[{[{[{[{[{[{[{[{[{[{[{[{[{[{[{[{[{[{[{[{[{[{[{[{[{[{";
const PARSE: i64 = -32700;
const INVALID: i64 = -32600;
