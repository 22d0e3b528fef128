//! One thread that reads and one that writes, for what cannot be polled.

use std::fs::File;
use std::io::{self, Read, Write};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::thread;

use rustix::event::{PollFd, PollFlags, poll};

use crate::blocking::wait;
use crate::framing::Reading;
use crate::transport::{Frames, Incoming, Sink, Source};
use crate::transports::pipe::{Fault, PipeReader, PipeWriter, pipe};

/// Frames that a thread reads.
#[derive(Debug)]
pub(super) struct ThreadSource {
    /// What the thread has read and hands over; or why there is no thread.
    bytes: io::Result<PipeReader>,
    reading: Reading,
}

impl ThreadSource {
    pub(super) fn new(file: File, max_frame: usize) -> Self {
        let (writer, reader) = pipe(HAND_OVER);
        let started = start("mcp-stdin", move || read_all(file, &writer));
        Self { bytes: started.map(|()| reader), reading: Reading::new(max_frame) }
    }
}

impl Source for ThreadSource {
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Incoming> {
        self.reading.poll(|space| match &self.bytes {
            Ok(bytes) => bytes.poll_read(cx, space),
            Err(error) => Poll::Ready(Err(Fault::from(error).error())),
        })
    }

    fn frame(&self) -> &[u8] {
        self.reading.frame()
    }
}

/// Frames that a thread writes. A failure shows at the next write, at a flush, and at the close.
#[derive(Debug)]
pub(super) struct ThreadSink {
    bytes: PipeWriter,
}

impl ThreadSink {
    pub(super) fn new(file: File) -> Self {
        let (writer, reader) = pipe(HAND_OVER);
        let shared = Arc::clone(writer.shared());
        if let Err(error) = start("mcp-stdout", move || write_all(file, &reader)) {
            shared.fail_writer(Fault::from(&error));
        }
        Self { bytes: writer }
    }
}

impl Sink for ThreadSink {
    fn poll_write(&mut self, cx: &mut Context<'_>, frames: Frames<'_>) -> Poll<io::Result<usize>> {
        self.bytes.poll_write(cx, frames.bytes())
    }

    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.bytes.poll_drained(cx)
    }

    fn poll_close(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.bytes.close();
        self.bytes.poll_reader_done(cx)
    }
}

/// Starts a thread that nobody joins: the process may exit while it blocks in a read.
fn start(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().name(name.to_owned()).stack_size(STACK).spawn(work).map(drop)
}

fn read_all(mut file: File, hand_over: &PipeWriter) {
    let mut piece = vec![0; HAND_OVER.get()];
    loop {
        let count = match file.read(&mut piece) {
            Ok(0) => return,
            Ok(count) => count,
            Err(error) => match may_go_on(&file, PollFlags::IN, error) {
                Ok(()) => continue,
                Err(error) => return hand_over.shared().end_with(Fault::from(&error)),
            },
        };
        let mut rest = &piece[..count];
        while !rest.is_empty() {
            let Ok(taken) = wait(|cx| hand_over.poll_write(cx, rest)) else { return };
            rest = &rest[taken..];
        }
    }
}

fn write_all(mut file: File, handed_over: &PipeReader) {
    let mut piece = vec![0; HAND_OVER.get()];
    while let Ok(count @ 1..) = wait(|cx| handed_over.poll_peek(cx, &mut piece)) {
        let outcome = match file.write(&piece[..count]) {
            Ok(0) => Err(io::ErrorKind::WriteZero.into()),
            // Only what is written leaves the hand-over, so that a flush waits for it.
            Ok(written) => {
                handed_over.release(written);
                Ok(())
            }
            Err(error) => may_go_on(&file, PollFlags::OUT, error),
        };
        if let Err(error) = outcome {
            return handed_over.shared().fail_writer(Fault::from(&error));
        }
    }
}

/// Waits for a file that does not block, because another process that shares it has made it so.
fn may_go_on(file: &File, flags: PollFlags, error: io::Error) -> io::Result<()> {
    match error.kind() {
        io::ErrorKind::Interrupted => Ok(()),
        io::ErrorKind::WouldBlock => match poll(&mut [PollFd::new(file, flags)], None) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        },
        _ => Err(error),
    }
}

/// How much may wait between a thread and the session.
const HAND_OVER: NonZeroUsize = NonZeroUsize::new(64 << 10).expect("64 KiB is not nothing");

/// The threads call a few functions of the standard library and no one else's.
const STACK: usize = 64 << 10;
