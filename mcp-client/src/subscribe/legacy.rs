//! A subscription of the legacy era: the connection is told of everything, and resources are subscribed to one by one.

use std::collections::BTreeSet;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use mcp_session::CallFuture;
use mcp_types::method;
use mcp_types::resources::SubscribeParams;
use serde_json::value::to_raw_value;

use super::change::{Change, Wants};
use super::error::SubscribeError;
use super::hub::{Hub, Place};
use super::inbox::Inbox;
use super::tenure::End;
use crate::link::Link;
use crate::shared::Shared;

/// A place among those to whom the connection shares out what it is told.
pub(super) struct Told {
    shared: Arc<Shared>,
    link: Arc<Link>,
    inbox: Arc<Inbox>,
    place: Place,
    /// The resources that the server was, or may have been, subscribed to.
    asked: BTreeSet<String>,
}

impl Told {
    pub(super) fn new(shared: &Arc<Shared>, link: &Arc<Link>, inbox: &Arc<Inbox>) -> Self {
        // It enters before it asks, so that nothing is lost.
        let place = Hub::enter(shared, link.number, inbox);
        let (shared, link, inbox) = (Arc::clone(shared), Arc::clone(link), Arc::clone(inbox));
        Self { shared, link, inbox, place, asked: BTreeSet::new() }
    }

    /// Subscribes to what the server is able to tell. What it is not, it is not asked for.
    pub(super) async fn begin(&mut self) -> Result<Wants, SubscribeError> {
        let wants = self.inbox.wants();
        let mut honoured = Wants::default();
        let mut tells_of_resources = false;
        if let Some(capabilities) = &self.link.agreed.capabilities {
            let is_set = |flag: Option<bool>| flag == Some(true);
            let resources = capabilities.resources.as_ref();
            honoured.tools = wants.tools && is_set(capabilities.tools.as_ref().and_then(|tools| tools.list_changed));
            honoured.prompts =
                wants.prompts && is_set(capabilities.prompts.as_ref().and_then(|prompts| prompts.list_changed));
            honoured.resources = wants.resources && is_set(resources.and_then(|resources| resources.list_changed));
            tells_of_resources = is_set(resources.and_then(|resources| resources.subscribe));
        }
        let mut refusal = None;
        if tells_of_resources {
            self.asked = wants.uris.clone();
            for (uri, outcome) in call_all(&self.link, method::RESOURCES_SUBSCRIBE, &wants.uris).await {
                match outcome {
                    Ok(()) => drop(honoured.uris.insert(uri)),
                    Err(error) if error.is_peer() => {
                        tracing::debug!(%error, "a resource cannot be subscribed to");
                        self.asked.remove(&uri);
                        refusal.get_or_insert(error);
                    }
                    Err(error) => return Err(SubscribeError::Call(error.into())),
                }
            }
        }
        match refusal {
            Some(refusal) if honoured.is_empty() => Err(SubscribeError::Call(refusal.into())),
            _ => Ok(honoured),
        }
    }

    pub(super) async fn ended(&self) -> End {
        self.link.closed.clone().await;
        End::Closed
    }

    /// Unsubscribes from what nobody else in this session has subscribed to.
    pub(super) async fn leave(self) {
        let Self { shared, link, place, mut asked, .. } = self;
        drop(place);
        let is_wanted = |uri: &String| shared.hub.subscribed(link.number).contains(uri);
        asked.retain(|uri| !is_wanted(uri));
        for (uri, outcome) in call_all(&link, method::RESOURCES_UNSUBSCRIBE, &asked).await {
            if let Err(error) = outcome {
                tracing::debug!(%error, "a resource was not unsubscribed from");
            }
            asked.remove(&uri);
            // Somebody may have subscribed again meanwhile, and the server have been told before.
            if is_wanted(&uri) {
                drop(call_all(&link, method::RESOURCES_SUBSCRIBE, &BTreeSet::from([uri.clone()])).await);
                shared.hub.tell(&Change::Resource { uri });
            }
        }
    }
}

/// Calls a method that is about a resource for each of these, all at once.
async fn call_all(
    link: &Link,
    method: &'static str,
    uris: &BTreeSet<String>,
) -> Vec<(String, Result<(), mcp_session::CallError>)> {
    let mut calls: Vec<_> = uris
        .iter()
        .map(|uri| {
            let params = to_raw_value(&SubscribeParams::new(&**uri)).expect("a text can always be JSON");
            (uri.clone(), One::UnderWay(link.peer.call(method, Some(params))))
        })
        .collect();
    poll_fn(|cx| {
        // Each is polled, and none a second time after its end.
        let pending = calls.iter_mut().filter_map(|(_, one)| one.poll(cx).is_pending().then_some(())).count();
        if pending > 0 { Poll::Pending } else { Poll::Ready(()) }
    })
    .await;
    calls.into_iter().filter_map(|(uri, one)| one.settled().map(|outcome| (uri, outcome))).collect()
}

/// One of several calls.
enum One {
    UnderWay(CallFuture),
    Settled(Result<(), mcp_session::CallError>),
}

impl One {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if let Self::UnderWay(call) = self {
            match Pin::new(call).poll(cx) {
                Poll::Ready(outcome) => *self = Self::Settled(outcome.map(drop)),
                Poll::Pending => return Poll::Pending,
            }
        }
        Poll::Ready(())
    }

    fn settled(self) -> Option<Result<(), mcp_session::CallError>> {
        match self {
            Self::Settled(outcome) => Some(outcome),
            Self::UnderWay(_) => None,
        }
    }
}
