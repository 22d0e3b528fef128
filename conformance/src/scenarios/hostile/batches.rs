//! Batches: broken ones where they exist, and any of them where they do not.

use serde_json::{Value, json};

use super::table::{self, EXTRA, Golden, Opening, Row, checks, made, row};
use crate::{
    golden,
    scenario::{Applies, Check, Ctx, Era, Family, Need, Scenario, Source, Stop, must, row as table_row, spec},
    session::{self, Session},
    target::Exit,
};

const WITH_BATCHES: Applies =
    Applies::legacy_only("only 2025-03-26 has batches").with_needs(&[Need::Tool("echo"), Need::Tool("sleep")]);

pub(super) static SCENARIOS: [Scenario; 5] = [
    Scenario {
        title: "broken members of a batch are answered in their place, the others as if alone",
        requirement: "implementations must support receiving JSON-RPC batches; an empty array: one -32600; each member \
                      that is no request: -32600",
        sources: &[spec("2025-03-26", "basic/index#batching"), JSON_RPC, table_row("C15")],
        applies: WITH_BATCHES.by(&[Need::OneStream]),
        checks: &BROKEN_CHECKS,
        limit: table::LIMIT,
        ..Scenario::new("hostile-batch-broken", Family::Hostile, |ctx| {
            Box::pin(table::run(ctx, Opening::Legacy("2025-03-26"), &BROKEN))
        })
    },
    Scenario {
        title: "a batch of a thousand requests is answered by one array",
        requirement: "implementations must support receiving JSON-RPC batches",
        sources: &[spec("2025-03-26", "basic/index#batching"), JSON_RPC],
        applies: WITH_BATCHES.by(&[Need::OneStream]),
        checks: &[must("one-array-of-all"), must("serves-on"), must("exit-0")],
        ..Scenario::new("hostile-batch-of-1000", Family::Hostile, |ctx| Box::pin(thousand(ctx)))
    },
    Scenario {
        title: "in 2024-11-05 an array is one invalid request",
        requirement: NO_BATCHES,
        sources: &[spec("2024-11-05", "basic/messages"), table_row("C15")],
        applies: Applies::legacy_only("2024-11-05 is a legacy revision")
            .with_needs(&[Need::Tool("echo"), Need::Tool("sleep")])
            .by(&[Need::OneStream]),
        checks: &REFUSED_CHECKS,
        limit: table::LIMIT,
        ..Scenario::new("hostile-batch-2024-11-05", Family::Hostile, |ctx| {
            Box::pin(table::run(ctx, Opening::Legacy("2024-11-05"), &REFUSED))
        })
    },
    Scenario {
        title: "in 2025-06-18 an array is one invalid request",
        requirement: NO_BATCHES,
        sources: &[spec("2025-06-18", "changelog"), table_row("C15")],
        applies: Applies::legacy_only("2025-06-18 is a legacy revision")
            .with_needs(&[Need::Tool("echo"), Need::Tool("sleep")]),
        checks: &REFUSED_CHECKS,
        limit: table::LIMIT,
        ..Scenario::new("hostile-batch-2025-06-18", Family::Hostile, |ctx| {
            Box::pin(table::run(ctx, Opening::Legacy("2025-06-18"), &REFUSED))
        })
    },
    Scenario {
        title: "in 2025-11-25 and later an array is one invalid request",
        requirement: NO_BATCHES,
        sources: &[
            spec("2025-11-25", "basic/transports"),
            spec("2026-07-28", "basic/transports/stdio"),
            table_row("C15"),
        ],
        applies: Applies::EVERYWHERE.with_needs(&[Need::Tool("echo"), Need::Tool("sleep")]),
        checks: &REFUSED_CHECKS,
        limit: table::LIMIT,
        ..Scenario::new("hostile-batch-refused", Family::Hostile, |ctx| {
            Box::pin(table::run(ctx, Opening::Ready, &REFUSED))
        })
    },
];

const NO_BATCHES: &str = "no batching: an array is not a valid message; reject rather than process";

static BROKEN_CHECKS: [Check; BROKEN.len() + EXTRA] = checks(&BROKEN);
#[rustfmt::skip]
const BROKEN: [Row; 22] = [
    row("empty",                 "[]",                                    Golden::Unread(INVALID)),
    row("empty-with-spaces",     " [ \t ] ",                              Golden::Unread(INVALID)),
    row("of-one-number",         "[1]",                                   Golden::Batch(&[Golden::Unread(INVALID)])),
    row("of-three-numbers",      "[1,2,3]",                               Golden::Batch(&[Golden::Unread(INVALID), Golden::Unread(INVALID), Golden::Unread(INVALID)])),
    row("of-odd-values",         r#"[null,"x",{}]"#,                      Golden::Batch(&[Golden::Unread(INVALID), Golden::Unread(INVALID), Golden::Unread(INVALID)])),
    row("nested",                r#"[[{"jsonrpc":"2.0","id":7,"method":"ping"}]]"#,                                        Golden::Batch(&[Golden::Unread(INVALID)])),
    row("nested-empty",          "[[]]",                                  Golden::Batch(&[Golden::Unread(INVALID)])),
    row("broken-in-the-middle",  r#"[{"jsonrpc":"2.0","id":7,"method":"ping"},{"id":8,"method":"ping"},{"jsonrpc":"2.0","id":9,"method":"ping"}]"#, Golden::Batch(&[Golden::Empty("7"), Golden::Error("8", INVALID), Golden::Empty("9")])),
    row("unknown-method",        r#"[{"jsonrpc":"2.0","id":7,"method":"no/such"},{"jsonrpc":"2.0","id":8,"method":"ping"}]"#, Golden::Batch(&[Golden::Error("7", UNKNOWN), Golden::Empty("8")])),
    row("bad-params",            r#"[{"jsonrpc":"2.0","id":7,"method":"tools/call","params":[]},{"jsonrpc":"2.0","id":8,"method":"ping"}]"#, Golden::Batch(&[Golden::Error("7", PARAMS), Golden::Empty("8")])),
    row("id-null",               r#"[{"jsonrpc":"2.0","id":null,"method":"ping"},{"jsonrpc":"2.0","id":8,"method":"ping"}]"#, Golden::Batch(&[Golden::Unread(INVALID), Golden::Empty("8")])),
    row("same-id-in-flight",     r#"[{"jsonrpc":"2.0","id":"running","method":"tools/list"},{"jsonrpc":"2.0","id":8,"method":"ping"}]"#, Golden::Batch(&[Golden::Error(r#""running""#, INVALID), Golden::Empty("8")])),
    row("with-initialize",       r#"[{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}},{"jsonrpc":"2.0","id":8,"method":"ping"}]"#, Golden::Batch(&[Golden::Error("7", INVALID), Golden::Empty("8")])),
    row("with-a-response",       r#"[{"jsonrpc":"2.0","id":999,"result":{}},{"jsonrpc":"2.0","id":8,"method":"ping"}]"#,   Golden::Batch(&[Golden::Empty("8")])),
    row("of-responses",          r#"[{"jsonrpc":"2.0","id":999,"result":{}},{"jsonrpc":"2.0","id":998,"error":{"code":1,"message":"x"}}]"#, Golden::Nothing),
    row("of-broken-responses",   r#"[{"jsonrpc":"2.0","id":999,"error":"boom"},{"jsonrpc":"2.0","error":null}]"#,          Golden::Nothing),
    row("of-notifications",      r#"[{"jsonrpc":"2.0","method":"notifications/nope"},{"jsonrpc":"2.0","method":""}]"#,     Golden::Nothing),
    row("of-broken-notifications", r#"[{"method":"notifications/nope"},{"jsonrpc":"2.0","method":7}]"#,                    Golden::Nothing),
    row("cancelled-inside",      r#"[{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"sleep","arguments":{"ms":60000}}},{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}},{"jsonrpc":"2.0","id":8,"method":"ping"}]"#, Golden::Batch(&[Golden::Empty("8")])),
    row("cut-off",               r#"[{"jsonrpc":"2.0","id":7,"method":"ping"},{"jsonrpc""#,                                Golden::Unread(PARSE)),
    row("comma-at-the-end",      r#"[{"jsonrpc":"2.0","id":7,"method":"ping"},]"#,                                         Golden::Unread(PARSE)),
    made("one-member-too-deep",  |_| format!(r#"[{{"jsonrpc":"2.0","id":7,"method":"ping","params":{{"x":{}{}}}}},{{"jsonrpc":"2.0","id":8,"method":"ping"}}]"#, "[".repeat(10_000), "]".repeat(10_000)).into_bytes(), Golden::Batch(&[Golden::Error("7", INVALID), Golden::Empty("8")])),
];

static REFUSED_CHECKS: [Check; REFUSED.len() + EXTRA] = checks(&REFUSED);
#[rustfmt::skip]
const REFUSED: [Row; 8] = [
    row("empty",                 "[]",                                                                                     Golden::Unread(INVALID)),
    row("of-one-request",        r#"[{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{$META}}]"#,                   Golden::Unread(INVALID)),
    row("of-two-requests",       r#"[{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{$META}},{"jsonrpc":"2.0","id":8,"method":"tools/list","params":{$META}}]"#, Golden::Unread(INVALID)),
    row("of-a-notification",     r#"[{"jsonrpc":"2.0","method":"notifications/nope"}]"#,                                   Golden::Unread(INVALID)),
    row("of-a-cancel",           r#"[{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"running"}}]"#, Golden::Unread(INVALID)),
    row("of-a-response",         r#"[{"jsonrpc":"2.0","id":999,"result":{}}]"#,                                            Golden::Unread(INVALID)),
    row("nested",                "[[[]]]",                                                                                 Golden::Unread(INVALID)),
    row("cut-off",               r#"[{"jsonrpc":"2.0","id":7,"method":"tools/list"}"#,                                     Golden::Unread(PARSE)),
];

async fn thousand(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open().await?;
    session.open_legacy("2025-03-26").await?;
    let pings: Vec<Value> = (0..1_000).map(|id| session::request(Era::Legacy, id, "ping", json!({}))).collect();
    session.send(&Value::from(pings)).await;
    let mut came = session.next().await?;
    if let Some(answers) = came.as_array_mut() {
        answers.sort_by_key(|answer| answer["id"].as_i64());
    }
    let expected: Value = (0..1_000).map(golden::empty_answer).collect();
    ctx.check("one-array-of-all", came == expected, || came.to_string());
    session.call(1, "echo", json!({"text": "on"})).await;
    session.close_write().await;
    let rest: Vec<Value> = session.rest().await?.iter().map(|frame| session.normal(frame)).collect();
    ctx.check("serves-on", rest == [golden::text_answer(1, "on")], || format!("{rest:?}"));
    exits(&ctx, session).await
}

async fn exits(ctx: &Ctx, session: Session) -> Result<(), Stop> {
    let ending = session.finish().await;
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}

const JSON_RPC: Source = Source::Standard("JSON-RPC 2.0, section 6 (Batch)");
const PARSE: i64 = -32700;
const INVALID: i64 = -32600;
const UNKNOWN: i64 = -32601;
const PARAMS: i64 = -32602;
