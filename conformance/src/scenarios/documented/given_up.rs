//! C11 and C21: a tool calls the client and waits no longer.

use std::time::Duration;

use serde_json::{Value, json};

use crate::{
    golden,
    scenario::{Applies, Ctx, Family, Need, Scenario, Stop, issue, must, row, spec},
    session,
    target::Exit,
};

const LEGACY: Applies = Applies::EVERYWHERE.by_calling();

pub(super) static SCENARIOS: [Scenario; 2] = [
    Scenario {
        row: Some("C11"),
        title: "a call of a tool times out: the client is told, and its late answer is ignored",
        requirement: "local call cancelled or timed out: the peer is told by `notifications/cancelled`; a late \
                      response is ignored and counted",
        sources: &[
            row("C11"),
            issue("python-sdk", 2416),
            spec("2025-11-25", "basic/utilities/cancellation#behavior-requirements"),
        ],
        applies: LEGACY.with_needs(&[Need::Tool("call_client"), Need::Tool("echo")]).by(&[Need::Session]),
        checks: &[
            must("client-told"),
            must("tool-goes-on"),
            must("late-answer-ignored"),
            must("report-counted"),
            must("exit-0"),
        ],
        ..Scenario::new("c11-call-times-out", Family::Documented, |ctx| Box::pin(times_out(ctx)))
    },
    Scenario {
        row: Some("C21"),
        title: "a call that times out before it could be written leaves no trace on the wire",
        requirement: "call cancelled before its frame was written: removed; neither request nor cancel is sent",
        sources: &[row("C21")],
        applies: LEGACY.with_needs(&[Need::Tool("call_client"), Need::Tool("echo"), Need::Stall]),
        checks: &[must("tool-goes-on"), must("no-trace"), must("exit-0")],
        ..Scenario::new("c21-call-unwritten", Family::Documented, |ctx| Box::pin(unwritten(ctx)))
    },
];

async fn times_out(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    session.call(1, "call_client", json!({"method": "roots/list", "timeout_ms": 300})).await;
    let asked = session.until(|frame| frame["method"] == "roots/list").await?;
    let answer = session.answer_to(1).await?;
    let goes_on = golden::tool_text(&answer).is_some_and(|text| text.starts_with("error: "));
    ctx.check("tool-goes-on", goes_on, || answer.to_string());
    let cancels: Vec<&Value> = session.seen().iter().filter(|frame| is_cancel(frame)).collect();
    let told = matches!(cancels.as_slice(), [one] if one["params"]["requestId"] == asked["id"]);
    ctx.check("client-told", told, || format!("{cancels:?}"));
    session.send(&session::answer(&asked["id"], json!({"roots": []}))).await;
    session.call(2, "echo", json!({"text": "on"})).await;
    let next = session.next().await?;
    ctx.equal("late-answer-ignored", &session.normal(&next), &golden::text_answer(2, "on"));
    let ending = session.finish().await;
    ctx.report("report-counted", &ending, |report| report["dropped"]["unknown_response"] == 1);
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}

async fn unwritten(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    let long = session::call(ctx.era(), 1, "echo", json!({"text": "e".repeat(300 * 1_024)}));
    let call = session::call(ctx.era(), 2, "call_client", json!({"method": "roots/list", "timeout_ms": 200}));
    session.send_together(&[long, call]).await;
    // The first answer is more than the pipe holds, and nobody reads: the call waits behind it
    // until it has timed out.
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    let answer = session.answer_to(2).await?;
    let goes_on = golden::tool_text(&answer).is_some_and(|text| text.starts_with("error: "));
    ctx.check("tool-goes-on", goes_on, || answer.to_string());
    session.close_write().await;
    session.rest().await?;
    let traces: Vec<&Value> =
        session.seen().iter().filter(|frame| frame["method"] == "roots/list" || is_cancel(frame)).collect();
    ctx.check("no-trace", traces.is_empty(), || format!("{traces:?}"));
    let ending = session.finish().await;
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}

fn is_cancel(frame: &Value) -> bool {
    frame["method"] == "notifications/cancelled"
}
