//! The maintainers' door: `cargo xtask <command>`.
//!
//! It links nothing of the SDK. Each command is one small module that runs `cargo` and the programs
//! which cargo builds, so it still works while the SDK does not compile.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line program speaks to its user")]

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::project::Project;

mod bench;
mod ci;
mod conformance;
mod docs;
mod engine_alone;
mod everything;
mod features;
mod interop;
mod licences;
mod limited;
mod npm;
mod official;
mod project;
mod spdx;
mod test;
mod tidy;

/// What maintainers of this SDK run, each from any folder of the repository.
///
/// New here? `cargo xtask test` tells whether your checkout works, `cargo xtask ci` whether your
/// change would be accepted.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run every test of the workspace: unit, integration, examples, benches in test mode, doc tests.
    ///
    /// For one crate or one test plain cargo is enough: `cargo test -p mcp-session drain`.
    #[command(after_help = "Example:\n  cargo xtask test")]
    Test,

    /// Replay the documented endings of a connection against our own server.
    ///
    /// Builds `everything-server` and `mcp-conformance` in release mode and prints the matrix of
    /// scenario × transport × era. What you add is handed to `mcp-conformance own`. With `--official` it is the
    /// conformance package of the MCP project that is run, over HTTP; it is installed below the target folder.
    #[command(after_help = "Examples:\n  \
        cargo xtask conformance                        the whole matrix\n  \
        cargo xtask conformance --row C2 --frames      one row of the closing table, with its frames\n  \
        cargo xtask conformance -- --help              the options of the suite itself\n  \
        cargo xtask conformance --official             the conformance package of the MCP project\n  \
        cargo xtask conformance --official --selftest  the proof that it can fail")]
    Conformance {
        #[command(flatten)]
        official: official::Options,
        /// Options of the suite.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, conflicts_with = "official")]
        args: Vec<String>,
    },

    /// Count what a message costs (instructions, allocations), under valgrind.
    ///
    /// Needs `valgrind` and installs nothing. What you add is handed to the counting program.
    #[command(after_help = "Examples:\n  \
        cargo xtask bench\n  \
        cargo xtask bench -- --help                    the options of the counting program itself")]
    Bench {
        /// Options of the counting program.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },

    /// Check the house rules that no linter can keep.
    ///
    /// No sleeps in tests, no channels or closing flags in the drivers, no oversized file without a
    /// reason, well-formed citations of the spec, no detached tasks, nothing of somebody's machine
    /// in the files, the generated table fresh. Each finding says where and what to do instead.
    #[command(after_help = "Example:\n  cargo xtask tidy")]
    Tidy,

    /// Rewrite the generated parts of the documents, then build the API docs with warnings denied.
    ///
    /// The generated part is the closing table in ARCHITECTURE.md, printed from the engine's data.
    #[command(
        after_help = "Example:\n  cargo xtask docs                               after you changed a row of the table"
    )]
    Docs,

    /// Talk to our server with the official clients, and with our client to servers of others.
    ///
    /// There are a Python and a TypeScript client of the legacy revisions and of the modern revision, over stdio and
    /// over HTTP, the Inspector, servers of both eras in Python, and three servers from npm. All are installed below
    /// the target folder on first use.
    /// Needs `python3` with `venv`, `node` and `npm`.
    #[command(after_help = "Examples:\n  \
        cargo xtask interop\n  \
        cargo xtask interop --only typescript-modern   one peer alone")]
    Interop {
        /// Run only this client or server.
        #[arg(long, value_name = "PEER", value_parser = interop::names())]
        only: Option<String>,
    },

    /// Ask our server by the Inspector of the MCP project, in its command-line mode.
    ///
    /// It is a part of `cargo xtask interop`: over stdio and over HTTP, in both eras, each result checked as JSON.
    #[command(after_help = "Examples:\n  \
        cargo xtask inspector\n  \
        cargo xtask interop --only inspector-stdio-modern   one column alone")]
    Inspector,

    /// Run what continuous integration runs, step by step, and stop at the first failure.
    #[command(after_help = "Examples:\n  \
        cargo xtask ci\n  \
        cargo xtask ci --only licences                 one step alone")]
    Ci {
        /// Run only this step.
        #[arg(long, value_name = "STEP", value_parser = ci::names())]
        only: Option<String>,
    },
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    match Project::open().and_then(|project| run(&project, &cli.command)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(project: &Project, command: &Command) -> anyhow::Result<()> {
    match command {
        Command::Test => test::run(project),
        Command::Conformance { official, .. } if official.official => official::run(project, official),
        Command::Conformance { args, .. } => conformance::run(project, args),
        Command::Bench { args } => bench::run(project, args),
        Command::Tidy => tidy::run(project),
        Command::Docs => docs::run(project),
        Command::Interop { only } => interop::run(project, only.as_deref()),
        Command::Inspector => interop::run_inspector(project),
        Command::Ci { only } => ci::run(project, only.as_deref()),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn options_of_the_suite_pass_through() {
        let cli = Cli::parse_from(["xtask", "conformance", "--row", "C2", "--frames"]);
        let Command::Conformance { args, .. } = cli.command else {
            panic!("another command");
        };
        assert_eq!(args, ["--row", "C2", "--frames"]);
    }

    #[test]
    fn options_of_one_suite_are_none_of_the_other() {
        let parse = |words: &[&str]| Cli::try_parse_from(["xtask", "conformance"].iter().chain(words));
        assert!(parse(&["--official", "--only", "caching"]).is_ok());
        for wrong in [&["--official", "--row", "C2"][..], &["--only", "caching"], &["--selftest"]] {
            assert!(parse(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn each_command_shows_an_example() {
        for command in Cli::command().get_subcommands() {
            let help = command.get_after_help().map(ToString::to_string);
            let example = format!("cargo xtask {}", command.get_name());
            assert!(help.is_some_and(|help| help.contains(&example)), "{} has no example", command.get_name());
        }
    }
}
