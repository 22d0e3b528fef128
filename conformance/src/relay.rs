//! The server that a client under test starts: it relays between its standard streams and the script.
//!
//! A client that starts its server as a child process can only be driven by a child process. This is
//! it: `mcp-conformance relay SOCKET` connects twice to the socket of the run. Over one connection go
//! the bytes of its standard streams, as they are; over the other one come commands to do what
//! only a process can do (exit, die of a signal, start a process of its own), and go events.
//!
//! It is a good server unless it is told otherwise: it exits when its input ends. When the run goes
//! away it exits too, so that nothing is ever left of it.

mod process;
mod protocol;
mod streams;

use std::{
    io::{self, BufRead, BufReader, Write},
    os::unix::net::UnixStream,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

pub(crate) use self::protocol::{Carries, Command, Event, Hello};
use self::{process::Process, streams::Streams};

/// Relays until it is told to end, its input ends, or the run goes away.
///
/// # Errors
/// Fails when there is no run at that socket, or when the standard streams cannot be read.
pub fn run(socket: &Path) -> io::Result<()> {
    let control = UnixStream::connect(socket)?;
    let events = Events(Arc::new(Mutex::new(control.try_clone()?)));
    events.say(&Hello::control())?;
    let mut data = UnixStream::connect(socket)?;
    say(&mut data, &Hello::data())?;
    let streams = Streams::start(data, events.clone())?;
    let mut process = Process::new(events.clone(), streams);
    for line in BufReader::new(control).lines() {
        // Whoever writes something else is not the run.
        let Ok(command) = serde_json::from_str(&line?) else { break };
        let done = process.does(command)?;
        events.say(&done)?;
    }
    Ok(())
}

/// The way back to the run, for all threads.
#[derive(Debug, Clone)]
struct Events(Arc<Mutex<UnixStream>>);

impl Events {
    fn say(&self, what: &impl serde::Serialize) -> io::Result<()> {
        say(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner), what)
    }
}

fn say(to: &mut UnixStream, what: &impl serde::Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(what)?;
    line.push(b'\n');
    to.write_all(&line)
}
