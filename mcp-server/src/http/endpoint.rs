//! What serves requests that are in order: exchanges that stand alone, and sessions.

mod alone;
mod legacy;
mod old;
mod reply;

use std::sync::Arc;

use bytes::Bytes;
use http::StatusCode;
use http::request::Parts;
use mcp_session::Opener;
use mcp_session::engine::Principal;
use mcp_types::jsonrpc::{Id, Message, Scanned};

use self::legacy::Legacy;
pub(crate) use self::reply::Reply;
use super::answer::{Refusal, accepted};
use super::config::HttpConfig;
use super::exchange::{Exchange, Get, Place, Post};
use super::headers::HeaderParams;
use super::http_body::HttpBody;
use super::session_id::SessionId;
use super::sessions::Sessions;
use super::shares::Shares;
use super::under_way::UnderWay;
use crate::Server;
use crate::conversation::{Common, Conversation};
use crate::identity::Identity;
use crate::rounds::StateKeeper;
use crate::routing::Routes;
use crate::seal::SealedKeeper;

/// Serves a [`Server`]. Cloning is cheap, and clones share everything.
#[derive(Clone, Debug)]
pub(super) struct Endpoint(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    server: Server,
    config: HttpConfig,
    /// What its sessions have in common.
    common: Arc<Common>,
    /// What requests without a session are served by.
    routes: Arc<Routes>,
    /// Opens exchanges that stand alone.
    singles: Opener,
    /// Opens sessions, which expire.
    opener: Opener,
    sessions: Sessions<Arc<Legacy>>,
    old_sessions: Sessions<Arc<old::Old>>,
    listens: Shares,
    under_way: UnderWay,
}

impl Endpoint {
    pub(crate) fn new(server: Server, config: HttpConfig) -> Self {
        let session = server.config().session.clone();
        let identity = Arc::new(Identity::new(&server.config().info));
        let info: Arc<[u8]> = identity.member().into();
        let keeper: Arc<dyn StateKeeper> = Arc::new(match config.sealer.clone() {
            Some(sealer) => SealedKeeper::new(sealer),
            None => SealedKeeper::random(&session.limits),
        });
        let common = Arc::new(server.common(identity, keeper));
        let routes = Arc::new(Routes::new(Arc::new(Conversation::new(Arc::clone(&common)))));
        let limits = &session.limits;
        let expiring = session.clone().with_expiry(limits.session_idle);
        Self(Arc::new(Inner {
            sessions: Sessions::new(limits.sessions),
            old_sessions: Sessions::new(limits.sessions),
            listens: Shares::new(limits.listens, limits.listens_per_principal),
            singles: Opener::new(session).with_server_info(Arc::clone(&info)),
            opener: Opener::new(expiring).with_server_info(info),
            under_way: UnderWay::new(),
            server,
            config,
            common,
            routes,
        }))
    }

    pub(crate) fn under_way(&self) -> &UnderWay {
        &self.0.under_way
    }

    #[cfg(feature = "http")]
    pub(crate) fn server(&self) -> &Server {
        &self.0.server
    }

    #[cfg(feature = "http")]
    pub(crate) fn config(&self) -> &HttpConfig {
        &self.0.config
    }

    /// How many sessions there are.
    pub(crate) fn sessions(&self) -> usize {
        self.0.sessions.len() + self.0.old_sessions.len()
    }
}

impl Exchange for Endpoint {
    type Body = HttpBody;
    type Future = Reply;

    fn header_params(&self, tool: &str) -> Option<Arc<HeaderParams>> {
        self.0.server.catalog().tools.0.find(tool)?.header_params()
    }

    fn post(&self, head: Parts, post: Post<'_>) -> Reply {
        let reply = match (&post.message, post.place) {
            (Scanned::Message(message), Place::Modern) => self.0.alone(&head, message, &post, None),
            (Scanned::Message(message), Place::Stateless { version }) => {
                self.0.alone(&head, message, &post, Some(version))
            }
            (Scanned::Batch(batch), Place::Stateless { version }) => self.0.batch_alone(&head, batch, &post, version),
            (Scanned::Message(Message::Request(request)), Place::Opening) => self.0.open(&head, &request.id, &post),
            (_, Place::Session { id, .. }) => self.0.post_in_session(&head, id, &post),
            _ => Err(Refusal::http(StatusCode::BAD_REQUEST, "Without a session, each message comes by itself")),
        };
        reply.unwrap_or_else(|refusal| Reply::refused(refused(refusal, &post.message), &head))
    }

    fn get(&self, head: Parts, get: Get) -> Reply {
        self.0.get(&head, get).unwrap_or_else(|refusal| Reply::refused(refusal, &head))
    }

    fn delete(&self, head: Parts, session: SessionId) -> Reply {
        self.0.delete(&head, session).unwrap_or_else(|refusal| Reply::refused(refusal, &head))
    }

    fn open_sse(&self, head: Parts) -> Reply {
        self.0.open_old(&head).unwrap_or_else(|refusal| Reply::refused(refusal, &head))
    }

    fn post_sse(&self, head: Parts, session: SessionId, frame: &Bytes) -> Reply {
        match self.0.post_old(&head, session, frame) {
            Ok(()) => Reply::ready(accepted().map(HttpBody::whole)),
            Err(refusal) => Reply::refused(refusal, &head),
        }
    }
}

impl Inner {
    fn closing(&self) -> Refusal {
        Refusal::closing_down(self.config.retry_after)
    }

    fn overloaded(&self, message: &'static str) -> Refusal {
        Refusal::overloaded(message, self.config.retry_after)
    }
}

/// Who makes a request: what a layer in front has put into it.
fn principal_of(head: &Parts) -> Principal {
    head.extensions.get().cloned().unwrap_or_default()
}

/// The request that is refused is named, if there is one.
fn refused(refusal: Refusal, message: &Scanned<'_>) -> Refusal {
    match id_of(message) {
        Some(id) => refusal.of(id),
        None => refusal,
    }
}

fn id_of<'a>(message: &'a Scanned<'_>) -> Option<&'a Id> {
    match message {
        Scanned::Message(Message::Request(request)) => Some(&request.id),
        _ => None,
    }
}
