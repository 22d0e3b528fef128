//! C5 and C13: a tool calls the client, and the client's output ends.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::{
    golden,
    scenario::{Applies, Ctx, Family, Need, Scenario, Stop, issue, must, row, spec},
    session::Session,
    target::Exit,
};

const LEGACY: Applies =
    Applies::legacy_only("a modern server sends no requests").with_needs(&[Need::Tool("call_client")]);

pub(super) static SCENARIOS: [Scenario; 5] = [
    Scenario {
        row: Some("C13"),
        title: "a tool asks the client and gets its answer",
        requirement: "a request to the client from inside a tool works on the call's own stream",
        sources: &[issue("modelcontextprotocol", 907), spec("2025-11-25", "basic/utilities/ping")],
        applies: LEGACY.by(&[Need::Session]),
        checks: &[must("asked"), must("tool-got-the-answer"), must("exit-0")],
        ..Scenario::new("c13-client-answers", Family::Documented, |ctx| Box::pin(answers(ctx)))
    },
    Scenario {
        row: Some("C13"),
        title: "the input ends while a tool waits for the client: the call fails, the tool answers",
        requirement: "connection closes while a handler waits for a server→client call: the call \
                      settles, the handler goes on",
        sources: &[row("C13"), row("C1")],
        applies: LEGACY.by(&[Need::HalfClose]),
        checks: &[must("asked"), must("call-failed-at-once"), must("answered-once"), must("exit-0")],
        ..Scenario::new("c13-waiting-when-input-ends", Family::Documented, |ctx| Box::pin(waiting_when_input_ends(ctx)))
    },
    Scenario {
        row: Some("C5"),
        title: "a tool that calls the client after the end of the input is not left waiting",
        requirement: "a handler calls the peer while the read side has ended: fails at once with \
                      `ConnectionClosed`",
        sources: &[row("C5"), row("C2")],
        applies: LEGACY.by(&[Need::HalfClose]),
        checks: &[must("call-failed-at-once"), must("answered-once"), must("nothing-asked"), must("exit-0")],
        ..Scenario::new("c5-call-after-end-of-input", Family::Documented, |ctx| Box::pin(call_after_end(ctx)))
    },
    Scenario {
        row: Some("C32"),
        title: "a tool of a modern request asks the client nothing",
        requirement: "modern rules: the server never sends requests; what a handler asks fails, typed",
        sources: &[row("C32"), spec("2026-07-28", "basic/index#requests")],
        applies: Applies::modern_only("a legacy server may send requests").with_needs(&[Need::Tool("call_client")]),
        checks: &[must("call-failed"), must("nothing-asked"), must("exit-0")],
        ..Scenario::new("c32-server-asks-nothing", Family::Documented, |ctx| Box::pin(asks_nothing(ctx)))
    },
    Scenario {
        row: Some("C13"),
        title: "an error from the client reaches the tool as that error",
        requirement: "the peer's error is the peer's: its text reaches the caller",
        sources: &[spec("2025-11-25", "client/roots#error-handling")],
        applies: LEGACY.by(&[Need::Session]),
        checks: &[must("asked"), must("tool-got-the-error"), must("exit-0")],
        ..Scenario::new("c13-client-refuses", Family::Documented, |ctx| Box::pin(refuses(ctx)))
    },
];

async fn answers(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    let asked = ask(&ctx, &mut session, "roots/list").await?;
    session.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": []}})).await;
    let answer = session.answer_to(1).await?;
    let text = golden::tool_text(&answer).unwrap_or_default();
    let given = text.strip_prefix("ok: ").and_then(|json| serde_json::from_str::<Value>(json).ok());
    ctx.check("tool-got-the-answer", given == Some(json!({"roots": []})), || answer.to_string());
    exits_with_0(&ctx, session).await
}

async fn refuses(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    let asked = ask(&ctx, &mut session, "roots/list").await?;
    let error = json!({"code": -32601, "message": "roots are not offered today"});
    session.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "error": error})).await;
    let answer = session.answer_to(1).await?;
    let text = golden::tool_text(&answer).unwrap_or_default();
    let as_sent = text.starts_with("error: ") && text.contains("roots are not offered today");
    ctx.check("tool-got-the-error", as_sent, || answer.to_string());
    exits_with_0(&ctx, session).await
}

async fn waiting_when_input_ends(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    ask(&ctx, &mut session, "ping").await?;
    session.close_write().await;
    fails_at_once(&ctx, &mut session).await?;
    exits_with_0(&ctx, session).await
}

async fn call_after_end(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    let arguments = json!({"method": "ping", "timeout_ms": 30_000, "after_ms": 300});
    session.call(1, "call_client", arguments).await;
    session.close_write().await;
    fails_at_once(&ctx, &mut session).await?;
    let asked = session.seen().iter().filter(|frame| frame["method"] == "ping").count();
    ctx.check("nothing-asked", asked == 0, || format!("{:?}", session.seen()));
    exits_with_0(&ctx, session).await
}

async fn asks_nothing(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    let before = session.seen().len();
    session.call(1, "call_client", json!({"method": "roots/list", "timeout_ms": 30_000})).await;
    let answer = session.next().await?;
    let failed = golden::tool_text(&answer).is_some_and(|text| text.starts_with("error: "));
    ctx.check("call-failed", failed, || answer.to_string());
    session.close_write().await;
    session.rest().await?;
    ctx.check("nothing-asked", session.seen().len() == before + 1, || format!("{:?}", session.seen()));
    exits_with_0(&ctx, session).await
}

/// Calls the tool as request 1 and waits for what it asks of the client.
async fn ask(ctx: &Ctx, session: &mut Session, method: &str) -> Result<Value, Stop> {
    session.call(1, "call_client", json!({"method": method, "timeout_ms": 30_000})).await;
    let asked = session.until(|frame| frame["method"] == method).await?;
    let id = &asked["id"];
    ctx.check("asked", id.is_i64() || id.is_string(), || format!("a request without an id: {asked}"));
    Ok(asked)
}

/// The input has just ended: the tool's own call must fail long before its timeout.
async fn fails_at_once(ctx: &Ctx, session: &mut Session) -> Result<(), Stop> {
    let ended = Instant::now();
    let answer = session.answer_to(1).await?;
    let took = ended.elapsed();
    let text = golden::tool_text(&answer).unwrap_or_default();
    let at_once = text.starts_with("error: ") && took < Duration::from_secs(2);
    ctx.check("call-failed-at-once", at_once, || format!("after {took:?}: {answer}"));
    session.rest().await?;
    ctx.check("answered-once", session.answers(1) == 1, || format!("{:?}", session.seen()));
    Ok(())
}

async fn exits_with_0(ctx: &Ctx, session: Session) -> Result<(), Stop> {
    let ending = session.finish().await;
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}
