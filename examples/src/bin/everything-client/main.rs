//! A client that plays a script: what conformance suites are run against.
//!
//! It starts a server (`everything-client -- PROGRAM ARG…`), plays the steps in the environment variable `SCRIPT`, and
//! prints one JSON line for each. Its exit status is 0 when the script was played, whatever came of its steps.

mod bare;
mod options;

use std::env;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use clap::Parser as _;
use examples::everything::Summary;
use examples::everything_client::{DEFAULT, Player, Script};
use mcp_client::ChildProcess;
use mcp_session::engine::Report;
use serde_json::Value;

use self::bare::Bare;
use self::options::{Launch, Options};

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match run(&Options::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // When even this cannot be written, there is nobody left to tell.
            drop(writeln!(io::stderr(), "everything-client: {error:#}"));
            ExitCode::from(2)
        }
    }
}

async fn run(options: &Options) -> anyhow::Result<()> {
    let (program, arguments) = options.command()?;
    let script = Script::parse(&env::var("SCRIPT").unwrap_or_else(|_| DEFAULT.to_owned()));
    let player = Player::new(Arc::new(|line| print(&line)));
    let client = options.apply(player.client());
    let connected = match options.launch() {
        Launch::Keeping => client.connect(ChildProcess::new(program).args(arguments)).await,
        Launch::Bare => client.connect(Bare::new(program, arguments)).await,
    };
    match player.play(connected, &script).await {
        Some(report) => write_report(options, &report),
        None => Ok(()),
    }
}

fn write_report(options: &Options, report: &Report) -> anyhow::Result<()> {
    let Some(path) = &options.report_file else { return Ok(()) };
    let json = serde_json::to_vec(&Summary::new(report, report.exit_code()))?;
    std::fs::write(path, json).with_context(|| format!("writing the report to {}", path.display()))
}

/// Prints a line. When nobody reads it any more, there is nobody left to tell either.
fn print(line: &Value) {
    let mut out = io::stdout().lock();
    drop(writeln!(out, "{line}").and_then(|()| out.flush()));
}
