//! What holds for every scenario.

use std::collections::HashSet;

use conformance::{
    report,
    scenario::{Era, Source},
    scenarios,
};

#[test]
fn ids_are_unique_and_speak_of_their_row() {
    let mut ids = HashSet::new();
    for scenario in scenarios::all() {
        assert!(ids.insert(scenario.id), "{} is there twice", scenario.id);
        if let Some(row) = scenario.row {
            let prefix = format!("{}-", row.to_lowercase());
            assert!(scenario.id.starts_with(&prefix), "{} is of row {row}", scenario.id);
        }
    }
}

#[test]
fn each_says_what_it_requires_and_where_that_is_written() {
    for scenario in scenarios::all() {
        let id = scenario.id;
        assert!(!scenario.title.is_empty() && !scenario.requirement.is_empty(), "{id}");
        assert!(!scenario.sources.is_empty(), "{id} has no source");
        let nowhere = scenario.applies.eras.is_empty();
        assert_eq!(scenario.checks.is_empty(), nowhere, "{id} checks nothing");
        let checks: HashSet<_> = scenario.checks.iter().map(|check| check.id).collect();
        assert_eq!(checks.len(), scenario.checks.len(), "{id} announces a check twice");
        let partial = scenario.applies.eras.len() < Era::ALL.len();
        assert!(!partial || !scenario.applies.why.is_empty(), "{id} leaves an era out, without why");
    }
}

#[test]
fn sources_are_known_revisions_and_rows() {
    const REVISIONS: [&str; 5] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];
    for scenario in scenarios::all() {
        for source in scenario.sources {
            match source {
                Source::Spec { revision, .. } => assert!(REVISIONS.contains(revision), "{source}"),
                Source::ClosingTable(row) => assert!(row.starts_with('C'), "{source}"),
                Source::Issue { repository, .. } => assert!(!repository.is_empty(), "{source}"),
                _ => {}
            }
        }
    }
}

#[test]
fn the_list_names_every_scenario() {
    let list = report::list::render(&scenarios::all());
    for scenario in scenarios::all() {
        assert!(list.contains(&format!("{}  [", scenario.id)), "{} is not listed", scenario.id);
    }
}
