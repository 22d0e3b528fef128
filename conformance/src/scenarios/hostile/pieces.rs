//! Frames in pieces: what is split makes no difference.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{exact::exact, table};
use crate::{
    golden,
    scenario::{Applies, Ctx, Family, Need, Scenario, Stop, issue, must, spec},
    session::{self, Session},
    target::Exit,
};

const ON_BYTES: Applies = Applies::EVERYWHERE.with_needs(&[Need::Bytes, Need::Tool("echo")]);

pub(super) static SCENARIOS: [Scenario; 3] = [
    Scenario {
        title: "a request split at any of its bytes is the same request",
        requirement: "a message fed in pieces, with 4-byte characters: same result as in one piece",
        sources: &[issue("getpaseo", 4850), spec("2025-11-25", "basic/transports#stdio")],
        applies: ON_BYTES,
        checks: &[must("every-split-answered"), must("nothing-else"), must("exit-0")],
        limit: table::LIMIT,
        ..Scenario::new("hostile-split-anywhere", Family::Hostile, |ctx| Box::pin(split_anywhere(ctx)))
    },
    Scenario {
        title: "requests fed byte by byte, and in pieces that fit nothing, are the same requests",
        requirement: "a message fed in pieces, with 4-byte characters: same result as in one piece",
        sources: &[issue("getpaseo", 4850), issue("rust-sdk", 941), issue("rust-sdk", 947)],
        applies: ON_BYTES,
        checks: &[must("byte-by-byte"), must("in-pieces"), must("all-in-one"), must("exit-0")],
        limit: table::LIMIT,
        ..Scenario::new("hostile-pieces", Family::Hostile, |ctx| Box::pin(in_pieces(ctx)))
    },
    Scenario {
        title: "a large frame in small pieces is read once",
        requirement: "scan only new bytes: the time of a large frame in 8 KiB pieces is linear in its size",
        sources: &[issue("openclaw", 135_094), issue("typescript-sdk", 2775)],
        applies: ON_BYTES,
        checks: &[must("one-mib-echoed"), must("sixteen-mib-served"), must("linear"), must("exit-0")],
        limit: table::LIMIT,
        ..Scenario::new("hostile-large-in-pieces", Family::Hostile, |ctx| Box::pin(large_in_pieces(ctx)))
    },
];

async fn split_anywhere(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    let line = format!("{}\r\n", session::call(ctx.era(), "split", "echo", json!({"text": TEXT})));
    let expected = golden::text_answer("split", TEXT);
    let mut wrong = Vec::new();
    for at in 0..=line.len() {
        // Fresh ids of the same length: each answer is known to be of its split.
        let id = format!("s{at:04}");
        let text = line.replace("split", &id);
        let (before, after) = text.as_bytes().split_at(at);
        session.send_bytes(before).await;
        // The peer is given the time to read the first part alone.
        tokio::time::sleep(A_MOMENT).await;
        session.send_bytes(after).await;
        let came = exact(ctx.era(), &session.next_line().await?);
        let mut expected = expected.clone();
        expected["id"] = id.as_str().into();
        if came != expected {
            wrong.push(format!("split at byte {at}: {came}"));
        }
    }
    ctx.check("every-split-answered", wrong.is_empty(), || wrong.join(" | "));
    session.close_write().await;
    let rest = session.rest().await?;
    ctx.check("nothing-else", rest.is_empty(), || format!("{rest:?}"));
    exits(&ctx, session).await
}

async fn in_pieces(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    let before = session.seen().len();
    let ids: Vec<String> = (0..20).map(|n| format!("piece {n}")).collect();
    let text: String = ids
        .iter()
        .map(|id| format!("{}\n", session::call(ctx.era(), id.as_str(), "echo", json!({"text": TEXT}))))
        .collect();
    let expected: Vec<Value> = ids.iter().map(|id| golden::text_answer(id.as_str(), TEXT)).collect();
    for (check, size) in [("byte-by-byte", 1), ("in-pieces", 7), ("all-in-one", usize::MAX)] {
        let from = session.seen().len();
        for piece in text.as_bytes().chunks(size.min(text.len())) {
            session.send_bytes(piece).await;
        }
        for id in &ids {
            session.answer_to(id.as_str()).await?;
        }
        let mut came = session.seen_normal().split_off(from);
        came.sort_by_key(|frame| ids.iter().position(|id| frame["id"] == id.as_str()));
        ctx.check(check, came == expected, || Value::from(came).to_string());
    }
    session.close_write().await;
    session.rest().await?;
    let answers = session.seen().len() - before;
    if answers != 3 * ids.len() {
        return Err(Stop(format!("{answers} frames for {} requests", 3 * ids.len())));
    }
    exits(&ctx, session).await
}

async fn large_in_pieces(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    let text = "x🦀".repeat((1 << 20) / 5);
    let call = session::call(ctx.era(), 1, "echo", json!({"text": text})).to_string();
    feed(&mut session, &call).await;
    let echoed = session.answer_to(1).await?;
    ctx.check("one-mib-echoed", golden::tool_text(&echoed) == Some(&text), || "another text came back".to_owned());

    let mut wrong = Vec::new();
    let mut best = [Duration::MAX; SIZES.len()];
    for number in 0..TRIES {
        for (size, best) in SIZES.into_iter().zip(&mut best) {
            let id = format!("{size} MiB, {number}");
            let (took, answer) = padded(&ctx, &mut session, &id, size << 20).await?;
            *best = took.min(*best);
            if answer != golden::text_answer(id, "x") {
                wrong.push(answer.to_string());
            }
        }
    }
    ctx.check("sixteen-mib-served", wrong.is_empty(), || wrong.join(" | "));
    let [small, large] = best;
    ctx.check("linear", large < small * MOST + FIXED, || {
        format!("{small:?} for {} MiB, {large:?} for {}", SIZES[0], SIZES[1])
    });
    exits(&ctx, session).await
}

/// How long it takes until a call of so many bytes is answered that is sent in pieces, and the answer.
async fn padded(ctx: &Ctx, session: &mut Session, id: &str, bytes: usize) -> Result<(Duration, Value), Stop> {
    let pad = "p".repeat(bytes - 1_024);
    let params = json!({"name": "echo", "arguments": {"text": "x"}, "pad": pad});
    let call = session::request(ctx.era(), id, "tools/call", params).to_string();
    let since = Instant::now();
    feed(session, &call).await;
    let answer = session.answer_to(id).await?;
    Ok((since.elapsed(), session.normal(&answer)))
}

/// Sends a line in pieces of 8 KiB.
async fn feed(session: &mut Session, line: &str) {
    for piece in line.as_bytes().chunks(8 << 10) {
        session.send_bytes(piece).await;
    }
    session.send_bytes(b"\n").await;
}

async fn exits(ctx: &Ctx, session: Session) -> Result<(), Stop> {
    let ending = session.finish().await;
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}

/// Characters of one to four bytes.
const TEXT: &str = "aé€🦀";
/// How large, in MiB, the frames are whose times are compared.
const SIZES: [usize; 2] = [2, 16];
/// How much longer the large one may take, besides [`FIXED`]. Eight times is linear, and memory costs more where it does
/// not fit into a cache; whoever looks at all that has come with each piece needs 64 times as long.
const MOST: u32 = 12;
/// The pieces of the large one are 16 GiB when each is looked at with all before it, which takes seconds.
const FIXED: Duration = Duration::from_millis(500);
/// The best of so many times is that of the program, and not of what runs beside it.
const TRIES: usize = 3;
const A_MOMENT: Duration = Duration::from_millis(1);
