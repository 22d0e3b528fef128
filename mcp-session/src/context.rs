//! What a handler knows of its request, and what it can do about it.

use std::sync::Arc;

use mcp_types::jsonrpc::Id;
use mcp_types::version::Version;
use serde_json::value::RawValue;

use crate::core::Shared;
use crate::engine::{Origin, Principal, Served, TooMany};
use crate::peer::Peer;

/// The request that a handler serves.
///
/// It may be kept and used after the request has ended; what is sent then is dropped and counted.
#[derive(Clone, Debug)]
pub struct Context {
    pub(crate) peer: Peer,
    pub(crate) served: Served,
}

impl Context {
    pub(crate) const fn new(shared: Arc<Shared>, served: Served) -> Self {
        Self { peer: Peer { shared, origin: Origin::Handler(served) }, served }
    }

    /// The id of the request as it was sent, while it is being served.
    #[must_use]
    pub fn id(&self) -> Option<Id> {
        self.peer.shared.look(|core| core.engine.served_id(self.served).cloned())
    }

    /// Whether the request is no longer wanted: cancelled, cut off, or answered.
    ///
    /// An async handler is dropped then and needs not ask; this is for work that cannot be dropped.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.peer.shared.look(|core| !core.engine.is_serving(self.served))
    }

    /// The revision that a legacy handshake has agreed on, or is about to.
    #[must_use]
    pub fn negotiated(&self) -> Option<Version> {
        self.peer.negotiated()
    }

    /// The peer, for calls and notifications that belong to this request.
    #[must_use]
    pub const fn peer(&self) -> &Peer {
        &self.peer
    }

    /// Subscribes the session of a legacy handshake to changes of a resource's contents, which
    /// [`Link::resource_updated`](crate::Link::resource_updated) tells of. Subscribing twice is once.
    ///
    /// # Errors
    ///
    /// [`TooMany`] when the connection has as many subscriptions as
    /// [`Limits::subscriptions`](crate::limits::Limits::subscriptions) allows.
    pub fn subscribe(&self, uri: &str) -> Result<(), TooMany> {
        self.peer.shared.look(|core| core.engine.subscribe(uri))
    }

    /// Ends such a subscription. A change that was not told yet is not told.
    pub fn unsubscribe(&self, uri: &str) {
        self.peer.shared.look(|core| core.engine.unsubscribe(uri));
    }

    /// Who asks, as far as whoever opened the exchange knows.
    #[must_use]
    pub fn principal(&self) -> Principal {
        let exchange = self.served.exchange();
        self.peer.shared.look(|core| core.engine.principal(exchange).cloned()).unwrap_or_default()
    }

    /// Ends the stream that the request is answered on, once what was said so far is read, if it can be resumed: the peer
    /// comes back for the rest, and need not hold a connection open until then. Nothing happens otherwise.
    pub fn end_stream(&self) {
        self.peer.shared.act(|core| {
            let exchange = core.engine.carrier(self.served.exchange());
            core.outboxes.send_away(exchange);
        });
    }

    /// Sends a notification about this request, as soon as there is room for it.
    ///
    /// # Cancel safety
    ///
    /// A future that is dropped before it is ready has sent nothing.
    pub async fn notify(&self, method: &str, params: Option<&RawValue>) {
        self.peer.notify(method, params).await;
    }
}
