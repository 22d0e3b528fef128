//! The run as JUnit XML, one suite per column of the matrix.

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use crate::runner::{CellResult, Run, Status};

/// The document.
///
/// # Errors
/// Fails when the XML cannot be written.
pub fn render(run: &Run) -> Result<String, quick_junit::SerializeError> {
    let mut report = Report::new("mcp-conformance");
    for (transport, era) in &run.columns {
        let mut suite = TestSuite::new(format!("{transport}/{era}"));
        let column = run.cells.iter().filter(|cell| (cell.transport, cell.era) == (*transport, *era));
        suite.add_test_cases(column.map(test_case));
        report.add_test_suite(suite);
    }
    report.to_string()
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
