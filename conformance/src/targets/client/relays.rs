//! The relays that clients start, as they come in.

use std::{io, path::Path, time::Duration};

use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines},
    net::{
        UnixListener, UnixStream,
        unix::{OwnedReadHalf, OwnedWriteHalf},
    },
    sync::mpsc::{UnboundedReceiver, unbounded_channel},
    task::JoinHandle,
    time::timeout,
};

use crate::relay::{Carries, Command, Event, Hello};

/// The place where relays come in.
#[derive(Debug)]
pub(super) struct Relays {
    came: UnboundedReceiver<Relay>,
    listening: JoinHandle<()>,
}

/// A relay that has come in.
#[derive(Debug)]
pub(super) struct Relay {
    pub(super) pid: i32,
    pub(super) control: Control,
    pub(super) data: UnixStream,
}

/// The connection over which a relay is told what to do, and tells.
#[derive(Debug)]
pub(super) struct Control {
    pub(super) to: Commands,
    pub(super) from: Events,
}

/// What a relay is told.
#[derive(Debug)]
pub(super) struct Commands(OwnedWriteHalf);

/// What a relay tells.
#[derive(Debug)]
pub(super) struct Events(Lines<BufReader<OwnedReadHalf>>);

impl Relays {
    pub(super) fn listen(socket: &Path) -> io::Result<Self> {
        let listener = UnixListener::bind(socket)?;
        let (come, came) = unbounded_channel();
        let listening = tokio::spawn(async move {
            // A relay connects twice, one after the other; two relays may do so at the same time.
            let mut halves: Vec<(i32, UnixStream)> = Vec::new();
            while let Ok((stream, _)) = listener.accept().await {
                let Ok((hello, stream)) = greeted(stream).await else { continue };
                if hello.carries == Carries::Control {
                    halves.push((hello.pid, stream));
                    continue;
                }
                let Some(at) = halves.iter().position(|(pid, _)| *pid == hello.pid) else { continue };
                let (pid, control) = halves.remove(at);
                if come.send(Relay { pid, control: Control::new(control), data: stream }).is_err() {
                    return;
                }
            }
        });
        Ok(Self { came, listening })
    }

    /// The next relay that comes in.
    pub(super) async fn next(&mut self) -> Option<Relay> {
        self.came.recv().await
    }
}

impl Drop for Relays {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

/// Reads who it is, and not a byte more.
async fn greeted(mut stream: UnixStream) -> io::Result<(Hello, UnixStream)> {
    let line = async {
        let mut line = Vec::new();
        loop {
            match stream.read_u8().await? {
                b'\n' => return Ok::<_, io::Error>(line),
                byte => line.push(byte),
            }
        }
    };
    let hello = serde_json::from_slice(&timeout(A_MOMENT, line).await??)?;
    Ok((hello, stream))
}

impl Control {
    fn new(stream: UnixStream) -> Self {
        let (from, to) = stream.into_split();
        Self { to: Commands(to), from: Events(BufReader::new(from).lines()) }
    }
}

impl Commands {
    pub(super) async fn send(&mut self, command: &Command) -> io::Result<()> {
        let mut line = serde_json::to_vec(command)?;
        line.push(b'\n');
        self.0.write_all(&line).await
    }
}

impl Events {
    /// The next event; none once the relay is gone.
    pub(super) async fn next(&mut self) -> Option<Event> {
        let line = self.0.next_line().await.ok().flatten()?;
        serde_json::from_str(&line).ok()
    }
}

const A_MOMENT: Duration = Duration::from_secs(2);
