//! Cancels of everything odd, and too many of them.

use std::time::Duration;

use serde_json::{Value, json};

use super::table::{self, EXTRA, Golden, Opening, Row, checks, fill, filled, made, row};
use crate::{
    golden,
    scenario::{Applies, Check, Ctx, Family, Need, Scenario, Stop, issue, must, row as table_row, spec},
    session,
    target::Exit,
};

const SERVED: Applies = Applies::EVERYWHERE.with_needs(&[Need::Tool("echo"), Need::Tool("sleep")]);

pub(super) static SCENARIOS: [Scenario; 2] = [
    Scenario {
        title: "a cancel that names no running request is ignored, whatever it is",
        requirement: "cancel of an unknown or finished request, or a malformed one: ignored, never answered",
        sources: &[
            table_row("C22"),
            issue("python-sdk", 2416),
            issue("typescript-sdk", 2514),
            spec("2025-11-25", "basic/utilities/cancellation"),
        ],
        applies: SERVED,
        checks: &ODD_CHECKS,
        limit: table::LIMIT,
        ..Scenario::new("hostile-cancel-odd", Family::Hostile, |ctx| Box::pin(table::run(ctx, Opening::Ready, &ODD)))
    },
    Scenario {
        title: "a thousand cancels of one request are one cancel",
        requirement: "repeated cancel, or cancel after the answer: ignored; no further message for the request",
        sources: &[table_row("C10"), table_row("C22"), issue("python-sdk", 2416), issue("rust-sdk", 957)],
        applies: SERVED.by(&[Need::OneStream]),
        checks: &[must("never-answered"), must("others-untouched"), must("id-free-afterwards"), must("exit-0")],
        limit: Duration::from_secs(30),
        ..Scenario::new("hostile-cancel-storm", Family::Hostile, |ctx| Box::pin(storm(ctx)))
    },
];

const ID: &str = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":¤}}"#;

/// A row for a cancel of something that is not there.
const fn odd(check: &'static str, id: &'static str) -> Row {
    filled(check, ID, id.as_bytes(), Golden::Nothing)
}

static ODD_CHECKS: [Check; ODD.len() + EXTRA] = checks(&ODD);
#[rustfmt::skip]
const ODD: [Row; 22] = [
    odd("zero",                  "0"),
    odd("minus-one",             "-1"),
    odd("one-and-a-half",        "1.5"),
    odd("beyond-a-float",        "1e400"),
    odd("empty",                 r#""""#),
    odd("space-behind",          r#""running ""#),
    odd("upper-case",            r#""RUNNING""#),
    odd("array-of-the-id",       r#"["running"]"#),
    odd("object-of-the-id",      r#"{"requestId":"running"}"#),
    odd("null",                  "null"),
    odd("true",                  "true"),
    odd("half-a-pair",           r#""\ud800""#),
    made("of-10-kib",            |era| fill(era, ID, format!("{:?}", "r".repeat(10 << 10)).as_bytes()), Golden::Nothing),
    // The request behind the row before this one, which had to be answered for that row to end.
    odd("finished",              r#""after of-10-kib""#),
    row("no-params",             r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#,                                       Golden::Nothing),
    row("params-null",           r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":null}"#,                         Golden::Nothing),
    row("no-id",                 r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"running"}}"#,         Golden::Nothing),
    row("id-in-upper-case",      r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestID":"running"}}"#,      Golden::Nothing),
    row("id-beside-params",      r#"{"jsonrpc":"2.0","method":"notifications/cancelled","requestId":"running","params":{}}"#,     Golden::Nothing),
    row("other-spelling",        r#"{"jsonrpc":"2.0","method":"notifications/canceled","params":{"requestId":"running"}}"#,       Golden::Nothing),
    row("of-the-language-server-protocol", r#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"running"}}"#,           Golden::Nothing),
    row("odd-reason",            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"nope","reason":{"x":1e400}}}"#, Golden::Nothing),
];

async fn storm(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    let before = session.seen().len();
    let era = ctx.era();
    let mut frames =
        vec![session::call(era, 0, "sleep", json!({"ms": 60_000})), session::call(era, 1, "sleep", json!({"ms": 300}))];
    frames.extend((0..1_000).map(|_| session::cancel(0)));
    frames.push(session::call(era, 2, "echo", json!({"text": "on"})));
    session.send_together(&frames).await;
    let echo = session.answer_to(2).await?;
    let sleep = session.answer_to(1).await?;
    let untouched = session.normal(&echo) == golden::text_answer(2, "on") && golden::tool_text(&sleep).is_some();

    session.call(0, "echo", json!({"text": "again"})).await;
    let again = session.next().await?;
    ctx.equal("id-free-afterwards", &session.normal(&again), &golden::text_answer(0, "again"));
    session.send_together(&vec![session::cancel(0); 1_000]).await;
    session.call(3, "echo", json!({"text": "still on"})).await;
    session.close_write().await;
    session.rest().await?;
    let came: Vec<Value> = session.seen_normal().split_off(before);
    let others = untouched && came.last() == Some(&golden::text_answer(3, "still on")) && came.len() == 4;
    ctx.check("others-untouched", others, || format!("{came:?}"));
    // Only the second request with this id was answered.
    ctx.check("never-answered", session.answers(0) == 1, || format!("{} answers", session.answers(0)));
    let ending = session.finish().await;
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}
