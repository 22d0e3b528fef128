//! Answers to a server's questions that are wrong, missing, too many, or somebody else's.

use serde_json::{Value, json};

use super::server::{ask, exits, retry, retry_with};
use crate::{
    golden,
    scenario::{Applies, Ctx, Family, Need, Scenario, Stop, must, spec},
    session::Session,
};

const MODERN: Applies = Applies::modern_only("input rounds are of the modern era").with_needs(&[Need::Tool("ask")]);
const MRTR: &str = "basic/patterns/mrtr";

pub(super) static SCENARIOS: [Scenario; 3] = [
    Scenario {
        title: "answers that do not fit are refused, and those that are missing asked for again",
        requirement: "servers should validate `inputResponses`; unknown entries are ignored; if needed ones are \
                      missing, ask again",
        sources: &[spec("2026-07-28", "basic/patterns/mrtr#error-handling")],
        applies: MODERN,
        checks: &[
            must("wrong-type"),
            must("missing-field"),
            must("unknown-action"),
            must("not-an-object"),
            must("missing-asked-again"),
            must("unknown-ignored"),
            must("goes-on"),
            must("exit-0"),
        ],
        ..Scenario::new("rounds-server-odd-answers", Family::Rounds, |ctx| Box::pin(odd_answers(ctx)))
    },
    Scenario {
        title: "state that is not its own is refused by a server",
        requirement: "a server must treat `requestState` as if an attacker controlled it",
        sources: &[spec("2026-07-28", MRTR)],
        applies: MODERN,
        checks: &[must("unknown-refused"), must("not-text-refused"), must("goes-on"), must("exit-0")],
        ..Scenario::new("rounds-server-unknown-state", Family::Rounds, |ctx| Box::pin(unknown_state(ctx)))
    },
    Scenario {
        title: "state of one request does not serve another one",
        requirement: "state should be bound to the method and the params that it came from",
        sources: &[spec("2026-07-28", MRTR)],
        applies: Applies::modern_only("input rounds are of the modern era")
            .with_needs(&[Need::Tool("ask_twice"), Need::Tool("ask")]),
        checks: &[must("two-rounds"), must("other-tool-refused"), must("own-tool-completes"), must("exit-0")],
        ..Scenario::new("rounds-server-state-of-another", Family::Rounds, |ctx| Box::pin(state_of_another(ctx)))
    },
];

async fn odd_answers(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    for (number, (check, answer)) in [
        ("wrong-type", json!({"action": "accept", "content": {"name": 7}})),
        ("missing-field", json!({"action": "accept", "content": {}})),
        ("unknown-action", json!({"action": 7})),
        ("not-an-object", json!("yes")),
    ]
    .into_iter()
    .enumerate()
    {
        let question = ask(&mut session, number, "ask").await?;
        session.send(&retry(check, "ask", &question, &answer)).await;
        let refused = session.answer_to(check).await?;
        ctx.check(check, refused["error"]["code"] == -32602, || refused.to_string());
    }
    let question = ask(&mut session, 10, "ask").await?;
    session.send(&retry_with("missing", "ask", &question, &json!({}))).await;
    let again = session.answer_to("missing").await?["result"].clone();
    let asked = again["resultType"] == "input_required" && again["inputRequests"] == question["inputRequests"];
    ctx.check("missing-asked-again", asked, || again.to_string());
    let mut given = answers(&again, &json!({"action": "decline"}));
    given["nobody-asked"] = json!({"action": "accept", "content": {"name": 7}});
    session.send(&retry_with("unknown", "ask", &again, &given)).await;
    let result = session.answer_to("unknown").await?;
    ctx.check("unknown-ignored", golden::tool_text(&result) == Some("action=decline"), || result.to_string());
    goes_on(&ctx, session).await
}

async fn unknown_state(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    for (check, state) in [("unknown-refused", json!("made up")), ("not-text-refused", json!({"made": "up"}))] {
        let mut question = ask(&mut session, format!("ask {check}"), "ask").await?;
        question["requestState"] = state;
        session.send(&retry(check, "ask", &question, &json!({"action": "decline"}))).await;
        let refused = session.answer_to(check).await?;
        ctx.check(check, refused["error"]["code"] == -32602, || refused.to_string());
    }
    goes_on(&ctx, session).await
}

async fn state_of_another(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    let accept = json!({"action": "accept", "content": {"name": "x"}});
    let first = ask(&mut session, 1, "ask_twice").await?;
    session.send(&retry("r1", "ask_twice", &first, &accept)).await;
    let second = session.answer_to("r1").await?["result"].clone();
    ctx.check("two-rounds", second["resultType"] == "input_required", || second.to_string());
    // Whatever it asked first is answered by now, so that the second question goes with a state.
    session.send(&retry("other", "ask", &second, &accept)).await;
    let refused = session.answer_to("other").await?;
    ctx.check("other-tool-refused", refused["error"]["code"] == -32602, || refused.to_string());
    session.send(&retry("r2", "ask_twice", &second, &accept)).await;
    let result = session.answer_to("r2").await?;
    ctx.check("own-tool-completes", golden::tool_text(&result).is_some(), || result.to_string());
    exits(&ctx, session).await;
    Ok(())
}

/// This answer to everything that was asked.
fn answers(question: &Value, answer: &Value) -> Value {
    let keys = question["inputRequests"].as_object().into_iter().flatten().map(|(key, _)| key.clone());
    Value::Object(keys.map(|key| (key, answer.clone())).collect())
}

async fn goes_on(ctx: &Ctx, mut session: Session) -> Result<(), Stop> {
    let question = ask(&mut session, "on", "ask").await?;
    ctx.check("goes-on", question["resultType"] == "input_required", || question.to_string());
    exits(ctx, session).await;
    Ok(())
}
