//! C1, C3a, C12, C16, C20, C29, C32 and C42: the calls of a client that plays a script.

use std::time::Instant;

use serde_json::{Value, json};

use crate::{
    scenario::{Applies, Ctx, Family, Need, Role, Scenario, Stop, issue, must, row, spec},
    scenarios::play::{AT_ONCE, cancels, counted, exits, fails_at_once, is_answered, playing},
    session::{self, Session},
    target::Exit,
};

const CLIENT: Applies = Applies::EVERYWHERE.to(&[Role::Client]);
const ON_BYTES: Applies = CLIENT.with_needs(&[Need::Bytes]);

pub(super) static SCENARIOS: [Scenario; 11] = [
    Scenario {
        row: Some("C1"),
        title: "the server has said all it will say: the call that waits fails, and so does the next",
        requirement: "nobody can answer any more: every pending call settles at once; a later call fails at once, \
                      without touching the transport",
        sources: &[row("C1"), issue("python-sdk", 332), issue("agentclientprotocol/python-sdk", 85)],
        applies: CLIENT,
        checks: &[must("fails-at-once"), must("next-fails-at-once"), must("not-sent"), must("exit-0")],
        ..Scenario::new("c1-client-call-unanswered", Family::Documented, |ctx| Box::pin(unanswered(ctx)))
    },
    Scenario {
        row: Some("C3a"),
        title: "a client whose server has said all it will say closes its side too",
        requirement: "read ended, policy cancel: the write side closes",
        sources: &[row("C3a")],
        applies: CLIENT,
        checks: &[must("write-side-closes"), must("silent"), must("exit-0")],
        ..Scenario::new("c3a-client-closes-too", Family::Documented, |ctx| Box::pin(closes_too(ctx)))
    },
    Scenario {
        row: None,
        title: "a call fails at once when the server reads no more, though answers are still read",
        requirement: "a local call on a dead write side: `ConnectionClosed` at once",
        sources: &[row("C7"), row("C20")],
        applies: ON_BYTES.with_needs(&[Need::ReaderGone]),
        checks: &[must("closed-at-once"), must("report-nothing-queued"), must("exit-0")],
        ..Scenario::new("client-unheard", Family::Documented, |ctx| Box::pin(unheard(ctx)))
    },
    Scenario {
        row: Some("C20"),
        title: "the server reads no more, and the answer to a call that was sent still arrives: it wins",
        requirement: "an answer in the pipe wins; unsent calls settle in the same step",
        sources: &[row("C20")],
        applies: ON_BYTES.with_needs(&[Need::ReaderGone]),
        checks: &[must("unsent-settles-at-once"), must("answer-wins"), must("exit-0")],
        ..Scenario::new("c20-client-answer-wins", Family::Documented, |ctx| Box::pin(answer_wins(ctx)))
    },
    Scenario {
        row: Some("C12"),
        title: "responses that name no call of the client are ignored, whatever they are",
        requirement: "response with an unknown or settled id: ignored",
        sources: &[row("C12"), issue("python-sdk", 1720), issue("rust-sdk", 1021)],
        applies: CLIENT,
        checks: &[must("settles-once"), must("not-answered"), must("report-counted"), must("exit-0")],
        ..Scenario::new("c12-client-foreign-responses", Family::Documented, |ctx| Box::pin(foreign_responses(ctx)))
    },
    Scenario {
        row: Some("C16"),
        title: "a client reads answers to its calls while nobody reads what it writes",
        requirement: "a client always reads responses (else two of our own peers block each other)",
        sources: &[row("C16")],
        applies: Applies::legacy_only("a modern client answers no requests")
            .to(&[Role::Client])
            .with_needs(&[Need::Stall]),
        checks: &[must("response-read"), must("all-pongs"), must("exit-0")],
        ..Scenario::new("c16-client-unread", Family::Documented, |ctx| Box::pin(unread(ctx)))
    },
    Scenario {
        row: None,
        title: "a callback lists the tools of the server that told of a change, while a call waits",
        requirement: "the user's notification callback calls the peer: the reader goes on and a call made meanwhile \
                      settles",
        sources: &[row("C38"), spec("2025-11-25", "server/tools#list-changed-notification")],
        applies: Applies::legacy_only("a modern server tells those alone who listen").to(&[Role::Client]),
        checks: &[must("listed-meanwhile"), must("call-settles"), must("exit-0")],
        ..Scenario::new("client-lists-on-change", Family::Documented, |ctx| Box::pin(lists_on_change(ctx)))
    },
    Scenario {
        row: Some("C29"),
        title: "a client closes with calls pending: they settle, cancels are sent, the connection ends",
        requirement: "client closes with calls pending: settle, send cancels, then close the write side",
        sources: &[row("C29"), spec("2026-07-28", "basic/patterns/cancellation")],
        applies: CLIENT,
        checks: &[must("both-fail"), must("cancels-then-the-end"), must("exit-0")],
        ..Scenario::new("c29-client-closes-while-calling", Family::Documented, |ctx| {
            Box::pin(ends_while_calling(ctx, "start:a,start:b,call:gate,close"))
        })
    },
    Scenario {
        row: Some("C29"),
        title: "two close a client at the same time, while its server ends its side: both come back",
        requirement: "client closes with calls pending: settle, then close the write side; whoever waits for the end \
                      is told of it",
        sources: &[row("C29"), row("C18"), issue("csharp-sdk", 1449)],
        applies: CLIENT,
        checks: &[must("closes"), must("pending-fails"), must("exit-0")],
        ..Scenario::new("c29-client-closes-twice", Family::Documented, |ctx| Box::pin(closes_twice(ctx)))
    },
    Scenario {
        row: Some("C42"),
        title: "the last handle of a client is dropped: it closes as if told to",
        requirement: "the last handle is dropped: client: as `close()`",
        sources: &[row("C42"), row("C29")],
        applies: CLIENT,
        checks: &[must("both-fail"), must("cancels-then-the-end"), must("exit-0")],
        ..Scenario::new("c42-client-dropped-while-calling", Family::Documented, |ctx| {
            Box::pin(ends_while_calling(ctx, "start:a,start:b,call:gate,drop"))
        })
    },
    Scenario {
        row: Some("C32"),
        title: "requests that reach a modern client are not answered, and hold nothing up",
        requirement: "a request that reaches a client whose verdict is modern is counted and not answered",
        sources: &[row("C32"), spec("2026-07-28", "basic/index#requests")],
        applies: Applies::modern_only("a legacy server may send requests").to(&[Role::Client]),
        checks: &[must("not-answered"), must("goes-on"), must("report-counted"), must("exit-0")],
        ..Scenario::new("c32-client-asked", Family::Documented, |ctx| Box::pin(asked(ctx)))
    },
];

async fn unanswered(ctx: Ctx) -> Result<(), Stop> {
    let mut session = playing(&ctx, "call:a,call:b,close").await?;
    session.called("a").await?;
    session.close_write().await;
    fails_at_once(&ctx, "fails-at-once", &mut session, "call:a").await?;
    fails_at_once(&ctx, "next-fails-at-once", &mut session, "call:b").await?;
    let rest = session.rest().await?;
    let sent = rest.iter().any(|frame| frame["params"]["name"] == "b");
    ctx.check("not-sent", !sent, || format!("{rest:?}"));
    exits(&ctx, session).await;
    Ok(())
}

async fn closes_too(ctx: Ctx) -> Result<(), Stop> {
    let mut session = playing(&ctx, "sleep:2500,close").await?;
    let since = Instant::now();
    session.close_write().await;
    let rest = session.rest().await?;
    let took = since.elapsed();
    ctx.check("write-side-closes", took < AT_ONCE, || format!("after {took:?}"));
    ctx.check("silent", rest.is_empty(), || format!("{rest:?}"));
    exits(&ctx, session).await;
    Ok(())
}

async fn unheard(ctx: Ctx) -> Result<(), Stop> {
    let (mut session, _) = unheard_after(&ctx, "start:sent,call:gate,call:b,call:c,wait,close", "b").await?;
    fails_at_once(&ctx, "closed-at-once", &mut session, "call:c").await?;
    let ending = session.finish().await;
    // Only the call whose write failed was ever in the buffer.
    ctx.report("report-nothing-queued", &ending, |report| report["dropped"]["discarded"] == 1);
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}

async fn answer_wins(ctx: Ctx) -> Result<(), Stop> {
    let (mut session, sent) = unheard_after(&ctx, "start:sent,call:gate,call:b,wait,close", "").await?;
    fails_at_once(&ctx, "unsent-settles-at-once", &mut session, "call:b").await?;
    session.reply_text(&sent, "here").await;
    is_answered(&ctx, "answer-wins", &mut session, "start:sent", "here").await?;
    exits(&ctx, session).await;
    Ok(())
}

/// A session whose client waits for the answer to a call that was sent, and whose server reads no
/// more since then; and that call. The client has noticed when call `noticed` has failed.
async fn unheard_after(ctx: &Ctx, steps: &'static str, noticed: &str) -> Result<(Session, Value), Stop> {
    let mut session = playing(ctx, steps).await?;
    let sent = session.called("sent").await?;
    let gate = session.called("gate").await?;
    session.close_read().await;
    session.reply_text(&gate, "open").await;
    if !noticed.is_empty() {
        session.step(&format!("call:{noticed}")).await?;
    }
    Ok((session, sent))
}

async fn foreign_responses(ctx: Ctx) -> Result<(), Stop> {
    let mut session = playing(&ctx, "call:a,call:b,close").await?;
    let first = session.called("a").await?;
    let error = json!({"code": -32603, "message": "no"});
    for foreign in [
        session::answer(&json!(4_711), json!({})),
        session::answer(&json!("never"), json!({})),
        json!({"jsonrpc": "2.0", "id": 4_712, "error": error}),
        json!({"jsonrpc": "2.0", "id": null, "error": error}),
        json!({"jsonrpc": "2.0", "error": error}),
    ] {
        session.send(&foreign).await;
    }
    session.reply_text(&first, "first").await;
    session.reply_text(&first, "again").await;
    is_answered(&ctx, "settles-once", &mut session, "call:a", "first").await?;
    let next = session.next().await?;
    ctx.check("not-answered", next["params"]["name"] == "b", || next.to_string());
    session.reply_text(&next, "on").await;
    session.step("call:b").await?;
    counted(&ctx, session, |dropped| dropped["unknown_response"] == 6).await;
    Ok(())
}

async fn unread(ctx: Ctx) -> Result<(), Stop> {
    let mut session = playing(&ctx, "call:a,close").await?;
    let request = session.called("a").await?;
    // The pongs are more than what lies between the two holds, and half as many again as a server
    // may leave unwritten.
    let id = "p".repeat(200);
    let pings: String = (0..PINGS)
        .map(|number| format!("{}\n", json!({"jsonrpc": "2.0", "id": format!("{id}{number}"), "method": "ping"})))
        .collect();
    session.send_bytes(pings.as_bytes()).await;
    session.reply_text(&request, "here").await;
    is_answered(&ctx, "response-read", &mut session, "call:a", "here").await?;
    let rest = session.rest().await?;
    let pongs = rest.iter().filter(|frame| frame["result"] == json!({})).count();
    ctx.check("all-pongs", pongs == PINGS, || format!("{pongs} of {PINGS} pings were answered"));
    exits(&ctx, session).await;
    Ok(())
}

async fn lists_on_change(ctx: Ctx) -> Result<(), Stop> {
    let mut session = playing(&ctx, "set:on_list_changed=list,call:a,close").await?;
    let called = session.called("a").await?;
    session.send(&session::notification("notifications/tools/list_changed")).await;
    let list = session.until(|frame| frame["method"] == "tools/list").await?;
    session.reply(&list, json!({"tools": [{"name": "x", "inputSchema": {"type": "object"}}]})).await;
    let told = session.told(|told| told["step"] == "list_changed").await?;
    ctx.check("listed-meanwhile", told["result"]["tools"][0]["name"] == "x", || told.to_string());
    session.reply_text(&called, "here").await;
    is_answered(&ctx, "call-settles", &mut session, "call:a", "here").await?;
    exits(&ctx, session).await;
    Ok(())
}

async fn ends_while_calling(ctx: Ctx, steps: &'static str) -> Result<(), Stop> {
    let mut session = playing(&ctx, steps).await?;
    let (one, two) = (session.called("a").await?, session.called("b").await?);
    let gate = session.called("gate").await?;
    session.reply_text(&gate, "open").await;
    let (a, b) = (session.step("start:a").await?, session.step("start:b").await?);
    ctx.check("both-fail", a["ok"] == false && b["ok"] == false, || format!("{a}, {b}"));
    let rest = session.rest().await?;
    let as_wanted = match rest.as_slice() {
        [x, y] => (cancels(x, &one) && cancels(y, &two)) || (cancels(x, &two) && cancels(y, &one)),
        _ => false,
    };
    ctx.check("cancels-then-the-end", as_wanted, || format!("{rest:?}"));
    exits(&ctx, session).await;
    Ok(())
}

async fn closes_twice(ctx: Ctx) -> Result<(), Stop> {
    let mut session = playing(&ctx, "start:a,call:gate,close_twice").await?;
    session.called("a").await?;
    let gate = session.called("gate").await?;
    session.reply_text(&gate, "open").await;
    session.close_write().await;
    let closed = session.step("close_twice").await?;
    ctx.check("closes", closed["ok"] == true, || closed.to_string());
    let pending = session.step("start:a").await?;
    ctx.check("pending-fails", pending["ok"] == false, || pending.to_string());
    exits(&ctx, session).await;
    Ok(())
}

async fn asked(ctx: Ctx) -> Result<(), Stop> {
    let mut session = playing(&ctx, "call:a,call:b,close").await?;
    let first = session.called("a").await?;
    for method in ["roots/list", "ping", "sampling/createMessage", "x/y"] {
        session.send(&json!({"jsonrpc": "2.0", "id": method, "method": method, "params": {}})).await;
    }
    session.reply_text(&first, "on").await;
    is_answered(&ctx, "goes-on", &mut session, "call:a", "on").await?;
    let next = session.next().await?;
    ctx.check("not-answered", next["params"]["name"] == "b", || next.to_string());
    session.reply_text(&next, "on").await;
    counted(&ctx, session, |dropped| dropped["not_in_this_era"] == 4).await;
    Ok(())
}

const PINGS: usize = 6_000;
