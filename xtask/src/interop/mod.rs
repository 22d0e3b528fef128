//! `cargo xtask interop`: what others wrote against what we wrote.
//!
//! The official clients and the Inspector drive our server ([`clients`], [`inspector`]), and our client drives servers
//! that are used in the field ([`servers`]).

use anyhow::bail;
use clap::builder::PossibleValuesParser;

use crate::project::Project;

mod clients;
mod conversation;
mod inspector;
pub(crate) mod node;
mod outcome;
mod python;
mod servers;
mod typescript;
mod witness;

pub(crate) fn run(project: &Project, only: Option<&str>) -> anyhow::Result<()> {
    run_all(project, |name| only.is_none_or(|only| only == name))
}

/// Runs the Inspector alone, in all its columns.
pub(crate) fn run_inspector(project: &Project) -> anyhow::Result<()> {
    run_all(project, |name| inspector::names().any(|column| column == name))
}

fn run_all(project: &Project, is_chosen: impl Fn(&str) -> bool) -> anyhow::Result<()> {
    node::provide(project, &project.target_dir()?.join("interop"))?;
    let groups =
        [clients::run(project, &is_chosen)?, inspector::run(project, &is_chosen)?, servers::run(project, &is_chosen)?];
    let summaries: Vec<_> = groups.iter().map(|group| group.summary.trim()).filter(|text| !text.is_empty()).collect();
    println!("\n{}", summaries.join("\n"));
    if groups.iter().all(|group| group.agreed) { Ok(()) } else { bail!("we do not agree with everybody") }
}

/// The names of the peers, for the command line.
pub(crate) fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(clients::names().chain(inspector::names()).chain(servers::names()))
}

/// What came of a group of peers: a line for each, and whether all is well.
struct Verdict {
    summary: String,
    agreed: bool,
}
