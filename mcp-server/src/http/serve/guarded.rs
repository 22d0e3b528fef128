//! A connection that is given up when nothing comes of it.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

/// A connection whose first byte has to come in time, and whose peer has to read what is written.
///
/// Later bytes have limits of their own, which those who read heads and bodies keep.
pub(super) struct Guarded<C> {
    connection: C,
    first_byte: Option<Pin<Box<Sleep>>>,
    write_stall: Option<Duration>,
    /// Made when a write has to wait, which is rare.
    stall: Option<Pin<Box<Sleep>>>,
}

impl<C: Unpin> Guarded<C> {
    pub(super) fn new(connection: C, first_byte: Duration, write_stall: Option<Duration>) -> Self {
        let first_byte = Some(Box::pin(sleep_until(Instant::now() + first_byte)));
        Self { connection, first_byte, write_stall, stall: None }
    }

    /// Watches how long writing makes no progress.
    fn watched<T>(
        &mut self,
        cx: &mut Context<'_>,
        write: impl FnOnce(Pin<&mut C>, &mut Context<'_>) -> Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if let Poll::Ready(outcome) = write(Pin::new(&mut self.connection), cx) {
            self.stall = None;
            return Poll::Ready(outcome);
        }
        let Some(limit) = self.write_stall else { return Poll::Pending };
        let stall = self.stall.get_or_insert_with(|| Box::pin(sleep_until(Instant::now() + limit)));
        ready!(stall.as_mut().poll(cx));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the peer does not read")))
    }
}

impl<C: AsyncRead + Unpin> AsyncRead for Guarded<C> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if let Poll::Ready(outcome) = Pin::new(&mut self.connection).poll_read(cx, into) {
            self.first_byte = None;
            return Poll::Ready(outcome);
        }
        match &mut self.first_byte {
            Some(limit) => {
                ready!(limit.as_mut().poll(cx));
                Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the peer says nothing")))
            }
            None => Poll::Pending,
        }
    }
}

impl<C: AsyncWrite + Unpin> AsyncWrite for Guarded<C> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.watched(cx, |connection, cx| connection.poll_write(cx, bytes))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.connection).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.connection).poll_shutdown(cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.connection.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.watched(cx, |connection, cx| connection.poll_write_vectored(cx, slices))
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    const FIRST: Duration = Duration::from_secs(10);
    const STALL: Duration = Duration::from_secs(30);

    #[tokio::test(start_paused = true)]
    async fn who_says_nothing_is_given_up() {
        let (ours, mut theirs) = duplex(64);
        let mut guarded = Guarded::new(ours, FIRST, Some(STALL));
        let start = Instant::now();
        let error = guarded.read_u8().await.unwrap_err();
        assert_eq!((error.kind(), start.elapsed()), (io::ErrorKind::TimedOut, FIRST));

        let (ours, mut other) = duplex(64);
        let mut guarded = Guarded::new(ours, FIRST, Some(STALL));
        other.write_u8(7).await.unwrap();
        assert_eq!(guarded.read_u8().await.unwrap(), 7);
        // After the first byte this limit is over.
        let later = tokio::time::timeout(100 * FIRST, guarded.read_u8()).await;
        assert!(later.is_err(), "{later:?}");
        theirs.shutdown().await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn who_does_not_read_is_given_up() {
        let (ours, mut theirs) = duplex(4);
        let mut guarded = Guarded::new(ours, FIRST, Some(STALL));
        guarded.write_all(b"1234").await.unwrap();
        // Each byte that is read begins the time anew.
        for _ in 0..3 {
            let written = tokio::time::timeout(STALL / 2, guarded.write_u8(b'x')).await;
            assert!(written.is_err());
            theirs.read_u8().await.unwrap();
            guarded.write_u8(b'x').await.unwrap();
        }
        let start = Instant::now();
        let error = guarded.write_u8(b'x').await.unwrap_err();
        assert_eq!((error.kind(), start.elapsed()), (io::ErrorKind::TimedOut, STALL));

        let (ours, _theirs) = duplex(4);
        let mut patient = Guarded::new(ours, FIRST, None);
        patient.write_all(b"1234").await.unwrap();
        assert!(tokio::time::timeout(100 * STALL, patient.write_u8(b'x')).await.is_err());
    }
}
