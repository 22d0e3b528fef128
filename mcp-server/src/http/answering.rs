//! How an exchange is answered: by one JSON object or by a stream of events, and with which status.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, Response, StatusCode};
use mcp_session::{Said, Terminal, What};
use mcp_types::jsonrpc::Id;
use mcp_types::version::Era;
use tokio::time::{Instant, Sleep, sleep_until};

use super::answer::{Refusal, event_stream, json_response, status};
use super::events::Events;
use super::headers::SESSION_ID;
use super::http_body::HttpBody;
use super::negotiate::Acceptable;
use super::said::Says;
use super::session_id::SessionId;
use super::told::{Logged, Told};

/// What the manner of an answer depends on besides what is said.
pub(crate) struct Manner {
    pub(crate) era: Era,
    pub(crate) acceptable: Acceptable,
    /// Whether the client takes events, whatever the server prefers to send.
    pub(crate) takes_events: bool,
    pub(crate) opens: Opens,
    /// After what silence a comment is sent, once there is a stream.
    pub(crate) keep_alive: Duration,
    /// When to come again, for who is sent away.
    pub(crate) retry_after: Duration,
    /// How the stream can be resumed, if it can.
    pub(crate) logged: Option<Logged>,
    /// The session that begins with it.
    pub(crate) session: Option<SessionId>,
}

/// When a stream is opened, where the client takes events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opens {
    /// Before anything is said.
    AtOnce,
    /// When the answer is not there yet.
    WhenNotReady,
    /// When something is said before the answer; or when nothing is said for so long that whoever stands in between
    /// might take the connection for dead.
    WithFirst,
}

/// The response to a request: a future of it.
pub(crate) struct Answering<X> {
    exchange: Option<X>,
    request: Id,
    http: http::Version,
    manner: Manner,
    patience: Option<Pin<Box<Sleep>>>,
}

impl<X: Says> Answering<X> {
    pub(crate) const fn new(exchange: X, request: Id, http: http::Version, manner: Manner) -> Self {
        Self { exchange: Some(exchange), request, http, manner, patience: None }
    }

    /// The response, once it can be told what it is. Not to be polled after that.
    pub(crate) fn poll_response(&mut self, cx: &mut Context<'_>) -> Poll<Response<HttpBody>> {
        let mut response = ready!(self.poll_manner(cx));
        if let Some(id) = self.manner.session
            && let Ok(id) = HeaderValue::try_from(id.to_string())
        {
            response.headers_mut().insert(SESSION_ID, id);
        }
        Poll::Ready(response)
    }

    fn poll_manner(&mut self, cx: &mut Context<'_>) -> Poll<Response<HttpBody>> {
        if self.manner.opens == Opens::AtOnce && self.manner.acceptable.events() {
            return Poll::Ready(self.stream(None));
        }
        loop {
            let exchange = self.exchange.as_mut().expect("a response is not polled for after it was ready");
            match exchange.poll_said(cx) {
                Poll::Ready(None) => return Poll::Ready(self.unanswered()),
                Poll::Ready(Some(said)) => match said.what {
                    What::Answer(terminal) => return Poll::Ready(self.answer(said, terminal)),
                    _ if self.manner.acceptable.events() => return Poll::Ready(self.stream(Some(said))),
                    // Nothing but an answer is said to a client that takes none.
                    What::Prime | What::Note | What::Call(_) => {}
                },
                Poll::Pending if self.is_patient(cx) => return Poll::Pending,
                Poll::Pending => return Poll::Ready(self.stream(None)),
            }
        }
    }

    /// Whether the answer may still become one JSON object.
    fn is_patient(&mut self, cx: &mut Context<'_>) -> bool {
        if !self.manner.acceptable.events() {
            return true;
        }
        if self.manner.opens == Opens::WhenNotReady {
            return false;
        }
        let keep_alive = self.manner.keep_alive;
        let patience = self.patience.get_or_insert_with(|| Box::pin(sleep_until(Instant::now() + keep_alive)));
        patience.as_mut().poll(cx).is_pending()
    }

    fn answer(&mut self, said: Said, terminal: Terminal) -> Response<HttpBody> {
        let status = match terminal {
            Terminal::Result => StatusCode::OK,
            Terminal::Error(code) => status(self.manner.era, code),
            Terminal::Overloaded | Terminal::Closing => return self.not_now(said.json),
        };
        // A status says something that a stream has no place for.
        if self.manner.acceptable.json() || status != StatusCode::OK {
            return json_response(status, said.json).map(HttpBody::whole);
        }
        self.stream(Some(said))
    }

    /// The exchange has ended without an answer: the request was cancelled, or cut off.
    fn unanswered(&self) -> Response<HttpBody> {
        match self.manner.era {
            // A stream without an answer, or nothing at all, is what a client expects that has cancelled.
            Era::Legacy if self.manner.takes_events => event_stream(HttpBody::whole(Bytes::new())),
            Era::Legacy => {
                let mut response = Response::new(HttpBody::whole(Bytes::new()));
                *response.status_mut() = StatusCode::NO_CONTENT;
                response
            }
            Era::Modern => {
                // HTTP has no end of a response without a response.
                let refusal = Refusal::cut_off().of(&self.request);
                refusal.into_response(self.http).map(HttpBody::whole)
            }
        }
    }

    fn not_now(&self, json: Bytes) -> Response<HttpBody> {
        let refusal = Refusal::closing_down(self.manner.retry_after).into_response(self.http);
        refusal.map(|_| HttpBody::whole(json))
    }

    /// A stream that begins with this.
    fn stream(&mut self, first: Option<Said>) -> Response<HttpBody> {
        let exchange = self.exchange.take().expect("a response is not polled for after it was ready");
        let logged = self.manner.logged.take();
        let mut told = Told::new(exchange, logged);
        let mut begin = Vec::new();
        if let Some(first) = first {
            told.write(&mut begin, &first);
        }
        event_stream(HttpBody::stream(Events::new(told, begin, self.manner.keep_alive)))
    }
}

#[cfg(test)]
mod tests;
