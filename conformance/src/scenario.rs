//! A scenario: what is required, where it is written, where it applies, and the script.

mod applies;
mod ctx;
mod source;

use std::{fmt, pin::Pin, time::Duration};

pub use applies::{Applies, Era, Need, Role};
pub use ctx::{CheckRecord, Ctx, Ledger, Outcome, PATIENCE, Stop};
pub use source::{Source, issue, row, spec};

/// One documented requirement, as data and a script.
#[non_exhaustive]
pub struct Scenario {
    /// Its name, the same for pass and fail: `c2-drain-answers-all`.
    pub id: &'static str,
    /// The row of the closing table that it proves, if it proves one.
    pub row: Option<&'static str>,
    /// The family it belongs to.
    pub family: Family,
    /// One line for reports.
    pub title: &'static str,
    /// What is required, in the words of its source.
    pub requirement: &'static str,
    /// Where that is written.
    pub sources: &'static [Source],
    /// Which cells of the matrix it has.
    pub applies: Applies,
    /// The checks that its script emits, each exactly once.
    pub checks: &'static [Check],
    /// The real time after which the watchdog ends it.
    pub limit: Duration,
    /// The script.
    pub run: fn(Ctx) -> Script,
}

impl Scenario {
    /// A scenario to which the other parts are added; see the fields.
    pub const fn new(id: &'static str, family: Family, run: fn(Ctx) -> Script) -> Self {
        Self {
            id,
            row: None,
            family,
            title: "",
            requirement: "",
            sources: &[],
            applies: Applies::EVERYWHERE,
            checks: &[],
            limit: DEFAULT_LIMIT,
            run,
        }
    }
}

impl fmt::Debug for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scenario").field("id", &self.id).finish_non_exhaustive()
    }
}

/// What a script is once it runs.
pub type Script = Pin<Box<dyn Future<Output = Result<(), Stop>> + Send>>;

/// One thing that a scenario checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Check {
    /// Its name within the scenario.
    pub id: &'static str,
    /// What it means when it fails.
    pub level: Level,
}

/// A check whose failure fails the cell.
pub const fn must(id: &'static str) -> Check {
    Check { id, level: Level::Must }
}

/// A check whose failure is a warning.
pub const fn should(id: &'static str) -> Check {
    Check { id, level: Level::Should }
}

/// How strongly something is required.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Level {
    /// A failure when it is not kept.
    Must,
    /// A warning when it is not kept.
    Should,
}

/// The families of scenarios.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Family {
    /// The closing table and what is settled around it.
    Documented,
    /// What is asked of the client in the middle of a request: input rounds, and requests before them.
    Rounds,
    /// Malformed, oversized, deeply nested or wrongly ordered input.
    Hostile,
    /// A conversation cut at every place by every fault.
    Sweep,
    /// Every message is valid against the schema of its revision.
    Wire,
}

impl Family {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Documented, Self::Rounds, Self::Hostile, Self::Sweep, Self::Wire];

    /// Its name on the command line and in reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Documented => "documented",
            Self::Rounds => "rounds",
            Self::Hostile => "hostile",
            Self::Sweep => "sweep",
            Self::Wire => "wire",
        }
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Real time for one cell, unless its scenario says otherwise.
pub const DEFAULT_LIMIT: Duration = Duration::from_secs(10);
