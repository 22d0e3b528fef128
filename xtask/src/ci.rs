//! `cargo xtask ci`: what continuous integration runs.

use std::time::{Duration, Instant};

use anyhow::Context;
use clap::builder::PossibleValuesParser;
use xshell::cmd;

use crate::project::Project;
use crate::{conformance, docs, engine_alone, features, interop, licences, official, test, tidy};

pub(crate) fn run(project: &Project, only: Option<&str>) -> anyhow::Result<()> {
    let steps: Vec<&Step> = STEPS.iter().filter(|step| only.is_none_or(|name| name == step.name)).collect();
    let mut done = Vec::new();
    for (number, step) in (1..).zip(&steps) {
        println!("\n== {number}/{} {}: {}", steps.len(), step.name, step.about);
        let begun = Instant::now();
        let outcome = (step.run)(project);
        let took = begun.elapsed();
        outcome.with_context(|| failure(step, took))?;
        println!("== {} passed in {:.1} s", step.name, took.as_secs_f64());
        done.push((step.name, took));
    }
    println!("\n{}", summary(&done));
    Ok(())
}

/// The names of the steps, for the command line.
pub(crate) fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(STEPS.iter().map(|step| step.name))
}

fn failure(step: &Step, took: Duration) -> String {
    format!("step `{}` failed after {:.1} s; run it alone with `{}`", step.name, took.as_secs_f64(), step.alone)
}

fn summary(done: &[(&str, Duration)]) -> String {
    let total: Duration = done.iter().map(|(_, took)| *took).sum();
    let mut lines = vec![format!("all passed in {:.1} s", total.as_secs_f64())];
    lines.extend(done.iter().map(|(name, took)| format!("{:>8.1} s  {name}", took.as_secs_f64())));
    lines.join("\n")
}

struct Step {
    name: &'static str,
    about: &'static str,
    alone: &'static str,
    run: fn(&Project) -> anyhow::Result<()>,
}

/// Cheap steps come first, so that a slip shows early.
#[rustfmt::skip]
const STEPS: &[Step] = &[
    Step { name: "fmt",          about: "the code is formatted",                          alone: "cargo fmt --all --check",            run: fmt },
    Step { name: "tidy",         about: "the house rules that no linter can keep",        alone: "cargo xtask tidy",                   run: tidy::run },
    Step { name: "licences",     about: "permissive licences only",                       alone: "cargo xtask ci --only licences",     run: licences::check },
    Step { name: "engine-alone", about: "the engine builds without a runtime below it",   alone: "cargo xtask ci --only engine-alone", run: engine_alone::check },
    Step { name: "features",     about: "each feature of each crate builds alone",        alone: "cargo xtask ci --only features",     run: features::check },
    Step { name: "clippy",       about: "no warning in any target",                       alone: "cargo xtask ci --only clippy",       run: clippy },
    Step { name: "test",         about: "every test of the workspace",                    alone: "cargo xtask test",                   run: test::run },
    Step { name: "docs",         about: "the API docs build without a warning",           alone: "cargo xtask ci --only docs",         run: docs::build },
    Step { name: "conformance",  about: "the suite against our own server",               alone: "cargo xtask conformance",            run: |project| conformance::run(project, &[]) },
    Step { name: "official",     about: "the official suite against our server",          alone: "cargo xtask conformance --official", run: official },
    Step { name: "interop",      about: "our server and client with those of others",     alone: "cargo xtask interop",                run: |project| interop::run(project, None) },
];

fn fmt(project: &Project) -> anyhow::Result<()> {
    cmd!(project.shell, "cargo fmt --all --check").run()?;
    Ok(())
}

fn official(project: &Project) -> anyhow::Result<()> {
    official::run(project, &official::Options::whole())
}

fn clippy(project: &Project) -> anyhow::Result<()> {
    cmd!(project.shell, "cargo clippy --locked --workspace --all-features --all-targets -- -D warnings").run()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_says_which_step_and_how_to_run_it_alone() {
        let step = Step { name: "fmt", about: "", alone: "cargo fmt --all --check", run: |_| Ok(()) };
        assert_eq!(
            failure(&step, Duration::from_millis(1250)),
            "step `fmt` failed after 1.2 s; run it alone with `cargo fmt --all --check`"
        );
    }

    #[test]
    fn the_summary_adds_up() {
        let done = [("fmt", Duration::from_millis(500)), ("tidy", Duration::from_millis(1500))];
        assert_eq!(summary(&done), "all passed in 2.0 s\n     0.5 s  fmt\n     1.5 s  tidy");
    }
}
