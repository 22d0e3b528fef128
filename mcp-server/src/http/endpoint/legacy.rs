//! Sessions of revisions with a handshake.

use std::sync::{Arc, OnceLock};
use std::task::Poll;

use http::request::Parts;
use http::{Response, StatusCode};
use mcp_session::engine::Principal;
use mcp_session::{Companion, Delivery, Log, ReplyStream, Said, SessionRun, StreamSession, Terminal, What};
use mcp_types::jsonrpc::Id;
use mcp_types::version::{Era, Version};

use super::{Inner, Reply, id_of, principal_of};
use crate::conversation::Conversation;
use crate::http::answer::{Refusal, accepted, event_stream};
use crate::http::answering::{Answering, Manner, Opens};
use crate::http::events::Events;
use crate::http::exchange::{Get, Post};
use crate::http::http_body::HttpBody;
use crate::http::journal::{Journal, exchange_of, stream_of};
use crate::http::judge::no_such_session;
use crate::http::said::{Ahead, Says};
use crate::http::session_id::SessionId;
use crate::http::sse::{EventId, write_event, write_priming};
use crate::http::store::{Event, StoreError};
use crate::http::told::{Logged, Told};
use crate::http::under_way::Begun;
use crate::routing::Routes;

/// A session, and what keeps it going.
#[derive(Debug)]
pub(super) struct Legacy {
    session: StreamSession<Routes>,
    journal: Option<Arc<Journal>>,
    /// Ends the session when this is dropped.
    run: OnceLock<Companion>,
}

impl Inner {
    /// Opens a session by its `initialize`.
    pub(super) fn open(&self, head: &Parts, request: &Id, post: &Post<'_>) -> Result<Reply, Refusal> {
        let principal = principal_of(head);
        let mut begun = self.under_way.begin().ok_or_else(|| self.closing())?;
        let place = self.sessions.reserve().ok_or_else(|| self.overloaded("Too many sessions are open"))?;
        let id = SessionId::random().map_err(|error| {
            tracing::error!(%error, "no session can be opened");
            self.overloaded("No session can be opened")
        })?;
        let journal = self.config.store.as_ref().map(|store| Arc::new(Journal::new(Arc::clone(store), id)));
        let routes = Arc::new(Routes::new(Arc::new(Conversation::new(Arc::clone(&self.common)))));
        let log = journal.clone().map(|journal| journal as Arc<dyn Log>);
        let (session, mut run) = self.opener.session(routes, log);
        let mut stream = session.post(&post.message, post.frame, self.delivery(&principal, post, None));
        let first = stream.look();
        let is_refused = matches!(&first, Poll::Ready(first) if !is_result(first.as_ref()));
        let mut manner = self.manner(post, None);
        if is_refused {
            // Nothing is left of it.
            let answering = answering(stream, first, request, head, manner);
            return Ok(Reply::later(end_refused(session, run, begun, answering)));
        }
        manner.session = Some(id);
        begun.hold(session.link());
        let membership = self.server.catalog().live.join(session.link());
        let legacy = Arc::new(Legacy { session, journal: journal.clone(), run: OnceLock::new() });
        let lives = self.sessions.insert(place, id, principal, Arc::clone(&legacy));
        tracing::info!(session = ?id, "opened a session");
        legacy.run.get_or_init(|| {
            // What this has room for is held for every session, however idle: the run is not moved, as a future keeps
            // room for where that was, and what is needed at the end alone has a place of its own.
            Companion::spawn(async move {
                {
                    let report = (&mut run).await;
                    tracing::info!(session = ?lives.id(), reason = %report.reason, "a session has ended");
                    begun.report(&report);
                }
                drop(membership);
                if let Some(journal) = journal {
                    Box::pin(async move { journal.forget().await }).await;
                }
                drop(begun);
                // The last, as this task goes with it.
                drop(lives);
            })
        });
        Ok(Reply::in_session(answering(stream, first, request, head, manner)))
    }

    /// Takes a message of a session, or a batch of them.
    pub(super) fn post_in_session(&self, head: &Parts, id: SessionId, post: &Post<'_>) -> Result<Reply, Refusal> {
        let principal = principal_of(head);
        let legacy = self.session(id, &principal)?;
        let delivery = self.delivery(&principal, post, legacy.session.negotiated());
        let mut stream = legacy.session.post(&post.message, post.frame, delivery);
        let logged = legacy.logged(&stream, self.config.retry, 0);
        let manner = self.manner(post, logged);
        let (request, first) = match id_of(&post.message) {
            Some(request) => (request, Poll::Pending),
            // Of others nothing is answered, as a rule.
            None => match stream.look() {
                Poll::Ready(None) => return Ok(Reply::ready(accepted().map(HttpBody::whole))),
                first => (&Id::from(0), first),
            },
        };
        Ok(Reply::in_session(answering(stream, first, request, head, manner)))
    }

    /// Opens a stream for what belongs to no request, or resumes one.
    pub(super) fn get(&self, head: &Parts, get: Get) -> Result<Reply, Refusal> {
        let principal = principal_of(head);
        let legacy = self.session(get.session, &principal)?;
        let Some(after) = get.after else {
            let mut delivery = Delivery::default();
            delivery.principal = principal;
            delivery.primed = is_primed(legacy.session.negotiated());
            let stream = legacy.session.listen(delivery);
            let logged = legacy.logged(&stream, self.config.retry, 0);
            return Ok(Reply::ready(self.events(Told::new(stream, logged), Vec::new())));
        };
        let Some(journal) = legacy.journal.clone() else {
            return Err(bad_request("Nothing is kept here that could be resumed"));
        };
        let (keep_alive, retry, http) = (self.config.keep_alive, self.config.retry, head.version);
        let version = legacy.session.negotiated();
        Ok(Reply::later(async move {
            match resume(&legacy, &journal, after).await {
                Ok((begin, _, None)) => event_stream(HttpBody::whole(begin.into())),
                Ok((begin, last, Some(stream))) => {
                    let told = Told::new(stream, Some(Logged::new(journal, after.stream, retry, last)));
                    event_stream(HttpBody::stream(Events::new(told, begin, keep_alive)))
                }
                Err(error) => not_resumed(&error).in_version(version).into_response(http).map(HttpBody::whole),
            }
        }))
    }

    /// Ends a session at the wish of its client.
    pub(super) fn delete(&self, head: &Parts, id: SessionId) -> Result<Reply, Refusal> {
        let legacy = self.session(id, &principal_of(head))?;
        // What is left to be done is done by its run. It is found no more from here on, as it is closed.
        drop(legacy.session.delete());
        let mut response = Response::new(HttpBody::whole(bytes::Bytes::new()));
        *response.status_mut() = StatusCode::NO_CONTENT;
        Ok(Reply::ready(response))
    }

    /// The session of this id, if it is alive and this principal's.
    fn session(&self, id: SessionId, principal: &Principal) -> Result<Arc<Legacy>, Refusal> {
        let legacy = self.sessions.find(id, principal).ok_or_else(no_such_session)?;
        if legacy.session.state().is_closed() { Err(no_such_session()) } else { Ok(legacy) }
    }

    fn delivery(&self, principal: &Principal, post: &Post<'_>, negotiated: Option<Version>) -> Delivery {
        let mut delivery = Delivery::default();
        delivery.principal = principal.clone();
        delivery.quiet = self.config.json_responses || !post.acceptable.events();
        delivery.primed = is_primed(negotiated);
        delivery
    }

    fn manner(&self, post: &Post<'_>, logged: Option<Logged>) -> Manner {
        let acceptable = post.acceptable;
        Manner {
            era: Era::Legacy,
            acceptable: if self.config.json_responses { acceptable.preferring_json() } else { acceptable },
            takes_events: acceptable.events(),
            // Its first event is there already, or will be as soon as it is in the log.
            opens: if logged.is_some() { Opens::AtOnce } else { Opens::WhenNotReady },
            keep_alive: self.config.keep_alive,
            retry_after: self.config.retry_after,
            logged,
            session: None,
        }
    }

    fn events(&self, told: Told<ReplyStream>, begin: Vec<u8>) -> Response<HttpBody> {
        event_stream(HttpBody::stream(Events::new(told, begin, self.config.keep_alive)))
    }
}

impl Legacy {
    /// How a stream of this session can be resumed, if it can.
    fn logged(&self, stream: &ReplyStream, retry: std::time::Duration, last: u64) -> Option<Logged> {
        let journal = self.journal.as_ref().filter(|_| stream.is_logged())?;
        Some(Logged::new(Arc::clone(journal), stream_of(stream.exchange()), retry, last))
    }
}

/// Whether a stream begins by an event without a message. Before this revision, clients take every event for one.
fn is_primed(negotiated: Option<Version>) -> bool {
    negotiated.is_some_and(|version| version >= Version::V2025_11_25)
}

fn is_result(said: Option<&Said>) -> bool {
    said.is_some_and(|said| said.what == What::Answer(Terminal::Result))
}

fn answering(
    stream: ReplyStream,
    first: Poll<Option<Said>>,
    request: &Id,
    head: &Parts,
    manner: Manner,
) -> Answering<Ahead<ReplyStream>> {
    let said = if let Poll::Ready(said) = first { said } else { None };
    Answering::new(Ahead { said, rest: stream }, request.clone(), head.version, manner)
}

/// Ends a session whose `initialize` was refused, and answers that.
async fn end_refused(
    session: StreamSession<Routes>,
    run: SessionRun<Routes>,
    begun: Begun,
    mut answering: Answering<Ahead<ReplyStream>>,
) -> Response<HttpBody> {
    let response = std::future::poll_fn(|cx| answering.poll_response(cx)).await;
    drop((answering, session.delete()));
    begun.report(&run.await);
    response
}

/// What a client has missed, its last place, and the stream on which more comes, if more comes.
async fn resume(
    legacy: &Legacy,
    journal: &Journal,
    after: EventId,
) -> Result<(Vec<u8>, u64, Option<ReplyStream>), StoreError> {
    let mut begin = Vec::new();
    let mut last = after.place;
    let mut write = |events: Vec<Event>, last: &mut u64| {
        for event in events {
            *last = event.id.place;
            if event.message.is_empty() {
                write_priming(&mut begin, event.id);
            } else {
                write_event(&mut begin, Some(event.id), &event.message);
            }
        }
    };
    write(journal.replay(after).await?, &mut last);
    let exchange = exchange_of(after.stream).ok_or(StoreError::Unknown)?;
    let stream = legacy.session.attach(exchange);
    // What went into the log before the stream was ours again.
    write(journal.replay(EventId { stream: after.stream, place: last }).await?, &mut last);
    Ok((begin, last, stream))
}

/// The answer to a client whose event is not known is no 404: that would mean that its session has ended.
fn not_resumed(error: &StoreError) -> Refusal {
    match error {
        StoreError::Unknown => bad_request("Last-Event-ID is no event that is kept"),
        StoreError::Evicted => bad_request("Events that came after Last-Event-ID are not kept any more"),
        StoreError::Failed(_) => {
            tracing::error!(%error, "a stream could not be resumed");
            Refusal::http(StatusCode::INTERNAL_SERVER_ERROR, "The stream cannot be resumed")
        }
    }
}

fn bad_request(message: &'static str) -> Refusal {
    Refusal::http(StatusCode::BAD_REQUEST, message)
}
