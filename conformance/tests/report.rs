//! The reports of one run that has a cell of each kind.

mod support;

use conformance::{
    report,
    runner::{Options, Run, run},
    scenario::{Applies, Ctx, Family, Scenario, Stop, issue, must, row, should, spec},
    target::Transport,
};
use serde_json::json;
use support::{Scripted, pong};

async fn asks(ctx: Ctx, method: &'static str) -> Result<(), Stop> {
    let mut session = ctx.open().await?;
    session.send(&json!({"jsonrpc": "2.0", "id": 1, "method": method})).await;
    let answer = session.answer_to(1).await?;
    ctx.equal("answered", &answer["result"], &json!({}));
    let ending = session.finish().await;
    ctx.report("on-time", &ending, |report| report["on_time"] == true);
    Ok(())
}

static SCENARIOS: [Scenario; 3] = {
    let mut good = Scenario::new("c10-good", Family::Documented, |ctx| Box::pin(asks(ctx, "ping")));
    good.row = Some("C10");
    good.title = "a ping is answered";
    good.requirement = "the receiver must respond promptly";
    good.sources = &[row("C10"), spec("2025-11-25", "basic/utilities/ping")];
    good.checks = &[must("answered"), should("on-time")];
    let mut bad = Scenario::new("c2-bad", Family::Documented, |ctx| Box::pin(asks(ctx, "nope")));
    bad.row = Some("C2");
    bad.title = "a request is answered";
    bad.requirement = "the receiver must respond";
    bad.sources = &[issue("python-sdk", 2678)];
    bad.checks = &[must("answered"), must("on-time")];
    bad.applies = Applies::legacy_only("no such thing there");
    let mut free = Scenario::new("free", Family::Hostile, |ctx| Box::pin(asks(ctx, "ping")));
    free.title = "beside the table";
    free.requirement = "none";
    free.checks = &[must("answered"), must("on-time")];
    free.applies = Applies::modern_only("only there");
    [good, bad, free]
};

async fn a_run() -> Run {
    let mut late = Scripted::new(pong);
    late.report = Some(json!({"tasks_alive": 0, "pending_slots": 0, "on_time": false}));
    let mut good = Scripted::new(pong);
    good.transport = Transport::ChildStdio;
    good.report = Some(json!({"tasks_alive": 0, "pending_slots": 0, "on_time": true}));
    let scenarios: Vec<&'static Scenario> = SCENARIOS.iter().collect();
    run(&scenarios, &[late.shared(), good.shared()], &Options::default()).await
}

#[tokio::test(start_paused = true)]
async fn the_matrix_and_what_it_says_of_failures() {
    let text = report::text::render(&a_run().await, report::text::Detail::Failures);
    insta::assert_snapshot!(text);
}

#[tokio::test(start_paused = true)]
async fn frames_of_cells_that_passed_are_shown_on_demand() {
    let run = a_run().await;
    let few = report::text::render(&run, report::text::Detail::Failures);
    let all = report::text::render(&run, report::text::Detail::Frames);
    assert!(!few.contains("✓ c10-good (stdio/legacy)"));
    assert!(all.contains("✓ c10-good (stdio/legacy)"));
}

#[tokio::test(start_paused = true)]
async fn the_json_report_has_every_cell() {
    let mut json = report::json::render(&a_run().await);
    // Real time is the only thing in it that differs from run to run.
    for cell in json["cells"].as_array_mut().into_iter().flatten() {
        assert!(cell["elapsed_ms"].take().is_f64());
    }
    insta::assert_snapshot!(format!("{json:#}"));
}

#[tokio::test(start_paused = true)]
async fn the_junit_report_has_a_suite_for_each_column() {
    let xml = report::junit::render(&a_run().await).expect("the report can be written");
    let counts = ["<testsuite ", "<testcase ", "<failure ", "<skipped "];
    let counts = counts.map(|tag| xml.matches(tag).count());
    assert_eq!(counts, [4, 12, 3, 4], "{xml}");
    assert!(xml.contains(r#"classname="C10""#), "{xml}");
}
