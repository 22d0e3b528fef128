//! Bytes that are no text, and lines that are no frames.

use super::table::{self, EXTRA, Golden, Opening, Row, checks, filled, made, row};
use crate::scenario::{Applies, Check, Family, Need, Scenario, issue, row as table_row, spec};

const ON_BYTES: Applies = Applies::EVERYWHERE.with_needs(&[Need::AnyBytes, Need::Tool("echo"), Need::Tool("sleep")]);

pub(super) static SCENARIOS: [Scenario; 4] = [
    Scenario {
        title: "bytes that are not UTF-8 spoil their own line only",
        requirement: "messages are UTF-8; an unreadable line: −32700 with the id when it can be read, otherwise \
                      without; the session goes on",
        sources: &[
            issue("python-sdk", 2302),
            issue("python-sdk", 2328),
            issue("python-sdk", 2369),
            spec("2025-11-25", "basic/transports"),
            table_row("C15"),
        ],
        applies: ON_BYTES,
        checks: &NOT_UTF8_CHECKS,
        limit: table::LIMIT,
        ..Scenario::new("hostile-not-utf8", Family::Hostile, |ctx| Box::pin(table::run(ctx, Opening::Ready, &NOT_UTF8)))
    },
    Scenario {
        title: "text that is not JSON spoils its own line only",
        requirement: "an unreadable line: −32700 with the id when it can be read, otherwise without; the session \
                      goes on",
        sources: &[issue("rust-sdk", 825), spec("2025-11-25", "schema#jsonrpcerrorresponse"), table_row("C15")],
        applies: ON_BYTES,
        checks: &NOT_JSON_CHECKS,
        limit: table::LIMIT,
        ..Scenario::new("hostile-not-json", Family::Hostile, |ctx| Box::pin(table::run(ctx, Opening::Ready, &NOT_JSON)))
    },
    Scenario {
        title: "lines of nothing are nothing",
        requirement: "blank lines and space are ignored; a byte order mark is accepted; text comes back unchanged",
        sources: &[issue("rust-sdk", 825), issue("rust-sdk", 833), spec("2026-07-28", "basic/transports/stdio")],
        applies: ON_BYTES.by(&[Need::Bytes]),
        checks: &BLANK_CHECKS,
        limit: table::LIMIT,
        ..Scenario::new("hostile-blank-lines", Family::Hostile, |ctx| Box::pin(table::run(ctx, Opening::Ready, &BLANK)))
    },
    Scenario {
        title: "space around frames is nothing, and what may stand in strings is kept",
        requirement: "blank lines and space are ignored; a byte order mark is accepted; text comes back unchanged",
        sources: &[issue("rust-sdk", 825), issue("rust-sdk", 833), spec("2026-07-28", "basic/transports/stdio")],
        applies: ON_BYTES,
        checks: &HARMLESS_CHECKS,
        limit: table::LIMIT,
        ..Scenario::new("hostile-harmless", Family::Hostile, |ctx| Box::pin(table::run(ctx, Opening::Ready, &HARMLESS)))
    },
];

/// An `echo` whose text is to be filled in.
const TEXT: &str =
    r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$META,"name":"echo","arguments":{"text":"a¤b"}}}"#;
const ID_LAST: &str =
    r#"{"jsonrpc":"2.0","method":"tools/call","params":{$META,"name":"echo","arguments":{"text":"a¤b"}},"id":7}"#;
const NAME: &str =
    r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$META,"name":"echo¤","arguments":{"text":"a"}}}"#;
const MEMBER: &str =
    r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$META,"name":"echo","arguments":{"text":"a","¤":1}}}"#;
const METHOD: &str =
    r#"{"jsonrpc":"2.0","id":7,"method":"tools/call¤","params":{$META,"name":"echo","arguments":{"text":"a"}}}"#;
const ID: &str = r#"{"jsonrpc":"2.0","id":"¤","method":"tools/list","params":{$META}}"#;
const BETWEEN: &str = r#"{"jsonrpc":"2.0","id":7,"method":"tools/list",¤"params":{$META}}"#;
const BEFORE_ID: &str = r#"{"jsonrpc":"2.0",¤"id":7,"method":"tools/list","params":{$META}}"#;
const NOTE: &str = r#"{"jsonrpc":"2.0","method":"notifications/nope","params":{"x":"¤"}}"#;
const RESPONSE: &str = r#"{"jsonrpc":"2.0","id":7,"result":{"x":"¤"}}"#;
const AROUND: &str =
    r#"¤{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$META,"name":"echo","arguments":{"text":"a"}}}"#;
const BEHIND: &str =
    r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$META,"name":"echo","arguments":{"text":"a"}}}¤"#;

static NOT_UTF8_CHECKS: [Check; NOT_UTF8.len() + EXTRA] = checks(&NOT_UTF8);
#[rustfmt::skip]
const NOT_UTF8: [Row; 19] = [
    filled("stray-continuation-byte",    "¤",       b"\x80",              Golden::Unread(PARSE)),
    filled("utf-16-byte-order-mark",     "¤",       b"\xFE\xFF",          Golden::Unread(PARSE)),
    filled("utf-16-text",                "¤",       b"\xFF\xFE{\0}\0",    Golden::Unread(PARSE)),
    filled("every-high-byte",            "¤",       &HIGH,                Golden::Unread(PARSE)),
    filled("in-a-text",                  TEXT,      b"\xFF",              Golden::Error("7", PARSE)),
    filled("in-a-text-id-last",          ID_LAST,   b"\xFF",              Golden::Error("7", PARSE)),
    filled("overlong",                   TEXT,      b"\xC0\xAF",          Golden::Error("7", PARSE)),
    filled("overlong-line-feed",         TEXT,      b"\xC0\x8A",          Golden::Error("7", PARSE)),
    filled("surrogate",                  TEXT,      b"\xED\xA0\x80",      Golden::Error("7", PARSE)),
    filled("beyond-unicode",             TEXT,      b"\xF4\x90\x80\x80",  Golden::Error("7", PARSE)),
    filled("cut-off-character",          TEXT,      b"\xF0\x9F\xA6",      Golden::Error("7", PARSE)),
    filled("latin-1",                    TEXT,      b"\xE9t\xE9",         Golden::Error("7", PARSE)),
    filled("in-the-name-of-a-tool",      NAME,      b"\xFF",              Golden::Error("7", PARSE)),
    filled("in-the-name-of-a-member",    MEMBER,    b"\xFF",              Golden::Error("7", PARSE)),
    filled("in-the-method",              METHOD,    b"\xFF",              Golden::Error("7", PARSE)),
    filled("in-the-id",                  ID,        b"\xFF",              Golden::Unread(PARSE)),
    filled("between-members",            BETWEEN,   b"\xFF",              Golden::Error("7", PARSE)),
    filled("before-the-id",              BEFORE_ID, b"\xFF",              Golden::Unread(PARSE)),
    filled("in-a-response",              RESPONSE,  b"\xFF",              Golden::Nothing),
];

static NOT_JSON_CHECKS: [Check; NOT_JSON.len() + EXTRA] = checks(&NOT_JSON);
#[rustfmt::skip]
const NOT_JSON: [Row; 23] = [
    row   ("log-line",                   "Starting server on port 3000…",   Golden::Unread(PARSE)),
    row   ("http",                       "GET / HTTP/1.1",                  Golden::Unread(PARSE)),
    row   ("http-header",                "Content-Length: 52",              Golden::Unread(PARSE)),
    row   ("closing-brace",              "}",                               Golden::Unread(PARSE)),
    row   ("closing-bracket",            "]",                               Golden::Unread(PARSE)),
    row   ("opening-quote",              "\"",                              Golden::Unread(PARSE)),
    row   ("single-quotes",              "{'id':7}",                        Golden::Unread(PARSE)),
    row   ("names-without-quotes",       "{id:7,method:tools/list}",        Golden::Unread(PARSE)),
    row   ("nan",                        "NaN",                             Golden::Unread(PARSE)),
    row   ("undefined",                  "undefined",                       Golden::Unread(PARSE)),
    row   ("leading-zero",               "01",                              Golden::Unread(PARSE)),
    row   ("a-nul",                      "\0",                              Golden::Unread(PARSE)),
    row   ("a-hundred-nuls",             NULS,                              Golden::Unread(PARSE)),
    row   ("comment",                    "// {}",                           Golden::Unread(PARSE)),
    row   ("no-break-space",             "\u{a0}",                          Golden::Unread(PARSE)),
    filled("nul-in-a-text",              TEXT,      b"\0",                  Golden::Error("7", PARSE)),
    filled("control-character-in-a-text", TEXT,     b"\x01",                Golden::Error("7", PARSE)),
    filled("tab-in-a-text",              TEXT,      b"\t",                  Golden::Error("7", PARSE)),
    filled("bad-escape",                 TEXT,      br"\x41",               Golden::Error("7", PARSE)),
    filled("short-escape",               TEXT,      br"\u00",               Golden::Error("7", PARSE)),
    filled("form-feed-between-members",  BETWEEN,   b"\x0C",                Golden::Error("7", PARSE)),
    filled("comma-twice",                BETWEEN,   b",",                   Golden::Error("7", PARSE)),
    filled("second-value-behind",        BEHIND,    b"{}",                  Golden::Error("7", PARSE)),
];

static BLANK_CHECKS: [Check; BLANK.len() + EXTRA] = checks(&BLANK);
#[rustfmt::skip]
const BLANK: [Row; 7] = [
    row   ("empty-line",                 "",                                Golden::Nothing),
    row   ("space",                      " ",                               Golden::Nothing),
    row   ("tab",                        "\t",                              Golden::Nothing),
    row   ("carriage-return",            "\r",                              Golden::Nothing),
    row   ("two-carriage-returns",       "\r\r",                            Golden::Nothing),
    made  ("sixty-four-kib-of-spaces",   |_| vec![b' '; 64 << 10],          Golden::Nothing),
    made  ("a-thousand-empty-lines",     |_| vec![b'\n'; 1_000],            Golden::Nothing),
];

static HARMLESS_CHECKS: [Check; HARMLESS.len() + EXTRA] = checks(&HARMLESS);
#[rustfmt::skip]
const HARMLESS: [Row; 11] = [
    filled("byte-order-mark",            AROUND,    b"\xEF\xBB\xBF",        Golden::Echo("7", "a")),
    filled("spaces-before",              AROUND,    b" \t  ",               Golden::Echo("7", "a")),
    filled("spaces-behind",              BEHIND,    b" \t  \r",             Golden::Echo("7", "a")),
    filled("carriage-return-inside",     BETWEEN,   b" \r\t ",              Golden::Tools("7")),
    filled("escaped-nul",                TEXT,      br"\u0000",             Golden::Echo("7", "a\0b")),
    filled("escaped-line-feed",          TEXT,      br"\r\n",               Golden::Echo("7", "a\r\nb")),
    filled("line-separators",            TEXT,      b"\xE2\x80\xA8\xC2\x85\xE2\x80\xA9", Golden::Echo("7", "a\u{2028}\u{85}\u{2029}b")),
    filled("mark-inside-a-text",         TEXT,      b"\xEF\xBB\xBF",        Golden::Echo("7", "a\u{feff}b")),
    filled("last-character-of-unicode",  TEXT,      b"\xF4\x8F\xBF\xBF",    Golden::Echo("7", "a\u{10ffff}b")),
    filled("escaped-pair",               TEXT,      br"\ud83e\udd80",       Golden::Echo("7", "a🦀b")),
    filled("note-with-a-nul-escape",     NOTE,      br"\u0000",             Golden::Nothing),
];

const HIGH: [u8; 128] = {
    let mut bytes = [0x80; 128];
    let mut at = 0;
    while at < 128 {
        bytes[at] += at as u8;
        at += 1;
    }
    bytes
};
const NULS: &str = match std::str::from_utf8(&[0; 100]) {
    Ok(nuls) => nuls,
    Err(_) => "",
};
const PARSE: i64 = -32700;
