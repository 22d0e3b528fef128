//! A peer that costs next to nothing: it has its requests ready, and gives the next one when the last was answered.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

#[derive(Debug)]
struct State {
    opening: Vec<u8>,
    request: Vec<u8>,
    left: usize,
    under_way: usize,
    reader: Option<Waker>,
}

/// The half that a session reads.
#[derive(Debug)]
pub struct Requests(Arc<Mutex<State>>);

/// The half that a session writes.
#[derive(Debug)]
pub struct Answers(Arc<Mutex<State>>);

/// A peer that sends `opening` (whole lines that are answered by `answers` lines), then `request` for `count` times,
/// each when the last was answered, and then ends its input.
#[must_use]
pub fn peer(opening: &str, answers: usize, request: &str, count: usize) -> (Requests, Answers) {
    let line = |text: &str| if text.is_empty() { Vec::new() } else { format!("{text}\n").into_bytes() };
    let state = State { opening: line(opening), request: line(request), left: count, under_way: answers, reader: None };
    let state = Arc::new(Mutex::new(state));
    (Requests(Arc::clone(&state)), Answers(state))
}

impl AsyncRead for Requests {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !state.opening.is_empty() {
            buf.put_slice(&std::mem::take(&mut state.opening));
            return Poll::Ready(Ok(()));
        }
        if state.left > 0 && state.under_way > 0 {
            state.reader = Some(cx.waker().clone());
            return Poll::Pending;
        }
        if state.left > 0 {
            buf.put_slice(&state.request);
            state.under_way = 1;
            state.left -= 1;
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Answers {
    fn poll_write(self: Pin<&mut Self>, _cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Writes come in whole lines; counting them is the only thing done to them.
        let lines = memchr::memchr_iter(b'\n', buf).count();
        state.under_way = state.under_way.saturating_sub(lines);
        let reader = state.reader.take();
        drop(state);
        if let Some(reader) = reader {
            reader.wake();
        }
        Poll::Ready(Ok(buf.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
