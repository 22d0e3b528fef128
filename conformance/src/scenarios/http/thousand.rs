//! Calls that are given up, very many of them.

use std::time::{Duration, Instant};

use serde_json::json;
use tokio::task::JoinSet;

use super::{EVERY_ENDPOINT, STATEFUL, exits, vanish::received};
use crate::{
    golden,
    scenario::{Ctx, Family, Need, Scenario, Stop, issue, must},
    session::{self, Requests},
    target::OpenOptions,
};

pub(super) static SCENARIOS: [Scenario; 2] = [
    Scenario {
        title: "a thousand calls that are given up in every way leave nothing behind",
        requirement: "a client that leaves is no task, no session and no descriptor from then on",
        sources: &[issue("python-sdk", 2_145), issue("go-sdk", 1_073), issue("rust-sdk", 857)],
        applies: EVERY_ENDPOINT.with_needs(&[
            Need::Report,
            Need::Settings,
            Need::Tool("sleep"),
            Need::Tool("progress"),
            Need::Tool("echo"),
        ]),
        checks: &[must("serves-on"), must("no-descriptor-left"), must("exit-0")],
        limit: Duration::from_secs(60),
        ..Scenario::new("http-thousand-given-up", Family::Hostile, |ctx| Box::pin(thousand(ctx)))
    },
    Scenario {
        title: "sessions that were ended cost nothing any more",
        requirement: "DELETE removes everything of a session at once",
        sources: &[issue("python-sdk", 1_283), issue("java-sdk", 471), issue("gitroomhq/postiz-app", 1_696)],
        applies: STATEFUL.with_needs(&[Need::Report, Need::Settings]),
        checks: &[must("memory-is-given-back"), must("no-descriptor-left"), must("exit-0")],
        limit: Duration::from_secs(60),
        ..Scenario::new("http-sessions-freed", Family::Hostile, |ctx| Box::pin(freed(ctx)))
    },
];

async fn freed(ctx: Ctx) -> Result<(), Stop> {
    let session = ctx.open_ready_with(OpenOptions::new().quietly()).await?;
    let (client, process) = (session.http()?, session.process()?);
    // What is kept for the next ones is there after the first.
    opened_and_ended(&client, SESSIONS / 4).await?;
    let (memory, before) = (resident(process)?, settled(process, 0).await?);
    opened_and_ended(&client, SESSIONS).await?;
    let grown = resident(process)?.saturating_sub(memory);
    // Half a page for each of them would be twice as much.
    ctx.check("memory-is-given-back", grown < SESSIONS as u64, || {
        format!("{grown} KiB more after {SESSIONS} sessions")
    });
    let after = settled(process, before).await?;
    ctx.check("no-descriptor-left", after <= before, || format!("{before} before, {after} after"));
    exits(&ctx, session).await
}

async fn opened_and_ended(client: &Requests, count: usize) -> Result<(), Stop> {
    for _ in 0..count {
        let one = client.anew();
        one.initialize("2025-11-25").await?;
        one.ask(&one.delete()).await?;
    }
    Ok(())
}

/// How much memory a process has, in KiB.
fn resident(process: u32) -> Result<u64, Stop> {
    let place = format!("/proc/{process}/status");
    let status = std::fs::read_to_string(&place).map_err(|error| Stop(format!("{place}: {error}")))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    number.ok_or_else(|| Stop(format!("{place} does not tell its memory")))
}

async fn thousand(ctx: Ctx) -> Result<(), Stop> {
    let session = ctx.open_ready().await?;
    let (client, process) = (session.http()?, session.process()?);
    // One of each, so that what is opened once for all is there.
    for number in 0..WAYS {
        give_up(&client, &ctx, number).await?;
    }
    received(&client, &ctx, 0).await?;
    let before = settled(process, 0).await?;
    for round in 0..GIVEN_UP / AT_ONCE {
        let mut given_up = JoinSet::new();
        for at in 0..AT_ONCE {
            let (client, ctx) = (client.clone(), ctx.clone());
            given_up.spawn(async move { give_up(&client, &ctx, round * AT_ONCE + at).await });
        }
        for result in given_up.join_all().await {
            result?;
        }
    }
    let echo = client.post(&session::call(ctx.era(), 1, "echo", json!({"text": "on"})));
    let answer = client.answer_to(&echo, 1).await?;
    ctx.equal("serves-on", &golden::normal(ctx.era(), &answer), &golden::text_answer(1, "on"));
    let after = settled(process, before).await?;
    ctx.check("no-descriptor-left", after <= before, || format!("{before} before, {after} after"));
    // The meters of the runner look for tasks and slots in the report.
    exits(&ctx, session).await
}

/// Gives up one call, in the way that its number says.
async fn give_up(client: &Requests, ctx: &Ctx, number: usize) -> Result<(), Stop> {
    let id = 10 + number as u64;
    let (tool, arguments) =
        if number % WAYS < 4 { ("sleep", json!({"ms": 50})) } else { ("progress", json!({"steps": 3})) };
    let mut frame = session::call(ctx.era(), id, tool, arguments);
    frame["params"]["_meta"]["progressToken"] = id.into();
    let request = client.post(&frame);
    let mut talk = client.connect().await?;
    match number % WAYS {
        // In the middle of the body.
        0 | 1 => {
            let bytes = request.bytes();
            talk.write_silently(bytes.get(..bytes.len() - 20).unwrap_or_default()).await?;
        }
        // While it runs.
        2 | 3 => talk.write_silently(&request.bytes()).await?,
        // While it streams.
        _ => {
            talk.write_silently(&request.bytes()).await?;
            talk.frame_or_end(Duration::from_secs(5)).await?;
        }
    }
    if number.is_multiple_of(2) {
        talk.close()
    } else {
        talk.reset()
    }
    Ok(())
}

/// How many descriptors the server has open, once they are as few as wanted or have had the time for it.
async fn settled(process: u32, wanted: usize) -> Result<usize, Stop> {
    let place = format!("/proc/{process}/fd");
    let deadline = Instant::now() + Duration::from_secs(if wanted == 0 { 1 } else { 5 });
    loop {
        let entries = std::fs::read_dir(&place).map_err(|error| Stop(format!("{place}: {error}")))?;
        let count = entries.count();
        if count <= wanted || Instant::now() > deadline {
            return Ok(count);
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

const SESSIONS: usize = 2_000;
const GIVEN_UP: usize = 1_000;
const AT_ONCE: usize = 50;
/// Three moments, each ended in order and by a reset.
const WAYS: usize = 6;
