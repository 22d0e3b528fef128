//! This project's own server and client in this process, over a connection in memory.
//!
//! Each connection gets a program of its own: a thread with a runtime, on real time, so that one
//! script serves it and a child process alike. What the program would print to its standard error
//! when it panics is kept for its ending.

mod calls;
mod client;
mod connection;
mod errors;
mod input;
mod program;
mod server;
mod wire;

use std::sync::Arc;

use async_trait::async_trait;
use mcp_session::engine::Table;

use self::connection::MemoryConnection;
use self::program::{Inside, Main, Program};
use crate::{
    scenario::{Need, Role},
    target::{Connection, Offer, OpenError, OpenOptions, Target, Transport},
};

/// A server or a client of this project, with the closing table of choice.
#[derive(Debug, Clone)]
pub struct Memory {
    name: String,
    role: Role,
    framing: Framing,
    table: Arc<Table>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Framing {
    Bytes,
    Frames,
}

impl Memory {
    /// The server, through the byte framer.
    pub fn server() -> Self {
        Self::new("everything-server", Role::Server, Framing::Bytes)
    }

    /// The server, frame by frame.
    pub fn server_by_frames() -> Self {
        Self::new("everything-server", Role::Server, Framing::Frames)
    }

    /// The client, through the byte framer.
    pub fn client() -> Self {
        Self::new("mcp-client", Role::Client, Framing::Bytes)
    }

    /// The same with another closing table.
    pub fn with_table(mut self, table: Arc<Table>) -> Self {
        self.table = table;
        self
    }

    fn new(program: &str, role: Role, framing: Framing) -> Self {
        let how = match framing {
            Framing::Bytes => "bytes",
            Framing::Frames => "frames",
        };
        Self { name: format!("{program} in memory, by {how}"), role, framing, table: Table::standard() }
    }
}

#[async_trait]
impl Target for Memory {
    fn name(&self) -> &str {
        &self.name
    }

    fn role(&self) -> Role {
        self.role
    }

    fn transport(&self) -> Transport {
        match self.framing {
            Framing::Bytes => Transport::Memory,
            Framing::Frames => Transport::MemoryFrames,
        }
    }

    fn provides(&self, need: &Need) -> Result<(), String> {
        match (need, self.framing) {
            (Need::Stderr, _) => Err("it shares the standard error of this process".to_owned()),
            (Need::Spawns, _) => Err("it is connected in this process".to_owned()),
            (Need::Bytes | Need::AnyBytes, Framing::Frames) => Err("whole frames are handed over".to_owned()),
            _ => Ok(()),
        }
    }

    fn offer(&self) -> Offer {
        Offer::Contract
    }

    async fn open(&self, options: &OpenOptions) -> Result<Box<dyn Connection>, OpenError> {
        let (halves, script) = match self.framing {
            Framing::Bytes => wire::bytes(),
            Framing::Frames => wire::frames(),
        };
        if options.full_disk {
            script.outgoing.break_writer(std::io::ErrorKind::StorageFull);
        }
        let watch = halves.watch();
        let (role, table, options) = (self.role, Arc::clone(&self.table), options.clone());
        let main: Main = Box::new(move |inside: Inside| match role {
            Role::Server => Box::pin(server::run(server::configured(table, &options), halves, inside)),
            Role::Client => Box::pin(client::run(table, options, halves, inside)),
        });
        let program = Program::start(main, watch).map_err(OpenError::Thread)?;
        Ok(Box::new(MemoryConnection::new(program, script)))
    }
}
