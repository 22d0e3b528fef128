//! C6b and C16: the client goes away as a reader, or stays and does not read.

use std::{collections::HashMap, time::Duration};

use serde_json::json;

use crate::{
    golden,
    scenario::{Applies, Ctx, Family, Need, Scenario, Stop, issue, must, row},
    session::Session,
    target::Exit,
};

pub(super) static SCENARIOS: [Scenario; 4] = [
    Scenario {
        row: Some("C6b"),
        title: "the reader of the output is gone: the server stops by itself, quietly",
        requirement: "the only pipe breaks (EPIPE): late responses dropped, handlers cancelled, \
                      exit code ≠ 0; never runs on for ever",
        sources: &[row("C6b")],
        applies: Applies::EVERYWHERE.with_needs(&[Need::Tool("sleep"), Need::Tool("echo"), Need::ReaderGone]),
        checks: &[must("ends-by-itself"), must("exit-1"), must("no-panic")],
        ..Scenario::new("c6b-reader-gone", Family::Documented, |ctx| Box::pin(reader_gone(ctx)))
    },
    Scenario {
        row: Some("C6b"),
        title: "the reader goes away during the drain",
        requirement: "late responses and notifications dropped; exit code ≠ 0",
        sources: &[row("C6b"), row("C2")],
        applies: Applies::EVERYWHERE.with_needs(&[Need::Tool("sleep"), Need::ReaderGone]),
        checks: &[must("ends-by-itself"), must("exit-1"), must("no-panic")],
        ..Scenario::new("c6b-reader-gone-while-draining", Family::Documented, |ctx| {
            Box::pin(reader_gone_while_draining(ctx))
        })
    },
    Scenario {
        row: Some("C16"),
        title: "2 000 echoes of 4 KiB to a client that does not read, then reads",
        requirement: "bounded memory: reading stops while unwritten answers exceed their limit; \
                      then all are answered exactly once",
        sources: &[row("C16")],
        applies: Applies::EVERYWHERE.with_needs(&[Need::Tool("echo"), Need::Stall]),
        checks: &[must("stops-reading"), must("all-once"), must("unchanged"), must("exit-0")],
        limit: Duration::from_secs(30),
        ..Scenario::new("c16-peer-does-not-read", Family::Documented, |ctx| Box::pin(does_not_read(ctx)))
    },
    Scenario {
        row: Some("C16"),
        title: "a slow call does not hold up others",
        requirement: "one slow handler never delays another request's answer",
        sources: &[issue("kotlin-sdk", 564), row("C16")],
        applies: Applies::EVERYWHERE.with_needs(&[Need::Tool("sleep"), Need::Tool("echo")]),
        checks: &[must("answered-meanwhile"), must("slow-one-too")],
        ..Scenario::new("c16-no-head-of-line", Family::Documented, |ctx| Box::pin(no_head_of_line(ctx)))
    },
];

async fn reader_gone(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    session.call(1, "echo", json!({"text": "ready"})).await;
    session.answer_to(1).await?;
    session.close_read().await;
    session.call(2, "sleep", json!({"ms": 20_000})).await;
    // A process that is being started at this very moment has the pipe as well, until it has become another program: it
    // may take that an answer more than one finds nobody.
    for id in 3..=20 {
        session.call(id, "echo", json!({"text": "to nobody"})).await;
        if session.ends_by_itself(A_MOMENT).await {
            break;
        }
    }
    stops_quietly(&ctx, session).await
}

async fn reader_gone_while_draining(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    session.call(1, "sleep", json!({"ms": 400})).await;
    session.close_write().await;
    session.close_read().await;
    stops_quietly(&ctx, session).await
}

async fn stops_quietly(ctx: &Ctx, mut session: Session) -> Result<(), Stop> {
    let ended = session.ends_by_itself(Duration::from_secs(4)).await;
    ctx.check("ends-by-itself", ended, || "still running after 4 s".to_owned());
    let ending = session.finish().await;
    ctx.check("exit-1", ending.exit == Exit::Code(1), || ending.exit.to_string());
    let panicked = ending.stderr.contains("panicked") || ending.stderr.contains("Traceback");
    ctx.check("no-panic", !panicked, || ending.stderr.clone());
    Ok(())
}

async fn does_not_read(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    let text = "e".repeat(SIZE);
    session.call("ready", "echo", json!({"text": "ready"})).await;
    session.answer_to("ready").await?;
    for id in 0..COUNT {
        session.call(id, "echo", json!({"text": text})).await;
    }
    // The peer has stopped reading once nothing more was taken for a while. One that took a
    // quarter of all that (2 MiB, twice its limit for unwritten answers) will take everything.
    let taken = standstill(&mut session).await;
    let bound = (COUNT * SIZE / 4) as u64;
    ctx.check("stops-reading", taken < bound, || format!("{taken} bytes were taken unanswered"));

    session.close_write().await;
    let rest = session.rest().await?;
    let mut answers = HashMap::new();
    for frame in &rest {
        *answers.entry(frame["id"].as_u64()).or_insert(0) += 1;
    }
    let once_each = answers.len() == COUNT && answers.values().all(|count| *count == 1);
    ctx.check("all-once", once_each && rest.len() == COUNT, || {
        format!("{} frames for {} ids", rest.len(), answers.len())
    });
    let unchanged = rest.iter().all(|frame| golden::tool_text(frame) == Some(text.as_str()));
    ctx.check("unchanged", unchanged, || "an echo is not what was sent".to_owned());
    let ending = session.finish().await;
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}

/// How many bytes were taken once that number stands still.
async fn standstill(session: &mut Session) -> u64 {
    let mut taken = session.taken();
    loop {
        tokio::time::sleep(A_WHILE).await;
        match session.taken() {
            now if now == taken => return taken,
            now => taken = now,
        }
    }
}

async fn no_head_of_line(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    session.call(1, "sleep", json!({"ms": 600})).await;
    session.call(2, "echo", json!({"text": "meanwhile"})).await;
    session.answer_to(2).await?;
    let first = session.seen().last().map(|frame| frame["id"].clone());
    let slow_still_runs = session.answers(1) == 0;
    ctx.check("answered-meanwhile", slow_still_runs, || format!("first came {first:?}"));
    let slow = session.answer_to(1).await;
    ctx.check("slow-one-too", slow.is_ok(), || "the slow call was not answered".to_owned());
    session.finish().await;
    Ok(())
}

const COUNT: usize = 2_000;
const SIZE: usize = 4 * 1_024;
const A_MOMENT: Duration = Duration::from_millis(100);
const A_WHILE: Duration = Duration::from_millis(400);
