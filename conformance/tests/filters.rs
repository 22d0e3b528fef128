//! A right server whose frames are tampered with on the way: each kind of wrong is caught by the
//! scenario that is about it.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use async_trait::async_trait;
use conformance::{
    runner::{Options, Run, Status, run},
    scenario::Need,
    scenarios,
    target::{Connection, Ending, NotApplicable, Offer, OpenError, OpenOptions, Received, Signal, Target, Transport},
    targets::Memory,
};
use serde_json::{Value, json};
use tokio::task::JoinSet;

/// What has gone over a connection, as far as filters ask.
#[derive(Default)]
struct Seen {
    /// Whether the script has ended its side.
    closed: bool,
    /// The last request that the script cancelled, until it was answered.
    cancelled: Option<Value>,
    /// The last progress note of the server.
    progress: Option<Value>,
    /// The last note of the server that its tools have changed.
    change: Option<Value>,
}

/// Gives the frames that come instead of one; nothing when it is to stay as it is.
type Filter = fn(&mut Seen, &Value) -> Option<Vec<Value>>;

fn untouched(_: &mut Seen, _: &Value) -> Option<Vec<Value>> {
    None
}

fn drops_answers_after_the_end_of_input(seen: &mut Seen, frame: &Value) -> Option<Vec<Value>> {
    (seen.closed && is_answer(frame)).then(Vec::new)
}

fn answers_a_cancelled_request(seen: &mut Seen, frame: &Value) -> Option<Vec<Value>> {
    let cancelled = seen.cancelled.take()?;
    let late = json!({"jsonrpc": "2.0", "id": cancelled, "result": {"content": []}});
    Some(vec![late, frame.clone()])
}

fn repeats_answers(_: &mut Seen, frame: &Value) -> Option<Vec<Value>> {
    (is_answer(frame) && frame["id"].is_i64()).then(|| vec![frame.clone(), frame.clone()])
}

fn lets_the_answer_overtake_progress(seen: &mut Seen, frame: &Value) -> Option<Vec<Value>> {
    if is_progress(frame) {
        let before = seen.progress.replace(frame.clone());
        return Some(before.into_iter().collect());
    }
    let progress = seen.progress.take()?;
    Some(vec![frame.clone(), progress])
}

fn answers_with_another_id(_: &mut Seen, frame: &Value) -> Option<Vec<Value>> {
    let id = frame["id"].as_i64().filter(|_| is_answer(frame))?;
    let mut other = frame.clone();
    other["id"] = (id + 1_000).into();
    Some(vec![other])
}

fn is_silent_about_malformed_frames(_: &mut Seen, frame: &Value) -> Option<Vec<Value>> {
    let code = frame["error"]["code"].as_i64();
    matches!(code, Some(-32_700 | -32_600)).then(Vec::new)
}

fn notifies_after_the_answer(seen: &mut Seen, frame: &Value) -> Option<Vec<Value>> {
    if is_progress(frame) {
        seen.progress = Some(frame.clone());
        return None;
    }
    let mut progress = seen.progress.take()?;
    progress["params"]["progress"] = json!(1_000_000);
    Some(vec![frame.clone(), progress])
}

fn announces_nothing(_: &mut Seen, frame: &Value) -> Option<Vec<Value>> {
    (frame["method"] == "notifications/tools/list_changed").then(Vec::new)
}

fn announces_after_the_answer(seen: &mut Seen, frame: &Value) -> Option<Vec<Value>> {
    if frame["method"] == "notifications/tools/list_changed" {
        return Some(seen.change.replace(frame.clone()).into_iter().collect());
    }
    let change = seen.change.take()?;
    Some(vec![frame.clone(), change])
}

fn does_not_say_what_is_wrong(_: &mut Seen, frame: &Value) -> Option<Vec<Value>> {
    frame.get("error")?;
    let mut mute = frame.clone();
    mute["error"] = json!({"code": frame["error"]["code"], "message": "invalid"});
    Some(vec![mute])
}

const WRONG: [(Filter, &str); 11] = [
    (drops_answers_after_the_end_of_input, "c2-drain-answers-all"),
    (answers_a_cancelled_request, "c10-cancel-running"),
    (repeats_answers, "c2-drain-answers-all"),
    (lets_the_answer_overtake_progress, "c23-notes-then-answer"),
    (answers_with_another_id, "ids-echoed-as-sent"),
    (is_silent_about_malformed_frames, "c15-unreadable"),
    (notifies_after_the_answer, "c23-notes-then-answer"),
    (announces_nothing, "c2-change-during-drain"),
    (announces_after_the_answer, "c2-change-during-drain"),
    (does_not_say_what_is_wrong, "hostile-initialize-refused"),
    (does_not_say_what_is_wrong, "hostile-prompt-refused"),
];

#[tokio::test]
async fn each_kind_of_wrong_is_caught_by_the_scenario_about_it() {
    let mut cases = JoinSet::new();
    for (number, (filter, scenario)) in WRONG.into_iter().enumerate() {
        cases.spawn(async move { (number, scenario, run_one(filter, scenario).await) });
    }
    while let Some(case) = cases.join_next().await {
        let (number, scenario, run) = case.expect("a case does not panic");
        let failed = run.cells.iter().filter(|cell| cell.status.is_failure()).count();
        let applicable = run.cells.iter().filter(|cell| !matches!(cell.status, Status::Skipped(_))).count();
        assert_eq!((failed, run.cells.len()), (applicable, 2), "filter {number} against {scenario}");
        assert!(applicable > 0, "{scenario} has a cell");
    }
}

#[tokio::test]
async fn the_same_scenarios_pass_when_nothing_is_wrong() {
    let mut cases = JoinSet::new();
    for (_, scenario) in WRONG {
        cases.spawn(async move { (scenario, run_one(untouched, scenario).await) });
    }
    while let Some(case) = cases.join_next().await {
        let (scenario, run) = case.expect("a case does not panic");
        assert!(!run.failed(), "{scenario}");
    }
}

async fn run_one(filter: Filter, scenario: &str) -> Run {
    let mut options = Options::default();
    options.filter.scenarios = vec![scenario.to_owned()];
    options.patience = Duration::from_secs(2);
    let chosen: Vec<_> = scenarios::all().into_iter().filter(|one| one.id == scenario).collect();
    let target: Arc<dyn Target> = Arc::new(Tampered { right: Memory::server(), filter });
    run(&chosen, &[target], &options).await
}

fn is_answer(frame: &Value) -> bool {
    frame.get("method").is_none()
}

fn is_progress(frame: &Value) -> bool {
    frame["method"] == "notifications/progress"
}

struct Tampered {
    right: Memory,
    filter: Filter,
}

#[async_trait]
impl Target for Tampered {
    fn name(&self) -> &str {
        "tampered"
    }

    fn transport(&self) -> Transport {
        self.right.transport()
    }

    fn provides(&self, need: &Need) -> Result<(), String> {
        self.right.provides(need)
    }

    fn offer(&self) -> Offer {
        self.right.offer()
    }

    async fn open(&self, options: &OpenOptions) -> Result<Box<dyn Connection>, OpenError> {
        let right = self.right.open(options).await?;
        Ok(Box::new(TamperedConnection { right, filter: self.filter, seen: Seen::default(), queue: VecDeque::new() }))
    }
}

struct TamperedConnection {
    right: Box<dyn Connection>,
    filter: Filter,
    seen: Seen,
    queue: VecDeque<String>,
}

#[async_trait]
impl Connection for TamperedConnection {
    async fn send_line(&mut self, line: &str) {
        if let Ok(frame) = serde_json::from_str::<Value>(line)
            && frame["method"] == "notifications/cancelled"
        {
            self.seen.cancelled = Some(frame["params"]["requestId"].clone());
        }
        self.right.send_line(line).await;
    }

    async fn send_bytes(&mut self, bytes: &[u8]) {
        self.right.send_bytes(bytes).await;
    }

    async fn recv(&mut self, patience: Duration) -> Received {
        loop {
            if let Some(line) = self.queue.pop_front() {
                return Received::Line(line);
            }
            let line = match self.right.recv(patience).await {
                Received::Line(line) => line,
                other => return other,
            };
            let frame = serde_json::from_str(&line).expect("the right server writes JSON");
            match (self.filter)(&mut self.seen, &frame) {
                None => return Received::Line(line),
                Some(frames) => self.queue.extend(frames.iter().map(ToString::to_string)),
            }
        }
    }

    async fn close_write(&mut self) {
        self.seen.closed = true;
        self.right.close_write().await;
    }

    async fn close_read(&mut self) {
        self.right.close_read().await;
    }

    async fn signal(&mut self, signal: Signal) -> Result<(), NotApplicable> {
        self.right.signal(signal).await
    }

    async fn wait_end(&mut self, patience: Duration) -> bool {
        self.right.wait_end(patience).await
    }

    fn taken(&self) -> u64 {
        self.right.taken()
    }

    async fn finish(self: Box<Self>) -> Ending {
        self.right.finish().await
    }
}
