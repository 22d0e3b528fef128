//! C33: streams of a session that are lost, and resumed.

use std::time::Duration;

use serde_json::{Value, json};

use super::{STATEFUL, exits};
use crate::{
    golden,
    scenario::{Applies, Ctx, Era, Family, Need, Scenario, Stop, issue, must, row, spec},
    session::{self, Requests, Talk},
    target::OpenOptions,
};

const PROGRESS: Applies = STATEFUL.with_needs(&[Need::Tool("progress")]);
const RESUMED: &str = "the handler runs on, its frames are stored; the server may replay the messages after the last \
                       event id, on the stream that was disconnected";

pub(super) static SCENARIOS: [Scenario; 8] = [
    Scenario {
        row: Some("C33"),
        title: "a stream that is lost is no cancellation: resumed, it goes on where it was",
        requirement: "disconnection should not be interpreted as the client cancelling its request",
        sources: &[
            issue("python-sdk", 3_142),
            spec("2025-11-25", "basic/transports#sending-messages-to-the-server"),
            row("C33"),
        ],
        applies: PROGRESS,
        checks: &[
            must("ids"),
            must("answered-once"),
            must("each-note-once"),
            must("report-not-cancelled"),
            must("exit-0"),
        ],
        ..Scenario::new("c33-lost-and-resumed", Family::Documented, |ctx| Box::pin(lost_and_resumed(ctx)))
    },
    Scenario {
        row: Some("C33"),
        title: "a stream that is lost after every single event tells each of them once",
        requirement: RESUMED,
        sources: &[spec("2025-11-25", "basic/transports#resumability-and-redelivery"), row("C33")],
        applies: PROGRESS,
        checks: &[must("each-note-once"), must("answered-once"), must("exit-0")],
        ..Scenario::new("c33-lost-again-and-again", Family::Documented, |ctx| Box::pin(again_and_again(ctx)))
    },
    Scenario {
        row: Some("C33"),
        title: "what was said while nobody listened is kept, the answer too",
        requirement: RESUMED,
        sources: &[spec("2025-11-25", "basic/transports#resumability-and-redelivery"), row("C33"), row("C6a")],
        applies: STATEFUL.with_needs(&[Need::Tool("progress"), Need::Tool("sleep")]),
        checks: &[must("all-of-it"), must("ends"), must("exit-0")],
        ..Scenario::new("c33-resumed-after-the-end", Family::Documented, |ctx| Box::pin(after_the_end(ctx)))
    },
    Scenario {
        row: Some("C33"),
        title: "two streams are resumed apart: ids of events are of one session, and each names its stream",
        requirement: "event ids must be globally unique across all streams within that session; the server must not \
                      replay messages that would have been delivered on a different stream",
        sources: &[issue("rust-sdk", 791), spec("2025-11-25", "basic/transports#resumability-and-redelivery")],
        applies: PROGRESS,
        checks: &[must("ids-differ"), must("own-messages-only"), must("exit-0")],
        ..Scenario::new("c33-two-streams", Family::Documented, |ctx| Box::pin(two_streams(ctx)))
    },
    Scenario {
        row: Some("C33"),
        title: "a question that was asked while nobody listened is heard by who resumes, and answered",
        requirement: "a call of the server on a lost stream waits for a grace where the stream can be resumed",
        sources: &[row("C33")],
        applies: STATEFUL.with_needs(&[Need::Tool("call_client")]),
        checks: &[must("asked"), must("tool-got-the-answer"), must("exit-0")],
        ..Scenario::new("c33-question-replayed", Family::Documented, |ctx| Box::pin(question(ctx)))
    },
    Scenario {
        row: Some("C33"),
        title: "a question on a stream that is lost for good fails at once",
        requirement: "a server→client call on a lost stream fails at once without a store",
        sources: &[row("C33"), issue("python-sdk", 3_142)],
        applies: STATEFUL.with_needs(&[Need::Tool("call_client"), Need::Settings, Need::Report]),
        checks: &[must("asked"), must("report-none-cut-off"), must("report-dropped"), must("exit-0")],
        ..Scenario::new("c33-question-lost", Family::Documented, |ctx| Box::pin(question_lost(ctx)))
    },
    Scenario {
        title: "events that nobody has sent cannot be resumed from",
        requirement: "an id that is no event of this session is refused, and not answered by an empty stream",
        sources: &[issue("rust-sdk", 791), spec("2025-11-25", "basic/transports#resumability-and-redelivery")],
        applies: PROGRESS,
        checks: &[must("garbage-refused"), must("foreign-refused"), must("serves-on"), must("exit-0")],
        ..Scenario::new("http-resume-unknown", Family::Documented, |ctx| Box::pin(unknown(ctx)))
    },
    Scenario {
        title: "a request to the client comes on the stream of the call that asks",
        requirement: "messages on the stream should relate to the originating request; the server must send each of its \
                      messages on only one of the connected streams",
        sources: &[issue("modelcontextprotocol", 907), spec("2025-11-25", "basic/transports#multiple-connections")],
        applies: STATEFUL.with_needs(&[Need::Tool("call_client")]),
        checks: &[must("each-on-its-stream"), must("not-on-the-others"), must("exit-0")],
        ..Scenario::new("http-question-on-its-stream", Family::Documented, |ctx| Box::pin(on_its_stream(ctx)))
    },
];

/// A call that tells its progress, on a stream of its own, and its first note.
///
/// A server need not have streams that can be resumed: then the cell is excused.
async fn progressing(ctx: &Ctx, client: &Requests, id: i64, steps: u64) -> Result<(Told, Talk), Stop> {
    let mut frame = session::call(Era::Legacy, id, "progress", json!({"steps": steps}));
    frame["params"]["_meta"]["progressToken"] = id.into();
    let mut talk = client.send(&client.post(&frame)).await?;
    let head = talk.head().await?;
    if head.status != 200 || !head.is_events() {
        return Err(Stop(format!("a call that tells its progress was answered {} {}", head.status, head.media_type())));
    }
    let mut told = Told::default();
    told.next(&mut talk).await?;
    if told.last.is_none() {
        return Err(ctx.excused(NOT_RESUMABLE));
    }
    Ok((told, talk))
}

/// What came of a call, over all streams that carried it.
#[derive(Default)]
struct Told {
    last: Option<String>,
    ids: Vec<Option<String>>,
    notes: Vec<u64>,
    answers: usize,
}

impl Told {
    /// Takes the next message. `false` when the stream has ended.
    async fn next(&mut self, talk: &mut Talk) -> Result<bool, Stop> {
        let Some((event, frame)) = talk.message().await? else { return Ok(false) };
        self.ids.push(event.id.clone());
        self.last = event.id.or_else(|| self.last.take());
        match frame["params"]["progress"].as_f64() {
            // Steps are small whole numbers.
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "steps are small whole numbers"
            )]
            Some(step) => self.notes.push(step as u64),
            None => self.answers += 1,
        }
        Ok(true)
    }

    async fn rest(&mut self, talk: &mut Talk) -> Result<(), Stop> {
        while self.next(talk).await? {}
        Ok(())
    }

    /// Resumes the stream after the last event.
    async fn resume(&self, client: &Requests) -> Result<Talk, Stop> {
        let last = self.last.as_deref().ok_or_else(|| Stop("the events have no ids".to_owned()))?;
        let mut talk = client.send(&client.resume(last)).await?;
        let head = talk.head().await?;
        if head.status != 200 || !head.is_events() {
            return Err(Stop(format!("the stream is not resumed: {} {}", head.status, head.media_type())));
        }
        Ok(talk)
    }

    fn each_once(&self, ctx: &Ctx, steps: u64) {
        let expected: Vec<u64> = (1..=steps).collect();
        ctx.check("each-note-once", self.notes == expected, || format!("{:?}", self.notes));
        ctx.check("answered-once", self.answers == 1, || format!("{} answers", self.answers));
    }
}

async fn lost_and_resumed(ctx: Ctx) -> Result<(), Stop> {
    let session = ctx.open_ready_with(OpenOptions::new().quietly()).await?;
    let client = session.http()?;
    let (mut told, mut talk) = progressing(&ctx, &client, 1, 8).await?;
    told.next(&mut talk).await?;
    talk.close();
    let mut talk = told.resume(&client).await?;
    told.rest(&mut talk).await?;
    ctx.check("ids", told.ids.iter().all(Option::is_some), || format!("{:?}", told.ids));
    told.each_once(&ctx, 8);
    let ending = session.finish().await;
    ctx.report("report-not-cancelled", &ending, |report| report["requests"]["cancelled"] == 0);
    super::exited(&ctx, &ending);
    Ok(())
}

async fn again_and_again(ctx: Ctx) -> Result<(), Stop> {
    let session = ctx.open_ready_with(OpenOptions::new().quietly()).await?;
    let client = session.http()?;
    let (mut told, mut talk) = progressing(&ctx, &client, 1, 10).await?;
    while told.answers == 0 {
        // By turns in order and by a reset.
        if told.ids.len().is_multiple_of(2) {
            talk.close()
        } else {
            talk.reset()
        }
        talk = told.resume(&client).await?;
        if !told.next(&mut talk).await? {
            break;
        }
    }
    told.each_once(&ctx, 10);
    exits(&ctx, session).await
}

async fn after_the_end(ctx: Ctx) -> Result<(), Stop> {
    let session = ctx.open_ready_with(OpenOptions::new().quietly()).await?;
    let client = session.http()?;
    let (mut told, talk) = progressing(&ctx, &client, 1, 5).await?;
    talk.close();
    // It takes longer than the call does.
    client.answer_to(&client.post(&session::call(Era::Legacy, 2, "sleep", json!({"ms": 500}))), 2).await?;
    let mut talk = told.resume(&client).await?;
    let ended = told.rest(&mut talk).await;
    ctx.check("all-of-it", told.notes == [1, 2, 3, 4, 5] && told.answers == 1, || {
        format!("{:?} and {} answers", told.notes, told.answers)
    });
    ctx.check("ends", ended.is_ok(), || format!("{ended:?}"));
    exits(&ctx, session).await
}

async fn two_streams(ctx: Ctx) -> Result<(), Stop> {
    let session = ctx.open_ready_with(OpenOptions::new().quietly()).await?;
    let client = session.http()?;
    let (first, talk) = progressing(&ctx, &client, 1, 6).await?;
    let (second, other) = progressing(&ctx, &client, 2, 6).await?;
    talk.close();
    other.close();
    let told = [first, second];
    let mut all = Vec::new();
    for (told, id) in told.iter().zip([1, 2]) {
        let mut talk = told.resume(&client).await?;
        while let Some((event, frame)) = talk.message().await? {
            all.push((id, event.id.clone(), frame));
        }
    }
    let mut ids: Vec<&Option<String>> = told.iter().flat_map(|told| &told.ids).collect();
    ids.extend(all.iter().map(|(_, id, _)| id));
    let (count, missing) = (ids.len(), ids.iter().any(|id| id.is_none()));
    ids.sort();
    ids.dedup();
    ctx.check("ids-differ", ids.len() == count && !missing, || format!("{} ids of {count} events", ids.len()));
    let foreign: Vec<_> =
        all.iter().filter(|(id, _, frame)| frame["id"] != *id && frame["params"]["progressToken"] != *id).collect();
    let answers = all.iter().filter(|(id, _, frame)| golden::is_answer_to(frame, &json!(id))).count();
    ctx.check("own-messages-only", foreign.is_empty() && answers == 2, || format!("{answers} answers, {foreign:?}"));
    exits(&ctx, session).await
}

async fn question(ctx: Ctx) -> Result<(), Stop> {
    let session = ctx.open_ready_with(OpenOptions::new().quietly()).await?;
    let client = session.http()?;
    let arguments = json!({"method": "roots/list", "timeout_ms": 5_000, "after_ms": 300});
    let mut talk = client.send(&client.post(&session::call(Era::Legacy, 1, "call_client", arguments))).await?;
    let head = talk.head().await?;
    let last = if head.is_events() { primed(&mut talk).await? } else { None };
    let last = last.ok_or_else(|| ctx.excused(NOT_RESUMABLE))?;
    talk.close();
    let mut talk = client.send(&client.resume(&last)).await?;
    talk.head().await?;
    let asked = loop {
        match talk.message().await? {
            Some((_, frame)) if frame["method"] == "roots/list" => break frame,
            Some(_) => {}
            None => return Err(Stop("the stream ended without the question".to_owned())),
        }
    };
    ctx.check("asked", asked.get("id").is_some(), || asked.to_string());
    let answer = json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": []}});
    client.ask(&client.post(&answer)).await?;
    let answered = talk.messages().await?;
    let text = answered.iter().find_map(golden::tool_text).unwrap_or_default();
    ctx.check("tool-got-the-answer", text.starts_with("ok: "), || format!("{answered:?}"));
    exits(&ctx, session).await
}

async fn question_lost(ctx: Ctx) -> Result<(), Stop> {
    let options = OpenOptions::new().quietly().without_a_store().with_drain(Duration::from_secs(1));
    let session = ctx.open_ready_with(options).await?;
    // A session that nobody ends, so that its end settles nothing.
    let client = session.http()?.anew();
    client.initialize("2025-11-25").await?;
    let arguments = json!({"method": "roots/list", "timeout_ms": 60_000});
    let mut talk = client.send(&client.post(&session::call(Era::Legacy, 1, "call_client", arguments))).await?;
    talk.head().await?;
    let asked = talk.message().await?.map(|(_, frame)| frame).unwrap_or_default();
    ctx.check("asked", asked["method"] == "roots/list", || asked.to_string());
    talk.close();
    let ending = session.finish().await;
    ctx.report("report-none-cut-off", &ending, |report| report["requests"]["cut_off"] == json!([]));
    // The tool has answered, to nobody.
    ctx.report("report-dropped", &ending, |report| report["dropped"]["not_writable"] == 1);
    super::exited(&ctx, &ending);
    Ok(())
}

/// The id that a stream begins with, before anything is said on it.
async fn primed(talk: &mut Talk) -> Result<Option<String>, Stop> {
    while let Some(event) = talk.event().await? {
        if event.id.is_some() || !event.data.is_empty() {
            return Ok(event.id);
        }
    }
    Ok(None)
}

async fn unknown(ctx: Ctx) -> Result<(), Stop> {
    let session = ctx.open_ready_with(OpenOptions::new().quietly()).await?;
    let client = session.http()?;
    let (mut told, mut talk) = progressing(&ctx, &client, 1, 2).await?;
    told.rest(&mut talk).await?;
    let garbage = client.ask(&client.resume("garbage")).await?;
    ctx.check("garbage-refused", garbage.head.status == 400, || garbage.summary());
    let other = client.anew();
    other.initialize("2025-11-25").await?;
    let mut foreign = other.send(&other.resume(told.last.as_deref().unwrap_or_default())).await?;
    let status = foreign.head().await?.status;
    ctx.check("foreign-refused", (400..500).contains(&status), || status.to_string());
    let pong = client.answer_to(&client.post(&session::request(Era::Legacy, 2, "ping", json!({}))), 2).await?;
    ctx.equal("serves-on", &golden::normal(Era::Legacy, &pong), &golden::empty_answer(2));
    exits(&ctx, session).await
}

async fn on_its_stream(ctx: Ctx) -> Result<(), Stop> {
    let session = ctx.open_ready_with(OpenOptions::new().quietly()).await?;
    let client = session.http()?;
    let mut stream = client.send(&client.get()).await?;
    stream.head().await?;
    let mut talks = Vec::new();
    for (id, method) in [(1, "roots/list"), (2, "ping")] {
        let arguments = json!({"method": method, "timeout_ms": 5_000});
        let talk = client.send(&client.post(&session::call(Era::Legacy, id, "call_client", arguments))).await?;
        talks.push((id, method, talk));
    }
    let mut came = Vec::new();
    let mut wrong = Vec::new();
    for (id, method, talk) in &mut talks {
        talk.head().await?;
        let Some((_, asked)) = talk.message().await? else { return Err(Stop("a stream ended at once".to_owned())) };
        if asked["method"] != *method {
            wrong.push(asked.to_string());
        }
        let answer = json!({"jsonrpc": "2.0", "id": asked["id"], "result": {}});
        client.ask(&client.post(&answer)).await?;
        came.extend(talk.messages().await?.into_iter().map(|frame| (*id, frame)));
    }
    let answered = came.len() == 2 && came.iter().all(|(id, frame)| golden::is_answer_to(frame, &json!(id)));
    ctx.check("each-on-its-stream", wrong.is_empty() && answered, || format!("{wrong:?}, {came:?}"));
    // The session ends, and with it the stream: what was said on it has come by then.
    client.ask(&client.delete()).await?;
    let rest: Vec<Value> = stream.messages().await.unwrap_or_default();
    ctx.check("not-on-the-others", rest.is_empty(), || format!("{rest:?}"));
    exits(&ctx, session).await
}

const NOT_RESUMABLE: &str = "the server's streams cannot be resumed: their events have no ids";
