//! What this client answers when the server asks, and what it does when it is told something.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mcp_client::{Client, ListChanged};
use mcp_types::content::Content;
use mcp_types::elicitation::{ElicitAction, ElicitResult};
use mcp_types::sampling::{CreateMessageResult, StopReason};
use serde_json::Map;

use super::outcome::line;
use super::player::Tell;
use super::requests::all_tools;

/// The client, before it connects: it accepts every form with `{"name":"x"}`, every page, and samples a text.
pub(super) fn client(tell: Tell, list_on_change: Arc<AtomicBool>) -> Client {
    Client::new("everything-client", env!("CARGO_PKG_VERSION"))
        .on_elicit(|_| async {
            let mut content = Map::new();
            content.insert("name".to_owned(), "x".into());
            ElicitResult::accept(content)
        })
        .on_elicit_url(|_| async { ElicitResult::new(ElicitAction::Accept) })
        .on_sample(|_| async {
            let content = vec![Content::text("a sampled text")];
            Ok(CreateMessageResult::new("everything-model", content).with_stop_reason(StopReason::EndTurn))
        })
        .on_list_changed(move |changed| {
            let (tell, wanted) = (Arc::clone(&tell), list_on_change.load(Ordering::Relaxed));
            async move {
                if wanted && matches!(*changed, ListChanged::Tools) {
                    tell(line("list_changed", &all_tools(&changed.connection()).await));
                }
            }
        })
}
