//! URIs of resources that are none, or that name nothing.

use serde_json::json;

use crate::{
    scenario::{Check, Ctx, Era, Family, Need, Scenario, Stop, issue, must, spec},
    target::Exit,
};

pub(super) static SCENARIOS: [Scenario; 1] = [Scenario {
    title: "what is no URI, or names no resource, is refused with what was sent",
    requirement: "servers must validate all resource URIs; the error names the URI",
    sources: &[
        spec("2026-07-28", "server/resources#security-considerations"),
        spec("2026-07-28", "server/resources#error-handling"),
        issue("typescript-sdk", 2451),
        issue("python-sdk", 1574),
        issue("python-sdk", 973),
    ],
    checks: const { &checks() },
    ..Scenario::new("hostile-uris", Family::Hostile, |ctx| Box::pin(uris(ctx)))
}];

/// An input, and whether it is a URI.
type Row = (&'static str, &'static str, bool);

const ROWS: [Row; 12] = [
    ("empty", "", false),
    ("with-a-space", "file:///a b", false),
    ("relative", "a/b.txt", false),
    ("path", "/etc/passwd", false),
    ("upwards", "../../etc/passwd", false),
    ("not-ascii", "file:///é", false),
    ("line-feed", "file:///a\nb", false),
    ("percent-alone", "file:///100%", false),
    ("percent-of-nothing", "file:///%zz", false),
    ("unknown", "nowhere://nothing", true),
    ("unknown-encoded", "nowhere://a%2Fb%20c", true),
    // The empty place stands for 100 KiB.
    ("long", "nowhere://¤", true),
];

const fn checks() -> [Check; ROWS.len() + 2] {
    let mut checks = [must("exit-0"); ROWS.len() + 2];
    let mut at = 0;
    while at < ROWS.len() {
        checks[at] = must(ROWS[at].0);
        at += 1;
    }
    checks[at] = must("goes-on");
    checks
}

async fn uris(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    let opened = session.seen().iter().find(|frame| frame["id"] == "open").cloned().unwrap_or_default();
    if !opened["result"]["capabilities"]["resources"].is_object() {
        return Err(ctx.excused("the server has no resources"));
    }
    for (number, (check, uri, is_uri)) in ROWS.into_iter().enumerate() {
        if uri.contains('¤')
            && let Some(why) = ctx.lacks(&Need::Unmirrored)
        {
            ctx.not_available(check, why);
            continue;
        }
        let uri = uri.replace('¤', &"u".repeat(100 << 10));
        session.request(number, "resources/read", json!({"uri": uri})).await;
        let answer = session.answer_to(number).await?;
        let code = if is_uri && ctx.era() == Era::Legacy { NOT_FOUND } else { INVALID };
        let error = &answer["error"];
        // As much of it as anybody would show.
        let shown: String = uri.chars().take(100).collect();
        let names = [error["data"]["uri"].as_str(), error["message"].as_str()].into_iter().flatten();
        let is_named = names.into_iter().any(|text| text.contains(&shown));
        let as_wanted = error["code"] == code && is_named;
        ctx.check(check, as_wanted, || answer.to_string().chars().take(300).collect());
    }
    session.request("again", "resources/list", json!({})).await;
    let list = session.answer_to("again").await?;
    ctx.check("goes-on", list["result"]["resources"].is_array(), || list.to_string());
    let ending = session.finish().await;
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}

const INVALID: i64 = -32602;
/// Up to 2025-11-25, for what is a URI.
const NOT_FOUND: i64 = -32002;
