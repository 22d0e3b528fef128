//! Bodies of any length, and clients that stop in the middle.

use std::time::Duration;

use serde_json::json;

use super::{EVERY_ENDPOINT, MODERN, exited, exits};
use crate::{
    golden,
    http::Request,
    scenario::{Ctx, Family, Need, Scenario, Source, Stop, issue, must, row},
    session::{self, Requests},
    target::OpenOptions,
};

pub(super) static SCENARIOS: [Scenario; 3] = [
    Scenario {
        title: "a body without a bound is refused before it is read, and one at the bound is served",
        requirement: "content that is larger than the server is willing to process: 413; the connection is closed, and \
                      nothing is allocated by a length that the wire names",
        sources: &[issue("rust-sdk", 970), Source::Standard("RFC 9110, section 15.5.14 (413)")],
        applies: EVERY_ENDPOINT.with_needs(&[Need::DefaultLimits, Need::Tool("echo")]),
        checks: &[
            must("at-the-bound"),
            must("one-byte-beyond"),
            must("five-gib-announced"),
            must("endless"),
            must("serves-on"),
            must("exit-0"),
        ],
        limit: Duration::from_secs(30),
        ..Scenario::new("http-body-limit", Family::Hostile, |ctx| Box::pin(limit(ctx)))
    },
    Scenario {
        title: "a body that does not come is not waited for",
        requirement: "a request message that is not complete in the time that the server is prepared to wait: 408; the \
                      connection is closed",
        sources: &[issue("rust-sdk", 970), Source::Standard("RFC 9110, section 15.5.9 (408)")],
        applies: EVERY_ENDPOINT.with_needs(&[Need::DefaultLimits, Need::Tool("echo")]),
        checks: &[must("not-waited-for"), must("connection-closed"), must("serves-on"), must("exit-0")],
        limit: Duration::from_secs(40),
        ..Scenario::new("http-slow-body", Family::Hostile, |ctx| Box::pin(slow(ctx)))
    },
    Scenario {
        row: Some("C31"),
        title: "a client that stops reading its stream is gone after a while",
        requirement: "writes stall (30 s on HTTP): peer gone; its request is cancelled, and nothing else",
        sources: &[row("C31")],
        applies: MODERN.with_needs(&[Need::Settings, Need::Report, Need::Tool("burst"), Need::Tool("echo")]),
        checks: &[must("cut"), must("serves-on"), must("report-cancelled"), must("exit-0")],
        limit: Duration::from_secs(30),
        ..Scenario::new("c31-http-reader-stops", Family::Documented, |ctx| Box::pin(stops(ctx)))
    },
];

async fn limit(ctx: Ctx) -> Result<(), Stop> {
    let session = ctx.open_ready().await?;
    let client = session.http()?;
    let sized = |size: usize| -> Request {
        let frame = session::call(ctx.era(), 1, "echo", json!({"text": "FILL"})).to_string();
        let fill = "x".repeat(size - (frame.len() - "FILL".len()));
        client.post_text(frame.replace("FILL", &fill))
    };
    let answer = client.answer_to(&sized(BODY), 1).await?;
    ctx.check("at-the-bound", golden::tool_text(&answer).is_some(), || "not served".to_owned());
    let beyond = refused(&client, &sized(BODY + 1)).await?;
    ctx.check("one-byte-beyond", beyond.is_none(), || beyond.unwrap_or_default());
    let announced = sized(1_000).with_body("").with("Content-Length", (5_u64 << 30).to_string());
    let announced = refused(&client, &announced).await?;
    ctx.check("five-gib-announced", announced.is_none(), || announced.unwrap_or_default());

    let mut talk = client.connect().await?;
    talk.write(&sized(1_000).unmeasured().adding("Transfer-Encoding", "chunked").head()).await?;
    let chunk = [b"10000\r\n".as_slice(), &[b' '; 0x10000], b"\r\n"].concat();
    let mut sent = 0;
    // The server stops reading, or closes the connection, long before that.
    while sent < 16 * BODY && talk.write_silently(&chunk).await.is_ok() {
        sent += 0x10000;
    }
    let ended = match talk.answer_or_end().await {
        Ok(answer) => (answer.head.status != 413).then(|| answer.summary()),
        // The answer may be lost where more was sent than was read.
        Err(error) if error.is_ended() => None,
        Err(error) => Some(error.to_string()),
    };
    let read_on = (sent >= 16 * BODY).then(|| format!("{sent} bytes were taken"));
    ctx.check("endless", ended.is_none() && read_on.is_none(), || format!("{ended:?} {read_on:?}"));
    serves_on(&ctx, &client).await?;
    exits(&ctx, session).await
}

async fn slow(ctx: Ctx) -> Result<(), Stop> {
    let session = ctx.open_ready().await?;
    let client = session.http()?;
    let request = client.post(&session::call(ctx.era(), 1, "echo", json!({"text": "never whole"})));
    let mut talk = client.connect().await?.with_patience(Duration::from_secs(20));
    talk.write(&request.head()).await?;
    talk.write(request.body().get(..20).unwrap_or_default()).await?;
    let answer = talk.answer().await?;
    ctx.check("not-waited-for", answer.head.status == 408, || answer.summary());
    let closed = talk.is_closed_by_peer().await;
    ctx.check("connection-closed", closed, || "the connection stays open".to_owned());
    serves_on(&ctx, &client).await?;
    exits(&ctx, session).await
}

async fn stops(ctx: Ctx) -> Result<(), Stop> {
    let session = ctx.open_ready_with(OpenOptions::new().with_write_stall(Duration::from_millis(300))).await?;
    let client = session.http()?;
    // More than the buffers of both systems hold.
    let mut frame = session::call(ctx.era(), 1, "burst", json!({"count": 400_000}));
    frame["params"]["_meta"]["progressToken"] = json!("p".repeat(200));
    let mut talk = client.send(&client.post(&frame)).await?;
    talk.head().await?;
    // The time that it takes for the writes to stall is what this is about.
    tokio::time::sleep(Duration::from_secs(3)).await;
    let cut = talk.is_cut_off().await;
    ctx.check("cut", cut, || "the stream came to its end".to_owned());
    serves_on(&ctx, &client).await?;
    let ending = session.finish().await;
    ctx.report("report-cancelled", &ending, |report| report["requests"]["cancelled"] == 1);
    exited(&ctx, &ending);
    Ok(())
}

async fn serves_on(ctx: &Ctx, client: &Requests) -> Result<(), Stop> {
    let echo = client.post(&session::call(ctx.era(), 2, "echo", json!({"text": "on"})));
    let answer = client.answer_to(&echo, 2).await?;
    ctx.equal("serves-on", &golden::normal(ctx.era(), &answer), &golden::text_answer(2, "on"));
    Ok(())
}

/// Why a request is not refused as too large, on a connection that is closed then.
async fn refused(client: &Requests, request: &Request) -> Result<Option<String>, Stop> {
    let mut talk = client.connect().await?;
    talk.write_silently(&request.head()).await?;
    // The server may answer before it has read the body.
    let written = talk.write_silently(request.body()).await;
    match talk.answer_or_end().await {
        Ok(answer) if answer.head.status == 413 => {
            let closed = talk.is_closed_by_peer().await;
            Ok((!closed).then(|| "the connection stays open".to_owned()))
        }
        Ok(answer) => Ok(Some(answer.summary())),
        Err(error) => Ok(Some(format!("{error}, after {written:?}"))),
    }
}

/// The bound of a body.
const BODY: usize = 4 << 20;
