//! What a script is given: a way to open sessions, and the ledger of its checks.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use serde_json::Value;

use super::{Era, Need, Role, Scenario};
use crate::{
    frames::{Direction, FrameLog},
    session::Session,
    target::{Ending, NotApplicable, Offer, OpenOptions, Target},
};

/// One cell at work. Cheap to clone; all clones write into the same ledger.
#[derive(Clone)]
pub struct Ctx {
    target: Arc<dyn Target>,
    era: Era,
    ledger: Arc<Ledger>,
    patience: Duration,
}

impl Ctx {
    /// The context for one run of a scenario, whose waits last [`PATIENCE`] at most.
    pub fn new(target: Arc<dyn Target>, era: Era, ledger: Arc<Ledger>) -> Self {
        Self { target, era, ledger, patience: PATIENCE }
    }

    /// Changes how long each wait of its sessions lasts at most.
    pub const fn with_patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// The era of this cell.
    pub const fn era(&self) -> Era {
        self.era
    }

    /// What the target is.
    pub fn role(&self) -> Role {
        self.target.role()
    }

    /// Opens a connection and says nothing on it.
    ///
    /// # Errors
    /// Stops the script when the target cannot be opened.
    pub async fn open(&self) -> Result<Session, Stop> {
        self.open_with(OpenOptions::new()).await
    }

    /// As [`Ctx::open`], with options.
    ///
    /// # Errors
    /// Stops the script when the target cannot be opened.
    pub async fn open_with(&self, options: OpenOptions) -> Result<Session, Stop> {
        let scripted = options.script.is_some();
        let connection = self.target.open(&options.in_era(self.era)).await.map_err(|error| {
            let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}"));
            Stop(format!("{error}{}", cause.unwrap_or_default()))
        })?;
        let number = self.ledger.opened();
        self.ledger.frames.add(number, Direction::Event, "opened");
        let ledger = Arc::clone(&self.ledger);
        Ok(Session::new(connection, self.era, number, ledger, self.patience, scripted))
    }

    /// Opens a connection and makes it ready as the cell's era has it: [`Session::make_ready`] for
    /// a server, [`Session::welcome`] for a client.
    ///
    /// # Errors
    /// Stops the script when the target cannot be opened or refuses the handshake.
    pub async fn open_ready(&self) -> Result<Session, Stop> {
        self.open_ready_with(OpenOptions::new()).await
    }

    /// As [`Ctx::open_ready`], with options.
    ///
    /// # Errors
    /// Stops the script when the target cannot be opened or refuses the handshake.
    pub async fn open_ready_with(&self, options: OpenOptions) -> Result<Session, Stop> {
        let mut session = self.open_with(options).await?;
        match self.target.role() {
            Role::Server => session.make_ready().await?,
            Role::Client => session.welcome().await?,
        }
        Ok(session)
    }

    /// Excuses the cell, for this reason: the target does not have what the scenario is about. Ends the script.
    pub fn excused(&self, why: &str) -> Stop {
        self.ledger.excuse(why);
        Stop(why.to_owned())
    }

    /// Emits a check: it holds, or it fails and `why` says what was seen instead.
    ///
    /// A check whose id begins with `exit-` is about how the target's process ended. Where nobody sees that, it is
    /// marked as not available.
    pub fn check(&self, id: &str, holds: bool, why: impl FnOnce() -> String) {
        let unseen = id.starts_with("exit-").then(|| self.target.provides(&Need::ExitCode).err()).flatten();
        self.ledger.emit(
            id,
            match unseen {
                Some(why) => Outcome::NotAvailable(why),
                None if holds => Outcome::Passed,
                None => Outcome::Failed(why()),
            },
        );
    }

    /// Marks a check as one that the target cannot show, and why.
    pub fn not_available(&self, id: &str, why: String) {
        self.ledger.emit(id, Outcome::NotAvailable(why));
    }

    /// Why the target does not provide something, when it does not.
    pub fn lacks(&self, need: &Need) -> Option<String> {
        self.target.provides(need).err()
    }

    /// Emits a check: both values are the same JSON.
    pub fn equal(&self, id: &str, actual: &Value, expected: &Value) {
        self.check(id, actual == expected, || format!("expected {expected}, got {actual}"));
    }

    /// Emits a check about the report of the run. Where there is none, the check is marked as
    /// not available; for a target that promised one that is a failure.
    pub fn report(&self, id: &str, ending: &Ending, holds: impl FnOnce(&Value) -> bool) {
        let outcome = match &ending.report {
            Ok(report) if holds(report) => Outcome::Passed,
            Ok(report) => Outcome::Failed(format!("the report says {report}")),
            Err(NotApplicable(why)) if self.target.offer() == Offer::Contract => {
                Outcome::Failed(format!("no report: {why}"))
            }
            Err(NotApplicable(why)) => Outcome::NotAvailable(why.clone()),
        };
        self.ledger.emit(id, outcome);
    }
}

impl fmt::Debug for Ctx {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ctx").field("target", &self.target.name()).field("era", &self.era).finish()
    }
}

/// Why a script cannot go on. Its remaining checks fail with this reason.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Stop(pub String);

/// What came of one check.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// It holds.
    Passed,
    /// It does not, and what was seen instead.
    Failed(String),
    /// The target cannot show it, and why.
    NotAvailable(String),
}

/// A check as it was emitted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckRecord {
    /// Its name within the scenario.
    pub id: String,
    /// What came of it.
    pub outcome: Outcome,
}

/// What one cell leaves behind, whatever becomes of its script.
#[derive(Debug, Default)]
pub struct Ledger {
    /// The frames, with their times.
    pub frames: FrameLog,
    entries: Mutex<Entries>,
}

#[derive(Debug, Default)]
struct Entries {
    checks: Vec<CheckRecord>,
    endings: Vec<Ending>,
    opened: usize,
    excuse: Option<String>,
}

impl Ledger {
    /// An empty ledger.
    pub fn new() -> Self {
        Self::default()
    }

    /// The endings of all sessions that were finished.
    pub fn endings(&self) -> Vec<Ending> {
        self.lock().endings.clone()
    }

    /// How many sessions were opened and never finished.
    pub fn unfinished(&self) -> usize {
        let entries = self.lock();
        entries.opened - entries.endings.len()
    }

    /// Settles the checks against what the scenario announced: each must have been emitted
    /// exactly once, and nothing else. `stopped` is why the script did not come to its end.
    pub fn settle(&self, scenario: &Scenario, stopped: Option<&str>) -> Vec<CheckRecord> {
        let entries = self.lock();
        let announced = scenario.checks.iter().map(|check| {
            let mut emitted = entries.checks.iter().filter(|record| record.id == check.id);
            let outcome = match (emitted.next(), emitted.next()) {
                (Some(record), None) => record.outcome.clone(),
                (Some(_), Some(_)) => Outcome::Failed("emitted more than once".to_owned()),
                (None, _) => Outcome::Failed(match stopped {
                    Some(_) => "not reached by the script".to_owned(),
                    None => "never emitted by the script".to_owned(),
                }),
            };
            CheckRecord { id: check.id.to_owned(), outcome }
        });
        let unexpected =
            entries.checks.iter().filter(|record| scenario.checks.iter().all(|check| check.id != record.id)).map(
                |record| CheckRecord {
                    id: record.id.clone(),
                    outcome: Outcome::Failed("emitted, but not announced by the scenario".to_owned()),
                },
            );
        announced.chain(unexpected).collect()
    }

    /// Why the cell turned out not to be applicable.
    pub fn excused(&self) -> Option<String> {
        self.lock().excuse.clone()
    }

    pub(crate) fn excuse(&self, why: &str) {
        self.lock().excuse = Some(why.to_owned());
    }

    pub(crate) fn ended(&self, ending: Ending) {
        self.lock().endings.push(ending);
    }

    fn emit(&self, id: &str, outcome: Outcome) {
        self.lock().checks.push(CheckRecord { id: id.to_owned(), outcome });
    }

    fn opened(&self) -> usize {
        let mut entries = self.lock();
        entries.opened += 1;
        entries.opened
    }

    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How long a session waits for a frame, unless the run says otherwise.
pub const PATIENCE: Duration = Duration::from_secs(5);
