//! A right program behind a reader that is wrong in one way: each way is caught by the scenario that is about it.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use conformance::{
    runner::{Options, Run, run},
    scenario::{Era, Need, Role},
    scenarios,
    target::{Connection, Ending, NotApplicable, Offer, OpenError, OpenOptions, Received, Signal, Target, Transport},
    targets::Memory,
};
use serde_json::Value;

/// What is wrong with a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    /// Nothing.
    None,
    /// It puts something else in the place of what is not UTF-8.
    ReplacesBadBytes,
    /// It forgets the half of a line that it has when an answer is written.
    ForgetsHalfALine,
    /// It does not look at a line that is not UTF-8 when the input ends behind it.
    LosesABadLineAtTheEnd,
    /// It copies all that it has of a line twice, and searches it, whenever more of it comes.
    LooksAtAllAgain,
}

/// The reader, where it sits, the scenario that notices, and the checks that say so.
const WRONG: [(Fault, Role, &str, &[&str]); 4] = [
    (Fault::ReplacesBadBytes, Role::Client, "c15-client-broken-answers", &["not-utf8"]),
    (Fault::ForgetsHalfALine, Role::Server, "c14-tail-after-a-pause", &["answered", "report-not-truncated"]),
    (Fault::LosesABadLineAtTheEnd, Role::Server, "c15-broken-then-end", &["answered"]),
    (Fault::LooksAtAllAgain, Role::Server, "hostile-large-in-pieces", &["linear"]),
];

#[tokio::test]
async fn each_reader_is_caught_by_the_check_about_it_and_a_right_one_by_none() {
    for (fault, role, scenario, checks) in WRONG {
        for (fault, expected) in [(Fault::None, &[][..]), (fault, checks)] {
            let run = run_one(fault, role, scenario).await;
            let failed: Vec<&str> = run.cells.iter().flat_map(|cell| cell.failures()).map(|(id, _)| id).collect();
            assert_eq!(failed, expected, "{fault:?} against {scenario}");
        }
    }
}

async fn run_one(fault: Fault, role: Role, scenario: &str) -> Run {
    let mut options = Options::default();
    options.filter.scenarios = vec![scenario.to_owned()];
    options.filter.eras = vec![Era::Legacy];
    let right = if role == Role::Client { Memory::client() } else { Memory::server() };
    run(&scenarios::all(), &[Arc::new(Behind { right, fault })], &options).await
}

struct Behind {
    right: Memory,
    fault: Fault,
}

#[async_trait]
impl Target for Behind {
    fn name(&self) -> &str {
        "behind a reader"
    }

    fn role(&self) -> Role {
        self.right.role()
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
        Ok(Box::new(Reader { right, fault: self.fault, held: Vec::new() }))
    }
}

/// Hands lines on when they are whole.
struct Reader {
    right: Box<dyn Connection>,
    fault: Fault,
    held: Vec<u8>,
}

impl Reader {
    async fn hand_on(&mut self) {
        let held = std::mem::take(&mut self.held);
        match self.fault {
            Fault::ReplacesBadBytes => self.right.send_bytes(String::from_utf8_lossy(&held).as_bytes()).await,
            _ => self.right.send_bytes(&held).await,
        }
    }

    /// Whether what it has is to wait for what comes next.
    fn waits(&self) -> bool {
        let is_bad = str::from_utf8(&self.held).is_err();
        !self.held.ends_with(b"\n") || (self.fault == Fault::LosesABadLineAtTheEnd && is_bad)
    }
}

#[async_trait]
impl Connection for Reader {
    async fn send_line(&mut self, line: &str) {
        self.send_bytes(format!("{line}\n").as_bytes()).await;
    }

    async fn send_bytes(&mut self, bytes: &[u8]) {
        if self.fault == Fault::LooksAtAllAgain {
            self.held = [&self.held, bytes].concat().clone();
            if !self.held.contains(&b'\n') {
                return;
            }
        } else {
            self.held.extend_from_slice(bytes);
        }
        // Only what came now is searched.
        let Some(end) = bytes.iter().rposition(|byte| *byte == b'\n') else { return };
        let half = self.held.split_off(self.held.len() - bytes.len() + end + 1);
        if self.waits() {
            self.held.extend(half);
        } else {
            self.hand_on().await;
            self.held = half;
        }
    }

    async fn recv(&mut self, patience: Duration) -> Received {
        let received = self.right.recv(patience).await;
        if self.fault == Fault::ForgetsHalfALine && matches!(received, Received::Line(_)) {
            self.held.clear();
        }
        received
    }

    async fn close_write(&mut self) {
        if !(self.fault == Fault::LosesABadLineAtTheEnd && self.waits()) {
            self.hand_on().await;
        }
        self.right.close_write().await;
    }

    async fn close_read(&mut self) {
        self.right.close_read().await;
    }

    async fn signal(&mut self, signal: Signal) -> Result<(), NotApplicable> {
        self.right.signal(signal).await
    }

    async fn told(&mut self, patience: Duration) -> Option<Value> {
        self.right.told(patience).await
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
