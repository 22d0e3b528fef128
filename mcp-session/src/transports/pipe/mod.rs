//! A bounded byte pipe between two tasks, or between a task and a thread.
//!
//! It is what the memory transport is made of, and how the threads of the stdio transport hand bytes over. It can be
//! told to misbehave; see [`Pipe`].

#[cfg(feature = "tokio")]
mod delay;
mod state;

use std::io;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};
#[cfg(feature = "tokio")]
use std::time::Duration;

pub(super) use self::state::Fault;
use self::state::State;

/// What both halves and the fault handles share.
#[derive(Debug)]
pub(super) struct Pipe {
    state: Mutex<State>,
}

/// Makes a pipe that holds up to `capacity` bytes.
pub(super) fn pipe(capacity: NonZeroUsize) -> (PipeWriter, PipeReader) {
    let pipe = Arc::new(Pipe { state: Mutex::new(State::new(capacity)) });
    (PipeWriter { pipe: Arc::clone(&pipe) }, PipeReader { pipe })
}

/// The half that writes. Dropping it ends the input of the other.
#[derive(Debug)]
pub(super) struct PipeWriter {
    pipe: Arc<Pipe>,
}

/// The half that reads. Dropping it breaks the pipe.
#[derive(Debug)]
pub(super) struct PipeReader {
    pipe: Arc<Pipe>,
}

impl PipeWriter {
    /// Takes what there is room for.
    pub(super) fn poll_write(&self, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_take(cx, bytes.len(), |state| {
            let count = bytes.len().min(state.room());
            state.accept(&bytes[..count])
        })
    }

    /// Takes the whole frames that there is room for; one that is larger than the pipe when the pipe is empty.
    pub(super) fn poll_write_frames(
        &self,
        cx: &mut Context<'_>,
        bytes: &[u8],
        lens: impl Iterator<Item = usize>,
    ) -> Poll<io::Result<usize>> {
        self.poll_take(cx, bytes.len(), |state| {
            let room = state.room();
            let empty = room == state.capacity.get();
            let mut count = 0;
            for len in lens {
                if count + len > room && !(empty && count == 0) {
                    break;
                }
                count += len;
            }
            state.accept(&bytes[..count])
        })
    }

    fn poll_take(
        &self,
        cx: &mut Context<'_>,
        len: usize,
        take: impl FnOnce(&mut State) -> usize,
    ) -> Poll<io::Result<usize>> {
        let mut state = self.pipe.lock();
        state.check_writable()?;
        if len == 0 {
            return Poll::Ready(Ok(0));
        }
        if state.read_fault.is_some() {
            // The reader was told that it is over; what is written meanwhile goes nowhere.
            return Poll::Ready(Ok(len));
        }
        let count = if state.stalled { 0 } else { take(&mut state) };
        let outcome = if count > 0 {
            Ok(count)
        } else if let Err(error) = state.check_writable() {
            Err(error)
        } else {
            state.writer = Some(cx.waker().clone());
            return Poll::Pending;
        };
        let reader = state.reader.take();
        wake_after(state, [reader, None]);
        Poll::Ready(outcome)
    }

    /// Waits until the reader has taken everything.
    pub(super) fn poll_drained(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut state = self.pipe.lock();
        if let Some(fault) = state.write_fault {
            return Poll::Ready(Err(fault.error()));
        }
        if state.unread() == 0 {
            return Poll::Ready(Ok(()));
        }
        if !state.readable {
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        }
        state.writer = Some(cx.waker().clone());
        Poll::Pending
    }

    /// Waits until the reader is dropped, and says whether it reported an error.
    pub(super) fn poll_reader_done(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut state = self.pipe.lock();
        if let Some(fault) = state.write_fault {
            return Poll::Ready(Err(fault.error()));
        }
        if !state.readable {
            return Poll::Ready(Ok(()));
        }
        state.writer = Some(cx.waker().clone());
        Poll::Pending
    }

    /// Ends the write half.
    pub(super) fn close(&self) {
        self.pipe.close_write();
    }

    pub(super) const fn shared(&self) -> &Arc<Pipe> {
        &self.pipe
    }
}

impl Drop for PipeWriter {
    fn drop(&mut self) {
        self.close();
    }
}

impl PipeReader {
    /// Reads what is under way: 0 at its end.
    pub(super) fn poll_read(&self, cx: &mut Context<'_>, space: &mut [u8]) -> Poll<io::Result<usize>> {
        self.poll_with(|state| {
            let count = ready!(state.poll_copy(cx, space))?;
            state.discard(count);
            Poll::Ready(Ok((count, state.writer.take())))
        })
    }

    /// As [`poll_read`](Self::poll_read), but what was read stays under way until it is released.
    pub(super) fn poll_peek(&self, cx: &mut Context<'_>, space: &mut [u8]) -> Poll<io::Result<usize>> {
        self.poll_with(|state| state.poll_copy(cx, space).map_ok(|count| (count, None)))
    }

    /// Makes room for as many bytes.
    pub(super) fn release(&self, count: usize) {
        self.pipe.change(|state| state.discard(count));
    }

    /// Replaces what is in the vector by everything under way: 0 bytes at its end.
    pub(super) fn poll_move(&self, cx: &mut Context<'_>, bytes: &mut Vec<u8>) -> Poll<io::Result<usize>> {
        bytes.clear();
        bytes.shrink_to(KEPT_SIZE);
        self.poll_with(|state| {
            let count = ready!(state.poll_move(cx, bytes))?;
            Poll::Ready(Ok((count, state.writer.take())))
        })
    }

    /// Reads in some way, and wakes the writer if told to.
    fn poll_with(
        &self,
        read: impl FnOnce(&mut State) -> Poll<io::Result<(usize, Option<Waker>)>>,
    ) -> Poll<io::Result<usize>> {
        let mut state = self.pipe.lock();
        let outcome = read(&mut state);
        let rested = state.take_rested();
        match outcome {
            Poll::Ready(Ok((count, writer))) => {
                wake_after(state, [rested, writer]);
                Poll::Ready(Ok(count))
            }
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Pending => {
                wake_after(state, [rested, None]);
                Poll::Pending
            }
        }
    }

    pub(super) const fn shared(&self) -> &Arc<Pipe> {
        &self.pipe
    }
}

impl Drop for PipeReader {
    fn drop(&mut self) {
        self.pipe.change(|state| {
            state.readable = false;
            state.lose();
        });
    }
}

impl Pipe {
    pub(super) fn close_write(&self) {
        self.change(|state| state.writable = false);
    }

    /// The reader fails at once; what is under way is lost.
    pub(super) fn fail_reader(&self, fault: Fault) {
        self.change(|state| {
            state.read_fault = Some(fault);
            state.lose();
        });
    }

    /// The reader fails after what is under way.
    pub(super) fn end_with(&self, fault: Fault) {
        self.change(|state| state.end_fault = Some(fault));
    }

    /// The next write fails, and each one after it.
    pub(super) fn fail_writer(&self, fault: Fault) {
        self.change(|state| state.write_fault = Some(fault));
    }

    pub(super) fn set_stalled(&self, stalled: bool) {
        self.change(|state| state.stalled = stalled);
    }

    /// The write half ends when `count` bytes of the next frame have been taken.
    pub(super) fn tear(&self, count: usize) {
        self.change(|state| state.tear(count));
    }

    pub(super) fn set_pace(&self, chunk: Option<NonZeroUsize>) {
        self.change(|state| state.set_pace(chunk));
    }

    #[cfg(feature = "tokio")]
    pub(super) fn set_latency(&self, latency: Duration) {
        self.change(|state| state.set_latency(latency));
    }

    /// Counts the bytes under way.
    pub(super) fn unread(&self) -> usize {
        self.lock().unread()
    }

    /// Says whether the write half has ended or failed.
    pub(super) fn is_write_closed(&self) -> bool {
        let state = self.lock();
        !state.writable || state.read_fault.is_some()
    }

    /// Says whether nobody will read any more.
    pub(super) fn is_read_closed(&self) -> bool {
        !self.lock().readable
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.lock();
        change(&mut state);
        let wakers = [state.reader.take(), state.writer.take()];
        wake_after(state, wakers);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Wakers run foreign code, so they fire after the lock is released.
fn wake_after(state: MutexGuard<'_, State>, wakers: [Option<Waker>; 2]) {
    drop(state);
    wakers.into_iter().flatten().for_each(Waker::wake);
}

/// What a buffer shrinks back to after a large message.
const KEPT_SIZE: usize = 64 << 10;
