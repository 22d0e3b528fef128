//! `cargo xtask conformance --official`: the conformance package of the MCP project, under a gate of our own.
//!
//! The package itself is content with a scenario that never failed, even when it never spoke to a server either. Here
//! a run counts when every scenario of the committed list ([`list`]) ran and made its checks ([`judge`]); that a server
//! which does nothing fails each of them is what the [`selftest`] shows.

use std::path::{Path, PathBuf};

use anyhow::{bail, ensure};

use self::judge::Verdict;
use self::list::List;
use crate::everything::HttpServer;
use crate::interop::node;
use crate::npm;
use crate::project::Project;

mod checks;
mod judge;
mod list;
mod package;
mod selftest;
mod table;

/// What to do with the official package.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Options {
    /// Run the conformance package of the MCP project against our server instead.
    #[arg(long)]
    pub(crate) official: bool,
    /// Run it against this server; ours is neither built nor started.
    #[arg(long, value_name = "URL", requires = "official")]
    url: Option<String>,
    /// Run only this scenario of it, in each revision that has it.
    #[arg(long, value_name = "SCENARIO", requires = "official")]
    only: Option<String>,
    /// Prove the gate: run it against a server that answers 404 to everything, and want every scenario to fail.
    #[arg(long, requires = "official", conflicts_with = "url")]
    selftest: bool,
}

impl Options {
    /// Everything on the list, against our server.
    pub(crate) fn whole() -> Self {
        Self { official: true, ..Self::default() }
    }
}

pub(crate) fn run(project: &Project, options: &Options) -> anyhow::Result<()> {
    let sources = project.root.join("conformance/official");
    let mut list = List::read(&sources.join("server.json"))?;
    if let Some(scenario) = &options.only {
        list.keep_only(scenario)?;
    }
    let place = Place::make(project, &sources)?;
    if options.selftest {
        return selftest::run(project, &list, &place);
    }
    let verdicts = match &options.url {
        Some(url) => play(project, &list, &place, url)?,
        None => {
            let program = project.build_release("examples", "everything-server")?;
            let server = HttpServer::start(&program, &place.results.join("server.log"))?;
            let verdicts = play(project, &list, &place, &server.url())?;
            server.stop()?;
            verdicts
        }
    };
    println!("\n{}", table::of(&verdicts));
    println!("\nwhat was sent and answered is below {}", place.results.display());
    if verdicts.iter().all(Verdict::is_as_listed) {
        Ok(())
    } else {
        bail!("not every scenario of the official package is as the list says")
    }
}

/// Runs everything on the list against a server.
fn play(project: &Project, list: &List, place: &Place, url: &str) -> anyhow::Result<Vec<Verdict>> {
    let mut verdicts = Vec::new();
    for run in &list.runs {
        let results = place.results.join(&run.name);
        project.shell.create_dir(&results)?;
        println!("-- {} against {url}: {} scenarios", run.name, run.scenarios.len());
        package::run(project, place, run, &results, url, list.is_partial)?;
        let written = checks::read_all(&results)?;
        ensure!(!written.is_empty(), "the package wrote nothing; what it said is below {}", results.display());
        verdicts.extend(judge::judge(run, &written));
    }
    Ok(verdicts)
}

/// Where the package is, and where its results go.
#[derive(Debug)]
struct Place {
    program: PathBuf,
    results: PathBuf,
}

impl Place {
    /// Installs the package, and makes a folder for new results.
    fn make(project: &Project, sources: &Path) -> anyhow::Result<Self> {
        let target = project.target_dir()?;
        node::provide(project, &target.join("interop"))?;
        let folder = target.join("official/package");
        npm::install(project, sources, &folder)?;
        println!("-- {PACKAGE} {}", npm::version(sources, PACKAGE)?);
        let results = target.join("official/results");
        project.shell.remove_path(&results)?;
        project.shell.create_dir(&results)?;
        Ok(Self { program: folder.join("node_modules").join(PACKAGE).join("dist/index.js"), results })
    }
}

const PACKAGE: &str = "@modelcontextprotocol/conformance";
