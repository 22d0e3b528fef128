//! The transport of revision 2024-11-05: messages are posted, and everything that the server says goes out on one
//! stream.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use mcp_session::transport::{Frames, Incoming, Sink, Source, Traits, Transport};

use super::events;
use super::sse::write_named_event;

/// One session: where its messages are put, what is to be sent, and whether the client is there.
#[derive(Clone, Debug)]
pub(crate) struct HttpSse(Arc<Mutex<Pipe>>);

#[derive(Debug, Default)]
struct Pipe {
    inbox: VecDeque<Bytes>,
    inbox_bytes: usize,
    inbox_limit: usize,
    reader: Option<Waker>,
    /// Events on their way to the client.
    events: Vec<u8>,
    writer: Option<Waker>,
    body: Option<Waker>,
    /// The session has said everything.
    is_closed: bool,
    /// The client has left the stream.
    is_left: bool,
}

/// Why a message was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotTaken {
    /// Too much waits to be read.
    Full,
    /// The session has ended.
    Ended,
}

impl HttpSse {
    /// A session that begins by these events. Of posted messages that wait to be read, no more bytes than this are
    /// held.
    pub(crate) fn new(begin: Vec<u8>, inbox_limit: usize) -> Self {
        Self(Arc::new(Mutex::new(Pipe { events: begin, inbox_limit, ..Pipe::default() })))
    }

    /// Takes a message that was posted.
    pub(crate) fn post(&self, frame: Bytes) -> Result<(), NotTaken> {
        let mut pipe = self.lock();
        if pipe.is_left || pipe.is_closed {
            return Err(NotTaken::Ended);
        }
        // An empty inbox takes any message, however long.
        if !pipe.inbox.is_empty() && pipe.inbox_bytes + frame.len() > pipe.inbox_limit {
            return Err(NotTaken::Full);
        }
        pipe.inbox_bytes += frame.len();
        pipe.inbox.push_back(frame);
        wake(pipe, |pipe| pipe.reader.take());
        Ok(())
    }

    /// What the client reads. When this is dropped, the client is gone.
    pub(crate) fn events(&self) -> Stream {
        Stream(self.clone())
    }

    fn lock(&self) -> MutexGuard<'_, Pipe> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Wakes who waits, when the lock is free.
fn wake(mut pipe: MutexGuard<'_, Pipe>, who: impl FnOnce(&mut Pipe) -> Option<Waker>) {
    let waker = who(&mut pipe);
    drop(pipe);
    waker.into_iter().for_each(Waker::wake);
}

/// The stream of a session.
#[derive(Debug)]
pub(crate) struct Stream(HttpSse);

impl events::Source for Stream {
    fn poll_events(&mut self, cx: &mut Context<'_>, out: &mut Vec<u8>) -> Poll<bool> {
        let mut pipe = self.0.lock();
        if pipe.events.is_empty() {
            if pipe.is_closed {
                return Poll::Ready(false);
            }
            pipe.body = Some(cx.waker().clone());
            return Poll::Pending;
        }
        out.append(&mut pipe.events);
        wake(pipe, |pipe| pipe.writer.take());
        Poll::Ready(true)
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        let mut pipe = self.0.lock();
        pipe.is_left = true;
        let (reader, writer) = (pipe.reader.take(), pipe.writer.take());
        drop(pipe);
        reader.into_iter().chain(writer).for_each(Waker::wake);
    }
}

impl Transport for HttpSse {
    type Source = Inbox;
    type Sink = Outbox;

    fn traits(&self) -> Traits {
        // A client that has left its stream reads nothing any more.
        Traits::network().with_half_close(false)
    }

    fn split(self) -> (Inbox, Outbox) {
        (Inbox { pipe: self.clone(), frame: Bytes::new() }, Outbox(self))
    }
}

/// The half that gives what was posted.
#[derive(Debug)]
pub(crate) struct Inbox {
    pipe: HttpSse,
    frame: Bytes,
}

impl Source for Inbox {
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Incoming> {
        let mut pipe = self.pipe.lock();
        self.frame = Bytes::new();
        if let Some(frame) = pipe.inbox.pop_front() {
            pipe.inbox_bytes -= frame.len();
            self.frame = frame;
            return Poll::Ready(Incoming::Frame);
        }
        if pipe.is_left {
            return Poll::Ready(Incoming::Ended);
        }
        pipe.reader = Some(cx.waker().clone());
        Poll::Pending
    }

    fn frame(&self) -> &[u8] {
        &self.frame
    }
}

/// The half that takes what the server says.
#[derive(Debug)]
pub(crate) struct Outbox(HttpSse);

impl Outbox {
    /// Ready when everything has been taken by who sends it.
    fn poll_taken(&self, cx: &mut Context<'_>) -> Poll<io::Result<MutexGuard<'_, Pipe>>> {
        let mut pipe = self.0.lock();
        if pipe.is_left {
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        }
        if pipe.events.is_empty() {
            return Poll::Ready(Ok(pipe));
        }
        pipe.writer = Some(cx.waker().clone());
        Poll::Pending
    }
}

impl Sink for Outbox {
    fn poll_write(&mut self, cx: &mut Context<'_>, frames: Frames<'_>) -> Poll<io::Result<usize>> {
        let mut pipe = std::task::ready!(self.poll_taken(cx))?;
        let bytes = frames.bytes();
        // Whole frames are taken each time, so that each begins here.
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            write_named_event(&mut pipe.events, "message", line.strip_suffix(b"\n").unwrap_or(line));
        }
        wake(pipe, |pipe| pipe.body.take());
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_taken(cx).map_ok(drop)
    }

    fn poll_close(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        // For one who has left there is nothing left to close.
        let Ok(mut pipe) = std::task::ready!(self.poll_taken(cx)) else { return Poll::Ready(Ok(())) };
        pipe.is_closed = true;
        wake(pipe, |pipe| pipe.body.take());
        Poll::Ready(Ok(()))
    }
}

/// A session that is not driven any more says nothing more.
impl Drop for Outbox {
    fn drop(&mut self) {
        let mut pipe = self.0.lock();
        pipe.is_closed = true;
        wake(pipe, |pipe| pipe.body.take());
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use std::future::poll_fn;

    use crate::http::events::Source as _;

    async fn read(stream: &mut Stream) -> Option<String> {
        let mut out = Vec::new();
        poll_fn(|cx| stream.poll_events(cx, &mut out)).await.then(|| String::from_utf8(out).unwrap())
    }

    #[tokio::test]
    async fn messages_go_in_by_posts_and_out_by_one_stream() {
        let session = HttpSse::new(b"event: endpoint\ndata: /m\n\n".to_vec(), 10);
        let mut stream = session.events();
        let (mut source, mut sink) = session.clone().split();
        session.post(Bytes::from_static(b"one")).unwrap();
        session.post(Bytes::from_static(b"two")).unwrap();
        assert_eq!(session.post(Bytes::from_static(b"three")), Err(NotTaken::Full));
        for wanted in ["one", "two"] {
            assert!(matches!(poll_fn(|cx| source.poll_next(cx)).await, Incoming::Frame));
            assert_eq!(source.frame(), wanted.as_bytes());
        }
        session.post(Bytes::from_static(b"longer than the limit")).unwrap();
        let write = async {
            poll_fn(|cx| sink.poll_write(cx, Frames::new(b"a\nb\n"))).await.unwrap();
            poll_fn(|cx| sink.poll_flush(cx)).await.unwrap();
            poll_fn(|cx| sink.poll_close(cx)).await.unwrap();
        };
        let reads = async {
            assert_eq!(read(&mut stream).await.unwrap(), "event: endpoint\ndata: /m\n\n");
            assert_eq!(read(&mut stream).await.unwrap(), "event: message\ndata: a\n\nevent: message\ndata: b\n\n");
            assert_eq!(read(&mut stream).await, None);
        };
        tokio::join!(write, reads);
        assert_eq!(session.post(Bytes::new()), Err(NotTaken::Ended));
    }

    #[tokio::test]
    async fn who_leaves_the_stream_is_gone() {
        let session = HttpSse::new(Vec::new(), 10);
        let stream = session.events();
        let (mut source, mut sink) = session.clone().split();
        poll_fn(|cx| sink.poll_write(cx, Frames::new(b"a\n"))).await.unwrap();
        let (ended, flushed) = tokio::join!(poll_fn(|cx| source.poll_next(cx)), async {
            let wait = poll_fn(|cx| sink.poll_flush(cx));
            tokio::join!(wait, async { drop(stream) }).0
        },);
        assert!(matches!(ended, Incoming::Ended));
        assert_eq!(flushed.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
        assert_eq!(session.post(Bytes::new()), Err(NotTaken::Ended));
    }
}
