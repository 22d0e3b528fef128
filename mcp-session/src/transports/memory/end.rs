//! An end of a connection in memory.

use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use super::faults::{Faults, Wire};
use crate::framing::Reading;
use crate::transport::{Frames, Incoming, Sink, Source, Traits, Transport};
use crate::transports::pipe::{PipeReader, PipeWriter};

/// One end of a connection in memory.
#[derive(Debug)]
pub struct End {
    source: MemorySource,
    sink: MemorySink,
}

impl End {
    pub(super) fn bytes(reader: PipeReader, writer: PipeWriter, max_frame: usize) -> Self {
        let source = MemorySource { reader, framing: Framing::Bytes(Reading::new(max_frame)) };
        Self { source, sink: MemorySink { writer, unit: Unit::Byte } }
    }

    pub(super) fn frames(reader: PipeReader, writer: PipeWriter) -> Self {
        let source = MemorySource { reader, framing: Framing::Frames(Chunk::default()) };
        Self { source, sink: MemorySink { writer, unit: Unit::Frame } }
    }

    /// Returns the handles that make the connection misbehave. They outlive the end.
    #[must_use]
    pub fn faults(&self) -> Faults {
        Faults {
            outgoing: Wire::new(Arc::clone(self.sink.writer.shared())),
            incoming: Wire::new(Arc::clone(self.source.reader.shared())),
        }
    }
}

impl Transport for End {
    type Source = MemorySource;
    type Sink = MemorySink;

    fn traits(&self) -> Traits {
        Traits::local()
    }

    fn split(self) -> (MemorySource, MemorySink) {
        (self.source, self.sink)
    }
}

/// The half of an [`End`] that reads.
#[derive(Debug)]
pub struct MemorySource {
    reader: PipeReader,
    framing: Framing,
}

#[derive(Debug)]
enum Framing {
    Bytes(Reading),
    Frames(Chunk),
}

impl Source for MemorySource {
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Incoming> {
        match &mut self.framing {
            Framing::Bytes(reading) => reading.poll(|space| self.reader.poll_read(cx, space)),
            Framing::Frames(chunk) => chunk.poll_next(cx, &self.reader),
        }
    }

    fn frame(&self) -> &[u8] {
        match &self.framing {
            Framing::Bytes(reading) => reading.frame(),
            Framing::Frames(chunk) => &chunk.bytes[chunk.current.clone()],
        }
    }
}

/// Frames that were handed over together.
#[derive(Debug, Default)]
struct Chunk {
    bytes: Vec<u8>,
    next: usize,
    current: Range<usize>,
    over: bool,
}

impl Chunk {
    fn poll_next(&mut self, cx: &mut Context<'_>, reader: &PipeReader) -> Poll<Incoming> {
        self.current = 0..0;
        if self.over {
            return Poll::Ready(Incoming::Ended);
        }
        if self.next == self.bytes.len() {
            self.next = 0;
            match ready!(reader.poll_move(cx, &mut self.bytes)) {
                Ok(0) => {
                    self.over = true;
                    return Poll::Ready(Incoming::Ended);
                }
                Ok(_) => {}
                Err(error) => {
                    self.over = true;
                    return Poll::Ready(Incoming::Gone(error));
                }
            }
        }
        let start = self.next;
        if let Some(len) = memchr::memchr(b'\n', &self.bytes[start..]) {
            self.current = start..start + len;
            self.next = start + len + 1;
            return Poll::Ready(Incoming::Frame);
        }
        // Only a torn direction hands less than a frame over.
        self.current = start..self.bytes.len();
        self.next = self.bytes.len();
        Poll::Ready(Incoming::Tail)
    }
}

/// The half of an [`End`] that writes.
#[derive(Debug)]
pub struct MemorySink {
    writer: PipeWriter,
    unit: Unit,
}

/// What is never taken apart.
#[derive(Debug, Clone, Copy)]
enum Unit {
    Byte,
    Frame,
}

impl Sink for MemorySink {
    fn poll_write(&mut self, cx: &mut Context<'_>, frames: Frames<'_>) -> Poll<io::Result<usize>> {
        match self.unit {
            Unit::Byte => self.writer.poll_write(cx, frames.bytes()),
            Unit::Frame => self.writer.poll_write_frames(cx, frames.bytes(), frames.lens()),
        }
    }

    fn poll_close(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.writer.close();
        Poll::Ready(Ok(()))
    }
}
