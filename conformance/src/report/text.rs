//! The matrix for a terminal, and the failing cells explained below it.

use std::fmt::{self, Write as _};

use crate::{
    runner::{CellResult, Run, Status},
    scenario::Scenario,
    target::Transport,
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
    let written = matrix(&mut text, run)
        .and_then(|()| explanations(&mut text, run, detail))
        .and_then(|()| reasons(&mut text, run))
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
    text
}

fn matrix(text: &mut String, run: &Run) -> fmt::Result {
    for target in &run.targets {
        writeln!(text, "target: {target}")?;
    }
    let scenarios = rows(run);
    let width = scenarios.iter().map(|scenario| scenario.id.len()).max().unwrap_or(0) + 2;
    write!(text, "\n{:width$}", "")?;
    for (transport, era) in &run.columns {
        write!(text, "  {transport}/{era}")?;
    }
    writeln!(text)?;
    let mut group = None;
    for scenario in scenarios {
        if group != Some(scenario.row) {
            group = Some(scenario.row);
            writeln!(text, "{}", scenario.row.unwrap_or("beside the table"))?;
        }
        write!(text, "  {:width$}", scenario.id, width = width - 2)?;
        for (transport, era) in &run.columns {
            let cell = run
                .cells
                .iter()
                .find(|cell| cell.scenario.id == scenario.id && (cell.transport, cell.era) == (*transport, *era));
            let column = heading_width(*transport) + era.as_str().len();
            write!(text, "  {:column$}", cell.map_or(' ', |cell| sign(&cell.status)))?;
        }
        // No line ends in spaces.
        text.truncate(text.trim_end().len());
        writeln!(text)?;
    }
    writeln!(text)
}

fn heading_width(transport: Transport) -> usize {
    transport.as_str().len() + 1
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
    writeln!(text, "{sign} {} ({} {}): {}", scenario.id, cell.transport, cell.era, scenario.title)?;
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

/// Why cells are not applicable, each reason once with its cells.
fn reasons(text: &mut String, run: &Run) -> fmt::Result {
    let mut reasons: Vec<(&str, Vec<String>)> = Vec::new();
    for cell in &run.cells {
        let Status::Skipped(reason) = &cell.status else { continue };
        let name = format!("{} ({} {})", cell.scenario.id, cell.transport, cell.era);
        match reasons.iter_mut().find(|(known, _)| known == reason) {
            Some((_, names)) => names.push(name),
            None => reasons.push((reason, vec![name])),
        }
    }
    for (reason, names) in &reasons {
        writeln!(text, "– {reason}: {}", names.join(", "))?;
    }
    if !reasons.is_empty() {
        writeln!(text)?;
    }
    Ok(())
}

/// How many frames of a cell are shown; the JSON report has them all.
const MOST_FRAMES: usize = 60;
