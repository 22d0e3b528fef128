//! C14: the last line has no line feed.

use serde_json::json;

use crate::{
    golden,
    scenario::{Applies, Ctx, Family, Need, Scenario, Stop, must, row, spec},
    session::{self, Session},
    target::{Exit, Fault},
};

const ECHO_ON_BYTES: Applies = Applies::EVERYWHERE.with_needs(&[Need::Tool("echo"), Need::Bytes]);

pub(super) static SCENARIOS: [Scenario; 5] = [
    Scenario {
        row: Some("C14"),
        title: "a complete last line without its line feed is processed",
        requirement: "last line has no newline before EOF: a complete JSON value is processed",
        sources: &[row("C14"), spec("2026-07-28", "basic/transports/stdio")],
        applies: ECHO_ON_BYTES,
        checks: &[must("answered"), must("exit-0"), must("report-not-truncated")],
        ..Scenario::new("c14-complete-tail", Family::Documented, |ctx| Box::pin(complete(ctx)))
    },
    Scenario {
        row: Some("C14"),
        title: "an incomplete last line gets no answer, and nothing else is lost",
        requirement: "an incomplete one gets no answer, `report.truncated` is 1, nothing else is lost",
        sources: &[row("C14")],
        applies: ECHO_ON_BYTES,
        checks: &[must("only-the-complete-one"), must("exit-0"), must("report-truncated")],
        ..Scenario::new("c14-incomplete-tail", Family::Documented, |ctx| Box::pin(incomplete(ctx)))
    },
    Scenario {
        row: Some("C14"),
        title: "half a line that waits while an answer goes out is no less a line",
        requirement: "last line has no newline before EOF: a complete JSON value is processed, however long its end \
                      was in coming",
        sources: &[row("C14"), spec("2026-07-28", "basic/transports/stdio")],
        applies: Applies::EVERYWHERE.with_needs(&[Need::Tool("echo"), Need::Tool("sleep"), Need::Bytes]),
        checks: &[must("answered"), must("exit-0"), must("report-not-truncated")],
        ..Scenario::new("c14-tail-after-a-pause", Family::Documented, |ctx| Box::pin(after_a_pause(ctx)))
    },
    Scenario {
        row: Some("C14"),
        title: "a wire that is torn within a frame loses that frame alone",
        requirement: "an incomplete one gets no answer, `report.truncated` is 1, nothing else is lost",
        sources: &[row("C14")],
        applies: Applies::EVERYWHERE.with_needs(&[Need::Tool("echo"), Need::Bytes, Need::Faults]),
        checks: &[must("silent"), must("exit-0"), must("report-truncated")],
        ..Scenario::new("c14-torn-wire", Family::Documented, |ctx| Box::pin(torn(ctx)))
    },
    Scenario {
        row: Some("C14"),
        title: "bytes that come one at a time are the same frames",
        requirement: "messages are delimited by newlines, however they are cut on the way",
        sources: &[row("C14"), spec("2026-07-28", "basic/transports/stdio")],
        applies: Applies::EVERYWHERE.with_needs(&[Need::Tool("echo"), Need::Bytes, Need::Faults]),
        checks: &[must("answered"), must("exit-0"), must("report-not-truncated")],
        ..Scenario::new("c14-byte-by-byte", Family::Documented, |ctx| Box::pin(byte_by_byte(ctx)))
    },
];

async fn complete(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    let call = session::call(ctx.era(), 1, "echo", json!({"text": "the end"}));
    session.send_bytes(call.to_string().as_bytes()).await;
    is_the_last(&ctx, session, 1).await
}

async fn after_a_pause(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    let sleep = session::call(ctx.era(), 1, "sleep", json!({"ms": 50}));
    let last = session::call(ctx.era(), 2, "echo", json!({"text": "the end"})).to_string();
    let (half, rest) = last.split_at(last.len() / 2);
    session.send_bytes(format!("{sleep}\n{half}").as_bytes()).await;
    session.answer_to(1).await?;
    session.send_bytes(rest.as_bytes()).await;
    is_the_last(&ctx, session, 2).await
}

/// The input ends, and the last that comes is the echo of a line that was not ended.
async fn is_the_last(ctx: &Ctx, mut session: Session, id: i64) -> Result<(), Stop> {
    session.close_write().await;
    let rest = session.rest().await?;
    let answers: Vec<_> = rest.iter().map(|frame| session.normal(frame)).collect();
    let expected = [golden::text_answer(id, "the end")];
    ctx.check("answered", answers == expected, || format!("{answers:?}"));
    let ending = session.finish().await;
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    ctx.report("report-not-truncated", &ending, |report| report["truncated"] == 0);
    Ok(())
}

async fn incomplete(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    session.call(1, "echo", json!({"text": "whole"})).await;
    let torn = session::call(ctx.era(), 2, "echo", json!({"text": "torn"})).to_string();
    let half = torn.as_bytes().split_at(torn.len() / 2).0;
    session.send_bytes(half).await;
    session.close_write().await;
    let rest = session.rest().await?;
    let answers: Vec<_> = rest.iter().map(|frame| session.normal(frame)).collect();
    let expected = [golden::text_answer(1, "whole")];
    ctx.check("only-the-complete-one", answers == expected, || format!("{answers:?}"));
    let ending = session.finish().await;
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    ctx.report("report-truncated", &ending, |report| report["truncated"] == 1);
    Ok(())
}

async fn torn(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    session.all_taken().await?;
    session.fault(Fault::Torn(20)).await?;
    session.call(1, "echo", json!({"text": "torn"})).await;
    let rest = session.rest().await?;
    ctx.check("silent", rest.is_empty(), || format!("{rest:?}"));
    let ending = session.finish().await;
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    ctx.report("report-truncated", &ending, |report| report["truncated"] == 1);
    Ok(())
}

async fn byte_by_byte(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    session.fault(Fault::Slow(1)).await?;
    session.call(1, "echo", json!({"text": "ünïcödé"})).await;
    session.close_write().await;
    let rest = session.rest().await?;
    let answers: Vec<_> = rest.iter().map(|frame| session.normal(frame)).collect();
    let expected = [golden::text_answer(1, "ünïcödé")];
    ctx.check("answered", answers == expected, || format!("{answers:?}"));
    let ending = session.finish().await;
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    ctx.report("report-not-truncated", &ending, |report| report["truncated"] == 0);
    Ok(())
}
