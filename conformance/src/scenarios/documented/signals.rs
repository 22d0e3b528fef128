//! C17, C30 and C39: a process that is told to end.

use std::time::Duration;

use serde_json::json;

use crate::{
    golden,
    scenario::{Applies, Check, Ctx, Family, Need, Scenario, Stop, must, row},
    session::Session,
    target::{Exit, Signal},
};

const SIGNALLED: Applies =
    Applies::EVERYWHERE.with_needs(&[Need::Signals, Need::ExitCode, Need::Tool("sleep"), Need::Tool("echo")]);
const DRAINS: &[Check] = &[must("in-flight-answered"), must("ends-by-itself"), must("exit-0")];

pub(super) static SCENARIOS: [Scenario; 5] = [
    Scenario {
        row: Some("C17"),
        title: "SIGTERM lets the call in flight be answered, then ends with 0",
        requirement: "`close()` on a running service: in-flight requests drain to the deadline",
        sources: &[row("C17")],
        applies: SIGNALLED,
        checks: DRAINS,
        ..Scenario::new("c17-sigterm-drains", Family::Documented, |ctx| Box::pin(drains(ctx, Signal::Term)))
    },
    Scenario {
        row: Some("C17"),
        title: "SIGINT is treated as SIGTERM",
        requirement: "SIGINT is treated as SIGTERM",
        sources: &[row("C17")],
        applies: SIGNALLED,
        checks: DRAINS,
        ..Scenario::new("c17-sigint-drains", Family::Documented, |ctx| Box::pin(drains(ctx, Signal::Int)))
    },
    Scenario {
        row: Some("C17"),
        title: "while closing, cancellations are served and new requests are refused",
        requirement: "no new requests (error answer; responses, ping, cancel still served)",
        sources: &[row("C17"), row("C39"), row("C10")],
        applies: SIGNALLED.by(&[Need::Closing]),
        checks: &[
            must("new-request-refused"),
            must("reason-closing"),
            must("cancel-served"),
            must("ends-by-itself"),
            must("exit-0"),
        ],
        ..Scenario::new("c17-serves-cancel-while-closing", Family::Documented, |ctx| {
            Box::pin(cancel_while_closing(ctx))
        })
    },
    Scenario {
        row: Some("C39"),
        title: "a request during close is refused with the reason, never with silence",
        requirement: "request during `close()`: error answer, never silence; −32603 with \
                      `data: {\"reason\": \"closing\"}`",
        sources: &[row("C39"), row("C17")],
        applies: SIGNALLED.by(&[Need::Closing]),
        checks: &[must("refused"), must("reason-closing"), must("in-flight-answered"), must("exit-0")],
        ..Scenario::new("c39-request-while-closing", Family::Documented, |ctx| Box::pin(request_while_closing(ctx)))
    },
    Scenario {
        row: Some("C30"),
        title: "a second SIGTERM aborts at once",
        requirement: "SIGTERM while draining: abort at once; exit code 143",
        sources: &[row("C30")],
        applies: SIGNALLED.by(&[Need::Closing]),
        checks: &[must("ends-at-once"), must("exit-143"), must("cut-off-unanswered")],
        ..Scenario::new("c30-second-sigterm-aborts", Family::Documented, |ctx| Box::pin(second_aborts(ctx)))
    },
];

async fn drains(ctx: Ctx, signal: Signal) -> Result<(), Stop> {
    let mut session = with_call_in_flight(&ctx, 600).await?;
    session.signal(signal).await?;
    in_flight_is_answered(&ctx, &mut session).await;
    ends(&ctx, session).await
}

async fn request_while_closing(ctx: Ctx) -> Result<(), Stop> {
    let mut session = with_call_in_flight(&ctx, 1_500).await?;
    session.signal(Signal::Term).await?;
    refused(&ctx, "refused", &mut session).await?;
    in_flight_is_answered(&ctx, &mut session).await;
    let ending = session.finish().await;
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}

async fn cancel_while_closing(ctx: Ctx) -> Result<(), Stop> {
    let mut session = with_call_in_flight(&ctx, 20_000).await?;
    session.signal(Signal::Term).await?;
    refused(&ctx, "new-request-refused", &mut session).await?;
    session.cancel(1).await;
    session.rest().await?;
    ctx.check("cancel-served", session.answers(1) == 0, || "1 was answered".to_owned());
    ends(&ctx, session).await
}

async fn second_aborts(ctx: Ctx) -> Result<(), Stop> {
    let mut session = with_call_in_flight(&ctx, 20_000).await?;
    session.signal(Signal::Term).await?;
    // The refusal shows that the first signal was taken; two at once may become one.
    until_refused(&mut session).await?;
    session.signal(Signal::Term).await?;
    let ended = session.ends_by_itself(Duration::from_secs(2)).await;
    ctx.check("ends-at-once", ended, || "still running 2 s after the second signal".to_owned());
    session.rest().await?;
    ctx.check("cut-off-unanswered", session.answers(1) == 0, || "1 was answered".to_owned());
    let ending = session.finish().await;
    ctx.check("exit-143", ending.exit == Exit::Code(143), || ending.exit.to_string());
    Ok(())
}

/// A session whose request 1 sleeps; the answer to another one shows that it was received.
async fn with_call_in_flight(ctx: &Ctx, ms: u64) -> Result<Session, Stop> {
    let mut session = ctx.open_ready().await?;
    session.call(1, "sleep", json!({"ms": ms})).await;
    session.call(2, "echo", json!({"text": "1 was received"})).await;
    session.answer_to(2).await?;
    Ok(session)
}

/// Calls until a call is refused; a signal takes its time, so the first ones may be answered.
async fn until_refused(session: &mut Session) -> Result<serde_json::Value, Stop> {
    for id in 1_000..1_500 {
        session.call(id, "echo", json!({"text": "closing yet?"})).await;
        let answer = session.answer_to(id).await?;
        if answer.get("error").is_some() {
            return Ok(answer);
        }
    }
    Err(Stop("500 calls after the signal were all served".to_owned()))
}

async fn refused(ctx: &Ctx, check: &str, session: &mut Session) -> Result<(), Stop> {
    let refusal = until_refused(session).await?;
    let expected = golden::error_answer(refusal["id"].clone(), -32603);
    ctx.equal(check, &session.normal(&refusal), &expected);
    ctx.equal("reason-closing", &refusal["error"]["data"]["reason"], &json!("closing"));
    Ok(())
}

async fn in_flight_is_answered(ctx: &Ctx, session: &mut Session) {
    let answer = session.answer_to(1).await;
    let answered = answer.as_ref().is_ok_and(|frame| golden::tool_text(frame).is_some());
    ctx.check("in-flight-answered", answered, || format!("{answer:?}"));
}

/// The process ends with its input still open.
async fn ends(ctx: &Ctx, mut session: Session) -> Result<(), Stop> {
    let ended = session.ends_by_itself(Duration::from_secs(2)).await;
    ctx.check("ends-by-itself", ended, || "still running after 2 s".to_owned());
    let ending = session.finish().await;
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}
