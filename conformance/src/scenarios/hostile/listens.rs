//! Listens that ask for nothing that could be given.

use super::table::{self, EXTRA, Golden, Opening, Row, checks, filled, row};
use crate::scenario::{Applies, Check, Family, Need, Scenario, spec};

pub(super) static SCENARIOS: [Scenario; 1] = [Scenario {
    title: "a listen whose filter is missing or of the wrong shape is refused",
    requirement: "bad params → -32602; `notifications` is required and an object",
    sources: &[
        spec("2026-07-28", "basic/patterns/subscriptions"),
        spec("2026-07-28", "schema#subscriptionslistenrequest"),
    ],
    applies: Applies::modern_only("legacy sessions have no listens")
        .with_needs(&[Need::Tool("echo"), Need::Tool("sleep")]),
    checks: &CHECKS,
    limit: table::LIMIT,
    ..Scenario::new("hostile-listen", Family::Hostile, |ctx| Box::pin(table::run(ctx, Opening::Ready, &ROWS)))
}];

static CHECKS: [Check; ROWS.len() + EXTRA] = checks(&ROWS);
#[rustfmt::skip]
const ROWS: [Row; 8] = [
    row("missing", r#"{"jsonrpc":"2.0","id":7,"method":"subscriptions/listen","params":{$META}}"#, Golden::Naming(&REFUSED, "notifications")),
    filter("null",            "null",                                 Golden::Naming(&REFUSED, "notifications")),
    filter("true",            "true",                                 Golden::Naming(&REFUSED, "notifications")),
    filter("array",           r#"["toolsListChanged"]"#,              Golden::Naming(&REFUSED, "notifications")),
    filter("text",            r#""toolsListChanged""#,                Golden::Naming(&REFUSED, "notifications")),
    filter("flag-text",       r#"{"toolsListChanged":"yes"}"#,        REFUSED),
    filter("flag-number",     r#"{"toolsListChanged":1}"#,            REFUSED),
    filter("resources-text",  r#"{"resourceSubscriptions":"a:b"}"#,   REFUSED),
];

/// A row for a filter.
const fn filter(check: &'static str, filter: &'static str, golden: Golden) -> Row {
    const LISTEN: &str =
        r#"{"jsonrpc":"2.0","id":7,"method":"subscriptions/listen","params":{$META,"notifications":¤}}"#;
    filled(check, LISTEN, filter.as_bytes(), golden)
}

const REFUSED: Golden = Golden::Error("7", -32602);
