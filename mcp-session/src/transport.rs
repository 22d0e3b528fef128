//! The transport contract: frames, not bytes.
//!
//! A transport is two halves that never meet: a [`Source`] of frames and a [`Sink`] for them. What else a driver
//! must know about it is in [`Traits`]. A driver asks, a transport reports; neither half decides what an end of
//! input or a failed write means.

use std::io;
use std::task::{Context, Poll};

use crate::cause::Cause;

/// A way to a peer, before it is taken into its two halves.
///
/// [`transports`](crate::transports) has those that come with this crate. Another one needs no more than this trait.
pub trait Transport {
    /// The half that gives frames.
    type Source: Source;
    /// The half that takes frames.
    type Sink: Sink;

    /// Says what kind of transport this is.
    fn traits(&self) -> Traits;

    /// Takes the transport into its two halves.
    fn split(self) -> (Self::Source, Self::Sink);
}

/// Where frames come from: one half of a transport. Dropping it ends reading.
pub trait Source: Send + 'static {
    /// Polls for what comes next.
    ///
    /// After [`Incoming::Frame`] and [`Incoming::Tail`], [`frame`](Self::frame) lends the bytes until the next poll.
    /// After [`Incoming::Ended`] and [`Incoming::Gone`] nothing comes any more; a further poll gives
    /// [`Incoming::Ended`].
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Incoming>;

    /// Returns the frame that the last poll announced, without its line ending; empty when it announced none.
    fn frame(&self) -> &[u8];

    /// Says what stands behind the end of input, if that is known, such as a process that has exited.
    ///
    /// A driver asks after [`Incoming::Ended`] and [`Incoming::Gone`], and after a failed write; calls that settle as
    /// connection closed from then on carry the answer. It goes before the error of [`Incoming::Gone`] and of the
    /// write. The default knows nothing.
    fn cause(&mut self) -> Option<Cause> {
        None
    }
}

/// What a [`Source`] has to say.
#[derive(Debug)]
pub enum Incoming {
    /// A complete frame.
    Frame,
    /// What stood before the end of input without its line ending. Whether it is complete is for the session to say.
    Tail,
    /// A frame over the limit was discarded.
    TooLarge(TooLarge),
    /// The peer has said all it will say. It may still read.
    Ended,
    /// Nobody is there any more: the connection was reset, or reading failed.
    Gone(io::Error),
}

/// What could be learnt of a frame that was discarded for its size.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TooLarge {
    /// How many bytes it had, without its line ending.
    pub size: u64,
    /// How many it may have.
    pub limit: u64,
    /// The raw JSON of its top-level `id`: a string, a number or another scalar. `None` when there is none, when it
    /// is longer than an id may be, or when it is not JSON.
    pub id: Option<Box<[u8]>>,
    /// Whether it has a top-level `method`: with an `id` it was a request, without one a notification.
    pub has_method: bool,
    /// Whether it has a top-level `id`, whatever that is.
    pub has_id: bool,
    /// Whether it has a top-level `result` or `error`: without a `method` it was a response.
    pub has_outcome: bool,
}

/// Where frames go: the other half of a transport. Dropping it ends writing.
pub trait Sink: Send + 'static {
    /// Takes some of the bytes and says how many.
    ///
    /// Never `Ok(0)` for bytes that are not empty. What was taken counts as sent, and what is offered next begins
    /// where this call stopped; after `Pending` nothing was taken, so other bytes may be offered next time.
    ///
    /// # Errors
    /// Why writing is no longer possible. `BrokenPipe` and `ConnectionReset` mean that nobody reads; other kinds
    /// may be a local reason.
    fn poll_write(&mut self, cx: &mut Context<'_>, frames: Frames<'_>) -> Poll<io::Result<usize>>;

    /// Sees to it that what was taken does not wait in a buffer of ours.
    ///
    /// A driver polls it when it has nothing more to write. The default is for sinks that keep nothing back.
    ///
    /// # Errors
    /// As [`poll_write`](Self::poll_write).
    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let _ = cx;
        Poll::Ready(Ok(()))
    }

    /// Flushes and ends the write half, so that the peer reads the end of its input.
    ///
    /// # Errors
    /// When something that had been taken could not be written.
    fn poll_close(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>>;
}

/// Frames to write, back to back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frames<'a> {
    bytes: &'a [u8],
}

impl<'a> Frames<'a> {
    /// Wraps whole frames, each ended by LF and with no other LF in it, except that the start of the first one may
    /// have been written by an earlier call.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        debug_assert!(bytes.last().is_none_or(|last| *last == b'\n'), "frames end with LF");
        Self { bytes }
    }

    /// Returns the bytes, with every line ending.
    #[must_use]
    pub const fn bytes(self) -> &'a [u8] {
        self.bytes
    }

    /// Iterates over the lengths of the frames that make up the bytes, line endings included. Of a frame that was
    /// begun earlier the rest is counted.
    pub fn lens(self) -> impl Iterator<Item = usize> + 'a {
        let mut start = 0;
        memchr::memchr_iter(b'\n', self.bytes).map(move |at| {
            let len = at + 1 - start;
            start = at + 1;
            len
        })
    }
}

/// What a transport is, as far as a session behaves differently for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Traits {
    /// Whether the peer can still read after its write side ended. If it cannot, the end of input means that it is
    /// gone.
    pub half_close: bool,
    /// Whether a write that makes no progress counts against the write-stall limit from the start (a network peer),
    /// or only once the session is ending (a peer on this machine, which may just be suspended).
    pub stall_always: bool,
}

impl Traits {
    /// A local byte stream: the peer can read on after its input ended, and may pause reading for as long as it likes.
    #[must_use]
    pub const fn local() -> Self {
        Self { half_close: true, stall_always: false }
    }

    /// A network connection: as [`local`](Self::local), but a peer that does not read is taken for lost in time.
    #[must_use]
    pub const fn network() -> Self {
        Self { half_close: true, stall_always: true }
    }

    /// Says whether the peer can still read after its write side ended.
    #[must_use]
    pub const fn with_half_close(mut self, half_close: bool) -> Self {
        self.half_close = half_close;
        self
    }
}
