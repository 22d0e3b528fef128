//! C38 and C44: what a client's callback for notifications may do without harm.

use serde_json::json;

use crate::{
    scenario::{Applies, Ctx, Family, Need, Role, Scenario, Stop, issue, must, row},
    session::{self, Session},
    target::{Callback, Exit, OpenOptions},
};

const CLIENT: Applies = Applies::EVERYWHERE.to(&[Role::Client]).with_needs(&[Need::Orders, Need::Report]);

pub(super) static SCENARIOS: [Scenario; 3] = [
    Scenario {
        row: Some("C38"),
        title: "a callback that never ends holds up no call, and what waits behind it is bounded",
        requirement: "the user's notification callback never ends: the reader goes on and a call made meanwhile \
                      settles; the oldest that waits is dropped and counted",
        sources: &[row("C38"), issue("typescript-sdk", 2280)],
        applies: CLIENT,
        checks: &[must("one-was-heard"), must("call-settles"), must("report-overtaken"), must("exit-0")],
        ..Scenario::new("c38-callback-never-ends", Family::Documented, |ctx| Box::pin(never_ends(ctx)))
    },
    Scenario {
        row: Some("C38"),
        title: "a callback that calls the peer gets its answer",
        requirement: "the user's notification callback calls the peer: the reader goes on",
        sources: &[row("C38")],
        applies: CLIENT,
        checks: &[must("answered"), must("exit-0")],
        ..Scenario::new("c38-callback-calls-back", Family::Documented, |ctx| Box::pin(calls_back(ctx)))
    },
    Scenario {
        row: Some("C44"),
        title: "a callback that panics is counted, and the session goes on",
        requirement: "a notification callback panics: counted; the session goes on",
        sources: &[row("C44")],
        applies: CLIENT,
        checks: &[must("heard-again"), must("call-settles"), must("report-counted"), must("exit-0")],
        ..Scenario::new("c44-callback-panics", Family::Documented, |ctx| Box::pin(panics(ctx)))
    },
];

async fn never_ends(ctx: Ctx) -> Result<(), Stop> {
    let options = OpenOptions::new().with_callback(Callback::NeverEnds).with_inbox(4);
    let mut session = ctx.open_ready_with(options).await?;
    for _ in 0..10 {
        session.send(&session::notification(CHANGED)).await;
    }
    call_settles(&ctx, &mut session).await?;
    let heard = session.told_so_far().await.iter().filter(|told| told["heard"] == CHANGED).count();
    ctx.check("one-was-heard", heard == 1, || format!("{heard} were heard"));
    let ending = session.finish().await;
    // The one that is being heard and three behind it are kept.
    ctx.report("report-overtaken", &ending, |report| report["dropped"]["overtaken"] == 6);
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}

async fn calls_back(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready_with(OpenOptions::new().with_callback(Callback::CallsBack)).await?;
    session.send(&session::notification(CHANGED)).await;
    let ping = session.until(|frame| frame["method"] == "ping").await?;
    session.send(&session::answer(&ping["id"], json!({}))).await;
    let told = session.told(|told| told.get("called back").is_some()).await?;
    ctx.equal("answered", &told, &json!({"called back": true}));
    let ending = session.finish().await;
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}

async fn panics(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready_with(OpenOptions::new().with_callback(Callback::Panics)).await?;
    session.send(&session::notification(CHANGED)).await;
    session.told(|told| told["heard"] == CHANGED).await?;
    session.send(&session::notification("notifications/other")).await;
    let again = session.told(|told| told["heard"] == "notifications/other").await;
    ctx.check("heard-again", again.is_ok(), || format!("{again:?}"));
    call_settles(&ctx, &mut session).await?;
    let ending = session.finish().await;
    ctx.report("report-counted", &ending, |report| report["dropped"]["callback_panicked"] == 2);
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}

async fn call_settles(ctx: &Ctx, session: &mut Session) -> Result<(), Stop> {
    let request = session.order_call(1, "tools/list").await?;
    session.send(&session::answer(&request["id"], json!({"tools": []}))).await;
    let outcome = session.outcome_of(1).await?;
    ctx.equal("call-settles", &outcome, &json!({"call": 1, "ok": {"tools": []}}));
    Ok(())
}

const CHANGED: &str = "notifications/tools/list_changed";
