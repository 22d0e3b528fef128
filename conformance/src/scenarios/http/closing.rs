//! C17 and C30: a server over HTTP that is told to end.

use std::time::{Duration, Instant};

use serde_json::json;

use super::exited;
use crate::{
    golden,
    scenario::{Applies, Ctx, Family, Need, Scenario, Stop, must, row},
    session::{self, Requests},
    target::{Exit, OpenOptions, Signal, Transport},
};

const SIGNALLED: Applies =
    Applies::EVERYWHERE.with_needs(&[Need::Signals, Need::Report, Need::Tool("sleep"), Need::Tool("echo")]).over(
        &[Transport::Http, Transport::HttpStateless, Transport::HttpJson, Transport::HttpEvents],
        "it is about a server over HTTP that is told to end",
    );

pub(super) static SCENARIOS: [Scenario; 2] = [
    Scenario {
        row: Some("C17"),
        title: "a server that is told to end takes no connection, answers what it has received, and closes idle ones",
        requirement: "no new requests, in-flight ones drain to the deadline",
        sources: &[row("C17")],
        applies: SIGNALLED,
        checks: &[must("idle-closed-at-once"), must("in-flight-answered"), must("refuses-connections"), must("exit-0")],
        ..Scenario::new("c17-http-shutdown", Family::Documented, |ctx| Box::pin(shutdown(ctx)))
    },
    Scenario {
        row: Some("C30"),
        title: "a second SIGTERM cuts off what still runs",
        requirement: "SIGTERM while draining: abort at once; exit code 143",
        sources: &[row("C30")],
        applies: SIGNALLED,
        checks: &[must("cut-off-unanswered"), must("ends-at-once"), must("exit-143"), must("report-cut-off")],
        ..Scenario::new("c30-http-second-sigterm", Family::Documented, |ctx| Box::pin(second(ctx)))
    },
];

async fn shutdown(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready_with(OpenOptions::new().quietly()).await?;
    let client = session.http()?;
    let mut idle = client.connect().await?;
    idle.send(&client.post(&session::call(ctx.era(), 1, "echo", json!({"text": "then idle"})))).await?;
    idle.answer_to(1).await?;
    idle.rest().await?;
    let mut running = sleeping(&client, &ctx, 800).await?;
    session.signal(Signal::Term).await?;
    let since = Instant::now();
    let closed = idle.is_closed_by_peer().await;
    let took = since.elapsed();
    ctx.check("idle-closed-at-once", closed && took < Duration::from_millis(500), || {
        format!("{closed} after {took:?}")
    });
    let refuses = until_refused(&client).await;
    ctx.check("refuses-connections", refuses.is_ok(), || format!("{refuses:?}"));
    let answer = running.answer_to(2).await?;
    ctx.check("in-flight-answered", golden::tool_text(&answer).is_some(), || answer.to_string());
    exited(&ctx, &session.finish().await);
    Ok(())
}

async fn second(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready_with(OpenOptions::new().quietly()).await?;
    let client = session.http()?;
    let mut running = sleeping(&client, &ctx, 30_000).await?;
    session.signal(Signal::Term).await?;
    // That shows that the first signal was taken; two at once may become one.
    until_refused(&client).await?;
    session.signal(Signal::Term).await?;
    let came = running.frame_or_end(Duration::from_secs(2)).await;
    // A response needs a status and a body. What it says must not be taken for the answer, nor as a word to come again.
    let is_unanswered = match &came {
        Ok(None) => true,
        Ok(Some(frame)) => frame["error"]["code"] == -32603 && frame["error"]["data"].is_null(),
        Err(_) => false,
    };
    ctx.check("cut-off-unanswered", is_unanswered, || format!("{came:?}"));
    let ended = session.ends_by_itself(Duration::from_secs(2)).await;
    ctx.check("ends-at-once", ended, || "still running 2 s after the second signal".to_owned());
    let ending = session.finish().await;
    ctx.check("exit-143", ending.exit == Exit::Code(143), || ending.exit.to_string());
    ctx.report("report-cut-off", &ending, |report| {
        report["requests"]["cut_off"] == json!([{"id": 2, "method": "tools/call"}])
    });
    Ok(())
}

/// A call that runs, as request 2; the answer to another one shows that it was received.
async fn sleeping(client: &Requests, ctx: &Ctx, ms: u64) -> Result<session::Talk, Stop> {
    let talk = client.send(&client.post(&session::call(ctx.era(), 2, "sleep", json!({"ms": ms})))).await?;
    super::vanish::received(client, ctx, 3).await?;
    Ok(talk)
}

/// Connects until that is refused; a signal takes its time.
async fn until_refused(client: &Requests) -> Result<(), Stop> {
    let deadline = Instant::now() + Duration::from_secs(3);
    while Instant::now() < deadline {
        match client.connect().await {
            Err(_) => return Ok(()),
            // It was in the queue of the system.
            Ok(talk) => drop(talk),
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    Err(Stop("connections are taken 3 s after the signal".to_owned()))
}
