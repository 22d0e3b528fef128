//! `subscriptions/listen`: what a client wants to hear of.

use mcp_session::Answering;
use mcp_session::engine::{Change, Changes, Wants};
use mcp_types::jsonrpc::{ErrorObject, Request};
use mcp_types::listen::{AcknowledgedParams, SubscriptionFilter};

use super::{Routes, expected, invalid};
use crate::identity::encode;

impl Routes {
    pub(super) fn listen(&self, request: &Request<'_>) -> Answering {
        match self.filter(request) {
            Ok((wants, honoured)) => {
                let acknowledged = encode(&AcknowledgedParams::new(&request.id, honoured));
                Answering::Listen { wants, acknowledged }
            }
            Err(error) => Answering::Ready(Err(error)),
        }
    }

    /// What of a filter this server can tell, in the two forms in which it is needed.
    fn filter(&self, request: &Request<'_>) -> Result<(Wants, SubscriptionFilter), ErrorObject> {
        let raw = request.params.notifications;
        let Some(object) = raw.filter(|raw| raw.starts_with('{')) else {
            return Err(expected("notifications", "an object", raw));
        };
        let asked: SubscriptionFilter = serde_json::from_str(object)
            .map_err(|error| invalid(format!("`notifications` is not a filter: {error}")))?;
        let conversation = &self.conversation;
        //= 2026-07-28/basic/patterns/subscriptions#acknowledgment
        //# Notification types the server does not support are omitted.
        let mut honoured = SubscriptionFilter::new();
        let mut changes = Changes::NONE;
        if asked.tools_list_changed == Some(true) && conversation.tools.0.is_declared() {
            honoured = honoured.with_tools_list_changed(true);
            changes = changes.with(Change::Tools);
        }
        if asked.prompts_list_changed == Some(true) && conversation.prompts.0.is_declared() {
            honoured = honoured.with_prompts_list_changed(true);
            changes = changes.with(Change::Prompts);
        }
        if asked.resources_list_changed == Some(true) && conversation.resources.is_declared() {
            honoured = honoured.with_resources_list_changed(true);
            changes = changes.with(Change::Resources);
        }
        let mut wants = Wants::from(changes);
        let mut uris = asked.resource_subscriptions.unwrap_or_default();
        uris.retain(|uri| conversation.resources.contains(uri));
        if !uris.is_empty() {
            wants = uris.iter().fold(wants, |wants, uri| wants.with_resource(&**uri));
            honoured = honoured.with_resource_subscriptions(uris);
        }
        Ok((wants, honoured))
    }
}
