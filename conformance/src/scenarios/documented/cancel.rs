//! C10 and C22: the client cancels, in time or not.

use serde_json::{Value, json};

use crate::{
    golden,
    scenario::{Applies, Ctx, Family, Need, Scenario, Stop, issue, must, row, spec},
    session::{self, Session},
    target::Exit,
};

const SLEEP_AND_ECHO: Applies = Applies::EVERYWHERE.with_needs(&[Need::Tool("sleep"), Need::Tool("echo")]);
const NO_ANSWER: &str = "a receiver of a cancellation sends no response for the cancelled request";
const IGNORED: &str = "receivers may ignore a cancellation that is unknown, finished or malformed; \
                       it is never answered";

pub(super) static SCENARIOS: [Scenario; 7] = [
    Scenario {
        row: Some("C10"),
        title: "a cancelled call is never answered, and the session serves on",
        requirement: NO_ANSWER,
        sources: &[
            issue("rust-sdk", 957),
            spec("2026-07-28", "basic/patterns/cancellation#behavior-requirements"),
            row("C10"),
        ],
        applies: SLEEP_AND_ECHO.by(&[Need::Cancel]),
        checks: &[must("no-message-for-it"), must("serves-on"), must("report-cancelled"), must("exit-0")],
        ..Scenario::new("c10-cancel-running", Family::Documented, |ctx| Box::pin(running(ctx)))
    },
    Scenario {
        row: Some("C10"),
        title: "the cancellation comes in the same write as the call",
        requirement: NO_ANSWER,
        sources: &[spec("2025-11-25", "basic/utilities/cancellation#behavior-requirements"), row("C10")],
        applies: SLEEP_AND_ECHO.by(&[Need::Cancel, Need::OneStream]),
        checks: &[must("no-message-for-it"), must("serves-on"), must("report-cancelled"), must("exit-0")],
        ..Scenario::new("c10-cancel-in-the-same-write", Family::Documented, |ctx| Box::pin(same_write(ctx)))
    },
    Scenario {
        row: Some("C10"),
        title: "no progress follows a cancellation",
        requirement: "no further messages for a cancelled request (progress, log, response)",
        sources: &[spec("2026-07-28", "basic/transports/stdio#cancellation"), row("C10")],
        applies: Applies::EVERYWHERE
            .with_needs(&[Need::Tool("progress"), Need::Tool("sleep"), Need::Tool("echo")])
            .by(&[Need::Cancel]),
        checks: &[must("silent-after-it"), must("exit-0")],
        ..Scenario::new("c10-no-progress-after", Family::Documented, |ctx| Box::pin(no_progress_after(ctx)))
    },
    Scenario {
        row: Some("C10"),
        title: "a cancellation that was sent before the input ended counts during the drain",
        requirement: NO_ANSWER,
        sources: &[row("C10"), row("C2")],
        applies: Applies::EVERYWHERE.with_needs(&[Need::Tool("sleep")]).by(&[Need::HalfClose]),
        checks: &[must("only-the-other-answered"), must("not-waited-for"), must("exit-0")],
        ..Scenario::new("c10-cancel-then-end-of-input", Family::Documented, |ctx| Box::pin(then_end_of_input(ctx)))
    },
    Scenario {
        row: Some("C22"),
        title: "cancellations twice, unknown, finished and malformed are ignored",
        requirement: IGNORED,
        sources: &[
            issue("python-sdk", 2416),
            spec("2025-11-25", "basic/utilities/cancellation#error-handling"),
            row("C22"),
        ],
        applies: SLEEP_AND_ECHO.by(&[Need::OneStream]),
        checks: &[must("never-answered"), must("serves-on"), must("report-counted"), must("exit-0")],
        ..Scenario::new("c22-cancel-ignored", Family::Documented, |ctx| Box::pin(ignored(ctx)))
    },
    Scenario {
        row: Some("C22"),
        title: "a cancellation for `initialize` is ignored",
        requirement: "the `initialize` request must not be cancelled by clients",
        sources: &[spec("2025-11-25", "basic/utilities/cancellation#behavior-requirements"), row("C22")],
        applies: Applies::legacy_only("the modern era has no `initialize`").by(&[Need::OneStream]),
        checks: &[must("initialize-answered"), must("serves-on"), must("exit-0")],
        ..Scenario::new("c22-cancel-initialize", Family::Documented, |ctx| Box::pin(of_initialize(ctx)))
    },
    Scenario {
        row: Some("C10"),
        title: "after a cancellation its id may be used again where the revision allows it",
        requirement: "an id may not equal that of any other still-unanswered request; reuse \
                      afterwards is fine",
        sources: &[spec("2026-07-28", "basic/index#requests"), row("C40")],
        applies: Applies::modern_only("legacy revisions forbid to use an id again")
            .with_needs(&[Need::Tool("sleep"), Need::Tool("echo")])
            .by(&[Need::Cancel]),
        checks: &[must("second-use-answered"), must("exit-0")],
        ..Scenario::new("c10-id-free-after-cancel", Family::Documented, |ctx| Box::pin(id_free_after(ctx)))
    },
];

async fn running(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    session.call(1, "sleep", json!({"ms": 800})).await;
    session.call(2, "echo", json!({"text": "1 is running"})).await;
    session.answer_to(2).await?;
    session.cancel(1).await;
    outlasted(&ctx, session).await
}

async fn same_write(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    let call = session::call(ctx.era(), 1, "sleep", json!({"ms": 800}));
    session.send_together(&[call, session::cancel(1)]).await;
    outlasted(&ctx, session).await
}

/// Another call that takes longer than the cancelled one would have taken shows that nothing came.
async fn outlasted(ctx: &Ctx, mut session: Session) -> Result<(), Stop> {
    session.call(3, "sleep", json!({"ms": 1_000})).await;
    let other = session.answer_to(3).await?;
    let serves_on = golden::tool_text(&other).is_some();
    ctx.check("serves-on", serves_on, || other.to_string());
    session.close_write().await;
    session.rest().await?;
    ctx.check("no-message-for-it", session.answers(1) == 0, || {
        format!("request 1 was answered {} times", session.answers(1))
    });
    let ending = session.finish().await;
    ctx.report("report-cancelled", &ending, |report| report["requests"]["cancelled"] == 1);
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}

async fn no_progress_after(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    let token = json!("steps");
    session.call_with_progress(1, "steps", "progress", json!({"steps": 20})).await;
    session.until(|frame| golden::is_progress_of(frame, &token)).await?;
    session.cancel(1).await;
    // The answer to what was sent after the cancellation shows that it was read.
    session.call(2, "echo", json!({"text": "read so far"})).await;
    session.answer_to(2).await?;
    let before = session.seen().len();
    session.call(3, "sleep", json!({"ms": 1_200})).await;
    session.answer_to(3).await?;
    session.close_write().await;
    session.rest().await?;
    let late: Vec<&Value> =
        session.seen().iter().skip(before).filter(|frame| golden::is_progress_of(frame, &token)).collect();
    let silent = late.is_empty() && session.answers(1) == 0;
    ctx.check("silent-after-it", silent, || format!("{late:?}, answers: {}", session.answers(1)));
    let ending = session.finish().await;
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}

async fn then_end_of_input(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    let era = ctx.era();
    session
        .send_together(&[
            session::call(era, 1, "sleep", json!({"ms": 4_000})),
            session::call(era, 2, "sleep", json!({"ms": 300})),
            session::cancel(1),
        ])
        .await;
    session.close_write().await;
    let rest = session.rest().await?;
    let ids: Vec<&Value> = rest.iter().map(|frame| &frame["id"]).collect();
    ctx.check("only-the-other-answered", ids == [2], || format!("answers: {ids:?}"));
    let ending = session.finish().await;
    let took = ending.after_close.unwrap_or_default();
    ctx.check("not-waited-for", took.as_millis() < 2_000, || format!("the end took {took:?}"));
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}

async fn ignored(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    let before = session.seen().len();
    session.call(1, "sleep", json!({"ms": 200})).await;
    session.cancel(1).await;
    session.cancel(1).await;
    session.call(2, "echo", json!({"text": "finished"})).await;
    session.answer_to(2).await?;
    session.cancel(2).await;
    session.cancel(777).await;
    session.cancel("777").await;
    let odd = |params: Value| json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params});
    session.send(&odd(json!({}))).await;
    session.send(&odd(json!({"requestId": {"a": 1}}))).await;
    session.send(&odd(json!({"requestId": null}))).await;
    session.send(&odd(json!([1, 2]))).await;
    session.send(&session::notification("notifications/cancelled")).await;
    session.call(3, "sleep", json!({"ms": 400})).await;
    let last = session.answer_to(3).await?;
    ctx.check("serves-on", golden::tool_text(&last).is_some(), || last.to_string());
    session.close_write().await;
    session.rest().await?;
    let answers = session.seen().len() - before;
    ctx.check("never-answered", answers == 2 && session.answers(1) == 0, || format!("{:?}", session.seen()));
    let ending = session.finish().await;
    ctx.report("report-counted", &ending, |report| report["dropped"]["late_cancel"] == 8);
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}

async fn of_initialize(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open().await?;
    session.send_together(&[session::initialize(0, "2025-11-25"), session::cancel(0)]).await;
    let answer = session.answer_to(0).await;
    ctx.check("initialize-answered", answer.is_ok_and(|one| one["result"].is_object()), || {
        format!("{:?}", session.seen())
    });
    session.send(&session::notification("notifications/initialized")).await;
    session.request(1, "ping", json!({})).await;
    let pong = session.answer_to(1).await?;
    ctx.check("serves-on", session.normal(&pong) == golden::empty_answer(1), || pong.to_string());
    let ending = session.finish().await;
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}

async fn id_free_after(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    session.call(1, "sleep", json!({"ms": 300})).await;
    session.cancel(1).await;
    session.call(1, "echo", json!({"text": "again"})).await;
    let answer = session.answer_to(1).await?;
    let normal = session.normal(&answer);
    ctx.equal("second-use-answered", &normal, &golden::text_answer(1, "again"));
    let ending = session.finish().await;
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}
