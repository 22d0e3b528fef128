//! `cargo xtask interop`: what others wrote against what we wrote.
//!
//! The official clients drive our server ([`clients`]), and our client drives servers that are used in the field
//! ([`servers`]).

use anyhow::bail;
use clap::builder::PossibleValuesParser;

use crate::project::Project;

mod clients;
mod conversation;
mod node;
mod outcome;
mod python;
mod servers;
mod typescript;

pub(crate) fn run(project: &Project, only: Option<&str>) -> anyhow::Result<()> {
    let is_chosen = |name: &str| only.is_none_or(|only| only == name);
    node::provide(project, &project.target_dir()?.join("interop"))?;
    let with_clients = clients::run(project, is_chosen)?;
    let with_servers = servers::run(project, is_chosen)?;
    println!("\n{}", [with_clients.summary, with_servers.summary].join("\n").trim());
    if with_clients.agreed && with_servers.agreed { Ok(()) } else { bail!("we do not agree with everybody") }
}

/// The names of the peers, for the command line.
pub(crate) fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(clients::names().chain(servers::names()))
}

/// What came of a group of peers: a line for each, and whether all is well.
struct Verdict {
    summary: String,
    agreed: bool,
}
