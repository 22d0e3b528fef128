//! Mutants are killed by scenarios that look, and survive those that do not.

use std::collections::HashSet;

use conformance::{
    mutants::{self, Change, Mutant, Verdict},
    report::{self, text::Detail},
    runner::{Options, Run},
    scenario::{Era, Family, Role, Scenario, must},
    scenarios,
    targets::Own,
};
use mcp_session::engine::{Keeper, Rule, Table};

fn only_c10() -> Options {
    let mut options = Options::default();
    options.filter.rows = vec!["C10".to_owned()];
    options.filter.eras = vec![Era::Legacy];
    options
}

#[tokio::test]
async fn a_server_that_ignores_cancellations_is_killed_by_their_scenario() {
    let survey = mutants::run(&scenarios::all(), &[Own::Server], &only_c10()).await;
    let verdicts: Vec<_> = survey.results.iter().map(|result| &result.verdict).collect();
    let [Verdict::Killed { by, check }] = verdicts.as_slice() else { panic!("{verdicts:?}") };
    assert_eq!((*by, check.as_str()), ("c10-cancel-running", "no-message-for-it"));
    assert!(!survey.failed());
}

#[tokio::test]
async fn a_mutant_that_no_scenario_notices_fails_the_run() {
    let mut blind = Scenario::new("c10-blind", Family::Documented, |ctx| {
        Box::pin(async move {
            ctx.check("looked-away", true, String::new);
            Ok(())
        })
    });
    blind.row = Some("C10");
    blind.checks = const { &[must("looked-away")] };
    let survey = mutants::run(&[Box::leak(Box::new(blind))], &[Own::Server], &only_c10()).await;
    let run = Run::of_mutants(survey);
    assert!(run.failed());
    let text = report::text::render(&run, Detail::Failures);
    assert!(text.contains("✗ C10 SURVIVED (memory/legacy): passed c10-blind"), "{text}");
    assert!(text.ends_with("0 mutants killed, 1 survived\n"), "{text}");
    assert_eq!(report::json::render(&run)["mutants"][0]["verdict"], "survived");
    let xml = report::junit::render(&run).expect("the report can be written");
    assert!(xml.contains(r#"<testsuite name="mutants" tests="1""#) && xml.contains("failures=\"1\""), "{xml}");
}

#[test]
fn every_row_of_the_table_has_its_place() {
    let rows: HashSet<&str> = scenarios::all().iter().filter_map(|scenario| scenario.row).collect();
    let missing: Vec<String> = Rule::ALL
        .iter()
        .map(ToString::to_string)
        .filter(|rule| rule.starts_with('C') && !rows.contains(rule.as_str()))
        .collect();
    assert_eq!(missing, [""; 0]);
}

#[test]
fn every_mutant_differs_from_the_table() {
    let standard = Table::standard();
    // What is kept for child processes is in no table.
    for rule in mutants::rules().filter(|rule| rule.keeper() == Keeper::Engine) {
        for role in Role::ALL {
            let mutant = Mutant::of(rule, role);
            let (wrong, right) = (mutant.table(), &standard);
            match mutant.change() {
                Change::Without => assert!(wrong.rows().len() < right.rows().len(), "{rule} {role}"),
                _ => {
                    let pairs = wrong.rows().iter().zip(right.rows());
                    assert_eq!(pairs.filter(|(wrong, right)| wrong.then != right.then).count(), 1, "{rule} {role}");
                }
            }
        }
    }
}
