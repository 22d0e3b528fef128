//! Subscriptions beside callbacks for the same notifications.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_client::{Change, Client};
use mcp_session::limits::Limits;
use serde_json::json;

use crate::peer::{ERAS, connected};

#[tokio::test(start_paused = true)]
async fn c38_a_callback_that_never_ends_holds_up_no_subscription() {
    let begun = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&begun);
    let client = Client::new("test", "1").on_notification(move |_| {
        seen.fetch_add(1, Ordering::Relaxed);
        pending()
    });
    let (connection, mut server) = connected(client, ERAS[0], json!({ "tools": { "listChanged": true } })).await;
    let mut changes = connection.subscribe().tools().await.unwrap();
    for _ in 0..3 {
        server.notify("notifications/tools/list_changed", &json!({})).await;
        assert_eq!(changes.next().await, Some(Change::Tools));
    }
    assert_eq!(begun.load(Ordering::Relaxed), 1);
}

#[tokio::test(start_paused = true)]
async fn a_change_is_not_among_the_notifications_that_are_dropped() {
    let client = Client::new("test", "1").on_notification(|_| pending());
    let (connection, mut server) = connected(client, ERAS[0], json!({ "prompts": { "listChanged": true } })).await;
    let mut changes = connection.subscribe().prompts().await.unwrap();
    server.notify("notifications/prompts/list_changed", &json!({})).await;
    for _ in 0..Limits::default().inbox + 2 {
        server.notify("notifications/message", &json!({ "level": "info", "data": "hello" })).await;
    }
    // All of that has arrived once this is answered.
    let (pinged, ()) = tokio::join!(connection.ping(), async {
        let ping = server.expect("ping").await;
        server.answer(&ping, &json!({})).await;
    });
    pinged.unwrap();
    assert_eq!(changes.next().await, Some(Change::Prompts));
    let report = connection.close().await;
    assert!(report.tally.dropped_total() > 0, "more waited than may");
}
