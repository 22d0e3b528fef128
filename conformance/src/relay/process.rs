//! What only a process can do.

use std::{
    io::{self, Write},
    process::{Child, Command as Program},
    sync::mpsc::channel,
    thread,
};

use rustix::process::{Signal, getpid, kill_process};
use tokio::signal::unix::{SignalKind, signal};

use super::{Command, Event, Events, streams::Streams};

#[derive(Debug)]
pub(super) struct Process {
    events: Events,
    streams: Streams,
    /// Kept so that they are not reaped before the end: they are left to others.
    children: Vec<Child>,
}

impl Process {
    pub(super) const fn new(events: Events, streams: Streams) -> Self {
        Self { events, streams, children: Vec::new() }
    }

    pub(super) fn does(&mut self, command: Command) -> io::Result<Event> {
        let mut started = None;
        match command {
            Command::Exit(status) => std::process::exit(status.into()),
            Command::Die => kill_process(getpid(), Signal::KILL)?,
            Command::CloseInput => self.streams.close_input()?,
            Command::IgnoreEnd => self.streams.ignore_end(),
            Command::IgnoreTerm => ignore_term(self.events.clone())?,
            Command::Complain(text) => writeln!(io::stderr(), "{text}")?,
            Command::Flood(bytes) => io::stderr().write_all(&vec![b'e'; bytes])?,
            Command::Spawn => {
                // What a shell ignores stays ignored in what it becomes.
                let child = Program::new("sh").args(["-c", "trap '' TERM; exec sleep 600"]).spawn()?;
                started = Some(child.id().cast_signed());
                self.children.push(child);
            }
        }
        Ok(Event::Done(started))
    }
}

/// From now on SIGTERM does nothing but tell the run that it came.
fn ignore_term(events: Events) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let (ready, is_ready) = channel();
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        runtime.block_on(async {
            let listening = signal(SignalKind::terminate());
            let (mut terms, said) = match listening {
                Ok(terms) => (terms, ready.send(Ok(()))),
                Err(error) => return drop(ready.send(Err(error))),
            };
            drop(said);
            while terms.recv().await.is_some() {
                // When the run is gone there is nobody to tell.
                drop(events.say(&Event::Terminated));
            }
        });
    })?;
    is_ready.recv().map_err(io::Error::other)?
}
