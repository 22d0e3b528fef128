//! The run as JUnit XML, one suite per column of the matrix, and one of the mutants.

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use crate::{
    mutants::{MutantResult, Verdict},
    runner::{CellResult, Run, Status},
};

/// The document.
///
/// # Errors
/// Fails when the XML cannot be written.
pub fn render(run: &Run) -> Result<String, quick_junit::SerializeError> {
    let mut report = Report::new("mcp-conformance");
    for column in &run.columns {
        let mut suite = TestSuite::new(column.to_string());
        suite.add_test_cases(run.cells.iter().filter(|cell| cell.column == *column).map(test_case));
        report.add_test_suite(suite);
    }
    if let Some(survey) = &run.mutants {
        let mut suite = TestSuite::new("mutants");
        suite.add_test_cases(survey.results.iter().map(mutant));
        report.add_test_suite(suite);
    }
    report.to_string()
}

fn mutant(result: &MutantResult) -> TestCase {
    let status = match &result.verdict {
        Verdict::Killed { .. } => TestCaseStatus::success(),
        Verdict::Survived(passed) => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_message(format!("survived: passed {}", passed.join(", ")));
            status
        }
        Verdict::NotApplicable(reason) => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(reason.as_str());
            status
        }
    };
    let mut case = TestCase::new(format!("without {} ({})", result.rule, result.column), status);
    case.set_classname(result.rule.to_string());
    case.set_time(result.elapsed);
    case
}

fn test_case(cell: &CellResult) -> TestCase {
    let status = match &cell.status {
        Status::Passed | Status::Warned => TestCaseStatus::success(),
        Status::Failed => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_message(complaints(cell));
            let frames: Vec<String> = cell.frames.iter().map(ToString::to_string).collect();
            status.set_description(frames.join("\n"));
            status
        }
        Status::Skipped(reason) => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(reason.as_str());
            status
        }
    };
    let mut case = TestCase::new(cell.scenario.id, status);
    case.set_classname(cell.scenario.row.unwrap_or("beside the table"));
    case.set_time(cell.elapsed);
    if cell.status.is_warning() {
        case.set_system_out(format!("warning: {}", complaints(cell)));
    }
    case
}

fn complaints(cell: &CellResult) -> String {
    let complaints: Vec<String> = cell.failures().map(|(id, why)| format!("{id}: {why}")).collect();
    complaints.join("; ")
}
