//! Envelopes: versions, methods, params, members twice, members in other writings.

use super::table::{self, EXTRA, Golden, Opening, Row, checks, fill, made, row};
use crate::scenario::{Applies, Check, Family, Need, Scenario, Source, issue, row as table_row, spec};

const SERVED: Applies = Applies::EVERYWHERE.with_needs(&[Need::Tool("echo"), Need::Tool("sleep")]);

pub(super) static SCENARIOS: [Scenario; 5] = [
    Scenario {
        title: "a `jsonrpc` that is not \"2.0\" is refused with the id",
        requirement: "every message has `jsonrpc: \"2.0\"`; a broken request: −32600 with the id",
        sources: &[issue("typescript-sdk", 2247), spec("2025-11-25", "basic/index#messages"), table_row("C15")],
        applies: SERVED,
        checks: &VERSION_CHECKS,
        limit: table::LIMIT,
        ..Scenario::new("hostile-version", Family::Hostile, |ctx| Box::pin(table::run(ctx, Opening::Ready, &VERSION)))
    },
    Scenario {
        title: "methods of the wrong type, and methods that do not exist",
        requirement: "a method that is no string: −32600 with the id; an unknown one: −32601; an empty method is a \
                      string",
        sources: &[issue("go-sdk", 976), spec("2025-11-25", "basic/index#requests"), table_row("C15")],
        applies: SERVED,
        checks: &METHOD_CHECKS,
        limit: table::LIMIT,
        ..Scenario::new("hostile-method", Family::Hostile, |ctx| Box::pin(table::run(ctx, Opening::Ready, &METHOD)))
    },
    Scenario {
        title: "params that are no object are refused with the id",
        requirement: "params as an array or another value: −32602 with the id",
        sources: &[issue("rust-sdk", 213), spec("2025-11-25", "basic/index#requests"), table_row("C15")],
        applies: SERVED,
        checks: &PARAMS_CHECKS,
        limit: table::LIMIT,
        ..Scenario::new("hostile-params", Family::Hostile, |ctx| Box::pin(table::run(ctx, Opening::Ready, &PARAMS)))
    },
    Scenario {
        title: "a member that stands there twice is refused, with the id when both agree on it",
        requirement: "names within an object should be unique, and what a receiver takes of two is unpredictable: \
                      −32600, with the id when it can be read",
        sources: &[Source::Standard("RFC 8259, section 4 (Objects)"), table_row("C15")],
        applies: SERVED,
        checks: &TWICE_CHECKS,
        limit: table::LIMIT,
        ..Scenario::new("hostile-twice", Family::Hostile, |ctx| Box::pin(table::run(ctx, Opening::Ready, &TWICE)))
    },
    Scenario {
        title: "members in any order, in any writing, and unknown members are no fault",
        requirement: "params and messages are open objects: unknown members survive and cause no failure; a string \
                      is its characters, however they are escaped",
        sources: &[
            Source::Standard("RFC 8259, section 7 (Strings)"),
            spec("2025-11-25", "schema"),
            issue("java-sdk", 724),
        ],
        applies: SERVED,
        checks: &WRITINGS_CHECKS,
        limit: table::LIMIT,
        ..Scenario::new("hostile-writings", Family::Hostile, |ctx| Box::pin(table::run(ctx, Opening::Ready, &WRITINGS)))
    },
];

static VERSION_CHECKS: [Check; VERSION.len() + EXTRA] = checks(&VERSION);
#[rustfmt::skip]
const VERSION: [Row; 11] = [
    row("missing",            r#"{"id":7,"method":"tools/list","params":{$META}}"#,                     Golden::Error("7", INVALID)),
    row("three-point-zero",   r#"{"jsonrpc":"3.0","id":7,"method":"tools/list","params":{$META}}"#,     Golden::Error("7", INVALID)),
    row("two",                r#"{"jsonrpc":2,"id":7,"method":"tools/list","params":{$META}}"#,         Golden::Error("7", INVALID)),
    row("text-two",           r#"{"jsonrpc":"2","id":7,"method":"tools/list","params":{$META}}"#,       Golden::Error("7", INVALID)),
    row("space-behind",       r#"{"jsonrpc":"2.0 ","id":7,"method":"tools/list","params":{$META}}"#,    Golden::Error("7", INVALID)),
    row("empty",              r#"{"jsonrpc":"","id":7,"method":"tools/list","params":{$META}}"#,        Golden::Error("7", INVALID)),
    row("true",               r#"{"jsonrpc":true,"id":7,"method":"tools/list","params":{$META}}"#,      Golden::Error("7", INVALID)),
    row("array",              r#"{"jsonrpc":["2.0"],"id":7,"method":"tools/list","params":{$META}}"#,   Golden::Error("7", INVALID)),
    row("object",             r#"{"jsonrpc":{},"id":"x","method":"tools/list","params":{$META}}"#,      Golden::Error(r#""x""#, INVALID)),
    row("of-a-notification",  r#"{"jsonrpc":"1.0","method":"notifications/nope"}"#,                     Golden::Nothing),
    row("of-a-cancel",        r#"{"method":"notifications/cancelled","params":{"requestId":"running"}}"#, Golden::Nothing),
];

static METHOD_CHECKS: [Check; METHOD.len() + EXTRA] = checks(&METHOD);
#[rustfmt::skip]
const METHOD: [Row; 17] = [
    row("null",                  r#"{"jsonrpc":"2.0","id":7,"method":null,"params":{$META}}"#,               Golden::Error("7", INVALID)),
    row("true",                  r#"{"jsonrpc":"2.0","id":7,"method":true,"params":{$META}}"#,               Golden::Error("7", INVALID)),
    row("array",                 r#"{"jsonrpc":"2.0","id":7,"method":["tools/list"],"params":{$META}}"#,     Golden::Error("7", INVALID)),
    row("object",                r#"{"jsonrpc":"2.0","id":7,"method":{},"params":{$META}}"#,                 Golden::Error("7", INVALID)),
    row("missing",               r#"{"jsonrpc":"2.0","id":7,"params":{$META}}"#,                             Golden::Error("7", INVALID)),
    row("half-a-pair",           r#"{"jsonrpc":"2.0","id":7,"method":"\ud800","params":{$META}}"#,           Golden::Error("7", INVALID)),
    row("empty",                 r#"{"jsonrpc":"2.0","id":7,"method":"","params":{$META}}"#,                 Golden::Error("7", UNKNOWN)),
    row("space",                 r#"{"jsonrpc":"2.0","id":7,"method":" ","params":{$META}}"#,                Golden::Error("7", UNKNOWN)).by(Need::Unmirrored),
    row("space-behind",          r#"{"jsonrpc":"2.0","id":7,"method":"tools/list ","params":{$META}}"#,      Golden::Error("7", UNKNOWN)).by(Need::Unmirrored),
    row("nul-behind",            r#"{"jsonrpc":"2.0","id":7,"method":"tools/list\u0000","params":{$META}}"#, Golden::Error("7", UNKNOWN)).by(Need::Unmirrored),
    row("upper-case",            r#"{"jsonrpc":"2.0","id":7,"method":"TOOLS/LIST","params":{$META}}"#,       Golden::Error("7", UNKNOWN)),
    row("slash-behind",          r#"{"jsonrpc":"2.0","id":7,"method":"tools/list/","params":{$META}}"#,      Golden::Error("7", UNKNOWN)),
    row("reserved-by-json-rpc",  r#"{"jsonrpc":"2.0","id":7,"method":"rpc.discover","params":{$META}}"#,     Golden::Error("7", UNKNOWN)),
    row("of-the-client",         r#"{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage","params":{$META}}"#, Golden::Error("7", UNKNOWN)),
    row("notification-with-id",  r#"{"jsonrpc":"2.0","id":7,"method":"notifications/initialized","params":{$META}}"#, Golden::Error("7", UNKNOWN)),
    row("cancel-with-id",        r#"{"jsonrpc":"2.0","id":7,"method":"notifications/cancelled","params":{$META,"requestId":"running"}}"#, Golden::Error("7", UNKNOWN)),
    row("request-without-id",    r#"{"jsonrpc":"2.0","method":"tools/list","params":{$META}}"#,              Golden::Nothing),
];

static PARAMS_CHECKS: [Check; PARAMS.len() + EXTRA] = checks(&PARAMS);
#[rustfmt::skip]
const PARAMS: [Row; 9] = [
    row("empty-array",        r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":[]}"#,                Golden::Error("7", PARAMS_CODE)),
    row("array-of-params",    r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":[{$META}]}"#,         Golden::Error("7", PARAMS_CODE)),
    row("text",               r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":"{}"}"#,              Golden::Error("7", PARAMS_CODE)),
    row("number",             r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":0}"#,                 Golden::Error("7", PARAMS_CODE)),
    row("true",               r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":true}"#,              Golden::Error("7", PARAMS_CODE)),
    row("of-an-unknown-method", r#"{"jsonrpc":"2.0","id":7,"method":"no/such","params":[]}"#,                 Golden::Error("7", PARAMS_CODE)),
    row("of-a-cancel",        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":["running"]}"#, Golden::Nothing),
    row("text-of-a-cancel",   r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":"running"}"#,   Golden::Nothing),
    row("number-of-a-note",   r#"{"jsonrpc":"2.0","method":"notifications/progress","params":7}"#,            Golden::Nothing),
];

static TWICE_CHECKS: [Check; TWICE.len() + EXTRA] = checks(&TWICE);
#[rustfmt::skip]
const TWICE: [Row; 9] = [
    row("different-ids",       r#"{"jsonrpc":"2.0","id":7,"id":8,"method":"tools/list","params":{$META}}"#,              Golden::Unread(INVALID)),
    row("different-types",     r#"{"jsonrpc":"2.0","id":7,"id":"7","method":"tools/list","params":{$META}}"#,            Golden::Unread(INVALID)),
    row("second-id-escaped",   r#"{"jsonrpc":"2.0","id":7,"\u0069d":8,"method":"tools/list","params":{$META}}"#,         Golden::Unread(INVALID)),
    row("same-id",             r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{$META},"id":7}"#,              Golden::Error("7", INVALID)),
    row("method",              r#"{"jsonrpc":"2.0","id":7,"method":"ping","method":"tools/list","params":{$META}}"#,     Golden::Error("7", INVALID)),
    row("params",              r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{},"params":{$META}}"#,         Golden::Error("7", INVALID)),
    row("jsonrpc",             r#"{"jsonrpc":"2.0","id":7,"jsonrpc":"2.0","method":"tools/list","params":{$META}}"#,     Golden::Error("7", INVALID)),
    row("method-of-a-note",    r#"{"jsonrpc":"2.0","method":"notifications/nope","method":"notifications/cancelled","params":{"requestId":"running"}}"#, Golden::Nothing),
    row("unknown-member",      r#"{"jsonrpc":"2.0","id":7,"x":1,"x":2,"method":"tools/list","params":{$META}}"#,         Golden::Tools("7")),
];

static WRITINGS_CHECKS: [Check; WRITINGS.len() + EXTRA] = checks(&WRITINGS);
#[rustfmt::skip]
const WRITINGS: [Row; 11] = [
    row("method-escaped",       r#"{"jsonrpc":"2.0","id":7,"method":"t\u006fols\/list","params":{$META}}"#,               Golden::Tools("7")),
    row("version-escaped",      r#"{"jsonrpc":"\u0032.0","id":7,"method":"tools/list","params":{$META}}"#,                Golden::Tools("7")),
    row("members-escaped",      r#"{"json\u0072pc":"2.0","i\u0064":7,"m\u0065thod":"tools/list","\u0070arams":{$META}}"#, Golden::Tools("7")),
    row("name-escaped",         r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{$META,"n\u0061me":"e\u0063ho","\u0061rguments":{"t\u0065xt":"a"}}}"#, Golden::Echo("7", "a")),
    row("backwards",            r#"{"params":{$META,"arguments":{"text":"a"},"name":"echo"},"method":"tools/call","id":7,"jsonrpc":"2.0"}"#, Golden::Echo("7", "a")),
    row("unknown-members",      r#"{"x":{"id":1},"jsonrpc":"2.0","":null,"id":7,"trace":[],"method":"tools/list","params":{$META},"y":1e400}"#, Golden::Tools("7")),
    row("ids-inside",           r#"{"jsonrpc":"2.0","params":{$META,"id":1,"method":"no/such","name":"echo","arguments":{"text":"a","id":2,"jsonrpc":"1.0"}},"method":"tools/call","id":7}"#, Golden::Echo("7", "a")),
    row("names-that-differ",    r#"{"jsonrpc":"2.0","id":7,"Id":1,"ID":2,"id ":3,"method":"tools/list","Method":"no/such","params":{$META}}"#, Golden::Tools("7")),
    row("spaces-everywhere",    "\t{ \"jsonrpc\" : \"2.0\" ,\r \"id\"\t: 7 , \"method\" : \"tools/list\" , \"params\" : { $META } } ", Golden::Tools("7")),
    row("unknown-in-params",    r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{$META,"x":1,"uri":[],"name":{},"arguments":7}}"#, Golden::Tools("7")),
    made("10-000-members",      |era| fill(era, MEMBERS, (0..10_000).map(|n| format!("\"m{n}\":{n},")).collect::<String>().as_bytes()), Golden::Tools("7")),
];

const MEMBERS: &str = r#"{¤"jsonrpc":"2.0","id":7,"method":"tools/list","params":{$META}}"#;
const INVALID: i64 = -32600;
const UNKNOWN: i64 = -32601;
const PARAMS_CODE: i64 = -32602;
