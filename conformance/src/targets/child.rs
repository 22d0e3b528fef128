//! A child process over its standard input and output.
//!
//! It gets a process group of its own, its standard error is always drained, and it is always
//! killed and reaped, also when a script panics or the watchdog ends it.

mod connection;

use std::{fs::OpenOptions as OpenFile, path::Path, process::Stdio};

use async_trait::async_trait;
use tokio::process::Command;

use self::connection::ChildConnection;
pub(super) use self::connection::exit_of;
use super::place::Place;
use crate::{
    scenario::Need,
    target::{Connection, Offer, OpenError, OpenOptions, Target, Transport},
};

/// A program that speaks MCP over its standard streams.
#[derive(Debug, Clone)]
pub struct Child {
    name: String,
    program: String,
    args: Vec<String>,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Anybody's program: black box.
    Foreign,
    /// A program that keeps the whole contract: takes `--report-file PATH` and the settings, speaks
    /// both eras, has every tool and the documented limits.
    Contract,
}

impl Child {
    /// Anybody's server.
    pub fn foreign(program: impl Into<String>, args: impl IntoIterator<Item = String>) -> Self {
        Self::new(program.into(), args.into_iter().collect(), Kind::Foreign)
    }

    /// A server that keeps the scenarios' contract, with arguments that make it serve stdio.
    pub fn contract(program: impl Into<String>, args: impl IntoIterator<Item = String>) -> Self {
        Self::new(program.into(), args.into_iter().collect(), Kind::Contract)
    }

    fn new(program: String, args: Vec<String>, kind: Kind) -> Self {
        Self { name: format!("{program} {}", args.join(" ")).trim().to_owned(), program, args, kind }
    }
}

#[async_trait]
impl Target for Child {
    fn name(&self) -> &str {
        &self.name
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
            (Need::FullDisk, _) if !Path::new(FULL).exists() => Err(format!("there is no {FULL}")),
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
        let stdout = match options.full_disk {
            true => OpenFile::new().write(true).open(FULL).map_err(OpenError::Output)?.into(),
            false => Stdio::piped(),
        };
        let mut command = Command::new(&self.program);
        command
            .args(&self.args)
            .stdin(Stdio::piped())
            .stdout(stdout)
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true);
        let mut report = None;
        if self.kind == Kind::Contract {
            let place = Place::new().map_err(OpenError::Place)?;
            command.arg("--report-file").arg(place.report());
            let limits = [("--drain-ms", options.drain), ("--write-stall-ms", options.write_stall)];
            for (name, limit) in limits.iter().filter_map(|(name, limit)| Some((name, (*limit)?))) {
                command.arg(name).arg(limit.as_millis().to_string());
            }
            if let Some((in_flight, queue)) = options.requests {
                command.arg("--in-flight").arg(in_flight.to_string()).arg("--queue").arg(queue.to_string());
            }
            if options.cancels_at_read_end {
                command.args(["--at-read-end", "cancel"]);
            }
            report = Some(place);
        }
        let spawned = command.spawn();
        let child = spawned.map_err(|source| OpenError::Spawn { program: self.program.clone(), source })?;
        Ok(Box::new(ChildConnection::new(child, report)))
    }
}

/// What is written there fails as on a full disk.
const FULL: &str = "/dev/full";
