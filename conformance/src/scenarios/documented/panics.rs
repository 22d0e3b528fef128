//! C24: a handler panics.

use serde_json::{Value, json};

use crate::{
    golden,
    scenario::{Applies, Ctx, Family, Need, Scenario, Stop, must, row},
    session,
    target::Exit,
};

const REQUIREMENT: &str = "handler panics: −32603 without internals for that request alone, also during drain";

pub(super) static SCENARIOS: [Scenario; 2] = [
    Scenario {
        row: Some("C24"),
        title: "a panic is an internal error of that request alone",
        requirement: REQUIREMENT,
        sources: &[row("C24")],
        applies: Applies::EVERYWHERE.with_needs(&[Need::Tool("panic"), Need::Tool("sleep"), Need::Tool("echo")]),
        checks: &[
            must("internal-error"),
            must("no-internals"),
            must("others-untouched"),
            must("serves-on"),
            must("exit-0"),
        ],
        ..Scenario::new("c24-panic", Family::Documented, |ctx| Box::pin(panics(ctx)))
    },
    Scenario {
        row: Some("C24"),
        title: "a panic while the input has ended is answered too",
        requirement: REQUIREMENT,
        sources: &[row("C24"), row("C2")],
        applies: Applies::EVERYWHERE.with_needs(&[Need::Tool("panic"), Need::Tool("sleep")]).by(&[Need::HalfClose]),
        checks: &[must("both-answered"), must("exit-0")],
        ..Scenario::new("c24-panic-while-draining", Family::Documented, |ctx| Box::pin(while_draining(ctx)))
    },
];

async fn panics(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    session.call(1, "sleep", json!({"ms": 300})).await;
    session.call(2, "panic", json!({})).await;
    let failed = session.answer_to(2).await?;
    let normal = session.normal(&failed);
    ctx.equal("internal-error", &normal, &golden::error_answer(2, -32603));
    let text = failed.to_string();
    let internals = ["panicked", ".rs", "src/", "Traceback", "unwrap"];
    let told = internals.iter().find(|word| text.contains(**word));
    ctx.check("no-internals", told.is_none(), || text.clone());
    session.call(3, "echo", json!({"text": "on"})).await;
    let next = session.answer_to(3).await?;
    ctx.equal("serves-on", &session.normal(&next), &golden::text_answer(3, "on"));
    let other = session.answer_to(1).await?;
    let untouched = golden::tool_text(&other).is_some();
    ctx.check("others-untouched", untouched, || other.to_string());
    let ending = session.finish().await;
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}

async fn while_draining(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    let era = ctx.era();
    session
        .send_together(&[session::call(era, 1, "sleep", json!({"ms": 300})), session::call(era, 2, "panic", json!({}))])
        .await;
    session.close_write().await;
    let rest = session.rest().await?;
    let came: Vec<(&Value, bool)> = rest.iter().map(|frame| (&frame["id"], frame.get("error").is_some())).collect();
    let expected = [(&json!(2), true), (&json!(1), false)];
    ctx.check("both-answered", came == expected, || format!("(id, is an error): {came:?}"));
    let ending = session.finish().await;
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}
