//! What goes on beside a script that speaks to a process: writing what is queued, and draining stderr.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    process::ChildStderr,
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    task::JoinHandle,
    time::{Instant, timeout_at},
};

use crate::target::Received;

/// The queue in front of what the process reads. It is unbounded on purpose: a script must be
/// able to write more than the peer takes.
#[derive(Debug)]
pub(super) struct Input {
    queue: Option<UnboundedSender<Vec<u8>>>,
    taken: Arc<AtomicU64>,
    writer: JoinHandle<()>,
}

impl Input {
    pub(super) fn new(to: Option<impl AsyncWrite + Send + Unpin + 'static>) -> Self {
        let (queue, queued) = unbounded_channel();
        let taken = Arc::new(AtomicU64::new(0));
        let writer = tokio::spawn(write(to, queued, Arc::clone(&taken)));
        Self { queue: Some(queue), taken, writer }
    }

    /// What is queued after the peer stopped reading goes nowhere, as on any broken pipe.
    pub(super) fn push(&self, bytes: Vec<u8>) {
        if let Some(queue) = &self.queue {
            drop(queue.send(bytes));
        }
    }

    /// Ends the input after what is queued.
    pub(super) fn close(&mut self) {
        self.queue = None;
    }

    pub(super) fn taken(&self) -> u64 {
        self.taken.load(Ordering::Acquire)
    }

    /// Ends the input now, whatever is queued.
    pub(super) async fn end(&mut self) {
        self.queue = None;
        self.writer.abort();
        drop((&mut self.writer).await);
    }
}

impl Drop for Input {
    fn drop(&mut self) {
        self.writer.abort();
    }
}

async fn write(to: Option<impl AsyncWrite + Unpin>, mut queued: UnboundedReceiver<Vec<u8>>, taken: Arc<AtomicU64>) {
    let Some(mut to) = to else { return };
    while let Some(bytes) = queued.recv().await {
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            match to.write(rest).await {
                Ok(0) | Err(_) => return,
                Ok(written) => {
                    taken.fetch_add(written as u64, Ordering::AcqRel);
                    rest = rest.get(written..).unwrap_or_default();
                }
            }
        }
    }
}

/// What the process writes, line by line, read only when it is asked for.
#[derive(Debug)]
pub(super) struct Lines<R> {
    from: Option<R>,
    /// What was read and not yet handed out.
    pending: Vec<u8>,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(super) const fn new(from: Option<R>) -> Self {
        Self { from, pending: Vec::new() }
    }

    /// Reads no more, not even what has been written.
    pub(super) fn close(&mut self) {
        self.from = None;
        self.pending.clear();
    }

    pub(super) async fn line(&mut self, patience: Duration) -> Received {
        let deadline = Instant::now() + patience;
        let mut scanned = 0;
        loop {
            if let Some(line) = self.take_line(scanned) {
                return Received::Line(line);
            }
            scanned = self.pending.len();
            let Some(from) = &mut self.from else { return Received::Ended };
            match timeout_at(deadline, from.read_buf(&mut self.pending)).await {
                Err(_) => return Received::TimedOut,
                Ok(Ok(1..)) => {}
                Ok(Ok(0) | Err(_)) => {
                    self.from = None;
                    if !self.pending.is_empty() {
                        let rest = std::mem::take(&mut self.pending);
                        return Received::Line(String::from_utf8_lossy(&rest).into_owned());
                    }
                }
            }
        }
    }

    /// A line that is complete.
    fn take_line(&mut self, from: usize) -> Option<String> {
        let end = from + self.pending.get(from..)?.iter().position(|byte| *byte == b'\n')?;
        let rest = self.pending.split_off(end + 1);
        let mut line = std::mem::replace(&mut self.pending, rest);
        line.pop();
        Some(String::from_utf8_lossy(&line).into_owned())
    }
}

/// The child's standard error, drained from the start; its end is kept.
#[derive(Debug)]
pub(super) struct Errors {
    tail: Arc<Mutex<Vec<u8>>>,
    reader: JoinHandle<()>,
}

impl Errors {
    pub(super) fn new(stderr: Option<ChildStderr>) -> Self {
        let tail = Arc::new(Mutex::new(Vec::new()));
        let reader = tokio::spawn(drain(stderr, Arc::clone(&tail)));
        Self { tail, reader }
    }

    /// Everything up to the end of the stream. The group is dead by now, so the end comes; only a
    /// descendant that left the group can hold the stream open, and it is not waited for.
    pub(super) async fn all(&mut self) -> String {
        drop(tokio::time::timeout(ESCAPED, &mut self.reader).await);
        let tail = self.tail.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&tail).into_owned()
    }
}

impl Drop for Errors {
    fn drop(&mut self) {
        self.reader.abort();
    }
}

async fn drain(stderr: Option<ChildStderr>, tail: Arc<Mutex<Vec<u8>>>) {
    let Some(mut stderr) = stderr else { return };
    let mut piece = vec![0; 4_096];
    while let Ok(read) = stderr.read(&mut piece).await {
        if read == 0 {
            return;
        }
        let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
        tail.extend_from_slice(piece.get(..read).unwrap_or_default());
        let excess = tail.len().saturating_sub(TAIL);
        tail.drain(..excess);
    }
}

const ESCAPED: Duration = Duration::from_secs(1);
const TAIL: usize = 64 * 1_024;
