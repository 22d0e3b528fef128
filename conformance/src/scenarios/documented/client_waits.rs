//! C11 and C43: how long a client that plays a script waits, and what it is told meanwhile.

use std::time::Duration;

use serde_json::{Value, json};

use crate::{
    scenario::{Applies, Ctx, Era, Family, Need, Role, Scenario, Stop, issue, must, row, spec},
    scenarios::play::{cancels, counted, error_of, exits, fails_at_once, is_answered, playing},
    session::{self, Session},
    target::OpenOptions,
};

const CLIENT: Applies = Applies::EVERYWHERE.to(&[Role::Client]);
const LEGACY: Applies =
    Applies::legacy_only("the modern era has no handshake").to(&[Role::Client]).with_needs(&[Need::Settings]);

pub(super) static SCENARIOS: [Scenario; 7] = [
    Scenario {
        row: Some("C11"),
        title: "a call times out: the server is told, and its late answer is ignored",
        requirement: "local call timed out: `notifications/cancelled`; a late response is ignored",
        sources: &[row("C11"), spec("2025-11-25", "basic/lifecycle#timeouts"), issue("python-sdk", 2416)],
        applies: CLIENT,
        checks: &[
            must("times-out"),
            must("server-told"),
            must("late-answer-ignored"),
            must("report-counted"),
            must("exit-0"),
        ],
        ..Scenario::new("c11-client-times-out", Family::Documented, |ctx| Box::pin(times_out(ctx)))
    },
    Scenario {
        row: Some("C11"),
        title: "the future of a call is dropped: the server is told, and the next call works",
        requirement: "local call cancelled: `notifications/cancelled`",
        sources: &[row("C11"), spec("2026-07-28", "basic/patterns/cancellation")],
        applies: CLIENT,
        checks: &[must("server-told"), must("goes-on"), must("exit-0")],
        ..Scenario::new("c11-client-forgets", Family::Documented, |ctx| Box::pin(forgets(ctx)))
    },
    Scenario {
        row: None,
        title: "progress restarts the time for which a call may be silent",
        requirement: "implementations may choose to reset the timeout clock when receiving a progress notification",
        sources: &[spec("2025-11-25", "basic/lifecycle#timeouts"), issue("typescript-sdk", 1393)],
        applies: CLIENT,
        checks: &[must("not-timed-out"), must("exit-0")],
        ..Scenario::new("client-progress-restarts-timeout", Family::Documented, |ctx| Box::pin(kept_alive(ctx)))
    },
    Scenario {
        row: None,
        title: "progress without end does not keep a call for ever",
        requirement: "implementations should always enforce a maximum timeout, regardless of progress notifications",
        sources: &[spec("2025-11-25", "basic/lifecycle#timeouts")],
        applies: CLIENT,
        checks: &[must("times-out"), must("server-told"), must("exit-0")],
        ..Scenario::new("client-progress-for-ever", Family::Documented, |ctx| Box::pin(progress_for_ever(ctx)))
    },
    Scenario {
        row: None,
        title: "all progress of a call is told in its order, before the result; foreign progress is not",
        requirement: "notifications keep their order; progress tokens must only be of active requests",
        sources: &[
            spec("2025-11-25", "basic/utilities/progress#behavior-requirements"),
            issue("Engine-Room-Games/mcp", 82),
            issue("neptaco/mcproc", 46),
        ],
        applies: CLIENT,
        checks: &[must("all-in-order"), must("result-kept"), must("exit-0")],
        ..Scenario::new("client-progress-in-order", Family::Documented, |ctx| Box::pin(progress(ctx)))
    },
    Scenario {
        row: Some("C43"),
        title: "a handshake that is never answered closes the connection, without a cancel",
        requirement: "the connect limit passes, the connection closes, no cancel is sent",
        sources: &[row("C43"), spec("2025-11-25", "basic/utilities/cancellation#behavior-requirements")],
        applies: LEGACY,
        checks: &[must("connect-fails"), must("only-initialize"), must("exit-0")],
        ..Scenario::new("c43-client-handshake-unanswered", Family::Documented, |ctx| Box::pin(no_handshake(ctx)))
    },
    Scenario {
        row: None,
        title: "a server that is silent to the probe is taken for a legacy one, after a short time",
        requirement: "if no response arrives within a reasonable timeout, the client treats the server as legacy",
        sources: &[spec("2026-07-28", "basic/transports/stdio#backward-compatibility"), issue("rust-sdk", 1149)],
        applies: LEGACY,
        checks: &[must("falls-back"), must("works"), must("exit-0")],
        ..Scenario::new("era-silent-to-the-probe", Family::Documented, |ctx| Box::pin(silent_to_probe(ctx)))
    },
];

async fn times_out(ctx: Ctx) -> Result<(), Stop> {
    let mut session = playing(&ctx, "set:timeout_ms=300,call:slow,call:next,close").await?;
    let slow = session.called("slow").await?;
    let told = session.step("call:slow").await?;
    ctx.check("times-out", told["ok"] == false, || told.to_string());
    is_told(&ctx, &mut session, &slow).await?;
    session.reply_text(&slow, "late").await;
    let next = session.called("next").await?;
    session.reply_text(&next, "on").await;
    is_answered(&ctx, "late-answer-ignored", &mut session, "call:next", "on").await?;
    counted(&ctx, session, |dropped| dropped["unknown_response"] == 1).await;
    Ok(())
}

async fn forgets(ctx: Ctx) -> Result<(), Stop> {
    let mut session = playing(&ctx, "start:slow,call:gate,forget,call:next,close").await?;
    let slow = session.called("slow").await?;
    let gate = session.called("gate").await?;
    session.reply_text(&gate, "open").await;
    session.step("forget").await?;
    is_told(&ctx, &mut session, &slow).await?;
    let next = session.called("next").await?;
    session.reply_text(&next, "on").await;
    is_answered(&ctx, "goes-on", &mut session, "call:next", "on").await?;
    exits(&ctx, session).await;
    Ok(())
}

/// Whether the server is told that this call has been given up.
async fn is_told(ctx: &Ctx, session: &mut Session, request: &Value) -> Result<(), Stop> {
    let told = session.until(|frame| cancels(frame, request)).await;
    ctx.check("server-told", told.is_ok(), || format!("{told:?}"));
    told.map(drop)
}

async fn kept_alive(ctx: Ctx) -> Result<(), Stop> {
    let mut session = playing(&ctx, "set:timeout_ms=1500,set:reset_on_progress=1,call:long,close").await?;
    let long = session.called("long").await?;
    for value in 0..6 {
        tokio::time::sleep(Duration::from_millis(400)).await;
        session.send(&note_of(&long, value)).await;
    }
    session.reply_text(&long, "done").await;
    is_answered(&ctx, "not-timed-out", &mut session, "call:long", "done").await?;
    exits(&ctx, session).await;
    Ok(())
}

async fn progress_for_ever(ctx: Ctx) -> Result<(), Stop> {
    let mut session = playing(&ctx, "set:max_time_ms=700,call:long,close").await?;
    let long = session.called("long").await?;
    let mut told = None;
    for value in 0..20 {
        session.send(&note_of(&long, value)).await;
        tokio::time::sleep(Duration::from_millis(100)).await;
        told = session.told_so_far().await.into_iter().find(|told| told["step"] == "call:long");
        if told.is_some() {
            break;
        }
    }
    let told = told.unwrap_or_default();
    ctx.check("times-out", told["ok"] == false, || format!("2 s of progress: {told}"));
    is_told(&ctx, &mut session, &long).await?;
    exits(&ctx, session).await;
    Ok(())
}

async fn progress(ctx: Ctx) -> Result<(), Stop> {
    let mut session = playing(&ctx, "call:a,progress,call:b,progress,close").await?;
    let first = session.called("a").await?;
    let mut frames: Vec<Value> = (1..=20).map(|value| note_of(&first, value)).collect();
    let mut foreign = note_of(&first, 99);
    foreign["params"]["progressToken"] = "nobody's".into();
    frames.insert(10, foreign);
    let mut result = json!({"content": [{"type": "text", "text": "done"}]});
    if ctx.era() == Era::Modern {
        result["resultType"] = "complete".into();
    }
    frames.push(session::answer(&first["id"], result));
    // Once the call has ended its token is nobody's.
    frames.push(note_of(&first, 98));
    session.send_together(&frames).await;
    is_answered(&ctx, "result-kept", &mut session, "call:a", "done").await?;
    session.step("progress").await?;
    let second = session.called("b").await?;
    session.reply_text(&second, "on").await;
    session.step("call:b").await?;
    let told = session.step("progress").await?;
    let expected: Vec<f64> = (1..=20).map(f64::from).collect();
    let values: Vec<f64> = told["result"].as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
    ctx.check("all-in-order", values == expected, || told.to_string());
    exits(&ctx, session).await;
    Ok(())
}

async fn no_handshake(ctx: Ctx) -> Result<(), Stop> {
    let options = OpenOptions::new().with_script("close").with_connect(Duration::from_millis(400));
    let mut session = ctx.open_with(options).await?;
    session.handshake().await?;
    let told = fails_at_once(&ctx, "connect-fails", &mut session, "connect").await?;
    let rest = session.rest().await?;
    ctx.check("only-initialize", rest.is_empty(), || format!("after {}: {rest:?}", error_of(&told)));
    exits(&ctx, session).await;
    Ok(())
}

async fn silent_to_probe(ctx: Ctx) -> Result<(), Stop> {
    let options = OpenOptions::new().with_script("call:a,close").with_probe(Duration::from_millis(300));
    let mut session = ctx.open_with(options).await?;
    session.until(|frame| frame["method"] == "server/discover").await?;
    let hello = session.until(|frame| frame["method"] == "initialize").await;
    ctx.check("falls-back", hello.is_ok(), || format!("{hello:?}"));
    session.send(&session::initialized(&hello?["id"])).await;
    let called = session.called("a").await?;
    session.reply_text(&called, "here").await;
    is_answered(&ctx, "works", &mut session, "call:a", "here").await?;
    exits(&ctx, session).await;
    Ok(())
}

/// A note of progress for a request that asked for it.
fn note_of(request: &Value, value: u32) -> Value {
    let token = &request["params"]["_meta"]["progressToken"];
    let params = json!({"progressToken": token, "progress": value});
    json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
}
