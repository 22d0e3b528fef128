//! C34: how a session over HTTP begins and ends.

use std::{collections::HashSet, time::Duration};

use serde_json::{Value, json};

use super::{STATEFUL, exits};
use crate::{
    golden,
    http::Request,
    scenario::{Ctx, Era, Family, Need, Scenario, Stop, issue, must, row, spec},
    session::{self, Requests, Talk},
    target::OpenOptions,
};

pub(super) static SCENARIOS: [Scenario; 6] = [
    Scenario {
        row: Some("C34"),
        title: "DELETE ends the session: what runs is cancelled, its streams end, its id is unknown from then on",
        requirement: "DELETE: as peer gone, all its streams end; afterwards 404; other sessions are untouched",
        sources: &[issue("python-sdk", 1967), spec("2025-11-25", "basic/transports#session-management"), row("C34")],
        applies: STATEFUL.with_needs(&[Need::Tool("sleep"), Need::Tool("echo")]),
        checks: &[
            must("accepted"),
            must("call-ends-unanswered"),
            must("stream-ends"),
            must("unknown-from-then-on"),
            must("others-untouched"),
            must("report-cancelled"),
            must("exit-0"),
        ],
        ..Scenario::new("c34-delete", Family::Documented, |ctx| Box::pin(delete(ctx)))
    },
    Scenario {
        row: Some("C34"),
        title: "a session that never was is 404, and none at all is 400",
        requirement: "requests with the id of a session that has ended: 404; requests without an id other than \
                      initialization: 400",
        sources: &[issue("python-sdk", 1641), spec("2025-11-25", "basic/transports#session-management")],
        applies: STATEFUL,
        checks: &[must("unknown"), must("unnamed"), must("serves-on"), must("exit-0")],
        ..Scenario::new("c34-unknown", Family::Documented, |ctx| Box::pin(unknown(ctx)))
    },
    Scenario {
        title: "`initialize` with the id of a session that is gone opens a new one",
        requirement: "404 for a session id: the client must start a new session by `initialize` without an id; one that \
                      sends it along all the same is not stuck",
        sources: &[issue("diegosouzapw/OmniRoute", 5_957), spec("2025-11-25", "basic/transports#session-management")],
        applies: STATEFUL,
        checks: &[must("opened"), must("by-another-id"), must("serves"), must("exit-0")],
        ..Scenario::new("http-initialize-with-a-stale-id", Family::Documented, |ctx| Box::pin(stale(ctx)))
    },
    Scenario {
        title: "ids of sessions are visible ASCII, long, and never the same",
        requirement: "the session id must only contain visible ASCII characters (0x21 to 0x7E), and should be globally \
                      unique and cryptographically secure",
        sources: &[spec("2025-11-25", "basic/transports#session-management")],
        applies: STATEFUL,
        checks: &[must("visible"), must("long-enough"), must("different"), must("exit-0")],
        ..Scenario::new("http-session-ids", Family::Documented, |ctx| Box::pin(ids(ctx)))
    },
    Scenario {
        title: "an `initialize` that is refused opens no session",
        requirement: "a server may assign a session id on the response that contains the `InitializeResult`",
        sources: &[
            issue("typescript-sdk", 2_469),
            issue("rust-sdk", 934),
            spec("2025-11-25", "basic/transports#session-management"),
        ],
        applies: STATEFUL,
        checks: &[must("refused"), must("no-id"), must("exit-0")],
        ..Scenario::new("http-refused-initialize", Family::Documented, |ctx| Box::pin(refused(ctx)))
    },
    Scenario {
        title: "the header of the revision is checked, and may be missing",
        requirement: "a request with an invalid or unsupported `MCP-Protocol-Version`: 400; without the header and \
                      without other clues: 2025-03-26 is assumed",
        sources: &[spec("2025-11-25", "basic/transports#protocol-version-header")],
        applies: STATEFUL,
        checks: &[must("unknown-refused"), must("absent-served"), must("older-served"), must("exit-0")],
        ..Scenario::new("http-version-of-a-session", Family::Documented, |ctx| Box::pin(version(ctx)))
    },
];

async fn delete(ctx: Ctx) -> Result<(), Stop> {
    let session = ctx.open_ready_with(OpenOptions::new().quietly()).await?;
    let other = session.http()?;
    let one = other.anew();
    one.initialize("2025-11-25").await?;
    let mut stream = one.send(&one.get()).await?;
    let streams = stream.head().await?.is_events();
    let mut call = one.send(&one.post(&session::call(Era::Legacy, 1, "sleep", json!({"ms": 20_000})))).await?;
    // An answer in the same session shows that the call was received.
    one.answer_to(&one.post(&session::call(Era::Legacy, 2, "echo", json!({"text": "x"}))), 2).await?;

    let accepted = one.ask(&one.delete()).await?;
    ctx.check("accepted", matches!(accepted.head.status, 200 | 204), || accepted.summary());
    let came = whatever_comes(&mut call).await;
    ctx.check("call-ends-unanswered", came.as_ref().is_ok_and(Vec::is_empty), || format!("{came:?}"));
    let rest = if streams { whatever_comes(&mut stream).await } else { Ok(Vec::new()) };
    ctx.check("stream-ends", rest.is_ok(), || format!("{rest:?}"));
    let statuses = statuses_of(&one).await?;
    ctx.check("unknown-from-then-on", statuses == [404, 404, 404], || format!("POST, GET, DELETE: {statuses:?}"));
    let echo = other.answer_to(&other.post(&session::call(Era::Legacy, 3, "echo", json!({"text": "on"}))), 3).await?;
    ctx.equal("others-untouched", &golden::normal(Era::Legacy, &echo), &golden::text_answer(3, "on"));
    let ending = session.finish().await;
    ctx.report("report-cancelled", &ending, |report| report["requests"]["cancelled"] == 1);
    super::exited(&ctx, &ending);
    Ok(())
}

/// The frames of a response until it ends, in whichever way.
async fn whatever_comes(talk: &mut Talk) -> Result<Vec<Value>, Stop> {
    let mut frames = Vec::new();
    loop {
        match talk.frame_or_end(Duration::from_secs(2)).await? {
            Some(frame) => frames.push(frame),
            None => return Ok(frames),
        }
    }
}

async fn statuses_of(client: &Requests) -> Result<[u16; 3], Stop> {
    let ping = client.post(&session::request(Era::Legacy, 9, "ping", json!({})));
    let mut statuses = [0; 3];
    for (status, request) in statuses.iter_mut().zip([ping, client.get(), client.delete()]) {
        *status = client.ask(&request).await?.head.status;
    }
    Ok(statuses)
}

async fn unknown(ctx: Ctx) -> Result<(), Stop> {
    let session = ctx.open_ready_with(OpenOptions::new().quietly()).await?;
    let client = session.http()?;
    let stranger = client.anew();
    stranger.speech().agreed("2025-11-25");
    let unnamed = statuses_of(&stranger).await?;
    stranger.speech().in_session(Some("0123456789abcdef0123456789abcdef"));
    let unknown = statuses_of(&stranger).await?;
    ctx.check("unknown", unknown == [404, 404, 404], || format!("POST, GET, DELETE: {unknown:?}"));
    ctx.check("unnamed", unnamed == [400, 400, 400], || format!("POST, GET, DELETE: {unnamed:?}"));
    let pong = client.answer_to(&client.post(&session::request(Era::Legacy, 1, "ping", json!({}))), 1).await?;
    ctx.equal("serves-on", &golden::normal(Era::Legacy, &pong), &golden::empty_answer(1));
    exits(&ctx, session).await
}

async fn stale(ctx: Ctx) -> Result<(), Stop> {
    let session = ctx.open_ready_with(OpenOptions::new().quietly()).await?;
    let client = session.http()?.anew();
    client.initialize("2025-11-25").await?;
    let gone = client.speech().session().unwrap_or_default();
    client.ask(&client.delete()).await?;
    let hello = client.post(&session::initialize(1, "2025-11-25")).adding("Mcp-Session-Id", &gone);
    let mut talk = client.send(&hello).await?;
    let head = talk.head().await?;
    let answer = talk.frame_for(1, &head).await?;
    let opened = head.status == 200 && answer["result"]["protocolVersion"] == "2025-11-25";
    ctx.check("opened", opened, || format!("{} {answer}", head.status));
    let id = head.header("Mcp-Session-Id").unwrap_or_default();
    ctx.check("by-another-id", !id.is_empty() && id != gone, || format!("{id:?} after {gone:?}"));
    client.speech().in_session(Some(id));
    let pong = client.answer_to(&client.post(&session::request(Era::Legacy, 2, "ping", json!({}))), 2).await?;
    ctx.equal("serves", &golden::normal(Era::Legacy, &pong), &golden::empty_answer(2));
    exits(&ctx, session).await
}

async fn ids(ctx: Ctx) -> Result<(), Stop> {
    let session = ctx.open_ready().await?;
    let mut ids = HashSet::new();
    for _ in 0..SESSIONS {
        let client = session.http()?.anew();
        client.initialize("2025-11-25").await?;
        ids.insert(client.speech().session().unwrap_or_default());
        client.ask(&client.delete()).await?;
    }
    let odd = ids.iter().find(|id| id.is_empty() || id.bytes().any(|byte| !(0x21..=0x7E).contains(&byte)));
    ctx.check("visible", odd.is_none(), || format!("{odd:?}"));
    // 128 bits in Base64.
    let short = ids.iter().find(|id| id.len() < 22);
    ctx.check("long-enough", short.is_none(), || format!("{short:?}"));
    ctx.check("different", ids.len() == SESSIONS, || format!("{} ids of {SESSIONS} sessions", ids.len()));
    exits(&ctx, session).await
}

async fn refused(ctx: Ctx) -> Result<(), Stop> {
    let session = ctx.open_ready().await?;
    let client = session.http()?.anew();
    let bad = session::request(Era::Legacy, 1, "initialize", json!({"capabilities": {}}));
    let mut talk = client.send(&client.post(&bad)).await?;
    let head = talk.head().await?;
    let answer = talk.frame_for(1, &head).await?;
    ctx.equal("refused", &golden::normal(Era::Legacy, &answer), &golden::error_answer(1, -32602));
    let id = head.header("Mcp-Session-Id");
    ctx.check("no-id", id.is_none(), || format!("{id:?}"));
    exits(&ctx, session).await
}

async fn version(ctx: Ctx) -> Result<(), Stop> {
    let session = ctx.open_ready().await?;
    let client = session.http()?;
    let ping = client.post(&session::request(Era::Legacy, 1, "ping", json!({})));
    let with = |version: &str| ping.clone().with("MCP-Protocol-Version", version);
    let status = async |request: &Request| client.ask(request).await.map(|answer| answer.head.status);
    let unknown = [status(&with("1.0")).await?, status(&with("2099-01-01")).await?, status(&with("")).await?];
    ctx.check("unknown-refused", unknown == [400, 400, 400], || format!("{unknown:?}"));
    let absent = status(&ping.clone().without("MCP-Protocol-Version")).await?;
    ctx.check("absent-served", absent == 200, || absent.to_string());
    let older = client.anew();
    older.initialize("2025-03-26").await?;
    let pong = older.answer_to(&older.post(&session::request(Era::Legacy, 2, "ping", json!({}))), 2).await?;
    ctx.equal("older-served", &golden::normal(Era::Legacy, &pong), &golden::empty_answer(2));
    exits(&ctx, session).await
}

const SESSIONS: usize = 100;
