//! C3b, C6a and C37: clients that go away in the middle.

use std::time::{Duration, Instant};

use serde_json::json;

use super::{EVERY_ENDPOINT, MODERN, STATEFUL, exited};
use crate::{
    golden,
    scenario::{Ctx, Family, Need, Scenario, Stop, issue, must, row, spec},
    session::{self, Requests},
    target::OpenOptions,
};

pub(super) static SCENARIOS: [Scenario; 3] = [
    Scenario {
        row: Some("C3b"),
        title: "a modern client that closes the connection of its request has cancelled it",
        requirement: "closing the response stream is cancellation: the server should stop work on the request and must \
                      not send any further messages for it",
        sources: &[
            spec("2026-07-28", "basic/patterns/cancellation#transport-specific-cancellation"),
            issue("python-sdk", 2_145),
            row("C3b"),
        ],
        applies: MODERN.with_needs(&[Need::Tool("sleep"), Need::Tool("progress"), Need::Report]),
        checks: &[must("ends-at-once"), must("report-cancelled"), must("exit-0")],
        ..Scenario::new("c3b-http-client-leaves", Family::Documented, |ctx| Box::pin(leaves(ctx)))
    },
    Scenario {
        row: Some("C6a"),
        title: "an answer that nobody waits for any more is dropped, and the session goes on",
        requirement: "one exchange cannot be written any more: its later frames are dropped, counted; never an error to \
                      the handler, never a crash",
        sources: &[issue("python-sdk", 3_142), row("C6a")],
        applies: STATEFUL.with_needs(&[Need::Tool("sleep"), Need::Tool("echo"), Need::Settings]),
        checks: &[must("serves-on"), must("report-dropped"), must("exit-0")],
        ..Scenario::new("c6a-answer-for-nobody", Family::Documented, |ctx| Box::pin(for_nobody(ctx)))
    },
    Scenario {
        row: Some("C37"),
        title: "a body that is cut off starts nothing, and nobody is harmed",
        requirement: "request body cut off: the exchange ends silently, nothing was started",
        sources: &[issue("python-sdk", 2_064), issue("python-sdk", 3_142), row("C37")],
        applies: EVERY_ENDPOINT.with_needs(&[Need::Tool("echo")]),
        checks: &[must("silent"), must("serves-on"), must("report-nothing-started"), must("exit-0")],
        ..Scenario::new("c37-body-cut-off", Family::Documented, |ctx| Box::pin(cut_off(ctx)))
    },
];

async fn leaves(ctx: Ctx) -> Result<(), Stop> {
    let session = ctx.open_ready().await?;
    let client = session.http()?;
    let call = |id: i64, tool: &str, arguments| {
        let mut frame = session::call(ctx.era(), id, tool, arguments);
        frame["params"]["_meta"]["progressToken"] = id.into();
        client.post(&frame)
    };
    // In order and by a reset, before the head and in the middle of a stream.
    let mut talks = Vec::new();
    for id in 1..=2 {
        talks.push(client.send(&call(id, "sleep", json!({"ms": 30_000}))).await?);
    }
    for id in 3..=4 {
        let mut talk = client.send(&call(id, "progress", json!({"steps": 600}))).await?;
        talk.head().await?;
        talk.message().await?;
        talks.push(talk);
    }
    received(&client, &ctx, 5).await?;
    for (number, talk) in talks.into_iter().enumerate() {
        if number.is_multiple_of(2) { talk.close() } else { talk.reset() }
    }
    let since = Instant::now();
    let ending = session.finish().await;
    let took = since.elapsed();
    ctx.check("ends-at-once", took < Duration::from_secs(3), || format!("{took:?}"));
    ctx.report("report-cancelled", &ending, |report| {
        report["requests"]["cancelled"] == 4 && report["requests"]["cut_off"] == json!([])
    });
    exited(&ctx, &ending);
    Ok(())
}

async fn for_nobody(ctx: Ctx) -> Result<(), Stop> {
    let session = ctx.open_ready_with(OpenOptions::new().quietly().with_json_alone()).await?;
    let client = session.http()?;
    let gone = client.send(&client.post(&session::call(ctx.era(), 1, "sleep", json!({"ms": 200})))).await?;
    received(&client, &ctx, 2).await?;
    gone.close();
    let longer = client.post(&session::call(ctx.era(), 3, "sleep", json!({"ms": 500})));
    let answer = client.answer_to(&longer, 3).await?;
    ctx.check("serves-on", golden::tool_text(&answer).is_some(), || answer.to_string());
    let ending = session.finish().await;
    // The tool has answered: it was not cancelled.
    ctx.report("report-dropped", &ending, |report| report["dropped"]["not_writable"] == 1);
    exited(&ctx, &ending);
    Ok(())
}

async fn cut_off(ctx: Ctx) -> Result<(), Stop> {
    let session = ctx.open_ready().await?;
    let client = session.http()?;
    let good = client.post(&session::call(ctx.era(), 1, "echo", json!({"text": "never"})));
    let (head, body) = (good.head(), good.body().to_vec());
    let half = body.get(..body.len() / 2).unwrap_or_default();
    let mut said = Vec::new();
    // Half a body that is announced whole, half a chunk, and half a head; each ended in order and by a reset.
    let chunked = good.clone().unmeasured().adding("Transfer-Encoding", "chunked");
    let chunk = [format!("{:x}\r\n", body.len()).as_bytes(), half].concat();
    let beginnings = [
        [head.as_slice(), half].concat(),
        [chunked.head(), chunk].concat(),
        head.get(..head.len() / 2).unwrap_or_default().to_vec(),
    ];
    for beginning in &beginnings {
        let mut talk = client.connect().await?;
        talk.write(beginning).await?;
        talk.end_writing().await;
        match talk.answer_or_end().await {
            // Nobody is there to read it, but a server may say that it was no request.
            Ok(answer) if answer.head.status == 400 => {}
            Ok(answer) => said.push(answer.summary()),
            Err(error) if error.is_ended() => {}
            Err(error) => said.push(format!("the connection is left open: {error}")),
        }
        let mut talk = client.connect().await?;
        talk.write(beginning).await?;
        talk.reset();
    }
    ctx.check("silent", said.is_empty(), || said.join(" | "));
    let echo = client.post(&session::call(ctx.era(), 2, "echo", json!({"text": "on"})));
    let answer = client.answer_to(&echo, 2).await?;
    ctx.equal("serves-on", &golden::normal(ctx.era(), &answer), &golden::text_answer(2, "on"));
    let ending = session.finish().await;
    ctx.report("report-nothing-started", &ending, |report| {
        // What opened the session, and the one call.
        report["requests"]["received"] == 2 && report["requests"]["answered"] == 2
    });
    exited(&ctx, &ending);
    Ok(())
}

/// Waits until what was sent before has been received, as far as an answer to another request shows it.
pub(super) async fn received(client: &Requests, ctx: &Ctx, id: i64) -> Result<(), Stop> {
    let arguments = json!({"text": "received"});
    client.answer_to(&client.post(&session::call(ctx.era(), id, "echo", arguments)), id).await.map(drop)
}
