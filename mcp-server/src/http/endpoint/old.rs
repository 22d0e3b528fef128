//! Sessions of HTTP+SSE, the transport of revision 2024-11-05.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use http::StatusCode;
use http::request::Parts;
use mcp_session::Companion;

use super::{Inner, Reply, principal_of};
use crate::http::answer::{Refusal, event_stream};
use crate::http::events::Events;
use crate::http::http_body::HttpBody;
use crate::http::http_sse::{HttpSse, NotTaken};
use crate::http::judge::{SSE_SESSION, no_such_session};
use crate::http::session_id::SessionId;
use crate::http::sse::write_named_event;

/// A session, and what keeps it going.
#[derive(Debug)]
pub(super) struct Old {
    pipe: HttpSse,
    /// Ends the session when this is dropped.
    run: OnceLock<Companion>,
}

impl Inner {
    /// Opens a session, by its stream.
    pub(super) fn open_old(&self, head: &Parts) -> Result<Reply, Refusal> {
        let Some(paths) = &self.config.sse else {
            return Err(Refusal::http(StatusCode::NOT_FOUND, "HTTP+SSE is not served here"));
        };
        let mut begun = self.under_way.begin().ok_or_else(|| self.closing())?;
        let place = self.old_sessions.reserve().ok_or_else(|| self.overloaded("Too many sessions are open"))?;
        let id = SessionId::random().map_err(|error| {
            tracing::error!(%error, "no session can be opened");
            self.overloaded("No session can be opened")
        })?;
        let mut begin = Vec::new();
        write_named_event(&mut begin, "endpoint", format!("{}?{SSE_SESSION}={id}", paths.messages).as_bytes());
        let pipe = HttpSse::new(begin, self.server.config().session.limits.held);
        let events = Events::new(pipe.events(), Vec::new(), self.config.keep_alive);
        let (handle, run) = self.server.open(pipe.clone());
        begun.hold(handle.peer().link());
        let old = Arc::new(Old { pipe, run: OnceLock::new() });
        let lives = self.old_sessions.insert(place, id, principal_of(head), Arc::clone(&old));
        tracing::info!(session = ?id, "opened a session of HTTP+SSE");
        old.run.get_or_init(|| {
            Companion::spawn(async move {
                let outcome = run.await;
                let report = outcome.as_ref().unwrap_or_else(|error| &error.report);
                tracing::info!(session = ?id, reason = %report.reason, "a session has ended");
                begun.report(report);
                drop(begun);
                // The last, as this task goes with it.
                drop(lives);
            })
        });
        Ok(Reply::ready(event_stream(HttpBody::stream(events))))
    }

    /// Takes a message.
    pub(super) fn post_old(&self, head: &Parts, id: SessionId, frame: &Bytes) -> Result<(), Refusal> {
        let old = self.old_sessions.find(id, &principal_of(head)).ok_or_else(no_such_session)?;
        old.pipe.post(frame.clone()).map_err(|why| match why {
            NotTaken::Ended => no_such_session(),
            NotTaken::Full => self.overloaded("Too many messages wait to be read"),
        })
    }
}
