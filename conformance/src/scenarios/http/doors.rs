//! Who may come in, and by which methods.

use super::{
    EVERY_ENDPOINT, MODERN, STATEFUL, STATELESS,
    table::{self, EXTRA, Golden, Row, checks, row},
};
use crate::scenario::{Check, Family, Need, Scenario, issue, spec};

pub(super) static SCENARIOS: [Scenario; 6] = [
    Scenario {
        title: "pages of other sites are turned away",
        requirement: "servers must validate the `Origin` header on all incoming connections; if it is present and \
                      invalid, they must respond with 403",
        sources: &[
            spec("2025-11-25", "basic/transports#security-warning"),
            spec("2026-07-28", "basic/transports/streamable-http#security--endpoint"),
        ],
        applies: EVERY_ENDPOINT,
        checks: &ORIGINS_CHECKS,
        ..Scenario::new("http-origin", Family::Documented, |ctx| Box::pin(table::run(ctx, &ORIGINS)))
    },
    Scenario {
        title: "a server on the machine of its user answers to the names of that machine, and to no others",
        requirement: "prevent DNS rebinding: a name that a page has made to point at this machine is none of its names",
        sources: &[issue("rust-sdk", 827), spec("2026-07-28", "basic/transports/streamable-http#security--endpoint")],
        applies: EVERY_ENDPOINT.with_needs(&[Need::Settings]),
        checks: &HOSTS_CHECKS,
        ..Scenario::new("http-host", Family::Documented, |ctx| Box::pin(table::run(ctx, &HOSTS)))
    },
    Scenario {
        title: "a slash at the end of the path, and a query behind it, are no reason to send a client elsewhere",
        requirement: "the server must provide a single HTTP endpoint path; a redirect would lose the method or the body",
        sources: &[
            issue("PrefectHQ/fastmcp", 1_867),
            issue("python-sdk", 732),
            issue("python-sdk", 1_168),
            spec("2026-07-28", "basic/transports/streamable-http"),
        ],
        applies: EVERY_ENDPOINT.with_needs(&[Need::Settings]),
        checks: &PATHS_CHECKS,
        ..Scenario::new("http-path", Family::Documented, |ctx| Box::pin(table::run(ctx, &PATHS)))
    },
    Scenario {
        title: "a modern endpoint has POST alone",
        requirement: "HTTP GET or DELETE to the MCP endpoint: respond with 405 Method Not Allowed",
        sources: &[
            spec("2026-07-28", "basic/transports/streamable-http#earlier-streamable-http-revisions"),
            issue("PrefectHQ/fastmcp", 3179),
        ],
        applies: MODERN,
        checks: &POST_ALONE_CHECKS,
        ..Scenario::new("http-methods-modern", Family::Documented, |ctx| Box::pin(table::run(ctx, &POST_ALONE)))
    },
    Scenario {
        title: "where there are no sessions there is neither a stream of one nor an end",
        requirement: "the server must either return `text/event-stream` in response to this HTTP GET, or else 405; it may \
                      respond to DELETE with 405",
        sources: &[
            spec("2025-11-25", "basic/transports#listening-for-messages-from-the-server"),
            issue("PrefectHQ/fastmcp", 3179),
        ],
        applies: STATELESS,
        checks: &NO_STREAM_CHECKS,
        ..Scenario::new("http-methods-stateless", Family::Documented, |ctx| Box::pin(table::run(ctx, &NO_STREAM)))
    },
    Scenario {
        title: "an endpoint with sessions has three methods",
        requirement: "the server must provide one path that supports both POST and GET; other methods: 405",
        sources: &[spec("2025-11-25", "basic/transports#streamable-http")],
        applies: STATEFUL,
        checks: &THREE_CHECKS,
        ..Scenario::new("http-methods-session", Family::Documented, |ctx| Box::pin(table::run(ctx, &THREE)))
    },
];

static ORIGINS_CHECKS: [Check; ORIGINS.len() + EXTRA] = checks(&ORIGINS);
#[rustfmt::skip]
const ORIGINS: [Row; 8] = [
    row("none",                   |of| of.list().without("Origin"),                                 Golden::Served),
    row("this-machine",           |of| of.list().with("Origin", "http://localhost:3000"),           Golden::Served),
    row("this-machine-by-number", |of| of.list().with("Origin", "http://127.0.0.1:8080"),           Golden::Served),
    row("another-site",           |of| of.list().with("Origin", "http://evil.example"),             Golden::Status(403)),
    row("another-site-secured",   |of| of.list().with("Origin", "https://evil.example:8443"),       Golden::Status(403)),
    row("without-an-origin",      |of| of.list().with("Origin", "null"),                            Golden::Status(403)),
    row("name-that-begins-so",    |of| of.list().with("Origin", "http://localhost.evil.example"),   Golden::Status(403)),
    row("name-that-ends-so",      |of| of.list().with("Origin", "http://evil-localhost"),           Golden::Status(403)),
];

static HOSTS_CHECKS: [Check; HOSTS.len() + EXTRA] = checks(&HOSTS);
#[rustfmt::skip]
const HOSTS: [Row; 8] = [
    row("name",                   |of| of.list().with("Host", "localhost:1"),                       Golden::Served),
    row("name-in-upper-case",     |of| of.list().with("Host", "LOCALHOST:9"),                       Golden::Served),
    row("number",                 |of| of.list().with("Host", "127.0.0.1"),                         Golden::Served),
    row("number-of-version-6",    |of| of.list().with("Host", "[::1]:1"),                           Golden::Served),
    row("another-name",           |of| of.list().with("Host", "evil.example"),                      Golden::Status(403)),
    row("another-name-our-port",  |of| of.list().with("Host", "svc:8080"),                          Golden::Status(403)),
    row("name-that-begins-so",    |of| of.list().with("Host", "localhost.evil.example"),            Golden::Status(403)),
    row("another-number",         |of| of.list().with("Host", "10.0.0.1"),                          Golden::Status(403)),
];

static PATHS_CHECKS: [Check; PATHS.len() + EXTRA] = checks(&PATHS);
#[rustfmt::skip]
const PATHS: [Row; 3] = [
    row("with-a-slash",           |of| of.list().to(&format!("{}/", of.requests.speech().site().path())),      Golden::Served),
    row("with-a-query",           |of| of.list().to(&format!("{}?x=1", of.requests.speech().site().path())),   Golden::Served),
    row("another",                |of| of.list().to("/another"),                                    Golden::Status(404)),
];

static POST_ALONE_CHECKS: [Check; POST_ALONE.len() + EXTRA] = checks(&POST_ALONE);
#[rustfmt::skip]
const POST_ALONE: [Row; 4] = [
    row("get",                    |of| of.requests.get().adding("MCP-Protocol-Version", "2026-07-28"),    Golden::Allow(&["POST"])),
    row("delete",                 |of| of.requests.delete().adding("MCP-Protocol-Version", "2026-07-28"), Golden::Allow(&["POST"])),
    row("put",                    |of| of.list().by("PUT"),                                               Golden::Status(405)),
    row("patch",                  |of| of.list().by("PATCH"),                                             Golden::Status(405)),
];

static NO_STREAM_CHECKS: [Check; NO_STREAM.len() + EXTRA] = checks(&NO_STREAM);
#[rustfmt::skip]
const NO_STREAM: [Row; 3] = [
    row("get",                    |of| of.requests.get(),                                           Golden::Status(405)),
    row("delete",                 |of| of.requests.delete(),                                        Golden::Status(405)),
    row("put",                    |of| of.list().by("PUT"),                                         Golden::Status(405)),
];

static THREE_CHECKS: [Check; THREE.len() + EXTRA] = checks(&THREE);
#[rustfmt::skip]
const THREE: [Row; 4] = [
    row("put",                    |of| of.list().by("PUT"),                                         Golden::Allow(&["DELETE", "GET", "POST"])),
    row("patch",                  |of| of.list().by("PATCH"),                                       Golden::Allow(&["DELETE", "GET", "POST"])),
    row("get-of-json",            |of| of.requests.get().with("Accept", "application/json"),        Golden::Status(406)),
    row("version-of-nobody",      |of| of.list().with("MCP-Protocol-Version", "1.0"),               Golden::Status(400)),
];
