//! Says what is subscribed to.

use std::pin::Pin;
use std::sync::Arc;

use tokio::sync::oneshot;

use super::change::Wants;
use super::error::SubscribeError;
use super::inbox::Inbox;
use super::keeper::keep;
use super::subscription::Subscription;
use crate::shared::Shared;

/// What is to be subscribed to. Await it to subscribe: see [`Connection::subscribe`](crate::Connection::subscribe).
#[derive(Debug)]
#[must_use = "nothing is subscribed to before it is awaited"]
pub struct Subscribe {
    shared: Arc<Shared>,
    wants: Wants,
}

impl Subscribe {
    pub(crate) fn new(shared: &Arc<Shared>) -> Self {
        Self { shared: Arc::clone(shared), wants: Wants::default() }
    }

    /// Changes of the list of tools.
    pub const fn tools(mut self) -> Self {
        self.wants.tools = true;
        self
    }

    /// Changes of the list of prompts.
    pub const fn prompts(mut self) -> Self {
        self.wants.prompts = true;
        self
    }

    /// Changes of the lists of resources and of resource templates.
    pub const fn resources(mut self) -> Self {
        self.wants.resources = true;
        self
    }

    /// Changes of the contents of one more resource.
    pub fn resource(mut self, uri: impl Into<String>) -> Self {
        self.wants.uris.insert(uri.into());
        self
    }
}

impl IntoFuture for Subscribe {
    type Output = Result<Subscription, SubscribeError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        let Self { shared, wants } = self;
        Box::pin(async move {
            if wants.is_empty() {
                return Err(SubscribeError::Nothing);
            }
            let inbox = Arc::new(Inbox::new(wants));
            let (began, has_begun) = oneshot::channel();
            shared.hub.keep(keep(Arc::clone(&shared), Arc::clone(&inbox), began));
            // Dropped before it has begun, it leaves.
            let subscription = Subscription::new(inbox);
            match has_begun.await {
                Ok(began) => began.map(|()| subscription),
                // The task is gone, and with it the runtime.
                Err(_) => Err(SubscribeError::Ended),
            }
        })
    }
}
