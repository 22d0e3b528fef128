//! Requests that stand alone: all of the modern era, and those of other revisions, batches too, where there are no
//! sessions.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use http::StatusCode;
use http::request::Parts;
use mcp_session::{Opening, SingleExchange};
use mcp_types::jsonrpc::{Batch, Id, Message, Request};
use mcp_types::method;
use mcp_types::version::Version;

use super::{Inner, Reply, principal_of};
use crate::changes::Membership;
use crate::conversation::Conversation;
use crate::http::answer::{Refusal, accepted};
use crate::http::answering::{Answering, Manner, Opens};
use crate::http::exchange::Post;
use crate::http::http_body::HttpBody;
use crate::http::said::{Ahead, Says};
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
        let mut opening = opening(head, post);
        opening.established = legacy.filter(|_| request.method != method::INITIALIZE);
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
        let opens = if listening.is_some() { Opens::AtOnce } else { Opens::WithFirst };
        let single = Single::new(exchange, begun, listening);
        Ok(Reply::alone(Answering::new(single, request.id.clone(), head.version, self.manner_alone(post, opens))))
    }

    /// Serves a batch that stands alone, of the revision that has them.
    pub(super) fn batch_alone(
        &self,
        head: &Parts,
        batch: &Batch<'_>,
        post: &Post<'_>,
        version: Version,
    ) -> Result<Reply, Refusal> {
        let begun = self.under_way.begin().ok_or_else(|| self.closing())?;
        let mut opening = opening(head, post);
        opening.established = Some(version);
        let exchange = self.singles.single_batch(self.routes_in(version), opening, batch);
        let mut single = Single::new(exchange, begun, None);
        let said = match single.look() {
            // Nothing in it is answered.
            Poll::Ready(None) => return Ok(Reply::ready(accepted().map(HttpBody::whole))),
            Poll::Ready(said) => said,
            Poll::Pending => None,
        };
        let ahead = Ahead { said, rest: single };
        // A batch has no id that an error could name.
        let mut answering = Answering::new(ahead, Id::from(0), head.version, self.manner_alone(post, Opens::WithFirst));
        Ok(Reply::later(poll_fn(move |cx| answering.poll_response(cx))))
    }

    fn manner_alone(&self, post: &Post<'_>, opens: Opens) -> Manner {
        Manner {
            era: post.place.era(),
            acceptable: post.acceptable,
            takes_events: post.acceptable.events(),
            opens,
            keep_alive: self.config.keep_alive,
            retry_after: self.config.retry_after,
            logged: None,
            session: None,
        }
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
        if request.method == method::INITIALIZE {
            return Arc::new(Routes::new(Arc::new(Conversation::new(Arc::clone(&self.common)))));
        }
        self.routes_in(version)
    }

    fn routes_in(&self, version: Version) -> Arc<Routes> {
        let conversation = Conversation::new(Arc::clone(&self.common));
        conversation.negotiated.get_or_init(|| version);
        Arc::new(Routes::new(Arc::new(conversation)))
    }
}

fn opening(head: &Parts, post: &Post<'_>) -> Opening {
    let mut opening = Opening::default();
    opening.principal = principal_of(head);
    // Nobody can be asked anything where the answer goes to another server.
    opening.quiet = !post.acceptable.events();
    opening
}
