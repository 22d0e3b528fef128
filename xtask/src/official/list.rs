//! The committed list: which scenarios there are, and what each has to show.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, bail, ensure};
use serde::Deserialize;

/// All runs of the package.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct List {
    pub(super) runs: Vec<Run>,
    /// Whether scenarios were taken off it.
    #[serde(skip)]
    pub(super) is_partial: bool,
}

/// One run of the package.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Run {
    pub(super) name: String,
    /// The revision whose requirements are run. Without one, each scenario is run by itself.
    pub(super) requirements: Option<String>,
    pub(super) scenarios: Vec<Expected>,
}

/// What a scenario has to show.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Expected {
    pub(super) scenario: String,
    /// How many of its own checks succeed at least.
    pub(super) successes: usize,
    /// Scenarios of the same run without which this one says nothing: it is content with a server that only refuses.
    #[serde(default)]
    pub(super) rests_on: Vec<String>,
    /// Checks that may be skipped, each with the reason.
    #[serde(default)]
    pub(super) skips: BTreeMap<String, String>,
    /// Why it does not hold yet. One that holds all the same is a mistake in the list.
    pub(super) unmet: Option<String>,
}

impl List {
    pub(super) fn read(path: &Path) -> anyhow::Result<Self> {
        let text = fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
        Self::parse(&text).with_context(|| format!("reading {}", path.display()))
    }

    pub(super) fn parse(text: &str) -> anyhow::Result<Self> {
        let list: Self = serde_json::from_str(text)?;
        for run in &list.runs {
            for (at, expected) in run.scenarios.iter().enumerate() {
                let name = &expected.scenario;
                let has = |name: &str| run.scenarios.iter().any(|other| other.scenario == name);
                ensure!(expected.successes > 0, "{name} would pass without any check");
                ensure!(run.scenarios[..at].iter().all(|other| other.scenario != *name), "{name} is there twice");
                ensure!(
                    expected.rests_on.iter().all(|other| has(other)),
                    "{name} rests on what {} does not have",
                    run.name
                );
                let mut reasons = expected.skips.values().chain(&expected.unmet);
                ensure!(reasons.all(|reason| !reason.trim().is_empty()), "an exception of {name} has no reason");
            }
        }
        Ok(list)
    }

    /// Takes every other scenario off the list.
    pub(super) fn keep_only(&mut self, scenario: &str) -> anyhow::Result<()> {
        for run in &mut self.runs {
            run.scenarios.retain(|expected| expected.scenario == scenario);
            for expected in &mut run.scenarios {
                // What it rests on is not run.
                expected.rests_on.clear();
            }
        }
        self.runs.retain(|run| !run.scenarios.is_empty());
        self.is_partial = true;
        if self.runs.is_empty() {
            bail!("there is no scenario `{scenario}` on the list");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn list(scenarios: &str) -> anyhow::Result<List> {
        List::parse(&format!(r#"{{"runs": [{{"name": "r", "scenarios": [{scenarios}]}}]}}"#))
    }

    #[test]
    fn the_committed_list_is_sound_and_complete() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let list = List::read(&root.join("conformance/official/server.json")).unwrap();
        let counts: Vec<_> = list.runs.iter().map(|run| (&*run.name, run.scenarios.len())).collect();
        assert_eq!(counts, [("2025-11-25", 33), ("2026-07-28", 50), ("beside", 3)]);
        for run in &list.runs {
            assert!(run.requirements.as_ref().is_none_or(|revision| *revision == run.name));
        }
    }

    #[test]
    fn a_list_that_would_excuse_too_much_is_refused() {
        assert!(list(r#"{"scenario": "a", "successes": 1, "skips": {"b": "because"}}"#).is_ok());
        for wrong in [
            r#"{"scenario": "a", "successes": 0}"#,
            r#"{"scenario": "a"}"#,
            r#"{"scenario": "a", "successes": 1, "unmet": " "}"#,
            r#"{"scenario": "a", "successes": 1, "skips": {"b": ""}}"#,
            r#"{"scenario": "a", "successes": 1, "rests_on": ["b"]}"#,
            r#"{"scenario": "a", "successes": 1, "umnet": "because"}"#,
            r#"{"scenario": "a", "successes": 1}, {"scenario": "a", "successes": 1}"#,
        ] {
            assert!(list(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn one_scenario_alone_rests_on_nothing() {
        let two = r#"{"scenario": "a", "successes": 1}, {"scenario": "b", "successes": 1, "rests_on": ["a"]}"#;
        let mut one = list(two).unwrap();
        one.keep_only("b").unwrap();
        assert!(one.is_partial && one.runs[0].scenarios.len() == 1 && one.runs[0].scenarios[0].rests_on.is_empty());
        assert!(list(two).unwrap().keep_only("c").is_err());
    }
}
