//! The two things that go on beside a script: writing what is queued, and draining stderr.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    process::{ChildStderr, ChildStdin},
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    task::JoinHandle,
};

/// The queue in front of the child's standard input. It is unbounded on purpose: a script must be
/// able to write more than the peer takes.
#[derive(Debug)]
pub(super) struct Input {
    queue: Option<UnboundedSender<Vec<u8>>>,
    taken: Arc<AtomicU64>,
    writer: JoinHandle<()>,
}

impl Input {
    pub(super) fn new(stdin: Option<ChildStdin>) -> Self {
        let (queue, queued) = unbounded_channel();
        let taken = Arc::new(AtomicU64::new(0));
        let writer = tokio::spawn(write(stdin, queued, Arc::clone(&taken)));
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

async fn write(stdin: Option<ChildStdin>, mut queued: UnboundedReceiver<Vec<u8>>, taken: Arc<AtomicU64>) {
    let Some(mut stdin) = stdin else { return };
    while let Some(bytes) = queued.recv().await {
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            match stdin.write(rest).await {
                Ok(0) | Err(_) => return,
                Ok(written) => {
                    taken.fetch_add(written as u64, Ordering::AcqRel);
                    rest = rest.get(written..).unwrap_or_default();
                }
            }
        }
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
