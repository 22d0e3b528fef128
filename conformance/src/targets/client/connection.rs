//! The connection to a client process, by way of the relay that it has started.

use std::{process::ExitStatus, time::Duration};

use async_trait::async_trait;
use rustix::process::{Pid, kill_process, kill_process_group};
use serde_json::{Value, json};
use tokio::{
    net::unix::OwnedReadHalf,
    process::Child,
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    task::JoinHandle,
    time::{Instant, timeout},
};

use super::{
    printed,
    processes::Processes,
    relays::{Commands, Events, Relay, Relays},
};
use crate::{
    relay::{Command, Event},
    target::{Connection, Deed, Ending, Exit, NotApplicable, Received, Signal},
    targets::{
        child::exit_of,
        place::Place,
        streams::{Errors, Input, Lines},
    },
};

pub(super) struct ClientConnection {
    child: Child,
    /// The process, which is also its group. Never used for a signal once it was reaped.
    pid: Option<Pid>,
    relays: Relays,
    server: Option<Server>,
    /// Those before it. What is left of them is looked at in the end.
    servers_before: Vec<Server>,
    processes: Processes,
    tell: UnboundedSender<Value>,
    told: UnboundedReceiver<Value>,
    printed: JoinHandle<()>,
    errors: Errors,
    place: Place,
    has_report: bool,
    opened: Instant,
    closed: Option<Instant>,
    exited: Option<(ExitStatus, Instant)>,
}

/// A server that the client has started.
struct Server {
    input: Input,
    output: Lines<OwnedReadHalf>,
    commands: Commands,
    done: UnboundedReceiver<Option<i32>>,
}

impl ClientConnection {
    pub(super) fn new(mut child: Child, relays: Relays, place: Place, has_report: bool) -> Self {
        let (tell, told) = unbounded_channel();
        Self {
            pid: child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?)),
            relays,
            server: None,
            servers_before: Vec::new(),
            processes: Processes::default(),
            printed: printed::read(child.stdout.take(), tell.clone()),
            errors: Errors::new(child.stderr.take()),
            tell,
            told,
            place,
            has_report,
            opened: Instant::now(),
            closed: None,
            exited: None,
            child,
        }
    }

    async fn exit_within(&mut self, patience: Duration) -> Option<(ExitStatus, Instant)> {
        if self.exited.is_none()
            && let Ok(Ok(status)) = timeout(patience, self.child.wait()).await
        {
            self.exited = Some((status, Instant::now()));
        }
        self.exited
    }

    /// The server that the client has started, or will start within this time.
    async fn server(&mut self, patience: Duration) -> Result<&mut Server, Missing> {
        if self.server.is_none() {
            let came = tokio::select! {
                // One that came in has its say, whatever has become of its client.
                biased;
                came = timeout(patience, self.relays.next()) => came,
                _ = self.child.wait() => return Err(Missing::ClientEnded),
            };
            let Ok(Some(relay)) = came else { return Err(Missing::NotYet) };
            self.processes.hold("the server", relay.pid);
            self.server = Some(Server::of(relay, self.tell.clone()));
        }
        self.server.as_mut().ok_or(Missing::NotYet)
    }

    /// Kills what is left of the group. A group whose members are all gone is no error.
    fn kill_group(&self) {
        if let Some(pid) = self.pid {
            kill_process_group(pid, rustix::process::Signal::KILL).ok();
        }
    }
}

/// Why there is no server.
enum Missing {
    NotYet,
    ClientEnded,
}

impl Server {
    fn of(relay: Relay, tell: UnboundedSender<Value>) -> Self {
        let (from, to) = relay.data.into_split();
        let (finish, done) = unbounded_channel();
        tokio::spawn(hear(relay.pid, relay.control.from, finish, tell));
        Self { input: Input::new(Some(to)), output: Lines::new(Some(from)), commands: relay.control.to, done }
    }
}

/// Hears what a relay tells, until it is gone.
async fn hear(pid: i32, mut events: Events, finish: UnboundedSender<Option<i32>>, tell: UnboundedSender<Value>) {
    loop {
        let event = events.next().await;
        let what = match event {
            Some(Event::Done(started)) => {
                // Nobody waits for it when the script was cut off.
                finish.send(started).ok();
                continue;
            }
            Some(Event::InputEnded) => "input ended",
            Some(Event::Terminated) => "SIGTERM",
            Some(Event::OutputBroken) => "output broken",
            None => "gone",
        };
        if tell.send(json!({"server": what, "pid": pid})).is_err() || event.is_none() {
            return;
        }
    }
}

#[async_trait]
impl Connection for ClientConnection {
    async fn send_line(&mut self, line: &str) {
        let mut bytes = Vec::with_capacity(line.len() + 1);
        bytes.extend_from_slice(line.as_bytes());
        bytes.push(b'\n');
        self.send_bytes(&bytes).await;
    }

    async fn send_bytes(&mut self, bytes: &[u8]) {
        // Without a server there is nobody who could say it.
        if let Ok(server) = self.server(GRACE).await {
            server.input.push(bytes.to_vec());
        }
    }

    async fn recv(&mut self, patience: Duration) -> Received {
        let deadline = Instant::now() + patience;
        match self.server(patience).await {
            Ok(server) => server.output.line(deadline.saturating_duration_since(Instant::now())).await,
            Err(Missing::ClientEnded) => Received::Ended,
            Err(Missing::NotYet) => Received::TimedOut,
        }
    }

    async fn close_write(&mut self) {
        self.closed.get_or_insert_with(Instant::now);
        if let Some(server) = &mut self.server {
            server.input.close();
        }
    }

    async fn close_read(&mut self) {
        // That of a server which is gone is closed.
        drop(Connection::server(self, Deed::CloseInput).await);
        if let Some(server) = &mut self.server {
            server.output.close();
        }
    }

    async fn signal(&mut self, signal: Signal) -> Result<(), NotApplicable> {
        let signal = match signal {
            Signal::Term => rustix::process::Signal::TERM,
            Signal::Int => rustix::process::Signal::INT,
        };
        match (self.pid, self.exited) {
            (Some(pid), None) => {
                kill_process(pid, signal).map_err(|error| NotApplicable(format!("the signal was refused: {error}")))
            }
            _ => Err(NotApplicable("the process has ended".to_owned())),
        }
    }

    async fn server(&mut self, deed: Deed) -> Result<(), NotApplicable> {
        let Ok(server) = Self::server(self, GRACE).await else {
            return Err(NotApplicable("the client has started no server".to_owned()));
        };
        let spawns = deed == Deed::Spawn;
        let ends = matches!(deed, Deed::Exit(_) | Deed::Die);
        let gone = |_| NotApplicable("the server has gone".to_owned());
        server.commands.send(&command(deed)).await.map_err(gone)?;
        if ends {
            return Ok(());
        }
        match timeout(GRACE, server.done.recv()).await {
            Ok(Some(started)) => {
                if let (true, Some(pid)) = (spawns, started) {
                    self.processes.hold("what the server has started,", pid);
                }
                Ok(())
            }
            Ok(None) => Err(NotApplicable("the server has gone".to_owned())),
            Err(_) => Err(NotApplicable(format!("it did not come about within {GRACE:?}"))),
        }
    }

    async fn next_server(&mut self, patience: Duration) -> Result<bool, NotApplicable> {
        self.servers_before.extend(self.server.take());
        Ok(Self::server(self, patience).await.is_ok())
    }

    async fn told(&mut self, patience: Duration) -> Option<Value> {
        timeout(patience, self.told.recv()).await.ok().flatten()
    }

    async fn wait_end(&mut self, patience: Duration) -> bool {
        self.exit_within(patience).await.is_some()
    }

    fn taken(&self) -> u64 {
        self.server.as_ref().map_or(0, |server| server.input.taken())
    }

    async fn finish(mut self: Box<Self>) -> Ending {
        self.close_write().await;
        let by_itself = self.exit_within(GRACE).await;
        // Looked at before anything is killed here: what is left was left by the client.
        let left = self.processes.left().await;
        self.processes.kill();
        self.kill_group();
        let ended = match by_itself {
            Some(ended) => Some(ended),
            None => self.exit_within(GRACE).await,
        };
        // What it printed last is there now, though nobody may have asked for it.
        drop(timeout(A_MOMENT, &mut self.printed).await);
        let at = ended.map_or_else(Instant::now, |(_, at)| at);
        let report = match self.has_report {
            true => self.place.read_report(),
            false => Err(NotApplicable("this program writes no report of its run".to_owned())),
        };
        Ending {
            exit: by_itself.map_or(Exit::Enforced, |(status, _)| exit_of(status)),
            began: report.is_ok(),
            report,
            stderr: self.errors.all().await,
            elapsed: at - self.opened,
            after_close: self.closed.map(|closed| at.saturating_duration_since(closed)),
            reaped: ended.is_some(),
            left,
        }
    }
}

impl Drop for ClientConnection {
    /// Only a script that was cut off comes here with living processes. SIGKILL takes effect within
    /// moments, so that the client is reaped at once; should it not, tokio reaps it later.
    fn drop(&mut self) {
        self.printed.abort();
        self.processes.kill();
        if self.exited.is_some() {
            return;
        }
        self.kill_group();
        let deadline = std::time::Instant::now() + GRACE;
        while matches!(self.child.try_wait(), Ok(None)) && std::time::Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

fn command(deed: Deed) -> Command {
    match deed {
        Deed::Exit(status) => Command::Exit(status),
        Deed::Die => Command::Die,
        Deed::CloseInput => Command::CloseInput,
        Deed::IgnoreEnd => Command::IgnoreEnd,
        Deed::IgnoreTerm => Command::IgnoreTerm,
        Deed::Complain(text) => Command::Complain(text.to_owned()),
        Deed::Flood(bytes) => Command::Flood(bytes),
        Deed::Spawn => Command::Spawn,
    }
}

/// How long a client may take: it may have to kill a server that does not end.
const GRACE: Duration = Duration::from_secs(6);
const A_MOMENT: Duration = Duration::from_millis(500);
