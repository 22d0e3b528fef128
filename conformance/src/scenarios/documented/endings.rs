//! C3a, C3b, C6a, C6c, C9, C31 and C42: a server ends otherwise than by draining.

use std::time::Duration;

use serde_json::{Value, json};

use crate::{
    golden,
    scenario::{Applies, Ctx, Era, Family, Need, Scenario, Stop, issue, must, row},
    session::Session,
    target::{Exit, Fault, OpenOptions, Order},
};

const BY_FAULT: Applies = Applies::EVERYWHERE.with_needs(&[
    Need::Faults,
    Need::Orders,
    Need::Report,
    Need::Tool("sleep"),
    Need::Tool("echo"),
]);

pub(super) static SCENARIOS: [Scenario; 7] = [
    Scenario {
        row: Some("C3a"),
        title: "under the policy `cancel` the end of the input cancels what is in flight",
        requirement: "read ended, policy cancel: in-flight handlers are cancelled, write side closes, `Ok(report)`",
        sources: &[row("C3a")],
        applies: Applies::EVERYWHERE
            .with_needs(&[Need::Settings, Need::Report, Need::Tool("sleep")])
            .by(&[Need::HalfClose]),
        checks: &[must("ends-by-itself"), must("unanswered"), must("report-cancelled"), must("exit-0")],
        ..Scenario::new("c3a-cancels", Family::Documented, |ctx| Box::pin(cancels(ctx)))
    },
    Scenario {
        row: Some("C3b"),
        title: "the connection is reset: what is in flight is cancelled, nothing is written",
        requirement: "peer gone: as C3a, and nothing is written any more",
        sources: &[row("C3b")],
        applies: BY_FAULT,
        checks: &[must("ends-by-itself"), must("silent"), must("report-cancelled"), must("exit-0")],
        ..Scenario::new("c3b-reset", Family::Documented, |ctx| Box::pin(reset(ctx)))
    },
    Scenario {
        row: Some("C6a"),
        title: "a notification that comes when the write side is being closed is dropped and counted",
        requirement: "later frames are dropped: counted, never an error, never a crash",
        sources: &[row("C6a"), issue("python-sdk", 2416)],
        applies: BY_FAULT,
        checks: &[must("only-the-answer"), must("report-dropped"), must("exit-0")],
        ..Scenario::new("c6a-note-while-closing", Family::Documented, |ctx| Box::pin(note_while_closing(ctx)))
    },
    Scenario {
        row: Some("C6c"),
        title: "the disk is full: the server ends with the cause",
        requirement: "writing fails for a local reason (disk full, I/O error): `Err` with the cause: data was lost",
        sources: &[row("C6c")],
        applies: Applies::EVERYWHERE.with_needs(&[Need::FullDisk, Need::ExitCode]),
        checks: &[must("ends-by-itself"), must("exit-1"), must("no-panic"), must("report-reason")],
        ..Scenario::new("c6c-full-disk", Family::Documented, |ctx| Box::pin(full_disk(ctx)))
    },
    Scenario {
        row: Some("C9"),
        title: "an abort cancels what is in flight, and nothing is written after it",
        requirement: "our own run is aborted: every served request is cancelled once, no byte is written after it, \
                      `abort().await` resolves when no handler is alive",
        sources: &[row("C9")],
        applies: BY_FAULT,
        checks: &[must("told"), must("silent"), must("report-cut-off"), must("exit-1")],
        ..Scenario::new("c9-abort", Family::Documented, |ctx| Box::pin(abort(ctx)))
    },
    Scenario {
        row: Some("C31"),
        title: "a client that reads no more is waited for while its input is open, and not afterwards",
        requirement: "writes stall (none on stdio before the read side has ended): peer gone; exit code 1",
        sources: &[row("C31")],
        applies: Applies::EVERYWHERE.with_needs(&[
            Need::Settings,
            Need::Stall,
            Need::ExitCode,
            Need::Report,
            Need::Tool("burst"),
        ]),
        checks: &[must("patient-before"), must("ends-by-itself"), must("exit-1"), must("report-stalled")],
        ..Scenario::new("c31-writes-stall", Family::Documented, |ctx| Box::pin(stall(ctx)))
    },
    Scenario {
        row: Some("C42"),
        title: "a server whose handle was dropped runs on",
        requirement: "the last handle is dropped: a server's run goes on",
        sources: &[row("C42")],
        applies: Applies::EVERYWHERE.with_needs(&[Need::Orders, Need::Tool("echo")]),
        checks: &[must("serves-on"), must("exit-0")],
        ..Scenario::new("c42-server-runs-on", Family::Documented, |ctx| Box::pin(runs_on(ctx)))
    },
];

async fn cancels(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready_with(OpenOptions::new().cancelling_at_read_end()).await?;
    session.call(1, "sleep", json!({"ms": 20_000})).await;
    session.close_write().await;
    ends_by_itself(&ctx, &mut session).await;
    session.rest().await?;
    ctx.check("unanswered", session.answers(1) == 0, || "1 was answered".to_owned());
    let ending = session.finish().await;
    ctx.report("report-cancelled", &ending, |report| {
        report["requests"]["cancelled"] == 1 && report["reason"] == "ReadEnded"
    });
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}

async fn reset(ctx: Ctx) -> Result<(), Stop> {
    let mut session = with_call_in_flight(&ctx).await?;
    session.fault(Fault::Reset).await?;
    ends_by_itself(&ctx, &mut session).await;
    silent(&ctx, &mut session).await?;
    let ending = session.finish().await;
    ctx.report("report-cancelled", &ending, |report| {
        report["requests"]["cancelled"] == 1 && report["reason"] == "PeerGone"
    });
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}

async fn note_while_closing(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    session.fault(Fault::Stall).await?;
    session.call(1, "echo", json!({"text": "written late"})).await;
    session.all_taken().await?;
    // The answer waits in the buffer, so that closing is not over when the notification comes.
    session.order(Order::Close).await?;
    session.order(Order::Notify("notifications/too_late")).await?;
    // What comes of a later order shows that those before it were carried out.
    session.order(Order::Call { number: 1, method: "ping", timeout: None }).await?;
    session.outcome_of(1).await?;
    session.fault(Fault::Resume).await?;
    let rest: Vec<Value> = session.rest().await?.iter().map(|frame| session.normal(frame)).collect();
    ctx.check("only-the-answer", rest == [golden::text_answer(1, "written late")], || format!("{rest:?}"));
    let ending = session.finish().await;
    ctx.report("report-dropped", &ending, |report| report["dropped"]["not_writable"] == 1);
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}

async fn full_disk(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_with(OpenOptions::new().on_a_full_disk()).await?;
    let method = match ctx.era() {
        Era::Legacy => "ping",
        Era::Modern => "server/discover",
    };
    session.request(1, method, json!({})).await;
    ends_by_itself(&ctx, &mut session).await;
    let ending = session.finish().await;
    ctx.check("exit-1", ending.exit == Exit::Code(1), || ending.exit.to_string());
    let panicked = ending.stderr.contains("panicked") || ending.stderr.contains("Traceback");
    ctx.check("no-panic", !panicked, || ending.stderr.clone());
    ctx.report("report-reason", &ending, |report| report["reason"] == "WriteFailed");
    Ok(())
}

async fn abort(ctx: Ctx) -> Result<(), Stop> {
    let mut session = with_call_in_flight(&ctx).await?;
    session.fault(Fault::Stall).await?;
    session.call(3, "echo", json!({"text": "never written"})).await;
    session.all_taken().await?;
    session.order(Order::Abort).await?;
    let told = session.told(|told| told.get("closed").is_some()).await?;
    ctx.equal("told", &told, &json!({"closed": "Aborted"}));
    session.fault(Fault::Resume).await?;
    silent(&ctx, &mut session).await?;
    let ending = session.finish().await;
    ctx.report("report-cut-off", &ending, |report| {
        report["requests"]["cut_off"] == json!([{"id": 1, "method": "tools/call"}]) && report["tasks_alive"] == 0
    });
    ctx.check("exit-1", ending.exit == Exit::Code(1), || ending.exit.to_string());
    Ok(())
}

async fn stall(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready_with(OpenOptions::new().with_write_stall(Duration::from_millis(300))).await?;
    // More than the pipe between us holds.
    session.call_with_progress(1, "burst", "burst", json!({"count": 4_000})).await;
    let ended = session.ends_by_itself(Duration::from_secs(1)).await;
    ctx.check("patient-before", !ended, || "ended while its input was open".to_owned());
    session.close_write().await;
    ends_by_itself(&ctx, &mut session).await;
    let ending = session.finish().await;
    ctx.check("exit-1", ending.exit == Exit::Code(1), || ending.exit.to_string());
    ctx.report("report-stalled", &ending, |report| report["reason"] == "Stalled");
    Ok(())
}

async fn runs_on(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    session.order(Order::DropHandle).await?;
    // Orders are carried out one after the other, and so are the requests behind them.
    for id in 1..=20 {
        session.call(id, "echo", json!({"text": "on"})).await;
        session.answer_to(id).await?;
    }
    ctx.check("serves-on", session.answers(20) == 1, || format!("{:?}", session.seen()));
    exits(&ctx, "exit-0", 0, session).await
}

/// A session whose request 1 sleeps; the answer to another one shows that it was received.
async fn with_call_in_flight(ctx: &Ctx) -> Result<Session, Stop> {
    let mut session = ctx.open_ready().await?;
    session.call(1, "sleep", json!({"ms": 20_000})).await;
    session.call(2, "echo", json!({"text": "1 was received"})).await;
    session.answer_to(2).await?;
    Ok(session)
}

async fn ends_by_itself(ctx: &Ctx, session: &mut Session) {
    let ended = session.ends_by_itself(Duration::from_secs(4)).await;
    ctx.check("ends-by-itself", ended, || "still running after 4 s".to_owned());
}

async fn silent(ctx: &Ctx, session: &mut Session) -> Result<(), Stop> {
    let rest = session.rest().await?;
    ctx.check("silent", rest.is_empty(), || format!("{rest:?}"));
    Ok(())
}

async fn exits(ctx: &Ctx, check: &str, code: i32, session: Session) -> Result<(), Stop> {
    let ending = session.finish().await;
    ctx.check(check, ending.exit == Exit::Code(code), || ending.exit.to_string());
    Ok(())
}
