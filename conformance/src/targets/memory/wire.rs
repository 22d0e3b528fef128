//! The two directions of a connection: the ends of the program, which are watched, and those of
//! the script.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
};

use mcp_session::{
    transport::{Frames, Incoming, Sink, Source, Traits, Transport},
    transports::memory::{self, End, MemorySink, MemorySource, RawEnd, Wire},
};
use tokio::sync::watch;

/// What the script holds.
pub(super) struct ScriptEnd {
    pub(super) reader: Reader,
    pub(super) writer: Writer,
    /// What the program writes.
    pub(super) outgoing: Wire,
    /// What the program reads.
    pub(super) incoming: Wire,
}

pub(super) enum Reader {
    Bytes(RawEnd),
    Frames(MemorySource),
}

pub(super) enum Writer {
    Bytes(RawEnd),
    Frames(MemorySink),
}

/// Two directions of bytes.
///
/// Each is the half of a connection of its own, so that one task can write to the program while
/// another reads from it.
pub(super) fn bytes() -> (Halves, ScriptEnd) {
    let ((to, writer), (from, reader)) = (memory::raw(), memory::raw());
    join(to, from, Reader::Bytes(reader), Writer::Bytes(writer))
}

/// Two directions of whole frames.
pub(super) fn frames() -> (Halves, ScriptEnd) {
    let (to, script) = memory::pair();
    let (from, other) = memory::pair();
    let (_, writer) = script.split();
    let (reader, _) = other.split();
    join(to, from, Reader::Frames(reader), Writer::Frames(writer))
}

fn join(to: End, from: End, reader: Reader, writer: Writer) -> (Halves, ScriptEnd) {
    let script = ScriptEnd { reader, writer, outgoing: from.faults().outgoing, incoming: to.faults().incoming };
    let (source, _) = to.split();
    let (_, sink) = from.split();
    let killed = Arc::new(AtomicBool::new(false));
    let (open, _) = watch::channel(());
    let sink = WatchedSink { sink, killed: Arc::clone(&killed), failures: 0, _open: open.subscribe() };
    let source = WatchedSource { source, killed: Arc::clone(&killed) };
    (Halves { source, sink, watch: Watch { killed, open } }, script)
}

/// The ends of the program, as a transport.
pub(super) struct Halves {
    source: WatchedSource,
    sink: WatchedSink,
    watch: Watch,
}

impl Halves {
    pub(super) fn watch(&self) -> Watch {
        self.watch.clone()
    }
}

/// An eye on the ends of the program.
#[derive(Clone)]
pub(super) struct Watch {
    killed: Arc<AtomicBool>,
    open: watch::Sender<()>,
}

impl Watch {
    /// Makes the program panic when it touches its ends: it may be going round and round without
    /// ever giving its thread back.
    pub(super) fn kill(&self) {
        self.killed.store(true, Ordering::Relaxed);
    }

    /// Resolves when the program has given its write half up.
    pub(super) async fn gone(&self) {
        self.open.closed().await;
    }
}

impl Transport for Halves {
    type Source = WatchedSource;
    type Sink = WatchedSink;

    fn traits(&self) -> Traits {
        Traits::local()
    }

    fn split(self) -> (WatchedSource, WatchedSink) {
        (self.source, self.sink)
    }
}

pub(super) struct WatchedSource {
    source: MemorySource,
    killed: Arc<AtomicBool>,
}

impl Source for WatchedSource {
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Incoming> {
        assert_lives(&self.killed);
        self.source.poll_next(cx)
    }

    fn frame(&self) -> &[u8] {
        self.source.frame()
    }
}

pub(super) struct WatchedSink {
    sink: MemorySink,
    killed: Arc<AtomicBool>,
    failures: u32,
    _open: watch::Receiver<()>,
}

impl Sink for WatchedSink {
    fn poll_write(&mut self, cx: &mut Context<'_>, frames: Frames<'_>) -> Poll<io::Result<usize>> {
        assert_lives(&self.killed);
        let written = self.sink.poll_write(cx, frames);
        if matches!(written, Poll::Ready(Err(_))) {
            self.failures += 1;
            assert!(self.failures < TOO_OFTEN, "the program writes on and on to where writing fails");
        }
        written
    }

    fn poll_close(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        assert_lives(&self.killed);
        self.sink.poll_close(cx)
    }
}

fn assert_lives(killed: &AtomicBool) {
    assert!(!killed.load(Ordering::Relaxed), "the program was killed");
}

const TOO_OFTEN: u32 = 10_000;
