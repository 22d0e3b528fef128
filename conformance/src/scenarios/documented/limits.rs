//! C39, C40 and the queue of C22: too much at once, and the same twice.

use std::{collections::HashSet, time::Duration};

use serde_json::{Value, json};

use crate::{
    golden,
    scenario::{Applies, Ctx, Family, Need, Scenario, Stop, issue, must, row, spec},
    session,
    target::{Exit, OpenOptions},
};

const KNOWN_LIMITS: Applies =
    Applies::EVERYWHERE.with_needs(&[Need::DefaultLimits, Need::Settings, Need::Report, Need::Tool("sleep")]);
const FEW: Applies = Applies::EVERYWHERE.with_needs(&[Need::Settings, Need::Tool("sleep"), Need::Tool("echo")]);

pub(super) static SCENARIOS: [Scenario; 6] = [
    Scenario {
        row: Some("C39"),
        title: "what is beyond 1 024 running and 1 024 waiting requests is refused, and only that",
        requirement: "request beyond the queue: error answer, never silence; −32603 with \
                      `data: {\"reason\": \"overloaded\"}`",
        sources: &[row("C39"), row("C16")],
        applies: KNOWN_LIMITS.by(&[Need::HalfClose]),
        checks: &[must("the-last-refused"), must("reason-overloaded"), must("report-others-kept"), must("exit-1")],
        limit: Duration::from_secs(30),
        ..Scenario::new("c39-overloaded", Family::Documented, |ctx| Box::pin(overloaded(ctx)))
    },
    Scenario {
        row: Some("C39"),
        title: "requests that wait are served when their turn comes, those beyond them refused",
        requirement: "over the in-flight limit requests wait in a bounded queue, beyond it they get an error answer",
        sources: &[row("C39"), row("C16")],
        applies: FEW.by(&[Need::OneStream]),
        checks: &[must("beyond-refused"), must("all-others-served-once"), must("exit-0")],
        ..Scenario::new("c39-queue-served", Family::Documented, |ctx| Box::pin(queue_served(ctx)))
    },
    Scenario {
        row: Some("C22"),
        title: "a queued request that is cancelled is never started",
        requirement: "a queued one is never started, never answered",
        sources: &[row("C22"), row("C16")],
        applies: FEW.by(&[Need::OneStream]),
        checks: &[must("never-answered"), must("next-in-queue-served"), must("report-never-started"), must("exit-0")],
        ..Scenario::new("c22-cancel-queued", Family::Documented, |ctx| Box::pin(cancel_queued(ctx)))
    },
    Scenario {
        row: Some("C40"),
        title: "an id that is in flight is refused, and the first request is untouched",
        requirement: "duplicate in-flight id on a stream: −32600; state untouched; ids are compared \
                      with those in flight only",
        sources: &[row("C40"), spec("2026-07-28", "basic/index#requests")],
        applies: Applies::EVERYWHERE.with_needs(&[Need::Tool("sleep"), Need::Tool("echo")]).by(&[Need::OneStream]),
        checks: &[must("second-refused-first-answered"), must("free-afterwards"), must("exit-0")],
        ..Scenario::new("c40-duplicate-id", Family::Documented, |ctx| Box::pin(duplicate(ctx)))
    },
    Scenario {
        row: Some("C40"),
        title: "a second `initialize` is refused, and the session is untouched",
        requirement: "`initialize` after a successful one: −32600; state untouched",
        sources: &[issue("go-sdk", 464), issue("rust-sdk", 862), row("C40")],
        applies: Applies::legacy_only("the modern era has no `initialize`").by(&[Need::OneStream]),
        checks: &[must("refused"), must("session-untouched"), must("exit-0")],
        ..Scenario::new("c40-second-initialize", Family::Documented, |ctx| Box::pin(second_initialize(ctx)))
    },
    Scenario {
        row: Some("C40"),
        title: "a refused `initialize` leaves nothing behind",
        requirement: "a refused `initialize` leaves nothing behind; -32602, second try accepted",
        sources: &[row("C40"), spec("2025-11-25", "basic/lifecycle#initialization")],
        applies: Applies::legacy_only("the modern era has no `initialize`"),
        checks: &[must("refused"), must("second-try-accepted"), must("exit-0")],
        ..Scenario::new("c40-refused-initialize", Family::Documented, |ctx| Box::pin(refused_initialize(ctx)))
    },
];

async fn overloaded(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready_with(OpenOptions::new().with_drain(Duration::from_millis(100))).await?;
    // None of them ends before all have been read: the drain deadline cuts them off.
    let calls: Vec<Value> = (1..=RUNNING + QUEUED + BEYOND)
        .map(|id| session::call(ctx.era(), id, "sleep", json!({"ms": 60_000})))
        .collect();
    session.send_together(&calls).await;
    session.all_taken().await?;
    session.close_write().await;
    let refused = session.rest().await?;
    let ids: HashSet<u64> = refused.iter().filter_map(|frame| frame["id"].as_u64()).collect();
    let last: HashSet<u64> = (RUNNING + QUEUED + 1..=RUNNING + QUEUED + BEYOND).collect();
    ctx.check("the-last-refused", ids == last && refused.len() == last.len(), || {
        format!("{} were refused: {ids:?}", refused.len())
    });
    let strange = refused.iter().find(|frame| !is_overloaded(frame));
    ctx.check("reason-overloaded", strange.is_none() && !refused.is_empty(), || {
        format!("{strange:?} of {} refusals", refused.len())
    });
    let ending = session.finish().await;
    ctx.report("report-others-kept", &ending, |report| {
        let requests = &report["requests"];
        let cut_off = requests["cut_off"].as_array().map_or(0, Vec::len) as u64;
        cut_off == RUNNING && requests["never_started"] == QUEUED && requests["refused"] == BEYOND
    });
    ctx.check("exit-1", ending.exit == Exit::Code(1), || ending.exit.to_string());
    Ok(())
}

async fn queue_served(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready_with(OpenOptions::new().with_requests(4, 4)).await?;
    let calls: Vec<Value> = (1..=10).map(|id| session::call(ctx.era(), id, "sleep", json!({"ms": 1_000}))).collect();
    session.send_together(&calls).await;
    session.close_write().await;
    let rest = session.rest().await?;
    let ids = |refused: bool| -> Vec<u64> {
        let frames = rest.iter().filter(|frame| is_overloaded(frame) == refused);
        frames.filter_map(|frame| frame["id"].as_u64()).collect()
    };
    let (refused, mut served) = (ids(true), ids(false));
    served.sort_unstable();
    ctx.check("beyond-refused", refused == [9, 10], || format!("{refused:?}"));
    ctx.check("all-others-served-once", served == [1, 2, 3, 4, 5, 6, 7, 8], || format!("{rest:?}"));
    let ending = session.finish().await;
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}

async fn cancel_queued(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready_with(OpenOptions::new().with_requests(4, 4)).await?;
    let era = ctx.era();
    let mut frames: Vec<Value> = (1..=4).map(|id| session::call(era, id, "sleep", json!({"ms": 1_000}))).collect();
    frames.push(session::call(era, 5_000, "echo", json!({"text": "cancelled in the queue"})));
    frames.push(session::call(era, 5_001, "echo", json!({"text": "next in the queue"})));
    frames.push(session::cancel(5_000));
    session.send_together(&frames).await;
    session.close_write().await;
    session.rest().await?;
    ctx.check("never-answered", session.answers(5_000) == 0, || "5000 was answered".to_owned());
    let all = session.answers(5_001) == 1 && session.answers(4) == 1;
    ctx.check("next-in-queue-served", all, || format!("{:?}", session.seen()));
    let ending = session.finish().await;
    ctx.report("report-never-started", &ending, |report| report["requests"]["never_started"] == 1);
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}

fn is_overloaded(frame: &Value) -> bool {
    frame["error"]["code"] == -32603 && frame["error"]["data"]["reason"] == "overloaded"
}

async fn duplicate(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    let before = session.seen().len();
    let era = ctx.era();
    session
        .send_together(&[
            session::call(era, 42, "sleep", json!({"ms": 500})),
            session::call(era, 42, "echo", json!({"text": "twice"})),
        ])
        .await;
    session.answer_to(42).await?;
    session.answer_to(42).await?;
    let both = session.seen_normal().split_off(before);
    let second_refused = both.first() == Some(&golden::error_answer(42, -32600));
    let first_answered = both.get(1).is_some_and(|frame| golden::tool_text(frame).is_some());
    ctx.check("second-refused-first-answered", second_refused && first_answered, || format!("{both:?}"));
    session.call(42, "echo", json!({"text": "again"})).await;
    let again = session.answer_to(42).await?;
    ctx.equal("free-afterwards", &session.normal(&again), &golden::text_answer(42, "again"));
    let ending = session.finish().await;
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}

async fn second_initialize(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    session.send(&session::initialize(1, "2025-03-26")).await;
    let second = session.answer_to(1).await?;
    ctx.equal("refused", &session.normal(&second), &golden::error_answer(1, -32600));
    // At 2025-03-26 an array would be a batch; in the untouched session it still is no message.
    session.send(&json!([session::request(ctx.era(), 2, "ping", json!({}))])).await;
    let batch = session.next().await?;
    let no_batches = golden::error_answer_without_id(golden::UnreadableId::Absent, -32600);
    session.request(3, "ping", json!({})).await;
    let pong = session.answer_to(3).await?;
    let untouched = session.normal(&batch) == no_batches && session.normal(&pong) == golden::empty_answer(3);
    ctx.check("session-untouched", untouched, || format!("{batch}, {pong}"));
    let ending = session.finish().await;
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}

async fn refused_initialize(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open().await?;
    session.request(1, "initialize", json!({})).await;
    let first = session.answer_to(1).await?;
    ctx.equal("refused", &session.normal(&first), &golden::error_answer(1, -32602));
    let opened = session.open_legacy("2025-11-25").await;
    session.request(2, "ping", json!({})).await;
    let pong = session.answer_to(2).await?;
    let accepted = opened.is_ok() && session.normal(&pong) == golden::empty_answer(2);
    ctx.check("second-try-accepted", accepted, || format!("{opened:?}, {pong}"));
    let ending = session.finish().await;
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}

const RUNNING: u64 = 1_024;
const QUEUED: u64 = 1_024;
const BEYOND: u64 = 16;
