//! Clients that are wrong in one way each, and the scenario that notices.
//!
//! The clients are this very program, started once more: see `program.rs`.
#![cfg(unix)]

mod program;

use std::{sync::Arc, time::Duration};

use conformance::{
    runner::{Options, Run, Status, run},
    scenario::Era,
    scenarios,
    target::Target,
    targets::ClientProgram,
};

use self::program::Fault;

const RELAY: &str = env!("CARGO_BIN_EXE_mcp-conformance");

fn client(fault: Option<Fault>) -> Arc<dyn Target> {
    let this = std::env::current_exe().expect("this program has a path");
    let name = fault.map_or("none", Fault::name);
    let args = ["--nocapture", "--exact", program::TEST, "--skip", name].map(str::to_owned);
    Arc::new(ClientProgram::foreign(this.to_str().expect("its path is text"), args, RELAY))
}

async fn run_of(client: Arc<dyn Target>, scenario: &str, eras: &[Era]) -> Run {
    let mut options = Options::default();
    options.filter.scenarios = vec![scenario.to_owned()];
    options.filter.eras = eras.to_vec();
    options.patience = Duration::from_secs(3);
    run(&scenarios::all(), &[client], &options).await
}

#[tokio::test]
async fn each_fault_is_caught_by_the_scenario_about_it_and_by_nothing_that_is_right() {
    for fault in Fault::ALL {
        let (scenario, check) = fault.caught_by();
        let right = run_of(client(None), scenario, &[Era::Modern]).await;
        assert_eq!(right.count(Status::is_pass), 1, "{scenario}: {:?}", failures(&right));
        let wrong = run_of(client(Some(fault)), scenario, &[Era::Modern]).await;
        let failed = failures(&wrong);
        assert!(failed.iter().any(|(id, _)| id == check), "{fault:?}: {failed:?}");
    }
}

#[tokio::test]
async fn a_client_that_speaks_one_era_is_excused_from_the_other() {
    let run = run_of(client(None), "c1-client-call-unanswered", &[Era::Legacy]).await;
    let statuses: Vec<&Status> = run.cells.iter().map(|cell| &cell.status).collect();
    assert!(matches!(statuses.as_slice(), [Status::Skipped(why)] if why.contains("legacy")), "{statuses:?}");
}

#[tokio::test]
async fn a_step_that_a_client_lacks_is_not_held_against_it() {
    let run = run_of(client(None), "c11-client-forgets", &[Era::Modern]).await;
    let statuses: Vec<&Status> = run.cells.iter().map(|cell| &cell.status).collect();
    assert!(matches!(statuses.as_slice(), [Status::Skipped(why)] if why.contains("`forget`")), "{statuses:?}");
}

#[tokio::test]
async fn a_client_that_does_nothing_passes_nothing() {
    let mut options = Options::default();
    options.jobs = 16;
    options.patience = Duration::from_millis(300);
    for script in ["exit 0", r#"shift; exec "$@" </dev/null"#] {
        let args = ["-c".to_owned(), script.to_owned(), "sh".to_owned()];
        for client in
            [ClientProgram::foreign("sh", args.clone(), RELAY), ClientProgram::contract("sh", args.clone(), RELAY)]
        {
            let run = run(&scenarios::all(), &[Arc::new(client)], &options).await;
            let passed: Vec<String> =
                run.cells.iter().filter(|cell| cell.status.is_pass()).map(|cell| cell.name()).collect();
            assert_eq!(passed, [""; 0], "{script}");
            assert!(run.count(Status::is_failure) > 50, "{script}");
        }
    }
}

fn failures(run: &Run) -> Vec<(String, String)> {
    let failures = run.cells.iter().flat_map(|cell| cell.failures());
    failures.map(|(id, why)| (id.to_owned(), why.to_owned())).collect()
}
