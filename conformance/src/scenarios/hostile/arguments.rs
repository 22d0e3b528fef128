//! Calls and lists with params that are objects, and wrong nevertheless.

use super::table::{self, EXTRA, Golden, Opening, Row, checks, fill, made, row};
use crate::scenario::{Applies, Check, Family, Need, Scenario, Source, issue, row as table_row, spec};

const SERVED: Applies = Applies::EVERYWHERE.with_needs(&[Need::Tool("echo"), Need::Tool("sleep")]);

pub(super) static SCENARIOS: [Scenario; 4] = [
    Scenario {
        title: "a call whose name is no tool's, or whose arguments are no object, is refused",
        requirement: "−32602, naming the field and what was expected",
        sources: &[
            issue("typescript-sdk", 1510),
            issue("typescript-sdk", 1389),
            issue("rust-sdk", 854),
            issue("rust-sdk", 213),
            spec("2025-11-25", "server/tools#error-handling"),
        ],
        applies: SERVED,
        checks: &REFUSED_CHECKS,
        limit: table::LIMIT,
        ..Scenario::new("hostile-call-refused", Family::Hostile, |ctx| {
            Box::pin(table::run(ctx, Opening::Ready, &REFUSED))
        })
    },
    Scenario {
        title: "arguments that a tool cannot read settle the call with a tool error",
        requirement: "input validation errors are tool execution errors: a result with `isError: true`; typed \
                      arguments that do not decode: `isError` with the path",
        sources: &[spec("2025-11-25", "server/tools#error-handling"), issue("rust-sdk", 1056), table_row("C15")],
        applies: SERVED,
        checks: &UNDECODABLE_CHECKS,
        limit: table::LIMIT,
        ..Scenario::new("hostile-arguments-undecodable", Family::Hostile, |ctx| {
            Box::pin(table::run(ctx, Opening::Ready, &UNDECODABLE))
        })
    },
    Scenario {
        title: "arguments that look odd and are right",
        requirement: "unknown members survive and cause no failure; an integer may be written `1.0`",
        sources: &[
            Source::Standard("JSON Schema 2020-12, section 4.2.3 (Mathematical Integers)"),
            Source::Standard("RFC 8259, section 6 (Numbers)"),
            spec("2025-11-25", "server/tools#calling-tools"),
        ],
        applies: SERVED,
        checks: &ODD_CHECKS,
        limit: table::LIMIT,
        ..Scenario::new("hostile-arguments-odd", Family::Hostile, |ctx| Box::pin(table::run(ctx, Opening::Ready, &ODD)))
    },
    Scenario {
        title: "a cursor that was never given out is refused",
        requirement: "invalid cursor → -32602; an empty cursor is a cursor",
        sources: &[spec("2025-11-25", "server/utilities/pagination#error-handling")],
        applies: SERVED,
        checks: &CURSOR_CHECKS,
        limit: table::LIMIT,
        ..Scenario::new("hostile-cursor", Family::Hostile, |ctx| Box::pin(table::run(ctx, Opening::Ready, &CURSOR)))
    },
];

static REFUSED_CHECKS: [Check; REFUSED.len() + EXTRA] = checks(&REFUSED);
#[rustfmt::skip]
const REFUSED: [Row; 16] = [
    row("no-params",             r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$META}}"#,                                                Golden::Naming(&Golden::Error("7", PARAMS), "name")),
    row("name-null",             r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$META,"name":null,"arguments":{"text":"a"}}}"#,           Golden::Naming(&Golden::Error("7", PARAMS), "name")),
    row("name-true",             r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$META,"name":true,"arguments":{"text":"a"}}}"#,           Golden::Naming(&Golden::Error("7", PARAMS), "name")),
    row("name-array",            r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$META,"name":["echo"],"arguments":{"text":"a"}}}"#,       Golden::Naming(&Golden::Error("7", PARAMS), "name")),
    row("name-object",           r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$META,"name":{"name":"echo"},"arguments":{"text":"a"}}}"#, Golden::Naming(&Golden::Error("7", PARAMS), "name")),
    row("name-half-a-pair",      r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$META,"name":"echo\ud800","arguments":{"text":"a"}}}"#,   Golden::Error("7", PARAMS)),
    row("name-empty",            r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$META,"name":"","arguments":{"text":"a"}}}"#,             Golden::Error("7", PARAMS)),
    row("name-unknown",          r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$META,"name":"no-such-tool","arguments":{"text":"a"}}}"#, Golden::Naming(&Golden::Error("7", PARAMS), "no-such-tool")),
    row("name-upper-case",       r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$META,"name":"ECHO","arguments":{"text":"a"}}}"#,         Golden::Error("7", PARAMS)),
    row("name-with-a-space",     r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$META,"name":"echo ","arguments":{"text":"a"}}}"#,        Golden::Error("7", PARAMS)),
    row("name-with-a-nul",       r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$META,"name":"echo\u0000","arguments":{"text":"a"}}}"#,   Golden::Error("7", PARAMS)),
    row("name-of-a-path",        r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$META,"name":"../echo","arguments":{"text":"a"}}}"#,      Golden::Error("7", PARAMS)),
    made("name-of-10-kib",       |era| fill(era, NAMED, "n".repeat(10 << 10).as_bytes()),                                                             Golden::Error("7", PARAMS)),
    row("arguments-text",        r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$META,"name":"echo","arguments":"{}"}}"#,                 Golden::Naming(&Golden::Error("7", PARAMS), "arguments")),
    row("arguments-number",      r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$META,"name":"echo","arguments":7}}"#,                    Golden::Naming(&Golden::Error("7", PARAMS), "arguments")),
    row("arguments-false",       r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$META,"name":"echo","arguments":false}}"#,                Golden::Naming(&Golden::Error("7", PARAMS), "arguments")),
];

static UNDECODABLE_CHECKS: [Check; UNDECODABLE.len() + EXTRA] = checks(&UNDECODABLE);
#[rustfmt::skip]
const UNDECODABLE: [Row; 17] = [
    row("arguments-missing",     r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$META,"name":"echo"}}"#,                                  Golden::Naming(&Golden::ToolError("7"), "text")),
    row("arguments-null",        r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$META,"name":"echo","arguments":null}}"#,                 Golden::ToolError("7")),
    row("arguments-empty",       r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$META,"name":"echo","arguments":{}}}"#,                   Golden::Naming(&Golden::ToolError("7"), "text")),
    row("text-null",             r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$META,"name":"echo","arguments":{"text":null}}}"#,        Golden::Naming(&Golden::ToolError("7"), "text")),
    row("text-number",           r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$META,"name":"echo","arguments":{"text":7}}}"#,           Golden::Naming(&Golden::ToolError("7"), "text")),
    row("text-beyond-a-float",   r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$META,"name":"echo","arguments":{"text":1e400}}}"#,       Golden::ToolError("7")),
    row("text-array",            r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$META,"name":"echo","arguments":{"text":["a"]}}}"#,       Golden::Naming(&Golden::ToolError("7"), "text")),
    row("text-object",           r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$META,"name":"echo","arguments":{"text":{}}}}"#,          Golden::Naming(&Golden::ToolError("7"), "text")),
    row("text-in-upper-case",    r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$META,"name":"echo","arguments":{"TEXT":"a"}}}"#,         Golden::ToolError("7")),
    row("high-half-of-a-pair",   r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$META,"name":"echo","arguments":{"text":"a\ud800b"}}}"#,  Golden::ToolError("7")),
    row("low-half-of-a-pair",    r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$META,"name":"echo","arguments":{"text":"a\udc00b"}}}"#,  Golden::ToolError("7")),
    row("pair-the-wrong-way",    r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$META,"name":"echo","arguments":{"text":"\udc00\ud800"}}}"#, Golden::ToolError("7")),
    row("half-a-pair-at-the-end", r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$META,"name":"echo","arguments":{"text":"a\ud83e"}}}"#,  Golden::ToolError("7")),
    row("integer-negative",      r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$META,"name":"sleep","arguments":{"ms":-1}}}"#,           Golden::Naming(&Golden::ToolError("7"), "ms")),
    row("integer-with-a-half",   r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$META,"name":"sleep","arguments":{"ms":1.5}}}"#,          Golden::Naming(&Golden::ToolError("7"), "ms")),
    row("integer-too-large",     r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$META,"name":"sleep","arguments":{"ms":1180591620717411303424}}}"#, Golden::Naming(&Golden::ToolError("7"), "ms")),
    row("integer-beyond-a-float", r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$META,"name":"sleep","arguments":{"ms":1e400}}}"#,       Golden::ToolError("7")),
];

static ODD_CHECKS: [Check; ODD.len() + EXTRA] = checks(&ODD);
#[rustfmt::skip]
const ODD: [Row; 9] = [
    row("unknown-arguments",     r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$META,"name":"echo","arguments":{"x":1,"text":"a","":null}}}"#, Golden::Echo("7", "a")),
    row("unknown-params",        r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"x":{},$META,"name":"echo","arguments":{"text":"a"},"uri":7}}"#, Golden::Echo("7", "a")),
    row("number-beyond-a-float", r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$META,"name":"echo","arguments":{"x":1e400,"text":"a"}}}"#, Golden::Echo("7", "a")),
    row("number-of-300-digits",  THREE_HUNDRED_DIGITS,                                                                                              Golden::Echo("7", "a")),
    row("half-a-pair-beside",    r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$META,"name":"echo","arguments":{"x":"\ud800","text":"a"}}}"#, Golden::Echo("7", "a")),
    row("text-empty",            r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$META,"name":"echo","arguments":{"text":""}}}"#,          Golden::Echo("7", "")),
    row("text-of-a-frame",       r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$META,"name":"echo","arguments":{"text":"{\"jsonrpc\":\"2.0\",\"id\":8}\n"}}}"#, Golden::Echo("7", "{\"jsonrpc\":\"2.0\",\"id\":8}\n")),
    row("integer-with-a-point",  r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$META,"name":"sleep","arguments":{"ms":1.0}}}"#,          Golden::Text("7")),
    row("integer-with-an-exponent", r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$META,"name":"sleep","arguments":{"ms":1e0}}}"#,       Golden::Text("7")),
];

static CURSOR_CHECKS: [Check; CURSOR.len() + EXTRA] = checks(&CURSOR);
#[rustfmt::skip]
const CURSOR: [Row; 6] = [
    row("never-given-out",       r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{$META,"cursor":"zzz"}}"#,     Golden::Error("7", PARAMS)),
    row("empty",                 r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{$META,"cursor":""}}"#,        Golden::Error("7", PARAMS)),
    row("number",                r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{$META,"cursor":0}}"#,         Golden::Error("7", PARAMS)),
    row("object",                r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{$META,"cursor":{}}}"#,        Golden::Error("7", PARAMS)),
    made("of-10-kib",            |era| fill(era, PAGED, "c".repeat(10 << 10).as_bytes()),                                 Golden::Error("7", PARAMS)),
    row("null",                  r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{$META,"cursor":null}}"#,      Golden::Tools("7")),
];

const NAMED: &str =
    r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$META,"name":"¤","arguments":{"text":"a"}}}"#;
const PAGED: &str = r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{$META,"cursor":"¤"}}"#;
const THREE_HUNDRED_DIGITS: &str = concat!(
    r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$META,"name":"echo","arguments":{"text":"a","x":"#,
    "123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890",
    "123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890",
    "123456789012345678901234567890123456789012345678901234567890",
    "}}}"
);
const PARAMS: i64 = -32602;
