//! The model and the runner, proven with scenarios and targets that are made for it.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use conformance::{
    runner::{CellResult, Options, Run, Status, run},
    scenario::{Applies, Check, Ctx, Era, Family, Need, Scenario, Script, Stop, must, should},
    target::{Offer, Transport},
};
use serde_json::json;
use support::{Scripted, pong};

/// A scenario for one test, which lives as long as the test program.
fn scenario<const N: usize>(checks: [Check; N], script: fn(Ctx) -> Script) -> &'static Scenario {
    let mut scenario = Scenario::new("made-up", Family::Documented, script);
    scenario.checks = Box::leak(Box::new(checks));
    scenario.applies = Applies::legacy_only("one cell is enough");
    Box::leak(Box::new(scenario))
}

async fn run_one(scenario: &'static Scenario, target: Scripted) -> CellResult {
    let mut options = Options::default();
    options.filter.eras = vec![Era::Legacy];
    let Run { mut cells, .. } = run(&[scenario], &[target.shared()], &options).await;
    assert_eq!(cells.len(), 1);
    cells.pop().unwrap()
}

fn failures(cell: &CellResult) -> Vec<(&str, &str)> {
    cell.failures().collect()
}

#[tokio::test(start_paused = true)]
async fn a_script_that_emits_its_checks_passes() {
    async fn script(ctx: Ctx) -> Result<(), Stop> {
        let mut session = ctx.open().await?;
        session.request(1, "ping", json!({})).await;
        let pong = session.answer_to(1).await?;
        ctx.equal("answered", &pong["result"], &json!({}));
        session.finish().await;
        Ok(())
    }
    let cell = run_one(scenario([must("answered")], |ctx| Box::pin(script(ctx))), Scripted::new(pong)).await;
    assert_eq!(cell.status, Status::Passed);
    assert_eq!(failures(&cell), []);
}

#[tokio::test(start_paused = true)]
async fn a_check_that_was_not_emitted_fails() {
    let silent = scenario([must("a"), must("b")], |ctx| {
        Box::pin(async move {
            ctx.check("a", true, String::new);
            Ok(())
        })
    });
    let cell = run_one(silent, Scripted::new(pong)).await;
    assert_eq!(cell.status, Status::Failed);
    assert_eq!(failures(&cell), [("b", "never emitted by the script")]);
}

#[tokio::test(start_paused = true)]
async fn a_check_that_was_not_announced_fails() {
    let talkative = scenario([must("a")], |ctx| {
        Box::pin(async move {
            ctx.check("a", true, String::new);
            ctx.check("surprise", true, String::new);
            Ok(())
        })
    });
    let cell = run_one(talkative, Scripted::new(pong)).await;
    assert_eq!(cell.status, Status::Failed);
    assert_eq!(failures(&cell), [("surprise", "emitted, but not announced by the scenario")]);
}

#[tokio::test(start_paused = true)]
async fn a_check_that_was_emitted_twice_fails() {
    let twice = scenario([must("a")], |ctx| {
        Box::pin(async move {
            ctx.check("a", true, String::new);
            ctx.check("a", true, String::new);
            Ok(())
        })
    });
    let cell = run_one(twice, Scripted::new(pong)).await;
    assert_eq!(cell.status, Status::Failed);
    assert_eq!(failures(&cell), [("a", "emitted more than once")]);
}

#[tokio::test(start_paused = true)]
async fn a_should_that_fails_is_a_warning_and_a_must_beside_it_a_failure() {
    fn script(ctx: Ctx) -> Script {
        Box::pin(async move {
            ctx.check("soft", false, || "not kept".to_owned());
            ctx.check("hard", ctx.era() != Era::Legacy, || "legacy".to_owned());
            Ok(())
        })
    }
    let both_soft = scenario([should("soft"), should("hard")], script);
    assert_eq!(run_one(both_soft, Scripted::new(pong)).await.status, Status::Warned);
    let one_hard = scenario([should("soft"), must("hard")], script);
    assert_eq!(run_one(one_hard, Scripted::new(pong)).await.status, Status::Failed);
}

#[tokio::test(start_paused = true)]
async fn a_stopped_script_fails_even_when_only_shoulds_were_not_reached() {
    let stopped = scenario([should("soft")], |_| Box::pin(async { Err(Stop("no way".to_owned())) }));
    let cell = run_one(stopped, Scripted::new(pong)).await;
    assert_eq!(cell.status, Status::Failed);
    assert_eq!(failures(&cell), [("soft", "not reached by the script"), ("script", "no way")]);
}

#[tokio::test(start_paused = true)]
async fn the_watchdog_ends_a_script_that_hangs() {
    let hangs = scenario([must("a")], |_| Box::pin(std::future::pending()));
    let cell = run_one(hangs, Scripted::new(pong)).await;
    assert_eq!(cell.status, Status::Failed);
    assert!(failures(&cell).contains(&("script", "the watchdog ended the script after 10s")));
}

#[tokio::test(start_paused = true)]
async fn a_panic_fails_its_cell_and_no_other() {
    let panics = scenario([must("a")], |_| Box::pin(async { panic!("oops {}", 7) }));
    let fine = scenario([must("a")], |ctx| {
        Box::pin(async move {
            ctx.check("a", true, String::new);
            Ok(())
        })
    });
    let mut options = Options::default();
    options.filter.eras = vec![Era::Legacy];
    let run = run(&[panics, fine], &[Scripted::new(pong).shared()], &options).await;
    assert_eq!(run.cells[0].status, Status::Failed);
    assert!(failures(&run.cells[0]).contains(&("script", "the script panicked: oops 7")));
    assert_eq!(run.cells[1].status, Status::Passed);
    assert!(run.failed());
}

#[tokio::test(start_paused = true)]
async fn silence_stops_a_script_after_the_patience() {
    async fn script(ctx: Ctx) -> Result<(), Stop> {
        let mut session = ctx.open().await?;
        session.request(1, "tools/list", json!({})).await;
        session.answer_to(1).await.map(drop)
    }
    let cell = run_one(scenario([must("a")], |ctx| Box::pin(script(ctx))), Scripted::new(pong)).await;
    assert!(
        failures(&cell).contains(&("script", "no answer to 1: the peer sent nothing for 5s")),
        "{:?}",
        failures(&cell)
    );
}

#[tokio::test(start_paused = true)]
async fn a_session_that_was_not_finished_fails_the_cell() {
    async fn script(ctx: Ctx) -> Result<(), Stop> {
        ctx.open().await?;
        ctx.check("a", true, String::new);
        Ok(())
    }
    let cell = run_one(scenario([must("a")], |ctx| Box::pin(script(ctx))), Scripted::new(pong)).await;
    assert_eq!(failures(&cell), [("meter: finished", "1 sessions were opened and not finished")]);
}

async fn opens_and_finishes(ctx: Ctx) -> Result<(), Stop> {
    let ending = ctx.open().await?.finish().await;
    ctx.report("report", &ending, |report| report["tasks_alive"] == 0);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn what_a_report_says_is_left_fails_the_cell() {
    let scenario = scenario([must("report")], |ctx| Box::pin(opens_and_finishes(ctx)));
    let mut leaks = Scripted::new(pong);
    leaks.report = Some(json!({"tasks_alive": 0, "pending_slots": 2}));
    let cell = run_one(scenario, leaks).await;
    assert_eq!(failures(&cell), [("meter: pending slots", "2 at the end of the run")]);
    let mut vague = Scripted::new(pong);
    vague.report = Some(json!({"tasks_alive": 0}));
    let cell = run_one(scenario, vague).await;
    assert_eq!(failures(&cell), [("meter: pending slots", "the report has no number `pending_slots`")]);
}

#[tokio::test(start_paused = true)]
async fn a_missing_report_fails_who_promised_one_and_is_told_of_others() {
    let scenario = scenario([must("report")], |ctx| Box::pin(opens_and_finishes(ctx)));
    let mut target = Scripted::new(pong);
    target.report = None;
    let cell = run_one(scenario, target.clone()).await;
    assert_eq!(cell.status, Status::Failed);
    target.offer = Offer::Unknown;
    let cell = run_one(scenario, target).await;
    assert_eq!(cell.status, Status::Skipped("none of its checks could be made".to_owned()));
    assert_eq!(cell.not_available().collect::<Vec<_>>(), [("report", "the table has no report")]);
}

#[tokio::test(start_paused = true)]
async fn what_does_not_apply_is_skipped_with_its_reason_and_never_opened() {
    let mut needy = Scenario::new("needy", Family::Documented, |ctx| Box::pin(opens_and_finishes(ctx)));
    needy.applies = Applies::legacy_only("no handshake there").with_needs(&[Need::Signals]);
    let needy: &'static Scenario = Box::leak(Box::new(needy));
    let mut target = Scripted::new(pong);
    target.lacks = Some(Need::Signals);
    let opened = Arc::clone(&target.opened);
    let run = run(&[needy], &[target.shared()], &Options::default()).await;
    let reasons: Vec<&Status> = run.cells.iter().map(|cell| &cell.status).collect();
    assert_eq!(
        reasons,
        [
            &Status::Skipped("needs a process that takes signals: the table has none".to_owned()),
            &Status::Skipped("no handshake there".to_owned()),
        ]
    );
    assert_eq!(opened.load(Ordering::Relaxed), 0);
}

#[tokio::test(start_paused = true)]
async fn an_unknown_server_is_excused_from_tools_and_eras_that_it_does_not_have() {
    fn legacy_with_echo(frame: &serde_json::Value) -> Vec<serde_json::Value> {
        let modern = frame["params"].get("_meta").is_some();
        let result = match frame["method"].as_str() {
            Some("initialize") => json!({"protocolVersion": "2025-11-25"}),
            Some("tools/list") if !modern => json!({"tools": [{"name": "echo"}]}),
            _ => return Vec::new(),
        };
        vec![json!({"jsonrpc": "2.0", "id": frame["id"], "result": result})]
    }
    let mut wants = Scenario::new("wants-sleep", Family::Documented, |_| Box::pin(std::future::pending()));
    wants.applies = Applies::EVERYWHERE.with_needs(&[Need::Tool("sleep")]);
    let mut target = Scripted::new(legacy_with_echo);
    target.offer = Offer::Unknown;
    let run = run(&[Box::leak(Box::new(wants))], &[target.shared()], &Options::default()).await;
    let reasons: Vec<&Status> = run.cells.iter().map(|cell| &cell.status).collect();
    assert_eq!(
        reasons,
        [
            &Status::Skipped("the server has no tool `sleep`".to_owned()),
            &Status::Skipped(
                "it does not speak the modern era: no answer to \"open\": the peer sent nothing for 5s".to_owned()
            ),
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn filters_choose_rows_and_columns() {
    fn script(ctx: Ctx) -> Script {
        Box::pin(async move {
            ctx.check("a", true, String::new);
            Ok(())
        })
    }
    let make = |id, row, family| -> &'static Scenario {
        let mut scenario = Scenario::new(id, family, script);
        scenario.row = row;
        scenario.checks = Box::leak(Box::new([must("a")]));
        Box::leak(Box::new(scenario))
    };
    let scenarios = [
        make("c2-one", Some("C2"), Family::Documented),
        make("c20-two", Some("C20"), Family::Documented),
        make("deep", None, Family::Hostile),
    ];
    let mut child = Scripted::new(pong);
    child.transport = Transport::ChildStdio;
    let targets = [Scripted::new(pong).shared(), child.shared()];
    let chosen = async |change: fn(&mut Options)| {
        let mut options = Options::default();
        change(&mut options);
        let run = run(&scenarios, &targets, &options).await;
        let name = |cell: &CellResult| cell.name();
        (run.cells.len(), run.cells.first().map(name))
    };
    assert_eq!(chosen(|_| {}).await, (12, Some("c2-one (memory/legacy)".to_owned())));
    let by_row = chosen(|options| options.filter.rows = vec!["c2".to_owned()]).await;
    assert_eq!(by_row, (4, Some("c2-one (memory/legacy)".to_owned())));
    let by_id = chosen(|options| options.filter.scenarios = vec!["c2".to_owned()]).await;
    assert_eq!(by_id.0, 8);
    let by_family = chosen(|options| options.filter.families = vec![Family::Hostile]).await;
    assert_eq!(by_family, (4, Some("deep (memory/legacy)".to_owned())));
    let by_column = chosen(|options| {
        options.filter.transports = vec![Transport::ChildStdio];
        options.filter.eras = vec![Era::Modern];
    });
    assert_eq!(by_column.await, (3, Some("c2-one (stdio/modern)".to_owned())));
    let by_nothing = chosen(|options| options.filter.rows = vec!["C99".to_owned()]).await;
    assert_eq!(by_nothing.0, 0);
}

#[tokio::test(start_paused = true)]
async fn a_run_without_a_cell_shows_nothing_and_fails() {
    let run = run(&[], &[Scripted::new(pong).shared()], &Options::default()).await;
    assert!(run.failed());
}

#[tokio::test(start_paused = true)]
async fn no_more_cells_run_at_a_time_than_there_are_jobs() {
    let slow = scenario([must("a")], |ctx| {
        Box::pin(async move {
            // tidy: waits for paused time, to see how much of it the cells share
            tokio::time::sleep(Duration::from_secs(1)).await;
            ctx.check("a", true, String::new);
            Ok(())
        })
    });
    let took = async |jobs| {
        let mut options = Options::default();
        options.jobs = jobs;
        options.filter.eras = vec![Era::Legacy];
        let began = tokio::time::Instant::now();
        run(&[slow; 6], &[Scripted::new(pong).shared()], &options).await;
        began.elapsed().as_secs()
    };
    assert_eq!(took(2).await, 3);
    assert_eq!(took(6).await, 1);
}
