//! What is under test: a way to open connections to it, and the raw connection itself.
//!
//! A connection carries bytes and lines and knows nothing of MCP. Its rules keep scripts honest:
//! writing never waits (what the peer has not yet taken is queued, and [`Connection::taken`] says
//! how much it took), and nothing is read that the script did not ask for, so that a script which
//! stops receiving is a peer which does not read.

mod opening;
mod orders;

use std::{fmt, io, time::Duration};

use async_trait::async_trait;
use serde_json::Value;

pub use self::{
    opening::{Callback, OpenOptions},
    orders::{Deed, Fault, Order},
};
use crate::{
    http::Speech,
    scenario::{Era, Need, Role},
};

/// Something that connections can be opened to: a program, or a service inside this process.
#[async_trait]
pub trait Target: Send + Sync {
    /// What the reports call it.
    fn name(&self) -> &str;

    /// What it is: a script speaks for the other side.
    fn role(&self) -> Role {
        Role::Server
    }

    /// The transport that its connections use, which is the column of its cells.
    fn transport(&self) -> Transport;

    /// The eras that can be spoken over this transport: the columns.
    fn eras(&self) -> &'static [Era] {
        &Era::ALL
    }

    /// Whether it can provide what a scenario needs.
    ///
    /// # Errors
    /// The reason why not, as it is printed beside the cell that is not applicable.
    fn provides(&self, need: &Need) -> Result<(), String>;

    /// Whether the scenarios' contract (both eras, every tool) is promised or has to be found out.
    fn offer(&self) -> Offer;

    /// Opens a fresh connection to a fresh instance of it.
    ///
    /// # Errors
    /// Fails when the target cannot be started.
    async fn open(&self, options: &OpenOptions) -> Result<Box<dyn Connection>, OpenError>;
}

/// One connection, as raw bytes. Dropping it leaves nothing behind: a child is killed and reaped.
#[async_trait]
pub trait Connection: Send {
    /// Queues one line and its line feed.
    async fn send_line(&mut self, line: &str);

    /// Queues bytes as they are, in one write: torn frames, several frames at once.
    async fn send_bytes(&mut self, bytes: &[u8]);

    /// Waits for one line, at most for `patience`.
    async fn recv(&mut self, patience: Duration) -> Received;

    /// Ends the peer's input once all that is queued was taken.
    async fn close_write(&mut self);

    /// Stops being there as a reader: the peer's writes fail from now on.
    async fn close_read(&mut self);

    /// Sends a signal to the peer's process.
    async fn signal(&mut self, signal: Signal) -> Result<(), NotApplicable>;

    /// Makes the connection misbehave (needs [`Need::Faults`]).
    async fn fault(&mut self, fault: Fault) -> Result<(), NotApplicable> {
        Err(NotApplicable(format!("the connection cannot be made to {fault}")))
    }

    /// Tells the program at the other end to do something (needs [`Need::Orders`]).
    async fn order(&mut self, order: Order) -> Result<(), NotApplicable> {
        Err(NotApplicable(format!("the program cannot be told to {order}")))
    }

    /// Tells the process that a client has started as its server to do something (needs
    /// [`Need::Spawns`]), and waits until that is done.
    async fn server(&mut self, deed: Deed) -> Result<(), NotApplicable> {
        Err(NotApplicable(format!("there is no process that could {deed}")))
    }

    /// Waits until a client has started its server once more, and speaks to that one from now on
    /// (needs [`Need::Spawns`]). Nothing more comes from the one before.
    async fn next_server(&mut self, patience: Duration) -> Result<bool, NotApplicable> {
        let _ = patience;
        Err(NotApplicable("the program starts no server".to_owned()))
    }

    /// Waits for the next thing that the program tells of what it was ordered to do, or of what
    /// its callbacks were given.
    async fn told(&mut self, patience: Duration) -> Option<Value> {
        let _ = patience;
        None
    }

    /// How the connection's client speaks over HTTP, if it does.
    fn speech(&self) -> Option<&Speech> {
        None
    }

    /// The peer's process, if it has one of its own.
    fn process(&self) -> Option<u32> {
        None
    }

    /// Whether the peer ends by itself within `patience`, whatever is still open.
    async fn wait_end(&mut self, patience: Duration) -> bool;

    /// How many of the queued bytes the peer's side has taken so far.
    fn taken(&self) -> u64;

    /// Closes everything, waits for the peer's end (and enforces it), and says how it ended.
    async fn finish(self: Box<Self>) -> Ending;
}

/// The transports that make columns of the matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Transport {
    /// In memory, through the byte framer.
    Memory,
    /// In memory, frame by frame.
    MemoryFrames,
    /// A child process over its standard input and output.
    ChildStdio,
    /// HTTP in a session: up to 2025-11-25.
    Http,
    /// HTTP without a session: up to 2025-11-25.
    HttpStateless,
    /// HTTP with two endpoints and one stream: 2024-11-05.
    HttpSse,
    /// HTTP whose answers are JSON unless something comes before them: 2026-07-28.
    HttpJson,
    /// HTTP whose answers are events: 2026-07-28.
    HttpEvents,
}

impl Transport {
    /// All of them, in the order of the matrix.
    pub const ALL: [Self; 8] = [
        Self::Memory,
        Self::MemoryFrames,
        Self::ChildStdio,
        Self::Http,
        Self::HttpStateless,
        Self::HttpSse,
        Self::HttpJson,
        Self::HttpEvents,
    ];

    /// Its name on the command line and in reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::MemoryFrames => "memory-frames",
            Self::ChildStdio => "stdio",
            Self::Http => "http",
            Self::HttpStateless => "http-stateless",
            Self::HttpSse => "http+sse",
            Self::HttpJson => "http-json",
            Self::HttpEvents => "http-events",
        }
    }
}

impl fmt::Display for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Whether a target promises what scenarios use.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Offer {
    /// Both eras and every tool: what is missing is a failure.
    Contract,
    /// Unknown: the runner asks first, and what is not offered is not applicable.
    Unknown,
}

/// Why a connection could not be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The program could not be started.
    #[error("cannot start {program}")]
    Spawn {
        /// The program as it was named.
        program: String,
        /// Why not.
        source: io::Error,
    },
    /// The place for the run's files could not be made.
    #[error("cannot make a place for the files of the run")]
    Place(#[source] io::Error),
    /// What the target writes to could not be opened.
    #[error("cannot open what the target writes to")]
    Output(#[source] io::Error),
    /// The program did not say where it listens.
    #[error("{program} does not listen: {why}")]
    NotListening {
        /// The program as it was named.
        program: String,
        /// What it did instead.
        why: String,
    },
    /// The server could not be reached, or its stream not be opened.
    #[error("cannot reach {site}: {why}")]
    Unreachable {
        /// Where it should be.
        site: String,
        /// Why not.
        why: String,
    },
    /// The thread or the runtime of a program in this process could not be started.
    #[error("cannot start a thread for the program")]
    Thread(#[source] io::Error),
}

/// What [`Connection::recv`] came back with.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Received {
    /// A line, without its line feed.
    Line(String),
    /// Something that is no frame, for the record.
    Event(String),
    /// Something that the transport forbids.
    Wrong(String),
    /// The peer has said all it will say.
    Ended,
    /// Nothing came while the patience lasted.
    TimedOut,
}

/// Signals that scenarios send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Signal {
    /// SIGTERM: please end.
    Term,
    /// SIGINT: treated as SIGTERM.
    Int,
}

impl fmt::Display for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Term => "SIGTERM",
            Self::Int => "SIGINT",
        })
    }
}

/// The connection has no such thing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not applicable: {0}")]
pub struct NotApplicable(pub String);

/// How the peer's process, or its run, ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Exit {
    /// With this exit code.
    Code(i32),
    /// By this signal, which the suite did not need to enforce the end.
    Signal(i32),
    /// It was still running and had to be killed.
    Enforced,
    /// Nobody has started it here, so that nobody sees its end.
    Unseen,
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exit code {code}"),
            Self::Signal(signal) => write!(f, "ended by signal {signal}"),
            Self::Enforced => f.write_str("did not end and was killed"),
            Self::Unseen => f.write_str("its end is not seen from here"),
        }
    }
}

/// The end of a connection, as far as it can be seen from outside.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Ending {
    /// How it ended.
    pub exit: Exit,
    /// The run's own report, or why there is none.
    pub report: Result<Value, NotApplicable>,
    /// The last of what the peer wrote to its standard error (64 KiB at most).
    pub stderr: String,
    /// From opening to the end.
    pub elapsed: Duration,
    /// From the end of the peer's input to its own end, when it was the script that ended it.
    pub after_close: Option<Duration>,
    /// Whether nothing of the peer is left: for a process, that it was reaped.
    pub reaped: bool,
    /// Whether there was a run that a report could be of. A client that could not connect had none.
    pub began: bool,
    /// The processes that it started and that outlived it, in words.
    pub left: Vec<String>,
}

impl Ending {
    /// An ending that left nothing behind and took no time.
    pub const fn new(exit: Exit, report: Result<Value, NotApplicable>) -> Self {
        Self {
            exit,
            report,
            stderr: String::new(),
            elapsed: Duration::ZERO,
            after_close: None,
            reaped: true,
            began: true,
            left: Vec::new(),
        }
    }
}
