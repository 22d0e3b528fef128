//! A client as a child process, which starts its server itself.
//!
//! It is started as `CMD… -- mcp-conformance relay SOCKET`, with the script in the environment
//! variable `SCRIPT`. What it starts is a relay to the run (see [`relay`](crate::relay)): so a
//! scenario speaks to it as its server, and has the server's process do what processes do. The lines
//! that it prints are what it tells. Client, relays and what these start are always killed and
//! reaped, also when a script panics or the watchdog ends it.

mod connection;
mod printed;
mod processes;
mod relays;

use std::{path::PathBuf, process::Stdio};

use async_trait::async_trait;
use tokio::process::Command;

use self::{connection::ClientConnection, relays::Relays};
use super::place::Place;
use crate::{
    scenario::{Need, Role},
    target::{Connection, Offer, OpenError, OpenOptions, Target, Transport},
};

/// A client program that starts its server and speaks to it over the server's standard streams.
#[derive(Debug, Clone)]
pub struct ClientProgram {
    name: String,
    program: String,
    args: Vec<String>,
    relay: PathBuf,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Anybody's program: black box.
    Foreign,
    /// A program that keeps the whole contract: takes `--report-file PATH` and the settings, speaks
    /// both eras, and knows every step.
    Contract,
}

impl ClientProgram {
    /// Anybody's client. `relay` is the built `mcp-conformance`.
    pub fn foreign(
        program: impl Into<String>,
        args: impl IntoIterator<Item = String>,
        relay: impl Into<PathBuf>,
    ) -> Self {
        Self::new(program.into(), args.into_iter().collect(), relay.into(), Kind::Foreign)
    }

    /// A client that keeps the scenarios' contract. `relay` is the built `mcp-conformance`.
    pub fn contract(
        program: impl Into<String>,
        args: impl IntoIterator<Item = String>,
        relay: impl Into<PathBuf>,
    ) -> Self {
        Self::new(program.into(), args.into_iter().collect(), relay.into(), Kind::Contract)
    }

    fn new(program: String, args: Vec<String>, relay: PathBuf, kind: Kind) -> Self {
        let name = format!("{program} {}", args.join(" ")).trim().to_owned();
        Self { name, program, args, relay, kind }
    }

    fn command(&self, options: &OpenOptions, place: &Place) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(&self.args)
            .env("SCRIPT", options.script.as_deref().unwrap_or_default())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true);
        if self.kind == Kind::Contract {
            command.arg("--report-file").arg(place.report());
            let limits = [("--connect-ms", options.connect), ("--probe-ms", options.probe)];
            for (name, limit) in limits.iter().filter_map(|(name, limit)| Some((name, (*limit)?))) {
                command.arg(name).arg(limit.as_millis().to_string());
            }
        }
        command.arg("--");
        match options.server {
            Some(server) => command.args(server),
            None => command.arg(&self.relay).arg("relay").arg(place.socket()),
        };
        command
    }
}

#[async_trait]
impl Target for ClientProgram {
    fn name(&self) -> &str {
        &self.name
    }

    fn role(&self) -> Role {
        Role::Client
    }

    fn transport(&self) -> Transport {
        Transport::ChildStdio
    }

    fn provides(&self, need: &Need) -> Result<(), String> {
        match (need, self.kind) {
            (Need::Report, Kind::Foreign) => {
                Err("only the project's own programs write a report of their run".to_owned())
            }
            (Need::Settings, Kind::Foreign) => Err("the settings of this program are not known".to_owned()),
            (Need::DefaultLimits, Kind::Foreign) => Err("the limits of this program are not known".to_owned()),
            (Need::Faults, _) => Err("pipes between processes cannot be made to misbehave".to_owned()),
            (Need::Orders, _) => Err("a program of its own takes no orders".to_owned()),
            _ => Ok(()),
        }
    }

    fn offer(&self) -> Offer {
        match self.kind {
            Kind::Foreign => Offer::Unknown,
            Kind::Contract => Offer::Contract,
        }
    }

    async fn open(&self, options: &OpenOptions) -> Result<Box<dyn Connection>, OpenError> {
        let place = Place::new().map_err(OpenError::Place)?;
        let relays = Relays::listen(&place.socket()).map_err(OpenError::Place)?;
        let spawned = self.command(options, &place).spawn();
        let child = spawned.map_err(|source| OpenError::Spawn { program: self.program.clone(), source })?;
        let report = (self.kind == Kind::Contract).then_some(());
        Ok(Box::new(ClientConnection::new(child, relays, place, report.is_some())))
    }
}
