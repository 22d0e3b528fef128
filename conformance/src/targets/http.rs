//! A server over HTTP: a program of this project's own, or anybody's at a URL.
//!
//! A session of a script becomes what a right client does: each frame is a POST, what comes back of it is what the
//! peer says. To cancel is to close the stream of the request in the modern era. When a script ends the peer's input,
//! the client waits for what is under way, ends its session, and closes its streams.

mod connection;
mod exchange;
mod offered;
mod stream;
mod verdict;

use async_trait::async_trait;

use self::connection::HttpConnection;
use super::Child;
use crate::{
    http::{Dialect, Site, Speech},
    scenario::{Era, Need},
    target::{Connection, Offer, OpenError, OpenOptions, Received, Target, Transport},
};

pub use self::offered::offered;

/// A server over HTTP, spoken to in one way.
#[derive(Debug, Clone)]
pub struct Http {
    name: String,
    dialect: Dialect,
    server: Server,
}

#[derive(Debug, Clone)]
enum Server {
    /// A program that keeps the whole contract, started for each connection; with arguments before those for HTTP.
    Program(String, Vec<String>),
    /// Anybody's, which runs already.
    Running(Site),
}

impl Http {
    /// Anybody's server, which runs already.
    pub fn running(site: Site, dialect: Dialect) -> Self {
        Self { name: site.to_string(), dialect, server: Server::Running(site) }
    }

    /// A program that keeps the scenarios' contract: takes `--http ADDR --until-stdin-eof`, and tells where it listens.
    pub fn program(program: impl Into<String>, args: impl IntoIterator<Item = String>, dialect: Dialect) -> Self {
        let (program, args) = (program.into(), args.into_iter().collect::<Vec<_>>());
        Self { name: format!("{program} --http"), dialect, server: Server::Program(program, args) }
    }

    async fn start(&self, options: &OpenOptions) -> Result<(Site, Option<Box<dyn Connection>>), OpenError> {
        let (program, args) = match &self.server {
            Server::Running(site) => return Ok((site.clone(), None)),
            Server::Program(program, args) => (program, args),
        };
        let mut args = args.clone();
        args.extend(["--http", "127.0.0.1:0", "--until-stdin-eof"].map(str::to_owned));
        let switches = [
            (self.dialect == Dialect::Stateless, "--stateless"),
            (self.dialect == Dialect::Sse, "--sse"),
            (options.json_alone, "--json"),
            (options.storeless, "--no-store"),
        ];
        args.extend(switches.iter().filter(|(wanted, _)| *wanted).map(|(_, switch)| (*switch).to_owned()));
        if let Some(silence) = options.keep_alive {
            args.extend(["--keep-alive-ms".to_owned(), silence.as_millis().to_string()]);
        }
        let mut process = Child::contract(program.clone(), args).open(options).await?;
        let why = match process.recv(START).await {
            Received::Line(line) => match line.strip_prefix("LISTENING ") {
                Some(address) => {
                    let path = if self.dialect == Dialect::Sse { "/sse" } else { "/mcp" };
                    return Ok((Site::new(address.trim(), path), Some(process)));
                }
                None => format!("it says {line:?}"),
            },
            other => format!("{other:?} instead of an address"),
        };
        let ending = process.finish().await;
        Err(OpenError::NotListening { program: program.clone(), why: format!("{why}; {}", ending.stderr.trim()) })
    }
}

#[async_trait]
impl Target for Http {
    fn name(&self) -> &str {
        &self.name
    }

    fn transport(&self) -> Transport {
        match self.dialect {
            Dialect::Session => Transport::Http,
            Dialect::Stateless => Transport::HttpStateless,
            Dialect::Sse => Transport::HttpSse,
            Dialect::Json => Transport::HttpJson,
            Dialect::Events => Transport::HttpEvents,
        }
    }

    fn eras(&self) -> &'static [Era] {
        if self.dialect.is_modern() { &[Era::Modern] } else { &[Era::Legacy] }
    }

    fn provides(&self, need: &Need) -> Result<(), String> {
        let why_not = match (need, &self.server, self.dialect) {
            (Need::Report, Server::Running(_), _) => "only the project's own programs write a report of their run",
            (Need::Settings, Server::Running(_), _) => "the settings of this program are not known",
            (Need::DefaultLimits, Server::Running(_), _) => "the limits of this program are not known",
            (Need::Signals | Need::ExitCode | Need::Stderr, Server::Running(_), _) => {
                "the server's process was not started here"
            }
            (Need::HalfClose, ..) => "requests are sent whole, and whoever closes the connection reads no answer",
            // Messages are accepted one by one, and everything comes back on one stream.
            (Need::OneStream, _, Dialect::Sse) => return Ok(()),
            (Need::OneStream, ..) => "each request has a stream of its own",
            (Need::Bytes, ..) => "a message is the body of a request, not a line",
            (Need::ReaderGone, ..) => "each request has a reader of its own",
            (Need::Stall, ..) => "each request has a reader of its own, and the system's buffers before it",
            (Need::FullDisk, ..) => "nothing is written to a file",
            (Need::Unmirrored, _, Dialect::Json | Dialect::Events) => "no header can hold what is in the body",
            (Need::Closing, ..) => "a server that is closing takes no connection",
            (Need::Faults, ..) => "scenarios about HTTP make requests that misbehave",
            (Need::Orders, ..) => "a program of its own takes no orders",
            (Need::Spawns, ..) => "it is a server",
            (Need::Session, _, Dialect::Json | Dialect::Events) => "the era has no sessions over HTTP",
            (Need::Session, _, Dialect::Stateless) => "there is no session",
            (Need::Cancel, _, Dialect::Stateless) => "without a session a cancellation finds no request",
            _ => return Ok(()),
        };
        Err(why_not.to_owned())
    }

    fn offer(&self) -> Offer {
        match self.server {
            Server::Program(..) => Offer::Contract,
            Server::Running(_) => Offer::Unknown,
        }
    }

    async fn open(&self, options: &OpenOptions) -> Result<Box<dyn Connection>, OpenError> {
        let (site, process) = self.start(options).await?;
        let strict = self.offer() == Offer::Contract;
        let speech = Speech::new(site, self.dialect);
        Ok(Box::new(HttpConnection::open(speech, strict, options.quiet, process).await?))
    }
}

/// How long a program may take to listen.
const START: std::time::Duration = std::time::Duration::from_secs(5);
