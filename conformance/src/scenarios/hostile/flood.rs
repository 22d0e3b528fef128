//! Much at once: nothing is lost, and what has an order keeps it.

use std::{collections::HashMap, time::Duration};

use serde_json::{Value, json};

use crate::{
    golden,
    scenario::{Applies, Ctx, Family, Need, Scenario, Stop, issue, must, row, spec},
    session::{self, Session},
    target::Exit,
};

pub(super) static SCENARIOS: [Scenario; 4] = [
    Scenario {
        title: "a thousand requests in one write are all answered",
        requirement: "all ids answered exactly once",
        sources: &[issue("rust-sdk", 941), issue("rust-sdk", 947), spec("2025-11-25", "basic/index#responses")],
        applies: Applies::EVERYWHERE.with_needs(&[Need::Tool("echo")]),
        checks: &[must("each-answered-once"), must("unknown-methods-refused"), must("exit-0")],
        limit: LIMIT,
        ..Scenario::new("hostile-1000-requests", Family::Hostile, |ctx| Box::pin(requests(ctx)))
    },
    Scenario {
        title: "a thousand notifications before a request do not delay, lose or answer anything",
        requirement: "notifications are never answered; unknown ones are ignored",
        sources: &[spec("2025-11-25", "basic/index#notifications"), row("C15")],
        applies: Applies::EVERYWHERE.with_needs(&[Need::Tool("echo")]),
        checks: &[must("only-the-echo-answered"), must("exit-0")],
        limit: LIMIT,
        ..Scenario::new("hostile-1000-notifications", Family::Hostile, |ctx| Box::pin(notifications(ctx)))
    },
    Scenario {
        title: "two hundred calls in pieces of ten bytes, all of them telling progress into a full pipe",
        requirement: "requests fed in 10-byte pieces, answers that do not fit the pipe: all ids answered exactly once; \
                      all notes before the response and in order",
        sources: &[issue("rust-sdk", 941), issue("rust-sdk", 947), row("C23"), row("C16")],
        applies: Applies::EVERYWHERE.with_needs(&[Need::Bytes, Need::Tool("burst")]),
        checks: &[must("notes-in-order-then-one-answer"), must("all-answered"), must("exit-0")],
        limit: LIMIT,
        ..Scenario::new("hostile-200-bursts", Family::Hostile, |ctx| Box::pin(bursts(ctx)))
    },
    Scenario {
        title: "two hundred calls with answers of 64 KiB while nothing is read for a while",
        requirement: "200 concurrent calls with large answers over a 64 KiB pipe: all ids answered exactly once",
        sources: &[issue("rust-sdk", 941), issue("rust-sdk", 947), row("C16")],
        applies: Applies::EVERYWHERE.with_needs(&[Need::Bytes, Need::Tool("echo")]),
        checks: &[must("each-answered-once"), must("nothing-else"), must("exit-0")],
        limit: LIMIT,
        ..Scenario::new("hostile-200-large-answers", Family::Hostile, |ctx| Box::pin(large_answers(ctx)))
    },
];

async fn requests(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    let before = session.seen().len();
    let (era, odd) = (ctx.era(), |id: &u64| id.is_multiple_of(10));
    let frames: Vec<Value> = (0..1_000)
        .map(|id: u64| match odd(&id) {
            true => session::request(era, id, &format!("no/such/{id}"), json!({})),
            false => session::call(era, id, "echo", json!({"text": format!("text {id}")})),
        })
        .collect();
    session.send_together(&frames).await;
    for id in 0..1_000 {
        session.answer_to(id).await?;
    }
    session.close_write().await;
    session.rest().await?;
    let mut came = session.seen_normal().split_off(before);
    came.sort_by_key(|frame| frame["id"].as_u64());
    let (refused, served): (Vec<Value>, Vec<Value>) =
        came.into_iter().partition(|frame| frame["id"].as_u64().as_ref().is_some_and(odd));
    let expected: Vec<Value> =
        (0..1_000).filter(|id| !odd(id)).map(|id| golden::text_answer(id, &format!("text {id}"))).collect();
    ctx.check("each-answered-once", served == expected, || format!("{} answers", served.len()));
    let expected: Vec<Value> = (0..1_000).filter(odd).map(|id| golden::error_answer(id, -32601)).collect();
    ctx.check("unknown-methods-refused", refused == expected, || format!("{} refusals", refused.len()));
    exits(&ctx, session).await
}

async fn notifications(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    let before = session.seen().len();
    let mut frames: Vec<Value> = (0..5_000)
        .map(|n| json!({"jsonrpc": "2.0", "method": format!("notifications/nope/{}", n % 7), "params": {"n": n}}))
        .collect();
    frames.push(session::call(ctx.era(), 1, "echo", json!({"text": "on"})));
    session.send_together(&frames).await;
    session.answer_to(1).await?;
    session.send_together(&frames[..5_000]).await;
    session.close_write().await;
    session.rest().await?;
    let came = session.seen_normal().split_off(before);
    ctx.check("only-the-echo-answered", came == [golden::text_answer(1, "on")], || format!("{came:?}"));
    exits(&ctx, session).await
}

async fn bursts(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    let before = session.seen().len();
    let mut text = String::new();
    for id in 0..CALLS {
        let mut frame = session::call(ctx.era(), id, "burst", json!({"count": NOTES}));
        frame["params"]["_meta"]["progressToken"] = format!("of {id}").into();
        text.push_str(&frame.to_string());
        text.push('\n');
    }
    for piece in text.as_bytes().chunks(10) {
        session.send_bytes(piece).await;
    }
    for id in 0..CALLS {
        session.answer_to(id).await?;
    }
    session.close_write().await;
    session.rest().await?;
    let mut notes: HashMap<String, Vec<f64>> = HashMap::new();
    let mut answered: HashMap<u64, usize> = HashMap::new();
    let mut strange = Vec::new();
    for frame in session.seen().iter().skip(before) {
        let params = &frame["params"];
        match (frame["id"].as_u64(), params["progressToken"].as_str(), params["progress"].as_f64()) {
            (Some(id), None, None) => {
                let told = notes.get(&format!("of {id}")).map_or(0, Vec::len);
                let good = golden::tool_text(frame).is_some() && told == NOTES as usize;
                *answered.entry(id).or_default() += 1;
                if !good {
                    strange.push(format!("after {told} notes: {frame}"));
                }
            }
            (None, Some(token), Some(progress)) => notes.entry(token.to_owned()).or_default().push(progress),
            _ => strange.push(frame.to_string()),
        }
    }
    let in_order = notes.values().all(|of_one| of_one.is_sorted() && of_one.len() == NOTES as usize);
    ctx.check("notes-in-order-then-one-answer", in_order && strange.is_empty(), || {
        format!("{} strange: {:?}", strange.len(), strange.first())
    });
    let all = answered.len() as u64 == CALLS && answered.values().all(|count| *count == 1);
    ctx.check("all-answered", all, || format!("{} of {CALLS} were answered", answered.len()));
    exits(&ctx, session).await
}

async fn large_answers(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    let before = session.seen().len();
    let text = |id: u64| format!("{id} ").repeat((64 << 10) / 4);
    for id in 0..CALLS {
        let frame = format!("{}\n", session::call(ctx.era(), id, "echo", json!({"text": text(id)})));
        for piece in frame.as_bytes().chunks(4_093) {
            session.send_bytes(piece).await;
        }
    }
    // Nothing was read so far: what was answered stands in the pipe and behind it.
    for id in 0..CALLS {
        session.answer_to(id).await?;
    }
    session.close_write().await;
    session.rest().await?;
    let mut came: Vec<&Value> = session.seen().iter().skip(before).collect();
    came.sort_by_key(|frame| frame["id"].as_u64());
    let good = came.iter().zip(0..).all(|(frame, id)| golden::tool_text(frame) == Some(&text(id)) && frame["id"] == id);
    ctx.check("each-answered-once", good, || "another text came back".to_owned());
    ctx.check("nothing-else", came.len() as u64 == CALLS, || format!("{} frames", came.len()));
    exits(&ctx, session).await
}

async fn exits(ctx: &Ctx, session: Session) -> Result<(), Stop> {
    let ending = session.finish().await;
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}

const CALLS: u64 = 200;
const NOTES: u64 = 50;
const LIMIT: Duration = Duration::from_secs(60);
