//! The gate: what came of a run, beside what the list wants.

use super::checks::{Check, Results, Status};
use super::list::{Expected, Run};

/// What became of a scenario.
#[derive(Debug)]
pub(super) struct Verdict {
    pub(super) run: String,
    pub(super) scenario: String,
    /// Whether the package began it.
    pub(super) has_run: bool,
    /// How many of its own checks succeeded, and how many have to.
    pub(super) successes: usize,
    pub(super) wanted: usize,
    /// What is wrong; empty when it holds.
    pub(super) faults: Vec<String>,
    /// Why it need not hold, from the list.
    pub(super) unmet: Option<String>,
}

impl Verdict {
    /// Whether nothing is wrong with it.
    pub(super) fn holds(&self) -> bool {
        self.faults.is_empty()
    }

    /// Whether it holds, or is known not to.
    pub(super) fn is_as_listed(&self) -> bool {
        self.holds() != self.unmet.is_some()
    }
}

/// Judges a run, in the order of the list.
pub(super) fn judge(run: &Run, results: &Results) -> Vec<Verdict> {
    let mut verdicts: Vec<_> = run.scenarios.iter().map(|expected| of_scenario(&run.name, expected, results)).collect();
    let failed: Vec<_> = verdicts.iter().filter(|verdict| !verdict.holds()).map(|one| one.scenario.clone()).collect();
    for (expected, verdict) in run.scenarios.iter().zip(&mut verdicts) {
        let missing = expected.rests_on.iter().filter(|other| failed.contains(other));
        verdict.faults.extend(missing.map(|other| format!("it says nothing while {other} does not hold")));
    }
    let is_listed = |name: &str| run.scenarios.iter().any(|expected| expected.scenario == name);
    let others = results.keys().filter(|name| !is_listed(name));
    verdicts.extend(others.map(|name| Verdict {
        run: run.name.clone(),
        scenario: name.clone(),
        has_run: true,
        successes: 0,
        wanted: 0,
        faults: vec!["it is not on the list: say there what it has to show".to_owned()],
        unmet: None,
    }));
    verdicts
}

fn of_scenario(run: &str, expected: &Expected, results: &Results) -> Verdict {
    let mut verdict = Verdict {
        run: run.to_owned(),
        scenario: expected.scenario.clone(),
        has_run: results.contains_key(&expected.scenario),
        successes: 0,
        wanted: expected.successes,
        faults: Vec::new(),
        unmet: expected.unmet.clone(),
    };
    match results.get(&expected.scenario) {
        None => verdict.faults.push("it did not run".to_owned()),
        Some(None) => verdict.faults.push("it broke off without a result".to_owned()),
        Some(Some(checks)) => look(expected, checks, &mut verdict),
    }
    verdict
}

fn look(expected: &Expected, checks: &[Check], verdict: &mut Verdict) {
    for check in checks {
        match check.status {
            Status::Success if check.is_its_own() => verdict.successes += 1,
            Status::Success | Status::Info => {}
            Status::Failure => verdict.faults.push(fault("failure", check)),
            Status::Warning => verdict.faults.push(fault("warning", check)),
            Status::Skipped if expected.skips.contains_key(&check.id) => {}
            Status::Skipped => verdict.faults.push(fault("skipped", check)),
        }
    }
    let is_skipped = |id: &str| checks.iter().any(|check| check.id == id && check.status == Status::Skipped);
    let excused = expected.skips.keys().filter(|id| !is_skipped(id));
    verdict.faults.extend(excused.map(|id| format!("{id} was not skipped: take it off the list")));
    if verdict.successes < expected.successes {
        verdict.faults.push(format!("{} of its checks succeeded, not {}", verdict.successes, expected.successes));
    }
}

fn fault(what: &str, check: &Check) -> String {
    format!("{what}: {}: {}", check.id, check.error.as_ref().unwrap_or(&check.description))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::super::list::List;
    use super::*;

    /// The verdict on scenario `a`, of a list with this in it, when the package wrote this.
    fn verdict(expected: &str, written: Option<&str>) -> Verdict {
        all(&format!(r#"{{"scenario": "a", {expected}}}"#), &[("a", written)]).remove(0)
    }

    fn all(scenarios: &str, written: &[(&str, Option<&str>)]) -> Vec<Verdict> {
        let list = List::parse(&format!(r#"{{"runs": [{{"name": "r", "scenarios": [{scenarios}]}}]}}"#)).unwrap();
        let read = |checks: &str| serde_json::from_str(checks).unwrap();
        let results = written.iter().map(|(name, checks)| ((*name).to_owned(), checks.map(read))).collect();
        judge(&list.runs[0], &results)
    }

    const GOOD: &str = r#"[{"id": "x", "description": "x is so", "status": "SUCCESS"},
        {"id": "noted", "status": "INFO"}, {"id": "wire-schema-valid", "status": "SUCCESS"}]"#;

    #[test]
    fn a_scenario_that_made_its_checks_holds() {
        let good = verdict(r#""successes": 1"#, Some(GOOD));
        assert!(good.holds() && good.is_as_listed(), "{good:?}");
        assert_eq!((good.successes, good.wanted), (1, 1));
    }

    #[test]
    fn too_few_successes_are_none() {
        let few = verdict(r#""successes": 2"#, Some(GOOD));
        assert_eq!(few.faults, ["1 of its checks succeeded, not 2"]);
        // That a refusal fits the schema says nothing about the scenario.
        let vacuous = verdict(r#""successes": 1"#, Some(r#"[{"id": "wire-schema-valid", "status": "SUCCESS"}]"#));
        assert_eq!(vacuous.faults, ["0 of its checks succeeded, not 1"]);
        assert!(!verdict(r#""successes": 1"#, Some("[]")).holds());
    }

    #[test]
    fn a_scenario_that_did_not_run_or_broke_off_fails() {
        let absent = all(r#"{"scenario": "a", "successes": 1}"#, &[]).remove(0);
        assert_eq!((absent.has_run, &*absent.faults), (false, &["it did not run".to_owned()][..]));
        let broken = verdict(r#""successes": 1"#, None);
        assert_eq!((broken.has_run, &*broken.faults), (true, &["it broke off without a result".to_owned()][..]));
    }

    #[test]
    fn failures_and_warnings_are_told_as_the_package_tells_them() {
        for (status, word) in [("FAILURE", "failure"), ("WARNING", "warning"), ("SKIPPED", "skipped")] {
            let checks = format!(
                r#"[{{"id": "x", "status": "SUCCESS"}}, {{"id": "y", "status": "{status}", "errorMessage": "not so"}},
                    {{"id": "z", "status": "{status}", "description": "z is so"}}]"#
            );
            let bad = verdict(r#""successes": 1"#, Some(&checks));
            assert_eq!(bad.faults, [format!("{word}: y: not so"), format!("{word}: z: z is so")]);
        }
    }

    #[test]
    fn a_skip_has_to_be_on_the_list_and_to_happen() {
        let skipping = r#"[{"id": "x", "status": "SUCCESS"}, {"id": "y", "status": "SKIPPED"}]"#;
        let listed = r#""successes": 1, "skips": {"y": "because"}"#;
        assert!(verdict(listed, Some(skipping)).holds());
        assert_eq!(verdict(listed, Some(GOOD)).faults, ["y was not skipped: take it off the list"]);
    }

    #[test]
    fn what_is_known_not_to_hold_may_not_hold() {
        let listed = r#""successes": 1, "unmet": "not there yet""#;
        assert!(!verdict(listed, Some(GOOD)).is_as_listed());
        assert!(verdict(listed, Some("[]")).is_as_listed());
        assert!(!verdict(r#""successes": 1"#, Some("[]")).is_as_listed());
    }

    #[test]
    fn a_scenario_says_nothing_without_those_it_rests_on() {
        let list = r#"{"scenario": "a", "successes": 1, "rests_on": ["b"]}, {"scenario": "b", "successes": 1}"#;
        let verdicts = all(list, &[("a", Some(GOOD)), ("b", Some("[]"))]);
        assert_eq!(verdicts[0].faults, ["it says nothing while b does not hold"]);
        assert!(all(list, &[("a", Some(GOOD)), ("b", Some(GOOD))]).iter().all(Verdict::holds));
    }

    #[test]
    fn a_scenario_that_nobody_expected_fails() {
        let verdicts = all(r#"{"scenario": "a", "successes": 1}"#, &[("a", Some(GOOD)), ("new", Some(GOOD))]);
        assert!(verdicts[0].is_as_listed() && !verdicts[1].is_as_listed());
        assert_eq!(verdicts[1].scenario, "new");
    }
}
