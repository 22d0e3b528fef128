//! The calls that a program makes when it is told to.

use std::{collections::HashMap, time::Duration};

use mcp_session::{CallError, CallFuture};
use serde_json::{Value, json};
use tokio::{
    sync::mpsc::UnboundedSender,
    task::{AbortHandle, JoinSet},
    time::timeout,
};

/// The calls under way, and what else is to be told, each a task of the program.
pub(super) struct Calls {
    told: UnboundedSender<Value>,
    tasks: JoinSet<()>,
    by_number: HashMap<u64, AbortHandle>,
}

impl Calls {
    pub(super) fn new(told: UnboundedSender<Value>) -> Self {
        Self { told, tasks: JoinSet::new(), by_number: HashMap::new() }
    }

    pub(super) fn make(&mut self, number: u64, call: CallFuture, limit: Option<Duration>) {
        let call = match limit {
            Some(limit) => call.timeout(limit),
            None => call,
        };
        let told = self.told.clone();
        let task = self.tasks.spawn(async move {
            let outcome = outcome(number, call.await.map(|raw| raw.get().to_owned()));
            // A script that has ended wants to know nothing more.
            drop(told.send(outcome));
        });
        self.by_number.insert(number, task);
    }

    /// Tells something when it has come about.
    pub(super) fn tell(&mut self, what: impl Future<Output = Value> + Send + 'static) {
        let told = self.told.clone();
        self.tasks.spawn(async move { drop(told.send(what.await)) });
    }

    /// Drops the future of a call.
    pub(super) fn forget(&mut self, number: u64) {
        if let Some(task) = self.by_number.remove(&number) {
            task.abort();
        }
    }

    /// Lets calls that have settled say so. Those that have not settled by now never will.
    pub(super) async fn settle(&mut self) {
        let all = async { while self.tasks.join_next().await.is_some() {} };
        drop(timeout(A_MOMENT, all).await);
    }
}

fn outcome(number: u64, result: Result<String, CallError>) -> Value {
    match result {
        Ok(result) => {
            let result: Value = serde_json::from_str(&result).unwrap_or_default();
            json!({"call": number, "ok": result})
        }
        Err(error) => json!({"call": number, "error": kind(&error), "text": error.to_string()}),
    }
}

/// The kind of an error, in words.
pub(super) const fn kind(error: &CallError) -> &'static str {
    match error {
        CallError::Peer { .. } => "peer",
        CallError::Malformed { .. } => "malformed",
        CallError::ConnectionClosed { .. } => "closed",
        CallError::TimedOut { .. } => "timed out",
        _ => "not possible",
    }
}

const A_MOMENT: Duration = Duration::from_millis(500);
