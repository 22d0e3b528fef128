//! The command line.

use std::{
    io::{Write, stderr, stdout},
    path::PathBuf,
};

use clap::{Args, Parser, Subcommand};
use conformance::{
    report::text::Detail,
    runner::{Filter, Options, Progress},
    scenario::{Era, Family, Role},
    target::Transport,
};

/// Replays documented endings of a connection against an MCP implementation.
///
/// Your program is driven as a black box, by raw frames: requests in flight when the input ends,
/// cancellations that race with answers, lines cut in the middle, a peer that stops reading, and so
/// on. Every scenario runs in both eras of the protocol (legacy: with the `initialize` handshake;
/// modern: 2026-07-28, stateless), and each cell of the matrix is shown: ✓ passed, ✗ failed,
/// ! a SHOULD was not kept, – not applicable (the reason stands below).
#[derive(Debug, Parser)]
#[command(name = "mcp-conformance", version, after_help = EXAMPLES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Tests anybody's server, in any language.
    ///
    /// Scenarios need some of these tools; what your server lacks is "not applicable":
    /// echo{text}, add{a,b}, sleep{ms}, progress{steps} (notes 50 ms apart), panic{},
    /// burst{count} (that many progress notes at once), fail{} (an error result),
    /// toggle{after_ms} (adds or removes the tool `toggled`), late{ms} (answers, and sends a note that
    /// much later), call_client{method, timeout_ms, after_ms} (sends that request to the client).
    Server {
        /// The server speaks over its standard input and output, and is started by the command after `--`.
        #[arg(long, required_unless_present = "url", requires = "command")]
        stdio: bool,
        /// The server runs and is reached over HTTP at this URL, such as `http://127.0.0.1:8000/mcp`. How it can be
        /// spoken to is found out: in sessions or without, by 2026-07-28 with JSON or events, by the stream of
        /// 2024-11-05 (whose URL is that of the stream).
        #[arg(long, value_name = "URL", conflicts_with_all = ["stdio", "command"])]
        url: Option<String>,
        #[command(flatten)]
        run: RunArgs,
        /// The command that starts the server.
        #[arg(last = true, value_name = "CMD ARGS")]
        command: Vec<String>,
    },
    /// Tests anybody's client, in any language.
    ///
    /// Your program is started as `CMD ARGS -- PROGRAM ARG…` with the steps of a script in the
    /// environment variable SCRIPT. It starts PROGRAM as its server, plays the steps, and prints one
    /// JSON line for each: {"step": TEXT, "ok": true, "result": …} or {"step": TEXT, "ok": false,
    /// "error": {"message": …}}; the first line is that of the step `connect`. The README of this
    /// suite has all steps; a step that your client lacks is "not applicable":
    /// it says {"message": "unsupported", "unsupported": true}.
    Client {
        #[command(flatten)]
        run: RunArgs,
        /// The command that starts the client.
        #[arg(last = true, required = true, value_name = "CMD ARGS")]
        command: Vec<String>,
    },
    /// The server that a client under test starts: speaks for the script at this socket.
    #[command(hide = true)]
    Relay {
        /// The socket of the run.
        socket: PathBuf,
    },
    /// Tests this project's own server and client, with the reports of their runs, and proves the
    /// scenarios by programs that break one rule each.
    Own {
        /// The built `everything-server`.
        #[arg(long, value_name = "PATH")]
        everything_server: PathBuf,
        /// The built `everything-client`. Without it, the client is tested in memory alone.
        #[arg(long, value_name = "PATH")]
        everything_client: Option<PathBuf>,
        /// Only the mutants: programs without one rule of the closing table, each of which a
        /// scenario of that rule must notice.
        #[arg(long, conflicts_with = "no_mutants")]
        mutants: bool,
        /// Leaves the mutants out. They are left out, too, when scenarios or families are chosen.
        #[arg(long)]
        no_mutants: bool,
        #[command(flatten)]
        run: RunArgs,
    },
    /// Lists all scenarios with what they require and where that is written.
    List,
}

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// Only this transport (repeatable): memory, memory-frames, stdio, http, http-stateless, http+sse, http-json,
    /// http-events.
    #[arg(long, value_parser = transport)]
    transport: Vec<Transport>,
    /// Only this era (repeatable): legacy, modern. `both` is the same as none.
    #[arg(long, value_parser = eras, value_name = "ERA")]
    era: Vec<Eras>,
    /// Only targets of this role (repeatable): server, client.
    #[arg(long, value_parser = role)]
    role: Vec<Role>,
    /// Only this family (repeatable): documented, rounds, hostile, sweep, wire.
    #[arg(long, value_parser = family)]
    family: Vec<Family>,
    /// Only scenarios whose id begins with this (repeatable): c2-drain.
    #[arg(long, value_name = "ID")]
    scenario: Vec<String>,
    /// Only scenarios of this row of the closing table (repeatable): C2.
    #[arg(long)]
    row: Vec<String>,
    /// Prints every frame of the chosen cells, with direction and time.
    #[arg(long)]
    frames: bool,
    /// How many cells run at a time: 4 of anybody's server, 1 when it runs already, 8 of this project's own, unless
    /// said otherwise. With 1, descriptors left open by a cell are counted as well.
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Writes the results as JSON, with all frames.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Writes the results as JUnit XML.
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
}

impl RunArgs {
    pub(crate) fn options(&self, jobs: usize) -> Options {
        let mut filter = Filter::default();
        filter.roles.clone_from(&self.role);
        filter.transports.clone_from(&self.transport);
        filter.eras = self.era.iter().flat_map(|eras| eras.0.iter().copied()).collect();
        filter.families.clone_from(&self.family);
        filter.scenarios.clone_from(&self.scenario);
        filter.rows.clone_from(&self.row);
        let mut options = Options::default();
        options.filter = filter;
        options.jobs = self.jobs.unwrap_or(jobs);
        options.progress = Progress::for_stderr();
        options
    }

    /// Whether the choice of scenarios leaves the rows of the table whole.
    pub(crate) const fn has_whole_rows(&self) -> bool {
        self.scenario.is_empty() && self.family.is_empty()
    }

    pub(crate) const fn detail(&self) -> Detail {
        if self.frames { Detail::Frames } else { Detail::Failures }
    }
}

/// Writes to standard output.
pub(crate) fn say(text: &str) -> std::io::Result<()> {
    let mut out = stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Writes to standard error; when even that fails, there is nobody left to tell.
pub(crate) fn complain(text: &str) {
    drop(stderr().lock().write_all(text.as_bytes()));
}

fn role(name: &str) -> Result<Role, String> {
    named(&Role::ALL, name, |one| one.as_str())
}

fn transport(name: &str) -> Result<Transport, String> {
    named(&Transport::ALL, name, |one| one.as_str())
}

/// What `--era` names.
#[derive(Debug, Clone)]
pub(crate) struct Eras(Vec<Era>);

fn eras(name: &str) -> Result<Eras, String> {
    if name == "both" {
        return Ok(Eras(Era::ALL.to_vec()));
    }
    named(&Era::ALL, name, |one| one.as_str()).map(|era| Eras(vec![era])).map_err(|names| format!("{names}, both"))
}

fn family(name: &str) -> Result<Family, String> {
    named(&Family::ALL, name, |one| one.as_str())
}

fn named<T: Copy>(all: &[T], name: &str, name_of: fn(T) -> &'static str) -> Result<T, String> {
    all.iter().copied().find(|one| name_of(*one) == name).ok_or_else(|| {
        let names: Vec<&str> = all.iter().copied().map(name_of).collect();
        format!("one of: {}", names.join(", "))
    })
}

const EXAMPLES: &str = "\
Examples:
  mcp-conformance server --stdio -- python server.py
  mcp-conformance server --url http://127.0.0.1:8000/mcp
  mcp-conformance server --stdio --era legacy --row C2 --frames -- npx my-server
  mcp-conformance client -- node client.js
  mcp-conformance own --everything-server target/release/everything-server --row C20
  mcp-conformance list

Exit code: 0 nothing failed, 1 a cell failed, 2 the run could not be done.";
