//! C15: malformed frames, each with its one answer, and a session that goes on.

use std::time::Duration;

use serde_json::{Value, json};

use super::malformed_frames::{BROKEN, UNANSWERED, UNREADABLE};
use crate::{
    golden::{self, UnreadableId},
    scenario::{Applies, Check, Ctx, Era, Family, Need, Scenario, Stop, issue, must, row, spec},
    session::{self, Session},
    target::Exit,
};

const CHECKS: &[Check] = &[must("golden-answers"), must("exit-0")];
const ON_BYTES: Applies = Applies::EVERYWHERE.with_needs(&[Need::AnyBytes, Need::Tool("echo")]);
const REQUIREMENT: &str = "a server answers an unreadable line or a broken request: −32700/−32600/\
                           −32602 with the id when it can be read, otherwise without id (from \
                           2025-11-25) or with `null` (older or unknown revision). The session goes on";

pub(super) static SCENARIOS: [Scenario; 9] = [
    Scenario {
        row: Some("C15"),
        title: "unreadable lines are answered without an id, and the session goes on",
        requirement: REQUIREMENT,
        sources: &[
            row("C15"),
            issue("python-sdk", 2302),
            issue("rust-sdk", 825),
            spec("2025-11-25", "schema#jsonrpcerrorresponse"),
        ],
        applies: ON_BYTES,
        checks: CHECKS,
        limit: LIMIT,
        ..Scenario::new("c15-unreadable", Family::Documented, |ctx| Box::pin(unreadable(ctx)))
    },
    Scenario {
        row: Some("C15"),
        title: "in a session of 2025-06-18 unreadable lines are answered with `id: null`",
        requirement: REQUIREMENT,
        sources: &[row("C15"), spec("2025-06-18", "schema#jsonrpcerror")],
        applies: Applies::legacy_only("2025-06-18 is a legacy revision").with_needs(&[Need::AnyBytes]),
        checks: CHECKS,
        limit: LIMIT,
        ..Scenario::new("c15-unreadable-older", Family::Documented, |ctx| Box::pin(unreadable_older(ctx)))
    },
    Scenario {
        row: Some("C15"),
        title: "before anything was said unreadable lines are answered with `id: null`",
        requirement: REQUIREMENT,
        sources: &[row("C15"), issue("typescript-sdk", 2514)],
        applies: Applies::legacy_only("before the first request there is no era")
            .with_needs(&[Need::AnyBytes])
            .by(&[Need::OneStream]),
        checks: CHECKS,
        limit: LIMIT,
        ..Scenario::new("c15-unreadable-first", Family::Documented, |ctx| Box::pin(unreadable_first(ctx)))
    },
    Scenario {
        row: Some("C15"),
        title: "broken requests are answered with their id",
        requirement: REQUIREMENT,
        sources: &[row("C15"), issue("typescript-sdk", 2247), issue("python-sdk", 2369)],
        applies: ON_BYTES,
        checks: CHECKS,
        limit: LIMIT,
        ..Scenario::new("c15-broken-requests", Family::Documented, |ctx| Box::pin(broken(ctx)))
    },
    Scenario {
        row: Some("C15"),
        title: "a broken request is answered with its id though the input ends behind it",
        requirement: "a server answers an unreadable line with the id when it can be read; requests already received \
                      get their responses",
        sources: &[row("C15"), row("C2"), issue("python-sdk", 2302), issue("python-sdk", 2369)],
        applies: ON_BYTES.by(&[Need::HalfClose]),
        checks: &[must("answered"), must("exit-0")],
        ..Scenario::new("c15-broken-then-end", Family::Documented, |ctx| Box::pin(broken_then_end(ctx)))
    },
    Scenario {
        row: Some("C15"),
        title: "well-formed requests with bad params or an unknown method",
        requirement: "a request with an unknown method gets -32601, one with bad params or an \
                      unknown tool -32602",
        sources: &[
            issue("go-sdk", 976),
            issue("typescript-sdk", 1510),
            spec("2025-11-25", "server/tools#error-handling"),
            row("C15"),
        ],
        applies: Applies::EVERYWHERE.with_needs(&[Need::Tool("echo")]),
        checks: CHECKS,
        limit: LIMIT,
        ..Scenario::new("c15-bad-params", Family::Documented, |ctx| Box::pin(bad_params(ctx)))
    },
    Scenario {
        row: Some("C15"),
        title: "broken notifications and responses are not answered",
        requirement: "nobody answers a malformed response or notification. The session goes on",
        sources: &[row("C15"), spec("2025-11-25", "basic/index#notifications")],
        applies: ON_BYTES,
        checks: CHECKS,
        limit: LIMIT,
        ..Scenario::new("c15-unanswered", Family::Documented, |ctx| Box::pin(unanswered(ctx)))
    },
    Scenario {
        row: Some("C15"),
        title: "a byte order mark, CRLF, blank lines and lines of spaces are no faults",
        requirement: "ignored or accepted on a byte stream",
        sources: &[issue("rust-sdk", 825), spec("2026-07-28", "basic/transports/stdio")],
        applies: ON_BYTES.by(&[Need::Bytes]),
        checks: &[must("only-the-echoes-answered"), must("exit-0")],
        ..Scenario::new("c15-line-ends", Family::Documented, |ctx| Box::pin(line_ends(ctx)))
    },
    Scenario {
        row: Some("C15"),
        title: "a frame nested deeper than the limit is refused with its id",
        requirement: "JSON nesting depth 128 (deeper: −32600 with the id)",
        sources: &[row("C15")],
        applies: Applies::EVERYWHERE.with_needs(&[Need::DefaultLimits, Need::Tool("echo")]),
        checks: CHECKS,
        ..Scenario::new("c15-too-deep", Family::Documented, |ctx| Box::pin(too_deep(ctx)))
    },
];

async fn unreadable(ctx: Ctx) -> Result<(), Stop> {
    let table = Table::start(&ctx, ctx.open_ready().await?, Marker::of(ctx.era()));
    unreadable_lines(table, UnreadableId::Absent).await
}

async fn unreadable_older(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open().await?;
    session.open_legacy("2025-06-18").await?;
    unreadable_lines(Table::start(&ctx, session, Marker::Ping), UnreadableId::Null).await
}

async fn unreadable_first(ctx: Ctx) -> Result<(), Stop> {
    let session = ctx.open().await?;
    unreadable_lines(Table::start(&ctx, session, Marker::Ping), UnreadableId::Null).await
}

async fn unreadable_lines(mut table: Table, id: UnreadableId) -> Result<(), Stop> {
    for (line, code) in UNREADABLE {
        table.row(line, Some(golden::error_answer_without_id(id, *code))).await?;
    }
    table.end().await
}

async fn broken(ctx: Ctx) -> Result<(), Stop> {
    let mut table = Table::start(&ctx, ctx.open_ready().await?, Marker::of(ctx.era()));
    for (line, id, code) in BROKEN {
        let id: Value = serde_json::from_str(id).map_err(|error| Stop(error.to_string()))?;
        table.row(line, Some(golden::error_answer(id, *code))).await?;
    }
    table.end().await
}

async fn broken_then_end(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    let call = session::call(ctx.era(), 7, "echo", json!({"text": "a¤b"})).to_string();
    let Some((before, after)) = call.split_once('¤') else { return Err(Stop(call)) };
    session.send_bytes(&[before.as_bytes(), b"\xFF", after.as_bytes(), b"\n"].concat()).await;
    session.close_write().await;
    let came: Vec<Value> = session.rest().await?.iter().map(|frame| session.normal(frame)).collect();
    ctx.check("answered", came == [golden::error_answer(7, -32700)], || format!("{came:?}"));
    let ending = session.finish().await;
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}

async fn bad_params(ctx: Ctx) -> Result<(), Stop> {
    let mut table = Table::start(&ctx, ctx.open_ready().await?, Marker::of(ctx.era()));
    let request = |id: i64, method, params| session::request(ctx.era(), id, method, params);
    let array = json!({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": [1, 2]});
    for (frame, code) in [
        (request(1, "", json!({})), -32601),
        (request(2, "no/such", json!({})), -32601),
        (request(3, "tools/call", json!({"name": 123})), -32602),
        (request(4, "tools/call", json!({})), -32602),
        (array, -32602),
        (request(7, "tools/call", json!({"name": "nope", "arguments": {}})), -32602),
        (request(8, "tools/call", json!({"name": "echo", "arguments": [1]})), -32602),
    ] {
        let expected = golden::error_answer(frame["id"].clone(), code);
        table.row(frame.to_string().as_bytes(), Some(expected)).await?;
    }
    if ctx.era() == Era::Legacy {
        // Without `_meta` this is no modern request, so that only a legacy session can have it.
        let none = json!({"jsonrpc": "2.0", "id": 6, "method": "tools/call"});
        let expected = golden::error_answer(6, -32602);
        table.row(none.to_string().as_bytes(), Some(expected)).await?;
    }
    table.end().await
}

async fn unanswered(ctx: Ctx) -> Result<(), Stop> {
    let mut table = Table::start(&ctx, ctx.open_ready().await?, Marker::of(ctx.era()));
    for line in UNANSWERED {
        table.row(line, None).await?;
    }
    table.end().await
}

async fn line_ends(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open().await?;
    session.send_bytes(b"\xEF\xBB\xBF").await;
    session.make_ready().await?;
    let before = session.seen().len();
    let [first, second] = [1, 2].map(|id| session::call(ctx.era(), id, "echo", json!({"text": "ünïcödé 🦀"})));
    let text = format!("\r\n\n   \n{first}\r\n \t \r\n{second}\n\n");
    // In pieces that cut line ends and characters in two.
    for piece in text.as_bytes().chunks(7) {
        session.send_bytes(piece).await;
    }
    session.close_write().await;
    session.rest().await?;
    let mut came = session.seen_normal().split_off(before);
    came.sort_by_key(|frame| frame["id"].as_i64());
    let expected = [1, 2].map(|id| golden::text_answer(id, "ünïcödé 🦀"));
    ctx.check("only-the-echoes-answered", came == expected, || format!("{came:?}"));
    let ending = session.finish().await;
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}

async fn too_deep(ctx: Ctx) -> Result<(), Stop> {
    let mut table = Table::start(&ctx, ctx.open_ready().await?, Marker::of(ctx.era()));
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    let frame = session::call(ctx.era(), 1, "echo", json!({"text": "DEEP"})).to_string();
    let frame = frame.replace(r#""DEEP""#, &deep);
    table.row(frame.as_bytes(), Some(golden::error_answer(1, -32600))).await?;
    table.end().await
}

/// How a table shows after each row that the session goes on.
#[derive(Clone, Copy)]
enum Marker {
    Ping,
    Echo,
}

impl Marker {
    const fn of(era: Era) -> Self {
        match era {
            Era::Legacy => Self::Ping,
            Era::Modern => Self::Echo,
        }
    }
}

/// Rows of frames and answers on one session, compared exactly and told all at once.
struct Table {
    ctx: Ctx,
    session: Session,
    marker: Marker,
    rows: usize,
    wrong: Vec<String>,
}

impl Table {
    fn start(ctx: &Ctx, session: Session, marker: Marker) -> Self {
        Self { ctx: ctx.clone(), session, marker, rows: 0, wrong: Vec::new() }
    }

    /// Sends a line; exactly this answer comes, or nothing; then the session still serves.
    async fn row(&mut self, line: &[u8], expected: Option<Value>) -> Result<(), Stop> {
        self.rows += 1;
        let mut bytes = line.to_vec();
        bytes.push(b'\n');
        self.session.send_bytes(&bytes).await;
        let mut came = Vec::new();
        if expected.is_some() {
            came.extend(self.session.next_within(ANSWER_WAIT).await?);
        }
        came.extend(self.until_marker().await?);
        let came: Vec<Value> = came.iter().map(|frame| self.session.normal(frame)).collect();
        let expected: Vec<Value> = expected.into_iter().collect();
        if came != expected {
            let line: String = String::from_utf8_lossy(line).chars().take(80).collect();
            let (expected, came) = (Value::from(expected), Value::from(came));
            self.wrong.push(format!("{line}: expected {expected}, got {came}"));
        }
        Ok(())
    }

    /// What comes before the answer to a request that shows that the session goes on.
    async fn until_marker(&mut self) -> Result<Vec<Value>, Stop> {
        let id = format!("marker {}", self.rows);
        match self.marker {
            Marker::Ping => {
                let ping = session::request(Era::Legacy, id.as_str(), "ping", json!({}));
                self.session.send(&ping).await;
            }
            Marker::Echo => self.session.call(id.as_str(), "echo", json!({"text": "on"})).await,
        }
        let before = self.session.seen().len();
        self.session.answer_to(id.as_str()).await?;
        let seen = self.session.seen();
        Ok(seen.get(before..seen.len() - 1).unwrap_or_default().to_vec())
    }

    async fn end(self) -> Result<(), Stop> {
        let Self { ctx, session, rows, wrong, .. } = self;
        ctx.check("golden-answers", wrong.is_empty(), || {
            format!("{} of {rows} rows: {}", wrong.len(), wrong.join(" | "))
        });
        let ending = session.finish().await;
        ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
        Ok(())
    }
}

/// An answer to a broken frame needs no work: silence this long is silence.
const ANSWER_WAIT: Duration = Duration::from_secs(1);
const LIMIT: Duration = Duration::from_secs(30);
