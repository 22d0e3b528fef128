//! Bodies that are no message, each with the one answer that it has in every era.

use serde_json::json;

use super::{
    EVERY_ENDPOINT,
    table::{self, EXTRA, Golden, Row, checks, row},
};
use crate::scenario::{Applies, Check, Family, Scenario, issue, spec};

pub(super) static SCENARIOS: [Scenario; 2] = [
    Scenario {
        title: "a body that is no message is refused by a JSON-RPC error, and every one by the same",
        requirement: "−32700 for what is not JSON, −32600 for what is no message, with the id where it can be read; if \
                      the server cannot accept the input, an HTTP error status code (for example, 400), and the body \
                      may be a JSON-RPC error without id",
        sources: &[
            issue("rust-sdk", 833),
            issue("typescript-sdk", 2247),
            issue("python-sdk", 2302),
            spec("2026-07-28", "basic/transports/streamable-http#sending-messages"),
            spec("2025-11-25", "basic/transports#sending-messages-to-the-server"),
        ],
        applies: EVERY_ENDPOINT,
        checks: &BODIES_CHECKS,
        ..Scenario::new("http-malformed-bodies", Family::Hostile, |ctx| Box::pin(table::run(ctx, &BODIES)))
    },
    Scenario {
        title: "what needs no answer is accepted by 202 or refused by a status, and methods that do not exist by theirs",
        requirement: "a notification that is accepted: 202 with no body; the client must not send responses (modern); \
                      an RPC method that is not implemented: 404 with −32601 (modern)",
        sources: &[
            spec("2026-07-28", "basic/transports/streamable-http#sending-messages"),
            spec("2026-07-28", "basic/transports/streamable-http#protocol-version-header"),
            issue("rust-sdk", 1076),
        ],
        applies: Applies { needs: &[], ..EVERY_ENDPOINT },
        checks: &UNANSWERED_CHECKS,
        ..Scenario::new("http-unanswered", Family::Hostile, |ctx| Box::pin(table::run(ctx, &UNANSWERED)))
    },
];

static BODIES_CHECKS: [Check; BODIES.len() + EXTRA] = checks(&BODIES);
#[rustfmt::skip]
const BODIES: [Row; 24] = [
    row("empty",                  |of| of.body(""),                                       Golden::Unread(400, PARSE)),
    row("spaces",                 |of| of.body(" \r\n\t "),                               Golden::Unread(400, PARSE)),
    row("brace",                  |of| of.body("{"),                                      Golden::Unread(400, PARSE)),
    row("text",                   |of| of.body("hello"),                                  Golden::Unread(400, PARSE)),
    row("not-utf-8",              |of| of.body([0xFF, 0xFE]),                             Golden::Unread(400, PARSE)),
    row("form",                   |of| of.body("jsonrpc=2.0&id=7"),                       Golden::Unread(400, PARSE)),
    row("cut-off",                |of| of.body(r#"{"jsonrpc":"2.0","#),                   Golden::Unread(400, PARSE)),
    row("two-values",             |of| of.body("{}{}"),                                   Golden::Unread(400, PARSE)),
    row("null",                   |of| of.body("null"),                                   Golden::Unread(400, INVALID)),
    row("number",                 |of| of.body("42"),                                     Golden::Unread(400, INVALID)),
    row("string",                 |of| of.body(r#""tools/list""#),                        Golden::Unread(400, INVALID)),
    row("empty-object",           |of| of.body("{}"),                                     Golden::Unread(400, INVALID)),
    row("empty-array",            |of| of.body("[]"),                                     Golden::Unread(400, INVALID)),
    row("array-of-a-request",     |of| of.body(json!([of.frame("tools/list", json!({}))]).to_string()), Golden::Unread(400, INVALID)),
    row("id-null",                |of| of.list_with(r#""id":7"#, r#""id":null"#),         Golden::Unread(400, INVALID)),
    row("id-object",              |of| of.list_with(r#""id":7"#, r#""id":{}"#),           Golden::Unread(400, INVALID)),
    row("version-1-0",            |of| of.list_with(r#""2.0""#, r#""1.0""#),              Golden::Error(400, INVALID)),
    row("version-number",         |of| of.list_with(r#""2.0""#, "2.0"),                   Golden::Error(400, INVALID)),
    row("version-missing",        |of| of.list_with(r#""jsonrpc":"2.0","#, ""),           Golden::Error(400, INVALID)),
    row("method-number",          |of| of.list_with(r#""tools/list""#, "7"),              Golden::Error(400, INVALID)),
    row("params-array",           |of| of.body(r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":[]}"#), Golden::Error(400, PARAMS)),
    row("id-in-a-broken-text",    |of| of.body(b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/list\",\"params\":{\"x\":\"\xFF\"}}".as_slice()), Golden::Error(400, PARSE)),
    row("byte-order-mark",        |of| { let good = of.list(); let body = [b"\xEF\xBB\xBF", good.body()].concat(); good.with_body(body) }, Golden::Served),
    row("spaces-around",          |of| { let good = of.list(); let body = [b"\r\n ", good.body(), b"\n\n"].concat(); good.with_body(body) }, Golden::Served),
];

static UNANSWERED_CHECKS: [Check; UNANSWERED.len() + EXTRA] = checks(&UNANSWERED);
#[rustfmt::skip]
const UNANSWERED: [Row; 5] = [
    row("unknown-notification",   |of| of.requests.post(&json!({"jsonrpc": "2.0", "method": "notifications/nope"})),                       Golden::Accepted),
    row("notification-with-meta", |of| of.requests.post(&json!({"jsonrpc": "2.0", "method": "notifications/nope", "params": {"x": 1}})),   Golden::Accepted),
    row("response",               |of| of.requests.post(&json!({"jsonrpc": "2.0", "id": 999, "result": {}})),  Golden::ByEra(&Golden::Unread(400, INVALID), &Golden::Accepted)),
    row("error-response",         |of| of.requests.post(&json!({"jsonrpc": "2.0", "id": 999, "error": {"code": 1, "message": "x"}})), Golden::ByEra(&Golden::Unread(400, INVALID), &Golden::Accepted)),
    row("unknown-method",         |of| of.requests.post(&of.frame("no/such", json!({}))),                      Golden::ByEra(&Golden::Error(404, UNKNOWN), &Golden::Error(200, UNKNOWN))),
];

const PARSE: i64 = -32700;
const INVALID: i64 = -32600;
const UNKNOWN: i64 = -32601;
const PARAMS: i64 = -32602;
