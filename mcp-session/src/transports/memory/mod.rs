//! Two ends in one process, with faults to inject.
//!
//! [`bytes()`] connects them by byte pipes and goes through the framer, as a pipe between processes does. [`pair()`]
//! hands whole frames over. [`raw()`] leaves one end to the test, which speaks lines or bytes. [`Link`] sets sizes.
//!
//! Each direction can be made to misbehave while a session runs on it: take the [`Faults`] of an [`End`] before you
//! hand it over. Dropping an end, or a half of it, closes its directions: the other side reads the end of input, and
//! its writes fail with `BrokenPipe`.
//!
//! ```
//! use mcp_session::transports::memory;
//!
//! let (client, server) = memory::bytes();
//! let faults = client.faults();
//! // Give `client` and `server` to two sessions, and later:
//! faults.outgoing.half_close();
//! # drop((client, server));
//! ```

mod end;
mod faults;
mod raw;

use std::num::NonZeroUsize;

pub use end::{End, MemorySink, MemorySource};
pub use faults::{Faults, Wire};
pub use raw::RawEnd;

use super::pipe::{PipeReader, PipeWriter, pipe};
use crate::framing::DEFAULT_MAX_FRAME;

/// Connects two ends by byte pipes of 64 KiB, each end with a framer of its own.
#[must_use]
pub fn bytes() -> (End, End) {
    Link::new().bytes()
}

/// Connects two ends that hand whole frames over.
#[must_use]
pub fn pair() -> (End, End) {
    Link::new().pair()
}

/// Connects an end to a test that speaks for the other.
#[must_use]
pub fn raw() -> (End, RawEnd) {
    Link::new().raw()
}

/// The sizes of a connection in memory.
///
/// ```
/// use std::num::NonZeroUsize;
/// use mcp_session::transports::memory::Link;
///
/// let (one, other) = Link::new().capacity(NonZeroUsize::MIN).max_frame(1 << 10).bytes();
/// # drop((one, other));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Link {
    capacity: NonZeroUsize,
    max_frame: usize,
}

impl Default for Link {
    fn default() -> Self {
        Self::new()
    }
}

impl Link {
    /// Starts from the defaults: 64 KiB per direction, frames of up to 16 MiB.
    #[must_use]
    pub const fn new() -> Self {
        Self { capacity: DEFAULT_CAPACITY, max_frame: DEFAULT_MAX_FRAME }
    }

    /// Sets how many bytes a direction holds before its writer has to wait.
    #[must_use]
    pub const fn capacity(mut self, bytes: NonZeroUsize) -> Self {
        self.capacity = bytes;
        self
    }

    /// Sets the largest frame that a byte framer accepts. It does not concern [`pair`](Self::pair).
    #[must_use]
    pub const fn max_frame(mut self, bytes: usize) -> Self {
        self.max_frame = bytes;
        self
    }

    /// Connects two ends by byte pipes.
    #[must_use]
    pub fn bytes(self) -> (End, End) {
        let [(left_reader, left_writer), (right_reader, right_writer)] = self.pipes();
        (End::bytes(left_reader, left_writer, self.max_frame), End::bytes(right_reader, right_writer, self.max_frame))
    }

    /// Connects two ends that hand whole frames over. A frame that is larger than the capacity travels alone.
    #[must_use]
    pub fn pair(self) -> (End, End) {
        let [(left_reader, left_writer), (right_reader, right_writer)] = self.pipes();
        (End::frames(left_reader, left_writer), End::frames(right_reader, right_writer))
    }

    /// Connects an end to a test that speaks for the other.
    #[must_use]
    pub fn raw(self) -> (End, RawEnd) {
        let [(left_reader, left_writer), (right_reader, right_writer)] = self.pipes();
        (End::bytes(left_reader, left_writer, self.max_frame), RawEnd::new(right_reader, right_writer))
    }

    fn pipes(self) -> [(PipeReader, PipeWriter); 2] {
        let (to_right, from_left) = pipe(self.capacity);
        let (to_left, from_right) = pipe(self.capacity);
        [(from_right, to_right), (from_left, to_left)]
    }
}

const DEFAULT_CAPACITY: NonZeroUsize = NonZeroUsize::new(64 << 10).expect("64 KiB is not nothing");
