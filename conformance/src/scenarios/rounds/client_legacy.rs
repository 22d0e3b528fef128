//! A client that a legacy server asks in the middle of a call.

use serde_json::{Value, json};

use super::client::{form, sampling};
use crate::{
    scenario::{Applies, Ctx, Family, Role, Scenario, Stop, issue, must, spec},
    scenarios::play::{exits, is_answered, playing},
    session::Session,
};

const LEGACY: Applies = Applies::legacy_only("a modern server asks by its answers").to(&[Role::Client]);

pub(super) static SCENARIOS: [Scenario; 4] = [
    Scenario {
        title: "a client that waits for a tool answers what the tool asks",
        requirement: "requests of the server are answered while calls of the client wait",
        sources: &[
            spec("2025-11-25", "client/elicitation"),
            spec("2025-11-25", "client/sampling"),
            issue("modelcontextprotocol", 907),
            issue("block/goose", 6650),
        ],
        applies: LEGACY,
        checks: &[must("form-accepted"), must("url-accepted"), must("sampled"), must("completes"), must("exit-0")],
        ..Scenario::new("rounds-client-asked", Family::Rounds, |ctx| Box::pin(asked(ctx)))
    },
    Scenario {
        title: "what a client did not declare is refused, and it goes on",
        requirement: "a request for a capability that was not declared: method not found",
        sources: &[spec("2025-11-25", "client/roots#error-handling")],
        applies: LEGACY,
        checks: &[must("roots-refused"), must("unknown-refused"), must("completes"), must("exit-0")],
        ..Scenario::new("rounds-client-refuses", Family::Rounds, |ctx| Box::pin(refuses(ctx)))
    },
    Scenario {
        title: "a sampling whose uses of tools have no results is refused",
        requirement: "every assistant message with uses of tools must be followed by a user message that consists of \
                      their results: else invalid params",
        sources: &[spec("2025-11-25", "client/sampling#tool-use-and-result-balance"), issue("rust-sdk", 646)],
        applies: LEGACY,
        checks: &[must("no-result"), must("no-use"), must("mixed"), must("completes"), must("exit-0")],
        ..Scenario::new("rounds-client-unpaired-tools", Family::Rounds, |ctx| Box::pin(unpaired(ctx)))
    },
    Scenario {
        title: "a client declares what it can be asked",
        requirement: "capabilities are declared in `initialize`",
        sources: &[spec("2025-11-25", "basic/lifecycle#capability-negotiation")],
        applies: LEGACY,
        checks: &[must("elicitation"), must("sampling"), must("exit-0")],
        ..Scenario::new("rounds-client-declares-legacy", Family::Rounds, |ctx| Box::pin(declares(ctx)))
    },
];

async fn asked(ctx: Ctx) -> Result<(), Stop> {
    let mut session = playing(&ctx, "call:x,close").await?;
    let call = session.called("x").await?;
    let answer = ask(&mut session, "e", form()).await?;
    ctx.equal("form-accepted", &answer["result"], &json!({"action": "accept", "content": {"name": "x"}}));
    let params =
        json!({"mode": "url", "message": "Please sign in.", "url": "https://example.com/", "elicitationId": "e"});
    let answer = ask(&mut session, "u", json!({"method": "elicitation/create", "params": params})).await?;
    ctx.equal("url-accepted", &answer["result"], &json!({"action": "accept"}));
    let answer = ask(&mut session, "s", sampling()).await?;
    let sampled = answer["result"]["role"] == "assistant" && answer["result"]["model"].is_string();
    ctx.check("sampled", sampled, || answer.to_string());
    session.reply_text(&call, "done").await;
    is_answered(&ctx, "completes", &mut session, "call:x", "done").await?;
    exits(&ctx, session).await;
    Ok(())
}

async fn refuses(ctx: Ctx) -> Result<(), Stop> {
    let mut session = playing(&ctx, "call:x,close").await?;
    let call = session.called("x").await?;
    let answer = ask(&mut session, "r", json!({"method": "roots/list"})).await?;
    ctx.check("roots-refused", answer["error"]["code"] == -32601, || answer.to_string());
    let answer = ask(&mut session, "n", json!({"method": "x/unknown"})).await?;
    ctx.check("unknown-refused", answer["error"]["code"] == -32601, || answer.to_string());
    session.reply_text(&call, "done").await;
    is_answered(&ctx, "completes", &mut session, "call:x", "done").await?;
    exits(&ctx, session).await;
    Ok(())
}

async fn unpaired(ctx: Ctx) -> Result<(), Stop> {
    let mut session = playing(&ctx, "call:x,close").await?;
    let call = session.called("x").await?;
    let uses = json!({"type": "tool_use", "id": "7", "name": "now", "input": {}});
    let result = json!({"type": "tool_result", "toolUseId": "7", "content": [{"type": "text", "text": "noon"}]});
    let text = json!({"type": "text", "text": "and?"});
    let says = |role: &str, content: Value| json!({"role": role, "content": content});
    let rows = [
        ("no-result", json!([says("assistant", json!([uses])), says("user", json!([text]))])),
        ("no-use", json!([says("user", json!([result]))])),
        ("mixed", json!([says("assistant", json!([uses])), says("user", json!([result, text]))])),
    ];
    for (check, messages) in rows {
        let params = json!({"messages": messages, "maxTokens": 10});
        let answer = ask(&mut session, check, json!({"method": "sampling/createMessage", "params": params})).await?;
        ctx.check(check, answer["error"]["code"] == -32602, || answer.to_string());
    }
    session.reply_text(&call, "done").await;
    is_answered(&ctx, "completes", &mut session, "call:x", "done").await?;
    exits(&ctx, session).await;
    Ok(())
}

async fn declares(ctx: Ctx) -> Result<(), Stop> {
    let mut session = playing(&ctx, "close").await?;
    let hello = session.seen().iter().find(|frame| frame["method"] == "initialize").cloned().unwrap_or_default();
    let declared = &hello["params"]["capabilities"];
    let modes = declared["elicitation"]["form"].is_object() && declared["elicitation"]["url"].is_object();
    ctx.check("elicitation", modes, || declared.to_string());
    ctx.check("sampling", declared["sampling"].is_object(), || declared.to_string());
    session.step("close").await?;
    exits(&ctx, session).await;
    Ok(())
}

/// Sends a request to the client and waits for its answer.
async fn ask(session: &mut Session, id: &str, mut request: Value) -> Result<Value, Stop> {
    request["jsonrpc"] = "2.0".into();
    request["id"] = id.into();
    session.send(&request).await;
    session.answer_to(id).await
}
