//! The script's side of a connection in memory.

use std::{future::poll_fn, num::NonZeroUsize, time::Duration};

use async_trait::async_trait;
use mcp_session::{
    transport::{Incoming, Source},
    transports::memory::Wire,
};
use serde_json::Value;
use tokio::time::{Instant, timeout};

use super::{
    input::Input,
    program::{Command, Program},
    wire::{Reader, ScriptEnd},
};
use crate::target::{Connection, Ending, Exit, Fault, NotApplicable, Order, Received, Signal};

pub(super) struct MemoryConnection {
    program: Program,
    input: Input,
    reader: Option<Reader>,
    outgoing: Wire,
    incoming: Wire,
    opened: Instant,
    closed: Option<Instant>,
}

impl MemoryConnection {
    pub(super) fn new(program: Program, script: ScriptEnd) -> Self {
        Self {
            program,
            input: Input::new(script.writer, script.incoming.clone()),
            reader: Some(script.reader),
            outgoing: script.outgoing,
            incoming: script.incoming,
            opened: Instant::now(),
            closed: None,
        }
    }
}

#[async_trait]
impl Connection for MemoryConnection {
    async fn send_line(&mut self, line: &str) {
        let mut bytes = Vec::with_capacity(line.len() + 1);
        bytes.extend_from_slice(line.as_bytes());
        bytes.push(b'\n');
        self.input.push(bytes);
    }

    async fn send_bytes(&mut self, bytes: &[u8]) {
        self.input.push(bytes.to_vec());
    }

    async fn recv(&mut self, patience: Duration) -> Received {
        let Some(reader) = &mut self.reader else { return Received::Ended };
        match timeout(patience, reader.line()).await {
            Err(_) => Received::TimedOut,
            Ok(Some(line)) => Received::Line(line),
            Ok(None) => Received::Ended,
        }
    }

    async fn close_write(&mut self) {
        self.closed.get_or_insert_with(Instant::now);
        self.input.close();
    }

    async fn close_read(&mut self) {
        self.reader = None;
    }

    async fn signal(&mut self, signal: Signal) -> Result<(), NotApplicable> {
        let signal = match signal {
            Signal::Term => rustix::process::Signal::TERM,
            Signal::Int => rustix::process::Signal::INT,
        };
        self.program.command(Command::Signal(signal.as_raw()));
        Ok(())
    }

    async fn fault(&mut self, fault: Fault) -> Result<(), NotApplicable> {
        match fault {
            Fault::Stall => self.outgoing.stall(),
            Fault::Resume => self.outgoing.resume(),
            Fault::WritesFail(kind) => self.outgoing.break_writer(kind),
            Fault::Reset => self.incoming.reset_reader(),
            Fault::Torn(bytes) => self.incoming.torn(bytes),
            Fault::Slow(bytes) => self.incoming.slow(NonZeroUsize::new(bytes)),
        }
        Ok(())
    }

    async fn order(&mut self, order: Order) -> Result<(), NotApplicable> {
        self.program.command(Command::Order(order));
        Ok(())
    }

    async fn told(&mut self, patience: Duration) -> Option<Value> {
        self.program.told(patience).await
    }

    async fn wait_end(&mut self, patience: Duration) -> bool {
        self.program.ends_within(patience).await.is_some()
    }

    fn taken(&self) -> u64 {
        self.input.taken()
    }

    async fn finish(mut self: Box<Self>) -> Ending {
        self.close_write().await;
        let by_itself = self.program.ends_within(GRACE).await;
        self.program.kill();
        self.input.end().await;
        let ended = match by_itself.clone() {
            Some(ended) => Some(ended),
            None => self.program.ends_within(GRACE).await,
        };
        let at = ended.as_ref().map_or_else(Instant::now, |(_, at)| *at);
        let (exit, report, began) = match by_itself {
            Some((outcome, _)) => (outcome.exit, outcome.report, outcome.began),
            None => (Exit::Enforced, None, true),
        };
        Ending {
            exit,
            report: report.ok_or_else(|| NotApplicable("the program ended without a report".to_owned())),
            stderr: self.program.errors(),
            elapsed: at - self.opened,
            after_close: self.closed.map(|closed| at.saturating_duration_since(closed)),
            reaped: ended.is_some(),
            began,
            left: Vec::new(),
        }
    }
}

impl Reader {
    /// The next line, or nothing at the end of what the program writes.
    async fn line(&mut self) -> Option<String> {
        match self {
            Self::Bytes(raw) => raw.recv().await,
            Self::Frames(source) => match poll_fn(|cx| source.poll_next(cx)).await {
                Incoming::Frame | Incoming::Tail => Some(String::from_utf8_lossy(source.frame()).into_owned()),
                Incoming::TooLarge(_) | Incoming::Ended | Incoming::Gone(_) => None,
            },
        }
    }
}

/// How long a program may take to end after its input ended and its output was read.
const GRACE: Duration = Duration::from_secs(3);
