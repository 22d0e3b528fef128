//! C12 and C32: responses that name no call, or name it loosely.

use serde_json::{Value, json};

use crate::{
    golden,
    scenario::{Applies, Ctx, Family, Need, Scenario, Stop, issue, must, row, spec},
    target::Exit,
};

pub(super) static SCENARIOS: [Scenario; 4] = [
    Scenario {
        row: Some("C12"),
        title: "responses with unknown ids, null ids or none are ignored",
        requirement: "response with an unknown or settled id: ignored, counted",
        sources: &[row("C12"), spec("2025-11-25", "basic/index#responses")],
        applies: Applies::EVERYWHERE.with_needs(&[Need::Tool("echo")]).by(&[Need::Session]),
        checks: &[must("only-the-echo-answered"), must("report-counted"), must("exit-0")],
        ..Scenario::new("c12-unknown-response", Family::Documented, |ctx| Box::pin(unknown(ctx)))
    },
    Scenario {
        row: Some("C32"),
        title: "a response that names no call of the server is ignored in the modern era too",
        requirement: "a response that names no call of ours is ignored, counted",
        sources: &[row("C32"), row("C12"), spec("2026-07-28", "basic/transports/stdio")],
        applies: Applies::modern_only("see c12-unknown-response")
            .with_needs(&[Need::Tool("echo")])
            .by(&[Need::OneStream]),
        checks: &[must("only-the-echo-answered"), must("report-counted"), must("exit-0")],
        ..Scenario::new("c32-response-ignored", Family::Documented, |ctx| Box::pin(unknown(ctx)))
    },
    Scenario {
        row: Some("C12"),
        title: "a second answer to the same request of the server is ignored",
        requirement: "response with an unknown or settled id: ignored, counted",
        sources: &[row("C12")],
        applies: Applies::legacy_only("a modern server sends no requests")
            .with_needs(&[Need::Tool("call_client"), Need::Tool("echo")])
            .by(&[Need::Session]),
        checks: &[must("first-answer-counts"), must("serves-on"), must("exit-0")],
        ..Scenario::new("c12-settled-response", Family::Documented, |ctx| Box::pin(settled(ctx)))
    },
    Scenario {
        row: Some("C12"),
        title: "an id that comes back as a string is matched",
        requirement: "a response whose id is the same number as a string matches and is counted",
        sources: &[issue("python-sdk", 192), issue("python-sdk", 1720), issue("rust-sdk", 1021)],
        applies: Applies::legacy_only("a modern server sends no requests")
            .with_needs(&[Need::Tool("call_client")])
            .by(&[Need::Session]),
        checks: &[must("matched"), must("exit-0")],
        ..Scenario::new("c12-id-as-string", Family::Documented, |ctx| Box::pin(id_as_string(ctx)))
    },
];

async fn unknown(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    let before = session.seen().len();
    let error = json!({"code": -32603, "message": "no"});
    for frame in [
        json!({"jsonrpc": "2.0", "id": 999, "result": {}}),
        json!({"jsonrpc": "2.0", "id": "999", "error": error}),
        json!({"jsonrpc": "2.0", "id": null, "error": error}),
        json!({"jsonrpc": "2.0", "error": error}),
        json!({"jsonrpc": "2.0", "id": 999, "error": "boom"}),
        json!({"jsonrpc": "2.0", "id": 999, "error": {"code": "E1", "message": "x"}}),
    ] {
        session.send(&frame).await;
    }
    session.call(1, "echo", json!({"text": "still here"})).await;
    session.close_write().await;
    session.rest().await?;
    let came: Vec<Value> = session.seen_normal().split_off(before);
    let expected = [golden::text_answer(1, "still here")];
    ctx.check("only-the-echo-answered", came == expected, || format!("{came:?}"));
    let ending = session.finish().await;
    ctx.report("report-counted", &ending, |report| report["dropped"] == json!({"unknown_response": 6}));
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}

async fn settled(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    session.call(1, "call_client", json!({"method": "roots/list", "timeout_ms": 5_000})).await;
    let asked = session.until(|frame| frame["method"] == "roots/list").await?;
    let first = json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": []}});
    let second = json!({"jsonrpc": "2.0", "id": asked["id"], "error": {"code": 1, "message": "no"}});
    session.send(&first).await;
    session.send(&second).await;
    let answer = session.answer_to(1).await?;
    let ok = golden::tool_text(&answer).is_some_and(|text| text.starts_with("ok: "));
    ctx.check("first-answer-counts", ok, || answer.to_string());
    session.call(2, "echo", json!({"text": "on"})).await;
    let next = session.answer_to(2).await?;
    let serves_on = session.normal(&next) == golden::text_answer(2, "on");
    ctx.check("serves-on", serves_on, || next.to_string());
    let ending = session.finish().await;
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}

async fn id_as_string(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    session.call(1, "call_client", json!({"method": "roots/list", "timeout_ms": 5_000})).await;
    let asked = session.until(|frame| frame["method"] == "roots/list").await?;
    let id = match &asked["id"] {
        Value::String(id) => id.clone(),
        id => id.to_string(),
    };
    session.send(&json!({"jsonrpc": "2.0", "id": id, "result": {"roots": []}})).await;
    let answer = session.answer_to(1).await?;
    let ok = golden::tool_text(&answer).is_some_and(|text| text.starts_with("ok: "));
    ctx.check("matched", ok, || answer.to_string());
    let ending = session.finish().await;
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}
