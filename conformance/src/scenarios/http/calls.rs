//! C10, C35, C39 and batches: calls that are given up, that cannot be carried, that are too many, that come together.

use std::time::Duration;

use serde_json::{Value, json};

use super::{EVERY_ENDPOINT, LEGACY, STATEFUL, STATELESS, exits};
use crate::{
    golden,
    scenario::{Ctx, Era, Family, Need, Scenario, Source, Stop, issue, must, row, spec},
    session::{self, Requests},
    target::OpenOptions,
};

pub(super) static SCENARIOS: [Scenario; 8] = [
    Scenario {
        row: Some("C10"),
        title: "the request that waits for a cancelled call is ended, without an answer",
        requirement: "on legacy HTTP the waiting POST is ended: its stream ends; no message for the call follows",
        sources: &[row("C10"), spec("2025-11-25", "basic/utilities/cancellation#behavior-requirements")],
        applies: STATEFUL.with_needs(&[Need::Tool("sleep"), Need::Tool("echo")]),
        checks: &[must("accepted"), must("ended-unanswered"), must("serves-on"), must("exit-0")],
        ..Scenario::new("c10-http-waiting-post", Family::Documented, |ctx| Box::pin(cancelled(ctx, false)))
    },
    Scenario {
        row: Some("C10"),
        title: "the same where answers are JSON alone",
        requirement: "on legacy HTTP the waiting POST is ended (JSON: an empty event stream if accepted, else 204)",
        sources: &[row("C10")],
        applies: STATEFUL.with_needs(&[Need::Tool("sleep"), Need::Tool("echo"), Need::Settings]),
        checks: &[must("accepted"), must("ended-unanswered"), must("serves-on"), must("exit-0")],
        ..Scenario::new("c10-http-waiting-for-json", Family::Documented, |ctx| Box::pin(cancelled(ctx, true)))
    },
    Scenario {
        title: "cancellations twice, for unknown and for finished requests are accepted and change nothing",
        requirement: "invalid cancellation notifications should be ignored",
        sources: &[issue("python-sdk", 2_416), spec("2025-11-25", "basic/utilities/cancellation#error-handling")],
        applies: STATEFUL.with_needs(&[Need::Tool("sleep"), Need::Tool("echo")]),
        checks: &[must("accepted"), must("serves-on"), must("exit-0")],
        ..Scenario::new("http-cancel-odd", Family::Hostile, |ctx| Box::pin(odd_cancels(ctx)))
    },
    Scenario {
        row: Some("C35"),
        title: "without a session a question to the client fails at once, and the tool goes on",
        requirement: "a call that nobody can carry (stateless): fails at once, typed",
        sources: &[row("C35"), spec("2025-11-25", "basic/transports#session-management")],
        applies: STATELESS.with_needs(&[Need::Tool("call_client")]),
        checks: &[must("fails-at-once"), must("exit-0")],
        ..Scenario::new("c35-without-a-session", Family::Documented, |ctx| Box::pin(uncarried(ctx, OpenOptions::new())))
    },
    Scenario {
        row: Some("C35"),
        title: "where answers are JSON alone and no stream is open, a question fails at once",
        requirement: "a call that nobody can carry (JSON mode without GET): fails at once, typed",
        sources: &[row("C35")],
        applies: STATEFUL.with_needs(&[Need::Tool("call_client"), Need::Settings]),
        checks: &[must("fails-at-once"), must("exit-0")],
        ..Scenario::new("c35-json-alone", Family::Documented, |ctx| {
            Box::pin(uncarried(ctx, OpenOptions::new().quietly().with_json_alone()))
        })
    },
    Scenario {
        row: Some("C39"),
        title: "what is beyond running and waiting requests is refused by 503, and told when to come again",
        requirement: "request beyond the queue: error answer (HTTP 503 + Retry-After), never silence",
        sources: &[row("C39"), Source::Standard("RFC 9110, section 15.6.4 (503)")],
        applies: STATEFUL.with_needs(&[Need::Tool("sleep"), Need::Settings]),
        checks: &[must("beyond-refused"), must("told-when"), must("all-others-served"), must("exit-0")],
        ..Scenario::new("c39-http-overloaded", Family::Documented, |ctx| Box::pin(overloaded(ctx)))
    },
    Scenario {
        title: "requests with the same id on streams of their own are both answered",
        requirement: "an id in flight is one of its stream; over HTTP the exchanges are separate",
        sources: &[spec("2026-07-28", "basic/index#requests")],
        applies: EVERY_ENDPOINT.with_needs(&[Need::Tool("sleep"), Need::Tool("echo")]),
        checks: &[must("both-answered"), must("exit-0")],
        ..Scenario::new("http-same-id-twice", Family::Hostile, |ctx| Box::pin(same_id(ctx)))
    },
    Scenario {
        title: "a batch of 2025-03-26 is answered whole, a batch of notifications is accepted",
        requirement: "the body may be an array of requests and notifications; the stream should include one response per \
                      request, which may be batched; only notifications and responses: 202 with no body",
        sources: &[spec("2025-03-26", "basic/transports#sending-messages-to-the-server")],
        applies: LEGACY.with_needs(&[Need::Tool("echo")]),
        checks: &[
            must("all-answered"),
            must("notifications-accepted"),
            must("empty-refused"),
            must("members-refused-alone"),
            must("exit-0"),
        ],
        ..Scenario::new("http-batches", Family::Documented, |ctx| Box::pin(batches(ctx)))
    },
];

fn call(id: i64, tool: &str, arguments: Value) -> Value {
    session::call(Era::Legacy, id, tool, arguments)
}

async fn cancelled(ctx: Ctx, json_alone: bool) -> Result<(), Stop> {
    let options = OpenOptions::new().quietly();
    let session = ctx.open_ready_with(if json_alone { options.with_json_alone() } else { options }).await?;
    let client = session.http()?;
    let mut wrong = Vec::new();
    let mut accepted = Vec::new();
    for (id, accept) in [(1, "application/json, text/event-stream"), (2, "application/json")] {
        let sleep = client.post(&call(id, "sleep", json!({"ms": 20_000}))).with("Accept", accept);
        let mut waiting = client.send(&sleep).await?;
        client.answer_to(&client.post(&call(id + 10, "echo", json!({"text": "received"}))), id + 10).await?;
        accepted.push(client.ask(&client.post(&session::cancel(id))).await?.head.status);
        match waiting.frame_or_end(Duration::from_secs(2)).await {
            Ok(None) => {}
            Ok(Some(frame)) => wrong.push(format!("{accept}: answered {frame}")),
            Err(Stop(why)) => wrong.push(format!("{accept}: {why}")),
        }
        let (status, events) = waiting.current().map_or((0, false), |head| (head.status, head.is_events()));
        let right = if accept == "application/json" { status == 204 } else { status == 200 && events };
        if !right {
            wrong.push(format!("{accept}: ended with the status {status}"));
        }
    }
    ctx.check("accepted", accepted == [202, 202], || format!("{accepted:?}"));
    ctx.check("ended-unanswered", wrong.is_empty(), || wrong.join(" | "));
    serves_on(&ctx, &client).await?;
    exits(&ctx, session).await
}

async fn odd_cancels(ctx: Ctx) -> Result<(), Stop> {
    let session = ctx.open_ready_with(OpenOptions::new().quietly()).await?;
    let client = session.http()?;
    let mut running = client.send(&client.post(&call(1, "sleep", json!({"ms": 20_000})))).await?;
    client.answer_to(&client.post(&call(2, "echo", json!({"text": "finished"}))), 2).await?;
    let mut statuses = Vec::new();
    for id in [json!(1), json!(1), json!(2), json!(777), json!("1"), json!("")] {
        statuses.push(client.ask(&client.post(&session::cancel(id))).await?.head.status);
    }
    let ended = running.frame_or_end(Duration::from_secs(2)).await?;
    ctx.check("accepted", statuses.iter().all(|status| *status == 202) && ended.is_none(), || {
        format!("{statuses:?}, {ended:?}")
    });
    serves_on(&ctx, &client).await?;
    exits(&ctx, session).await
}

async fn serves_on(ctx: &Ctx, client: &Requests) -> Result<(), Stop> {
    let echo = client.answer_to(&client.post(&call(99, "echo", json!({"text": "on"}))), 99).await?;
    ctx.equal("serves-on", &golden::normal(Era::Legacy, &echo), &golden::text_answer(99, "on"));
    Ok(())
}

async fn uncarried(ctx: Ctx, options: OpenOptions) -> Result<(), Stop> {
    let session = ctx.open_ready_with(options).await?;
    let client = session.http()?;
    let arguments = json!({"method": "roots/list", "timeout_ms": 30_000});
    let talk = client.send(&client.post(&call(1, "call_client", arguments))).await?;
    let answer = talk.with_patience(Duration::from_secs(2)).answer_to(1).await?;
    let failed = golden::tool_text(&answer).is_some_and(|text| text.starts_with("error: "));
    ctx.check("fails-at-once", failed, || answer.to_string());
    exits(&ctx, session).await
}

async fn overloaded(ctx: Ctx) -> Result<(), Stop> {
    let session = ctx.open_ready_with(OpenOptions::new().quietly().with_requests(2, 2)).await?;
    let client = session.http()?;
    let mut talks = Vec::new();
    for id in 1..=8 {
        talks.push((id, client.send(&client.post(&call(id, "sleep", json!({"ms": 800})))).await?));
    }
    let (mut refused, mut served, mut untold) = (Vec::new(), 0, Vec::new());
    for (id, mut talk) in talks {
        let head = talk.head().await?;
        let frame = talk.frame_for(id, &head).await?;
        if golden::tool_text(&frame).is_some() {
            served += 1;
            continue;
        }
        refused.push((head.status, frame["error"]["code"].clone(), frame["error"]["data"]["reason"].clone()));
        let told = head.header("Retry-After").is_some_and(|wait| wait.parse::<u32>().is_ok());
        if !told {
            untold.push(id);
        }
    }
    let expected = vec![(503, json!(-32603), json!("overloaded")); 4];
    ctx.check("beyond-refused", refused == expected, || format!("{refused:?}"));
    ctx.check("told-when", untold.is_empty() && !refused.is_empty(), || format!("{untold:?} of {refused:?}"));
    ctx.check("all-others-served", served == 4, || format!("{served} were served"));
    exits(&ctx, session).await
}

async fn same_id(ctx: Ctx) -> Result<(), Stop> {
    let session = ctx.open_ready().await?;
    let client = session.http()?;
    let mut slow = client.send(&client.post(&session::call(ctx.era(), 42, "sleep", json!({"ms": 400})))).await?;
    let quick = client.post(&session::call(ctx.era(), 42, "echo", json!({"text": "quick"})));
    let quick = client.answer_to(&quick, 42).await?;
    let slow = slow.answer_to(42).await?;
    let both = golden::normal(ctx.era(), &quick) == golden::text_answer(42, "quick")
        && golden::tool_text(&slow).is_some_and(|text| text != "quick");
    ctx.check("both-answered", both, || format!("{quick}, {slow}"));
    exits(&ctx, session).await
}

async fn batches(ctx: Ctx) -> Result<(), Stop> {
    let session = ctx.open_ready_with(OpenOptions::new().quietly()).await?;
    let client = session.http()?.anew();
    client.initialize("2025-03-26").await?;
    let note = session::notification("notifications/nope");
    let echoes = [call(1, "echo", json!({"text": "one"})), call(2, "echo", json!({"text": "two"}))];
    let [first, second] = &echoes;
    let came = together(&client, &json!([first, note, second])).await?;
    let expected = [golden::text_answer(1, "one"), golden::text_answer(2, "two")];
    ctx.check("all-answered", came == expected, || format!("{came:?}"));
    let accepted = client.ask(&client.post(&json!([note, session::cancel(77)]))).await?;
    ctx.check("notifications-accepted", accepted.head.status == 202 && accepted.body.is_empty(), || accepted.summary());
    let empty = client.ask(&client.post(&json!([]))).await?;
    let refused = empty.head.status == 400 && empty.json()["error"]["code"] == -32600;
    ctx.check("empty-refused", refused, || empty.summary());
    let mixed = together(&client, &json!([7, session::request(Era::Legacy, 3, "ping", json!({}))])).await?;
    let invalid = golden::error_answer_without_id(golden::UnreadableId::Null, -32600);
    ctx.check("members-refused-alone", mixed == [invalid, golden::empty_answer(3)], || format!("{mixed:?}"));
    exits(&ctx, session).await
}

/// The answers to a batch, whether they come as one array or as events, by their ids.
async fn together(client: &Requests, batch: &Value) -> Result<Vec<Value>, Stop> {
    let mut talk = client.send(&client.post(batch)).await?;
    let mut came = Vec::new();
    while let Some(frame) = talk.frame_or_end(Duration::from_secs(2)).await? {
        match frame {
            Value::Array(frames) => came.extend(frames),
            frame => came.push(frame),
        }
        if talk.current().is_some_and(|head| !head.is_events()) {
            break;
        }
    }
    let mut came: Vec<Value> = came.iter().map(|frame| golden::normal(Era::Legacy, frame)).collect();
    came.sort_by_key(|frame| frame["id"].as_i64());
    Ok(came)
}
