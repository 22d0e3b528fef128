//! A server under load.

use std::io::{ErrorKind, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::cpu;
use super::lines::Lines;
use super::messages::{Era, Request, is_notification, write_notification};

/// A server that was started and has answered the first request.
///
/// Both pipes are non-blocking on this side, so that a server which stops reading until its answers are taken gets
/// them taken.
#[derive(Debug)]
pub struct Server {
    process: Process,
    input: ChildStdin,
    output: ChildStdout,
    outgoing: Vec<u8>,
    written: usize,
    lines: Lines,
    next_id: u64,
}

/// What became of a load.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Load {
    /// How long it took.
    pub took: Duration,
    /// The notifications that came meanwhile.
    pub notifications: usize,
}

impl Server {
    /// Starts a server and speaks with it up to where calls may be made.
    ///
    /// # Errors
    ///
    /// When it cannot be started, or does not answer the first request with a result.
    pub fn start(mut command: Command, era: Era) -> Result<Self> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("starting {}", command.get_program().display()))?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (input, output) = pipes.context("a child without pipes")?;
        rustix::io::ioctl_fionbio(&input, true)?;
        rustix::io::ioctl_fionbio(&output, true)?;
        let mut server = Self {
            process: Process(child),
            input,
            output,
            outgoing: Vec::new(),
            written: 0,
            lines: Lines::default(),
            next_id: 1,
        };
        server.say(&era.opening());
        server.answers(1, |first| {
            let message: serde_json::Value = serde_json::from_slice(first)?;
            ensure!(message["result"].is_object(), "the opening was answered with {message}");
            Ok(())
        })?;
        if let Some(line) = era.opened() {
            server.say(line);
        }
        Ok(server)
    }

    /// Makes so many calls, with at most `window` of them in flight. The first and the last answer are checked.
    ///
    /// # Errors
    ///
    /// When an answer is wrong, or nothing moves for a minute.
    pub fn call(&mut self, request: &Request, calls: usize, window: usize) -> Result<Load> {
        let begun = Instant::now();
        let (mut sent, mut answered, mut notifications) = (0, 0, 0);
        while answered < calls {
            while sent < calls && sent - answered < window && self.outgoing.len() - self.written < AHEAD {
                request.write(self.next_id, &mut self.outgoing);
                self.next_id += 1;
                sent += 1;
            }
            self.turn()?;
            while let Some(line) = self.lines.next() {
                if is_notification(line) {
                    notifications += 1;
                    continue;
                }
                answered += 1;
                if answered == 1 || answered == calls {
                    request.check(line)?;
                }
            }
        }
        Ok(Load { took: begun.elapsed(), notifications })
    }

    /// Sends so many notifications, and then a call that shows that they were read.
    ///
    /// # Errors
    ///
    /// As for [`call`](Self::call).
    pub fn notify(&mut self, notifications: usize) -> Result<Load> {
        for number in 0..notifications {
            write_notification(number, &mut self.outgoing);
        }
        self.call(&Request::echo(Era::Legacy, 1), 1, 1)
    }

    /// The processor time that the server has used.
    ///
    /// # Errors
    ///
    /// When the system does not tell.
    pub fn cpu_time(&self) -> Result<Duration> {
        cpu::time(self.process.0.id())
    }

    /// Ends the server's input and waits for its end.
    ///
    /// # Errors
    ///
    /// When it fails, or says more than it was asked for.
    pub fn finish(mut self) -> Result<()> {
        while !self.write()? {
            self.wait()?;
        }
        drop(self.input);
        rustix::io::ioctl_fionbio(&self.output, false)?;
        let mut rest = Vec::new();
        self.output.read_to_end(&mut rest)?;
        let status = self.process.0.wait()?;
        ensure!(status.success(), "the server ended with {status}");
        ensure!(self.lines.next().is_none() && rest.is_empty(), "{} bytes after the last answer", rest.len());
        Ok(())
    }

    fn say(&mut self, line: &str) {
        self.outgoing.extend_from_slice(line.as_bytes());
        self.outgoing.push(b'\n');
    }

    /// Waits for so many lines.
    fn answers(&mut self, count: usize, mut look: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let mut seen = 0;
        while seen < count {
            self.turn()?;
            while let Some(line) = self.lines.next() {
                look(line)?;
                seen += 1;
            }
        }
        Ok(())
    }

    /// Writes what there is, waits until something moves, and reads what has come.
    fn turn(&mut self) -> Result<()> {
        self.write()?;
        self.wait()
    }

    /// Waits for an answer, or for room when there is something to write, and reads what has come.
    fn wait(&mut self) -> Result<()> {
        let left = self.written < self.outgoing.len();
        let mut ends = [PollFd::new(&self.output, PollFlags::IN), PollFd::new(&self.input, PollFlags::OUT)];
        let watched = if left { &mut ends[..] } else { &mut ends[..1] };
        if poll(watched, Some(&PATIENCE))? == 0 {
            bail!("nothing has moved for a minute");
        }
        let output = &mut self.output;
        match self.lines.fill(|space| output.read(space)) {
            Ok(0) => bail!("the server has closed its output"),
            Err(error) if error.kind() != ErrorKind::WouldBlock => Err(error).context("reading answers"),
            _ => Ok(()),
        }
    }

    /// Writes what fits, and says whether that was all.
    fn write(&mut self) -> Result<bool> {
        while self.written < self.outgoing.len() {
            match self.input.write(&self.outgoing[self.written..]) {
                Ok(length) => self.written += length,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
                Err(error) => return Err(error).context("writing requests"),
            }
        }
        self.outgoing.clear();
        self.written = 0;
        Ok(true)
    }
}

/// A child that does not outlive its owner.
#[derive(Debug)]
pub(super) struct Process(pub(super) Child);

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already; otherwise it is not wanted any more.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// The time from the start of a server to its first answer. How it ends afterwards is not looked at: some servers take
/// it for a failure when nothing follows.
///
/// # Errors
///
/// As for [`Server::start`].
pub fn cold_start(command: Command, era: Era) -> Result<Duration> {
    let begun = Instant::now();
    let server = Server::start(command, era)?;
    let took = begun.elapsed();
    drop(server);
    Ok(took)
}

/// How many bytes are encoded ahead of what the server takes.
const AHEAD: usize = 256 << 10;

pub(super) const PATIENCE: Timespec = Timespec { tv_sec: 60, tv_nsec: 0 };
