//! This project's own programs: each a column of the matrix, right or wrong on purpose.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::{
    http::Dialect,
    mutants::{Change, Mutant},
    target::Target,
    targets::{Child, ClientProgram, Http, Memory},
};

/// One of this project's programs over one transport.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Own {
    /// The server in memory, through the byte framer.
    Server,
    /// The server in memory, frame by frame.
    ServerByFrames,
    /// The server as a child process: the path of `everything-server`.
    ServerProcess(String),
    /// The server over HTTP: the path of `everything-server`, and how it is spoken to.
    ServerHttp(String, Dialect),
    /// The client in memory, through the byte framer.
    Client,
    /// The client as a child process: the path of `everything-client`, and that of
    /// `mcp-conformance`, which it starts as its server.
    ClientProcess(String, PathBuf),
}

impl Own {
    /// All of them, with the paths of `everything-server`, of `everything-client` if it is to be
    /// tested, and of `mcp-conformance`.
    pub fn all(everything_server: &str, everything_client: Option<&str>, relay: &Path) -> Vec<Self> {
        let server = everything_server.to_owned();
        let mut all = vec![Self::Server, Self::ServerByFrames, Self::ServerProcess(server.clone())];
        all.extend(Dialect::ALL.map(|dialect| Self::ServerHttp(server.clone(), dialect)));
        all.push(Self::Client);
        all.extend(everything_client.map(|client| Self::ClientProcess(client.to_owned(), relay.to_owned())));
        all
    }

    /// The program as it is.
    pub fn right(&self) -> Arc<dyn Target> {
        match self {
            Self::Server => Arc::new(Memory::server()),
            Self::ServerByFrames => Arc::new(Memory::server_by_frames()),
            Self::ServerProcess(program) => Arc::new(Child::contract(program, ["--stdio".to_owned()])),
            Self::ServerHttp(program, dialect) => Arc::new(Http::program(program, [], *dialect)),
            Self::Client => Arc::new(Memory::client()),
            Self::ClientProcess(program, relay) => Arc::new(ClientProgram::contract(program, [], relay)),
        }
    }

    /// The program with another closing table.
    ///
    /// # Errors
    /// Why there is no such program.
    pub fn wrong(&self, mutant: &Mutant) -> Result<Arc<dyn Target>, String> {
        let table = || mutant.table();
        Ok(match self {
            Self::Server => Arc::new(Memory::server().with_table(table())),
            Self::ServerByFrames => Arc::new(Memory::server_by_frames().with_table(table())),
            Self::Client => Arc::new(Memory::client().with_table(table())),
            Self::ServerProcess(program) => {
                let [option, rule] = option(mutant)?;
                Arc::new(Child::contract(program, ["--stdio".to_owned(), option, rule]))
            }
            Self::ServerHttp(program, dialect) => Arc::new(Http::program(program, option(mutant)?, *dialect)),
            Self::ClientProcess(program, relay) => Arc::new(ClientProgram::contract(program, option(mutant)?, relay)),
        })
    }
}

/// The option that makes a program a mutant.
fn option(mutant: &Mutant) -> Result<[String; 2], String> {
    match mutant.change() {
        Change::Without => Ok(["--mutant".to_owned(), mutant.rule().to_string()]),
        Change::Flipped(_) => Err("the program has only mutants that lack a rule".to_owned()),
    }
}
