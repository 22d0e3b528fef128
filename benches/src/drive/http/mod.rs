//! The driver over HTTP/1.1: connections that are kept, each with one request at a time.
//!
//! A server that it starts says `LISTENING 127.0.0.1:PORT` on its standard output, serves `/mcp` there, and ends with
//! its standard input.

mod connection;
mod reply;

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use rustix::event::{PollFd, PollFlags, poll};

use self::connection::Connection;
use super::messages::{Era, Request, listen};
use super::server::{PATIENCE, Process};
use super::{cpu, memory};

/// A server over HTTP that was started and has answered the first request.
#[derive(Debug)]
pub struct HttpServer {
    process: Process,
    /// It ends with this.
    input: ChildStdin,
    /// Somebody holds it, so that what it prints breaks nothing.
    _output: BufReader<ChildStdout>,
    address: SocketAddr,
    era: Era,
    connection: Connection,
    /// The session of calls, in the legacy era.
    session: Option<String>,
    /// What stays open until the end.
    open: Vec<Connection>,
    next_id: u64,
}

/// What became of calls one after the other.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Latencies {
    /// How long each took, in microseconds.
    pub us: Vec<f64>,
    /// How long all took.
    pub took: Duration,
}

impl HttpServer {
    /// Starts a server and speaks with it up to where calls may be made.
    ///
    /// # Errors
    ///
    /// When it cannot be started, or does not answer the first request with a result.
    pub fn start(mut command: Command, era: Era) -> Result<Self> {
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = child.with_context(|| format!("starting {}", command.get_program().display()))?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let process = Process(child);
        let (input, output) = pipes.context("a child without pipes")?;
        let mut output = BufReader::new(output);
        let mut line = String::new();
        output.read_line(&mut line)?;
        let address =
            line.trim().strip_prefix("LISTENING ").with_context(|| format!("it listens nowhere: {line:?}"))?;
        let address = address.parse()?;
        let connection = Connection::open(address)?;
        let (session, open) = (None, Vec::new());
        let mut server = Self { process, input, _output: output, address, era, connection, session, open, next_id: 1 };
        server.session = server.open_session()?;
        Ok(server)
    }

    /// Makes so many calls over one connection, each when the one before was answered. The first and the last answer
    /// are checked, and the status of each.
    ///
    /// # Errors
    ///
    /// When an answer is wrong, or nothing comes for a minute.
    pub fn call(&mut self, request: &Request, calls: usize) -> Result<Latencies> {
        let begun = Instant::now();
        let mut us = Vec::with_capacity(calls);
        let mut text = Vec::new();
        for number in 1..=calls {
            self.encode(request, &mut text);
            let sent = Instant::now();
            self.connection.send(&text)?;
            let reply = self.connection.reply()?;
            us.push(sent.elapsed().as_secs_f64() * 1e6);
            ensure!(reply.head.status == 200, "a call was answered by {}", reply.head.status);
            if number == 1 || number == calls {
                request.check(&reply.message())?;
            }
        }
        Ok(Latencies { us, took: begun.elapsed() })
    }

    /// Makes so many calls over so many connections, each of which has one in flight.
    ///
    /// # Errors
    ///
    /// As for [`call`](Self::call).
    pub fn call_in_parallel(&mut self, request: &Request, calls: usize, connections: usize) -> Result<Duration> {
        let connections: Result<Vec<_>> = (0..connections.min(calls)).map(|_| Connection::open(self.address)).collect();
        let mut connections = connections?;
        let begun = Instant::now();
        let mut text = Vec::new();
        for connection in &mut connections {
            self.encode(request, &mut text);
            connection.send(&text)?;
        }
        let (mut sent, mut answered) = (connections.len(), 0);
        while answered < calls {
            for number in readable(&connections)? {
                let connection = &mut connections[number];
                let reply = connection.reply()?;
                ensure!(reply.head.status == 200, "a call was answered by {}", reply.head.status);
                answered += 1;
                if answered == 1 || answered == calls {
                    request.check(&reply.message())?;
                }
                if sent < calls {
                    sent += 1;
                    self.encode(request, &mut text);
                    connection.send(&text)?;
                }
            }
        }
        Ok(begun.elapsed())
    }

    /// Opens so many sessions over one connection, and leaves them.
    ///
    /// # Errors
    ///
    /// When one is not opened.
    pub fn open_sessions(&mut self, count: usize) -> Result<()> {
        for _ in 0..count {
            self.open_session()?;
        }
        Ok(())
    }

    /// Opens so many streams on which nothing is said, each over a connection of its own, and leaves them: those of
    /// `subscriptions/listen` in the modern era, those of sessions of their own in the legacy one.
    ///
    /// # Errors
    ///
    /// When one is not opened.
    pub fn open_streams(&mut self, count: usize) -> Result<()> {
        for _ in 0..count {
            let mut connection = Connection::open(self.address)?;
            let head = match self.era {
                Era::Modern => {
                    let listen = listen(self.next_id);
                    self.next_id += 1;
                    let request = self.post("subscriptions/listen", "", None, listen.as_bytes());
                    connection.send(&request)?;
                    connection.first_event()?
                }
                Era::Legacy => {
                    let session = self.open_session()?;
                    let head = self.head("GET", "text/event-stream", session.as_deref());
                    connection.send(format!("{head}\r\n").as_bytes())?;
                    connection.head()?
                }
            };
            ensure!(head.status == 200, "a stream was answered by {}", head.status);
            self.open.push(connection);
        }
        Ok(())
    }

    /// The processor time that the server has used.
    ///
    /// # Errors
    ///
    /// When the system does not tell.
    pub fn cpu_time(&self) -> Result<Duration> {
        cpu::time(self.process.0.id())
    }

    /// The bytes of memory that the server has at this moment.
    ///
    /// # Errors
    ///
    /// When the system does not tell.
    pub fn resident(&self) -> Result<u64> {
        memory::resident(self.process.0.id())
    }

    /// Ends the server with all that is open.
    ///
    /// # Errors
    ///
    /// When it fails.
    pub fn finish(mut self) -> Result<()> {
        drop(self.input);
        let status = self.process.0.wait()?;
        ensure!(status.success(), "the server ended with {status}");
        Ok(())
    }

    /// Speaks up to where calls may be made, and gives the session if there is one.
    fn open_session(&mut self) -> Result<Option<String>> {
        let method = if self.era == Era::Modern { "server/discover" } else { "" };
        let opening = self.post(method, "", None, self.era.opening().as_bytes());
        self.connection.send(&opening)?;
        let reply = self.connection.reply()?;
        let message: serde_json::Value = serde_json::from_slice(&reply.message())
            .with_context(|| format!("the opening was answered by {}", reply.head.status))?;
        ensure!(message["result"].is_object(), "the opening was answered with {message}");
        let session = reply.head.value("mcp-session-id").map(str::to_owned);
        if let Some(line) = self.era.opened() {
            let opened = self.post("", "", session.as_deref(), line.as_bytes());
            self.connection.send(&opened)?;
            let status = self.connection.reply()?.head.status;
            ensure!(status == 202, "a notification was answered by {status}");
        }
        Ok(session)
    }

    fn encode(&mut self, request: &Request, text: &mut Vec<u8>) {
        let mut body = Vec::new();
        request.write(self.next_id, &mut body);
        body.pop();
        self.next_id += 1;
        *text = self.post("tools/call", request.tool(), self.session.as_deref(), &body);
    }

    fn post(&self, method: &str, name: &str, session: Option<&str>, body: &[u8]) -> Vec<u8> {
        let mut text = self.head("POST", "application/json, text/event-stream", session);
        if self.era == Era::Modern {
            text.push_str(&format!("Mcp-Method: {method}\r\n"));
            if !name.is_empty() {
                text.push_str(&format!("Mcp-Name: {name}\r\n"));
            }
        }
        text.push_str(&format!("Content-Type: application/json\r\nContent-Length: {}\r\n\r\n", body.len()));
        [text.as_bytes(), body].concat()
    }

    fn head(&self, verb: &str, accept: &str, session: Option<&str>) -> String {
        let mut text = format!("{verb} /mcp HTTP/1.1\r\nHost: {}\r\nAccept: {accept}\r\n", self.address);
        if let Some(session) = session {
            text.push_str(&format!("Mcp-Session-Id: {session}\r\n"));
        }
        let version = match self.era {
            Era::Legacy => "2025-11-25",
            Era::Modern => "2026-07-28",
        };
        text.push_str(&format!("MCP-Protocol-Version: {version}\r\n"));
        text
    }
}

/// The connections on which something has come.
fn readable(connections: &[Connection]) -> Result<Vec<usize>> {
    let mut ends: Vec<_> = connections.iter().map(|it| PollFd::new(&it.stream, PollFlags::IN)).collect();
    ensure!(poll(&mut ends, Some(&PATIENCE))? > 0, "nothing has moved for a minute");
    let ready = ends.iter().enumerate().filter(|(_, end)| !end.revents().is_empty());
    Ok(ready.map(|(number, _)| number).collect())
}

/// The time from the start of a server to its first answer.
///
/// # Errors
///
/// As for [`HttpServer::start`].
pub fn cold_start(command: Command, era: Era) -> Result<Duration> {
    let begun = Instant::now();
    let server = HttpServer::start(command, era)?;
    let took = begun.elapsed();
    server.finish()?;
    Ok(took)
}
