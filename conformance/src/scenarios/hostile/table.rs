//! Tables of hostile inputs: one check for each, and bystanders that must not notice.

use std::{ops::ControlFlow, time::Duration};

use serde_json::{Value, json};

use super::exact::{TOOLS, WHY, exact, exact_id};
use crate::{
    golden,
    scenario::{Check, Ctx, Era, Level, Need, Stop, must},
    session::{self, Session},
    target::Exit,
};

/// One input and its one answer.
pub(super) struct Row {
    /// The id of its check.
    pub(super) check: &'static str,
    pub(super) input: Input,
    pub(super) golden: Golden,
    /// What the way to the target must have.
    needs: Option<Need>,
}

impl Row {
    /// Only where the way to the target has this.
    pub(super) const fn by(mut self, need: Need) -> Self {
        self.needs = Some(need);
        self
    }
}

/// A row whose input is one frame; see [`Input::Text`].
pub(super) const fn row(check: &'static str, frame: &'static str, golden: Golden) -> Row {
    Row { check, input: Input::Text(frame), golden, needs: None }
}

/// A row whose input is a frame with bytes put into it; see [`Input::Filled`].
pub(super) const fn filled(check: &'static str, frame: &'static str, with: &'static [u8], golden: Golden) -> Row {
    Row { check, input: Input::Filled(frame, with), golden, needs: None }
}

/// A row whose input is made when it is sent.
pub(super) const fn made(check: &'static str, input: fn(Era) -> Vec<u8>, golden: Golden) -> Row {
    Row { check, input: Input::Made(input), golden, needs: None }
}

/// What is sent, without the line feed at its end.
///
/// In the texts `$META` stands for the `_meta` that a modern request must carry, and for nothing in the legacy
/// era; a comma behind it goes with it.
#[derive(Clone, Copy)]
pub(super) enum Input {
    /// One frame, or what should have been one.
    Text(&'static str),
    /// The same, with these bytes in the place of `¤`.
    Filled(&'static str, &'static [u8]),
    /// Whatever this makes.
    Made(fn(Era) -> Vec<u8>),
}

impl Input {
    fn bytes(self, era: Era) -> Vec<u8> {
        match self {
            Self::Text(text) => text_of(era, text).into_bytes(),
            Self::Filled(text, with) => fill(era, text, with),
            Self::Made(make) => make(era),
        }
    }
}

/// The one answer: a list of frames without alternatives. Ids are JSON.
#[derive(Clone, Copy)]
pub(super) enum Golden {
    /// No frame at all.
    Nothing,
    /// An error with this id and code.
    Error(&'static str, i64),
    /// An error with this code and without an id, as the session's revision writes that.
    Unread(i64),
    /// The text from `echo`.
    Echo(&'static str, &'static str),
    /// A text from a tool, whatever it is.
    Text(&'static str),
    /// A tool's result that is marked as an error.
    ToolError(&'static str),
    /// The list of tools.
    Tools(&'static str),
    /// An empty result.
    Empty(&'static str),
    /// One array of answers.
    Batch(&'static [Self]),
    /// This error, or this tool error, and its text or data names the field.
    Naming(&'static Self, &'static str),
}

impl Golden {
    /// The frames, in the form of [`exact`].
    fn frames(self, unread: golden::UnreadableId) -> Vec<Value> {
        let with = |id, body: Value| {
            let mut frame = body;
            frame["jsonrpc"] = "2.0".into();
            frame["id"] = exact_id(id);
            frame
        };
        vec![match self {
            Self::Nothing => return Vec::new(),
            Self::Error(id, code) => with(id, json!({"error": {"code": code}})),
            Self::Unread(code) => golden::error_answer_without_id(unread, code),
            Self::Echo(id, text) => with(id, json!({"result": {"content": [{"type": "text", "text": text}]}})),
            Self::Text(id) => with(id, json!({"result": {"content": [{"type": "text", "text": ANY_TEXT}]}})),
            Self::ToolError(id) => with(id, json!({"result": {"content": WHY, "isError": true}})),
            Self::Tools(id) => with(id, json!({"result": {"tools": TOOLS}})),
            Self::Empty(id) => with(id, json!({"result": {}})),
            Self::Naming(golden, _) => return golden.frames(unread),
            Self::Batch(answers) => answers.iter().flat_map(|answer| answer.frames(unread)).collect(),
        }]
    }

    /// What the line should name and does not.
    fn unnamed(self, line: &str) -> Option<&'static str> {
        let Self::Naming(_, field) = self else { return None };
        let frame: Value = serde_json::from_str(line).unwrap_or_default();
        let told = [&frame["error"]["message"], &frame["error"]["data"], &frame["result"]["content"][0]["text"]];
        told.iter().all(|told| !told.to_string().contains(field)).then_some(field)
    }

    /// Takes away from a frame what this answer leaves open.
    fn normal(self, mut frame: Value) -> Value {
        if let Self::Text(_) = self
            && let Some(text) = frame.pointer_mut("/result/content/0/text").filter(|text| text.is_string())
        {
            *text = ANY_TEXT.into();
        }
        if let (Self::Batch(_), Some(answers)) = (self, frame.as_array_mut()) {
            // JSON-RPC leaves the order within a batch open. Those without an id come first.
            answers.sort_by_key(|answer| answer.get("id").filter(|id| !id.is_null()).map(Value::to_string));
        }
        frame
    }
}

/// How the session of a table begins.
#[derive(Clone, Copy)]
pub(super) enum Opening {
    /// As the era of the cell has it.
    Ready,
    /// By the handshake for this legacy revision.
    Legacy(&'static str),
    /// Not at all.
    Unopened,
}

impl Opening {
    async fn open(self, ctx: &Ctx) -> Result<Session, Stop> {
        let mut session = ctx.open().await?;
        match self {
            Self::Ready => session.make_ready().await?,
            Self::Legacy(revision) => drop(session.open_legacy(revision).await?),
            Self::Unopened => {}
        }
        Ok(session)
    }

    /// How an answer names no id.
    const fn unread(self) -> golden::UnreadableId {
        match self {
            Self::Ready => golden::UnreadableId::Absent,
            Self::Legacy(_) | Self::Unopened => golden::UnreadableId::Null,
        }
    }

    /// A request that is answered at once, and its answer.
    fn bystander(self, era: Era, id: &str) -> (Value, Value) {
        match self {
            Self::Unopened => (session::request(Era::Legacy, id, "ping", json!({})), golden::empty_answer(id)),
            Self::Ready | Self::Legacy(_) => {
                (session::call(era, id, "echo", json!({"text": "on"})), golden::text_answer(id, "on"))
            }
        }
    }
}

/// The checks of a table: one for each row, and those at its end.
pub(super) const fn checks<const N: usize>(rows: &[Row]) -> [Check; N] {
    assert!(N == rows.len() + AT_THE_END.len(), "one check for each row, and those at the end");
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
const AT_THE_END: [&str; 3] = ["running-request-untouched", "nothing-else", "exit-0"];

/// Sends each row between two requests, in one go. Both are answered, and besides exactly the golden frames come.
///
/// A request that runs meanwhile is answered once, and nothing else comes until the end. A session that
/// does not survive a row fails that row; the next one gets a new session, until too many in succession die.
pub(super) async fn run(ctx: Ctx, opening: Opening, rows: &[Row]) -> Result<(), Stop> {
    let mut table = Table::open(&ctx, opening).await?;
    let mut lost_in_succession = 0;
    for (number, row) in rows.iter().enumerate() {
        if let Some(why) = row.needs.and_then(|need| ctx.lacks(&need)) {
            ctx.not_available(row.check, why);
            continue;
        }
        let verdict = table.row(number, row).await;
        lost_in_succession = if matches!(verdict, Err(Lost(_))) { lost_in_succession + 1 } else { 0 };
        let why = match verdict {
            Ok(()) => None,
            Err(Wrong(why) | Lost(why)) => Some(why),
        };
        ctx.check(row.check, why.is_none(), || why.unwrap_or_default());
        if lost_in_succession > 0 {
            table.session.finish().await;
            if lost_in_succession == TOO_MANY {
                return Err(Stop(format!("{TOO_MANY} rows in succession ended their sessions")));
            }
            table = Table::open(&ctx, opening).await?;
        }
    }
    table.end(&ctx).await
}

/// Why a row is not as it must be.
enum Fault {
    /// The session goes on.
    Wrong(String),
    /// The session does not.
    Lost(String),
}
use Fault::{Lost, Wrong};

struct Table {
    session: Session,
    opening: Opening,
    era: Era,
    /// The answers to the request that runs beside all rows, when there is one.
    running: Option<Vec<Value>>,
}

impl Table {
    async fn open(ctx: &Ctx, opening: Opening) -> Result<Self, Stop> {
        let mut session = opening.open(ctx).await?;
        let running = !matches!(opening, Opening::Unopened);
        if running {
            session.call(RUNNING, "sleep", json!({"ms": 300})).await;
        }
        Ok(Self { session, opening, era: ctx.era(), running: running.then(Vec::new) })
    }

    async fn row(&mut self, number: usize, row: &Row) -> Result<(), Fault> {
        let bystanders =
            ["before", "after"].map(|when| self.opening.bystander(self.era, &format!("{when} {}", row.check)));
        let [(before, _), (after, _)] = &bystanders;
        self.session.send(before).await;
        let input = row.input.bytes(self.era);
        match std::str::from_utf8(&input) {
            Ok(line) => self.session.send_line(line).await,
            Err(_) => self.session.send_bytes(&[&input[..], b"\n"].concat()).await,
        }
        self.session.send(after).await;

        let expected = row.golden.frames(self.opening.unread());
        let mut waited_for: Vec<Value> = bystanders.into_iter().map(|(_, answer)| answer).collect();
        let mut came = Vec::new();
        let mut unnamed = None;
        while !waited_for.is_empty() || came.len() < expected.len() {
            let patience = if waited_for.is_empty() { ANSWER_WAIT } else { BYSTANDER_WAIT };
            let line = match self.session.line_within(patience).await {
                Ok(Some(line)) => line,
                Ok(None) if waited_for.is_empty() => break,
                Ok(None) => return Err(Lost(format!("row {number}: no answer to another request, after {came:?}"))),
                Err(Stop(why)) => return Err(Lost(format!("row {number}: {why}, after {came:?}"))),
            };
            if let ControlFlow::Continue(frame) = self.bystanding(&mut waited_for, exact(self.era, &line)) {
                came.push(row.golden.normal(frame));
                unnamed = row.golden.unnamed(&line).map(|field| format!("`{field}` is not named in {line}"));
            }
        }
        match unnamed {
            _ if came != expected => {
                Err(Wrong(format!("expected {}, got {}", Value::from(expected), Value::from(came))))
            }
            Some(why) => Err(Wrong(why)),
            None => Ok(()),
        }
    }

    /// Takes a frame that answers a request beside the row.
    fn bystanding(&mut self, waited_for: &mut Vec<Value>, frame: Value) -> ControlFlow<(), Value> {
        if let Some(at) = waited_for.iter().position(|answer| *answer == frame) {
            waited_for.remove(at);
            return ControlFlow::Break(());
        }
        match &mut self.running {
            Some(answers) if golden::is_answer_to(&frame, &RUNNING.into()) => {
                answers.push(frame);
                ControlFlow::Break(())
            }
            _ => ControlFlow::Continue(frame),
        }
    }

    async fn end(mut self, ctx: &Ctx) -> Result<(), Stop> {
        let mut rest = Vec::new();
        let mut input_ended = false;
        loop {
            // Whether answers come after the end of the input is not what is asked here.
            if !input_ended && self.running.as_ref().is_none_or(|answers| !answers.is_empty()) {
                self.session.close_write().await;
                input_ended = true;
            }
            let Ok(Some(line)) = self.session.line_within(BYSTANDER_WAIT).await else { break };
            if let ControlFlow::Continue(frame) = self.bystanding(&mut Vec::new(), exact(self.era, &line)) {
                rest.push(frame);
            }
        }
        let untouched = self.running.as_ref().is_none_or(|answers| match answers.as_slice() {
            [answer] => golden::tool_text(answer).is_some(),
            _ => false,
        });
        ctx.check("running-request-untouched", untouched, || format!("{:?}", self.running));
        ctx.check("nothing-else", rest.is_empty(), || Value::from(rest).to_string());
        let ending = self.session.finish().await;
        ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
        Ok(())
    }
}

/// A text with `$META` as this era has it.
pub(super) fn text_of(era: Era, text: &str) -> String {
    match era {
        Era::Legacy => text.replace("$META,", "").replace("$META", ""),
        Era::Modern => {
            let request = session::request(era, 0, "", json!({}));
            text.replace("$META", &format!("\"_meta\":{}", request["params"]["_meta"]))
        }
    }
}

/// A text with `$META` as this era has it, and these bytes in the place of `¤`.
pub(super) fn fill(era: Era, text: &str, with: &[u8]) -> Vec<u8> {
    let text = text_of(era, text);
    match text.split_once('¤') {
        Some((before, after)) => [before.as_bytes(), with, after.as_bytes()].concat(),
        None => text.into_bytes(),
    }
}

/// How many rows may end their sessions before the others are given up.
const TOO_MANY: usize = 3;
/// Real time for a table.
pub(super) const LIMIT: Duration = Duration::from_secs(90);
/// An answer to a broken frame needs no work, and stands before those of the requests behind it.
/// This wait is for implementations that answer in another order.
const ANSWER_WAIT: Duration = Duration::from_secs(1);
/// How long an answer to a good request is awaited.
const BYSTANDER_WAIT: Duration = Duration::from_secs(5);
const RUNNING: &str = "running";
const ANY_TEXT: &str = "<any>";
