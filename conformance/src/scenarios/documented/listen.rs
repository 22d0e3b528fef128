//! C19: subscriptions are open when the input ends.

use std::time::Duration;

use serde_json::{Value, json};

use crate::{
    scenario::{Applies, Ctx, Family, Need, Scenario, Stop, must, row, spec},
    session::Session,
    target::Exit,
};

const MODERN: Applies = Applies::modern_only("legacy revisions have no `subscriptions/listen`");
const REQUIREMENT: &str = "drain with open `subscriptions/listen`: they are ended first (result \
                           with its subscription id); they never count as in flight";

pub(super) static SCENARIOS: [Scenario; 4] = [
    Scenario {
        row: Some("C19"),
        title: "an open subscription is ended with its result, and the server ends at once",
        requirement: REQUIREMENT,
        sources: &[row("C19"), spec("2026-07-28", "basic/patterns/subscriptions#graceful-closure")],
        applies: MODERN.by(&[Need::HalfClose]),
        checks: &[must("result-with-its-id"), must("once-and-last"), must("at-once"), must("exit-0")],
        ..Scenario::new("c19-listen-ended", Family::Documented, |ctx| Box::pin(ended(ctx)))
    },
    Scenario {
        row: Some("C19"),
        title: "subscriptions are ended before the calls that are still drained",
        requirement: REQUIREMENT,
        sources: &[row("C19"), row("C2")],
        applies: MODERN.with_needs(&[Need::Tool("sleep")]).by(&[Need::HalfClose]),
        checks: &[must("listen-first"), must("exit-0")],
        ..Scenario::new("c19-listen-before-calls", Family::Documented, |ctx| Box::pin(before_calls(ctx)))
    },
    Scenario {
        row: Some("C19"),
        title: "a subscription gets its acknowledgement first and then the change it asked for",
        requirement: "first message: `notifications/subscriptions/acknowledged` with the honoured \
                      subset; every message on it has its subscription id, same JSON type",
        sources: &[spec("2026-07-28", "basic/patterns/subscriptions")],
        applies: MODERN.with_needs(&[Need::Tool("toggle")]),
        checks: &[must("acknowledged-first"), must("change-with-its-id"), must("exit-0")],
        ..Scenario::new("c19-listen-delivers", Family::Documented, |ctx| Box::pin(delivers(ctx)))
    },
    Scenario {
        row: Some("C10"),
        title: "a cancelled subscription is silent from then on",
        requirement: "client ends it by `notifications/cancelled` (stdio); then the server stops",
        sources: &[spec("2026-07-28", "basic/patterns/subscriptions"), row("C10")],
        applies: MODERN.with_needs(&[Need::Tool("toggle"), Need::Tool("echo")]).by(&[Need::Cancel]),
        checks: &[must("silent"), must("exit-0")],
        ..Scenario::new("c10-cancel-listen", Family::Documented, |ctx| Box::pin(cancelled(ctx)))
    },
];

async fn ended(ctx: Ctx) -> Result<(), Stop> {
    let mut session = listening(&ctx, "sub").await?;
    session.close_write().await;
    let rest = session.rest().await?;
    let expected = [json!({
        "jsonrpc": "2.0",
        "id": "sub",
        "result": {"_meta": {SUBSCRIPTION: "sub"}},
    })];
    let normal: Vec<Value> = rest.iter().map(|frame| session.normal(frame)).collect();
    ctx.check("result-with-its-id", normal == expected, || format!("{rest:?}"));
    ctx.check("once-and-last", rest.len() == 1, || format!("{} frames", rest.len()));
    let ending = session.finish().await;
    let took = ending.after_close.unwrap_or_default();
    ctx.check("at-once", took < Duration::from_secs(1), || format!("the end took {took:?}"));
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}

async fn before_calls(ctx: Ctx) -> Result<(), Stop> {
    let mut session = listening(&ctx, 7).await?;
    session.call(8, "sleep", json!({"ms": 400})).await;
    session.close_write().await;
    let rest = session.rest().await?;
    let ids: Vec<&Value> = rest.iter().map(|frame| &frame["id"]).collect();
    ctx.check("listen-first", ids == [7, 8], || format!("{ids:?}"));
    let ending = session.finish().await;
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}

async fn delivers(ctx: Ctx) -> Result<(), Stop> {
    let mut session = listening(&ctx, 7).await?;
    let first = session.seen().iter().find(|frame| frame.get("id").is_none()).cloned().unwrap_or_default();
    ctx.equal(
        "acknowledged-first",
        &first,
        &json!({
            "jsonrpc": "2.0",
            "method": "notifications/subscriptions/acknowledged",
            "params": {"notifications": {"toolsListChanged": true}, "_meta": {SUBSCRIPTION: 7}},
        }),
    );
    session.call(8, "toggle", json!({})).await;
    let change = session.until(|frame| frame["method"] == LIST_CHANGED).await?;
    ctx.equal("change-with-its-id", &change["params"]["_meta"][SUBSCRIPTION], &json!(7));
    let ending = session.finish().await;
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}

async fn cancelled(ctx: Ctx) -> Result<(), Stop> {
    let mut session = listening(&ctx, 7).await?;
    session.cancel(7).await;
    let before = session.seen().len();
    session.call(8, "toggle", json!({})).await;
    session.answer_to(8).await?;
    session.call(9, "echo", json!({"text": "after"})).await;
    session.answer_to(9).await?;
    session.close_write().await;
    session.rest().await?;
    let about_it: Vec<&Value> = session
        .seen()
        .iter()
        .skip(before)
        .filter(|frame| frame["method"] == LIST_CHANGED || frame["id"] == 7)
        .collect();
    ctx.check("silent", about_it.is_empty(), || format!("{about_it:?}"));
    let ending = session.finish().await;
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}

/// A session with one subscription to changes of the list of tools, acknowledged.
async fn listening(ctx: &Ctx, id: impl Into<Value>) -> Result<Session, Stop> {
    let mut session = ctx.open_ready().await?;
    let params = json!({"notifications": {"toolsListChanged": true}});
    session.request(id, "subscriptions/listen", params).await;
    session.until(|frame| frame["method"] == "notifications/subscriptions/acknowledged").await?;
    Ok(session)
}

const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";
const LIST_CHANGED: &str = "notifications/tools/list_changed";
