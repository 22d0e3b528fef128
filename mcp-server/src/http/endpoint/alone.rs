//! Requests that stand alone: all of the modern era, and those of other revisions where there are no sessions.

use std::sync::Arc;

use http::StatusCode;
use http::request::Parts;
use mcp_session::{Opening, SingleExchange};
use mcp_types::jsonrpc::{Message, Request};
use mcp_types::method;
use mcp_types::version::Version;

use super::{Inner, Reply, principal_of};
use crate::changes::Membership;
use crate::conversation::Conversation;
use crate::http::answer::{Refusal, accepted};
use crate::http::answering::{Answering, Manner, Opens};
use crate::http::exchange::Post;
use crate::http::http_body::HttpBody;
use crate::http::shares::{Full, Share};
use crate::http::single::Single;
use crate::routing::Routes;

impl Inner {
    /// Serves a message that stands alone. `legacy` is the revision of one that has sessions elsewhere.
    pub(super) fn alone(
        &self,
        head: &Parts,
        message: &Message<'_>,
        post: &Post<'_>,
        legacy: Option<Version>,
    ) -> Result<Reply, Refusal> {
        let Message::Request(request) = message else {
            // Nothing is under way that it could be about.
            return Ok(Reply::ready(accepted().map(HttpBody::whole)));
        };
        let begun = self.under_way.begin().ok_or_else(|| self.closing())?;
        let mut opening = Opening::default();
        opening.principal = principal_of(head);
        opening.established = legacy.filter(|_| request.method != method::INITIALIZE);
        // Nobody can be asked anything where the answer goes to another server.
        opening.quiet = !post.acceptable.events();
        let listens = legacy.is_none() && request.method == method::SUBSCRIPTIONS_LISTEN;
        if listens && !post.acceptable.events() {
            let message = "What is listened for comes as text/event-stream, which is not accepted";
            return Err(Refusal::http(StatusCode::NOT_ACCEPTABLE, message));
        }
        let routes = match legacy {
            None => Arc::clone(&self.routes),
            Some(version) => self.routes_of(request, version),
        };
        let principal = opening.principal.clone();
        let exchange = self.singles.single(routes, opening, message, post.frame);
        let listening =
            if listens && exchange.is_listening() { Some(self.listens(&exchange, &principal)?) } else { None };
        let manner = Manner {
            era: post.place.era(),
            acceptable: post.acceptable,
            takes_events: post.acceptable.events(),
            opens: if listening.is_some() { Opens::AtOnce } else { Opens::WithFirst },
            keep_alive: self.config.keep_alive,
            retry_after: self.config.retry_after,
            logged: None,
            session: None,
        };
        let single = Single::new(exchange, begun, listening);
        Ok(Reply::alone(Answering::new(single, request.id.clone(), head.version, manner)))
    }

    /// Takes a place among those that are told of changes.
    fn listens(
        &self,
        exchange: &SingleExchange<Routes>,
        principal: &mcp_session::engine::Principal,
    ) -> Result<(Membership, Share), Refusal> {
        let share = self.listens.enter(principal).map_err(|full| match full {
            Full::Principal => {
                self.overloaded("Too many subscriptions are open").with_status(StatusCode::TOO_MANY_REQUESTS)
            }
            Full::Server => self.overloaded("Too many subscriptions are open"),
        })?;
        Ok((self.server.catalog().live.join(exchange.link()), share))
    }

    /// What serves a request of a revision that has sessions elsewhere. Nothing that it says is kept.
    fn routes_of(&self, request: &Request<'_>, version: Version) -> Arc<Routes> {
        let conversation = Conversation::new(Arc::clone(&self.common));
        if request.method != method::INITIALIZE {
            conversation.negotiated.get_or_init(|| version);
        }
        Arc::new(Routes::new(Arc::new(conversation)))
    }
}
