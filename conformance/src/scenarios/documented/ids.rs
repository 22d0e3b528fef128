//! Ids are echoed as they were sent.

use serde_json::{json, value::RawValue};

use crate::{
    scenario::{Applies, Ctx, Family, Need, Scenario, Stop, issue, must, spec},
    session,
    target::Exit,
};

pub(super) static SCENARIOS: [Scenario; 1] = [Scenario {
    title: "an answer carries the id of its request, the same text of the same type",
    requirement: "a response carries the id of its request with the same JSON type; `1.0` and big \
                  integers are echoed as sent",
    sources: &[issue("python-sdk", 961), spec("2026-07-28", "basic/index#responses")],
    applies: Applies::EVERYWHERE.with_needs(&[Need::Tool("echo")]),
    checks: &[must("echoed"), must("exit-0")],
    ..Scenario::new("ids-echoed-as-sent", Family::Documented, |ctx| Box::pin(echoed(ctx)))
}];

async fn echoed(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    let long = format!("{:?}", "x".repeat(200));
    let ids = [
        "0",
        "-3",
        "1",
        "1.0",
        "9007199254740993",
        "123456789012345678901234567890",
        r#""""#,
        r#""1""#,
        r#""007""#,
        r#""ünïcödé""#,
        &long,
    ];
    let mut wrong = Vec::new();
    for id in ids {
        let frame = session::call(ctx.era(), "ID", "echo", json!({"text": "x"})).to_string();
        session.send_line(&frame.replace(r#""ID""#, id)).await;
        let line = session.next_line().await?;
        match id_of(&line) {
            Some(echoed) if echoed.get() == id => {}
            _ => wrong.push(format!("{id} came back in {line}")),
        }
    }
    ctx.check("echoed", wrong.is_empty(), || wrong.join(" | "));
    let ending = session.finish().await;
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}

/// The text of the member `id`, which a parsed number would not keep.
fn id_of(line: &str) -> Option<Box<RawValue>> {
    let mut members: std::collections::HashMap<String, Box<RawValue>> = serde_json::from_str(line).ok()?;
    members.remove("id")
}
