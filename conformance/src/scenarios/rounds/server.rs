//! A modern server that asks in the middle of a call: the rounds, from the question to the result.

use serde_json::{Value, json};

use crate::{
    golden,
    scenario::{Applies, Ctx, Era, Family, Need, Scenario, Stop, must, row, spec},
    session::{self, Session},
    target::Exit,
};

const MODERN: Applies = Applies::modern_only("input rounds are of the modern era").with_needs(&[Need::Tool("ask")]);
const MRTR: &str = "basic/patterns/mrtr";

pub(super) static SCENARIOS: [Scenario; 5] = [
    Scenario {
        title: "a tool that asks is answered by a question, and completes with the answer",
        requirement: "client input is asked for by `InputRequiredResult`: keys with `{method, params}`, without \
                      `jsonrpc` and `id`; the retry with the answers completes",
        sources: &[spec("2026-07-28", MRTR), row("C32")],
        applies: MODERN,
        checks: &[
            must("asks"),
            must("well-formed"),
            must("no-request-of-its-own"),
            must("accepted"),
            must("declined"),
            must("cancelled"),
            must("exit-0"),
        ],
        ..Scenario::new("rounds-server-asks", Family::Rounds, |ctx| Box::pin(asks(ctx)))
    },
    Scenario {
        title: "what a client did not declare is not asked of it",
        requirement: "a server must not ask for what the client's capabilities lack: -32021 with \
                      `requiredCapabilities`",
        sources: &[spec("2026-07-28", MRTR), spec("2026-07-28", "basic/index#error-codes")],
        applies: MODERN,
        checks: &[must("refused"), must("says-what-is-missing"), must("exit-0")],
        ..Scenario::new("rounds-server-missing-capability", Family::Rounds, |ctx| Box::pin(missing(ctx)))
    },
    Scenario {
        title: "two calls that ask at the same time are answered each for itself",
        requirement: "answers and state belong to one request",
        sources: &[spec("2026-07-28", MRTR)],
        applies: MODERN,
        checks: &[must("each-for-itself"), must("exit-0")],
        ..Scenario::new("rounds-server-parallel", Family::Rounds, |ctx| Box::pin(parallel(ctx)))
    },
    Scenario {
        title: "a tool that samples asks by its answer too",
        requirement: "sampling is asked for by `InputRequiredResult`",
        sources: &[spec("2026-07-28", MRTR), spec("2026-07-28", "client/sampling")],
        applies: Applies::modern_only("input rounds are of the modern era").with_needs(&[Need::Tool("sample")]),
        checks: &[must("asks"), must("at-most-10-tokens"), must("completes"), must("exit-0")],
        ..Scenario::new("rounds-server-samples", Family::Rounds, |ctx| Box::pin(samples(ctx)))
    },
    Scenario {
        title: "the end of the input between two rounds ends nothing that runs",
        requirement: "a round holds nothing of the server: nothing is in flight while the client answers",
        sources: &[row("C2"), spec("2026-07-28", MRTR)],
        applies: MODERN,
        checks: &[must("silent"), must("report-nothing-cut-off"), must("exit-0")],
        ..Scenario::new("rounds-server-left-alone", Family::Rounds, |ctx| Box::pin(left_alone(ctx)))
    },
];

async fn asks(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    for (number, (check, answer, text)) in [
        ("accepted", json!({"action": "accept", "content": {"name": "x"}}), "action=accept"),
        ("declined", json!({"action": "decline"}), "action=decline"),
        ("cancelled", json!({"action": "cancel"}), "action=cancel"),
    ]
    .into_iter()
    .enumerate()
    {
        let question = ask(&mut session, number, "ask").await?;
        if number == 0 {
            ctx.check("asks", question["resultType"] == "input_required", || question.to_string());
            let asked: Vec<&Value> =
                question["inputRequests"].as_object().into_iter().flatten().map(|(_, asked)| asked).collect();
            let well_formed = matches!(asked.as_slice(), [one] if is_form(one));
            ctx.check("well-formed", well_formed, || question.to_string());
        }
        session.send(&retry(&format!("r{number}"), "ask", &question, &answer)).await;
        let result = session.answer_to(format!("r{number}")).await?;
        ctx.check(check, golden::tool_text(&result) == Some(text), || result.to_string());
    }
    let requests = session.seen().iter().filter(|frame| frame.get("method").is_some()).count();
    ctx.check("no-request-of-its-own", requests == 0, || format!("{:?}", session.seen()));
    exits(&ctx, session).await;
    Ok(())
}

async fn missing(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    session.call(1, "ask", json!({})).await;
    let answer = session.answer_to(1).await?;
    ctx.check("refused", answer["error"]["code"] == -32021, || answer.to_string());
    let required = &answer["error"]["data"]["requiredCapabilities"];
    ctx.check("says-what-is-missing", required["elicitation"].is_object(), || answer.to_string());
    exits(&ctx, session).await;
    Ok(())
}

async fn parallel(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    let one = ask(&mut session, 1, "ask").await?;
    let two = ask(&mut session, 2, "ask").await?;
    session.send(&retry("two", "ask", &two, &json!({"action": "decline"}))).await;
    session.send(&retry("one", "ask", &one, &json!({"action": "accept", "content": {"name": "x"}}))).await;
    let (one, two) = (session.answer_to("one").await?, session.answer_to("two").await?);
    let each = golden::tool_text(&one) == Some("action=accept") && golden::tool_text(&two) == Some("action=decline");
    ctx.check("each-for-itself", each, || format!("{one}, {two}"));
    exits(&ctx, session).await;
    Ok(())
}

async fn samples(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    let question = ask(&mut session, 1, "sample").await?;
    let asked = question["inputRequests"].as_object().into_iter().flatten().map(|(_, asked)| asked.clone()).next();
    let asked = asked.unwrap_or_default();
    ctx.check("asks", asked["method"] == "sampling/createMessage", || question.to_string());
    let tokens = asked["params"]["maxTokens"].as_u64();
    ctx.check("at-most-10-tokens", tokens.is_some_and(|tokens| tokens <= 10), || asked.to_string());
    let content = json!({"type": "text", "text": "Paris"});
    let sampled = json!({"role": "assistant", "content": content, "model": "m", "stopReason": "endTurn"});
    session.send(&retry("r", "sample", &question, &sampled)).await;
    let result = session.answer_to("r").await?;
    let completes = golden::tool_text(&result).is_some_and(|text| text.contains("Paris"));
    ctx.check("completes", completes, || result.to_string());
    exits(&ctx, session).await;
    Ok(())
}

async fn left_alone(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    ask(&mut session, 1, "ask").await?;
    session.close_write().await;
    let rest = session.rest().await?;
    ctx.check("silent", rest.is_empty(), || format!("{rest:?}"));
    let ending = session.finish().await;
    ctx.report("report-nothing-cut-off", &ending, |report| report["requests"]["cut_off"] == json!([]));
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}

fn is_form(asked: &Value) -> bool {
    let params = &asked["params"];
    asked["method"] == "elicitation/create"
        && asked.get("id").is_none()
        && asked.get("jsonrpc").is_none()
        && params["message"].is_string()
        && params["requestedSchema"]["type"] == "object"
        && params["requestedSchema"]["properties"]["name"]["type"] == "string"
}

/// Calls a tool as a client that can be asked anything, and gives its result.
pub(super) async fn ask(session: &mut Session, id: impl Into<Value>, tool: &str) -> Result<Value, Stop> {
    let id = id.into();
    session.send(&able(id.clone(), json!({"name": tool, "arguments": {}}))).await;
    let answer = session.answer_to(id).await?;
    match answer.get("result") {
        Some(result) => Ok(result.clone()),
        None => Err(Stop(format!("`{tool}` was answered {answer}"))),
    }
}

/// The same call once more, with one answer to whatever was asked.
pub(super) fn retry(id: &str, tool: &str, question: &Value, answer: &Value) -> Value {
    let keys = question["inputRequests"].as_object().into_iter().flatten().map(|(key, _)| key.clone());
    let given: serde_json::Map<String, Value> = keys.map(|key| (key, answer.clone())).collect();
    retry_with(id, tool, question, &given.into())
}

/// The same call once more, with these answers.
pub(super) fn retry_with(id: &str, tool: &str, question: &Value, given: &Value) -> Value {
    let mut params = json!({"name": tool, "arguments": {}, "inputResponses": given});
    if let Some(state) = question.get("requestState") {
        params["requestState"] = state.clone();
    }
    able(id.into(), params)
}

/// A call of a client that can be asked anything.
pub(super) fn able(id: Value, mut params: Value) -> Value {
    let capabilities = json!({"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}});
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities;
    session::request(Era::Modern, id, "tools/call", params)
}

pub(super) async fn exits(ctx: &Ctx, session: Session) {
    let ending = session.finish().await;
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
}
