//! Requests that are written in odd ways, and connections that carry several of them.

use serde_json::{Value, json};

use super::{EVERY_ENDPOINT, exits};
use crate::{
    golden,
    scenario::{Ctx, Family, Need, Scenario, Source, Stop, issue, must},
    session::{self, Requests},
};

pub(super) static SCENARIOS: [Scenario; 2] = [
    Scenario {
        title: "one connection carries requests one after the other, also when they are sent before they are answered",
        requirement: "a client that supports persistent connections may pipeline its requests; a server must send its \
                      responses in the same order",
        sources: &[Source::Standard("RFC 9112, section 9.3 (Persistence)")],
        applies: EVERY_ENDPOINT.with_needs(&[Need::Tool("echo")]),
        checks: &[must("one-after-the-other"), must("pipelined"), must("after-a-refusal"), must("exit-0")],
        ..Scenario::new("http-one-connection", Family::Documented, |ctx| Box::pin(one_connection(ctx)))
    },
    Scenario {
        title: "it does not matter how a request is cut on its way",
        requirement: "a message is the same in however many pieces and chunks it comes",
        sources: &[issue("getpaseo/paseo", 4_850), Source::Standard("RFC 9112, section 7.1 (Chunked Transfer Coding)")],
        applies: EVERY_ENDPOINT.with_needs(&[Need::Tool("echo")]),
        checks: &[must("byte-by-byte"), must("in-chunks"), must("asks-to-continue"), must("exit-0")],
        ..Scenario::new("http-pieces", Family::Hostile, |ctx| Box::pin(pieces(ctx)))
    },
];

/// A text with characters of every length.
const TEXT: &str = "aé語🦀";

fn echo(ctx: &Ctx, id: i64) -> Value {
    session::call(ctx.era(), id, "echo", json!({"text": TEXT}))
}

fn is_echo(ctx: &Ctx, frame: &Value, id: i64) -> bool {
    golden::normal(ctx.era(), frame) == golden::text_answer(id, TEXT)
}

async fn one_connection(ctx: Ctx) -> Result<(), Stop> {
    let session = ctx.open_ready().await?;
    let client = session.http()?;
    let mut talk = client.connect().await?;
    let mut wrong = Vec::new();
    for id in 1..=5 {
        talk.send(&client.post(&echo(&ctx, id))).await?;
        let frame = talk.answer_to(id).await?;
        talk.rest().await?;
        if !is_echo(&ctx, &frame, id) {
            wrong.push(frame);
        }
    }
    ctx.check("one-after-the-other", wrong.is_empty(), || format!("{wrong:?}"));
    let together: Vec<u8> = (11..=15).flat_map(|id| client.post(&echo(&ctx, id)).bytes()).collect();
    talk.write(&together).await?;
    for id in 11..=15 {
        let frame = talk.answer_to(id).await?;
        talk.rest().await?;
        if !is_echo(&ctx, &frame, id) {
            wrong.push(frame);
        }
    }
    ctx.check("pipelined", wrong.is_empty(), || format!("{wrong:?}"));
    talk.send(&client.post_text("{")).await?;
    let refused = talk.answer().await?;
    talk.send(&client.post(&echo(&ctx, 21))).await?;
    let frame = talk.answer_to(21).await?;
    let goes_on = refused.head.status == 400 && is_echo(&ctx, &frame, 21);
    ctx.check("after-a-refusal", goes_on, || format!("{}, {frame}", refused.summary()));
    drop(talk);
    exits(&ctx, session).await
}

async fn pieces(ctx: Ctx) -> Result<(), Stop> {
    let session = ctx.open_ready().await?;
    let client = session.http()?;
    let request = client.post(&echo(&ctx, 1));
    let mut talk = client.connect().await?;
    for byte in request.bytes() {
        talk.write_silently(&[byte]).await?;
    }
    let frame = talk.answer_to(1).await?;
    ctx.check("byte-by-byte", is_echo(&ctx, &frame, 1), || frame.to_string());

    let request = client.post(&echo(&ctx, 2)).unmeasured().adding("Transfer-Encoding", "chunked");
    let chunks = request
        .body()
        .chunks(3)
        .flat_map(|chunk| [format!("{:x};name=value\r\n", chunk.len()).as_bytes(), chunk, b"\r\n"].concat());
    let body: Vec<u8> = chunks.chain(*b"0\r\nTrailer: x\r\n\r\n").collect();
    let frame = written(&client, &request.head(), &body, 2).await?;
    ctx.check("in-chunks", is_echo(&ctx, &frame, 2), || frame.to_string());

    let request = client.post(&echo(&ctx, 3)).adding("Expect", "100-continue");
    let frame = written(&client, &request.head(), request.body(), 3).await?;
    ctx.check("asks-to-continue", is_echo(&ctx, &frame, 3), || frame.to_string());
    exits(&ctx, session).await
}

async fn written(client: &Requests, head: &[u8], body: &[u8], id: i64) -> Result<Value, Stop> {
    let mut talk = client.connect().await?;
    talk.write(head).await?;
    talk.write(body).await?;
    talk.answer_to(id).await
}
