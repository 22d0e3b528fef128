//! What an exchange says, as events.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use mcp_session::{Said, What};

use super::events::Source;
use super::journal::Journal;
use super::said::Says;
use super::sse::{EventId, StreamId, write_event, write_priming, write_retry};

/// The frames of an exchange as events, with the ids by which its stream can be resumed, if it can.
pub(crate) struct Told<X> {
    exchange: X,
    logged: Option<Box<Logged>>,
}

/// What is known of a stream that can be resumed.
pub(crate) struct Logged {
    journal: Arc<Journal>,
    stream: StreamId,
    retry: Duration,
    /// The last event that the client has.
    last: u64,
    is_answered: bool,
    closing: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
}

impl Logged {
    /// A stream of which the client has everything up to this place.
    pub(crate) const fn new(journal: Arc<Journal>, stream: StreamId, retry: Duration, last: u64) -> Self {
        Self { journal, stream, retry, last, is_answered: false, closing: None }
    }

    /// Writes a frame, unless the client has it.
    fn write(&mut self, out: &mut Vec<u8>, said: &Said) {
        self.is_answered |= matches!(said.what, What::Answer(_));
        if said.place.is_some_and(|place| place <= self.last) {
            return;
        }
        let id = said.place.map(|place| EventId { stream: self.stream, place });
        self.last = said.place.unwrap_or(self.last);
        match (said.what, id) {
            (What::Prime, Some(id)) => {
                write_retry(out, self.retry);
                write_priming(out, id);
            }
            (What::Prime, None) => {}
            (_, id) => write_event(out, id, &said.json),
        }
    }

    /// Takes note that the stream is over, if it is. It may only have ended for now.
    fn poll_closed(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if !self.is_answered {
            return Poll::Ready(());
        }
        let (journal, stream) = (&self.journal, self.stream);
        let closing = self.closing.get_or_insert_with(|| {
            let journal = Arc::clone(journal);
            Box::pin(async move { journal.is_over(stream).await })
        });
        closing.as_mut().poll(cx)
    }
}

impl<X> Told<X> {
    pub(crate) fn new(exchange: X, logged: Option<Logged>) -> Self {
        Self { exchange, logged: logged.map(Box::new) }
    }

    /// Writes a frame, unless the client has it.
    pub(crate) fn write(&mut self, out: &mut Vec<u8>, said: &Said) {
        match &mut self.logged {
            Some(logged) => logged.write(out, said),
            None => write_event(out, None, &said.json),
        }
    }
}

impl<X: Says> Source for Told<X> {
    fn poll_events(&mut self, cx: &mut Context<'_>, out: &mut Vec<u8>) -> Poll<bool> {
        let before = out.len();
        loop {
            let said = ready!(self.exchange.poll_said(cx));
            let Some(said) = said else {
                if let Some(logged) = &mut self.logged {
                    ready!(logged.poll_closed(cx));
                }
                return Poll::Ready(false);
            };
            self.write(out, &said);
            if out.len() > before {
                return Poll::Ready(true);
            }
        }
    }
}

impl<X> fmt::Debug for Told<X> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Told")
            .field("stream", &self.logged.as_ref().map(|logged| logged.stream))
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use std::future::poll_fn;

    use bytes::Bytes;
    use mcp_session::Terminal;
    use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

    use super::*;
    use crate::http::session_id::SessionId;
    use crate::http::store::MemoryEvents;

    fn say(to: &UnboundedSender<Said>, text: &'static str, what: What, place: Option<u64>) {
        to.send(Said { json: Bytes::from_static(text.as_bytes()), what, place }).unwrap();
    }

    /// Everything that is written to the end.
    async fn all(told: &mut Told<UnboundedReceiver<Said>>) -> String {
        let mut out = Vec::new();
        while poll_fn(|cx| told.poll_events(cx, &mut out)).await {}
        String::from_utf8(out).unwrap()
    }

    #[tokio::test]
    async fn without_a_log_events_have_no_id() {
        let (to, exchange) = unbounded_channel();
        say(&to, "1", What::Note, None);
        say(&to, "2", What::Answer(Terminal::Result), None);
        drop(to);
        assert_eq!(all(&mut Told::new(exchange, None)).await, "data: 1\n\ndata: 2\n\n");
    }

    #[tokio::test]
    async fn what_the_client_has_is_not_sent_again() {
        let journal = Arc::new(Journal::new(Arc::new(MemoryEvents::default()), SessionId::random().unwrap()));
        #[rustfmt::skip]
        let rows = [
            (0, "retry: 2000\n\nid: 3-1\ndata:\n\nid: 3-4\ndata: a\n\ndata: b\n\nid: 3-7\ndata: c\n\n"),
            (1, "id: 3-4\ndata: a\n\ndata: b\n\nid: 3-7\ndata: c\n\n"),
            (4, "data: b\n\nid: 3-7\ndata: c\n\n"),
            (9, "data: b\n\n"),
        ];
        for (last, expected) in rows {
            let (to, exchange) = unbounded_channel();
            say(&to, "", What::Prime, Some(1));
            say(&to, "a", What::Note, Some(4));
            // One that could not be kept.
            say(&to, "b", What::Note, None);
            say(&to, "c", What::Answer(Terminal::Result), Some(7));
            drop(to);
            let logged = Logged::new(Arc::clone(&journal), StreamId(3), Duration::from_secs(2), last);
            assert_eq!(all(&mut Told::new(exchange, Some(logged))).await, expected, "after {last}");
        }
    }
}
