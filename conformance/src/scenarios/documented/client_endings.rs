//! C3a, C3b, C6b, C6c, C14 and C31: how a client ends.

use std::{io::ErrorKind, time::Duration};

use serde_json::{Value, json};

use crate::{
    scenario::{Applies, Ctx, Family, Need, Role, Scenario, Stop, must, row},
    session::{self, Session},
    target::{Exit, Fault, OpenOptions, Order},
};

const CLIENT: Applies =
    Applies::EVERYWHERE.to(&[Role::Client]).with_needs(&[Need::Orders, Need::Faults, Need::Report, Need::Bytes]);

pub(super) static SCENARIOS: [Scenario; 6] = [
    Scenario {
        row: Some("C3a"),
        title: "a client ends when its server has said all it will say",
        requirement: "the client side always cancels what it serves; the write side closes",
        sources: &[row("C3a")],
        applies: CLIENT,
        checks: &[must("ends-by-itself"), must("silent"), must("exit-0")],
        ..Scenario::new("c3a-client-ends", Family::Documented, |ctx| Box::pin(client_ends(ctx)))
    },
    Scenario {
        row: Some("C3b"),
        title: "the connection of a client is reset: it ends, and writes nothing more",
        requirement: "peer gone: as C3a, and nothing is written any more",
        sources: &[row("C3b")],
        applies: CLIENT,
        checks: &[must("ends-by-itself"), must("silent"), must("report-reason"), must("exit-0")],
        ..Scenario::new("c3b-client-reset", Family::Documented, |ctx| Box::pin(reset(ctx)))
    },
    Scenario {
        row: Some("C6b"),
        title: "a client whose server reads no more ends, and its calls settle",
        requirement: "the only pipe breaks: exit code ≠ 0; never runs on for ever",
        sources: &[row("C6b"), row("C1")],
        applies: CLIENT,
        checks: &[must("call-closed"), must("ends-by-itself"), must("report-reason"), must("no-panic"), must("exit-1")],
        ..Scenario::new("c6b-client-unheard", Family::Documented, |ctx| Box::pin(client_unheard(ctx)))
    },
    Scenario {
        row: Some("C6c"),
        title: "a client that cannot write for a local reason ends, and its calls settle",
        requirement: "writing fails for a local reason (disk full, I/O error): data was lost",
        sources: &[row("C6c"), row("C1")],
        applies: CLIENT,
        checks: &[must("call-closed"), must("ends-by-itself"), must("report-reason"), must("no-panic"), must("exit-1")],
        ..Scenario::new("c6c-client-full-disk", Family::Documented, |ctx| Box::pin(full_disk(ctx)))
    },
    Scenario {
        row: Some("C14"),
        title: "a last line of the server that is incomplete is counted",
        requirement: "an incomplete one gets no answer, `report.truncated` is 1, nothing else is lost",
        sources: &[row("C14")],
        applies: CLIENT,
        checks: &[must("whole-one-counts"), must("silent"), must("report-truncated"), must("exit-0")],
        ..Scenario::new("c14-client-incomplete-tail", Family::Documented, |ctx| Box::pin(incomplete_tail(ctx)))
    },
    Scenario {
        row: Some("C31"),
        title: "a client that closes does not wait for a server that reads no more",
        requirement: "writes stall once close began: peer gone",
        sources: &[row("C31")],
        applies: CLIENT,
        checks: &[must("ends-by-itself"), must("report-reason"), must("exit-1")],
        ..Scenario::new("c31-client-close-stalls", Family::Documented, |ctx| Box::pin(close_stalls(ctx)))
    },
];

async fn client_ends(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    session.close_write().await;
    ends_by_itself(&ctx, &mut session).await;
    silent(&ctx, &mut session).await?;
    exits(&ctx, "exit-0", 0, session).await
}

async fn reset(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    session.fault(Fault::Reset).await?;
    ends_by_itself(&ctx, &mut session).await;
    silent(&ctx, &mut session).await?;
    ended_as(&ctx, session, "PeerGone", "exit-0", 0).await
}

async fn client_unheard(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    session.close_read().await;
    cannot_write(&ctx, session, "WriteBroken").await
}

async fn full_disk(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    session.fault(Fault::WritesFail(ErrorKind::StorageFull)).await?;
    cannot_write(&ctx, session, "WriteFailed").await
}

async fn cannot_write(ctx: &Ctx, mut session: Session, reason: &str) -> Result<(), Stop> {
    session.order(Order::Call { number: 1, method: "tools/list", timeout: None }).await?;
    let outcome = session.outcome_of(1).await?;
    ctx.check("call-closed", outcome["error"] == "closed", || outcome.to_string());
    ends_by_itself(ctx, &mut session).await;
    let ending = session.finish().await;
    ctx.report("report-reason", &ending, |report| report["reason"] == reason);
    ctx.check("no-panic", ending.stderr.is_empty(), || ending.stderr.clone());
    ctx.check("exit-1", ending.exit == Exit::Code(1), || ending.exit.to_string());
    Ok(())
}

async fn incomplete_tail(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    let request = session.order_call(1, "tools/list").await?;
    let whole = session::answer(&request["id"], json!({"tools": []}));
    session.send_bytes(format!("{whole}\n{{\"jsonrpc\":\"2.0\",\"meth").as_bytes()).await;
    session.close_write().await;
    let outcome = session.outcome_of(1).await?;
    ctx.equal("whole-one-counts", &outcome, &json!({"call": 1, "ok": {"tools": []}}));
    silent(&ctx, &mut session).await?;
    let ending = session.finish().await;
    ctx.report("report-truncated", &ending, |report| report["truncated"] == 1);
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}

async fn close_stalls(ctx: Ctx) -> Result<(), Stop> {
    let options = OpenOptions::new().with_write_stall(Duration::from_millis(300));
    let mut session = ctx.open_ready_with(options).await?;
    session.fault(Fault::Stall).await?;
    session.order(Order::Notify("notifications/stuck")).await?;
    session.order(Order::Close).await?;
    ends_by_itself(&ctx, &mut session).await;
    ended_as(&ctx, session, "Stalled", "exit-1", 1).await
}

async fn ends_by_itself(ctx: &Ctx, session: &mut Session) {
    let ended = session.ends_by_itself(Duration::from_secs(4)).await;
    ctx.check("ends-by-itself", ended, || "still running after 4 s".to_owned());
}

async fn silent(ctx: &Ctx, session: &mut Session) -> Result<(), Stop> {
    let rest: Vec<Value> = session.rest().await?;
    ctx.check("silent", rest.is_empty(), || format!("{rest:?}"));
    Ok(())
}

async fn ended_as(ctx: &Ctx, session: Session, reason: &str, check: &str, code: i32) -> Result<(), Stop> {
    let ending = session.finish().await;
    ctx.report("report-reason", &ending, |report| report["reason"] == reason);
    ctx.check(check, ending.exit == Exit::Code(code), || ending.exit.to_string());
    Ok(())
}

async fn exits(ctx: &Ctx, check: &str, code: i32, session: Session) -> Result<(), Stop> {
    let ending = session.finish().await;
    ctx.check(check, ending.exit == Exit::Code(code), || ending.exit.to_string());
    Ok(())
}
