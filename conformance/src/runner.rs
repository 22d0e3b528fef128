//! Runs cells: scenario × transport × era, each under a watchdog, some of them at a time.

mod cell;
mod filter;
mod meters;
mod probe;
mod progress;

use std::{collections::BTreeMap, fmt, sync::Arc, time::Duration};

use tokio::{sync::Semaphore, task::JoinSet};

use self::{cell::Cell, probe::Probed};
pub use self::{
    cell::{CellResult, Status},
    filter::Filter,
    progress::Progress,
};
use crate::{
    mutants::Survey,
    scenario::{Era, PATIENCE, Role, Scenario},
    target::{Target, Transport},
};

/// A column of the matrix: what is under test, over what, in which era.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Column {
    /// The role of the target.
    pub role: Role,
    /// Its transport.
    pub transport: Transport,
    /// The era.
    pub era: Era,
}

impl Column {
    /// The column of a target in an era.
    pub fn of(target: &dyn Target, era: Era) -> Self {
        Self { role: target.role(), transport: target.transport(), era }
    }
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let client = if self.role == Role::Client { "client " } else { "" };
        write!(f, "{client}{}/{}", self.transport, self.era)
    }
}

/// How a run is done.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Options {
    /// Which cells are run.
    pub filter: Filter,
    /// How many cells run at a time. With one, descriptors left open are counted too.
    pub jobs: usize,
    /// How long a session waits for a frame.
    pub patience: Duration,
    /// Where the progress is shown.
    pub progress: Progress,
}

impl Default for Options {
    fn default() -> Self {
        Self { filter: Filter::default(), jobs: 4, patience: PATIENCE, progress: Progress::Silent }
    }
}

/// What a run came to: one result for each cell that the filter lets through, in the order of
/// scenarios, then targets, then eras.
#[derive(Debug)]
#[non_exhaustive]
pub struct Run {
    /// What was under test, by name.
    pub targets: Vec<String>,
    /// The columns of the matrix.
    pub columns: Vec<Column>,
    /// The results.
    pub cells: Vec<CellResult>,
    /// What came of the mutants, if there were any.
    pub mutants: Option<Survey>,
}

impl Run {
    /// How many cells have this status.
    pub fn count(&self, wanted: fn(&Status) -> bool) -> usize {
        self.cells.iter().filter(|cell| wanted(&cell.status)).count()
    }

    /// A run of mutants alone.
    pub fn of_mutants(survey: Survey) -> Self {
        Self { targets: Vec::new(), columns: Vec::new(), cells: Vec::new(), mutants: Some(survey) }
    }

    /// Whether any cell failed or any mutant survived. A run without either failed too: nothing
    /// was shown.
    pub fn failed(&self) -> bool {
        let survived = self.mutants.as_ref().is_some_and(Survey::failed);
        self.is_empty() || survived || self.count(Status::is_failure) > 0
    }

    /// Whether nothing was run.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty() && self.mutants.as_ref().is_none_or(|survey| survey.results.is_empty())
    }
}

/// Runs all cells of these scenarios over these targets. A scenario about servers has no cell in the
/// column of a client, and the other way round.
pub async fn run(scenarios: &[&'static Scenario], targets: &[Arc<dyn Target>], options: &Options) -> Run {
    let mut columns = Vec::new();
    let mut cells = Vec::new();
    for target in targets {
        let probed = Probed::of(target, options.patience).await;
        for era in target.eras().iter().copied() {
            let column = Column::of(&**target, era);
            if !options.filter.wants_column(column) {
                continue;
            }
            columns.push(column);
            for scenario in scenarios {
                if options.filter.wants_scenario(scenario) && scenario.applies.roles.contains(&column.role) {
                    let target = Arc::clone(target);
                    let skip = why_not(scenario, &*target, era, &probed);
                    let patience = options.patience;
                    cells.push(Cell { scenario, target, era, skip, patience });
                }
            }
        }
    }
    let cells = run_cells(cells, options).await;
    let targets = targets.iter().map(|target| target.name().to_owned()).collect();
    Run { targets, columns, cells, mutants: None }
}

/// Runs one cell alone.
pub(crate) async fn run_cell(
    scenario: &'static Scenario,
    target: Arc<dyn Target>,
    era: Era,
    patience: Duration,
) -> CellResult {
    Cell { scenario, target, era, skip: None, patience }.run(false).await
}

/// Runs the cells and puts the results into the order of the scenarios.
async fn run_cells(cells: Vec<Cell>, options: &Options) -> Vec<CellResult> {
    let count_descriptors = options.jobs == 1;
    if count_descriptors {
        meters::warm_up().await;
    }
    let slots = Arc::new(Semaphore::new(options.jobs.max(1)));
    let mut progress = options.progress.start(cells.len());
    let mut running = JoinSet::new();
    for (number, cell) in cells.into_iter().enumerate() {
        let slots = Arc::clone(&slots);
        running.spawn(async move {
            // The semaphore is never closed, so that a slot always comes.
            let slot = slots.acquire().await;
            let result = cell.run(count_descriptors).await;
            drop(slot);
            (number, result)
        });
    }
    let mut results = BTreeMap::new();
    while let Some(done) = running.join_next().await {
        match done {
            Ok((number, result)) => {
                progress.done(&result);
                results.insert(number, result);
            }
            // A cell catches the panics of its script; one of the runner's own is ours to see.
            Err(broken) => std::panic::resume_unwind(broken.into_panic()),
        }
    }
    progress.end();
    results.into_values().collect()
}

/// Why a cell is not applicable, or nothing when it is.
fn why_not(scenario: &Scenario, target: &dyn Target, era: Era, probed: &Probed) -> Option<String> {
    excludes(scenario, target, era).or_else(|| probed.lacks(era, scenario.applies.needs))
}

/// The same for a target of which nothing has to be found out.
pub(crate) fn excludes(scenario: &Scenario, target: &dyn Target, era: Era) -> Option<String> {
    let applies = &scenario.applies;
    if let Some(reason) = applies.excludes(target.transport(), era, target.role()) {
        return Some(reason);
    }
    for need in applies.all_needs() {
        if let Err(reason) = target.provides(need) {
            return Some(format!("needs {need}: {reason}"));
        }
    }
    None
}
