//! Servers over HTTP: what does nothing passes nothing, and each way to be wrong is caught by the scenario about it.

mod server;

use std::{sync::Arc, time::Duration};

use conformance::{
    http::Dialect,
    runner::{Options, Run, Status, run},
    scenarios,
    target::{Target, Transport},
    targets::http::{Http, offered},
};

use self::server::{Server, Wrong};

async fn run_over(server: &Server, dialects: &[Dialect], scenario: &str) -> Run {
    let target = |dialect: &Dialect| Arc::new(Http::running(server.site.clone(), *dialect)) as Arc<dyn Target>;
    let targets: Vec<_> = dialects.iter().map(target).collect();
    let mut options = Options::default();
    options.filter.scenarios = vec![scenario.to_owned()];
    options.patience = Duration::from_millis(500);
    run(&scenarios::all(), &targets, &options).await
}

fn failures(run: &Run) -> Vec<String> {
    let failed = run.cells.iter().filter(|cell| cell.status.is_failure());
    failed.map(|cell| format!("{}: {:?}", cell.name(), cell.failures().collect::<Vec<_>>())).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn no_cell_passes_against_a_server_that_does_nothing() {
    for wrong in [Wrong::NotFound, Wrong::Silent, Wrong::Closes] {
        let server = Server::start(wrong).await;
        let patience = Duration::from_millis(100);
        let targets: Vec<_> =
            offered(&server.site, patience).await.into_iter().map(|one| Arc::new(one) as Arc<dyn Target>).collect();
        let columns: Vec<Transport> = targets.iter().map(|target| target.transport()).collect();
        assert_eq!(columns, [Transport::Http, Transport::HttpJson, Transport::HttpEvents], "{wrong:?}");
        let mut options = Options::default();
        options.jobs = 16;
        options.patience = patience;
        let run = run(&scenarios::all(), &targets, &options).await;
        let passed: Vec<String> =
            run.cells.iter().filter(|cell| cell.status.is_pass()).map(|cell| cell.name()).collect();
        assert_eq!(passed, [""; 0], "{wrong:?}");
        assert!(run.count(Status::is_failure) > 100, "{wrong:?}: {}", run.count(Status::is_failure));
    }
}

#[tokio::test]
async fn the_columns_are_those_that_a_server_offers() {
    let server = Server::start(Wrong::Nothing).await;
    let offered = offered(&server.site, Duration::from_secs(5)).await;
    let columns: Vec<Transport> = offered.iter().map(Target::transport).collect();
    assert_eq!(columns, [Transport::HttpJson, Transport::HttpEvents]);
}

/// What is wrong, the scenario about it, and the column.
const CAUGHT: [(Wrong, &str, Dialect); 11] = [
    (Wrong::UnknownMethodBy200, "modern-removed-methods", Dialect::Json),
    (Wrong::UnknownMethodBy200, "http-unanswered", Dialect::Events),
    (Wrong::JsonAlways, "modern-discover", Dialect::Events),
    (Wrong::EventsAlways, "http-accept", Dialect::Json),
    (Wrong::AnswersNotifications, "http-unanswered", Dialect::Json),
    (Wrong::TrustsHeaders, "http-header-mismatch", Dialect::Json),
    (Wrong::LetsEverybodyIn, "http-origin", Dialect::Events),
    (Wrong::HasGet, "http-methods-modern", Dialect::Json),
    (Wrong::ReadsAnyType, "http-content-type", Dialect::Json),
    (Wrong::DropsIds, "http-malformed-bodies", Dialect::Json),
    (Wrong::BreaksConnections, "http-one-connection", Dialect::Json),
];

#[tokio::test(flavor = "multi_thread")]
async fn each_way_to_be_wrong_is_caught_by_the_scenario_about_it() {
    for (wrong, scenario, dialect) in CAUGHT {
        let server = Server::start(wrong).await;
        let run = run_over(&server, &[dialect], scenario).await;
        assert_eq!(failures(&run).len(), 1, "{wrong:?} is not caught by {scenario}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_right_server_passes_what_a_wrong_one_fails() {
    let server = Server::start(Wrong::Nothing).await;
    for (wrong, scenario, dialect) in CAUGHT {
        let run = run_over(&server, &[dialect], scenario).await;
        assert_eq!(failures(&run), [""; 0], "{wrong:?}");
        assert_eq!(run.count(Status::is_pass), 1, "{scenario}");
    }
    for scenario in ["c37-body-cut-off", "http-pieces"] {
        let run = run_over(&server, &[Dialect::Json, Dialect::Events], scenario).await;
        assert_eq!(failures(&run), [""; 0]);
        assert_eq!(run.count(Status::is_pass), 2, "{scenario}");
    }
}
