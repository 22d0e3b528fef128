//! A body that is a stream of events.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame};
use pin_project_lite::pin_project;
use tokio::time::{Instant, Sleep, sleep_until};

use super::sse::write_keep_alive;

/// Where the events come from.
pub(crate) trait Source: Send + 'static {
    /// Appends what there is to send. `false` when nothing comes any more.
    ///
    /// Ready means that there is something new in `out`, or that it is over. Dropping the source means that the client
    /// is gone, or has been told everything.
    fn poll_events(&mut self, cx: &mut Context<'_>, out: &mut Vec<u8>) -> Poll<bool>;
}

pin_project! {
    /// Sends the events of a source, as many at once as there are, and a comment when there is none for a while.
    #[derive(Debug)]
    pub(crate) struct Events<S> {
        source: Option<S>,
        // What is to be sent first.
        begin: Vec<u8>,
        keep_alive: Duration,
        #[pin]
        silence: Option<Sleep>,
    }
}

impl<S> Events<S> {
    /// `begin` is sent before what the source has.
    pub(crate) const fn new(source: S, begin: Vec<u8>, keep_alive: Duration) -> Self {
        Self { source: Some(source), begin, keep_alive, silence: None }
    }
}

impl<S: Source> Body for Events<S> {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let mut this = self.project();
        let mut out = std::mem::take(this.begin);
        for _ in 0..AT_ONCE {
            let Some(source) = this.source else { break };
            match source.poll_events(cx, &mut out) {
                Poll::Ready(true) if out.len() < CHUNK => {}
                Poll::Ready(true) => break,
                Poll::Ready(false) => *this.source = None,
                Poll::Pending => break,
            }
        }
        if out.is_empty() && this.source.is_some() {
            if this.silence.is_none() {
                this.silence.set(Some(sleep_until(Instant::now() + *this.keep_alive)));
            }
            if let Some(silence) = this.silence.as_mut().as_pin_mut() {
                ready!(silence.poll(cx));
            }
            write_keep_alive(&mut out);
        }
        this.silence.set(None);
        Poll::Ready(if out.is_empty() { None } else { Some(Ok(Frame::data(out.into()))) })
    }

    fn is_end_stream(&self) -> bool {
        self.source.is_none() && self.begin.is_empty()
    }
}

/// How many events are put into one chunk.
const AT_ONCE: usize = 32;
/// How many bytes make a chunk that is sent without looking for more.
const CHUNK: usize = 64 << 10;

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::http::sse::write_event;
    use std::future::poll_fn;
    use std::pin::pin;
    use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

    impl Source for UnboundedReceiver<String> {
        fn poll_events(&mut self, cx: &mut Context<'_>, out: &mut Vec<u8>) -> Poll<bool> {
            let said = ready!(self.poll_recv(cx));
            if let Some(text) = &said {
                write_event(out, None, text.as_bytes());
            }
            Poll::Ready(said.is_some())
        }
    }

    async fn chunk<S: Source>(body: &mut Pin<&mut Events<S>>) -> Option<String> {
        let frame = poll_fn(|cx| body.as_mut().poll_frame(cx)).await?;
        Some(String::from_utf8(frame.unwrap().into_data().unwrap().to_vec()).unwrap())
    }

    const SILENCE: Duration = Duration::from_secs(15);

    #[tokio::test(start_paused = true)]
    async fn what_is_there_goes_out_at_once() {
        let (say, said) = unbounded_channel();
        let mut body = pin!(Events::new(said, b": begin\n\n".to_vec(), SILENCE));
        say.send("1".to_owned()).unwrap();
        say.send("2".to_owned()).unwrap();
        assert_eq!(chunk(&mut body).await.unwrap(), ": begin\n\ndata: 1\n\ndata: 2\n\n");
        say.send("3".to_owned()).unwrap();
        drop(say);
        assert_eq!(chunk(&mut body).await.unwrap(), "data: 3\n\n");
        assert!(body.is_end_stream());
        assert_eq!(chunk(&mut body).await, None);
    }

    #[tokio::test(start_paused = true)]
    async fn silence_is_broken_by_comments() {
        let (say, said) = unbounded_channel();
        let mut body = pin!(Events::new(said, Vec::new(), SILENCE));
        let start = Instant::now();
        assert_eq!(chunk(&mut body).await.unwrap(), ":\n\n");
        assert_eq!(chunk(&mut body).await.unwrap(), ":\n\n");
        assert_eq!(start.elapsed(), 2 * SILENCE);
        assert!(tokio::time::timeout(SILENCE / 2, chunk(&mut body)).await.is_err());
        say.send("1".to_owned()).unwrap();
        assert_eq!(chunk(&mut body).await.unwrap(), "data: 1\n\n");
        // The time begins anew with what was sent.
        let start = Instant::now();
        assert_eq!(chunk(&mut body).await.unwrap(), ":\n\n");
        assert_eq!(start.elapsed(), SILENCE);
    }

    #[tokio::test(start_paused = true)]
    async fn chunks_have_an_end() {
        let (say, said) = unbounded_channel();
        let mut body = pin!(Events::new(said, Vec::new(), SILENCE));
        (0..100).for_each(|number| say.send(number.to_string()).unwrap());
        assert_eq!(chunk(&mut body).await.unwrap().matches("data").count(), AT_ONCE);
        let long = "x".repeat(CHUNK);
        (0..AT_ONCE + 3).for_each(|_| say.send(long.clone()).unwrap());
        for _ in 0..4 {
            assert!(chunk(&mut body).await.unwrap().len() < 2 * CHUNK);
        }
        drop(say);
        while chunk(&mut body).await.is_some() {}
        assert!(body.is_end_stream());
    }
}
