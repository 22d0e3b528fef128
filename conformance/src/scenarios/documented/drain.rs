//! C2 and C4: the input ends while requests are in flight.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    golden,
    scenario::{Applies, Ctx, Family, Need, Scenario, Stop, issue, must, row, should, spec},
    session,
    target::{Exit, OpenOptions},
};

pub(super) static SCENARIOS: [Scenario; 8] = [
    Scenario {
        row: Some("C2"),
        title: "three calls in flight when the input ends are all answered",
        requirement: "half-close: requests already received run on, their responses go out on the \
                      open write side, each exactly once; then flush, close, exit code 0",
        sources: &[
            issue("python-sdk", 2678),
            issue("rust-sdk", 753),
            issue("joshrotenberg/tower-mcp", 1437),
            row("C2"),
        ],
        applies: Applies::EVERYWHERE.with_needs(&[Need::Tool("sleep")]).by(&[Need::HalfClose]),
        checks: &[
            must("each-answered-once"),
            must("nothing-else"),
            must("exit-0"),
            must("at-the-pace-of-the-slowest"),
            must("report-drained"),
        ],
        ..Scenario::new("c2-drain-answers-all", Family::Documented, |ctx| Box::pin(answers_all(ctx)))
    },
    Scenario {
        row: Some("C2"),
        title: "with nothing in flight the end of the input ends the server at once",
        requirement: "nothing in flight → at once; exit promptly on stdin EOF/close",
        sources: &[spec("2026-07-28", "basic/transports/stdio#shutdown"), row("C2")],
        applies: Applies::EVERYWHERE.with_needs(&[Need::Tool("echo")]).by(&[Need::HalfClose]),
        checks: &[must("at-once"), must("exit-0"), must("silent")],
        ..Scenario::new("c2-idle-ends-at-once", Family::Documented, |ctx| Box::pin(idle(ctx)))
    },
    Scenario {
        row: Some("C2"),
        title: "input that ends before anything was said ends the server in silence",
        requirement: "nothing in flight → at once, `Ok(report)`",
        sources: &[spec("2026-07-28", "basic/transports/stdio#shutdown"), row("C2")],
        applies: Applies::EVERYWHERE.with_needs(&[Need::Tool("echo")]).by(&[Need::HalfClose]),
        checks: &[must("at-once"), must("exit-0"), must("silent")],
        ..Scenario::new("c2-empty-input", Family::Documented, |ctx| Box::pin(empty_input(ctx)))
    },
    Scenario {
        row: Some("C2"),
        title: "progress notes go out during the drain, before their answer",
        requirement: "requests already received run on, their notifications and responses go out \
                      on the open write side",
        sources: &[row("C2"), row("C23")],
        applies: Applies::EVERYWHERE.with_needs(&[Need::Tool("progress")]).by(&[Need::HalfClose]),
        checks: &[must("notes-then-answer"), must("exit-0")],
        ..Scenario::new("c2-notes-during-drain", Family::Documented, |ctx| Box::pin(notes_during_drain(ctx)))
    },
    Scenario {
        row: Some("C2"),
        title: "a list that a tool changes during the drain is announced, and holds up nothing",
        requirement: "requests already received run on, their notifications and responses go out on the open write \
                      side; a change of the list is announced",
        sources: &[row("C2"), spec("2025-11-25", "server/tools#list-changed-notification")],
        applies: Applies::legacy_only("a modern server tells those alone who listen, and ends that first")
            .with_needs(&[Need::Tool("toggle")])
            .by(&[Need::HalfClose]),
        checks: &[must("announced-then-answered"), must("at-the-pace-of-the-tool"), must("exit-0")],
        ..Scenario::new("c2-change-during-drain", Family::Documented, |ctx| Box::pin(change_during_drain(ctx)))
    },
    Scenario {
        row: Some("C2"),
        title: "a slow call does not hold up the answers of quick ones while draining",
        requirement: "requests already received run on, their responses go out",
        sources: &[issue("kotlin-sdk", 564), row("C2")],
        applies: Applies::EVERYWHERE.with_needs(&[Need::Tool("sleep"), Need::Tool("echo")]).by(&[Need::HalfClose]),
        checks: &[must("quick-first"), must("both-answered"), must("exit-0")],
        ..Scenario::new("c2-quick-before-slow", Family::Documented, |ctx| Box::pin(quick_before_slow(ctx)))
    },
    Scenario {
        row: Some("C4"),
        title: "what the drain deadline cuts off is reported",
        requirement: "the rest is cancelled; the report lists what was cut off; a stdio server's \
                      exit code is 1 and one line goes to stderr",
        sources: &[row("C4"), spec("2026-07-28", "basic/transports/stdio#shutdown")],
        applies: Applies::EVERYWHERE
            .with_needs(&[Need::Tool("sleep"), Need::Settings, Need::Report])
            .by(&[Need::HalfClose]),
        checks: &[
            must("in-time-is-answered"),
            must("too-late-is-not"),
            must("at-the-deadline"),
            must("exit-1"),
            must("report-cut-off"),
        ],
        ..Scenario::new("c4-drain-deadline", Family::Documented, |ctx| Box::pin(drain_deadline(ctx)))
    },
    Scenario {
        row: Some("C4"),
        title: "what was cut off is said in one line on standard error",
        requirement: "one line goes to stderr",
        sources: &[row("C4")],
        applies: Applies::EVERYWHERE
            .with_needs(&[Need::Tool("sleep"), Need::Settings, Need::Stderr])
            .by(&[Need::HalfClose]),
        checks: &[must("exit-1"), should("one-line-on-stderr")],
        ..Scenario::new("c4-line-on-stderr", Family::Documented, |ctx| Box::pin(line_on_stderr(ctx)))
    },
];

async fn answers_all(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    session
        .send_together(&[300, 600, 900].map(|ms| session::call(ctx.era(), ms / 300, "sleep", json!({"ms": ms}))))
        .await;
    session.close_write().await;
    let rest = session.rest().await?;

    let mut answers = BTreeMap::new();
    for frame in rest.iter().filter(|frame| golden::tool_text(frame).is_some()) {
        *answers.entry(frame["id"].as_i64()).or_insert(0) += 1;
    }
    let once_each = (1..=3).map(|id| (Some(id), 1)).collect();
    ctx.check("each-answered-once", answers == once_each, || format!("answers by id: {answers:?}"));
    ctx.check("nothing-else", rest.len() == 3, || format!("{} frames came", rest.len()));

    let ending = session.finish().await;
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    let took = ending.after_close.unwrap_or_default();
    ctx.check("at-the-pace-of-the-slowest", took < Duration::from_millis(1_750), || {
        format!("the end came {took:?} after the end of the input; one after the other is 1.8 s")
    });
    ctx.report("report-drained", &ending, |report| {
        report["requests"]["drained"] == 3 && report["requests"]["cut_off"] == json!([])
    });
    Ok(())
}

async fn idle(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    session.call(1, "echo", json!({"text": "still here"})).await;
    session.answer_to(1).await?;
    ends_in_silence(&ctx, session, AT_ONCE).await
}

async fn empty_input(ctx: Ctx) -> Result<(), Stop> {
    // Its silence says something only of a server that can speak.
    let began = Instant::now();
    let mut alive = ctx.open_ready().await?;
    let start = began.elapsed();
    alive.call(1, "echo", json!({"text": "alive"})).await;
    alive.answer_to(1).await?;
    alive.finish().await;

    // The input ends before the server has started, which takes about as long as it just did.
    let session = ctx.open().await?;
    ends_in_silence(&ctx, session, start * 2 + AT_ONCE).await
}

async fn notes_during_drain(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    session.call_with_progress(1, "steps", "progress", json!({"steps": 6})).await;
    session.close_write().await;
    let rest = session.rest().await?;
    let token = json!("steps");
    let kinds: Vec<&str> = rest
        .iter()
        .map(|frame| match frame {
            note if golden::is_progress_of(note, &token) => "note",
            answer if golden::is_answer_to(answer, &json!(1)) => "answer",
            _ => "other",
        })
        .collect();
    let expected = ["note", "note", "note", "note", "note", "note", "answer"];
    ctx.check("notes-then-answer", kinds == expected, || format!("{kinds:?}"));
    let ending = session.finish().await;
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}

async fn change_during_drain(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    session.call(1, "toggle", json!({"after_ms": 500})).await;
    session.close_write().await;
    let rest = session.rest().await?;
    let as_wanted = match rest.as_slice() {
        [change, answer] => {
            change["method"] == "notifications/tools/list_changed"
                && golden::is_answer_to(answer, &json!(1))
                && golden::tool_text(answer).is_some()
        }
        _ => false,
    };
    ctx.check("announced-then-answered", as_wanted, || format!("{rest:?}"));
    let ending = session.finish().await;
    let took = ending.after_close.unwrap_or_default();
    ctx.check("at-the-pace-of-the-tool", took < Duration::from_millis(1_500), || format!("the end took {took:?}"));
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}

async fn quick_before_slow(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    session
        .send_together(&[
            session::call(ctx.era(), 1, "sleep", json!({"ms": 500})),
            session::call(ctx.era(), 2, "echo", json!({"text": "quick"})),
        ])
        .await;
    session.close_write().await;
    let rest = session.rest().await?;
    let ids: Vec<&Value> = rest.iter().map(|frame| &frame["id"]).collect();
    ctx.check("quick-first", ids.first() == Some(&&json!(2)), || format!("{ids:?}"));
    ctx.check("both-answered", ids == [2, 1], || format!("{ids:?}"));
    let ending = session.finish().await;
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}

async fn drain_deadline(ctx: Ctx) -> Result<(), Stop> {
    let options = OpenOptions::new().with_drain(Duration::from_millis(300));
    let mut session = ctx.open_ready_with(options).await?;
    session
        .send_together(&[
            session::call(ctx.era(), 7, "sleep", json!({"ms": 20_000})),
            session::call(ctx.era(), 8, "sleep", json!({"ms": 100})),
        ])
        .await;
    session.close_write().await;
    session.rest().await?;
    ctx.check("in-time-is-answered", session.answers(8) == 1, || "no answer to 8".to_owned());
    ctx.check("too-late-is-not", session.answers(7) == 0, || "7 was answered".to_owned());

    let ending = session.finish().await;
    let took = ending.after_close.unwrap_or_default();
    let in_time = Duration::from_millis(300)..Duration::from_millis(1_300);
    ctx.check("at-the-deadline", in_time.contains(&took), || {
        format!("the end came {took:?} after the end of the input; the deadline was 300 ms")
    });
    ctx.check("exit-1", ending.exit == Exit::Code(1), || ending.exit.to_string());
    ctx.report("report-cut-off", &ending, |report| {
        report["requests"]["cut_off"] == json!([{"id": 7, "method": "tools/call"}])
    });
    Ok(())
}

async fn line_on_stderr(ctx: Ctx) -> Result<(), Stop> {
    let options = OpenOptions::new().with_drain(Duration::from_millis(100));
    let mut session = ctx.open_ready_with(options).await?;
    session.call(7, "sleep", json!({"ms": 20_000})).await;
    session.close_write().await;
    session.rest().await?;
    let ending = session.finish().await;
    ctx.check("exit-1", ending.exit == Exit::Code(1), || ending.exit.to_string());
    let lines = ending.stderr.lines().filter(|line| !line.trim().is_empty()).count();
    ctx.check("one-line-on-stderr", lines == 1, || format!("{lines} lines on stderr: {}", ending.stderr));
    Ok(())
}

/// Ends the input and expects nothing but the end.
async fn ends_in_silence(ctx: &Ctx, mut session: session::Session, within: Duration) -> Result<(), Stop> {
    session.close_write().await;
    let rest = session.rest().await?;
    ctx.check("silent", rest.is_empty(), || format!("{rest:?}"));
    let ending = session.finish().await;
    let took = ending.after_close.unwrap_or_default();
    ctx.check("at-once", took < within, || format!("the end took {took:?}"));
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}

const AT_ONCE: Duration = Duration::from_secs(1);
