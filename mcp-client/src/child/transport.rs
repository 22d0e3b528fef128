//! The transport to a child.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use mcp_session::transport::{Frames, Sink, Traits, Transport};
use mcp_session::transports::io::StreamSink;
use tokio::net::unix::pipe;
use tokio::time::{Sleep, sleep};

use super::process::Process;
use super::shared::{Shared, Stage, Waiting};
use super::source::ChildSource;

/// A transport to a child that runs: what [`ChildProcess::spawn`](super::ChildProcess::spawn) gives.
///
/// Dropping it, or its sink, ends the child.
#[derive(Debug)]
pub struct ChildTransport {
    source: ChildSource,
    sink: ChildSink,
}

impl ChildTransport {
    pub(super) const fn new(source: ChildSource, sink: ChildSink) -> Self {
        Self { source, sink }
    }

    /// A handle to the child, which outlives the transport.
    #[must_use]
    pub fn process(&self) -> Process {
        Process::new(Arc::clone(&self.sink.input.0))
    }
}

impl Transport for ChildTransport {
    type Source = ChildSource;
    type Sink = ChildSink;

    fn traits(&self) -> Traits {
        Traits::local()
    }

    fn split(self) -> (ChildSource, ChildSink) {
        (self.source, self.sink)
    }
}

/// The standard input of a child.
///
/// - A failure is held back for a moment, so that it can be said how the child exited.
/// - When it is closed or dropped the input of the child ends, and from then on the child is given its time to exit.
#[derive(Debug)]
pub struct ChildSink {
    // First, so that the input has ended by the time the keeper is told.
    stdin: StreamSink<pipe::Sender>,
    input: Input,
    exit: Waiting,
    exit_status: Duration,
    failure: Option<Failure>,
}

/// Writing failed, most likely because the child has exited: that may be known in a moment.
#[derive(Debug)]
struct Failure {
    error: io::Error,
    patience: Pin<Box<Sleep>>,
}

impl ChildSink {
    pub(super) fn new(stdin: pipe::Sender, input: Input, exit_status: Duration) -> Self {
        let exit = Waiting::new(Arc::clone(&input.0), Stage::Exited);
        Self { stdin: StreamSink::new(stdin), input, exit, exit_status, failure: None }
    }

    /// Gives the failure once that is due; `None` when there is none.
    fn poll_failure(&mut self, cx: &mut Context<'_>) -> Poll<Option<io::Error>> {
        let Some(failure) = &mut self.failure else { return Poll::Ready(None) };
        if self.exit.poll(cx).is_pending() {
            ready!(failure.patience.as_mut().poll(cx));
        }
        Poll::Ready(self.failure.take().map(|failure| failure.error))
    }
}

impl Sink for ChildSink {
    fn poll_write(&mut self, cx: &mut Context<'_>, frames: Frames<'_>) -> Poll<io::Result<usize>> {
        loop {
            if let Some(error) = ready!(self.poll_failure(cx)) {
                return Poll::Ready(Err(error));
            }
            match ready!(self.stdin.poll_write(cx, frames)) {
                Err(error) => self.failure = Some(Failure { error, patience: Box::pin(sleep(self.exit_status)) }),
                written => return Poll::Ready(written),
            }
        }
    }

    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match ready!(self.poll_failure(cx)) {
            Some(error) => Poll::Ready(Err(error)),
            None => self.stdin.poll_flush(cx),
        }
    }

    fn poll_close(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let closed = ready!(self.stdin.poll_close(cx));
        self.input.0.end();
        Poll::Ready(closed)
    }
}

/// Tells the keeper when the input of the child has ended, at the latest when it is dropped.
#[derive(Debug)]
pub(super) struct Input(pub(super) Arc<Shared>);

impl Drop for Input {
    fn drop(&mut self) {
        self.0.end();
    }
}
