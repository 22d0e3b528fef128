//! The matrix for a terminal, and the failing cells explained below it.

use std::fmt::{self, Write as _};

use super::mutants;
use crate::{
    runner::{CellResult, Column, Run, Status},
    scenario::Scenario,
};

/// How much is said about each cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Detail {
    /// The matrix; frames only of cells that failed.
    Failures,
    /// The frames of every cell.
    Frames,
}

/// The whole report.
pub fn render(run: &Run, detail: Detail) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let matrix = if run.cells.is_empty() { Ok(()) } else { matrix(&mut text, run) };
    let written = matrix
        .and_then(|()| explanations(&mut text, run, detail))
        .and_then(|()| reasons(&mut text, run))
        .and_then(|()| run.mutants.as_ref().map_or(Ok(()), |survey| mutants::write(&mut text, survey)))
        .and_then(|()| writeln!(text, "{}", summary(run)));
    debug_assert!(written.is_ok(), "a string takes everything");
    text
}

/// The last line: how many cells came to what.
pub fn summary(run: &Run) -> String {
    let mut text = format!(
        "{} passed, {} failed, {} skipped",
        run.count(Status::is_pass),
        run.count(Status::is_failure),
        run.count(Status::is_skip),
    );
    let warned = run.count(Status::is_warning);
    if warned > 0 {
        text.push_str(&format!(" ({warned} passed with warnings)"));
    }
    let unavailable: usize = run.cells.iter().map(|cell| cell.not_available().count()).sum();
    if unavailable > 0 {
        text.push_str(&format!("; {unavailable} checks could not be made"));
    }
    if let Some(survey) = &run.mutants {
        text.push_str(&format!("; {} mutants killed, {} survived", survey.killed(), survey.survivors().count()));
    }
    text
}

fn matrix(text: &mut String, run: &Run) -> fmt::Result {
    for target in &run.targets {
        writeln!(text, "target: {target}")?;
    }
    let scenarios = rows(run);
    let width = scenarios.iter().map(|scenario| scenario.id.len()).max().unwrap_or(0) + 2;
    write!(text, "\n{:width$}", "")?;
    for column in &run.columns {
        write!(text, "  {column}")?;
    }
    writeln!(text)?;
    let mut group = None;
    for scenario in scenarios {
        if group != Some(scenario.row) {
            group = Some(scenario.row);
            writeln!(text, "{}", scenario.row.unwrap_or("beside the table"))?;
        }
        write!(text, "  {:width$}", scenario.id, width = width - 2)?;
        for column in &run.columns {
            let cell = run.cells.iter().find(|cell| cell.scenario.id == scenario.id && cell.column == *column);
            let width = column.to_string().len();
            write!(text, "  {:width$}", cell.map_or(' ', |cell| sign(&cell.status)))?;
        }
        // No line ends in spaces.
        text.truncate(text.trim_end().len());
        writeln!(text)?;
    }
    writeln!(text)
}

const fn sign(status: &Status) -> char {
    match status {
        Status::Passed => '✓',
        Status::Warned => '!',
        Status::Failed => '✗',
        Status::Skipped(_) => '–',
    }
}

/// The scenarios of a run: by row of the table, those beside it last, else as they came.
fn rows(run: &Run) -> Vec<&'static Scenario> {
    let mut scenarios: Vec<&'static Scenario> = Vec::new();
    for cell in &run.cells {
        if scenarios.iter().all(|scenario| scenario.id != cell.scenario.id) {
            scenarios.push(cell.scenario);
        }
    }
    scenarios.sort_by_key(|scenario| order(scenario.row));
    scenarios
}

/// `C2` before `C10`, `C6b` after `C6a`.
fn order(row: Option<&str>) -> (u32, String) {
    let Some(row) = row else { return (u32::MAX, String::new()) };
    let digits: String = row.chars().filter(char::is_ascii_digit).collect();
    (digits.parse().unwrap_or(u32::MAX), row.to_owned())
}

fn explanations(text: &mut String, run: &Run, detail: Detail) -> fmt::Result {
    for cell in &run.cells {
        let bad = matches!(cell.status, Status::Failed | Status::Warned);
        if bad || (detail == Detail::Frames && !cell.status.is_skip()) {
            explain(text, cell)?;
        }
    }
    Ok(())
}

fn explain(text: &mut String, cell: &CellResult) -> fmt::Result {
    let scenario = cell.scenario;
    let sign = sign(&cell.status);
    writeln!(text, "{sign} {}: {}", cell.name(), scenario.title)?;
    writeln!(text, "  required: {}", scenario.requirement)?;
    let sources: Vec<String> = scenario.sources.iter().map(ToString::to_string).collect();
    writeln!(text, "  sources: {}", sources.join("; "))?;
    for (id, why) in cell.failures() {
        writeln!(text, "  {id}: {why}")?;
    }
    let left_out = cell.frames.len().saturating_sub(MOST_FRAMES);
    let (head, tail) = match left_out {
        0 => (cell.frames.as_slice(), [].as_slice()),
        _ => {
            let (head, rest) = cell.frames.split_at(MOST_FRAMES / 2);
            (head, rest.split_at(left_out).1)
        }
    };
    for frame in head {
        writeln!(text, "    {frame}")?;
    }
    if left_out > 0 {
        writeln!(text, "    … {left_out} frames more (see --json) …")?;
    }
    for frame in tail {
        writeln!(text, "    {frame}")?;
    }
    writeln!(text)
}

/// Scenarios by id, with columns.
type Scenarios<'a> = Vec<(&'a str, Vec<Column>)>;

/// Why cells are not applicable, each reason once with its scenarios, and with their columns where a
/// scenario has cells that do apply.
fn reasons(text: &mut String, run: &Run) -> fmt::Result {
    let mut reasons: Vec<(&str, Scenarios<'_>)> = Vec::new();
    for cell in &run.cells {
        let Status::Skipped(reason) = &cell.status else { continue };
        let scenarios = entry(&mut reasons, reason.as_str());
        entry(scenarios, cell.scenario.id).push(cell.column);
    }
    for (reason, scenarios) in &reasons {
        let names: Vec<String> = scenarios.iter().map(|(id, columns)| named(run, id, columns)).collect();
        writeln!(text, "– {reason}: {}", names.join("; "))?;
    }
    if !reasons.is_empty() {
        writeln!(text)?;
    }
    Ok(())
}

fn named(run: &Run, id: &str, columns: &[Column]) -> String {
    let all = run.cells.iter().filter(|cell| cell.scenario.id == id).count();
    if columns.len() == all {
        return id.to_owned();
    }
    let columns: Vec<String> = columns.iter().map(ToString::to_string).collect();
    format!("{id} ({})", columns.join(", "))
}

/// What is listed under a key, in the order in which keys came.
pub(super) fn entry<K: PartialEq, V: Default>(list: &mut Vec<(K, V)>, key: K) -> &mut V {
    let at = list.iter().position(|(known, _)| *known == key).unwrap_or_else(|| {
        list.push((key, V::default()));
        list.len() - 1
    });
    &mut list[at].1
}

/// How many frames of a cell are shown; the JSON report has them all.
const MOST_FRAMES: usize = 60;
