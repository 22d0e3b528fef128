//! Plays a script over a connection.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use mcp_client::{Change, Client, ConnectError, Connection};
use mcp_session::engine::Report;
use mcp_types::Version;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::answers;
use super::outcome::{Failure, Outcome, connected_line, line};
use super::requests::{Pending, Requests, Values, all_tools};
use super::script::{Script, Setting, Step};
use super::settings::Settings;

/// Takes the lines that are told. It is called from several tasks.
pub type Tell = Arc<dyn Fn(Value) + Send + Sync>;

/// Plays the steps of a script, one after the other, and tells what came of each.
pub struct Player {
    tell: Tell,
    list_on_change: Arc<AtomicBool>,
    connection: Option<Connection>,
    settings: Settings,
    progress: Values,
    started: JoinSet<()>,
    listening: JoinSet<()>,
}

impl fmt::Debug for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Player").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl Player {
    /// Makes a player that tells its lines this way.
    #[must_use]
    pub fn new(tell: Tell) -> Self {
        Self {
            tell,
            list_on_change: Arc::default(),
            connection: None,
            settings: Settings::default(),
            progress: Values::default(),
            started: JoinSet::new(),
            listening: JoinSet::new(),
        }
    }

    /// The client whose connection it is to play on.
    pub fn client(&self) -> Client {
        answers::client(Arc::clone(&self.tell), Arc::clone(&self.list_on_change))
    }

    /// Tells how connecting went, and plays all steps; then closes the connection, unless that was a step. Gives the
    /// report of the connection, if there was one.
    pub async fn play(mut self, connected: Result<Connection, ConnectError>, script: &Script) -> Option<Arc<Report>> {
        (self.tell)(connected_line(connected.as_ref()));
        let connection = connected.ok()?;
        let closed = connection.closed();
        self.connection = Some(connection);
        for (text, step) in script.steps() {
            let Some(outcome) = self.step(text, step).await else { continue };
            (self.tell)(line(text, &outcome));
        }
        if let Some(connection) = self.connection.take() {
            connection.close().await;
        }
        self.all_started().await;
        Some(closed.await)
    }

    /// What came of a step; nothing for one that only began.
    async fn step(&mut self, text: &str, step: &Step) -> Option<Outcome> {
        Some(match step {
            Step::Sleep(millis) => {
                tokio::time::sleep(Duration::from_millis(*millis)).await;
                Ok(json!({}))
            }
            Step::Progress => {
                let values = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
                Ok(values.iter().copied().map(number).collect())
            }
            Step::Set(setting) => {
                self.settings.set(*setting);
                match setting {
                    Setting::ListOnChange(wanted) => self.list_on_change(*wanted).await,
                    _ => Ok(json!({})),
                }
            }
            Step::Wait => {
                self.all_started().await;
                Ok(json!({}))
            }
            Step::Forget => {
                self.started.shutdown().await;
                Ok(json!({}))
            }
            Step::Unknown => Err(Failure::Unsupported),
            Step::Malformed(why) => Err(Failure::Other(format!("the step cannot be read: {why}"))),
            Step::List => match &self.connection {
                Some(connection) => all_tools(connection).await,
                None => Err(already_closed()),
            },
            Step::Notify(method) => match &self.connection {
                Some(connection) => {
                    connection.notify(method.as_str(), &()).await.map(|()| json!({})).map_err(Failure::from)
                }
                None => Err(already_closed()),
            },
            Step::Close | Step::CloseTwice | Step::Drop => self.end(step).await,
            Step::Start(_) => return self.start(text, step).err().map(Err),
            _ => match self.pending(step) {
                Ok(pending) => pending.await,
                Err(failure) => Err(failure),
            },
        })
    }

    /// Has tools listed whenever their list has changed. A modern server tells only those who ask.
    async fn list_on_change(&mut self, wanted: bool) -> Outcome {
        self.list_on_change.store(wanted, Ordering::Relaxed);
        self.listening.shutdown().await;
        let connection = self.connection.as_ref().ok_or_else(already_closed)?;
        if wanted && connection.version() == Version::MODERN {
            let subscribed = connection.subscribe().tools().await;
            let mut changes = subscribed.map_err(|error| Failure::Other(error.to_string()))?;
            let (tell, connection) = (Arc::clone(&self.tell), connection.clone());
            self.listening.spawn(async move {
                while let Some(change) = changes.next().await {
                    if change == Change::Tools {
                        tell(line("list_changed", &all_tools(&connection).await));
                    }
                }
            });
        }
        Ok(json!({}))
    }

    /// Ends the connection in one of the ways there are.
    async fn end(&mut self, step: &Step) -> Outcome {
        let Some(connection) = self.connection.take() else { return Err(already_closed()) };
        // What listens holds the connection too.
        self.listening.shutdown().await;
        let closed = connection.closed();
        match step {
            Step::Drop => drop(connection),
            Step::CloseTwice => drop(tokio::join!(connection.close(), connection.close())),
            _ => drop(connection.close().await),
        }
        let report = closed.await;
        Ok(json!({"reason": format!("{:?}", report.reason)}))
    }

    /// Makes a request in the background, whose line comes when it ends.
    fn start(&mut self, text: &str, step: &Step) -> Result<(), Failure> {
        let pending = self.pending(step)?;
        let (tell, text) = (Arc::clone(&self.tell), text.to_owned());
        self.started.spawn(async move { tell(line(&text, &pending.await)) });
        Ok(())
    }

    /// The request that a step makes.
    fn pending(&self, step: &Step) -> Result<Pending, Failure> {
        let connection = self.connection.as_ref().ok_or_else(already_closed)?;
        let requests = self.requests(connection);
        Ok(match step {
            Step::Call(call) | Step::Start(call) => requests.call(call),
            Step::Read(uri) => requests.read(uri),
            Step::Prompt(name) => requests.prompt(name),
            Step::Request(method, params) => requests.request(method, params.clone()),
            _ => return Err(Failure::Unsupported),
        })
    }

    fn requests<'a>(&'a self, connection: &'a Connection) -> Requests<'a> {
        Requests { connection, settings: self.settings, progress: &self.progress }
    }

    async fn all_started(&mut self) {
        while self.started.join_next().await.is_some() {}
    }
}

fn already_closed() -> Failure {
    Failure::Other("the connection is closed already".to_owned())
}

/// A whole number is written as one.
#[expect(clippy::cast_possible_truncation, reason = "whole and small enough")]
fn number(value: f64) -> Value {
    let is_whole = value.fract() == 0.0 && value.abs() < 1e15;
    if is_whole { json!(value as i64) } else { json!(value) }
}
