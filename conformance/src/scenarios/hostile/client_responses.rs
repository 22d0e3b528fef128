//! Answers that are odd or broken: each settles the call that it names, in one way.

use std::time::Duration;

use serde_json::{Value, json};

use crate::{
    scenario::{Applies, Check, Ctx, Era, Family, Need, Role, Scenario, Stop, issue, must, row, spec},
    scenarios::play::{error_of, exits},
    session::Session,
    target::{Exit, OpenOptions},
};

const CLIENT: Applies = Applies::EVERYWHERE.to(&[Role::Client]);

pub(super) static SCENARIOS: [Scenario; 5] = [
    Scenario {
        row: Some("C15"),
        title: "a broken answer settles the call that it names, and is not answered",
        requirement: "nobody answers a malformed response (the call it names settles with a protocol error)",
        sources: &[
            row("C15"),
            spec("2026-07-28", "basic/index#responses"),
            spec("2026-07-28", "basic/transports/stdio"),
            issue("rust-sdk", 1021),
        ],
        applies: CLIENT,
        checks: &BROKEN_CHECKS,
        ..Scenario::new("c15-client-broken-answers", Family::Hostile, |ctx| Box::pin(answers(ctx, &BROKEN)))
    },
    Scenario {
        row: None,
        title: "an odd answer is an answer",
        requirement: "unknown members, values and kinds of content are kept; ids that differ by their type alone match",
        sources: &[
            spec("2026-07-28", "server/tools"),
            issue("python-sdk", 192),
            issue("cline/cline", 5208),
            issue("vercel/ai", 14_928),
            issue("java-sdk", 44),
        ],
        applies: CLIENT,
        checks: &ODD_CHECKS,
        ..Scenario::new("client-odd-answers", Family::Hostile, |ctx| Box::pin(answers(ctx, &ODD)))
    },
    Scenario {
        row: Some("C15"),
        title: "an answer over the limit fails its call, and says so",
        requirement: "oversized frame: that call fails \"frame too large\"; the session goes on",
        sources: &[row("C15"), issue("typescript-sdk", 2775)],
        applies: CLIENT.with_needs(&[Need::DefaultLimits]),
        checks: &[must("fails"), must("names-the-cause"), must("goes-on"), must("exit-0")],
        limit: Duration::from_secs(20),
        ..Scenario::new("c15-client-answer-too-large", Family::Hostile, |ctx| Box::pin(too_large(ctx)))
    },
    Scenario {
        row: None,
        title: "an answer that has neither a result nor an error settles the call that it names",
        requirement: "nobody answers a malformed response (the call it names settles with a protocol error)",
        sources: &[row("C15"), spec("2026-07-28", "basic/index#responses")],
        applies: CLIENT,
        checks: &[must("settles"), must("exit-0")],
        ..Scenario::new("client-empty-answer", Family::Hostile, |ctx| Box::pin(empty(ctx)))
    },
    Scenario {
        row: None,
        title: "lists: all pages, a tool that cannot be read, and a list that goes round",
        requirement: "clients should handle pagination; one bad entry does not cost the others; a cursor that does \
                      not advance ends with an error",
        sources: &[
            spec("2026-07-28", "server/utilities/pagination"),
            issue("kenn-io/msgvault", 626),
            issue("DeusData/codebase-memory-mcp", 1247),
        ],
        applies: CLIENT,
        checks: &[must("all-pages"), must("good-ones-kept"), must("ends"), must("exit-0")],
        ..Scenario::new("client-lists", Family::Hostile, |ctx| Box::pin(lists(ctx)))
    },
];

/// What an answer means.
#[derive(Debug, Clone, Copy)]
enum Means {
    /// A result that holds this text.
    Result(&'static str),
    /// An error of this code.
    Error(i64),
    /// Some error.
    Failure,
    /// Some error, in whose text this stands, in large letters or small ones.
    FailureNaming(&'static str),
    /// Either: but the call settles.
    Settled,
}

/// An answer, in which `$ID` stands for the id of the call and `¤` for a byte that is in no text, and what it means.
type Answer = (&'static str, &'static str, Means);

static BROKEN_CHECKS: [Check; BROKEN.len() + AT_THE_END.len()] = checks(&BROKEN);
const BROKEN: [Answer; 11] = [
    ("both", r#"{"jsonrpc":"2.0","id":$ID,"result":{"content":[]},"error":{"code":1,"message":"x"}}"#, Means::Failure),
    ("code-is-a-fraction", r#"{"jsonrpc":"2.0","id":$ID,"error":{"code":1.5,"message":"x"}}"#, Means::Failure),
    ("code-is-text", r#"{"jsonrpc":"2.0","id":$ID,"error":{"code":"E1","message":"x"}}"#, Means::Failure),
    ("no-message", r#"{"jsonrpc":"2.0","id":$ID,"error":{"code":1}}"#, Means::Failure),
    ("error-is-text", r#"{"jsonrpc":"2.0","id":$ID,"error":"boom"}"#, Means::Failure),
    ("result-is-a-number", r#"{"jsonrpc":"2.0","id":$ID,"result":7}"#, Means::Failure),
    (
        "content-is-a-number",
        r#"{"jsonrpc":"2.0","id":$ID,"result":{"resultType":"complete","content":7}}"#,
        Means::Failure,
    ),
    (
        "lone-surrogate",
        r#"{"jsonrpc":"2.0","id":$ID,"result":{"resultType":"complete","content":[{"type":"text","text":"a\ud800b"}]}}"#,
        Means::Settled,
    ),
    ("old-version", r#"{"jsonrpc":"1.0","id":$ID,"result":{"resultType":"complete","content":[]}}"#, Means::Settled),
    ("trailing-comma", r#"{"jsonrpc":"2.0","id":$ID,"result":{"content":[],}}"#, Means::Failure),
    (
        "not-utf8",
        r#"{"jsonrpc":"2.0","id":$ID,"result":{"resultType":"complete","content":[{"type":"text","text":"a¤"}]}}"#,
        Means::FailureNaming("utf-8"),
    ),
];

static ODD_CHECKS: [Check; ODD.len() + AT_THE_END.len()] = checks(&ODD);
const ODD: [Answer; 10] = [
    (
        "null-error",
        r#"{"jsonrpc":"2.0","id":$ID,"error":null,"result":{"resultType":"complete","content":[{"type":"text","text":"here"}]}}"#,
        Means::Result("here"),
    ),
    (
        "null-result",
        r#"{"jsonrpc":"2.0","id":$ID,"result":null,"error":{"code":4711,"message":"x"}}"#,
        Means::Error(4711),
    ),
    (
        "unknown-content",
        r#"{"jsonrpc":"2.0","id":$ID,"result":{"resultType":"complete","content":[{"type":"text","text":"a"},{"type":"hologram","x":"kept"}]}}"#,
        Means::Result("kept"),
    ),
    (
        "unknown-audience",
        r#"{"jsonrpc":"2.0","id":$ID,"result":{"resultType":"complete","content":[{"type":"text","text":"a","annotations":{"audience":["robot"]}}]}}"#,
        Means::Result("robot"),
    ),
    (
        "unknown-member",
        r#"{"jsonrpc":"2.0","id":$ID,"result":{"resultType":"complete","content":[],"later":"kept"},"more":1}"#,
        Means::Result("kept"),
    ),
    (
        "no-content",
        r#"{"jsonrpc":"2.0","id":$ID,"result":{"resultType":"complete","isError":false}}"#,
        Means::Result("isError"),
    ),
    (
        "members-reversed",
        r#"{"result":{"content":[{"text":"here","type":"text"}],"resultType":"complete"},"id":$ID,"jsonrpc":"2.0"}"#,
        Means::Result("here"),
    ),
    (
        "error-data",
        r#"{"jsonrpc":"2.0","id":$ID,"error":{"code":-32602,"message":"x","data":{"a":[1]},"more":true}}"#,
        Means::Error(-32602),
    ),
    ("empty-message", r#"{"jsonrpc":"2.0","id":$ID,"error":{"code":-1,"message":""}}"#, Means::Error(-1)),
    (
        "id-as-text",
        r#"{"jsonrpc":"2.0","id":"$ID","result":{"resultType":"complete","content":[{"type":"text","text":"here"}]}}"#,
        Means::Result("here"),
    ),
];

/// A check for each row, and those of the end.
const fn checks<const N: usize>(rows: &[Answer]) -> [Check; N] {
    assert!(N == rows.len() + AT_THE_END.len(), "one check for each row, and those of the end");
    let mut checks = [must(""); N];
    let mut at = 0;
    while at < N {
        checks[at] = must(if at < rows.len() { rows[at].0 } else { AT_THE_END[at - rows.len()] });
        at += 1;
    }
    checks
}

const AT_THE_END: [&str; 3] = ["not-answered", "report-ids-as-text", "exit-0"];

async fn answers(ctx: Ctx, rows: &'static [Answer]) -> Result<(), Stop> {
    let mut steps: Vec<String> = rows.iter().map(|(name, ..)| format!("call:{name}")).collect();
    steps.push("close".to_owned());
    let mut session = ctx.open_ready_with(OpenOptions::new().with_script(steps.join(","))).await?;
    for (name, answer, means) in rows {
        let request = session.called(name).await?;
        // A client whose ids are text has nothing to confuse.
        let line = match &request["id"] {
            Value::String(_) => answer.replace("\"$ID\"", "$ID").replace("$ID", &request["id"].to_string()),
            id => answer.replace("$ID", &id.to_string()),
        };
        match line.split_once('¤') {
            Some((before, after)) => {
                session.send_bytes(&[before.as_bytes(), b"\xFF", after.as_bytes(), b"\n"].concat()).await
            }
            None => session.send_line(&line).await,
        }
        let told = session.step(&format!("call:{name}")).await?;
        let as_wanted = match means {
            Means::Result(text) => told["ok"] == true && told["result"].to_string().contains(text),
            Means::Error(code) => told["ok"] == false && told["error"]["code"] == *code,
            Means::Failure => told["ok"] == false,
            Means::FailureNaming(word) => told["ok"] == false && error_of(&told).to_lowercase().contains(word),
            Means::Settled => true,
        };
        ctx.check(name, as_wanted, || format!("{means:?} expected, {told}"));
    }
    session.rest().await?;
    let replies = session.seen().iter().filter(|frame| frame.get("method").is_none()).count();
    ctx.check("not-answered", replies == 0, || format!("{:?}", session.seen()));
    let ending = session.finish().await;
    let as_text = rows.iter().filter(|(_, answer, _)| answer.contains("\"$ID\"")).count();
    ctx.report("report-ids-as-text", &ending, |report| report["ids_as_text"] == as_text);
    ctx.check("exit-0", ending.exit == Exit::Code(0), || format!("{}; {}", ending.exit, ending.stderr));
    Ok(())
}

async fn too_large(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready_with(OpenOptions::new().with_script("call:a,call:b,close")).await?;
    let request = session.called("a").await?;
    session.reply_text(&request, &"x".repeat(17 << 20)).await;
    let told = session.step("call:a").await?;
    ctx.check("fails", told["ok"] == false, || "the call has a result".to_owned());
    let named = ["large", "limit", "exceed", "big"].iter().any(|word| error_of(&told).contains(word));
    ctx.check("names-the-cause", named, || told.to_string().chars().take(300).collect());
    let next = session.called("b").await?;
    session.reply_text(&next, "on").await;
    let told = session.step("call:b").await?;
    ctx.check("goes-on", told["ok"] == true, || told.to_string());
    exits(&ctx, session).await;
    Ok(())
}

async fn empty(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready_with(OpenOptions::new().with_script("call:a,close")).await?;
    let request = session.called("a").await?;
    session.send(&json!({"jsonrpc": "2.0", "id": request["id"]})).await;
    let told = session.step("call:a").await?;
    ctx.check("settles", told["ok"] == false, || told.to_string());
    exits(&ctx, session).await;
    Ok(())
}

async fn lists(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready_with(OpenOptions::new().with_script("list,list,list,close")).await?;
    for (page, cursor) in [("one", Some("2")), ("two", Some("3")), ("three", None)] {
        page_of(&ctx, &mut session, page, cursor).await?;
    }
    let told = session.step("list").await?;
    ctx.check("all-pages", names(&told) == ["one", "two", "three"], || told.to_string());
    let list = session.until(|frame| frame["method"] == "tools/list").await?;
    let bad = json!({"name": "bad", "inputSchema": null, "icons": 7});
    let tools = json!([tool("first"), bad, tool("last")]);
    session.reply(&list, page(&ctx, tools, None)).await;
    let told = session.step("list").await?;
    let kept = names(&told);
    ctx.check("good-ones-kept", kept.first() == Some(&"first") && kept.last() == Some(&"last"), || told.to_string());
    let mut asked = 0;
    let told = loop {
        let told = session.told_so_far().await.into_iter().find(|told| told["step"] == "list");
        if told.is_some() || asked > MOST_PAGES {
            break told;
        }
        if let Ok(Some(frame)) = session.next_within(Duration::from_millis(100)).await
            && frame["method"] == "tools/list"
        {
            asked += 1;
            session.reply(&frame, page(&ctx, json!([tool("again")]), Some("same"))).await;
        }
    };
    let ends = told.as_ref().is_some_and(|told| told["ok"] == false);
    ctx.check("ends", ends, || format!("after {asked} pages: {told:?}"));
    exits(&ctx, session).await;
    Ok(())
}

async fn page_of(ctx: &Ctx, session: &mut Session, name: &str, cursor: Option<&str>) -> Result<(), Stop> {
    let list = session.until(|frame| frame["method"] == "tools/list").await?;
    session.reply(&list, page(ctx, json!([tool(name)]), cursor)).await;
    Ok(())
}

fn page(ctx: &Ctx, tools: Value, cursor: Option<&str>) -> Value {
    let mut result = json!({"tools": tools});
    if ctx.era() == Era::Modern {
        result["ttlMs"] = 0.into();
        result["cacheScope"] = "private".into();
    }
    if let Some(cursor) = cursor {
        result["nextCursor"] = cursor.into();
    }
    result
}

fn tool(name: &str) -> Value {
    json!({"name": name, "inputSchema": {"type": "object"}})
}

fn names(told: &Value) -> Vec<&str> {
    let tools = told["result"]["tools"].as_array();
    tools.into_iter().flatten().filter_map(|tool| tool["name"].as_str()).collect()
}

/// A list that goes round may be noticed late, but not never.
const MOST_PAGES: u32 = 2_000;
