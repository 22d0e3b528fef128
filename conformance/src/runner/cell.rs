//! One cell: a script under its watchdog, its checks settled, its meters read.

use std::{
    any::Any,
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::{task::JoinSet, time::timeout};

use super::{Column, meters};
use crate::{
    frames::{Direction, Frame},
    scenario::{CheckRecord, Ctx, Era, Ledger, Level, Outcome, Scenario},
    target::{Offer, Target},
};

pub(super) struct Cell {
    pub(super) scenario: &'static Scenario,
    pub(super) target: Arc<dyn Target>,
    pub(super) era: Era,
    /// Why it is not applicable.
    pub(super) skip: Option<String>,
    pub(super) patience: Duration,
}

/// What one cell came to.
#[derive(Debug)]
#[non_exhaustive]
pub struct CellResult {
    /// The scenario.
    pub scenario: &'static Scenario,
    /// The column of the matrix.
    pub column: Column,
    /// What it came to.
    pub status: Status,
    /// All checks: first those of the scenario, then the runner's meters.
    pub checks: Vec<CheckRecord>,
    /// Everything that went over its connections.
    pub frames: Vec<Frame>,
    /// How long it took, in real time.
    pub elapsed: Duration,
}

/// The verdict of a cell.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// Every check that could be made holds, and at least one could.
    Passed,
    /// Only checks that are not mandatory failed.
    Warned,
    /// A check failed, or could not be reached.
    Failed,
    /// It does not apply, for this reason.
    Skipped(String),
}

impl Status {
    /// Whether it is a failure.
    pub fn is_failure(&self) -> bool {
        *self == Self::Failed
    }

    /// Whether it is a pass; a warning is one.
    pub fn is_pass(&self) -> bool {
        matches!(self, Self::Passed | Self::Warned)
    }

    /// Whether it is a warning.
    pub fn is_warning(&self) -> bool {
        *self == Self::Warned
    }

    /// Whether it was skipped.
    pub const fn is_skip(&self) -> bool {
        matches!(self, Self::Skipped(_))
    }
}

impl CellResult {
    /// What reports call it.
    pub fn name(&self) -> String {
        format!("{} ({})", self.scenario.id, self.column)
    }

    /// The checks that failed, with what was seen.
    pub fn failures(&self) -> impl Iterator<Item = (&str, &str)> {
        self.checks.iter().filter_map(|check| match &check.outcome {
            Outcome::Failed(why) => Some((check.id.as_str(), why.as_str())),
            Outcome::Passed | Outcome::NotAvailable(_) => None,
        })
    }

    /// The checks that the target could not show, with the reason.
    pub fn not_available(&self) -> impl Iterator<Item = (&str, &str)> {
        self.checks.iter().filter_map(|check| match &check.outcome {
            Outcome::NotAvailable(why) => Some((check.id.as_str(), why.as_str())),
            Outcome::Passed | Outcome::Failed(_) => None,
        })
    }
}

impl Cell {
    pub(super) async fn run(self, count_descriptors: bool) -> CellResult {
        let began = Instant::now();
        let mut result = CellResult {
            scenario: self.scenario,
            column: Column::of(&*self.target, self.era),
            status: Status::Passed,
            checks: Vec::new(),
            frames: Vec::new(),
            elapsed: Duration::ZERO,
        };
        if let Some(reason) = self.skip {
            result.status = Status::Skipped(reason);
            return result;
        }
        let descriptors = count_descriptors.then(meters::descriptors).flatten();
        let ledger = Arc::new(Ledger::new());
        let promised = self.target.offer() == Offer::Contract;
        let ctx = Ctx::new(self.target, self.era, Arc::clone(&ledger)).with_patience(self.patience);
        let stopped = watched(self.scenario, ctx).await.err();
        if let Some(why) = &stopped {
            ledger.frames.add(0, Direction::Event, why);
        }
        result.checks = ledger.settle(self.scenario, stopped.as_deref());
        match stopped {
            // Whatever the level of the checks it did not reach: a script must come to its end.
            Some(why) => result.checks.push(failed("script", why)),
            None => result.checks.extend(meters::read(&ledger, promised)),
        }
        if let Some(before) = descriptors {
            result.checks.push(meters::descriptors_left(before).await);
        }
        result.status = match ledger.excused() {
            // Whoever promised the whole contract has no excuse.
            Some(why) if !promised => Status::Skipped(why),
            _ => verdict(self.scenario, &result.checks),
        };
        result.frames = ledger.frames.all();
        result.elapsed = began.elapsed();
        result
    }
}

/// Runs the script to its end, to its panic, or to the watchdog.
async fn watched(scenario: &Scenario, ctx: Ctx) -> Result<(), String> {
    let mut script = JoinSet::new();
    script.spawn((scenario.run)(ctx));
    match timeout(scenario.limit, script.join_next()).await {
        Ok(None) => Err("the script vanished".to_owned()),
        Ok(Some(Ok(Ok(())))) => Ok(()),
        Ok(Some(Ok(Err(stop)))) => Err(stop.to_string()),
        Ok(Some(Err(broken))) => match broken.try_into_panic() {
            Ok(panic) => Err(format!("the script panicked: {}", text_of(&*panic))),
            Err(error) => Err(error.to_string()),
        },
        Err(_) => {
            script.shutdown().await;
            Err(format!("the watchdog ended the script after {:?}", scenario.limit))
        }
    }
}

fn text_of(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("without a text")
}

/// A check counts as its scenario announced it; the meters and what was not announced are musts.
fn verdict(scenario: &Scenario, checks: &[CheckRecord]) -> Status {
    let level = |id: &str| {
        let announced = scenario.checks.iter().find(|check| check.id == id);
        announced.map_or(Level::Must, |check| check.level)
    };
    let mut failed = checks.iter().filter(|check| is_failure(check)).peekable();
    if failed.peek().is_some() {
        return match failed.all(|check| level(&check.id) == Level::Should) {
            true => Status::Warned,
            false => Status::Failed,
        };
    }
    if checks.iter().any(|check| check.outcome == Outcome::Passed) {
        return Status::Passed;
    }
    Status::Skipped("none of its checks could be made".to_owned())
}

fn is_failure(check: &CheckRecord) -> bool {
    matches!(check.outcome, Outcome::Failed(_))
}

pub(super) fn failed(id: &str, why: String) -> CheckRecord {
    CheckRecord { id: id.to_owned(), outcome: Outcome::Failed(why) }
}
