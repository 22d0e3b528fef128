//! What is under way in a pipe, and what is to go wrong with it.

use std::io;
use std::num::NonZeroUsize;
use std::task::{Context, Poll, Waker, ready};
#[cfg(feature = "tokio")]
use std::time::Duration;

#[cfg(feature = "tokio")]
use super::delay::Delay;

/// All that the two halves share.
#[derive(Debug)]
pub(super) struct State {
    /// The bytes under way are those from `read` on.
    bytes: Vec<u8>,
    read: usize,
    pub(super) capacity: NonZeroUsize,
    /// Whether the write half has not ended: otherwise the reader ends after what is under way.
    pub(super) writable: bool,
    /// Whether somebody will read.
    pub(super) readable: bool,
    /// What the reader fails with at once.
    pub(super) read_fault: Option<Fault>,
    /// What it fails with after what is under way.
    pub(super) end_fault: Option<Fault>,
    pub(super) write_fault: Option<Fault>,
    pub(super) stalled: bool,
    tear: Option<Tear>,
    /// Whether the last byte taken was not the end of a frame.
    within_frame: bool,
    pace: Option<Pace>,
    /// A reader that has to come back at once.
    rested: Option<Waker>,
    #[cfg(feature = "tokio")]
    delay: Delay,
    pub(super) reader: Option<Waker>,
    pub(super) writer: Option<Waker>,
}

/// An I/O error that can be given out more than once.
#[derive(Debug, Clone, Copy)]
pub(in crate::transports) enum Fault {
    Kind(io::ErrorKind),
    Os(i32),
}

/// The direction ends within a frame.
#[derive(Debug, Clone, Copy)]
enum Tear {
    /// Once the frame under way has ended, after so many bytes more.
    AfterFrame(usize),
    /// After so many bytes.
    After(usize),
}

/// The reader gets little at a time.
#[derive(Debug, Clone, Copy)]
struct Pace {
    chunk: NonZeroUsize,
    /// Whether the next read has to come back once more.
    resting: bool,
}

impl State {
    pub(super) fn new(capacity: NonZeroUsize) -> Self {
        Self {
            bytes: Vec::new(),
            read: 0,
            capacity,
            writable: true,
            readable: true,
            read_fault: None,
            end_fault: None,
            write_fault: None,
            stalled: false,
            tear: None,
            within_frame: false,
            pace: None,
            rested: None,
            #[cfg(feature = "tokio")]
            delay: Delay::default(),
            reader: None,
            writer: None,
        }
    }

    pub(super) const fn unread(&self) -> usize {
        self.bytes.len() - self.read
    }

    pub(super) const fn room(&self) -> usize {
        self.capacity.get().saturating_sub(self.unread())
    }

    pub(super) fn check_writable(&self) -> io::Result<()> {
        if let Some(fault) = self.write_fault {
            return Err(fault.error());
        }
        if self.writable && self.readable { Ok(()) } else { Err(io::ErrorKind::BrokenPipe.into()) }
    }

    /// Takes bytes for which there is room, up to where the direction is to be torn.
    pub(super) fn accept(&mut self, bytes: &[u8]) -> usize {
        let count = match &mut self.tear {
            None => bytes.len(),
            Some(Tear::After(left)) => {
                let count = bytes.len().min(*left);
                *left -= count;
                count
            }
            Some(Tear::AfterFrame(left)) => match memchr::memchr(b'\n', bytes) {
                None => bytes.len(),
                Some(at) => {
                    let count = bytes.len().min(at + 1 + *left);
                    self.tear = Some(Tear::After(*left - (count - at - 1)));
                    count
                }
            },
        };
        if self.read > 0 && self.read >= self.unread() {
            self.bytes.drain(..self.read);
            self.read = 0;
        }
        self.bytes.extend_from_slice(&bytes[..count]);
        if count > 0 {
            self.within_frame = bytes[count - 1] != b'\n';
            #[cfg(feature = "tokio")]
            self.delay.written(count);
        }
        self.tear_if_due();
        count
    }

    const fn tear_if_due(&mut self) {
        if matches!(self.tear, Some(Tear::After(0))) {
            self.writable = false;
        }
    }

    /// Says how many bytes can be read, 0 at the end.
    pub(super) fn poll_readable(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        if let Some(fault) = self.read_fault {
            return Poll::Ready(Err(fault.error()));
        }
        if self.unread() > 0 {
            let arrived = self.poll_arrived(cx);
            if arrived.is_pending() {
                self.reader = Some(cx.waker().clone());
            }
            return arrived.map(Ok);
        }
        if let Some(fault) = self.end_fault {
            return Poll::Ready(Err(fault.error()));
        }
        if !self.writable {
            return Poll::Ready(Ok(0));
        }
        self.reader = Some(cx.waker().clone());
        Poll::Pending
    }

    /// Copies what can be read, as far as there is space and the pace allows.
    pub(super) fn poll_copy(&mut self, cx: &mut Context<'_>, space: &mut [u8]) -> Poll<io::Result<usize>> {
        let readable = ready!(self.poll_readable(cx))?;
        if readable == 0 {
            return Poll::Ready(Ok(0));
        }
        let most = match &mut self.pace {
            None => readable,
            Some(pace) => {
                pace.resting = !pace.resting;
                if !pace.resting {
                    self.rested = Some(cx.waker().clone());
                    return Poll::Pending;
                }
                pace.chunk.get().min(readable)
            }
        };
        let count = most.min(space.len());
        space[..count].copy_from_slice(&self.bytes[self.read..self.read + count]);
        Poll::Ready(Ok(count))
    }

    /// Moves what can be read into an empty vector, by a swap when that is all.
    pub(super) fn poll_move(&mut self, cx: &mut Context<'_>, bytes: &mut Vec<u8>) -> Poll<io::Result<usize>> {
        let readable = ready!(self.poll_readable(cx))?;
        if readable == self.bytes.len() {
            std::mem::swap(bytes, &mut self.bytes);
        } else {
            bytes.extend_from_slice(&self.bytes[self.read..self.read + readable]);
            self.discard(readable);
        }
        Poll::Ready(Ok(readable))
    }

    /// Forgets bytes that have been read.
    pub(super) fn discard(&mut self, count: usize) {
        self.read = self.bytes.len().min(self.read + count);
        if self.unread() == 0 {
            self.lose();
        }
    }

    /// Forgets all that is under way.
    pub(super) fn lose(&mut self) {
        self.bytes.clear();
        self.read = 0;
        #[cfg(feature = "tokio")]
        self.delay.lost();
    }

    /// Takes the waker of a reader that was given little and has to come back.
    pub(super) const fn take_rested(&mut self) -> Option<Waker> {
        self.rested.take()
    }

    /// Lets through `count` bytes from the start of the next frame, and then ends the write half.
    pub(super) fn tear(&mut self, count: usize) {
        self.tear = Some(if self.within_frame { Tear::AfterFrame(count) } else { Tear::After(count) });
        self.tear_if_due();
    }

    pub(super) fn set_pace(&mut self, chunk: Option<NonZeroUsize>) {
        self.pace = chunk.map(|chunk| Pace { chunk, resting: false });
    }

    #[cfg(feature = "tokio")]
    pub(super) const fn set_latency(&mut self, latency: Duration) {
        self.delay.set(latency);
    }

    #[cfg(feature = "tokio")]
    fn poll_arrived(&mut self, cx: &mut Context<'_>) -> Poll<usize> {
        let unread = self.unread();
        self.delay.poll_arrived(cx, unread)
    }

    #[cfg(not(feature = "tokio"))]
    fn poll_arrived(&self, _: &mut Context<'_>) -> Poll<usize> {
        Poll::Ready(self.unread())
    }
}

impl Fault {
    pub(in crate::transports) fn error(self) -> io::Error {
        match self {
            Self::Kind(kind) => kind.into(),
            Self::Os(code) => io::Error::from_raw_os_error(code),
        }
    }
}

impl From<&io::Error> for Fault {
    fn from(error: &io::Error) -> Self {
        error.raw_os_error().map_or_else(|| Self::Kind(error.kind()), Self::Os)
    }
}
