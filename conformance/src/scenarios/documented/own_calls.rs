//! C1, C7, C8, C20, C21 and C25: calls that the target makes, when it can no longer be answered.
//!
//! The target is a server or a client: the engine has one set of rules for both.

use std::{
    io::ErrorKind,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    scenario::{Applies, Ctx, Family, Need, Role, Scenario, Stop, issue, must, row},
    session::{self, Session},
    target::{Exit, Fault, Order},
};

const ORDERED: Applies = Applies::EVERYWHERE.to(&Role::ALL).by_calling().with_needs(&[Need::Orders]);
const ON_A_BAD_WIRE: Applies =
    Applies::EVERYWHERE.to(&Role::ALL).by_calling().with_needs(&[Need::Orders, Need::Faults, Need::Report]);

pub(super) static SCENARIOS: [Scenario; 9] = [
    Scenario {
        row: Some("C1"),
        title: "the peer has said all it will say: calls that wait for it settle at once",
        requirement: "nobody can answer any more: every pending call settles at once, exactly once, with \
                      `ConnectionClosed`; none hangs",
        sources: &[row("C1"), issue("python-sdk", 2678)],
        applies: ORDERED,
        checks: &[must("both-closed"), must("once-each"), must("exit-0")],
        ..Scenario::new("c1-read-ends", Family::Documented, |ctx| Box::pin(read_ends(ctx)))
    },
    Scenario {
        row: Some("C1"),
        title: "a server that still drains does not let its own calls wait for that",
        requirement: "every pending call settles at once; a call made afterwards fails at once",
        sources: &[row("C1"), row("C2")],
        applies: Applies::EVERYWHERE.by_calling().with_needs(&[Need::Orders, Need::Tool("sleep")]),
        checks: &[must("closed-while-draining"), must("later-one-too"), must("drained"), must("exit-0")],
        ..Scenario::new("c1-while-draining", Family::Documented, |ctx| Box::pin(while_draining(ctx)))
    },
    Scenario {
        row: Some("C1"),
        title: "the connection is reset: calls that wait settle at once",
        requirement: "peer gone: every pending call settles at once, exactly once",
        sources: &[row("C1"), row("C3b")],
        applies: ON_A_BAD_WIRE,
        checks: &[must("both-closed"), must("once-each"), must("exit-0")],
        ..Scenario::new("c1-peer-gone", Family::Documented, |ctx| Box::pin(peer_gone(ctx)))
    },
    Scenario {
        row: Some("C20"),
        title: "writing fails, and the answer to a call that was sent still arrives: it wins",
        requirement: "frames already readable are processed (an answer in the pipe wins), new requests among \
                      them ignored; unsent calls settle in the same step",
        sources: &[row("C20")],
        applies: ON_A_BAD_WIRE,
        checks: &[
            must("unsent-settles-at-once"),
            must("answer-wins"),
            must("report-request-ignored"),
            must("ends-by-itself"),
            must("exit-1"),
        ],
        ..Scenario::new("c20-answer-wins", Family::Documented, |ctx| Box::pin(answer_wins(ctx)))
    },
    Scenario {
        row: Some("C20"),
        title: "writing fails, and no answer comes: the call settles when its grace is over",
        requirement: "sent ones settle at read end or after 2 s",
        sources: &[row("C20")],
        applies: ON_A_BAD_WIRE,
        checks: &[must("given-a-grace"), must("closed-after-it"), must("ends-by-itself"), must("exit-1")],
        ..Scenario::new("c20-grace-passes", Family::Documented, |ctx| Box::pin(grace_passes(ctx)))
    },
    Scenario {
        row: Some("C7"),
        title: "a call on a dead write side fails at once, though answers are still read",
        requirement: "a local call on a dead write side: `ConnectionClosed` at once",
        sources: &[row("C7"), row("C20")],
        applies: ON_A_BAD_WIRE,
        checks: &[must("closed-at-once"), must("answer-still-read"), must("report-nothing-queued"), must("exit-1")],
        ..Scenario::new("c7-call-after-failed-write", Family::Documented, |ctx| Box::pin(dead_write_side(ctx)))
    },
    Scenario {
        row: Some("C8"),
        title: "a broken request that arrives after writing failed is counted, and nothing else",
        requirement: "a malformed frame is reported after peer gone: nothing but `Dropped` comes out",
        sources: &[row("C8"), issue("python-sdk", 2416)],
        applies: ON_A_BAD_WIRE,
        checks: &[must("answer-still-read"), must("report-dropped"), must("exit-1")],
        ..Scenario::new("c8-malformed-after-failed-write", Family::Documented, |ctx| Box::pin(late_malformed(ctx)))
    },
    Scenario {
        row: Some("C21"),
        title: "calls that are given up before they could be written leave no trace on the wire",
        requirement: "call cancelled before its frame was written: removed; neither request nor cancel is sent",
        sources: &[row("C21")],
        applies: ON_A_BAD_WIRE,
        checks: &[must("timed-out"), must("no-trace"), must("exit-0")],
        ..Scenario::new("c21-own-call-unwritten", Family::Documented, |ctx| Box::pin(unwritten(ctx)))
    },
    Scenario {
        row: Some("C25"),
        title: "the run vanishes under its calls: they settle, and nothing panics",
        requirement: "driver dropped or runtime gone with local calls pending: all settle \
                      `ConnectionClosed`; no panic in any `Drop`",
        sources: &[row("C25")],
        applies: ORDERED,
        checks: &[must("both-closed"), must("once-each"), must("no-panic"), must("exit-1")],
        ..Scenario::new("c25-run-dropped", Family::Documented, |ctx| Box::pin(run_dropped(ctx)))
    },
];

async fn read_ends(ctx: Ctx) -> Result<(), Stop> {
    let mut session = with_two_calls(&ctx).await?;
    session.close_write().await;
    both_closed(&ctx, &mut session).await?;
    exits(&ctx, "exit-0", 0, session).await
}

async fn peer_gone(ctx: Ctx) -> Result<(), Stop> {
    let mut session = with_two_calls(&ctx).await?;
    session.fault(Fault::Reset).await?;
    both_closed(&ctx, &mut session).await?;
    exits(&ctx, "exit-0", 0, session).await
}

async fn run_dropped(ctx: Ctx) -> Result<(), Stop> {
    let mut session = with_two_calls(&ctx).await?;
    session.order(Order::DropRun).await?;
    both_closed(&ctx, &mut session).await?;
    let ending = session.finish().await;
    ctx.check("no-panic", ending.stderr.is_empty(), || ending.stderr.clone());
    ctx.check("exit-1", ending.exit == Exit::Code(1), || ending.exit.to_string());
    Ok(())
}

async fn while_draining(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    session.call("slow", "sleep", json!({"ms": 1_500})).await;
    session.order_call(1, method(&ctx)).await?;
    session.close_write().await;
    let outcome = session.outcome_of(1).await?;
    let drains = session.next_within(Duration::from_millis(1)).await?.is_none();
    ctx.check("closed-while-draining", is(&outcome, "closed") && drains, || {
        format!("{outcome}, still draining: {drains}")
    });
    session.order(Order::Call { number: 2, method: method(&ctx), timeout: None }).await?;
    let outcome = session.outcome_of(2).await?;
    let drains = session.next_within(Duration::from_millis(1)).await?.is_none();
    ctx.check("later-one-too", is(&outcome, "closed") && drains, || format!("{outcome}, still draining: {drains}"));
    let rest = session.rest().await?;
    let only_the_answer = rest.len() == 1 && session.answers("slow") == 1;
    ctx.check("drained", only_the_answer, || format!("{rest:?}"));
    exits(&ctx, "exit-0", 0, session).await
}

async fn answer_wins(ctx: Ctx) -> Result<(), Stop> {
    let (mut session, sent) = with_failed_write(&ctx, Some("unsent-settles-at-once")).await?;
    session.request("late", "tools/list", json!({})).await;
    session.send(&session::answer(&sent["id"], json!({"here": true}))).await;
    answered(&ctx, "answer-wins", &mut session).await?;
    ends_by_itself(&ctx, &mut session).await;
    let ending = session.finish().await;
    ctx.report("report-request-ignored", &ending, |report| {
        report["dropped"]["nobody_to_answer"] == 1 && report["reason"] == "WriteBroken"
    });
    ctx.check("exit-1", ending.exit == Exit::Code(1), || ending.exit.to_string());
    Ok(())
}

async fn grace_passes(ctx: Ctx) -> Result<(), Stop> {
    let (mut session, _) = with_failed_write(&ctx, None).await?;
    let failed = Instant::now();
    let outcome = session.outcome_of(1).await?;
    let grace = failed.elapsed();
    ctx.check("given-a-grace", grace > Duration::from_secs(1), || format!("settled after {grace:?}: {outcome}"));
    ctx.check("closed-after-it", is(&outcome, "closed"), || outcome.to_string());
    ends_by_itself(&ctx, &mut session).await;
    exits(&ctx, "exit-1", 1, session).await
}

async fn dead_write_side(ctx: Ctx) -> Result<(), Stop> {
    let (mut session, sent) = with_failed_write(&ctx, None).await?;
    session.order(Order::Call { number: 3, method: method(&ctx), timeout: None }).await?;
    let outcome = session.outcome_of(3).await?;
    ctx.check("closed-at-once", is(&outcome, "closed"), || outcome.to_string());
    // Had that taken until the grace was over, this answer would come too late.
    session.send(&session::answer(&sent["id"], json!({"here": true}))).await;
    answered(&ctx, "answer-still-read", &mut session).await?;
    let ending = session.finish().await;
    // Only the call whose write failed was ever in the buffer.
    ctx.report("report-nothing-queued", &ending, |report| report["dropped"]["discarded"] == 1);
    ctx.check("exit-1", ending.exit == Exit::Code(1), || ending.exit.to_string());
    Ok(())
}

async fn late_malformed(ctx: Ctx) -> Result<(), Stop> {
    let (mut session, sent) = with_failed_write(&ctx, None).await?;
    // Either role answers a request whose params alone are wrong, while it can.
    session.send(&json!({"jsonrpc": "2.0", "id": "late", "method": "ping", "params": 3})).await;
    session.send(&session::answer(&sent["id"], json!({"here": true}))).await;
    answered(&ctx, "answer-still-read", &mut session).await?;
    let ending = session.finish().await;
    ctx.report("report-dropped", &ending, |report| {
        report["dropped"]["malformed"] == 1 && report["reason"] == "WriteBroken"
    });
    ctx.check("exit-1", ending.exit == Exit::Code(1), || ending.exit.to_string());
    Ok(())
}

async fn unwritten(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    session.fault(Fault::Stall).await?;
    let timeout = Some(Duration::from_millis(200));
    session.order(Order::Call { number: 1, method: method(&ctx), timeout }).await?;
    session.order(Order::Call { number: 2, method: method(&ctx), timeout: None }).await?;
    let outcome = session.outcome_of(1).await?;
    session.order(Order::Forget(2)).await?;
    // Once a later call has timed out too, the one before it was forgotten.
    session.order(Order::Call { number: 3, method: method(&ctx), timeout }).await?;
    let later = session.outcome_of(3).await?;
    ctx.check("timed-out", is(&outcome, "timed out") && is(&later, "timed out"), || format!("{outcome}, {later}"));
    session.fault(Fault::Resume).await?;
    session.order(Order::Call { number: 4, method: "x/last", timeout: None }).await?;
    let first = session.next().await?;
    ctx.check("no-trace", first["method"] == "x/last", || first.to_string());
    session.send(&session::answer(&first["id"], json!({}))).await;
    session.outcome_of(4).await?;
    exits(&ctx, "exit-0", 0, session).await
}

/// A session whose target waits for the answers to two calls.
async fn with_two_calls(ctx: &Ctx) -> Result<Session, Stop> {
    let mut session = ctx.open_ready().await?;
    session.order_call(1, method(ctx)).await?;
    session.order_call(2, method(ctx)).await?;
    Ok(session)
}

/// A session whose target waits for the answer to call 1, which was sent, and whose writes fail:
/// call 2, which was not, has shown that. Gives the request of call 1.
async fn with_failed_write(ctx: &Ctx, check: Option<&str>) -> Result<(Session, Value), Stop> {
    let mut session = ctx.open_ready().await?;
    let sent = session.order_call(1, method(ctx)).await?;
    session.fault(Fault::WritesFail(ErrorKind::BrokenPipe)).await?;
    session.order(Order::Call { number: 2, method: method(ctx), timeout: None }).await?;
    let unsent = session.outcome_of(2).await?;
    if let Some(check) = check {
        ctx.check(check, is(&unsent, "closed"), || unsent.to_string());
    }
    Ok((session, sent))
}

async fn both_closed(ctx: &Ctx, session: &mut Session) -> Result<(), Stop> {
    let (one, two) = (session.outcome_of(1).await?, session.outcome_of(2).await?);
    ctx.check("both-closed", is(&one, "closed") && is(&two, "closed"), || format!("{one}, {two}"));
    session.ends_by_itself(Duration::from_secs(3)).await;
    let more = session.told_so_far().await;
    ctx.check("once-each", more.iter().all(|told| told.get("call").is_none()), || format!("{more:?}"));
    Ok(())
}

async fn answered(ctx: &Ctx, check: &str, session: &mut Session) -> Result<(), Stop> {
    let outcome = session.outcome_of(1).await?;
    ctx.equal(check, &outcome, &json!({"call": 1, "ok": {"here": true}}));
    Ok(())
}

async fn ends_by_itself(ctx: &Ctx, session: &mut Session) {
    let ended = session.ends_by_itself(Duration::from_secs(3)).await;
    ctx.check("ends-by-itself", ended, || "still running after 3 s".to_owned());
}

async fn exits(ctx: &Ctx, check: &str, code: i32, session: Session) -> Result<(), Stop> {
    let ending = session.finish().await;
    ctx.check(check, ending.exit == Exit::Code(code), || ending.exit.to_string());
    Ok(())
}

fn is(outcome: &Value, kind: &str) -> bool {
    outcome["error"] == kind
}

/// What the target asks: something that the other role is asked in either era.
fn method(ctx: &Ctx) -> &'static str {
    match ctx.role() {
        Role::Server => "roots/list",
        Role::Client => "tools/list",
    }
}
