//! What each modern request must carry, and what the server says of itself.

use serde_json::{Value, json};

use crate::{
    golden,
    scenario::{Applies, Ctx, Era, Family, Scenario, Stop, must, spec},
    session::{self, Session},
    target::Exit,
};

const MODERN: Applies = Applies::modern_only("legacy requests carry no such `_meta`");

pub(super) static SCENARIOS: [Scenario; 3] = [
    Scenario {
        title: "a missing or wrong member of `_meta` is refused by name",
        requirement: "missing required `_meta` field → -32602; version not implemented → -32022 \
                      with `data.supported` and `data.requested`",
        sources: &[spec("2026-07-28", "basic/index#meta"), spec("2026-07-28", "basic/versioning")],
        applies: MODERN,
        checks: &[must("refusals"), must("supported-and-requested"), must("serves-on"), must("exit-0")],
        ..Scenario::new("modern-meta", Family::Documented, |ctx| Box::pin(meta(ctx)))
    },
    Scenario {
        title: "`server/discover` names the modern revisions only",
        requirement: "servers must implement `server/discover`; `supportedVersions` lists modern \
                      revisions only",
        sources: &[spec("2026-07-28", "server/discover")],
        applies: MODERN,
        checks: &[must("versions"), must("members"), must("exit-0")],
        ..Scenario::new("modern-discover", Family::Documented, |ctx| Box::pin(discover(ctx)))
    },
    Scenario {
        title: "methods that the modern era removed do not exist in it",
        requirement: "removed: `ping`, `logging/setLevel`, `resources/subscribe`; an \
                      unknown method gets -32601",
        sources: &[spec("2026-07-28", "changelog")],
        applies: MODERN,
        checks: &[must("method-not-found"), must("exit-0")],
        ..Scenario::new("modern-removed-methods", Family::Documented, |ctx| Box::pin(removed(ctx)))
    },
];

async fn meta(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open().await?;
    let info = json!({"name": "x", "version": "1"});
    let with = |id: i64, meta: Value| session::request(Era::Legacy, id, "tools/list", json!({"_meta": meta}));
    let no_capabilities = with(1, json!({VERSION: "2026-07-28", CLIENT_INFO: info}));
    let odd_version = with(2, json!({VERSION: 7, CAPABILITIES: {}}));
    let odd_capabilities = with(3, json!({VERSION: "2026-07-28", CAPABILITIES: "none"}));
    let legacy = with(4, json!({VERSION: "2025-11-25", CAPABILITIES: {}}));
    let future = with(5, json!({VERSION: "2099-01-01"}));
    for frame in [no_capabilities, odd_version, odd_capabilities, legacy, future] {
        session.send(&frame).await;
        session.answer_to(frame["id"].clone()).await?;
    }
    let expected = json!([
        golden::error_answer(1, -32602),
        golden::error_answer(2, -32602),
        golden::error_answer(3, -32602),
        golden::error_answer(4, -32022),
        golden::error_answer(5, -32022),
    ]);
    ctx.equal("refusals", &Value::from(session.seen_normal()), &expected);
    let data: Vec<&Value> = session.seen().iter().skip(3).map(|frame| &frame["error"]["data"]).collect();
    let wanted = json!([
        {"supported": ["2026-07-28"], "requested": "2025-11-25"},
        {"supported": ["2026-07-28"], "requested": "2099-01-01"},
    ]);
    ctx.equal("supported-and-requested", &json!(data), &wanted);
    session.request(6, "tools/list", json!({})).await;
    let list = session.answer_to(6).await?;
    ctx.check("serves-on", list["result"]["tools"].is_array(), || list.to_string());
    exits(&ctx, session).await
}

async fn discover(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open().await?;
    session.request(1, "server/discover", json!({})).await;
    let answer = session.answer_to(1).await?;
    let result = &answer["result"];
    ctx.equal("versions", &result["supportedVersions"], &json!(["2026-07-28"]));
    let complete = result["resultType"] == "complete"
        && result["capabilities"].is_object()
        && result["ttlMs"].is_u64()
        && (result["cacheScope"] == "public" || result["cacheScope"] == "private")
        && result.get("serverInfo").is_none();
    ctx.check("members", complete, || answer.to_string());
    exits(&ctx, session).await
}

async fn removed(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open().await?;
    let methods = ["ping", "logging/setLevel", "resources/subscribe"];
    let mut expected = Vec::new();
    for (id, method) in (1..).zip(methods) {
        session.request(id, method, json!({})).await;
        session.answer_to(id).await?;
        expected.push(golden::error_answer(id, -32601));
    }
    ctx.equal("method-not-found", &Value::from(session.seen_normal()), &Value::from(expected));
    exits(&ctx, session).await
}

async fn exits(ctx: &Ctx, session: Session) -> Result<(), Stop> {
    let ending = session.finish().await;
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
