//! A stream of changes.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_core::Stream;
use mcp_types::listen::SubscriptionFilter;

use super::change::Change;
use super::inbox::Inbox;

/// Changes of what a server has, as they are told. It is made by
/// [`Connection::subscribe`](crate::Connection::subscribe).
///
/// It is the same in both eras: in the modern one it is one request that stays open, in the legacy one resources are
/// subscribed to one by one, and what the server tells the connection is shared out. There may be several at once.
///
/// A change says that something is not what it was, and no more. Changes that were not taken yet coalesce: each waits
/// once, so that a slow reader costs little memory and misses nothing. Should more than 1 024 different resources wait,
/// all that were subscribed to are said to have changed instead.
///
/// Changes wait for no callback: one that takes long, or never ends, holds up the callbacks after it and nothing else.
///
/// It ends when the connection does, and when the server ends it. Where the server is [restarted](crate::Restart), it
/// is subscribed to again, and [`Change::Restarted`] says that anything may have changed meanwhile. It does not keep the
/// connection open.
///
/// # Cancel safety
///
/// A future of [`next`](Self::next) that is dropped has taken nothing. Dropping the subscription tells the server, in
/// the way of its era, as far as that is still possible.
///
/// ```
/// # async fn example(connection: mcp_client::Connection) -> Result<(), mcp_client::SubscribeError> {
/// use mcp_client::Change;
///
/// let mut changes = connection.subscribe().tools().resource("file:///config.json").await?;
/// while let Some(change) = changes.next().await {
///     match change {
///         Change::Tools | Change::Restarted => println!("list the tools again"),
///         Change::Resource { uri } => println!("read {uri} again"),
///         _ => {}
///     }
/// }
/// # Ok(())
/// # }
/// ```
///
/// Spec: [Subscriptions](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions)
#[derive(Debug)]
#[must_use = "it ends when it is dropped"]
pub struct Subscription {
    inbox: Arc<Inbox>,
}

impl Subscription {
    pub(super) const fn new(inbox: Arc<Inbox>) -> Self {
        Self { inbox }
    }

    /// The next change. `None`: there will be no other.
    pub async fn next(&mut self) -> Option<Change> {
        poll_fn(|cx| self.inbox.poll_take(cx)).await
    }

    /// What the server has said that it will tell, which may be less than was asked for. After a restart it may be
    /// something else.
    #[must_use]
    pub fn honoured(&self) -> SubscriptionFilter {
        self.inbox.honoured().to_filter()
    }
}

impl Stream for Subscription {
    type Item = Change;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Change>> {
        self.inbox.poll_take(cx)
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.inbox.leave();
    }
}
