//! What is measured over HTTP, and where its programs are.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::drive::Era;
use crate::targets::{self, Workspace, programs};

/// Who answers over HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Who {
    /// The floor: hyper and nothing else.
    Floor,
    /// Our server, with one tool.
    Ours,
    /// Our server, with many tools.
    OursAmongMany,
    /// A server built with rmcp.
    Rmcp,
}

/// A server over HTTP, in one era.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HttpTarget {
    /// Who answers.
    pub who: Who,
    /// How the driver speaks to it.
    pub era: Era,
    /// The name in the table and in the history.
    pub name: &'static str,
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: &'static [&'static str],
}

impl HttpTarget {
    /// Starts the program as it is.
    #[must_use]
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(self.args);
        command
    }

    /// Whether it keeps sessions.
    #[must_use]
    pub fn has_sessions(&self) -> bool {
        self.era == Era::Legacy && self.who != Who::Floor
    }

    /// Whether idle streams are measured. In its modern era rmcp is set to answer by JSON alone, and what a stream holds
    /// does not depend on the number of tools.
    #[must_use]
    pub fn has_streams(&self) -> bool {
        match self.who {
            Who::Floor | Who::Ours => true,
            Who::OursAmongMany => false,
            Who::Rmcp => self.era == Era::Legacy,
        }
    }
}

/// All targets, in the order of the table.
///
/// # Errors
///
/// When it is not known where programs are built.
pub fn targets(peers: bool) -> Result<Vec<HttpTarget>> {
    let ours = programs()?;
    let mut all = Vec::new();
    for (who, era, name) in ROWS {
        let (program, args) = match (who, era) {
            (Who::Floor, _) => (ours.join("floor-http"), &[][..]),
            (Who::Ours, _) => (ours.join("http"), &[][..]),
            (Who::OursAmongMany, _) => (ours.join("http"), &["10000"][..]),
            (Who::Rmcp, Era::Legacy) => (targets::peer("rmcp-http")?, &["session"][..]),
            (Who::Rmcp, Era::Modern) => (targets::peer("rmcp-http")?, &["json"][..]),
        };
        if peers || *who != Who::Rmcp {
            all.push(HttpTarget { who: *who, era: *era, name, program, args });
        }
    }
    Ok(all)
}

/// Builds the programs in release mode, apart from those that know nothing of HTTP.
///
/// # Errors
///
/// When one does not compile.
pub fn build(peers: bool) -> Result<()> {
    let ours = ["--package", "benches", "--features", "http", "--bin", "http", "--bin", "floor-http"];
    targets::cargo_build(Workspace::Ours, &ours)?;
    if peers {
        targets::cargo_build(Workspace::Peers, &["--locked", "--package", "rmcp-http"])?;
    }
    Ok(())
}

#[rustfmt::skip]
const ROWS: &[(Who, Era, &str)] = &[
    (Who::Floor,         Era::Legacy, "floor http, legacy"),
    (Who::Floor,         Era::Modern, "floor http, modern"),
    (Who::Ours,          Era::Legacy, "http, legacy"),
    (Who::Ours,          Era::Modern, "http, modern"),
    (Who::OursAmongMany, Era::Modern, "http of 10 000, modern"),
    (Who::Rmcp,          Era::Legacy, "rmcp http, legacy"),
    (Who::Rmcp,          Era::Modern, "rmcp http, modern"),
];
