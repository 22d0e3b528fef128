//! Proof of the scenarios: a program that breaks one rule of the closing table must fail a scenario
//! of that very rule.
//!
//! For each rule that the engine keeps and each column of the matrix, the program gets a closing
//! table without the rows of that rule, and runs the rule's own scenarios, and no others. A client
//! that is to break a rule about its child starts it between two pipes that nobody looks after. One that
//! passes them all has survived: then the scenarios prove nothing, and the run fails.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    sync::Arc,
    time::{Duration, Instant},
};

use mcp_session::engine::{Act, Keeper, Row, Rule, Table, Why};
use tokio::{sync::Semaphore, task::JoinSet};

use crate::{
    runner::{self, Column, Options},
    scenario::{Era, Role, Scenario},
    target::{Target, Transport},
    targets::Own,
};

/// A rule that is broken on purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mutant {
    rule: Rule,
    change: Change,
}

/// How a rule is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// Its rows are missing.
    Without,
    /// Its rows that say that nothing happens do this instead.
    Flipped(&'static [Act]),
}

impl Mutant {
    /// The mutant of a rule, for programs of this role.
    pub const fn of(rule: Rule, role: Role) -> Self {
        let change = match (rule, role) {
            // These rows say that nothing happens, and without them nothing happens either: a server
            // without handles runs on, and a client reads on whatever it has to write.
            (Rule::C42, Role::Server) => Change::Flipped(&[Act::CancelServed, Act::CloseWrite(Why::Asked)]),
            (Rule::C16, Role::Client) => Change::Flipped(&[Act::StopReading]),
            _ => Change::Without,
        };
        Self { rule, change }
    }

    /// The rule.
    pub const fn rule(&self) -> Rule {
        self.rule
    }

    /// How it is broken.
    pub const fn change(&self) -> Change {
        self.change
    }

    /// The closing table that breaks it.
    pub fn table(&self) -> Arc<Table> {
        match self.change {
            Change::Without => Table::without(self.rule),
            Change::Flipped(acts) => {
                let standard = Table::standard();
                let rows: Vec<Row> = standard.rows().iter().map(|row| self.flipped(*row, acts)).collect();
                Arc::new(Table::from_rows(Cow::Owned(rows)))
            }
        }
    }

    fn flipped(&self, mut row: Row, acts: &'static [Act]) -> Row {
        if row.rule == self.rule && row.then == [Act::Nothing] {
            row.then = acts;
        }
        row
    }
}

/// What came of all mutants.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Survey {
    /// The columns.
    pub columns: Vec<Column>,
    /// One for each rule and column, in the order of the rules.
    pub results: Vec<MutantResult>,
}

/// What came of one mutant in one column.
#[derive(Debug)]
#[non_exhaustive]
pub struct MutantResult {
    /// The rule that is broken.
    pub rule: Rule,
    /// The column.
    pub column: Column,
    /// What came of it.
    pub verdict: Verdict,
    /// How long it took.
    pub elapsed: Duration,
}

/// What came of a mutant.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// A scenario of the rule failed.
    Killed {
        /// The scenario.
        by: &'static str,
        /// Its first check that failed.
        check: String,
    },
    /// All scenarios of the rule passed: these.
    Survived(Vec<&'static str>),
    /// There is no such mutant, for this reason.
    NotApplicable(String),
}

impl Survey {
    /// How many mutants were killed.
    pub fn killed(&self) -> usize {
        self.results.iter().filter(|result| matches!(result.verdict, Verdict::Killed { .. })).count()
    }

    /// The mutants that survived.
    pub fn survivors(&self) -> impl Iterator<Item = &MutantResult> {
        self.results.iter().filter(|result| matches!(result.verdict, Verdict::Survived(_)))
    }

    /// Whether any survived.
    pub fn failed(&self) -> bool {
        self.survivors().next().is_some()
    }
}

/// The rules of the closing table that the engine keeps, or that is kept for child processes.
pub fn rules() -> impl Iterator<Item = Rule> {
    let kept = |rule: &Rule| matches!(rule.keeper(), Keeper::Engine | Keeper::ChildProcess);
    Rule::ALL.iter().copied().filter(move |rule| kept(rule) && rule.to_string().starts_with('C'))
}

/// Runs every mutant of these programs against the scenarios of its rule.
pub async fn run(scenarios: &[&'static Scenario], programs: &[Own], options: &Options) -> Survey {
    let mut survey = Survey::default();
    let mut running = JoinSet::new();
    let slots = Arc::new(Semaphore::new(options.jobs.max(1) * PER_JOB));
    let rows = options.filter.rows.as_slice();
    let chosen = |rule: &Rule| rows.is_empty() || rows.iter().any(|row| row.eq_ignore_ascii_case(&rule.to_string()));
    let mut number = 0;
    for rule in rules().filter(chosen) {
        for program in programs {
            let right = program.right();
            for era in right.eras().iter().copied() {
                let column = Column::of(&*right, era);
                if !options.filter.wants_column(column) {
                    continue;
                }
                if !survey.columns.contains(&column) {
                    survey.columns.push(column);
                }
                let case = Case { rule, column, trial: trial(scenarios, program, &*right, column, rule) };
                let slots = Arc::clone(&slots);
                running.spawn(async move {
                    // The semaphore is never closed, so that a slot always comes.
                    let slot = slots.acquire().await;
                    let result = case.run().await;
                    drop(slot);
                    (number, result)
                });
                number += 1;
            }
        }
    }
    let mut results = BTreeMap::new();
    while let Some(done) = running.join_next().await {
        match done {
            Ok((number, result)) => drop(results.insert(number, result)),
            // A cell catches the panics of its script; one of the runner's own is ours to see.
            Err(broken) => std::panic::resume_unwind(broken.into_panic()),
        }
    }
    survey.results = results.into_values().collect();
    survey
}

struct Case {
    rule: Rule,
    column: Column,
    trial: Result<Trial, String>,
}

/// A wrong program and the scenarios that must notice.
struct Trial {
    target: Arc<dyn Target>,
    scenarios: Vec<&'static Scenario>,
}

/// The trial of a mutant, or why there is none.
fn trial(
    scenarios: &[&'static Scenario],
    program: &Own,
    right: &dyn Target,
    column: Column,
    rule: Rule,
) -> Result<Trial, String> {
    if let Some(reason) = unseen(rule, column) {
        return Err(reason.to_owned());
    }
    let name = rule.to_string();
    let own = scenarios.iter().copied().filter(|scenario| scenario.row == Some(name.as_str()));
    let own: Vec<_> = own.filter(|scenario| scenario.applies.roles.contains(&column.role)).collect();
    let reasons: Vec<Option<String>> =
        own.iter().map(|scenario| runner::excludes(scenario, right, column.era)).collect();
    let applicable: Vec<_> =
        own.iter().zip(&reasons).filter(|(_, reason)| reason.is_none()).map(|(scenario, _)| *scenario).collect();
    if applicable.is_empty() {
        let first = reasons.into_iter().flatten().next();
        return Err(first.unwrap_or_else(|| not_about(rule, column.role).to_owned()));
    }
    let target = program.wrong(&Mutant::of(rule, column.role))?;
    Ok(Trial { target, scenarios: applicable })
}

/// Why a rule that is broken in the engine cannot be seen over this transport, though scenarios are about it.
const fn unseen(rule: Rule, column: Column) -> Option<&'static str> {
    // Whether requests are sessions of their own, and whether they may be many in one.
    let (is_http, is_alone) = match column.transport {
        Transport::Http | Transport::HttpSse => (true, false),
        Transport::HttpStateless | Transport::HttpJson | Transport::HttpEvents => (true, true),
        Transport::Memory | Transport::MemoryFrames | Transport::ChildStdio => (false, false),
    };
    let is_modern = matches!(column.era, Era::Modern);
    match rule {
        Rule::C10 if is_http && is_modern => Some("a request is cancelled by the end of its connection: C3b"),
        Rule::C13 if is_http => Some("the input of a session has no end that comes before its own"),
        Rule::C15 | Rule::C37 if is_http => Some("what cannot be read is refused before there is an exchange"),
        Rule::C16 if is_http => Some("each request has a reader of its own"),
        Rule::C17 if is_alone => Some("an exchange ends with its request, whether it is closed or not"),
        Rule::C23 if is_alone => Some("an exchange is over with its answer"),
        Rule::C24 if is_http && is_modern => Some("an exchange that ends without an answer is answered all the same"),
        Rule::C31 if is_http => Some("a connection on which nothing can be written is cut by who serves it: C3b"),
        Rule::C32 if is_http => Some("nothing carries a question of a server: C35"),
        Rule::C35 if matches!(column.transport, Transport::Http) => Some("a call that finds no stream fails there"),
        Rule::C40 if is_alone || matches!(column.transport, Transport::Http) => {
            Some("each request has a stream of its own, and each `initialize` a session")
        }
        _ => None,
    }
}

/// Why no scenario of a rule is about targets of this role.
const fn not_about(rule: Rule, role: Role) -> &'static str {
    match (role, rule) {
        (Role::Client, Rule::C2 | Rule::C4 | Rule::C17 | Rule::C30) => "a client does not drain",
        (Role::Client, Rule::C13) => "a callback of this client calls as everybody does",
        (Role::Client, Rule::C9) => "no script of a client aborts",
        (Role::Client, Rule::C6a) => "this client can be told nothing once it closes",
        (Role::Client, _) => "the row is about requests of which a client gets few",
        (Role::Server, Rule::C18 | Rule::C26 | Rule::C27 | Rule::C28 | Rule::C29 | Rule::C43) => {
            "the row is about clients"
        }
        (Role::Server, _) => "this server has no callback for notifications",
    }
}

impl Case {
    async fn run(self) -> MutantResult {
        let began = Instant::now();
        let verdict = match &self.trial {
            Err(reason) => Verdict::NotApplicable(reason.clone()),
            Ok(trial) => trial.run(self.column.era).await,
        };
        MutantResult { rule: self.rule, column: self.column, verdict, elapsed: began.elapsed() }
    }
}

impl Trial {
    async fn run(&self, era: Era) -> Verdict {
        for scenario in &self.scenarios {
            let cell = runner::run_cell(scenario, Arc::clone(&self.target), era, PATIENCE).await;
            if cell.status.is_failure() {
                let check = cell.failures().next().map_or("script", |(id, _)| id).to_owned();
                return Verdict::Killed { by: scenario.id, check };
            }
        }
        Verdict::Survived(self.scenarios.iter().map(|scenario| scenario.id).collect())
    }
}

/// How long a script waits for what a wrong program may never say.
const PATIENCE: Duration = Duration::from_secs(3);
/// Mutants mostly hang, so that many can be waited for at a time.
const PER_JOB: usize = 4;
