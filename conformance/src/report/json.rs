//! The run as one JSON document.

use serde_json::{Value, json};

use crate::{
    frames::Direction,
    mutants::{MutantResult, Verdict},
    runner::{CellResult, Run, Status},
    scenario::Outcome,
};

/// The document. Frames are there for every cell that ran.
pub fn render(run: &Run) -> Value {
    let cells: Vec<Value> = run.cells.iter().map(cell).collect();
    let mut document = json!({
        "suite": {"name": "mcp-conformance", "version": env!("CARGO_PKG_VERSION")},
        "targets": run.targets,
        "summary": {
            "passed": run.count(Status::is_pass),
            "failed": run.count(Status::is_failure),
            "skipped": run.count(Status::is_skip),
            "warnings": run.count(Status::is_warning),
        },
        "cells": cells,
    });
    if let Some(survey) = &run.mutants {
        document["mutants"] = survey.results.iter().map(mutant).collect();
    }
    document
}

fn mutant(result: &MutantResult) -> Value {
    let (verdict, by, why) = match &result.verdict {
        Verdict::Killed { by, check } => ("killed", json!({"scenario": by, "check": check}), Value::Null),
        Verdict::Survived(passed) => ("survived", Value::Null, format!("passed {}", passed.join(", ")).into()),
        Verdict::NotApplicable(reason) => ("not applicable", Value::Null, reason.as_str().into()),
    };
    json!({
        "rule": result.rule.to_string(),
        "role": result.column.role.as_str(),
        "transport": result.column.transport.as_str(),
        "era": result.column.era.as_str(),
        "verdict": verdict,
        "killed_by": by,
        "reason": why,
        "elapsed_ms": result.elapsed.as_secs_f64() * 1_000.0,
    })
}

fn cell(cell: &CellResult) -> Value {
    let scenario = cell.scenario;
    let sources: Vec<String> = scenario.sources.iter().map(ToString::to_string).collect();
    let (status, reason) = match &cell.status {
        Status::Passed => ("passed", Value::Null),
        Status::Warned => ("warned", Value::Null),
        Status::Failed => ("failed", Value::Null),
        Status::Skipped(reason) => ("skipped", reason.as_str().into()),
    };
    let checks: Vec<Value> = cell
        .checks
        .iter()
        .map(|check| {
            let (outcome, why) = match &check.outcome {
                Outcome::Passed => ("passed", Value::Null),
                Outcome::Failed(why) => ("failed", why.as_str().into()),
                Outcome::NotAvailable(why) => ("not available", why.as_str().into()),
            };
            json!({"id": check.id, "outcome": outcome, "why": why})
        })
        .collect();
    let frames: Vec<Value> = cell
        .frames
        .iter()
        .map(|frame| {
            let direction = match frame.direction {
                Direction::ToPeer => "to peer",
                Direction::FromPeer => "from peer",
                Direction::Event => "event",
            };
            let at_ms = frame.at.as_secs_f64() * 1_000.0;
            json!({"at_ms": at_ms, "connection": frame.connection, "direction": direction, "text": frame.text})
        })
        .collect();
    json!({
        "scenario": scenario.id,
        "row": scenario.row,
        "family": scenario.family.as_str(),
        "title": scenario.title,
        "requirement": scenario.requirement,
        "sources": sources,
        "role": cell.column.role.as_str(),
        "transport": cell.column.transport.as_str(),
        "era": cell.column.era.as_str(),
        "status": status,
        "reason": reason,
        "elapsed_ms": cell.elapsed.as_secs_f64() * 1_000.0,
        "checks": checks,
        "frames": frames,
    })
}
