//! A target inside the test: a table of lines in and lines out, without any process.

use std::{
    collections::VecDeque,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use conformance::{
    scenario::Need,
    target::{
        Connection, Ending, Exit, NotApplicable, Offer, OpenError, OpenOptions, Received, Signal, Target, Transport,
    },
};
use serde_json::{Value, json};

/// What the target answers to a frame.
type Answers = fn(&Value) -> Vec<Value>;

#[derive(Clone)]
pub(crate) struct Scripted {
    pub(crate) transport: Transport,
    pub(crate) offer: Offer,
    pub(crate) lacks: Option<Need>,
    pub(crate) answers: Answers,
    pub(crate) report: Option<Value>,
    pub(crate) opened: Arc<AtomicUsize>,
}

impl Scripted {
    pub(crate) fn new(answers: Answers) -> Self {
        Self {
            transport: Transport::Memory,
            offer: Offer::Contract,
            lacks: None,
            answers,
            report: Some(json!({"tasks_alive": 0, "pending_slots": 0})),
            opened: Arc::default(),
        }
    }

    pub(crate) fn shared(self) -> Arc<dyn Target> {
        Arc::new(self)
    }
}

#[async_trait]
impl Target for Scripted {
    fn name(&self) -> &str {
        "scripted"
    }

    fn transport(&self) -> Transport {
        self.transport
    }

    fn provides(&self, need: &Need) -> Result<(), String> {
        if self.lacks == Some(*need) { Err("the table has none".to_owned()) } else { Ok(()) }
    }

    fn offer(&self) -> Offer {
        self.offer.clone()
    }

    async fn open(&self, _: &OpenOptions) -> Result<Box<dyn Connection>, OpenError> {
        self.opened.fetch_add(1, Ordering::Relaxed);
        let target = self.clone();
        Ok(Box::new(ScriptedConnection { target, queue: VecDeque::new(), closed: false }))
    }
}

struct ScriptedConnection {
    target: Scripted,
    queue: VecDeque<String>,
    closed: bool,
}

#[async_trait]
impl Connection for ScriptedConnection {
    async fn send_line(&mut self, line: &str) {
        let frame = serde_json::from_str(line).expect("scripts under test send JSON");
        let answers = (self.target.answers)(&frame);
        self.queue.extend(answers.iter().map(ToString::to_string));
    }

    async fn send_bytes(&mut self, bytes: &[u8]) {
        for line in String::from_utf8_lossy(bytes).lines() {
            self.send_line(line).await;
        }
    }

    async fn recv(&mut self, patience: Duration) -> Received {
        match self.queue.pop_front() {
            Some(line) => Received::Line(line),
            None if self.closed => Received::Ended,
            None => {
                // Nothing will ever come: the patience passes.
                // tidy: waits for the timeout itself
                tokio::time::sleep(patience).await;
                Received::TimedOut
            }
        }
    }

    async fn close_write(&mut self) {
        self.closed = true;
    }

    async fn close_read(&mut self) {
        self.queue.clear();
    }

    async fn signal(&mut self, _: Signal) -> Result<(), NotApplicable> {
        Err(NotApplicable("no process".to_owned()))
    }

    async fn wait_end(&mut self, _: Duration) -> bool {
        self.closed
    }

    fn taken(&self) -> u64 {
        0
    }

    async fn finish(self: Box<Self>) -> Ending {
        let no_report = || NotApplicable("the table has no report".to_owned());
        let mut ending = Ending::new(Exit::Code(0), self.target.report.ok_or_else(no_report));
        ending.after_close = Some(Duration::ZERO);
        ending
    }
}

/// Answers `ping`, and nothing else.
pub(crate) fn pong(frame: &Value) -> Vec<Value> {
    match frame["method"].as_str() {
        Some("ping") => vec![json!({"jsonrpc": "2.0", "id": frame["id"], "result": {}})],
        _ => Vec::new(),
    }
}
