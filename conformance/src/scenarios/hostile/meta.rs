//! `_meta` of the wrong shape, and odd members of it that are no fault.

use super::table::{self, EXTRA, Golden, Opening, Row, checks, filled, row};
use crate::scenario::{Applies, Check, Family, Need, Scenario, issue, row as table_row, spec};

const MODERN: Applies = Applies::modern_only("legacy requests need no `_meta`: see hostile-meta-legacy")
    .with_needs(&[Need::Tool("echo"), Need::Tool("sleep")]);

pub(super) static SCENARIOS: [Scenario; 4] = [
    Scenario {
        title: "a `_meta` that is missing or no object is refused",
        requirement: "missing required `_meta` field → -32602",
        sources: &[spec("2026-07-28", "basic/index#meta"), issue("rust-sdk", 213)],
        applies: MODERN,
        checks: &WHOLE_CHECKS,
        limit: table::LIMIT,
        ..Scenario::new("hostile-meta-whole", Family::Hostile, |ctx| Box::pin(table::run(ctx, Opening::Ready, &WHOLE)))
    },
    Scenario {
        title: "a member of `_meta` of the wrong type, or of a revision that is not served, is refused",
        requirement: "missing or wrong `_meta` field → -32602; version not implemented → -32022; bad log level → \
                      -32602; `progressToken` is a string or an integer",
        sources: &[
            spec("2026-07-28", "basic/index#meta"),
            spec("2026-07-28", "basic/versioning"),
            spec("2026-07-28", "server/utilities/logging#error-handling"),
        ],
        applies: MODERN,
        checks: &MEMBERS_CHECKS,
        limit: table::LIMIT,
        ..Scenario::new("hostile-meta-members", Family::Hostile, |ctx| {
            Box::pin(table::run(ctx, Opening::Ready, &MEMBERS))
        })
    },
    Scenario {
        title: "unknown and absent members of a modern `_meta` are no fault",
        requirement: "unknown members survive and cause no failure; null is absent",
        sources: &[spec("2026-07-28", "basic/index#meta"), issue("java-sdk", 724), table_row("C15")],
        applies: MODERN,
        checks: &ODD_CHECKS,
        limit: table::LIMIT,
        ..Scenario::new("hostile-meta-odd", Family::Hostile, |ctx| Box::pin(table::run(ctx, Opening::Ready, &ODD)))
    },
    Scenario {
        title: "unknown members of a legacy `_meta` are no fault",
        requirement: "unknown members survive and cause no failure; null is absent",
        sources: &[spec("2025-11-25", "basic/index#meta"), issue("java-sdk", 724)],
        applies: Applies::legacy_only("modern requests need more: see hostile-meta-odd")
            .with_needs(&[Need::Tool("echo"), Need::Tool("sleep")]),
        checks: &LEGACY_CHECKS,
        limit: table::LIMIT,
        ..Scenario::new("hostile-meta-legacy", Family::Hostile, |ctx| {
            Box::pin(table::run(ctx, Opening::Ready, &LEGACY))
        })
    },
];

static WHOLE_CHECKS: [Check; WHOLE.len() + EXTRA] = checks(&WHOLE);
#[rustfmt::skip]
const WHOLE: [Row; 8] = [
    row("no-params",      r#"{"jsonrpc":"2.0","id":7,"method":"server/discover"}"#,                            Golden::Error("7", PARAMS)),
    row("params-null",    r#"{"jsonrpc":"2.0","id":7,"method":"server/discover","params":null}"#,              Golden::Error("7", PARAMS)),
    row("absent",         r#"{"jsonrpc":"2.0","id":7,"method":"server/discover","params":{}}"#,                Golden::Error("7", PARAMS)),
    row("null",           r#"{"jsonrpc":"2.0","id":7,"method":"server/discover","params":{"_meta":null}}"#,    Golden::Error("7", PARAMS)),
    row("array",          r#"{"jsonrpc":"2.0","id":7,"method":"server/discover","params":{"_meta":[{}]}}"#,    Golden::Error("7", PARAMS)),
    row("text",           r#"{"jsonrpc":"2.0","id":7,"method":"server/discover","params":{"_meta":"{}"}}"#,    Golden::Error("7", PARAMS)),
    row("number",         r#"{"jsonrpc":"2.0","id":7,"method":"server/discover","params":{"_meta":7}}"#,       Golden::Error("7", PARAMS)),
    row("empty",          r#"{"jsonrpc":"2.0","id":7,"method":"server/discover","params":{"_meta":{}}}"#,      Golden::Error("7", PARAMS)),
];

/// A row for the version of a request.
const fn version(check: &'static str, version: &'static str, golden: Golden) -> Row {
    const FRAME: &str = r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":¤,"io.modelcontextprotocol/clientCapabilities":{}}}}"#;
    filled(check, FRAME, version.as_bytes(), golden)
}

/// A row for the capabilities of a request.
const fn capabilities(check: &'static str, capabilities: &'static str, golden: Golden) -> Row {
    const FRAME: &str = r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":¤}}}"#;
    filled(check, FRAME, capabilities.as_bytes(), golden)
}

/// A row for another member of `_meta`.
const fn member(check: &'static str, member: &'static str, golden: Golden) -> Row {
    const FRAME: &str = r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":{¤,"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
    filled(check, FRAME, member.as_bytes(), golden)
}

static MEMBERS_CHECKS: [Check; MEMBERS.len() + EXTRA] = checks(&MEMBERS);
#[rustfmt::skip]
const MEMBERS: [Row; 27] = [
    version("version-null",               "null",                   Golden::Naming(&Golden::Error("7", PARAMS), "io.modelcontextprotocol/protocolVersion")),
    version("version-number",             "20260728",               Golden::Naming(&Golden::Error("7", PARAMS), "io.modelcontextprotocol/protocolVersion")),
    version("version-array",              r#"["2026-07-28"]"#,      Golden::Naming(&Golden::Error("7", PARAMS), "io.modelcontextprotocol/protocolVersion")),
    version("version-object",             "{}",                     Golden::Naming(&Golden::Error("7", PARAMS), "io.modelcontextprotocol/protocolVersion")),
    version("version-half-a-pair",        r#""\ud800""#,            Golden::Error("7", PARAMS)),
    version("version-empty",              r#""""#,                  Golden::Naming(&Golden::Error("7", VERSION), "2026-07-28")),
    version("version-with-a-space",       r#""2026-07-28 ""#,       Golden::Error("7", VERSION)).by(Need::Unmirrored),
    version("version-without-zero",       r#""2026-7-28""#,         Golden::Error("7", VERSION)),
    version("version-a-day-later",        r#""2026-07-29""#,        Golden::Error("7", VERSION)),
    version("version-legacy",             r#""2025-06-18""#,        Golden::Naming(&Golden::Error("7", VERSION), "2026-07-28")),
    version("version-draft",              r#""DRAFT-2026-v1""#,     Golden::Naming(&Golden::Error("7", VERSION), "2026-07-28")),
    capabilities("capabilities-null",     "null",                   Golden::Naming(&Golden::Error("7", PARAMS), "io.modelcontextprotocol/clientCapabilities")),
    capabilities("capabilities-true",     "true",                   Golden::Naming(&Golden::Error("7", PARAMS), "io.modelcontextprotocol/clientCapabilities")),
    capabilities("capabilities-array",    r#"["elicitation"]"#,     Golden::Naming(&Golden::Error("7", PARAMS), "io.modelcontextprotocol/clientCapabilities")),
    capabilities("capabilities-text",     r#""{}""#,                Golden::Naming(&Golden::Error("7", PARAMS), "io.modelcontextprotocol/clientCapabilities")),
    capabilities("capabilities-number",   "0",                      Golden::Naming(&Golden::Error("7", PARAMS), "io.modelcontextprotocol/clientCapabilities")),
    member("client-info-text",     r#""io.modelcontextprotocol/clientInfo":"x 1.0""#,    Golden::Naming(&Golden::Error("7", PARAMS), "io.modelcontextprotocol/clientInfo")),
    member("client-info-array",    r#""io.modelcontextprotocol/clientInfo":["x"]"#,      Golden::Naming(&Golden::Error("7", PARAMS), "io.modelcontextprotocol/clientInfo")),
    member("client-info-number",   r#""io.modelcontextprotocol/clientInfo":1"#,          Golden::Naming(&Golden::Error("7", PARAMS), "io.modelcontextprotocol/clientInfo")),
    member("log-level-unknown",    r#""io.modelcontextprotocol/logLevel":"loud""#,       Golden::Naming(&Golden::Error("7", PARAMS), "io.modelcontextprotocol/logLevel")),
    member("log-level-upper-case", r#""io.modelcontextprotocol/logLevel":"INFO""#,       Golden::Error("7", PARAMS)),
    member("log-level-empty",      r#""io.modelcontextprotocol/logLevel":"""#,           Golden::Error("7", PARAMS)),
    member("log-level-number",     r#""io.modelcontextprotocol/logLevel":7"#,            Golden::Naming(&Golden::Error("7", PARAMS), "io.modelcontextprotocol/logLevel")),
    member("log-level-array",      r#""io.modelcontextprotocol/logLevel":["info"]"#,     Golden::Error("7", PARAMS)),
    member("token-true",           r#""progressToken":true"#,                            Golden::Naming(&Golden::Error("7", PARAMS), "progressToken")),
    member("token-array",          r#""progressToken":[1]"#,                             Golden::Naming(&Golden::Error("7", PARAMS), "progressToken")),
    member("token-object",         r#""progressToken":{"id":1}"#,                        Golden::Naming(&Golden::Error("7", PARAMS), "progressToken")),
];

static ODD_CHECKS: [Check; ODD.len() + EXTRA] = checks(&ODD);
#[rustfmt::skip]
const ODD: [Row; 14] = [
    version("version-escaped",               r#""2026\u002d07-28""#,                     Golden::Tools("7")),
    capabilities("capabilities-unknown",     r#"{"hologram":{"x":1},"elicitation":{"form":{},"dream":{}},"extensions":{"a/b":{}}}"#, Golden::Tools("7")),
    member("client-info-null",     r#""io.modelcontextprotocol/clientInfo":null"#,       Golden::Tools("7")),
    member("client-info-unknown",  r#""io.modelcontextprotocol/clientInfo":{"name":"x","version":"1","mood":[]}"#, Golden::Tools("7")),
    member("log-level-null",       r#""io.modelcontextprotocol/logLevel":null"#,         Golden::Tools("7")),
    member("token-null",           r#""progressToken":null"#,                            Golden::Tools("7")),
    member("token-empty",          r#""progressToken":"""#,                              Golden::Tools("7")),
    member("token-negative",       r#""progressToken":-1"#,                              Golden::Tools("7")),
    member("empty-name",           r#""":1"#,                                            Golden::Tools("7")),
    member("slash",                r#""/":{},"a//b":{}"#,                                Golden::Tools("7")),
    member("vendor",               r#""com.example/trace":{"x":[1,2]}"#,                 Golden::Tools("7")),
    member("reserved-and-unknown", r#""io.modelcontextprotocol/mood":"good""#,           Golden::Tools("7")),
    member("of-other-messages",    r#""io.modelcontextprotocol/subscriptionId":[],"io.modelcontextprotocol/serverInfo":7"#, Golden::Tools("7")),
    member("bad-trace",            r#""traceparent":"00-0-0-00","tracestate":7,"baggage":null"#, Golden::Tools("7")),
];

static LEGACY_CHECKS: [Check; LEGACY.len() + EXTRA] = checks(&LEGACY);
#[rustfmt::skip]
const LEGACY: [Row; 8] = [
    row("no-params",           r#"{"jsonrpc":"2.0","id":7,"method":"tools/list"}"#,                                               Golden::Tools("7")),
    row("params-null",         r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":null}"#,                                 Golden::Tools("7")),
    row("null",                r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":null}}"#,                       Golden::Tools("7")),
    row("empty",               r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":{}}}"#,                         Golden::Tools("7")),
    row("token-null",          r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":{"progressToken":null}}}"#,     Golden::Tools("7")),
    row("token-empty",         r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":{"progressToken":""}}}"#,       Golden::Tools("7")),
    row("vendor",              r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":{"a/b":[],"":1,"/":null}}}"#,   Golden::Tools("7")),
    row("related-task",        r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/related-task":7}}}"#, Golden::Tools("7")),
];

const PARAMS: i64 = -32602;
const VERSION: i64 = -32022;
