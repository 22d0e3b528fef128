//! Running the package.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::ensure;
use xshell::cmd;

use super::Place;
use super::list::Run;
use crate::limited;
use crate::project::Project;

/// Runs what a run of the list is about. What came of it is in the folder for results, and nowhere else: the exit status
/// of the package says only whether something that it counts has failed.
pub(super) fn run(
    project: &Project,
    place: &Place,
    run: &Run,
    results: &Path,
    url: &str,
    is_partial: bool,
) -> anyhow::Result<()> {
    match &run.requirements {
        Some(revision) if !is_partial => start(project, place, results, "log.txt", url, &["--requirements", revision]),
        revision => {
            for expected in &run.scenarios {
                let scenario = &*expected.scenario;
                let mut arguments = vec!["--scenario", scenario];
                // A set of requirements has its say over which revisions a scenario belongs to.
                arguments.extend(revision.iter().flat_map(|revision| ["--spec-version", revision, "--force"]));
                start(project, place, results, &format!("{scenario}.txt"), url, &arguments)?;
            }
            Ok(())
        }
    }
}

fn start(
    project: &Project,
    place: &Place,
    results: &Path,
    log: &str,
    url: &str,
    arguments: &[&str],
) -> anyhow::Result<()> {
    let program = &place.program;
    ensure!(program.exists(), "{} is not there", program.display());
    let command = cmd!(project.shell, "node {program} server --url {url} -o {results} {arguments...}");
    let log = results.join(log);
    limited::run(Command::from(command), &log, &log, LONGEST).map(drop)
}

/// How long a set of requirements may take. It takes less than a minute with a server that answers.
const LONGEST: Duration = Duration::from_secs(10 * 60);
