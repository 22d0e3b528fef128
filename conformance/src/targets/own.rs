//! This project's own programs: each a column of the matrix, right or wrong on purpose.

use std::sync::Arc;

use crate::{
    mutants::{Change, Mutant},
    target::Target,
    targets::{Child, Memory},
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
    /// The client in memory, through the byte framer.
    Client,
}

impl Own {
    /// All of them, with the path of `everything-server`.
    pub fn all(everything_server: &str) -> [Self; 4] {
        [Self::Server, Self::ServerByFrames, Self::ServerProcess(everything_server.to_owned()), Self::Client]
    }

    /// The program as it is.
    pub fn right(&self) -> Arc<dyn Target> {
        match self {
            Self::Server => Arc::new(Memory::server()),
            Self::ServerByFrames => Arc::new(Memory::server_by_frames()),
            Self::ServerProcess(program) => Arc::new(Child::contract(program, ["--stdio".to_owned()])),
            Self::Client => Arc::new(Memory::client()),
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
            Self::ServerProcess(program) => match mutant.change() {
                Change::Without => {
                    let rule = mutant.rule().to_string();
                    Arc::new(Child::contract(program, ["--stdio".to_owned(), "--mutant".to_owned(), rule]))
                }
                Change::Flipped(_) => return Err("the program has only mutants that lack a rule".to_owned()),
            },
        })
    }
}
