//! What is looked at after every cell, whatever its scenario is about: nothing is left behind.

use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::process::Command;

use super::cell::failed;
use crate::{
    scenario::{CheckRecord, Ledger, Outcome},
    target::NotApplicable,
};

/// The meters of all sessions of a cell. They add a record only for what is wrong, or what they
/// found at zero in a report; `promised` says whether there must be one.
pub(super) fn read(ledger: &Ledger, promised: bool) -> Vec<CheckRecord> {
    let mut records = Vec::new();
    if ledger.unfinished() > 0 {
        let why = format!("{} sessions were opened and not finished", ledger.unfinished());
        records.push(failed("meter: finished", why));
    }
    for ending in ledger.endings() {
        if !ending.reaped {
            records.push(failed("meter: reaped", format!("the peer {}", ending.exit)));
        }
        if !ending.left.is_empty() {
            records.push(failed("meter: processes left", ending.left.join(", ")));
        }
        match &ending.report {
            Ok(report) => {
                records.push(zero("meter: tasks alive", report, "tasks_alive"));
                records.push(zero("meter: pending slots", report, "pending_slots"));
            }
            Err(NotApplicable(why)) if promised && ending.began => {
                records.push(failed("meter: report", why.clone()));
            }
            Err(_) => {}
        }
    }
    records
}

/// How many descriptors this process has open; nothing where that cannot be counted.
pub(super) fn descriptors() -> Option<usize> {
    Some(std::fs::read_dir("/proc/self/fd").ok()?.count())
}

/// Whether all descriptors that a cell opened are closed. The tasks beside a connection close
/// theirs moments after it, so they are given a moment.
pub(super) async fn descriptors_left(before: usize) -> CheckRecord {
    let deadline = Instant::now() + A_MOMENT;
    loop {
        let now = descriptors().unwrap_or(before);
        if now <= before {
            let id = "meter: descriptors".to_owned();
            return CheckRecord { id, outcome: Outcome::Passed };
        }
        if Instant::now() > deadline {
            let why = format!("{before} were open before the cell, {now} after it");
            return failed("meter: descriptors", why);
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

/// Opens what the runtime keeps open for all child processes, so that no cell is blamed for it.
pub(super) async fn warm_up() {
    drop(Command::new("true").status().await);
}

fn zero(id: &str, report: &Value, field: &str) -> CheckRecord {
    match report.get(field).and_then(Value::as_u64) {
        Some(0) => CheckRecord { id: id.to_owned(), outcome: Outcome::Passed },
        Some(count) => failed(id, format!("{count} at the end of the run")),
        None => failed(id, format!("the report has no number `{field}`")),
    }
}

const A_MOMENT: Duration = Duration::from_secs(1);
