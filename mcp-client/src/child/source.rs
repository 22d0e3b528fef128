//! The half of a child's transport that reads.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use mcp_session::Cause;
use mcp_session::framing::Reading;
use mcp_session::transport::{Incoming, Source};
use tokio::io::{AsyncRead, ReadBuf};
use tokio::net::unix::pipe;
use tokio::time::{Sleep, sleep};

use super::log::{LogLine, Origin, Scribe};
use super::shared::{Shared, Stage, Waiting};
use super::tail::{MAX_LINE, text_of};

/// The messages that a child writes to its standard output.
///
/// - Lines that cannot be messages are skipped.
/// - The end is held back for a moment, so that it can be said how the child exited.
/// - When the child has exited and something that it started keeps the output open without writing, the peer is gone.
#[derive(Debug)]
pub struct ChildSource {
    stdout: pipe::Receiver,
    reading: Reading,
    scribe: Scribe,
    exit: Waiting,
    patience: Patience,
    phase: Phase,
    /// Runs while the child has exited and nothing comes.
    silence: Option<Pin<Box<Sleep>>>,
}

/// How long things are waited for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    /// For the exit of the child, after the end of its output.
    pub(super) exit_status: Duration,
    /// For the next byte, after the exit of the child.
    pub(super) descendant: Duration,
}

#[derive(Debug)]
enum Phase {
    Open,
    /// The output has ended; how the child exited may be known in a moment.
    Held(Pin<Box<Sleep>>),
    Over,
}

impl ChildSource {
    pub(super) fn new(
        stdout: pipe::Receiver,
        max_frame: usize,
        shared: Arc<Shared>,
        scribe: Scribe,
        patience: Patience,
    ) -> Self {
        Self {
            stdout,
            reading: Reading::new(max_frame),
            scribe,
            exit: Waiting::new(shared, Stage::Exited),
            patience,
            phase: Phase::Open,
            silence: None,
        }
    }

    fn poll_read(&mut self, cx: &mut Context<'_>) -> Poll<Incoming> {
        let Self { stdout, reading, silence, .. } = self;
        reading.poll(|space| {
            let mut space = ReadBuf::new(space);
            ready!(Pin::new(&mut *stdout).poll_read(cx, &mut space))?;
            *silence = None;
            Poll::Ready(Ok(space.filled().len()))
        })
    }

    /// Nothing to read: somebody who is left behind by the child may hold the output open.
    fn poll_left_behind(&mut self, cx: &mut Context<'_>) -> Poll<Incoming> {
        ready!(self.exit.poll(cx));
        let patience = self.patience.descendant;
        ready!(self.silence.get_or_insert_with(|| Box::pin(sleep(patience))).as_mut().poll(cx));
        let shared = self.exit.shared();
        shared.kill();
        let held = format!("`{}` has exited, and a process that it started holds its output", shared.program());
        self.phase = Phase::Over;
        Poll::Ready(Incoming::Gone(io::Error::new(io::ErrorKind::ConnectionAborted, held)))
    }

    fn skip_line(&self) {
        let shared = self.exit.shared();
        if shared.count_stray() == 0 {
            let program = shared.program();
            tracing::warn!(program, "a child writes log lines to its standard output; they are skipped");
        }
        let frame = self.reading.frame();
        let line = text_of(frame.get(..MAX_LINE).unwrap_or(frame));
        self.scribe.take_down(LogLine::new(Origin::Stdout, line));
    }
}

impl Source for ChildSource {
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Incoming> {
        for _ in 0..STRAYS_PER_POLL {
            match &mut self.phase {
                Phase::Open => {}
                Phase::Held(sleep) => {
                    if self.exit.poll(cx).is_pending() {
                        ready!(sleep.as_mut().poll(cx));
                    }
                    self.phase = Phase::Over;
                    return Poll::Ready(Incoming::Ended);
                }
                Phase::Over => return Poll::Ready(Incoming::Ended),
            }
            match self.poll_read(cx) {
                Poll::Pending => return self.poll_left_behind(cx),
                Poll::Ready(Incoming::Frame | Incoming::Tail) if is_stray(self.reading.frame()) => self.skip_line(),
                Poll::Ready(Incoming::Ended) => {
                    self.phase = Phase::Held(Box::pin(sleep(self.patience.exit_status)));
                }
                Poll::Ready(incoming) => {
                    if let Incoming::Gone(_) = incoming {
                        self.phase = Phase::Over;
                    }
                    return Poll::Ready(incoming);
                }
            }
        }
        // Others get their turn.
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    fn frame(&self) -> &[u8] {
        self.reading.frame()
    }

    fn cause(&mut self) -> Option<Cause> {
        let shared = self.exit.shared();
        let is_known = matches!(self.phase, Phase::Over) || shared.exit().is_some();
        is_known.then(|| Cause::new(shared.verdict()))
    }
}

/// Whether a line cannot be a message: it is neither the start of an object nor an array of objects.
///
/// A line of broken JSON is not stray. It may have been a message, and is the session's to judge.
fn is_stray(line: &[u8]) -> bool {
    // Programs of Windows begin their output with a byte order mark.
    let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
    let mut line = line.trim_ascii_start().iter();
    match line.next() {
        Some(b'{') => false,
        // Many a log line begins with a time or a level in brackets.
        Some(b'[') => !matches!(line.as_slice().trim_ascii_start().first(), Some(b'{' | b']') | None),
        _ => true,
    }
}

/// Lines that are skipped before others get their turn.
const STRAYS_PER_POLL: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_cannot_be_messages_are_stray() {
        for line in ["Starting…", "[INFO] ready", "[2026-07-28 10:00] ready", "\"text\"", "true", "}", " \x1b[1mhi"] {
            assert!(is_stray(line.as_bytes()), "{line}");
        }
        for line in ["{}", "\u{feff}{}", " {\"jsonrpc\"", "{ broken", "[{}]", "[ {", "[]", "["] {
            assert!(!is_stray(line.as_bytes()), "{line}");
        }
    }
}
