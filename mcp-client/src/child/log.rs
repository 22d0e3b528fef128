//! What a child says besides messages, and who hears it.

use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::thread;

use super::shared::Shared;

/// What becomes of the standard error of a child.
///
/// Whatever becomes of it, a child never waits for somebody to read it.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum Stderr {
    /// It is read, and the last of it is kept for errors. This is the default.
    #[default]
    Capture,
    /// It is the standard error of this process. Nothing of it is kept.
    Inherit,
    /// It goes nowhere.
    Null,
    /// As [`Capture`](Self::Capture), and each line is handed out; see [`Stderr::lines`].
    Lines(OnLine),
}

impl Stderr {
    /// Hands out each line, and the log lines of standard output too.
    ///
    /// The callback runs on a thread of its own, one line after the other, and may block: up to 1 024 lines wait for it,
    /// beyond that the new ones are left out. A panic in it loses that line alone.
    ///
    /// ```
    /// use mcp_client::ChildProcess;
    /// use mcp_client::child::Stderr;
    ///
    /// let server = ChildProcess::new("server").stderr(Stderr::lines(|line| eprintln!("server: {}", line.text())));
    /// ```
    pub fn lines(callback: impl Fn(LogLine) + Send + Sync + 'static) -> Self {
        Self::Lines(OnLine(Arc::new(callback)))
    }

    pub(super) const fn is_read(&self) -> bool {
        matches!(self, Self::Capture | Self::Lines(_))
    }
}

/// A callback for lines; made by [`Stderr::lines`].
#[derive(Clone)]
pub struct OnLine(Arc<dyn Fn(LogLine) + Send + Sync>);

impl fmt::Debug for OnLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OnLine")
    }
}

/// A line that a child wrote and that is no message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    text: String,
    origin: Origin,
}

impl LogLine {
    pub(super) const fn new(origin: Origin, text: String) -> Self {
        Self { text, origin }
    }

    /// The line without its line ending. What was not UTF-8 is replaced; a very long line comes in several.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where it was written.
    #[must_use]
    pub const fn origin(&self) -> Origin {
        self.origin
    }

    /// The line as it is kept.
    pub(super) fn marked(&self) -> String {
        match self.origin {
            Origin::Stderr => self.text.clone(),
            Origin::Stdout => format!("stdout: {}", self.text),
        }
    }
}

/// Where a log line was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// Standard error, where log lines belong.
    Stderr,
    /// Standard output, where only messages belong.
    Stdout,
}

/// Takes log lines down: keeps them, and passes them on if somebody wants them.
///
/// The keeper and the source have one each.
#[derive(Clone, Debug)]
pub(super) struct Scribe {
    shared: Arc<Shared>,
    listener: Option<SyncSender<LogLine>>,
}

impl Scribe {
    /// The thread of a listener ends when the last scribe is gone and all is said.
    pub(super) fn new(shared: Arc<Shared>, stderr: &Stderr) -> io::Result<Self> {
        let listener = match stderr {
            Stderr::Lines(callback) => Some(start(callback.clone())?),
            Stderr::Capture | Stderr::Inherit | Stderr::Null => None,
        };
        Ok(Self { shared, listener })
    }

    pub(super) fn take_down(&self, line: LogLine) {
        self.shared.keep_line(line.marked());
        let Some(listener) = &self.listener else { return };
        if let Err(TrySendError::Full(_)) = listener.try_send(line) {
            tracing::debug!(program = self.shared.program(), "a log line was left out: the callback is slow");
        }
    }
}

fn start(callback: OnLine) -> io::Result<SyncSender<LogLine>> {
    let (lines, queue) = sync_channel(WAITING);
    let tell = move || {
        for line in queue {
            if catch_unwind(AssertUnwindSafe(|| callback.0(line))).is_err() {
                tracing::warn!("the callback for log lines of a child panicked");
            }
        }
    };
    thread::Builder::new().name("mcp-child-log".to_owned()).spawn(tell)?;
    Ok(lines)
}

/// Lines that may wait for a callback.
const WAITING: usize = 1024;
