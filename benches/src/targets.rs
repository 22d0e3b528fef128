//! What is measured, and where its programs are.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use crate::drive::Era;
use crate::servers;

/// Who answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Family {
    /// The floor: blocking, one thread.
    Floor,
    /// The floor on tokio.
    FloorOnTokio,
    /// Our `everything-server`.
    Ours,
    /// A server built with rmcp.
    Rmcp,
}

/// A server over standard input and output, in one era.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Target {
    /// Who answers.
    pub family: Family,
    /// How the driver speaks to it.
    pub era: Era,
    /// The name in the table and in the history.
    pub name: &'static str,
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: &'static [&'static str],
    /// What is added where something is counted.
    pub when_counted: &'static [&'static str],
}

impl Target {
    /// Starts the program as it is.
    #[must_use]
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(self.args);
        command
    }

    /// Whether notifications are measured. What they cost does not depend on the era.
    #[must_use]
    pub fn takes_notifications(&self) -> bool {
        self.era == Era::Legacy && self.family != Family::FloorOnTokio
    }

    /// Whether it has a tool that sends notifications.
    #[must_use]
    pub fn sends_notifications(&self) -> bool {
        self.era == Era::Legacy && matches!(self.family, Family::Ours | Family::Rmcp)
    }
}

/// All targets, in the order of the table.
///
/// # Errors
///
/// When it is not known where programs are built.
pub fn targets(peers: bool) -> Result<Vec<Target>> {
    let ours = programs()?;
    let theirs = ours.with_file_name(PEERS);
    let mut targets = Vec::new();
    for (family, era, name) in ROWS {
        let (program, args, when_counted) = match family {
            Family::Floor => (ours.join("floor-stdio"), &[][..], &[][..]),
            Family::FloorOnTokio => (ours.join("floor-stdio-tokio"), &[][..], &[][..]),
            // Under valgrind and strace everything takes up to fifty times as long. The limit that marks a tool as slow
            // is out of reach there, or the counts would be those of tools that are slow.
            Family::Ours => (ours.join("everything-server"), &["--stdio"][..], &["--slow-poll-ms", "1000"][..]),
            Family::Rmcp => (theirs.join("release/rmcp-stdio"), &[][..], &[][..]),
        };
        if peers || *family != Family::Rmcp {
            targets.push(Target { family: *family, era: *era, name, program, args, when_counted });
        }
    }
    Ok(targets)
}

/// A program that makes its calls by itself, so many as `--calls` says.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Alone {
    /// The name in the table and in the history.
    pub name: &'static str,
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
}

/// What is measured without the driver: our server in memory, and clients, which call the floor.
///
/// # Errors
///
/// When it is not known where programs are built.
pub fn alone(peers: bool) -> Result<Vec<Alone>> {
    let ours = programs()?;
    let floor = vec![ours.join("floor-stdio").display().to_string()];
    let client = |era: &str, name| Alone {
        name,
        program: ours.join("client"),
        args: std::iter::once(era.to_owned()).chain(floor.clone()).collect(),
    };
    let mut all: Vec<_> = servers::CASES
        .iter()
        .map(|(case, name)| Alone {
            name,
            program: ours.join("counted"),
            args: vec!["serve".to_owned(), (*case).to_owned()],
        })
        .collect();
    all.push(Alone { name: "floor client, legacy", program: ours.join("floor-client"), args: floor.clone() });
    all.push(client("legacy", "client, legacy"));
    all.push(client("modern", "client, modern"));
    if peers {
        let program = ours.with_file_name(PEERS).join("release/rmcp-client");
        all.push(Alone { name: "rmcp client, legacy", program, args: floor });
    }
    Ok(all)
}

/// Builds the programs in release mode. Each is built alone, as its users build it: features of one are not features
/// of another.
///
/// # Errors
///
/// When one does not compile.
pub fn build(peers: bool) -> Result<()> {
    cargo_build(Workspace::Ours, &["--package", "examples", "--bin", "everything-server"])?;
    cargo_build(Workspace::Ours, &["--package", "benches", "--bins"])?;
    if peers {
        for package in ["rmcp-stdio", "rmcp-client"] {
            cargo_build(Workspace::Peers, &["--locked", "--package", package])?;
        }
    }
    Ok(())
}

/// Whose programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Workspace {
    Ours,
    Peers,
}

/// Builds programs in release mode.
pub(crate) fn cargo_build(workspace: Workspace, args: &[&str]) -> Result<()> {
    let benches = Path::new(env!("CARGO_MANIFEST_DIR"));
    let programs = programs()?;
    match workspace {
        Workspace::Ours => {
            let target = programs.parent().context("the programs lie in a folder of the target folder")?;
            cargo(&benches.join("Cargo.toml"), target, args)
        }
        Workspace::Peers => cargo(&benches.join("peers/Cargo.toml"), &programs.with_file_name(PEERS), args),
    }
}

/// A program of the peers.
pub(crate) fn peer(program: &str) -> Result<PathBuf> {
    Ok(programs()?.with_file_name(PEERS).join("release").join(program))
}

/// The folder of release programs, this one among them.
///
/// # Errors
///
/// When this program does not know where it is.
pub fn programs() -> Result<PathBuf> {
    let program = env::current_exe()?;
    let folder = program.parent().context("a program lies in a folder")?;
    ensure!(folder.ends_with("release"), "{} is not built with --release", program.display());
    Ok(folder.to_owned())
}

fn cargo(manifest: &Path, target: &Path, args: &[&str]) -> Result<()> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["build", "--quiet", "--release", "--manifest-path"]).arg(manifest);
    command.arg("--target-dir").arg(target).args(args);
    let status = command.status().context("running cargo")?;
    ensure!(status.success(), "{command:?}: {status}");
    Ok(())
}

#[rustfmt::skip]
const ROWS: &[(Family, Era, &str)] = &[
    (Family::Floor,        Era::Legacy, "floor, legacy"),
    (Family::Floor,        Era::Modern, "floor, modern"),
    (Family::FloorOnTokio, Era::Legacy, "floor on tokio, legacy"),
    (Family::FloorOnTokio, Era::Modern, "floor on tokio, modern"),
    (Family::Ours,         Era::Legacy, "stdio, legacy"),
    (Family::Ours,         Era::Modern, "stdio, modern"),
    (Family::Rmcp,         Era::Legacy, "rmcp stdio, legacy"),
    (Family::Rmcp,         Era::Modern, "rmcp stdio, modern"),
];

const PEERS: &str = "peers";
