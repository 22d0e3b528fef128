//! Tables of requests of HTTP, each with its one answer, and a client that must not notice.

use serde_json::{Value, json};

use crate::{
    golden,
    http::{Answer, Request},
    scenario::{Check, Ctx, Era, Level, Stop, must},
    session::{Requests, request},
    target::Exit,
};

/// One request and its one answer.
pub(super) struct Row {
    /// The id of its check.
    pub(super) check: &'static str,
    pub(super) make: fn(&Asker) -> Request,
    pub(super) golden: Golden,
}

pub(super) const fn row(check: &'static str, make: fn(&Asker) -> Request, golden: Golden) -> Row {
    Row { check, make, golden }
}

/// The one answer.
#[derive(Clone, Copy)]
pub(super) enum Golden {
    /// The list of tools, in whichever form.
    Served,
    /// The same as JSON, or as events.
    ServedAs(&'static str),
    /// 202 without a body.
    Accepted,
    /// This status, and an error with this code and the id 7.
    Error(u16, i64),
    /// The same without an id, as the revision writes that.
    Unread(u16, i64),
    /// This status. There may be an error in the body.
    Status(u16),
    /// This status, and these methods in `Allow`.
    Allow(&'static [&'static str]),
    /// An error in the modern era, and a status without an error in the legacy one.
    ByEra(&'static Self, &'static Self),
}

impl Golden {
    /// What is wrong with an answer.
    fn fault(self, era: Era, answer: &Answer) -> Option<String> {
        let (frame, status) = (frame_of(answer), answer.head.status);
        let is_error = |expected_status: u16, expected: Value| {
            status == expected_status && golden::normal(era, &frame) == expected
        };
        let good = match self {
            Self::Served => status == 200 && frame["result"]["tools"].is_array() && frame["id"] == 7,
            Self::ServedAs(media_type) => {
                return Self::Served.fault(era, answer).or_else(|| {
                    let came = answer.head.media_type();
                    (came != media_type).then(|| format!("{came} instead of {media_type}"))
                });
            }
            Self::Accepted => status == 202 && answer.body.is_empty(),
            Self::Error(status, code) => is_error(status, golden::error_answer(7, code)),
            // From 2025-11-25 on there is no member for an id that cannot be read.
            Self::Unread(status, code) => is_error(status, json!({"jsonrpc": "2.0", "error": {"code": code}})),
            Self::Status(expected) => status == expected,
            Self::Allow(methods) => {
                let allow = answer.head.header("Allow").unwrap_or_default();
                let mut allowed: Vec<&str> = allow.split(',').map(str::trim).collect();
                allowed.sort_unstable();
                status == 405 && allowed == methods
            }
            Self::ByEra(modern, legacy) => {
                return if era == Era::Modern { modern.fault(era, answer) } else { legacy.fault(era, answer) };
            }
        };
        (!good).then(|| format!("{} (Allow: {:?})", answer.summary(), answer.head.header("Allow")))
    }
}

/// The frame in an answer, or the last one of its events.
fn frame_of(answer: &Answer) -> Value {
    if !answer.head.is_events() {
        return answer.json();
    }
    let mut events = crate::http::Events::new();
    events.push(&answer.body);
    let last = std::iter::from_fn(|| events.next_event()).last();
    last.and_then(|event| serde_json::from_str(&event.data).ok()).unwrap_or_default()
}

/// What makes the requests of a table: the client of the session.
pub(super) struct Asker {
    pub(super) requests: Requests,
    pub(super) era: Era,
}

impl Asker {
    /// A good request: the list of tools, under the id 7.
    pub(super) fn list(&self) -> Request {
        self.requests.post(&self.frame("tools/list", json!({})))
    }

    /// A good call of `echo`, under the id 7.
    pub(super) fn echo(&self) -> Request {
        self.requests.post(&self.frame("tools/call", json!({"name": "echo", "arguments": {"text": "x"}})))
    }

    /// A frame of this method, under the id 7.
    pub(super) fn frame(&self, method: &str, params: Value) -> Value {
        request(self.era, 7, method, params)
    }

    /// A body that the headers of a good request announce.
    pub(super) fn body(&self, body: impl Into<Vec<u8>>) -> Request {
        self.list().with_body(body)
    }

    /// A good request whose text is changed.
    pub(super) fn list_with(&self, from: &str, to: &str) -> Request {
        let text = self.frame("tools/list", json!({})).to_string();
        self.body(text.replacen(from, to, 1))
    }
}

/// The checks of a table: one for each row, and those at its end.
pub(super) const fn checks<const N: usize>(rows: &[Row]) -> [Check; N] {
    assert!(N == rows.len() + EXTRA, "one check for each row, and those at the end");
    let mut checks = [must(""); N];
    let mut at = 0;
    while at < N {
        let id = if at < rows.len() { rows[at].check } else { AT_THE_END[at - rows.len()] };
        checks[at] = Check { id, level: Level::Must };
        at += 1;
    }
    checks
}

/// How many checks a table has at its end.
pub(super) const EXTRA: usize = AT_THE_END.len();
const AT_THE_END: [&str; 2] = ["others-untouched", "exit-0"];

/// Sends each row on a connection of its own, and behind it a good request, which is served.
pub(super) async fn run(ctx: Ctx, rows: &[Row]) -> Result<(), Stop> {
    let session = ctx.open_ready().await?;
    let asker = Asker { requests: session.http()?, era: ctx.era() };
    let mut touched = Vec::new();
    for row in rows {
        let request = (row.make)(&asker);
        let fault = match asker.requests.ask(&request).await {
            Ok(answer) => row.golden.fault(asker.era, &answer),
            Err(Stop(why)) => Some(why),
        };
        ctx.check(row.check, fault.is_none(), || fault.unwrap_or_default());
        let next = asker.requests.ask(&asker.list()).await?;
        if let Some(fault) = Golden::Served.fault(asker.era, &next) {
            touched.push(format!("after {}: {fault}", row.check));
        }
    }
    ctx.check("others-untouched", touched.is_empty(), || touched.join(" | "));
    let ending = session.finish().await;
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}
