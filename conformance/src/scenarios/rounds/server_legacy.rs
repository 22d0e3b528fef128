//! A server whose tool asks in a legacy session: it sends a request and waits.

use serde_json::{Value, json};

use super::server::exits;
use crate::{
    golden,
    scenario::{Applies, Ctx, Family, Need, Scenario, Stop, issue, must, row, spec},
    session::{self, Session},
};

const LEGACY: Applies = Applies::legacy_only("a modern server asks by its answers").with_needs(&[Need::Tool("ask")]);

pub(super) static SCENARIOS: [Scenario; 3] = [
    Scenario {
        title: "a tool asks the client that waits for it, and completes with the answer",
        requirement: "a request to the client from inside a tool is answered on the same connection",
        sources: &[
            spec("2025-11-25", "client/elicitation"),
            issue("modelcontextprotocol", 907),
            issue("block/goose", 6650),
        ],
        applies: LEGACY.by(&[Need::Session]),
        checks: &[must("asks"), must("accepted"), must("declined"), must("exit-0")],
        ..Scenario::new("rounds-server-asks-legacy", Family::Rounds, |ctx| Box::pin(asks(ctx)))
    },
    Scenario {
        title: "a tool that may not ask fails, and nothing is asked",
        requirement: "servers must not send requests for capabilities that the client did not declare",
        sources: &[spec("2025-11-25", "basic/lifecycle#operation")],
        applies: LEGACY.by(&[Need::Session]),
        checks: &[must("fails-as-a-tool"), must("not-asked"), must("exit-0")],
        ..Scenario::new("rounds-server-may-not-ask", Family::Rounds, |ctx| Box::pin(may_not_ask(ctx)))
    },
    Scenario {
        row: Some("C13"),
        title: "the input ends while a tool waits for the client: the tool fails and is answered",
        requirement: "connection closes while a handler waits for a server-to-client call: the call settles, the \
                      handler goes on",
        sources: &[row("C13"), row("C2")],
        applies: LEGACY.by(&[Need::HalfClose]),
        checks: &[must("answered"), must("exit-0")],
        ..Scenario::new("c13-tool-asks-in-vain", Family::Rounds, |ctx| Box::pin(in_vain(ctx)))
    },
];

async fn asks(ctx: Ctx) -> Result<(), Stop> {
    let mut session = able(&ctx).await?;
    for (number, (check, answer, text)) in [
        ("accepted", json!({"action": "accept", "content": {"name": "x"}}), "action=accept"),
        ("declined", json!({"action": "decline"}), "action=decline"),
    ]
    .into_iter()
    .enumerate()
    {
        session.call(number, "ask", json!({})).await;
        let asked = session.until(is_asking).await?;
        if number == 0 {
            let schema = &asked["params"]["requestedSchema"];
            ctx.check("asks", schema["properties"]["name"]["type"] == "string", || asked.to_string());
        }
        session.send(&session::answer(&asked["id"], answer)).await;
        let result = session.answer_to(number).await?;
        ctx.check(check, golden::tool_text(&result) == Some(text), || result.to_string());
    }
    exits(&ctx, session).await;
    Ok(())
}

async fn may_not_ask(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    session.call(1, "ask", json!({})).await;
    let answer = session.answer_to(1).await?;
    ctx.check("fails-as-a-tool", answer["result"]["isError"] == true, || answer.to_string());
    let asked = session.seen().iter().any(is_asking);
    ctx.check("not-asked", !asked, || format!("{:?}", session.seen()));
    exits(&ctx, session).await;
    Ok(())
}

async fn in_vain(ctx: Ctx) -> Result<(), Stop> {
    let mut session = able(&ctx).await?;
    session.call(1, "ask", json!({})).await;
    session.until(is_asking).await?;
    session.close_write().await;
    let answer = session.answer_to(1).await?;
    ctx.check("answered", answer["result"]["isError"] == true, || answer.to_string());
    exits(&ctx, session).await;
    Ok(())
}

fn is_asking(frame: &Value) -> bool {
    frame["method"] == "elicitation/create"
}

/// A session of a client that can be asked.
async fn able(ctx: &Ctx) -> Result<Session, Stop> {
    let mut session = ctx.open().await?;
    session.open_legacy_as("2025-11-25", json!({"elicitation": {"form": {}}, "sampling": {}})).await?;
    Ok(session)
}
