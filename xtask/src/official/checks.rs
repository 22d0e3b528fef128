//! What the package writes down: a folder for each scenario, with a `checks.json`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::Context;
use serde::Deserialize;

/// One check of a scenario.
#[derive(Debug, Deserialize)]
pub(super) struct Check {
    pub(super) id: String,
    #[serde(default)]
    pub(super) description: String,
    pub(super) status: Status,
    #[serde(rename = "errorMessage")]
    pub(super) error: Option<String>,
}

/// How a check ended. Another word is an error: then the package has changed, and has to be looked at.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "UPPERCASE")]
pub(super) enum Status {
    Success,
    Failure,
    Warning,
    Skipped,
    Info,
}

impl Check {
    /// Whether it is a check of the scenario, and not the one that the package adds to all: that every message fits the
    /// schema, which a refusal does as well.
    pub(super) fn is_its_own(&self) -> bool {
        !self.id.starts_with("wire-schema-")
    }
}

/// The checks of a run, by scenario. `None` where a scenario was begun and wrote nothing.
pub(super) type Results = BTreeMap<String, Option<Vec<Check>>>;

pub(super) fn read_all(folder: &Path) -> anyhow::Result<Results> {
    let mut results = Results::new();
    let entries = fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some(scenario) = scenario_of(&name) else { continue };
        let checks = path.join("checks.json");
        let checks = if checks.exists() {
            let text = fs::read_to_string(&checks)?;
            Some(read(&text).with_context(|| format!("reading {}", checks.display()))?)
        } else {
            None
        };
        results.insert(scenario.to_owned(), checks);
    }
    Ok(results)
}

fn read(text: &str) -> serde_json::Result<Vec<Check>> {
    serde_json::from_str(text)
}

/// `server-tools-list-2026-01-02T03-04-05-678Z` is `tools-list`.
fn scenario_of(folder: &str) -> Option<&str> {
    const TIME: usize = "-2026-01-02T03-04-05-678Z".len();
    let name = folder.strip_prefix("server-")?;
    let at = name.len().checked_sub(TIME)?;
    let (scenario, time) = name.split_at_checked(at)?;
    let is_time = time.starts_with('-') && time.ends_with('Z') && time.as_bytes().get(11) == Some(&b'T');
    (is_time && !scenario.is_empty()).then_some(scenario)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn the_scenario_is_in_the_name_of_the_folder() {
        assert_eq!(scenario_of("server-tools-list-2026-11-30T22-16-49-123Z"), Some("tools-list"));
        assert_eq!(scenario_of("server-server-sse-polling-2026-11-30T22-16-49-123Z"), Some("server-sse-polling"));
        for other in
            ["server-tools-list", "log.txt", "server--2026-11-30T22-16-49-123", "tools-2026-11-30T22-16-49-123Z"]
        {
            assert_eq!(scenario_of(other), None, "{other}");
        }
    }

    #[test]
    fn checks_are_read_and_unknown_words_are_not() {
        let checks = read(
            r#"[{"id": "a", "name": "A", "description": "is so", "status": "SUCCESS", "timestamp": "t", "details": {}},
                {"id": "wire-schema-valid", "description": "", "status": "FAILURE", "errorMessage": "no"}]"#,
        )
        .unwrap();
        assert_eq!((checks[0].status, checks[0].is_its_own()), (Status::Success, true));
        assert_eq!((checks[1].error.as_deref(), checks[1].is_its_own()), (Some("no"), false));
        assert!(read(r#"[{"id": "a", "status": "EXCUSED"}]"#).is_err());
        assert!(read("{}").is_err());
    }
}
