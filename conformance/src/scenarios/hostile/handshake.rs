//! Handshakes in the wrong order and of the wrong shape.

use serde_json::{Value, json};

use super::table::{self, EXTRA, Golden, Opening, Row, checks, row};
use crate::{
    golden,
    scenario::{Applies, Check, Ctx, Era, Family, Need, Scenario, Stop, issue, must, row as table_row, spec},
    session::{self, Session},
    target::Exit,
};

const LEGACY: Applies = Applies::legacy_only("the modern era has no handshake").with_needs(&[Need::Tool("echo")]);

pub(super) static SCENARIOS: [Scenario; 4] = [
    Scenario {
        title: "whatever comes before the handshake is answered or ignored, and ends nothing",
        requirement: "before a handshake: `ping` → `{}`; a request of a method that legacy has → −32600; any other \
                      without modern `_meta` → −32602; notifications ignored",
        sources: &[
            issue("typescript-sdk", 2514),
            issue("python-sdk", 423),
            issue("PrefectHQ/fastmcp", 190),
            issue("PrefectHQ/fastmcp", 411),
            issue("PrefectHQ/fastmcp", 463),
            spec("2025-11-25", "basic/lifecycle#initialization"),
        ],
        applies: LEGACY.by(&[Need::OneStream]),
        checks: &EARLY_CHECKS,
        limit: table::LIMIT,
        ..Scenario::new("hostile-before-handshake", Family::Hostile, |ctx| {
            Box::pin(table::run(ctx, Opening::Unopened, &EARLY))
        })
    },
    Scenario {
        title: "an `initialize` of the wrong shape is refused and leaves nothing behind",
        requirement: "−32602 naming `protocolVersion`; a refused `initialize` leaves nothing behind: the second try is \
                      accepted",
        sources: &[
            table_row("C40"),
            issue("typescript-sdk", 2514),
            spec("2025-11-25", "basic/lifecycle#initialization"),
        ],
        applies: LEGACY,
        checks: &[must("refusals"), must("names-the-field"), must("opens-afterwards"), must("serves"), must("exit-0")],
        ..Scenario::new("hostile-initialize-refused", Family::Hostile, |ctx| Box::pin(refused(ctx)))
    },
    Scenario {
        title: "an `initialize` that is odd and right is accepted",
        requirement: "unknown capability members and unknown versions are no fault; only listed versions enable \
                      anything: answer with the latest legacy one",
        sources: &[
            issue("java-sdk", 724),
            issue("java-sdk", 725),
            issue("typescript-sdk", 2280),
            spec("2025-11-25", "basic/lifecycle#version-negotiation"),
        ],
        applies: LEGACY,
        checks: &[must("accepted"), must("exit-0")],
        limit: table::LIMIT,
        ..Scenario::new("hostile-initialize-odd", Family::Hostile, |ctx| Box::pin(odd(ctx)))
    },
    Scenario {
        title: "everything of a handshake in one write, and parts of it twice",
        requirement: "after the `initialize` result: normal service; `initialize` after a successful one: −32600; \
                      state untouched; never mixed state",
        sources: &[table_row("C40"), issue("go-sdk", 464), issue("rust-sdk", 862), issue("python-sdk", 423)],
        applies: LEGACY.by(&[Need::OneStream]),
        checks: &[must("in-one-write"), must("twice-in-one-write"), must("after-modern"), must("exit-0")],
        ..Scenario::new("hostile-handshake-hurried", Family::Hostile, |ctx| Box::pin(hurried(ctx)))
    },
];

static EARLY_CHECKS: [Check; EARLY.len() + EXTRA] = checks(&EARLY);
#[rustfmt::skip]
const EARLY: [Row; 27] = [
    row("ping",                  r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#,                                     Golden::Empty("7")),
    row("ping-params-null",      r#"{"jsonrpc":"2.0","id":7,"method":"ping","params":null}"#,                       Golden::Empty("7")),
    row("tools-list",            r#"{"jsonrpc":"2.0","id":7,"method":"tools/list"}"#,                               Golden::Error("7", INVALID)),
    row("tools-call",            r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":7}}"#,           Golden::Error("7", INVALID)),
    row("resources-list",        r#"{"jsonrpc":"2.0","id":7,"method":"resources/list"}"#,                           Golden::Error("7", INVALID)),
    row("resources-subscribe",   r#"{"jsonrpc":"2.0","id":7,"method":"resources/subscribe","params":{"uri":"a:b"}}"#, Golden::Error("7", INVALID)),
    row("prompts-get",           r#"{"jsonrpc":"2.0","id":7,"method":"prompts/get","params":{}}"#,                  Golden::Error("7", INVALID)),
    row("completion-complete",   r#"{"jsonrpc":"2.0","id":7,"method":"completion/complete","params":{}}"#,          Golden::Error("7", INVALID)),
    row("logging-set-level",     r#"{"jsonrpc":"2.0","id":7,"method":"logging/setLevel","params":{"level":"debug"}}"#, Golden::Error("7", INVALID)),
    row("server-discover",       r#"{"jsonrpc":"2.0","id":7,"method":"server/discover"}"#,                          Golden::Error("7", PARAMS)),
    row("subscriptions-listen",  r#"{"jsonrpc":"2.0","id":7,"method":"subscriptions/listen","params":{}}"#,         Golden::Error("7", PARAMS)),
    row("unknown-method",        r#"{"jsonrpc":"2.0","id":7,"method":"no/such"}"#,                                  Golden::Error("7", PARAMS)),
    row("empty-method",          r#"{"jsonrpc":"2.0","id":7,"method":""}"#,                                         Golden::Error("7", PARAMS)),
    row("method-number",         r#"{"jsonrpc":"2.0","id":7,"method":7}"#,                                          Golden::Error("7", INVALID)),
    row("params-array",          r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":[]}"#,                   Golden::Error("7", PARAMS)),
    row("garbage",               "hello",                                                                           Golden::Unread(PARSE)),
    row("batch",                 r#"[{"jsonrpc":"2.0","id":7,"method":"ping"}]"#,                                   Golden::Unread(INVALID)),
    row("empty-batch",           "[]",                                                                              Golden::Unread(INVALID)),
    row("id-null",               r#"{"jsonrpc":"2.0","id":null,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}"#, Golden::Unread(INVALID)),
    row("response",              r#"{"jsonrpc":"2.0","id":7,"result":{}}"#,                                         Golden::Nothing),
    row("error-without-id",      r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"x"}}"#,                      Golden::Nothing),
    row("initialized",           r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,                       Golden::Nothing),
    row("cancel",                r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#, Golden::Nothing),
    row("progress",              r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":0,"progress":1}}"#, Golden::Nothing),
    row("unknown-notification",  r#"{"jsonrpc":"2.0","method":"notifications/foo"}"#,                               Golden::Nothing),
    row("broken-notification",   r#"{"jsonrpc":"1.0","method":"notifications/initialized","params":[]}"#,           Golden::Nothing),
    row("initialize-without-id", r#"{"jsonrpc":"2.0","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}"#, Golden::Nothing),
];

/// The params of an `initialize` that is refused, as they stand behind its method.
#[rustfmt::skip]
const REFUSED: [&str; 12] = [
    "",
    r#","params":{}"#,
    r#","params":null"#,
    r#","params":[]"#,
    r#","params":"2025-11-25""#,
    r#","params":{"capabilities":{},"clientInfo":{"name":"x","version":"1"}}"#,
    r#","params":{"protocolVersion":null,"capabilities":{},"clientInfo":{"name":"x","version":"1"}}"#,
    r#","params":{"protocolVersion":20251125,"capabilities":{},"clientInfo":{"name":"x","version":"1"}}"#,
    r#","params":{"protocolVersion":["2025-11-25"],"capabilities":{},"clientInfo":{"name":"x","version":"1"}}"#,
    r#","params":{"protocolVersion":{"version":"2025-11-25"},"capabilities":{},"clientInfo":{"name":"x","version":"1"}}"#,
    r#","params":{"protocolVersion":"\ud800","capabilities":{},"clientInfo":{"name":"x","version":"1"}}"#,
    r#","params":{"protocolversion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}"#,
];

async fn refused(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open().await?;
    let (mut wrong, mut unnamed) = (Vec::new(), Vec::new());
    for (id, params) in (1..).zip(REFUSED) {
        session.send_line(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"initialize"{params}}}"#)).await;
        let answer = session.next().await?;
        if session.normal(&answer) != golden::error_answer(id, PARAMS) {
            wrong.push(format!("{params}: {answer}"));
        }
        let told = [&answer["error"]["message"], &answer["error"]["data"]];
        let is_named = told.iter().any(|told| told.to_string().contains("protocolVersion"));
        // What are no members at all can miss none.
        if params.contains('{') && !is_named {
            unnamed.push(format!("{params}: {answer}"));
        }
    }
    ctx.check("refusals", wrong.is_empty(), || wrong.join(" | "));
    ctx.check("names-the-field", unnamed.is_empty(), || unnamed.join(" | "));
    let opened = session.open_legacy("2025-06-18").await;
    ctx.check("opens-afterwards", opened.is_ok(), || format!("{opened:?}"));
    session.call(99, "echo", json!({"text": "on"})).await;
    let echo = session.next().await?;
    ctx.equal("serves", &session.normal(&echo), &golden::text_answer(99, "on"));
    exits(&ctx, session).await
}

/// Params of an `initialize` that is accepted, and the revision that it is answered with.
#[rustfmt::skip]
const ODD: [(&str, &str); 8] = [
    (r#"{"protocolVersion":"","capabilities":{},"clientInfo":{"name":"x","version":"1"}}"#,                       "2025-11-25"),
    (r#"{"protocolVersion":"latest","capabilities":{},"clientInfo":{"name":"x","version":"1"}}"#,                 "2025-11-25"),
    (r#"{"protocolVersion":"2025-06-18 ","capabilities":{},"clientInfo":{"name":"x","version":"1"}}"#,            "2025-11-25"),
    (r#"{"protocolVersion":"2025\u002d06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}"#,        "2025-06-18"),
    (r#"{"clientInfo":{"version":"","name":""},"capabilities":{},"protocolVersion":"2024-11-05"}"#,               "2024-11-05"),
    (r#"{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{"form":{},"url":{}},"x":{},"tasks":{"list":{},"dream":{}}},"clientInfo":{"name":"x","version":"1"}}"#, "2025-11-25"),
    (r#"{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"🦀","version":"1","icons":[],"mood":7},"x":1e400}"#, "2025-11-25"),
    (r#"{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"},"_meta":{"a/b":1}}"#, "2025-11-25"),
];

async fn odd(ctx: Ctx) -> Result<(), Stop> {
    let mut wrong = Vec::new();
    let mut exits = Vec::new();
    for (params, revision) in ODD {
        let mut session = ctx.open().await?;
        session.send_line(&format!(r#"{{"jsonrpc":"2.0","id":"open","method":"initialize","params":{params}}}"#)).await;
        session.send(&session::notification("notifications/initialized")).await;
        session.call(1, "echo", json!({"text": "on"})).await;
        session.close_write().await;
        let came = session.rest().await?;
        let good = came.len() == 2
            && came[0]["result"]["protocolVersion"] == revision
            && session.normal(&came[1]) == golden::text_answer(1, "on");
        if !good {
            wrong.push(format!("{params}: expected {revision} and an echo, got {}", Value::from(came)));
        }
        exits.push(session.finish().await.exit);
    }
    ctx.check("accepted", wrong.is_empty(), || wrong.join(" | "));
    ctx.check("exit-0", exits.iter().all(|exit| *exit == Exit::Code(0)), || format!("{exits:?}"));
    Ok(())
}

async fn hurried(ctx: Ctx) -> Result<(), Stop> {
    let legacy = Era::Legacy;
    let echo = |id: i64| session::call(legacy, id, "echo", json!({"text": "on"}));
    let initialized = session::notification("notifications/initialized");

    let mut first = ctx.open().await?;
    first
        .send_together(&[initialized.clone(), session::initialize(0, "2025-11-25"), initialized.clone(), echo(1)])
        .await;
    let opened = first.answer_to(0).await?;
    let served = first.answer_to(1).await?;
    let good = opened["result"]["protocolVersion"] == "2025-11-25"
        && first.normal(&served) == golden::text_answer(1, "on")
        && first.seen().len() == 2;
    ctx.check("in-one-write", good, || format!("{:?}", first.seen()));

    let mut second = ctx.open().await?;
    let frames = [
        session::initialize(0, "2025-03-26"),
        session::initialize(1, "2025-06-18"),
        initialized.clone(),
        initialized.clone(),
        // A batch, which only the revision of the first has.
        json!([echo(2)]),
    ];
    second.send_together(&frames).await;
    let opened = second.answer_to(0).await?;
    second.next().await?;
    second.next().await?;
    let came = second.seen_normal().split_off(1);
    let expected = [golden::error_answer(1, -32600), json!([golden::text_answer(2, "on")])];
    let good = opened["result"]["protocolVersion"] == "2025-03-26" && came == expected;
    ctx.check("twice-in-one-write", good, || format!("{opened}, {came:?}"));

    let mut third = ctx.open().await?;
    third.send(&session::call(Era::Modern, 1, "echo", json!({"text": "modern"}))).await;
    let modern = third.answer_to(1).await?;
    let opened = third.open_legacy("2024-11-05").await;
    third.send(&echo(2)).await;
    let served = third.answer_to(2).await?;
    let good = golden::normal(Era::Modern, &modern) == golden::text_answer(1, "modern")
        && opened.is_ok()
        && third.normal(&served) == golden::text_answer(2, "on");
    ctx.check("after-modern", good, || format!("{modern}, {opened:?}, {served}"));

    let mut exits = Vec::new();
    for session in [first, second, third] {
        exits.push(session.finish().await.exit);
    }
    ctx.check("exit-0", exits.iter().all(|exit| *exit == Exit::Code(0)), || format!("{exits:?}"));
    Ok(())
}

async fn exits(ctx: &Ctx, session: Session) -> Result<(), Stop> {
    let ending = session.finish().await;
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}

const PARSE: i64 = -32700;
const INVALID: i64 = -32600;
const PARAMS: i64 = -32602;
