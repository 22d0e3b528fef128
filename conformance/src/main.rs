//! `mcp-conformance`: replays documented endings of a connection against an MCP implementation.

mod cli;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
};

use anyhow::{Context, bail};
use clap::Parser;
use conformance::{
    http::Site,
    mutants, relay, report,
    runner::{self, Run},
    scenarios,
    target::Target,
    targets::{self, Child, ClientProgram, Own},
};

use tokio::runtime::Runtime;

use self::cli::{Cli, Command, RunArgs};

fn main() -> ExitCode {
    match act(Cli::parse().command) {
        Ok(code) => code,
        Err(error) => {
            cli::complain(&format!("mcp-conformance: {error:#}\n"));
            ExitCode::from(2)
        }
    }
}

fn act(command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::List => {
            cli::say(&report::list::render(&scenarios::all()))?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Server { url: Some(url), run, .. } => test_url(&url, &run),
        Command::Server { stdio: _, url: None, run, command } => {
            let mut words = command.into_iter();
            let Some(program) = words.next() else { bail!("name the server's command after `--`") };
            test(&[Arc::new(Child::foreign(program, words))], &run)
        }
        Command::Client { run, command } => {
            let mut words = command.into_iter();
            let Some(program) = words.next() else { bail!("name the client's command after `--`") };
            test(&[Arc::new(ClientProgram::foreign(program, words, this_program()?))], &run)
        }
        Command::Relay { socket } => {
            relay::run(&socket).context("relaying")?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Own { everything_server, everything_client, mutants, no_mutants, run } => {
            let server = built(&everything_server)?;
            let client = everything_client.as_deref().map(built).transpose()?;
            let which = match (mutants, no_mutants || !run.has_whole_rows()) {
                (true, _) => Which::Mutants,
                (false, true) => Which::Cells,
                (false, false) => Which::Both,
            };
            test_own(&Own::all(server, client, &this_program()?), &run, which)
        }
    }
}

/// The path of a program that must have been built.
fn built(path: &Path) -> anyhow::Result<&str> {
    let program = path.to_str().context("the path is not UTF-8")?;
    if !path.is_file() {
        bail!("{program} is not there: build it first");
    }
    Ok(program)
}

/// This program, which a client under test starts as its server.
fn this_program() -> anyhow::Result<PathBuf> {
    std::env::current_exe().context("finding this program")
}

/// What is run of this project's own programs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Which {
    Cells,
    Mutants,
    Both,
}

fn test(targets: &[Arc<dyn Target>], args: &RunArgs) -> anyhow::Result<ExitCode> {
    let run = runtime()?.block_on(runner::run(&scenarios::all(), targets, &args.options(4)));
    conclude(&run, args)
}

fn test_url(url: &str, args: &RunArgs) -> anyhow::Result<ExitCode> {
    let site = Site::parse(url).map_err(anyhow::Error::msg)?;
    // There is one server for all cells, and what one does to it is not to be held against another.
    let options = args.options(1);
    let run = runtime()?.block_on(async {
        let offered = targets::http::offered(&site, options.patience).await;
        let targets: Vec<Arc<dyn Target>> = offered.into_iter().map(|one| Arc::new(one) as _).collect();
        runner::run(&scenarios::all(), &targets, &options).await
    });
    conclude(&run, args)
}

fn test_own(programs: &[Own], args: &RunArgs, which: Which) -> anyhow::Result<ExitCode> {
    let (scenarios, options) = (scenarios::all(), args.options(8));
    let run = runtime()?.block_on(async {
        if which == Which::Mutants {
            return Run::of_mutants(mutants::run(&scenarios, programs, &options).await);
        }
        let targets: Vec<Arc<dyn Target>> = programs.iter().map(Own::right).collect();
        let mut run = runner::run(&scenarios, &targets, &options).await;
        if which == Which::Both {
            run.mutants = Some(mutants::run(&scenarios, programs, &options).await);
        }
        run
    });
    conclude(&run, args)
}

fn runtime() -> anyhow::Result<Runtime> {
    Ok(tokio::runtime::Builder::new_multi_thread().enable_all().build()?)
}

fn conclude(run: &Run, args: &RunArgs) -> anyhow::Result<ExitCode> {
    if run.is_empty() {
        bail!("no scenario is left by these filters; `mcp-conformance list` shows them all");
    }
    cli::say(&report::text::render(run, args.detail()))?;
    write_files(run, args)?;
    Ok(if run.failed() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn write_files(run: &Run, args: &RunArgs) -> anyhow::Result<()> {
    if let Some(path) = &args.json {
        let text = serde_json::to_string_pretty(&report::json::render(run))?;
        std::fs::write(path, text).with_context(|| format!("writing {}", path.display()))?;
    }
    if let Some(path) = &args.junit {
        let text = report::junit::render(run)?;
        std::fs::write(path, text).with_context(|| format!("writing {}", path.display()))?;
    }
    Ok(())
}
