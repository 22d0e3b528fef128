//! The calls that a program makes when it is told to.

use std::{collections::HashMap, time::Duration};

use mcp_types::RawJson;
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

    pub(super) fn make<R, E>(&mut self, number: u64, call: impl Future<Output = Result<R, E>> + Send + 'static)
    where
        R: Into<RawJson>,
        E: Into<Failed>,
    {
        let told = self.told.clone();
        let task = self.tasks.spawn(async move {
            let outcome = outcome(number, call.await.map(Into::into).map_err(Into::into));
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

fn outcome(number: u64, result: Result<RawJson, Failed>) -> Value {
    match result {
        Ok(result) => {
            let result: Value = serde_json::from_str(result.get()).unwrap_or_default();
            json!({"call": number, "ok": result})
        }
        Err(Failed { kind, text }) => json!({"call": number, "error": kind, "text": text}),
    }
}

/// How a call of either side failed: the kind of the error, in words, and its text.
pub(super) struct Failed {
    kind: &'static str,
    text: String,
}

impl From<mcp_session::CallError> for Failed {
    fn from(error: mcp_session::CallError) -> Self {
        mcp_client::CallError::from(error).into()
    }
}

impl From<mcp_client::CallError> for Failed {
    fn from(error: mcp_client::CallError) -> Self {
        use mcp_client::CallError;
        let kind = match &error {
            CallError::Peer { .. } => "peer",
            CallError::Malformed { .. } => "malformed",
            CallError::ConnectionClosed { .. } => "closed",
            CallError::TimedOut { .. } => "timed out",
            _ => "not possible",
        };
        Self { kind, text: error.to_string() }
    }
}

const A_MOMENT: Duration = Duration::from_millis(500);
