//! A subscription of the modern era: one call that stays open.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::Poll;

use mcp_session::CallFuture;
use mcp_types::listen::{AcknowledgedParams, ListenParams};
use mcp_types::method;
use serde_json::value::RawValue;

use super::change::{Change, Wants};
use super::error::SubscribeError;
use super::inbox::Inbox;
use super::tenure::End;
use crate::call::Body;
use crate::decode::decode;
use crate::link::Link;
use crate::shared::Shared;

/// A call of `subscriptions/listen`. Dropping it cancels it.
pub(super) struct Listen {
    call: CallFuture,
    acknowledged: Arc<OnceLock<Wants>>,
    end: Option<End>,
}

impl Listen {
    pub(super) fn new(shared: &Arc<Shared>, link: &Link, inbox: &Arc<Inbox>) -> Self {
        let params = Body::any(&ListenParams::new(inbox.wants().to_filter()));
        let (body, _) = params.expect("texts can always be JSON");
        let meta = link.meta.as_deref().map(|meta| meta.text());
        let acknowledged = Arc::new(OnceLock::new());
        let notes =
            Notes { shared: Arc::clone(shared), inbox: Arc::clone(inbox), acknowledged: Arc::clone(&acknowledged) };
        let call = link.peer.call(method::SUBSCRIPTIONS_LISTEN, body.params(meta, &[]));
        // It begins with its acknowledgement, and may be silent for ever after that.
        let call = call
            .untimed()
            .begins_within(shared.config.limits.call_idle)
            .with_notes(move |method, params| notes.take(method, params));
        Self { call, acknowledged, end: None }
    }

    /// Makes the call and waits for its acknowledgement.
    //= 2026-07-28/basic/patterns/subscriptions#acknowledgment
    //# The client **SHOULD** check the acknowledged filter against what it requested and handle
    //# any unsupported types gracefully.
    pub(super) async fn begin(&mut self) -> Result<Wants, SubscribeError> {
        let (honoured, poll) = poll_fn(|cx| {
            let poll = Pin::new(&mut self.call).poll(cx);
            match (self.acknowledged.get(), poll) {
                (Some(honoured), poll) => Poll::Ready(Ok((honoured.clone(), poll))),
                (None, Poll::Ready(Ok(_) | Err(mcp_session::CallError::EndedByPeer { .. }))) => {
                    Poll::Ready(Err(SubscribeError::Ended))
                }
                (None, Poll::Ready(Err(error))) => Poll::Ready(Err(SubscribeError::Call(error.into()))),
                (None, Poll::Pending) => Poll::Pending,
            }
        })
        .await?;
        if let Poll::Ready(outcome) = poll {
            self.end = Some(end_of(&outcome));
        }
        Ok(honoured)
    }

    pub(super) async fn ended(&mut self) -> End {
        match self.end {
            Some(end) => end,
            None => end_of(&(&mut self.call).await),
        }
    }
}

/// What the end of the call says.
//= 2026-07-28/basic/patterns/subscriptions#graceful-closure
//# A client that receives this response knows the subscription closed cleanly; a
//# transport that closes without it indicates an unexpected disconnect
fn end_of<T>(outcome: &Result<T, mcp_session::CallError>) -> End {
    match outcome {
        Err(error) if error.is_connection_closed() => End::Closed,
        Ok(_) | Err(_) => End::ByServer,
    }
}

/// Takes the notifications of a subscription.
struct Notes {
    shared: Arc<Shared>,
    inbox: Arc<Inbox>,
    acknowledged: Arc<OnceLock<Wants>>,
}

impl Notes {
    fn take(&self, method: &str, params: Option<&RawValue>) {
        let params = params.map(RawValue::get);
        if method == method::NOTIFICATIONS_SUBSCRIPTIONS_ACKNOWLEDGED {
            let honoured = match decode::<AcknowledgedParams>(params.unwrap_or("{}")) {
                Ok(params) => Wants::of_filter(params.notifications),
                Err(wrong) => {
                    tracing::warn!(%wrong, "an acknowledgement cannot be read: it is taken for one of everything");
                    self.inbox.wants().clone()
                }
            };
            drop(self.acknowledged.set(honoured));
            return;
        }
        // A server that tells before it says what it will tell is taken to tell everything.
        self.acknowledged.get_or_init(|| self.inbox.wants().clone());
        if let Some(change) = Change::of(method, params) {
            self.shared.hub.changed(&change);
            if matches!(change, Change::Resource { .. }) || self.inbox.wants().has(&change) {
                self.inbox.put(change);
            }
        }
    }
}
