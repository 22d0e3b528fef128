//! Prompts that are asked for wrongly.

use serde_json::json;

use crate::{
    scenario::{Applies, Ctx, Family, Scenario, Stop, issue, must, spec},
    session::Session,
    target::Exit,
};

pub(super) static SCENARIOS: [Scenario; 1] = [Scenario {
    title: "a prompt that is not there, or is asked for wrongly, is refused with what is wrong",
    requirement: "invalid prompt name, missing required arguments: -32602; the error names the field and what was \
                  expected",
    sources: &[
        spec("2025-11-25", "server/prompts#error-handling"),
        spec("2026-07-28", "server/prompts#error-handling"),
        issue("rust-sdk", 213),
    ],
    applies: Applies::EVERYWHERE,
    checks: &[
        must("no-name"),
        must("name-is-a-number"),
        must("unknown-name"),
        must("arguments-are-an-array"),
        must("goes-on"),
        must("exit-0"),
    ],
    ..Scenario::new("hostile-prompt-refused", Family::Hostile, |ctx| Box::pin(refused(ctx)))
}];

async fn refused(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    let opened = session.seen().iter().find(|frame| frame["id"] == "open").cloned().unwrap_or_default();
    if !opened["result"]["capabilities"]["prompts"].is_object() {
        return Err(ctx.excused("the server has no prompts"));
    }
    // What is wrong with the arguments is told of a prompt that is there.
    let known = names(&mut session, "list").await?.first().cloned().unwrap_or_default();
    for (check, params, named) in [
        ("no-name", json!({}), "name"),
        ("name-is-a-number", json!({"name": 7}), "name"),
        ("unknown-name", json!({"name": "no-such-prompt"}), "no-such-prompt"),
        ("arguments-are-an-array", json!({"name": known, "arguments": []}), "arguments"),
    ] {
        session.request(check, "prompts/get", params).await;
        let answer = session.answer_to(check).await?;
        let error = &answer["error"];
        let told = [&error["message"], &error["data"]];
        let is_named = told.iter().any(|told| told.to_string().contains(named));
        ctx.check(check, error["code"] == INVALID && is_named, || answer.to_string());
    }
    let still = names(&mut session, "again").await?;
    ctx.check("goes-on", still.contains(&known), || format!("{still:?}"));
    let ending = session.finish().await;
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}

/// The names of the prompts that are listed first.
async fn names(session: &mut Session, id: &str) -> Result<Vec<String>, Stop> {
    session.request(id, "prompts/list", json!({})).await;
    let list = session.answer_to(id).await?;
    let prompts = list["result"]["prompts"].as_array().map(Vec::as_slice).unwrap_or_default();
    Ok(prompts.iter().filter_map(|prompt| prompt["name"].as_str()).map(str::to_owned).collect())
}

const INVALID: i64 = -32602;
