//! A subscription in one session of a connection.

use std::sync::Arc;

use super::change::Wants;
use super::error::SubscribeError;
use super::inbox::Inbox;
use super::legacy::Told;
use super::modern::Listen;
use crate::link::Link;
use crate::shared::Shared;

/// A subscription in one session of a connection, by the means of its era.
pub(super) enum Tenure {
    Modern(Listen),
    Legacy(Told),
}

/// How a tenure ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The server wants it so.
    ByServer,
    /// The session is over.
    Closed,
}

impl Tenure {
    pub(super) fn new(shared: &Arc<Shared>, link: &Arc<Link>, inbox: &Arc<Inbox>) -> Self {
        if link.is_modern() {
            Self::Modern(Listen::new(shared, link, inbox))
        } else {
            Self::Legacy(Told::new(shared, link, inbox))
        }
    }

    /// Subscribes. What the server has said that it will tell.
    pub(super) async fn begin(&mut self) -> Result<Wants, SubscribeError> {
        let honoured = match self {
            Self::Modern(listen) => listen.begin().await?,
            Self::Legacy(told) => told.begin().await?,
        };
        if honoured.is_empty() { Err(SubscribeError::NotSupported) } else { Ok(honoured) }
    }

    /// Resolves when the server tells nothing any more. It has to have begun.
    pub(super) async fn ended(&mut self) -> End {
        match self {
            Self::Modern(listen) => listen.ended().await,
            Self::Legacy(told) => told.ended().await,
        }
    }

    /// Tells the server that nobody listens any more.
    pub(super) async fn leave(self) {
        match self {
            // It is cancelled.
            Self::Modern(listen) => drop(listen),
            Self::Legacy(told) => told.leave().await,
        }
    }
}
