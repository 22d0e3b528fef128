//! C11, C12, C15, C16, C29, C32, C42 and C43: a client, against a server that the script plays.

use std::time::Duration;

use serde_json::{Value, json};

use crate::{
    scenario::{Applies, Ctx, Family, Need, Role, Scenario, Stop, issue, must, row, spec},
    session::{self, Session},
    target::{Exit, Fault, OpenOptions, Order},
};

const CLIENT: Applies = Applies::EVERYWHERE.to(&[Role::Client]).with_needs(&[Need::Orders, Need::Report]);

pub(super) static SCENARIOS: [Scenario; 10] = [
    Scenario {
        row: Some("C11"),
        title: "a call of the client times out: the server is told, and its late answer is ignored",
        requirement: "local call timed out: `notifications/cancelled`; a late response is ignored and counted",
        sources: &[row("C11"), spec("2025-11-25", "basic/lifecycle#timeouts"), issue("python-sdk", 2416)],
        applies: CLIENT,
        checks: &[
            must("timed-out"),
            must("server-told"),
            must("late-answer-ignored"),
            must("report-counted"),
            must("exit-0"),
        ],
        ..Scenario::new("c11-client-call-times-out", Family::Documented, |ctx| Box::pin(times_out(ctx)))
    },
    Scenario {
        row: Some("C11"),
        title: "the future of a call is dropped: the server is told",
        requirement: "local call cancelled: stream transports `notifications/cancelled`",
        sources: &[row("C11"), spec("2026-07-28", "basic/patterns/cancellation")],
        applies: CLIENT,
        checks: &[must("server-told"), must("exit-0")],
        ..Scenario::new("c11-client-call-dropped", Family::Documented, |ctx| Box::pin(dropped(ctx)))
    },
    Scenario {
        row: Some("C12"),
        title: "responses that name no call of the client are ignored and counted",
        requirement: "response with an unknown or settled id: ignored, counted",
        sources: &[row("C12")],
        applies: CLIENT,
        checks: &[must("settles-once"), must("not-answered"), must("report-counted"), must("exit-0")],
        ..Scenario::new("c12-client-unknown-response", Family::Documented, |ctx| Box::pin(unknown_response(ctx)))
    },
    Scenario {
        row: Some("C15"),
        title: "a client never answers an unreadable line",
        requirement: "a client never answers an unreadable line. The session goes on",
        sources: &[row("C15"), issue("python-sdk", 2302)],
        applies: CLIENT,
        checks: &[must("not-answered"), must("goes-on"), must("report-counted"), must("exit-0")],
        ..Scenario::new("c15-client-unreadable", Family::Documented, |ctx| Box::pin(unreadable(ctx)))
    },
    Scenario {
        row: Some("C15"),
        title: "a malformed response settles the call that it names",
        requirement: "nobody answers a malformed response (the call it names settles with a protocol error)",
        sources: &[row("C15")],
        applies: CLIENT,
        checks: &[must("settled-as-malformed"), must("not-answered"), must("goes-on"), must("exit-0")],
        ..Scenario::new("c15-client-malformed-response", Family::Documented, |ctx| Box::pin(malformed_response(ctx)))
    },
    Scenario {
        row: Some("C16"),
        title: "a client reads responses, however many answers of its own wait to be written",
        requirement: "a client always reads responses (else two peers block each other)",
        sources: &[row("C16")],
        applies: Applies::legacy_only("a modern client answers no requests")
            .to(&[Role::Client])
            .with_needs(&[Need::Orders, Need::Faults]),
        checks: &[must("response-read"), must("pongs-written-later"), must("exit-0")],
        ..Scenario::new("c16-client-reads-on", Family::Documented, |ctx| Box::pin(reads_on(ctx)))
    },
    Scenario {
        row: Some("C29"),
        title: "a client closes with calls pending: they settle, cancels are sent, the connection ends",
        requirement: "client closes with calls pending: settle, send cancels, then close the write side",
        sources: &[row("C29"), spec("2026-07-28", "basic/patterns/cancellation")],
        applies: CLIENT,
        checks: &[must("both-closed"), must("cancels-then-the-end"), must("told"), must("exit-0")],
        ..Scenario::new("c29-client-closes", Family::Documented, |ctx| Box::pin(closes(ctx)))
    },
    Scenario {
        row: Some("C32"),
        title: "a request that reaches a modern client is counted and not answered",
        requirement: "a request that reaches a client whose verdict is modern is counted and not answered",
        sources: &[row("C32"), spec("2026-07-28", "basic/index#requests")],
        applies: modern(),
        checks: &[must("not-answered"), must("report-counted"), must("exit-0")],
        ..Scenario::new("c32-client-request", Family::Documented, |ctx| Box::pin(asked(ctx)))
    },
    Scenario {
        row: Some("C42"),
        title: "the last handle of a client is dropped: it closes as if told to",
        requirement: "the last handle is dropped: client: as `close()`, without waiting",
        sources: &[row("C42"), row("C29")],
        applies: CLIENT,
        checks: &[must("both-closed"), must("cancels-then-the-end"), must("ends-by-itself"), must("exit-0")],
        ..Scenario::new("c42-client-handle-dropped", Family::Documented, |ctx| Box::pin(handle_dropped(ctx)))
    },
    Scenario {
        row: Some("C43"),
        title: "a handshake that is never answered closes the connection, without a cancel",
        requirement: "the connect limit passes, the connection closes, no cancel is sent",
        sources: &[row("C43"), spec("2025-11-25", "basic/utilities/cancellation#behavior-requirements")],
        applies: legacy(),
        checks: &[must("timed-out"), must("only-initialize"), must("ends-by-itself")],
        ..Scenario::new("c43-handshake-unanswered", Family::Documented, |ctx| Box::pin(handshake_unanswered(ctx)))
    },
];

const fn modern() -> Applies {
    Applies::modern_only("a legacy server may send requests").to(&[Role::Client]).with_needs(CLIENT.needs)
}

const fn legacy() -> Applies {
    Applies::legacy_only("the modern era has no handshake").to(&[Role::Client])
}

async fn times_out(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    let timeout = Some(Duration::from_millis(300));
    session.order(Order::Call { number: 1, method: "tools/list", timeout }).await?;
    let request = session.until(|frame| frame["method"] == "tools/list").await?;
    let outcome = session.outcome_of(1).await?;
    ctx.check("timed-out", outcome["error"] == "timed out", || outcome.to_string());
    is_cancelled(&ctx, "server-told", &mut session, &request).await?;
    session.send(&session::answer(&request["id"], json!({"tools": []}))).await;
    goes_on(&ctx, "late-answer-ignored", &mut session).await?;
    counted(&ctx, session, |dropped| dropped["unknown_response"] == 1).await
}

async fn dropped(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    let request = session.order_call(1, "tools/list").await?;
    session.order(Order::Forget(1)).await?;
    is_cancelled(&ctx, "server-told", &mut session, &request).await?;
    exits(&ctx, session).await
}

async fn unknown_response(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    session.send(&session::answer(&json!(4_711), json!({}))).await;
    session.send(&session::answer(&json!("never"), json!({}))).await;
    let request = session.order_call(1, "tools/list").await?;
    let first = session::answer(&request["id"], json!({"tools": []}));
    let second = json!({"jsonrpc": "2.0", "id": request["id"], "error": {"code": 1, "message": "no"}});
    session.send_together(&[first, second]).await;
    let outcome = session.outcome_of(1).await?;
    ctx.equal("settles-once", &outcome, &json!({"call": 1, "ok": {"tools": []}}));
    goes_on(&ctx, "not-answered", &mut session).await?;
    counted(&ctx, session, |dropped| dropped["unknown_response"] == 3).await
}

async fn unreadable(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    for line in ["a line of a log", "{", r#"{"jsonrpc":"2.0"}"#, "[]", "7", r#"{"jsonrpc":"2.0","id":1,"method":7}"#] {
        session.send_line(line).await;
    }
    let request = session.order_call(1, "tools/list").await?;
    let frames = session.seen().iter().filter(|frame| frame.get("error").is_some()).count();
    ctx.check("not-answered", frames == 0, || format!("{:?}", session.seen()));
    session.send(&session::answer(&request["id"], json!({"tools": []}))).await;
    let outcome = session.outcome_of(1).await?;
    ctx.equal("goes-on", &outcome, &json!({"call": 1, "ok": {"tools": []}}));
    counted(&ctx, session, |dropped| dropped["malformed"] == 6).await
}

async fn malformed_response(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    let request = session.order_call(1, "tools/list").await?;
    let error = json!({"code": 1, "message": "both"});
    session.send(&json!({"jsonrpc": "2.0", "id": request["id"], "result": {}, "error": error})).await;
    let outcome = session.outcome_of(1).await?;
    ctx.check("settled-as-malformed", outcome["error"] == "malformed", || outcome.to_string());
    let answers = session.seen().iter().filter(|frame| frame.get("error").is_some()).count();
    ctx.check("not-answered", answers == 0, || format!("{:?}", session.seen()));
    goes_on(&ctx, "goes-on", &mut session).await?;
    exits(&ctx, session).await
}

async fn reads_on(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    let request = session.order_call(1, "tools/list").await?;
    session.fault(Fault::Stall).await?;
    // As many pongs as a server may leave unwritten, and half as many again.
    let id = "p".repeat(200);
    for number in 0..PINGS {
        session.send(&json!({"jsonrpc": "2.0", "id": format!("{id}{number}"), "method": "ping"})).await;
    }
    session.send(&session::answer(&request["id"], json!({"tools": []}))).await;
    let outcome = session.outcome_of(1).await?;
    ctx.equal("response-read", &outcome, &json!({"call": 1, "ok": {"tools": []}}));
    session.fault(Fault::Resume).await?;
    for _ in 0..PINGS {
        session.next().await?;
    }
    let last = session.answers(format!("{id}{}", PINGS - 1));
    ctx.check("pongs-written-later", last == 1, || format!("{last} answers to the last ping"));
    exits(&ctx, session).await
}

async fn closes(ctx: Ctx) -> Result<(), Stop> {
    let (mut session, ids) = with_two_calls(&ctx).await?;
    session.order(Order::Close).await?;
    settled_and_told(&ctx, &mut session, &ids).await?;
    let told = session.told(|told| told.get("closed").is_some()).await?;
    ctx.equal("told", &told, &json!({"closed": "Closed"}));
    exits(&ctx, session).await
}

async fn handle_dropped(ctx: Ctx) -> Result<(), Stop> {
    let (mut session, ids) = with_two_calls(&ctx).await?;
    session.order(Order::DropHandle).await?;
    settled_and_told(&ctx, &mut session, &ids).await?;
    let ended = session.ends_by_itself(Duration::from_secs(3)).await;
    ctx.check("ends-by-itself", ended, || "still running after 3 s".to_owned());
    exits(&ctx, session).await
}

async fn asked(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    for method in ["roots/list", "ping", "x/y"] {
        session.send(&json!({"jsonrpc": "2.0", "id": method, "method": method})).await;
    }
    goes_on(&ctx, "not-answered", &mut session).await?;
    counted(&ctx, session, |dropped| dropped["not_in_this_era"] == 3).await
}

async fn handshake_unanswered(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_with(OpenOptions::new().with_connect(Duration::from_millis(300))).await?;
    let told = session.told(|told| told.get("connected").is_some()).await?;
    ctx.check("timed-out", told["error"] == "timed out", || told.to_string());
    let methods: Vec<Value> = session.rest().await?.iter().map(|frame| frame["method"].clone()).collect();
    ctx.check("only-initialize", methods == ["initialize"], || format!("{methods:?}"));
    let ended = session.ends_by_itself(Duration::from_secs(3)).await;
    ctx.check("ends-by-itself", ended, || "still running after 3 s".to_owned());
    session.finish().await;
    Ok(())
}

/// A session whose client waits for the answers to two calls, and the ids of these.
async fn with_two_calls(ctx: &Ctx) -> Result<(Session, [Value; 2]), Stop> {
    let mut session = ctx.open_ready().await?;
    let one = session.order_call(1, "tools/list").await?;
    let two = session.order_call(2, "tools/list").await?;
    Ok((session, [one["id"].clone(), two["id"].clone()]))
}

async fn settled_and_told(ctx: &Ctx, session: &mut Session, ids: &[Value; 2]) -> Result<(), Stop> {
    let (one, two) = (session.outcome_of(1).await?, session.outcome_of(2).await?);
    let closed = one["error"] == "closed" && two["error"] == "closed";
    ctx.check("both-closed", closed, || format!("{one}, {two}"));
    let rest = session.rest().await?;
    let cancels: Vec<Value> = ids.iter().map(|id| session::cancel(id.clone())).collect();
    ctx.check("cancels-then-the-end", rest == cancels, || format!("{rest:?}"));
    Ok(())
}

async fn is_cancelled(ctx: &Ctx, check: &str, session: &mut Session, request: &Value) -> Result<(), Stop> {
    let next = session.next().await?;
    ctx.equal(check, &next, &session::cancel(request["id"].clone()));
    Ok(())
}

/// The next frame of the client is its next call, whose answer it takes.
async fn goes_on(ctx: &Ctx, check: &str, session: &mut Session) -> Result<(), Stop> {
    session.order(Order::Call { number: 100, method: "x/next", timeout: None }).await?;
    let next = session.next().await?;
    session.send(&session::answer(&next["id"], json!({"on": true}))).await;
    let outcome = session.outcome_of(100).await?;
    let goes_on = next["method"] == "x/next" && outcome["ok"]["on"] == true;
    ctx.check(check, goes_on, || format!("{next}, {outcome}"));
    Ok(())
}

async fn counted(ctx: &Ctx, session: Session, as_many: impl FnOnce(&Value) -> bool) -> Result<(), Stop> {
    let ending = session.finish().await;
    ctx.report("report-counted", &ending, |report| as_many(&report["dropped"]));
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}

async fn exits(ctx: &Ctx, session: Session) -> Result<(), Stop> {
    let ending = session.finish().await;
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}

const PINGS: usize = 6_000;
