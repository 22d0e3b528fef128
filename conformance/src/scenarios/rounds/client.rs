//! A client that is asked for input by a modern server: it answers all that is asked, and asks again.

use serde_json::{Value, json};

use crate::{
    scenario::{Applies, Ctx, Family, Role, Scenario, Stop, issue, must, row, should, spec},
    scenarios::play::{exits, is_answered, playing},
    session::Session,
};

const MODERN: Applies = Applies::modern_only("input rounds are of the modern era").to(&[Role::Client]);
const MRTR: &str = "basic/patterns/mrtr";

pub(super) static SCENARIOS: [Scenario; 8] = [
    Scenario {
        title: "a client answers what it is asked, and sends the request once more with all answers",
        requirement: "the client must fulfil all input requests before it retries; the retry has a new id, the \
                      original params, `inputResponses` with the same keys, and full `_meta`",
        sources: &[spec("2026-07-28", MRTR), row("C32")],
        applies: MODERN,
        checks: &[
            must("new-id"),
            must("same-params"),
            must("whole-meta"),
            must("same-keys"),
            must("form-accepted"),
            must("url-accepted"),
            must("sampled"),
            must("bare-results"),
            must("completes"),
            must("exit-0"),
        ],
        ..Scenario::new("rounds-client-answers", Family::Rounds, |ctx| Box::pin(answers(ctx)))
    },
    Scenario {
        title: "the state of a round is echoed as it came, and is absent where there was none",
        requirement: "the client must echo back the exact value of `requestState`; if there was none, it must not \
                      include one",
        sources: &[spec("2026-07-28", MRTR)],
        applies: MODERN,
        checks: &[
            must("echoed"),
            should("byte-for-byte"),
            must("absent-stays-absent"),
            must("answers-of-this-round-only"),
            must("completes"),
            must("exit-0"),
        ],
        ..Scenario::new("rounds-client-state", Family::Rounds, |ctx| Box::pin(state(ctx)))
    },
    Scenario {
        title: "a round that asks for nothing is tried again with its state",
        requirement: "without `inputRequests` the client may retry at once",
        sources: &[spec("2026-07-28", MRTR)],
        applies: MODERN,
        checks: &[must("tried-again"), must("no-answers"), must("completes"), must("exit-0")],
        ..Scenario::new("rounds-client-nothing-asked", Family::Rounds, |ctx| Box::pin(nothing_asked(ctx)))
    },
    Scenario {
        title: "a server that asks for ever does not keep a client for ever",
        requirement: "clients should limit the number of rounds",
        sources: &[spec("2026-07-28", MRTR)],
        applies: MODERN,
        checks: &[must("ends"), must("goes-on"), must("exit-0")],
        ..Scenario::new("rounds-client-for-ever", Family::Rounds, |ctx| Box::pin(for_ever(ctx)))
    },
    Scenario {
        title: "what a client cannot answer fails the call, and the request is not sent again",
        requirement: "a server must not ask for what the client did not declare; there is no place for an error in \
                      `inputResponses`: the client does not retry",
        sources: &[spec("2026-07-28", MRTR), spec("2026-07-28", "client/roots")],
        applies: MODERN,
        checks: &[must("fails"), must("not-sent-again"), must("exit-0")],
        ..Scenario::new("rounds-client-undeclared", Family::Rounds, |ctx| Box::pin(undeclared(ctx)))
    },
    Scenario {
        title: "rounds of two calls at a time do not mix",
        requirement: "`inputResponses` and `requestState` must not be used for any other request",
        sources: &[spec("2026-07-28", MRTR)],
        applies: MODERN,
        checks: &[must("states-kept-apart"), must("both-complete"), must("exit-0")],
        ..Scenario::new("rounds-client-parallel", Family::Rounds, |ctx| Box::pin(parallel(ctx)))
    },
    Scenario {
        title: "prompts and resources ask as tools do",
        requirement: "`input_required` may answer `tools/call`, `prompts/get` and `resources/read`",
        sources: &[spec("2026-07-28", "basic/patterns/mrtr#supported-requests")],
        applies: MODERN,
        checks: &[must("prompt"), must("resource"), must("exit-0")],
        ..Scenario::new("rounds-client-prompt-and-resource", Family::Rounds, |ctx| Box::pin(prompt_and_resource(ctx)))
    },
    Scenario {
        title: "a client declares what it can be asked",
        requirement: "every request carries the client's capabilities in `_meta`",
        sources: &[spec("2026-07-28", "basic/index#meta"), issue("rust-sdk", 627)],
        applies: MODERN,
        checks: &[must("elicitation"), must("sampling"), must("no-roots"), must("exit-0")],
        ..Scenario::new("rounds-client-declares", Family::Rounds, |ctx| Box::pin(declares(ctx)))
    },
];

async fn answers(ctx: Ctx) -> Result<(), Stop> {
    let mut session = playing(&ctx, r#"call:x:{"a":[1,{"b":2}]},close"#).await?;
    let first = session.called("x").await?;
    let asked = json!({"form": form(), "url": url(), "sample": sampling()});
    session.reply(&first, round(&asked, Some("s"))).await;
    let again = session.called("x").await?;
    ctx.check("new-id", again["id"] != first["id"], || again.to_string());
    let same = ["name", "arguments"].iter().all(|member| again["params"][member] == first["params"][member]);
    ctx.check("same-params", same, || again.to_string());
    let meta = &again["params"]["_meta"];
    let whole = ["protocolVersion", "clientInfo", "clientCapabilities"]
        .iter()
        .all(|member| meta.get(format!("io.modelcontextprotocol/{member}")).is_some());
    ctx.check("whole-meta", whole, || meta.to_string());
    let given = &again["params"]["inputResponses"];
    let keys = |value: &Value| -> Vec<String> {
        let mut keys: Vec<String> = value.as_object().into_iter().flatten().map(|(key, _)| key.clone()).collect();
        keys.sort();
        keys
    };
    ctx.check("same-keys", keys(given) == keys(&asked), || given.to_string());
    ctx.equal("form-accepted", &given["form"], &json!({"action": "accept", "content": {"name": "x"}}));
    ctx.equal("url-accepted", &given["url"], &json!({"action": "accept"}));
    let sampled = given["sample"]["role"] == "assistant" && given["sample"]["model"].is_string();
    ctx.check("sampled", sampled, || given.to_string());
    let bare =
        given.as_object().into_iter().flatten().all(|(_, answer)| {
            ["resultType", "jsonrpc", "id", "result"].iter().all(|member| answer.get(member).is_none())
        });
    ctx.check("bare-results", bare, || given.to_string());
    session.reply_text(&again, "done").await;
    is_answered(&ctx, "completes", &mut session, r#"call:x:{"a":[1,{"b":2}]}"#, "done").await?;
    exits(&ctx, session).await;
    Ok(())
}

async fn state(ctx: Ctx) -> Result<(), Stop> {
    let mut session = playing(&ctx, "call:x,close").await?;
    let first = session.called("x").await?;
    let line = json!({"jsonrpc": "2.0", "id": first["id"], "result": round(&json!({"q": form()}), Some("STATE"))});
    session.send_line(&line.to_string().replace("\"STATE\"", STATE)).await;
    let line = session.next_line().await?;
    let again: Value = serde_json::from_str(&line).map_err(|error| Stop(format!("{line}: {error}")))?;
    let expected: Value = serde_json::from_str(STATE).unwrap_or_default();
    ctx.equal("echoed", &again["params"]["requestState"], &expected);
    ctx.check("byte-for-byte", line.contains(&format!("\"requestState\":{STATE}")), || line.clone());
    session.reply(&again, round(&json!({"other": form()}), None)).await;
    let third = session.called("x").await?;
    ctx.check("absent-stays-absent", third["params"].get("requestState").is_none(), || third.to_string());
    let given = &third["params"]["inputResponses"];
    let only = given.as_object().is_some_and(|given| given.len() == 1 && given.contains_key("other"));
    ctx.check("answers-of-this-round-only", only, || given.to_string());
    session.reply_text(&third, "done").await;
    is_answered(&ctx, "completes", &mut session, "call:x", "done").await?;
    exits(&ctx, session).await;
    Ok(())
}

async fn nothing_asked(ctx: Ctx) -> Result<(), Stop> {
    let mut session = playing(&ctx, "call:x,close").await?;
    let first = session.called("x").await?;
    session.reply(&first, json!({"resultType": "input_required", "requestState": "later"})).await;
    let again = session.called("x").await?;
    let tried = again["params"]["requestState"] == "later" && again["id"] != first["id"];
    ctx.check("tried-again", tried, || again.to_string());
    let given = again["params"].get("inputResponses");
    ctx.check("no-answers", given.is_none_or(|given| given == &json!({})), || again.to_string());
    session.reply_text(&again, "done").await;
    is_answered(&ctx, "completes", &mut session, "call:x", "done").await?;
    exits(&ctx, session).await;
    Ok(())
}

async fn for_ever(ctx: Ctx) -> Result<(), Stop> {
    let mut session = playing(&ctx, "call:x,call:y,close").await?;
    let mut rounds = 0;
    let next = loop {
        let frame = session.until(|frame| frame["method"] == "tools/call").await?;
        if frame["params"]["name"] != "x" || rounds > MOST_ROUNDS {
            break frame;
        }
        rounds += 1;
        session.reply(&frame, round(&json!({"q": form()}), Some("again"))).await;
    };
    let told = session.step("call:x").await?;
    ctx.check("ends", told["ok"] == false && rounds <= MOST_ROUNDS, || format!("after {rounds} rounds: {told}"));
    session.reply_text(&next, "on").await;
    is_answered(&ctx, "goes-on", &mut session, "call:y", "on").await?;
    exits(&ctx, session).await;
    Ok(())
}

async fn undeclared(ctx: Ctx) -> Result<(), Stop> {
    let mut session = playing(&ctx, "call:x,close").await?;
    let first = session.called("x").await?;
    let roots = json!({"method": "roots/list", "params": {}});
    session.reply(&first, round(&json!({"q": form(), "roots": roots}), Some("s"))).await;
    let told = session.step("call:x").await?;
    ctx.check("fails", told["ok"] == false, || told.to_string());
    let rest = session.rest().await?;
    let again = rest.iter().any(|frame| frame["method"] == "tools/call");
    ctx.check("not-sent-again", !again, || format!("{rest:?}"));
    exits(&ctx, session).await;
    Ok(())
}

async fn parallel(ctx: Ctx) -> Result<(), Stop> {
    let mut session = playing(&ctx, "start:a,start:b,wait,close").await?;
    let (a, b) = (session.called("a").await?, session.called("b").await?);
    session.reply(&b, round(&json!({"of-b": form()}), Some("b"))).await;
    session.reply(&a, round(&json!({"of-a": form()}), Some("a"))).await;
    let (a, b) = (session.called("a").await?, session.called("b").await?);
    let apart = [("a", &a), ("b", &b)].iter().all(|(name, frame)| {
        let params = &frame["params"];
        params["requestState"] == *name && params["inputResponses"][format!("of-{name}")]["action"] == "accept"
    });
    ctx.check("states-kept-apart", apart, || format!("{a}, {b}"));
    session.reply_text(&a, "a").await;
    session.reply_text(&b, "b").await;
    let (a, b) = (session.step("start:a").await?, session.step("start:b").await?);
    ctx.check("both-complete", a["ok"] == true && b["ok"] == true, || format!("{a}, {b}"));
    exits(&ctx, session).await;
    Ok(())
}

async fn prompt_and_resource(ctx: Ctx) -> Result<(), Stop> {
    let mut session = playing(&ctx, "prompt:p,read:test://r,close").await?;
    let done = json!({"messages": [], "description": "done"});
    asks_again(&mut session, "prompts/get", done).await?;
    let told = session.step("prompt:p").await?;
    ctx.check("prompt", told["result"]["description"] == "done", || told.to_string());
    let contents = json!([{"uri": "test://r", "text": "done"}]);
    let done = json!({"contents": contents, "ttlMs": 0, "cacheScope": "private"});
    asks_again(&mut session, "resources/read", done).await?;
    let told = session.step("read:test://r").await?;
    ctx.check("resource", told["result"]["contents"][0]["text"] == "done", || told.to_string());
    exits(&ctx, session).await;
    Ok(())
}

/// Answers the next request of this method by a round, and the one after it by this result.
async fn asks_again(session: &mut Session, method: &str, done: Value) -> Result<(), Stop> {
    let first = session.until(|frame| frame["method"] == method).await?;
    session.reply(&first, round(&json!({"q": form()}), Some("s"))).await;
    let again = session.until(|frame| frame["method"] == method).await?;
    if again["params"]["inputResponses"]["q"]["action"] != "accept" {
        return Err(Stop(format!("`{method}` was not answered what it asked: {again}")));
    }
    session.reply(&again, done).await;
    Ok(())
}

async fn declares(ctx: Ctx) -> Result<(), Stop> {
    let mut session = playing(&ctx, "call:x,close").await?;
    let called = session.called("x").await?;
    let declared = called["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"].clone();
    let modes = declared["elicitation"]["form"].is_object() && declared["elicitation"]["url"].is_object();
    ctx.check("elicitation", modes, || declared.to_string());
    ctx.check("sampling", declared["sampling"].is_object(), || declared.to_string());
    ctx.check("no-roots", declared.get("roots").is_none(), || declared.to_string());
    session.reply_text(&called, "done").await;
    exits(&ctx, session).await;
    Ok(())
}

/// A result that asks for input.
fn round(asked: &Value, state: Option<&str>) -> Value {
    let mut result = json!({"resultType": "input_required", "inputRequests": asked});
    if let Some(state) = state {
        result["requestState"] = state.into();
    }
    result
}

pub(super) fn form() -> Value {
    let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]});
    json!({
        "method": "elicitation/create",
        "params": {"mode": "form", "message": "What is your name?", "requestedSchema": schema},
    })
}

fn url() -> Value {
    let params = json!({
        "mode": "url",
        "message": "Please sign in.",
        "url": "https://example.com/sign-in",
        "elicitationId": "e1",
    });
    json!({"method": "elicitation/create", "params": params})
}

pub(super) fn sampling() -> Value {
    let message = json!({"role": "user", "content": {"type": "text", "text": "What is the capital of France?"}});
    json!({"method": "sampling/createMessage", "params": {"messages": [message], "maxTokens": 10}})
}

/// A state as only an exact echo keeps it: escapes that need not be there, in JSON text.
const STATE: &str = r#""a\u0062c\/\u00e9\ud83e\udd80 \"quoted\" \\ ""#;
const MOST_ROUNDS: u32 = 200;
