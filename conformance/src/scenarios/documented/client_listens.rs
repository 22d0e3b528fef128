//! C10 and C22: a server cancels what a client has asked it for.

use serde_json::{Value, json};

use crate::{
    scenario::{Applies, Ctx, Family, Role, Scenario, Stop, must, row, spec},
    scenarios::play::{cancels, counted, is_answered, playing},
    session::{self, Session},
};

const CLIENT: &[Role] = &[Role::Client];

pub(super) static SCENARIOS: [Scenario; 2] = [
    Scenario {
        row: Some("C10"),
        title: "a subscription that the server ends by a cancel is over, and is not cancelled once more",
        requirement: "a server must send `notifications/cancelled` for a `subscriptions/listen` that it tears down; a \
                      client cancels only what it believes to be in progress",
        sources: &[row("C10"), row("C22"), spec("2026-07-28", "basic/patterns/cancellation")],
        applies: Applies::modern_only("a legacy session has no listens").to(CLIENT),
        checks: &[must("goes-on"), must("not-cancelled"), must("report-counted"), must("exit-0")],
        ..Scenario::new("c10-client-listen-ended", Family::Documented, |ctx| Box::pin(listen_ended(ctx)))
    },
    Scenario {
        row: Some("C22"),
        title: "a call that the server cancels is answered all the same",
        requirement: "servers must not send `notifications/cancelled` for anything but a listen; a cancel that names \
                      nothing which could be cancelled is ignored",
        sources: &[
            row("C22"),
            spec("2026-07-28", "basic/patterns/cancellation"),
            spec("2025-11-25", "basic/utilities/cancellation#behavior-requirements"),
        ],
        applies: Applies::EVERYWHERE.to(CLIENT),
        checks: &[must("still-answered"), must("goes-on"), must("report-counted"), must("exit-0")],
        ..Scenario::new("c22-client-call-cancelled", Family::Documented, |ctx| Box::pin(call_cancelled(ctx)))
    },
];

async fn listen_ended(ctx: Ctx) -> Result<(), Stop> {
    let mut session = playing(&ctx, "set:on_list_changed=list,call:a,call:b,close").await?;
    let listen = listening(&mut session).await?;
    let first = session.called("a").await?;
    // The second one names nothing that is in progress.
    for _ in 0..2 {
        session.send(&session::cancel(listen["id"].clone())).await;
    }
    session.reply_text(&first, "on").await;
    is_answered(&ctx, "goes-on", &mut session, "call:a", "on").await?;
    let second = session.called("b").await?;
    session.reply_text(&second, "on").await;
    session.step("close").await?;
    session.rest().await?;
    let cancelled = session.seen().iter().any(|frame| cancels(frame, &listen));
    ctx.check("not-cancelled", !cancelled, || format!("{:?}", session.seen()));
    counted(&ctx, session, |dropped| dropped["late_cancel"] == 1).await;
    Ok(())
}

/// The listen of a client that wants to know of changes, acknowledged.
async fn listening(session: &mut Session) -> Result<Value, Stop> {
    let first =
        session.until(|frame| matches!(frame["method"].as_str(), Some("subscriptions/listen" | "tools/call"))).await?;
    if first["method"] == "tools/call" {
        // A client without the step is excused by what it tells.
        session.step("set:on_list_changed=list").await?;
        return Err(Stop("the client asks for no changes".to_owned()));
    }
    let acknowledged = json!({
        "jsonrpc": "2.0",
        "method": "notifications/subscriptions/acknowledged",
        "params": {
            "notifications": {"toolsListChanged": true},
            "_meta": {"io.modelcontextprotocol/subscriptionId": first["id"]},
        },
    });
    session.send(&acknowledged).await;
    session.step("set:on_list_changed=list").await?;
    Ok(first)
}

async fn call_cancelled(ctx: Ctx) -> Result<(), Stop> {
    let mut session = playing(&ctx, "call:a,call:b,close").await?;
    let first = session.called("a").await?;
    session.send(&session::cancel(first["id"].clone())).await;
    session.reply_text(&first, "here").await;
    is_answered(&ctx, "still-answered", &mut session, "call:a", "here").await?;
    let second = session.called("b").await?;
    session.reply_text(&second, "on").await;
    is_answered(&ctx, "goes-on", &mut session, "call:b", "on").await?;
    counted(&ctx, session, |dropped| dropped["late_cancel"] == 1).await;
    Ok(())
}
