//! What can go wrong on a connection in memory, on demand.

use std::fmt;
use std::io;
use std::num::NonZeroUsize;
use std::sync::Arc;
#[cfg(feature = "tokio")]
use std::time::Duration;

use crate::transports::pipe::{Fault, Pipe};

/// Both directions of a connection, as one end sees them.
#[derive(Debug, Clone)]
pub struct Faults {
    /// The direction in which this end writes.
    pub outgoing: Wire,
    /// The direction in which this end reads.
    pub incoming: Wire,
}

impl Faults {
    /// Cuts the connection: both sides lose both directions at once.
    pub fn cut(&self) {
        self.outgoing.cut();
        self.incoming.cut();
    }
}

/// One direction of a connection: what its writer writes and its reader reads.
///
/// Clones are handles to the same direction. A fault works from the moment the method returns, on a poll that waits
/// already too.
#[derive(Clone)]
pub struct Wire {
    pipe: Arc<Pipe>,
}

impl Wire {
    pub(super) const fn new(pipe: Arc<Pipe>) -> Self {
        Self { pipe }
    }

    /// Ends the direction: the reader reads the end of input after what is under way, later writes fail with
    /// `BrokenPipe`.
    pub fn half_close(&self) {
        self.pipe.close_write();
    }

    /// Cuts the direction: what is under way is lost, the reader is told that the connection was reset, and writes
    /// fail with `BrokenPipe`.
    pub fn cut(&self) {
        self.pipe.fail_reader(Fault::Kind(io::ErrorKind::ConnectionReset));
        self.pipe.fail_writer(Fault::Kind(io::ErrorKind::BrokenPipe));
    }

    /// Tells the reader that the connection was reset. What is under way is lost, and so is what is written later.
    pub fn reset_reader(&self) {
        self.pipe.fail_reader(Fault::Kind(io::ErrorKind::ConnectionReset));
    }

    /// Makes the next write fail with `kind`, and every one after it. The reader reads what is under way and then
    /// waits, until the writer is dropped.
    pub fn break_writer(&self, kind: io::ErrorKind) {
        self.pipe.fail_writer(Fault::Kind(kind));
    }

    /// Makes writes wait.
    pub fn stall(&self) {
        self.pipe.set_stalled(true);
    }

    /// Lets writes that wait for [`stall`](Self::stall) go on.
    pub fn resume(&self) {
        self.pipe.set_stalled(false);
    }

    /// Lets through `bytes` bytes from the start of the next frame, and then ends the direction as
    /// [`half_close`](Self::half_close) does. A frame that has been begun is completed first.
    pub fn torn(&self, bytes: usize) {
        self.pipe.tear(bytes);
    }

    /// Gives the reader at most `chunk` bytes a poll; `None` gives it all there is. Of no effect between ends that
    /// hand whole frames over.
    pub fn slow(&self, chunk: Option<NonZeroUsize>) {
        self.pipe.set_pace(chunk);
    }

    /// Makes everything written from now on arrive after `latency`, by tokio's clock. The end of input comes right
    /// after the last byte. The ends are then to be polled in a tokio runtime with time.
    #[cfg(feature = "tokio")]
    pub fn latency(&self, latency: Duration) {
        self.pipe.set_latency(latency);
    }

    pub(super) fn is_write_closed(&self) -> bool {
        self.pipe.is_write_closed()
    }

    pub(super) fn is_read_closed(&self) -> bool {
        self.pipe.is_read_closed()
    }

    /// Counts the bytes that were written and not read.
    #[must_use]
    pub fn under_way(&self) -> usize {
        self.pipe.unread()
    }
}

impl fmt::Debug for Wire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wire").field("under_way", &self.under_way()).finish_non_exhaustive()
    }
}
