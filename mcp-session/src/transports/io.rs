//! Any `AsyncRead` and `AsyncWrite` of tokio: sockets, pipes, TLS.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::framing::{DEFAULT_MAX_FRAME, Reading};
use crate::transport::{Frames, Incoming, Sink, Source, Traits, Transport};

/// A transport over a byte stream in each direction.
///
/// ```no_run
/// # async fn connect() -> std::io::Result<()> {
/// use mcp_session::transport::Traits;
/// use mcp_session::transports::io::Stream;
///
/// let (ours, theirs) = tokio::io::duplex(1 << 16);
/// let (read, write) = tokio::io::split(ours);
/// let transport = Stream::new(read, write).with_traits(Traits::network());
/// # drop((transport, theirs));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Stream<R, W> {
    read: R,
    write: W,
    traits: Traits,
    max_frame: usize,
}

impl<R, W> Stream<R, W>
where
    R: AsyncRead + Send + 'static,
    W: AsyncWrite + Send + 'static,
{
    /// Makes a transport of two streams: a local one, with frames of up to 16 MiB.
    #[must_use]
    pub const fn new(read: R, write: W) -> Self {
        Self { read, write, traits: Traits::local(), max_frame: DEFAULT_MAX_FRAME }
    }

    /// Says what kind of transport it is, such as [`Traits::network`].
    #[must_use]
    pub const fn with_traits(mut self, traits: Traits) -> Self {
        self.traits = traits;
        self
    }

    /// Sets the largest frame that is accepted, in bytes.
    #[must_use]
    pub const fn with_max_frame(mut self, bytes: usize) -> Self {
        self.max_frame = bytes;
        self
    }
}

impl<R, W> Transport for Stream<R, W>
where
    R: AsyncRead + Send + 'static,
    W: AsyncWrite + Send + 'static,
{
    type Source = StreamSource<R>;
    type Sink = StreamSink<W>;

    fn traits(&self) -> Traits {
        self.traits
    }

    fn split(self) -> (StreamSource<R>, StreamSink<W>) {
        (StreamSource::new(self.read, self.max_frame), StreamSink::new(self.write))
    }
}

/// Frames read from a byte stream.
pub struct StreamSource<R> {
    read: Pin<Box<R>>,
    reading: Reading,
}

impl<R: AsyncRead + Send + 'static> StreamSource<R> {
    /// Reads frames of up to `max_frame` bytes from a stream.
    #[must_use]
    pub fn new(read: R, max_frame: usize) -> Self {
        Self { read: Box::pin(read), reading: Reading::new(max_frame) }
    }
}

impl<R: AsyncRead + Send + 'static> Source for StreamSource<R> {
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Incoming> {
        self.reading.poll(|space| {
            let mut space = ReadBuf::new(space);
            ready!(self.read.as_mut().poll_read(cx, &mut space))?;
            Poll::Ready(Ok(space.filled().len()))
        })
    }

    fn frame(&self) -> &[u8] {
        self.reading.frame()
    }
}

impl<R> fmt::Debug for StreamSource<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamSource").finish_non_exhaustive()
    }
}

/// Frames written to a byte stream.
pub struct StreamSink<W> {
    /// Dropped once it is shut down: for a pipe that alone is the end of the peer's input.
    write: Option<Pin<Box<W>>>,
}

impl<W: AsyncWrite + Send + 'static> StreamSink<W> {
    /// Writes frames to a stream.
    #[must_use]
    pub fn new(write: W) -> Self {
        Self { write: Some(Box::pin(write)) }
    }

    fn stream(&mut self) -> io::Result<Pin<&mut W>> {
        self.write.as_mut().map(Pin::as_mut).ok_or_else(|| io::ErrorKind::BrokenPipe.into())
    }
}

impl<W: AsyncWrite + Send + 'static> Sink for StreamSink<W> {
    fn poll_write(&mut self, cx: &mut Context<'_>, frames: Frames<'_>) -> Poll<io::Result<usize>> {
        let mut stream = self.stream()?;
        if frames.bytes().is_empty() {
            return Poll::Ready(Ok(0));
        }
        loop {
            match ready!(stream.as_mut().poll_write(cx, frames.bytes())) {
                Ok(0) => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                outcome => return Poll::Ready(outcome),
            }
        }
    }

    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream()?.poll_flush(cx)
    }

    fn poll_close(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Some(stream) = &mut self.write else { return Poll::Ready(Ok(())) };
        let outcome = ready!(stream.as_mut().poll_shutdown(cx));
        self.write = None;
        Poll::Ready(outcome)
    }
}

impl<W> fmt::Debug for StreamSink<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamSink").field("open", &self.write.is_some()).finish_non_exhaustive()
    }
}
