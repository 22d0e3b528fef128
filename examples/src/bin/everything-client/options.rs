//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, bail};
use clap::Parser;
use mcp_client::Client;
use mcp_session::engine::{Keeper, Rule, Table};
use mcp_session::limits::Limits;

/// Starts a server and plays the script in the environment variable SCRIPT against it.
#[derive(Debug, Parser)]
pub(crate) struct Options {
    /// Write a report of the connection, as JSON, to this file.
    #[arg(long, value_name = "PATH")]
    pub(crate) report_file: Option<PathBuf>,
    /// How long connecting may take, in milliseconds.
    #[arg(long, value_name = "N")]
    connect_ms: Option<u64>,
    /// How long the probe for the era may take, in milliseconds.
    #[arg(long, value_name = "N")]
    probe_ms: Option<u64>,
    /// Break one rule of the closing table, such as `C1`: tests that do not notice prove nothing.
    #[arg(long, value_name = "RULE", value_parser = rule)]
    mutant: Option<Rule>,
    /// The address of the server.
    #[arg(value_name = "URL", conflicts_with = "command")]
    url: Option<String>,
    /// The command that starts the server.
    #[arg(last = true, value_name = "PROGRAM ARGS")]
    command: Vec<String>,
}

/// How the server is started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Launch {
    /// As a child whose whole life is looked after.
    Keeping,
    /// Between two pipes that nobody looks after: what the child transport keeps is missing.
    Bare,
}

impl Options {
    /// The program to start, with its arguments.
    pub(crate) fn command(&self) -> Result<(&str, &[String])> {
        if let Some(url) = &self.url {
            bail!("this program does not speak HTTP: it cannot connect to {url}");
        }
        match self.command.split_first() {
            Some((program, arguments)) => Ok((program, arguments)),
            None => bail!("name the program that is the server after `--`"),
        }
    }

    pub(crate) fn apply(&self, client: Client) -> Client {
        let mut limits = Limits::default();
        limits.connect = self.connect_ms.map_or(limits.connect, Duration::from_millis);
        limits.era_probe = self.probe_ms.map_or(limits.era_probe, Duration::from_millis);
        let client = client.with_limits(limits);
        match self.mutant {
            Some(rule) if rule.keeper() == Keeper::Engine => client.with_table(Table::without(rule)),
            _ => client,
        }
    }

    pub(crate) fn launch(&self) -> Launch {
        match self.mutant {
            Some(rule) if rule.keeper() == Keeper::ChildProcess => Launch::Bare,
            _ => Launch::Keeping,
        }
    }
}

fn rule(name: &str) -> Result<Rule> {
    let rule = Rule::ALL.iter().copied().find(|rule| rule.to_string() == name);
    match rule {
        Some(rule) if matches!(rule.keeper(), Keeper::Engine | Keeper::ChildProcess) => Ok(rule),
        Some(rule) => bail!("{rule} is not kept by a client of stdio"),
        None => bail!("there is no rule of this name"),
    }
}
