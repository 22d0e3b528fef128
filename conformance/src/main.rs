//! `mcp-conformance`: replays documented endings of a connection against an MCP implementation.

mod cli;

use std::{process::ExitCode, sync::Arc};

use anyhow::{Context, bail};
use clap::Parser;
use conformance::{
    report,
    runner::{self, Run},
    scenarios,
    target::Target,
    targets::Child,
};

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
        Command::Server { stdio: _, run, command } => {
            let mut words = command.into_iter();
            let Some(program) = words.next() else { bail!("name the server's command after `--`") };
            test(&[Arc::new(Child::foreign(program, words))], &run)
        }
        Command::Own { everything_server, run } => {
            let program = everything_server.to_str().context("the path is not UTF-8")?;
            if !everything_server.is_file() {
                bail!("{program} is not there: build it first");
            }
            test(&[Arc::new(Child::contract(program, ["--stdio".to_owned()]))], &run)
        }
    }
}

fn test(targets: &[Arc<dyn Target>], args: &RunArgs) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let run = runtime.block_on(runner::run(&scenarios::all(), targets, &args.options()));
    if run.cells.is_empty() {
        bail!("no scenario is left by these filters; `mcp-conformance list` shows them all");
    }
    cli::say(&report::text::render(&run, args.detail()))?;
    write_files(&run, args)?;
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
