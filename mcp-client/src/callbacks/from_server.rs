//! What a callback is given.

use std::ops::Deref;
use std::sync::Arc;

use mcp_types::elicitation::{ElicitFormParams, ElicitUrlParams};
use mcp_types::sampling::CreateMessageParams;

use crate::connection::Connection;
use crate::shared::Shared;

/// Something that the server sent, and the connection that it came over.
///
/// It derefs to what was sent. A callback may call the server on the same connection while the server waits for it.
#[derive(Debug)]
pub struct FromServer<T> {
    sent: T,
    shared: Arc<Shared>,
}

/// A form that the server wants to be filled in.
pub type ElicitForm = FromServer<ElicitFormParams>;
/// A page that the server wants to be opened.
pub type ElicitUrl = FromServer<ElicitUrlParams>;
/// What the server wants to ask the language model.
pub type CreateMessage = FromServer<CreateMessageParams>;

impl<T> FromServer<T> {
    pub(crate) const fn new(sent: T, shared: Arc<Shared>) -> Self {
        Self { sent, shared }
    }

    /// What was sent.
    pub fn into_inner(self) -> T {
        self.sent
    }

    /// The connection. This handle, and clones of it, do not keep the connection open.
    #[must_use]
    pub fn connection(&self) -> Connection {
        Connection::unowned(Arc::clone(&self.shared))
    }
}

impl<T> Deref for FromServer<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.sent
    }
}
