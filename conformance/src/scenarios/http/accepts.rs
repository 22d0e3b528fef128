//! What a client accepts, and what it says that it sends.

use super::{
    EVERY_ENDPOINT,
    table::{self, EXTRA, Golden, Row, checks, row},
};
use crate::scenario::{Check, Family, Scenario, Source, issue, spec};

pub(super) static SCENARIOS: [Scenario; 2] = [
    Scenario {
        title: "`Accept` is read as its standard has it",
        requirement: "the client must include an `Accept` header that lists both `application/json` and \
                      `text/event-stream`; wildcards, weights and the absence of the header mean what RFC 9110 says; \
                      one type alone gets an answer of that type",
        sources: &[
            issue("go-sdk", 290),
            issue("python-sdk", 1641),
            Source::Standard("RFC 9110, section 12.5.1 (Accept)"),
            spec("2026-07-28", "basic/transports/streamable-http#sending-messages"),
        ],
        applies: EVERY_ENDPOINT,
        checks: &ACCEPT_CHECKS,
        ..Scenario::new("http-accept", Family::Documented, |ctx| Box::pin(table::run(ctx, &ACCEPT)))
    },
    Scenario {
        title: "a body that does not say that it is JSON is not read",
        requirement: "the body of the POST must be one JSON-RPC message, as `application/json`; 415 for another type",
        sources: &[
            spec("2026-07-28", "basic/transports/streamable-http#sending-messages"),
            Source::Standard("RFC 9110, section 15.5.16 (415)"),
        ],
        applies: EVERY_ENDPOINT,
        checks: &TYPES_CHECKS,
        ..Scenario::new("http-content-type", Family::Documented, |ctx| Box::pin(table::run(ctx, &TYPES)))
    },
];

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";

static ACCEPT_CHECKS: [Check; ACCEPT.len() + EXTRA] = checks(&ACCEPT);
#[rustfmt::skip]
const ACCEPT: [Row; 16] = [
    row("both",                   |of| of.list().with("Accept", "application/json, text/event-stream"),             Golden::Served),
    row("the-other-way-round",    |of| of.list().with("Accept", "text/event-stream,application/json"),              Golden::Served),
    row("in-two-lines",           |of| of.list().with("Accept", EVENTS).adding("Accept", JSON),                     Golden::Served),
    row("upper-case",             |of| of.list().with("Accept", "APPLICATION/JSON, Text/Event-Stream"),             Golden::Served),
    row("with-parameters",        |of| of.list().with("Accept", "application/json;charset=utf-8;q=0.9 , text/event-stream ; q=1"), Golden::Served),
    row("anything",               |of| of.list().with("Accept", "*/*"),                                             Golden::Served),
    row("by-kinds",               |of| of.list().with("Accept", "application/*, text/*"),                           Golden::Served),
    row("absent",                 |of| of.list().without("Accept"),                                                 Golden::Served),
    row("json-alone",             |of| of.list().with("Accept", JSON),                                              Golden::ServedAs(JSON)),
    row("events-alone",           |of| of.list().with("Accept", EVENTS),                                            Golden::ServedAs(EVENTS)),
    row("events-weighed-zero",    |of| of.list().with("Accept", "application/json, text/event-stream;q=0"),         Golden::ServedAs(JSON)),
    row("json-weighed-zero",      |of| of.list().with("Accept", "*/*, application/json;q=0"),                       Golden::ServedAs(EVENTS)),
    row("neither",                |of| of.list().with("Accept", "text/html"),                                       Golden::Status(406)),
    row("both-weighed-zero",      |of| of.list().with("Accept", "application/json;q=0, text/event-stream;q=0.000"), Golden::Status(406)),
    row("longer-names",           |of| of.list().with("Accept", "application/json-seq, text/event-streams"),        Golden::Status(406)),
    row("another-kind",           |of| of.list().with("Accept", "image/*"),                                         Golden::Status(406)),
];

static TYPES_CHECKS: [Check; TYPES.len() + EXTRA] = checks(&TYPES);
#[rustfmt::skip]
const TYPES: [Row; 9] = [
    row("with-a-charset",         |of| of.list().with("Content-Type", "application/json; charset=utf-8"),           Golden::Served),
    row("upper-case",             |of| of.list().with("Content-Type", "Application/JSON;Charset=\"UTF-8\""),        Golden::Served),
    row("text",                   |of| of.list().with("Content-Type", "text/plain"),                                Golden::Status(415)),
    row("form",                   |of| of.list().with("Content-Type", "application/x-www-form-urlencoded"),         Golden::Status(415)),
    row("absent",                 |of| of.list().without("Content-Type"),                                           Golden::Status(415)),
    row("empty",                  |of| of.list().with("Content-Type", ""),                                          Golden::Status(415)),
    row("longer-name",            |of| of.list().with("Content-Type", "application/jsonp"),                         Golden::Status(415)),
    row("in-a-parameter",         |of| of.list().with("Content-Type", "text/plain; x=application/json"),            Golden::Status(415)),
    row("packed",                 |of| of.list().with("Content-Encoding", "gzip"),                                  Golden::Status(415)),
];
