//! Responses that nobody asked for, and notifications that mean nothing.

use super::table::{self, EXTRA, Golden, Opening, Row, checks, made, row};
use crate::scenario::{Applies, Check, Family, Need, Scenario, issue, row as table_row, spec};

const SERVED: Applies = Applies::EVERYWHERE.with_needs(&[Need::Tool("echo"), Need::Tool("sleep")]);

pub(super) static SCENARIOS: [Scenario; 2] = [
    Scenario {
        title: "responses of every shape that name no call are not answered and settle nothing",
        requirement: "response with an unknown id, or error with id null or none: dropped, counted; nobody answers a \
                      malformed response",
        sources: &[
            table_row("C12"),
            table_row("C15"),
            spec("2025-11-25", "basic/index#responses"),
            issue("rust-sdk", 1021),
        ],
        applies: SERVED,
        checks: &RESPONSES_CHECKS,
        limit: table::LIMIT,
        ..Scenario::new("hostile-responses", Family::Hostile, |ctx| {
            Box::pin(table::run(ctx, Opening::Ready, &RESPONSES))
        })
    },
    Scenario {
        title: "notifications that are unknown, broken or meant for a client are ignored",
        requirement: "notifications are never answered, not even with an error; unknown ones are ignored; late or \
                      foreign progress is dropped",
        sources: &[
            spec("2025-11-25", "basic/index#notifications"),
            spec("2025-11-25", "basic/utilities/progress"),
            table_row("C15"),
        ],
        applies: SERVED,
        checks: &NOTES_CHECKS,
        limit: table::LIMIT,
        ..Scenario::new("hostile-notifications", Family::Hostile, |ctx| {
            Box::pin(table::run(ctx, Opening::Ready, &NOTES))
        })
    },
];

static RESPONSES_CHECKS: [Check; RESPONSES.len() + EXTRA] = checks(&RESPONSES);
#[rustfmt::skip]
const RESPONSES: [Row; 17] = [
    row("to-the-request-that-runs",   r#"{"jsonrpc":"2.0","id":"running","result":{}}"#,                             Golden::Nothing),
    row("error-for-the-request-that-runs", r#"{"jsonrpc":"2.0","id":"running","error":{"code":1,"message":"x"}}"#,   Golden::Nothing),
    row("result-number",              r#"{"jsonrpc":"2.0","id":999,"result":7}"#,                                    Golden::Nothing),
    row("result-null",                r#"{"jsonrpc":"2.0","id":999,"result":null}"#,                                 Golden::Nothing),
    row("result-without-id",          r#"{"jsonrpc":"2.0","result":{}}"#,                                            Golden::Nothing),
    row("result-with-id-null",        r#"{"jsonrpc":"2.0","id":null,"result":{}}"#,                                  Golden::Nothing),
    row("id-array",                   r#"{"jsonrpc":"2.0","id":[],"result":{}}"#,                                    Golden::Nothing),
    row("id-half-a-pair",             r#"{"jsonrpc":"2.0","id":"\ud800","result":{}}"#,                              Golden::Nothing),
    row("error-null",                 r#"{"jsonrpc":"2.0","id":999,"error":null}"#,                                  Golden::Nothing),
    row("error-array",                r#"{"jsonrpc":"2.0","id":999,"error":[]}"#,                                    Golden::Nothing),
    row("error-beyond-a-float",       r#"{"jsonrpc":"2.0","id":999,"error":{"code":1e400,"message":"x"}}"#,          Golden::Nothing),
    row("both-null",                  r#"{"jsonrpc":"2.0","id":999,"result":null,"error":null}"#,                    Golden::Nothing),
    row("result-twice",               r#"{"jsonrpc":"2.0","id":999,"result":1,"result":2}"#,                         Golden::Nothing),
    row("without-version",            r#"{"id":999,"result":{}}"#,                                                   Golden::Nothing),
    row("method-null-beside",         r#"{"jsonrpc":"2.0","id":999,"method":null,"result":{}}"#,                     Golden::Nothing),
    row("cut-off",                    r#"{"jsonrpc":"2.0","id":999,"result":{"content":[{"#,                         Golden::Nothing),
    made("a-thousand",                |_| r#"{"jsonrpc":"2.0","id":999,"result":{}}"#.repeat(1_000).replace("}{", "}\n{").into_bytes(), Golden::Nothing),
];

static NOTES_CHECKS: [Check; NOTES.len() + EXTRA] = checks(&NOTES);
#[rustfmt::skip]
const NOTES: [Row; 18] = [
    row("unknown",                    r#"{"jsonrpc":"2.0","method":"notifications/no/such","params":{"x":1}}"#,       Golden::Nothing),
    row("empty-method",               r#"{"jsonrpc":"2.0","method":""}"#,                                             Golden::Nothing),
    row("method-number",              r#"{"jsonrpc":"2.0","method":7}"#,                                              Golden::Nothing),
    row("method-half-a-pair",         r#"{"jsonrpc":"2.0","method":"\ud800"}"#,                                       Golden::Nothing),
    row("initialized-again",          r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,                    Golden::Nothing),
    row("initialized-with-text",      r#"{"jsonrpc":"2.0","method":"notifications/initialized","params":"x"}"#,       Golden::Nothing),
    row("initialize-without-id",      r#"{"jsonrpc":"2.0","method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}"#, Golden::Nothing),
    row("ping-without-id",            r#"{"jsonrpc":"2.0","method":"ping"}"#,                                         Golden::Nothing),
    row("progress-unknown",           r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"x","progress":1}}"#, Golden::Nothing),
    row("progress-without-token",     r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}"#, Golden::Nothing),
    row("progress-without-params",    r#"{"jsonrpc":"2.0","method":"notifications/progress"}"#,                       Golden::Nothing),
    row("progress-with-odd-token",    r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":{},"progress":"much"}}"#, Golden::Nothing),
    row("progress-beyond-a-float",    r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":0,"progress":1e400}}"#, Golden::Nothing),
    row("list-changed",               r#"{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}"#,             Golden::Nothing),
    row("of-a-server",                r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#,             Golden::Nothing),
    row("log-message",                r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"emergency","data":{}}}"#, Golden::Nothing),
    row("odd-meta",                   r#"{"jsonrpc":"2.0","method":"notifications/nope","params":{"_meta":[]}}"#,     Golden::Nothing),
    row("modern-meta",                r#"{"jsonrpc":"2.0","method":"notifications/nope","params":{$META}}"#,          Golden::Nothing),
];
