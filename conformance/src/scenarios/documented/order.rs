//! C23: the order of the frames of one request.

use std::time::Duration;

use serde_json::{Value, json};

use crate::{
    golden,
    scenario::{Applies, Ctx, Family, Need, Scenario, Stop, issue, must, row, spec},
    target::Exit,
};

pub(super) static SCENARIOS: [Scenario; 3] = [
    Scenario {
        row: Some("C23"),
        title: "progress comes before the result, growing, and none after it",
        requirement: "for each served id the frames are its notes in the order sent, then one \
                      terminal frame, then none; progress grows with each notification",
        sources: &[
            row("C23"),
            issue("neptaco/mcproc", 46),
            spec("2025-11-25", "basic/utilities/progress#behavior-requirements"),
        ],
        applies: Applies::EVERYWHERE.with_needs(&[Need::Tool("progress"), Need::Tool("sleep")]),
        checks: &[must("all-notes-before-the-answer"), must("growing"), must("none-after"), must("exit-0")],
        ..Scenario::new("c23-notes-then-answer", Family::Documented, |ctx| Box::pin(notes_then_answer(ctx)))
    },
    Scenario {
        row: Some("C23"),
        title: "2 000 notes sent at once arrive in order, all of them, before the answer",
        requirement: "notifications keep their order",
        sources: &[row("C23"), spec("2025-11-25", "basic/utilities/progress")],
        applies: Applies::EVERYWHERE.with_needs(&[Need::Tool("burst")]),
        checks: &[must("all-there"), must("in-order"), must("answer-last"), must("exit-0")],
        limit: Duration::from_secs(20),
        ..Scenario::new("c23-burst-in-order", Family::Documented, |ctx| Box::pin(burst(ctx)))
    },
    Scenario {
        row: Some("C23"),
        title: "a note that a tool sends after its answer is dropped and counted",
        requirement: "then one terminal frame, then none (later use of its context is dropped and counted)",
        sources: &[row("C23"), spec("2026-07-28", "basic/patterns/progress")],
        applies: Applies::EVERYWHERE.with_needs(&[Need::Tool("late"), Need::Tool("sleep")]),
        checks: &[must("note-in-time"), must("none-after"), must("report-counted"), must("exit-0")],
        ..Scenario::new("c23-late-note", Family::Documented, |ctx| Box::pin(late_note(ctx)))
    },
];

async fn notes_then_answer(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    // A number as the token, to see that it comes back as a number.
    session.call_with_progress(1, 77, "progress", json!({"steps": 5})).await;
    session.answer_to(1).await?;
    let before = progress(session.seen(), &json!(77));
    ctx.check("all-notes-before-the-answer", before.len() == 5, || format!("{before:?}"));
    ctx.check("growing", grows(&before), || format!("{before:?}"));
    session.call(2, "sleep", json!({"ms": 150})).await;
    session.answer_to(2).await?;
    session.close_write().await;
    session.rest().await?;
    let after = progress(session.seen(), &json!(77));
    let none_after = after.len() == before.len() && session.answers(1) == 1;
    ctx.check("none-after", none_after, || format!("{after:?}"));
    let ending = session.finish().await;
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}

async fn burst(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    session.call_with_progress(1, "burst", "burst", json!({"count": 5_000})).await;
    session.answer_to(1).await?;
    let before = progress(session.seen(), &json!("burst"));
    session.close_write().await;
    session.rest().await?;
    let notes = progress(session.seen(), &json!("burst"));
    ctx.check("all-there", notes.len() == 5_000, || format!("{} notes", notes.len()));
    ctx.check("in-order", grows(&notes), || "the values do not grow".to_owned());
    ctx.check("answer-last", before.len() == notes.len(), || {
        format!("{} notes after the answer", notes.len() - before.len())
    });
    let ending = session.finish().await;
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}

async fn late_note(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    session.call_with_progress(1, "late", "late", json!({"ms": 100})).await;
    session.answer_to(1).await?;
    let before = progress(session.seen(), &json!("late"));
    ctx.check("note-in-time", before == [1.0], || format!("{before:?}"));
    session.call(2, "sleep", json!({"ms": 600})).await;
    session.answer_to(2).await?;
    let after = progress(session.seen(), &json!("late"));
    ctx.check("none-after", after == before, || format!("{after:?}"));
    let ending = session.finish().await;
    match ctx.lacks(&Need::Session) {
        // What was a session of its own is over with its answer, and so is its report.
        Some(why) => ctx.not_available("report-counted", why),
        None => ctx.report("report-counted", &ending, |report| report["dropped"]["after_answer"] == 1),
    }
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}

/// The values of all progress notes for this token, in the order in which they came.
fn progress(frames: &[Value], token: &Value) -> Vec<f64> {
    let notes = frames.iter().filter(|frame| golden::is_progress_of(frame, token));
    notes.map(|note| note["params"]["progress"].as_f64().unwrap_or(f64::NAN)).collect()
}

fn grows(values: &[f64]) -> bool {
    values.is_sorted_by(|a, b| a < b)
}
