//! Frames at the limit of their size, and beyond it.

use super::table::{self, EXTRA, Golden, Opening, Row, checks, fill, made};
use crate::scenario::{Applies, Check, Era, Family, Need, Scenario, issue, row as table_row};

pub(super) static SCENARIOS: [Scenario; 1] = [Scenario {
    title: "a frame of more than 16 MiB is refused with its id, wherever that stands, and one of 16 MiB is served",
    requirement: "oversized frame: go on scanning for the top-level `id` while discarding; −32600 with the id; nobody \
                  answers a malformed response or notification; the session goes on",
    sources: &[table_row("C15"), issue("typescript-sdk", 2775), issue("openclaw", 135_094)],
    applies: Applies::EVERYWHERE.with_needs(&[
        Need::Bytes,
        Need::DefaultLimits,
        Need::Tool("echo"),
        Need::Tool("sleep"),
    ]),
    checks: &CHECKS,
    limit: table::LIMIT,
    ..Scenario::new("hostile-large", Family::Hostile, |ctx| Box::pin(table::run(ctx, Opening::Ready, &ROWS)))
}];

static CHECKS: [Check; ROWS.len() + EXTRA] = checks(&ROWS);
#[rustfmt::skip]
const ROWS: [Row; 16] = [
    made("at-the-limit",              |era| sized(era, ID_FIRST, LIMIT),             Golden::Tools("7")),
    made("one-byte-beyond",           |era| sized(era, ID_FIRST, LIMIT + 1),         Golden::Error("7", INVALID)),
    made("id-last",                   |era| sized(era, ID_LAST, BEYOND),             Golden::Error(r#""seven""#, INVALID)),
    made("id-with-a-point",           |era| sized(era, ID_WITH_A_POINT, BEYOND),     Golden::Error("7.0", INVALID)),
    made("id-escaped",                |era| sized(era, ID_ESCAPED, BEYOND),          Golden::Error(r#""a\"}{b""#, INVALID)),
    made("ids-inside",                |era| sized(era, IDS_INSIDE, BEYOND),          Golden::Error("7", INVALID)),
    made("without-method",            |era| sized(era, WITHOUT_METHOD, BEYOND),      Golden::Error("7", INVALID)),
    made("id-null",                   |era| sized(era, ID_NULL, BEYOND),             Golden::Unread(INVALID)),
    made("id-itself",                 |era| sized(era, ID_ITSELF, BEYOND),           Golden::Unread(INVALID)),
    made("method-itself",             |era| sized(era, METHOD_ITSELF, BEYOND),       Golden::Error("7", INVALID)),
    made("nothing-readable",          |era| sized(era, "¤", BEYOND),                 Golden::Unread(INVALID)),
    made("array",                     |era| sized(era, r#"["¤"]"#, BEYOND),          Golden::Unread(INVALID)),
    made("brackets",                  |_| vec![b'['; BEYOND],                        Golden::Unread(INVALID)),
    made("not-utf-8",                 |_| vec![0xFF; BEYOND],                        Golden::Unread(INVALID)),
    made("notification",              |era| sized(era, NOTE, BEYOND),                Golden::Nothing),
    made("response",                  |era| sized(era, RESPONSE, BEYOND),            Golden::Nothing),
];

/// A frame of exactly this many bytes.
fn sized(era: Era, frame: &str, bytes: usize) -> Vec<u8> {
    let empty = fill(era, frame, b"").len();
    fill(era, frame, "x".repeat(bytes - empty).as_bytes())
}

const ID_FIRST: &str = r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{$META,"x":"¤"}}"#;
const ID_LAST: &str = r#"{"jsonrpc":"2.0","method":"tools/list","params":{$META,"x":"¤"},"id":"seven"}"#;
const ID_WITH_A_POINT: &str = r#"{"jsonrpc":"2.0","method":"tools/list","params":{$META,"x":"¤"} , "id" : 7.0 }"#;
const ID_ESCAPED: &str = r#"{"jsonrpc":"2.0","method":"tools/list","params":{$META,"x":"¤"},"\u0069d":"a\"}{b"}"#;
const IDS_INSIDE: &str = r#"{"jsonrpc":"2.0","params":{$META,"id":1,"x":"\"id\":2,¤","y":[{"id":3}]},"id":7,"method":"tools/list","z":{"id":4}}"#;
const WITHOUT_METHOD: &str = r#"{"jsonrpc":"2.0","id":7,"params":{$META,"x":"¤"}}"#;
const ID_NULL: &str = r#"{"jsonrpc":"2.0","id":null,"method":"tools/list","params":{$META,"x":"¤"}}"#;
const ID_ITSELF: &str = r#"{"jsonrpc":"2.0","id":"¤","method":"tools/list","params":{$META}}"#;
const METHOD_ITSELF: &str = r#"{"jsonrpc":"2.0","id":7,"method":"¤","params":{$META}}"#;
const NOTE: &str = r#"{"jsonrpc":"2.0","method":"notifications/nope","params":{"id":7,"x":"¤"}}"#;
const RESPONSE: &str = r#"{"jsonrpc":"2.0","id":7,"result":{"method":"x","x":"¤"}}"#;
/// The limit of a frame on a byte stream, without its line feed.
const LIMIT: usize = 16 << 20;
const BEYOND: usize = 17 << 20;
const INVALID: i64 = -32600;
