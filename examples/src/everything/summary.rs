//! The report of a run, as JSON.

use mcp_session::engine::{CutOff, Dropped, Report};
use mcp_types::jsonrpc::Id;
use serde::Serialize;
use serde_json::{Map, Value};

/// The report of a run as it is written as JSON, for whoever started the program.
#[derive(Debug, Serialize)]
pub struct Summary<'a> {
    reason: String,
    signal: Option<i32>,
    requests: Requests<'a>,
    malformed: u64,
    truncated: u64,
    ids_as_text: u64,
    dropped: Map<String, Value>,
    still_running: Vec<Cut<'a>>,
    tasks_alive: usize,
    pending_slots: usize,
    exit_code: u8,
    elapsed_ms: u128,
}

#[derive(Debug, Serialize)]
struct Requests<'a> {
    received: u64,
    answered: u64,
    drained: u64,
    cancelled: u64,
    cut_off: Vec<Cut<'a>>,
    refused: u64,
    never_started: u64,
}

#[derive(Debug, Serialize)]
struct Cut<'a> {
    id: &'a Id,
    method: &'a str,
}

impl<'a> Summary<'a> {
    /// The report of a run, and the exit status that it ends a program with.
    #[must_use]
    pub fn new(report: &'a Report, exit_code: u8) -> Self {
        let tally = &report.tally;
        let dropped = Dropped::ALL.iter().filter(|why| tally.dropped(**why) > 0);
        Self {
            reason: format!("{:?}", report.reason),
            signal: report.signal,
            requests: Requests {
                received: tally.received,
                answered: tally.answered,
                drained: tally.drained,
                cancelled: tally.cancelled,
                cut_off: cuts(&tally.cut_off),
                refused: tally.refused,
                never_started: tally.never_started,
            },
            malformed: tally.malformed,
            truncated: tally.truncated,
            ids_as_text: tally.ids_as_text,
            dropped: dropped.map(|why| (why.name().to_owned(), tally.dropped(*why).into())).collect(),
            still_running: cuts(&report.still_running),
            tasks_alive: report.tasks_alive,
            pending_slots: report.pending_slots,
            exit_code,
            elapsed_ms: report.elapsed.as_millis(),
        }
    }
}

fn cuts(requests: &[CutOff]) -> Vec<Cut<'_>> {
    requests.iter().map(|CutOff { id, method, .. }| Cut { id, method }).collect()
}
