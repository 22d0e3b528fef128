//! Streams that belong to no request: of a session, and of changes.

use std::time::Duration;

use serde_json::{Value, json};

use super::{MODERN, STATEFUL, exited, exits};
use crate::{
    golden,
    scenario::{Ctx, Era, Family, Need, Scenario, Stop, issue, must, row, should, spec},
    session::{self, Requests, Talk},
    target::{OpenOptions, Signal},
};

pub(super) static SCENARIOS: [Scenario; 5] = [
    Scenario {
        title: "the stream of a session is a stream beside it: when it ends, the session lives",
        requirement: "the client may close the stream at any time; the session is ended by DELETE or by the server",
        sources: &[
            issue("rust-sdk", 384),
            spec("2025-11-25", "basic/transports#listening-for-messages-from-the-server"),
        ],
        applies: STATEFUL,
        checks: &[must("stream"), must("session-lives"), must("stream-again"), must("exit-0")],
        ..Scenario::new("http-stream-ends-alone", Family::Documented, |ctx| Box::pin(alone(ctx)))
    },
    Scenario {
        title: "however many streams a session has, each message comes once",
        requirement: "the client may remain connected to multiple streams; the server must send each of its messages on \
                      only one of them, and must not broadcast",
        sources: &[issue("rust-sdk", 682), spec("2025-11-25", "basic/transports#multiple-connections")],
        applies: STATEFUL.with_needs(&[Need::Tool("toggle")]),
        checks: &[must("second-is-defined"), must("change-told-once"), must("exit-0")],
        ..Scenario::new("http-two-streams-of-a-session", Family::Documented, |ctx| Box::pin(two(ctx)))
    },
    Scenario {
        title: "a stream of changes begins with its acknowledgement, and each tells what it was asked for",
        requirement: "the first message on the stream is `notifications/subscriptions/acknowledged`; every message on it \
                      has the subscription id; the server must not send what was not asked for",
        sources: &[
            spec("2026-07-28", "basic/patterns/subscriptions"),
            spec("2026-07-28", "basic/transports/streamable-http#receiving-messages"),
        ],
        applies: MODERN.with_needs(&[Need::Tool("toggle")]),
        checks: &[
            must("events"),
            must("acknowledged-first"),
            must("told-by-id"),
            must("others-not-told"),
            must("exit-0"),
        ],
        ..Scenario::new("http-listen", Family::Documented, |ctx| Box::pin(listen(ctx)))
    },
    Scenario {
        row: Some("C19"),
        title: "streams of changes are ended by their result when the server shuts down",
        requirement: "shutdown with open `subscriptions/listen`: they are ended by a result with the subscription id, \
                      and the stream ends",
        sources: &[row("C19"), spec("2026-07-28", "basic/patterns/subscriptions#graceful-closure")],
        applies: MODERN.with_needs(&[Need::Signals]),
        checks: &[must("result-with-its-id"), must("stream-ends"), must("exit-0")],
        ..Scenario::new("c19-http-shutdown", Family::Documented, |ctx| Box::pin(shutdown(ctx)))
    },
    Scenario {
        title: "a stream on which nothing happens is kept alive, and is not buffered on its way",
        requirement: "servers may send comments to keep a connection alive, and should send `X-Accel-Buffering: no`",
        sources: &[spec("2026-07-28", "basic/transports/streamable-http#receiving-messages")],
        applies: MODERN,
        checks: &[should("not-buffered"), should("kept-alive"), must("exit-0")],
        limit: Duration::from_secs(50),
        ..Scenario::new("http-keep-alive", Family::Documented, |ctx| Box::pin(kept_alive(ctx)))
    },
];

async fn alone(ctx: Ctx) -> Result<(), Stop> {
    let session = ctx.open_ready_with(OpenOptions::new().quietly()).await?;
    let client = session.http()?;
    let mut stream = client.send(&client.get()).await?;
    let head = stream.head().await?;
    if head.status == 405 {
        return Err(ctx.excused("the server offers no stream beside requests"));
    }
    ctx.check("stream", head.status == 200 && head.is_events(), || format!("{} {}", head.status, head.media_type()));
    stream.close();
    let pong = client.answer_to(&client.post(&session::request(Era::Legacy, 1, "ping", json!({}))), 1).await?;
    ctx.equal("session-lives", &golden::normal(Era::Legacy, &pong), &golden::empty_answer(1));
    let again = until_free(&client).await?;
    ctx.check("stream-again", again == 200, || again.to_string());
    exits(&ctx, session).await
}

/// Opens a stream until it is not in the way of the one before, whose end the server may notice later.
async fn until_free(client: &Requests) -> Result<u16, Stop> {
    for _ in 0..100 {
        let status = client.send(&client.get()).await?.head().await?.status;
        if status != 409 {
            return Ok(status);
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    Ok(409)
}

async fn two(ctx: Ctx) -> Result<(), Stop> {
    let session = ctx.open_ready_with(OpenOptions::new().quietly()).await?;
    let client = session.http()?;
    let mut streams = Vec::new();
    let mut statuses = Vec::new();
    for _ in 0..2 {
        let mut stream = client.send(&client.get()).await?;
        let head = stream.head().await?;
        statuses.push(head.status);
        if head.is_events() {
            streams.push(stream);
        }
    }
    let defined = matches!(statuses.as_slice(), [200, 200 | 409]);
    ctx.check("second-is-defined", defined, || format!("{statuses:?}"));
    let toggle = client.post(&session::call(Era::Legacy, 1, "toggle", json!({})));
    let mut call = client.send(&toggle).await?;
    let head = call.head().await?;
    let mut told = match head.is_events() {
        true => call.messages().await?,
        false => Vec::new(),
    };
    // The session ends, and with it its streams.
    client.ask(&client.delete()).await?;
    for stream in &mut streams {
        while let Some(frame) = stream.frame_or_end(Duration::from_secs(2)).await? {
            told.push(frame);
        }
    }
    let changes = told.iter().filter(|frame| frame["method"] == "notifications/tools/list_changed").count();
    ctx.check("change-told-once", changes == 1, || format!("{changes} times: {told:?}"));
    exits(&ctx, session).await
}

/// A stream of changes, and its first message.
async fn listening(client: &Requests, id: &str, filter: Value) -> Result<(Talk, bool, Value), Stop> {
    let frame = session::request(Era::Modern, id, "subscriptions/listen", json!({"notifications": filter}));
    let mut talk = client.send(&client.post(&frame)).await?;
    let is_events = talk.head().await?.is_events();
    let first = talk.message().await?.map(|(_, frame)| frame);
    Ok((talk, is_events, first.unwrap_or_default()))
}

async fn listen(ctx: Ctx) -> Result<(), Stop> {
    let session = ctx.open_ready().await?;
    let client = session.http()?;
    let tools = json!({"toolsListChanged": true});
    let (mut first, events, acknowledged) = listening(&client, "first", tools.clone()).await?;
    let (mut other, _, _) = listening(&client, "other", json!({"promptsListChanged": true})).await?;
    let (mut third, _, _) = listening(&client, "third", tools.clone()).await?;
    ctx.check("events", events, || "it is no stream of events".to_owned());
    let expected = json!({
        "jsonrpc": "2.0",
        "method": "notifications/subscriptions/acknowledged",
        "params": {"notifications": tools, "_meta": {SUBSCRIPTION: "first"}},
    });
    ctx.equal("acknowledged-first", &acknowledged, &expected);
    client.answer_to(&client.post(&session::call(Era::Modern, 1, "toggle", json!({}))), 1).await?;
    let mut told = Vec::new();
    for talk in [&mut first, &mut third] {
        let frame = talk.message().await?.map(|(_, frame)| frame).unwrap_or_default();
        told.push(json!([frame["method"], frame["params"]["_meta"][SUBSCRIPTION]]));
    }
    let change = "notifications/tools/list_changed";
    ctx.equal("told-by-id", &Value::from(told), &json!([[change, "first"], [change, "third"]]));
    // Time in which it could have been told.
    let silent = other.frame_or_end(Duration::from_millis(300)).await;
    ctx.check("others-not-told", silent.is_err(), || format!("{silent:?}"));
    exits(&ctx, session).await
}

async fn shutdown(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    let client = session.http()?;
    let (mut talk, _, _) = listening(&client, "sub", json!({"toolsListChanged": true})).await?;
    session.signal(Signal::Term).await?;
    let last = talk.message().await?.map(|(_, frame)| frame).unwrap_or_default();
    let expected = json!({"jsonrpc": "2.0", "id": "sub", "result": {"_meta": {SUBSCRIPTION: "sub"}}});
    ctx.equal("result-with-its-id", &golden::normal(Era::Modern, &last), &expected);
    let rest = talk.messages().await?;
    ctx.check("stream-ends", rest.is_empty(), || format!("{rest:?}"));
    exited(&ctx, &session.finish().await);
    Ok(())
}

async fn kept_alive(ctx: Ctx) -> Result<(), Stop> {
    // Whose settings are not known is given the time that is usual.
    let (options, patience) = match ctx.lacks(&Need::Settings) {
        Some(_) => (OpenOptions::new(), Duration::from_secs(35)),
        None => (OpenOptions::new().with_keep_alive(Duration::from_millis(200)), Duration::from_secs(2)),
    };
    let session = ctx.open_ready_with(options).await?;
    let client = session.http()?;
    let filter = json!({"notifications": {"toolsListChanged": true}});
    let frame = session::request(Era::Modern, "sub", "subscriptions/listen", filter);
    let mut talk = client.send(&client.post(&frame)).await?;
    let head = talk.head().await?;
    let buffering = head.header("X-Accel-Buffering").unwrap_or_default();
    ctx.check("not-buffered", buffering == "no", || format!("X-Accel-Buffering: {buffering:?}"));
    talk.message().await?;
    let commented = talk.comment_within(patience).await?;
    ctx.check("kept-alive", commented, || format!("no comment for {patience:?}"));
    talk.close();
    exits(&ctx, session).await
}

const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";
