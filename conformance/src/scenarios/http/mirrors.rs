//! Headers that say again what a modern body says.

use serde_json::json;

use super::{
    MODERN,
    table::{self, Asker, EXTRA, Golden, Row, checks, row},
};
use crate::{
    http::Request,
    scenario::{Check, Family, Need, Scenario, issue, spec},
};

pub(super) static SCENARIOS: [Scenario; 2] = [
    Scenario {
        title: "a header that is missing, twice there, unreadable, or that contradicts the body is a mismatch",
        requirement: "servers must reject requests where the values in the headers do not match the body, or a required \
                      header is missing or has invalid characters: 400 and −32020",
        sources: &[
            issue("rust-sdk", 1076),
            issue("typescript-sdk", 2564),
            spec("2026-07-28", "basic/transports/streamable-http#server-validation"),
            spec("2026-07-28", "basic/transports/streamable-http#protocol-version-header"),
        ],
        applies: MODERN.with_needs(&[Need::Tool("echo")]),
        checks: &REFUSED_CHECKS,
        ..Scenario::new("http-header-mismatch", Family::Hostile, |ctx| Box::pin(table::run(ctx, &REFUSED)))
    },
    Scenario {
        title: "names of headers in any case, spaces around values, encoded values and foreign headers are no fault",
        requirement: "header names are case-insensitive, values are case-sensitive; servers must decode encoded values \
                      before they compare them, and ignore parameter headers that they do not recognise",
        sources: &[
            issue("typescript-sdk", 2453),
            spec("2026-07-28", "basic/transports/streamable-http#case-sensitivity"),
            spec("2026-07-28", "basic/transports/streamable-http#value-encoding"),
        ],
        applies: MODERN,
        checks: &SERVED_CHECKS,
        ..Scenario::new("http-header-writings", Family::Documented, |ctx| Box::pin(table::run(ctx, &SERVED)))
    },
];

const VERSION: &str = "MCP-Protocol-Version";
const METHOD: &str = "Mcp-Method";
const NAME: &str = "Mcp-Name";

static REFUSED_CHECKS: [Check; REFUSED.len() + EXTRA] = checks(&REFUSED);
#[rustfmt::skip]
const REFUSED: [Row; 17] = [
    row("version-missing",        |of| of.list().without(VERSION),                                  MISMATCH),
    row("version-of-another",     |of| of.list().with(VERSION, "2025-11-25"),                       MISMATCH),
    row("version-twice",          |of| of.list().adding(VERSION, "2026-07-28"),                     MISMATCH),
    row("method-missing",         |of| of.list().without(METHOD),                                   MISMATCH),
    row("method-of-another",      |of| of.list().with(METHOD, "tools/call"),                        MISMATCH),
    row("method-in-upper-case",   |of| of.list().with(METHOD, "TOOLS/LIST"),                        MISMATCH),
    row("method-twice",           |of| of.list().adding(METHOD, "tools/list"),                      MISMATCH),
    row("method-empty",           |of| of.list().with(METHOD, ""),                                  MISMATCH),
    row("method-not-ascii",       |of| of.list().with(METHOD, "tools/lïst"),                        MISMATCH),
    row("name-missing",           |of| of.echo().without(NAME),                                     MISMATCH),
    row("name-of-another",        |of| of.echo().with(NAME, "sleep"),                               MISMATCH),
    row("name-in-upper-case",     |of| of.echo().with(NAME, "Echo"),                                MISMATCH),
    row("name-twice",             |of| of.echo().adding(NAME, "echo"),                              MISMATCH),
    row("name-not-ascii",         |of| of.echo().with(NAME, "écho"),                                MISMATCH),
    row("name-badly-encoded",     |of| of.echo().with(NAME, "=?base64?ZWNobw?="),                   MISMATCH),
    row("name-encoded-of-another", |of| of.echo().with(NAME, "=?base64?c2xlZXA=?="),                MISMATCH),
    row("resource-without-a-name", |of| of.requests.post(&of.frame("resources/read", json!({"uri": "test://static-text"}))).without(NAME), MISMATCH),
];
const MISMATCH: Golden = Golden::Error(400, -32020);

static SERVED_CHECKS: [Check; SERVED.len() + EXTRA] = checks(&SERVED);
#[rustfmt::skip]
const SERVED: [Row; 9] = [
    row("names-in-lower-case",    |of| renamed(of, str::to_ascii_lowercase),                        Golden::Served),
    row("names-in-upper-case",    |of| renamed(of, str::to_ascii_uppercase),                        Golden::Served),
    row("spaces-around",          |of| of.list().with(METHOD, "  tools/list \t").with(VERSION, " 2026-07-28 "), Golden::Served),
    row("unknown-parameter",      |of| of.list().adding("Mcp-Param-Region", "eu"),                  Golden::Served),
    row("stale-session",          |of| of.list().adding("Mcp-Session-Id", "of-yesterday"),          Golden::Served),
    row("last-event",             |of| of.list().adding("Last-Event-ID", "1"),                      Golden::Served),
    row("name-of-nothing",        |of| of.list().adding(NAME, "anything"),                          Golden::Served),
    row("version-unsupported",    |of| unsupported(of, "2099-01-01"),                               Golden::Error(400, -32022)),
    row("version-of-a-session",   |of| unsupported(of, "2025-11-25"),                               Golden::Error(400, -32022)),
];

/// The list of tools, with the names of its headers written in another way.
fn renamed(of: &Asker, rename: fn(&str) -> String) -> Request {
    let good = of.list();
    [VERSION, METHOD, "Content-Type", "Accept"].into_iter().fold(good.clone(), |request, name| {
        let value = good.header(name).unwrap_or_default().to_owned();
        request.without(name).adding(&rename(name), value)
    })
}

/// The list of tools in a revision that is not served in this era, which header and body agree on.
fn unsupported(of: &Asker, version: &str) -> Request {
    of.list_with("2026-07-28", version).with(VERSION, version)
}
