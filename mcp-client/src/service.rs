//! What the server may ask and tell us.

use std::fmt;
use std::sync::Arc;

use mcp_session::{Answering, Context, Note, NoteFuture, Peer, Service};
use mcp_types::jsonrpc::{ErrorCode, ErrorObject, Request};

type OnNotification = Arc<dyn Fn(Note) -> NoteFuture + Send + Sync>;

/// The callbacks of a client.
#[derive(Clone, Default)]
pub(crate) struct Callbacks {
    pub(crate) notification: Option<OnNotification>,
}

impl fmt::Debug for Callbacks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Callbacks").field("notification", &self.notification.is_some()).finish()
    }
}

impl Service for Callbacks {
    /// No capability is declared, so that a server has nothing to ask.
    fn serve(&self, request: &Request<'_>, _context: Context) -> Answering {
        let message = format!("Method not found: {}", request.method);
        Answering::Ready(Err(ErrorObject::new(ErrorCode::METHOD_NOT_FOUND, message)))
    }

    fn notified(&self, notification: Note, _peer: &Peer) -> Option<NoteFuture> {
        self.notification.as_ref().map(|callback| callback(notification))
    }
}
