//! The command line.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use clap::{Parser, ValueEnum};
use mcp_server::{Limits, Server};
use mcp_session::engine::{AtReadEnd, Keeper, Rule, Table};

use crate::over_http::{Http, OverHttp};
use crate::report::Places;

/// A server with a tool for everything that a tool can do.
#[derive(Debug, Parser)]
pub(crate) struct Options {
    /// Serve over standard input and output.
    #[arg(long, required_unless_present = "http", conflicts_with = "http")]
    stdio: bool,
    /// Serve over HTTP at this address, under `/mcp`. The address is printed, as its port may be 0.
    #[arg(long, value_name = "ADDRESS")]
    http: Option<SocketAddr>,
    #[command(flatten)]
    over_http: OverHttp,
    /// How long requests in flight may take to end, in milliseconds.
    #[arg(long, value_name = "N")]
    drain_ms: Option<u64>,
    /// How long a write may make no progress, in milliseconds.
    #[arg(long, value_name = "N")]
    write_stall_ms: Option<u64>,
    /// How many requests may be in flight.
    #[arg(long, value_name = "N")]
    in_flight: Option<usize>,
    /// How many requests may wait for one in flight to end.
    #[arg(long, value_name = "N")]
    queue: Option<usize>,
    /// How many blocking tools may run at a time.
    #[arg(long, value_name = "N")]
    blocking_threads: Option<usize>,
    /// End when the process ends that started this one.
    #[arg(long)]
    parent_watch: bool,
    /// A first poll of a tool that takes longer, in milliseconds, gets the tool tasks of its own from then on.
    ///
    /// Where instructions are counted everything is slow, and counts would depend on how slow.
    #[arg(long, value_name = "N")]
    slow_poll_ms: Option<u64>,
    /// What happens to requests in flight when input ends.
    #[arg(long, value_name = "POLICY", default_value = "drain")]
    at_read_end: Policy,
    /// Write a report of the run, as JSON, to this open descriptor.
    #[arg(long, value_name = "FD")]
    report: Option<u32>,
    /// Write a report of the run, as JSON, to this file.
    #[arg(long, value_name = "PATH")]
    report_file: Option<PathBuf>,
    /// Break one rule of the closing table, such as `C10`: tests that do not notice prove nothing.
    #[arg(long, value_name = "RULE", value_parser = rule)]
    mutant: Option<Rule>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Policy {
    Drain,
    Cancel,
}

impl Options {
    pub(crate) fn apply(&self, server: Server) -> Server {
        let mut limits = Limits::default();
        if let Some(millis) = self.drain_ms {
            limits.drain = Some(Duration::from_millis(millis));
        }
        if let Some(millis) = self.write_stall_ms {
            limits.write_stall = Some(Duration::from_millis(millis));
        }
        if let Some(millis) = self.slow_poll_ms {
            limits.slow_poll = Duration::from_millis(millis);
        }
        limits.in_flight = self.in_flight.unwrap_or(limits.in_flight);
        limits.queue = self.queue.unwrap_or(limits.queue);
        limits.blocking_threads = self.blocking_threads.unwrap_or(limits.blocking_threads);
        let policy = match self.at_read_end {
            Policy::Drain => AtReadEnd::Drain,
            Policy::Cancel => AtReadEnd::Cancel,
        };
        let mut server = server.with_limits(limits).with_at_read_end(policy);
        if self.parent_watch {
            server = server.with_parent_watch();
        }
        match self.mutant {
            Some(rule) => server.with_table(Table::without(rule)),
            None => server,
        }
    }

    /// How to serve over HTTP, if that is what is wanted.
    pub(crate) const fn http(&self) -> Option<Http<'_>> {
        match self.http {
            Some(address) => Some(Http { address, options: &self.over_http }),
            None => None,
        }
    }

    /// Opens the places for the report now, so that a wrong one is noticed before anything is served.
    pub(crate) fn report_places(&self) -> Result<Places> {
        let mut places = Places::default();
        // A descriptor that was inherited is opened by its name, so that this needs no unsafe code.
        let descriptor = self.report.map(|fd| PathBuf::from(format!("/dev/fd/{fd}")));
        for path in descriptor.iter().chain(&self.report_file) {
            places.open(path).with_context(|| format!("opening {} for the report", path.display()))?;
        }
        Ok(places)
    }
}

fn rule(name: &str) -> Result<Rule> {
    let rule = Rule::ALL.iter().copied().find(|rule| rule.to_string() == name);
    match rule {
        Some(rule) if rule.keeper() == Keeper::Engine => Ok(rule),
        Some(rule) => bail!("{rule} is not kept by the closing table of the engine"),
        None => bail!("there is no rule of this name"),
    }
}
