//! Batches: a feature of 2025-03-26 alone.

use serde_json::{Value, json};

use crate::{
    golden::{self, UnreadableId},
    scenario::{Applies, Ctx, Family, Need, Scenario, Source, Stop, must, row, spec},
    session::{self, Session},
    target::Exit,
};

const WITH_BATCHES: Applies = Applies::legacy_only("only 2025-03-26 has batches");
const BATCHING: &str = "implementations must support receiving JSON-RPC batches";

pub(super) static SCENARIOS: [Scenario; 6] = [
    Scenario {
        title: "a batch of requests and a notification is answered by one array",
        requirement: BATCHING,
        sources: &[spec("2025-03-26", "basic/index#batching")],
        applies: WITH_BATCHES.with_needs(&[Need::Tool("echo")]).by(&[Need::OneStream]),
        checks: &[must("one-array"), must("exit-0")],
        ..Scenario::new("batch-answered-as-array", Family::Documented, |ctx| Box::pin(answered(ctx)))
    },
    Scenario {
        title: "a batch of notifications is not answered",
        requirement: BATCHING,
        sources: &[spec("2025-03-26", "basic/index#batching")],
        applies: WITH_BATCHES.by(&[Need::OneStream]),
        checks: &[must("only-the-ping-answered"), must("exit-0")],
        ..Scenario::new("batch-of-notifications", Family::Documented, |ctx| Box::pin(notifications(ctx)))
    },
    Scenario {
        title: "an empty batch is an invalid request; broken members are answered one by one",
        requirement: "an empty array: one -32600; each member that is no request: -32600",
        sources: &[spec("2025-03-26", "basic/index#batching"), JSON_RPC],
        applies: WITH_BATCHES.by(&[Need::OneStream]),
        checks: &[must("empty"), must("broken-members"), must("exit-0")],
        ..Scenario::new("batch-broken", Family::Documented, |ctx| Box::pin(broken(ctx)))
    },
    Scenario {
        title: "`initialize` inside a batch is refused, and the session can still be opened",
        requirement: "the initialize request must not be part of a JSON-RPC batch",
        sources: &[spec("2025-03-26", "basic/lifecycle#initialization")],
        applies: WITH_BATCHES.by(&[Need::OneStream]),
        checks: &[must("refused"), must("opens-afterwards"), must("exit-0")],
        ..Scenario::new("batch-with-initialize", Family::Documented, |ctx| Box::pin(with_initialize(ctx)))
    },
    Scenario {
        row: Some("C2"),
        title: "a batch in flight when the input ends is answered whole",
        requirement: "half-close: requests already received run on, their responses go out, each \
                      exactly once",
        sources: &[row("C2"), spec("2025-03-26", "basic/index#batching")],
        applies: WITH_BATCHES.with_needs(&[Need::Tool("sleep")]).by(&[Need::HalfClose]),
        checks: &[must("one-array"), must("exit-0")],
        ..Scenario::new("c2-batch-drained", Family::Documented, |ctx| Box::pin(drained(ctx)))
    },
    Scenario {
        title: "where batches do not exist an array is one invalid request",
        requirement: "no batching: an array is not a valid message; reject rather than process",
        sources: &[spec("2025-06-18", "changelog"), row("C15")],
        checks: &[must("refused"), must("nothing-processed"), must("exit-0")],
        applies: Applies::EVERYWHERE.with_needs(&[Need::Tool("echo")]),
        ..Scenario::new("batch-not-accepted", Family::Documented, |ctx| Box::pin(not_accepted(ctx)))
    },
];

async fn answered(ctx: Ctx) -> Result<(), Stop> {
    let mut session = open(&ctx).await?;
    let era = ctx.era();
    session
        .send(&json!([
            session::call(era, 1, "echo", json!({"text": "one"})),
            session::notification("notifications/nope"),
            session::call(era, 2, "echo", json!({"text": "two"})),
        ]))
        .await;
    let came = session.next().await?;
    let expected = json!([golden::text_answer(1, "one"), golden::text_answer(2, "two")]);
    ctx.equal("one-array", &by_id(session.normal(&came)), &expected);
    exits(&ctx, session).await
}

async fn notifications(ctx: Ctx) -> Result<(), Stop> {
    let mut session = open(&ctx).await?;
    session.send(&json!([session::notification("notifications/nope"), session::cancel(77)])).await;
    session.request(1, "ping", json!({})).await;
    let came = session.next().await?;
    ctx.equal("only-the-ping-answered", &session.normal(&came), &golden::empty_answer(1));
    exits(&ctx, session).await
}

async fn broken(ctx: Ctx) -> Result<(), Stop> {
    let mut session = open(&ctx).await?;
    session.send(&json!([])).await;
    let came = session.next().await?;
    let invalid = golden::error_answer_without_id(UnreadableId::Null, -32600);
    ctx.equal("empty", &session.normal(&came), &invalid);
    session.send(&json!([1, session::request(ctx.era(), 1, "ping", json!({}))])).await;
    let came = session.next().await?;
    let expected = json!([invalid, golden::empty_answer(1)]);
    ctx.equal("broken-members", &by_id(session.normal(&came)), &expected);
    exits(&ctx, session).await
}

async fn with_initialize(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open().await?;
    session.send(&json!([session::initialize(1, "2025-03-26")])).await;
    let came = session.next().await?;
    let invalid = golden::error_answer_without_id(UnreadableId::Null, -32600);
    ctx.equal("refused", &session.normal(&came), &invalid);
    let opened = session.open_legacy("2025-03-26").await;
    ctx.check("opens-afterwards", opened.is_ok(), || format!("{opened:?}"));
    exits(&ctx, session).await
}

async fn drained(ctx: Ctx) -> Result<(), Stop> {
    let mut session = open(&ctx).await?;
    let calls = [300, 600].map(|ms| session::call(ctx.era(), ms, "sleep", json!({"ms": ms})));
    session.send(&json!(calls)).await;
    session.close_write().await;
    let rest = session.rest().await?;
    let [batch] = rest.as_slice() else { return Err(Stop(format!("not one frame: {rest:?}"))) };
    let batch = by_id(batch.clone());
    let ids: Vec<&Value> = batch.as_array().into_iter().flatten().map(|one| &one["id"]).collect();
    ctx.check("one-array", ids == [300, 600], || batch.to_string());
    exits(&ctx, session).await
}

async fn not_accepted(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    session.call(1, "echo", json!({"text": "seen"})).await;
    session.answer_to(1).await?;
    let inside = session::call(ctx.era(), 2, "echo", json!({"text": "inside"}));
    session.send(&json!([inside])).await;
    let came = session.next().await?;
    let invalid = golden::error_answer_without_id(UnreadableId::Absent, -32600);
    ctx.equal("refused", &session.normal(&came), &invalid);
    session.call(3, "echo", json!({"text": "on"})).await;
    session.close_write().await;
    let rest: Vec<Value> = session.rest().await?.iter().map(|frame| session.normal(frame)).collect();
    ctx.check("nothing-processed", rest == [golden::text_answer(3, "on")], || format!("{rest:?}"));
    exits(&ctx, session).await
}

async fn open(ctx: &Ctx) -> Result<Session, Stop> {
    let mut session = ctx.open().await?;
    session.open_legacy("2025-03-26").await?;
    Ok(session)
}

async fn exits(ctx: &Ctx, session: Session) -> Result<(), Stop> {
    let ending = session.finish().await;
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}

/// JSON-RPC leaves the order within a batch open, so it is compared in the order of ids.
fn by_id(mut batch: Value) -> Value {
    if let Some(answers) = batch.as_array_mut() {
        answers.sort_by_key(|answer| answer["id"].as_i64());
    }
    batch
}

const JSON_RPC: Source = Source::Standard("JSON-RPC 2.0, section 6 (Batch)");
