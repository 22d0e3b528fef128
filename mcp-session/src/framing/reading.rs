//! From a read function to a source of frames.

use std::io;
use std::task::Poll;

use super::lines::{Line, Lines};
use crate::transport::Incoming;

/// Reads and cuts, and says each thing once: frames, the tail, the end.
///
/// It is what the byte transports have in common; a transport adds how it reads.
#[derive(Debug)]
pub struct Reading {
    lines: Lines,
    input: Input,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Input {
    Open,
    /// All has been read; the tail may still be given.
    AtEnd,
    Over,
}

impl Reading {
    /// Makes one that accepts frames of up to `max_frame` bytes.
    #[must_use]
    pub const fn new(max_frame: usize) -> Self {
        Self { lines: Lines::new(max_frame), input: Input::Open }
    }

    /// Gives what comes next, calling `read` when that takes more bytes.
    ///
    /// `read` fills the front of the slice and says how far: 0 is the end of input. An interrupted read is repeated,
    /// any other error means that the peer is gone.
    pub fn poll(&mut self, mut read: impl FnMut(&mut [u8]) -> Poll<io::Result<usize>>) -> Poll<Incoming> {
        loop {
            if let Some(line) = self.lines.next_line() {
                return Poll::Ready(announce(line, Incoming::Frame));
            }
            match self.input {
                Input::Open => {}
                Input::AtEnd => {
                    self.input = Input::Over;
                    if let Some(line) = self.lines.finish() {
                        return Poll::Ready(announce(line, Incoming::Tail));
                    }
                    return Poll::Ready(Incoming::Ended);
                }
                Input::Over => return Poll::Ready(Incoming::Ended),
            }
            match read(self.lines.space()) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Ok(0)) => self.input = Input::AtEnd,
                Poll::Ready(Ok(count)) => self.lines.filled(count),
                Poll::Ready(Err(error)) if error.kind() == io::ErrorKind::Interrupted => {}
                Poll::Ready(Err(error)) => {
                    self.input = Input::Over;
                    return Poll::Ready(Incoming::Gone(error));
                }
            }
        }
    }

    /// Returns the frame that the last poll announced.
    #[must_use]
    pub fn frame(&self) -> &[u8] {
        self.lines.frame()
    }
}

fn announce(line: Line, whole: Incoming) -> Incoming {
    match line {
        Line::Frame => whole,
        Line::TooLarge(what) => Incoming::TooLarge(what),
    }
}
