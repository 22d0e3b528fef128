//! The legacy handshake: before it, around it, and the revision that it settles.

use serde_json::{Value, json};

use crate::{
    golden,
    scenario::{Applies, Ctx, Era, Family, Need, Scenario, Stop, issue, must, spec},
    session::{self, Session},
    target::Exit,
};

const LEGACY: Applies = Applies::legacy_only("the modern era has no handshake");

pub(super) static SCENARIOS: [Scenario; 4] = [
    Scenario {
        title: "before the handshake: ping is answered, requests are told what is missing",
        requirement: "before a handshake: `ping` → `{}`; a request of a legacy method → −32600; any \
                      other without modern `_meta` → −32602; notifications ignored",
        sources: &[
            issue("typescript-sdk", 2514),
            issue("python-sdk", 423),
            spec("2025-11-25", "basic/lifecycle#initialization"),
        ],
        applies: LEGACY.by(&[Need::OneStream]),
        checks: &[must("answers"), must("names-what-is-missing"), must("opens-afterwards"), must("exit-0")],
        ..Scenario::new("handshake-before", Family::Documented, |ctx| Box::pin(before(ctx)))
    },
    Scenario {
        title: "requests between the result of `initialize` and `initialized` are served",
        requirement: "between the `initialize` result and `initialized`: normal service",
        sources: &[issue("python-sdk", 423), spec("2025-11-25", "basic/lifecycle#initialization")],
        applies: LEGACY.with_needs(&[Need::Tool("echo")]),
        checks: &[must("served"), must("exit-0")],
        ..Scenario::new("handshake-between", Family::Documented, |ctx| Box::pin(between(ctx)))
    },
    Scenario {
        title: "each legacy revision is answered with itself, any other with the latest of them",
        requirement: "if the requested version is supported, answer the same version; otherwise \
                      another version it supports, a normal result, not an error",
        sources: &[spec("2025-11-25", "basic/lifecycle#version-negotiation"), issue("typescript-sdk", 2280)],
        applies: LEGACY,
        checks: &[must("negotiated"), must("exit-0")],
        ..Scenario::new("handshake-versions", Family::Documented, |ctx| Box::pin(versions(ctx)))
    },
    Scenario {
        title: "a request with modern `_meta` inside a legacy session is served as modern",
        requirement: "modern `_meta` inside a legacy session: served as modern; legacy requests \
                      beside it as legacy",
        sources: &[spec("2026-07-28", "basic/versioning")],
        applies: LEGACY.with_needs(&[Need::Tool("echo")]),
        checks: &[must("modern-beside-legacy"), must("exit-0")],
        ..Scenario::new("handshake-then-modern", Family::Documented, |ctx| Box::pin(then_modern(ctx)))
    },
];

async fn before(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open().await?;
    let legacy = Era::Legacy;
    let sent = [
        session::notification("notifications/initialized"),
        session::notification("notifications/nope"),
        session::cancel(1),
        session::request(legacy, 1, "ping", json!({})),
        session::request(legacy, 2, "tools/list", json!({})),
        session::call(legacy, 3, "echo", json!({"text": "too early"})),
        session::request(legacy, 4, "server/discover", json!({})),
        session::request(legacy, 5, "no/such", json!({})),
    ];
    for frame in &sent {
        session.send(frame).await;
    }
    for _ in 1..=5 {
        session.next().await?;
    }
    let came = Value::from(session.seen_normal());
    let expected = json!([
        golden::empty_answer(1),
        golden::error_answer(2, -32600),
        golden::error_answer(3, -32600),
        golden::error_answer(4, -32602),
        golden::error_answer(5, -32602),
    ]);
    ctx.equal("answers", &came, &expected);
    let text = session.seen().get(3).map(ToString::to_string).unwrap_or_default();
    let named = text.contains("io.modelcontextprotocol/protocolVersion");
    ctx.check("names-what-is-missing", named, || text.clone());
    let opened = session.open_legacy("2025-11-25").await;
    ctx.check("opens-afterwards", opened.is_ok(), || format!("{opened:?}"));
    exits(&ctx, session).await
}

async fn between(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open().await?;
    session.send(&session::initialize(0, "2025-11-25")).await;
    session.answer_to(0).await?;
    session.call(1, "echo", json!({"text": "early"})).await;
    let came = session.answer_to(1).await?;
    ctx.equal("served", &session.normal(&came), &golden::text_answer(1, "early"));
    session.send(&session::notification("notifications/initialized")).await;
    exits(&ctx, session).await
}

async fn versions(ctx: Ctx) -> Result<(), Stop> {
    let table = [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("9999-01-01", "2025-11-25"),
        ("1.0", "2025-11-25"),
    ];
    let mut wrong = Vec::new();
    let mut exits = Vec::new();
    for (asked, expected) in table {
        let mut session = ctx.open().await?;
        session.send(&session::initialize(0, asked)).await;
        let answer = session.answer_to(0).await?;
        if answer["result"]["protocolVersion"] != expected {
            wrong.push(format!("{asked}: {answer}"));
        }
        exits.push(session.finish().await.exit);
    }
    ctx.check("negotiated", wrong.is_empty(), || wrong.join(" | "));
    let all_0 = exits.iter().all(|exit| *exit == Exit::Code(0));
    ctx.check("exit-0", all_0, || format!("{exits:?}"));
    Ok(())
}

async fn then_modern(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    session.send(&session::call(Era::Modern, 1, "echo", json!({"text": "modern"}))).await;
    let modern = session.answer_to(1).await?;
    session.send(&session::call(Era::Legacy, 2, "echo", json!({"text": "legacy"}))).await;
    let legacy = session.answer_to(2).await?;
    let came = json!([golden::normal(Era::Modern, &modern), golden::normal(Era::Legacy, &legacy)]);
    let expected = json!([golden::text_answer(1, "modern"), golden::text_answer(2, "legacy")]);
    ctx.equal("modern-beside-legacy", &came, &expected);
    exits(&ctx, session).await
}

async fn exits(ctx: &Ctx, session: Session) -> Result<(), Stop> {
    let ending = session.finish().await;
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}
