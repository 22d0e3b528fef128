//! The queue in front of what a program reads. It is unbounded on purpose: a script must be able to
//! write more than the program takes.

use std::{
    future::poll_fn,
    io,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use mcp_session::{
    transport::{Frames, Sink},
    transports::memory::Wire,
};
use tokio::{
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    task::JoinHandle,
};

use super::wire::Writer;

pub(super) struct Input {
    queue: Option<UnboundedSender<Vec<u8>>>,
    written: Arc<AtomicU64>,
    wire: Wire,
    writer: JoinHandle<()>,
}

impl Input {
    pub(super) fn new(writer: Writer, wire: Wire) -> Self {
        let (queue, queued) = unbounded_channel();
        let written = Arc::new(AtomicU64::new(0));
        let writer = tokio::spawn(write(writer, queued, Arc::clone(&written)));
        Self { queue: Some(queue), written, wire, writer }
    }

    /// What is queued after the program stopped reading goes nowhere, as on any broken pipe.
    pub(super) fn push(&self, bytes: Vec<u8>) {
        if let Some(queue) = &self.queue {
            drop(queue.send(bytes));
        }
    }

    /// Ends the input after what is queued.
    pub(super) fn close(&mut self) {
        self.queue = None;
    }

    /// How many bytes the program has read.
    pub(super) fn taken(&self) -> u64 {
        let under_way = u64::try_from(self.wire.under_way()).unwrap_or(u64::MAX);
        self.written.load(Ordering::Acquire).saturating_sub(under_way)
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

async fn write(mut writer: Writer, mut queued: UnboundedReceiver<Vec<u8>>, count: Arc<AtomicU64>) {
    while let Some(mut bytes) = queued.recv().await {
        // Half a frame cannot be handed over where frames are: see `Need::Bytes`.
        if matches!(writer, Writer::Frames(_)) && bytes.last() != Some(&b'\n') {
            bytes.push(b'\n');
        }
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            match writer.write_some(rest).await {
                Ok(0) | Err(_) => return,
                Ok(written) => {
                    count.fetch_add(written as u64, Ordering::AcqRel);
                    rest = rest.get(written..).unwrap_or_default();
                }
            }
        }
    }
}

impl Writer {
    async fn write_some(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Bytes(raw) => {
                let piece = bytes.get(..PIECE).unwrap_or(bytes);
                raw.send_bytes(piece).await?;
                Ok(piece.len())
            }
            Self::Frames(sink) => poll_fn(|cx| sink.poll_write(cx, Frames::new(bytes))).await,
        }
    }
}

const PIECE: usize = 4 * 1_024;
