//! Callbacks that call the server, take their time, or never end.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_client::Era;
use mcp_types::elicitation::ElicitResult;
use mcp_types::logging::LoggingLevel;
use mcp_types::roots::Root;
use mcp_types::sampling::CreateMessageResult;
use mcp_types::{Content, Object};
use serde_json::json;
use tokio::sync::Notify;

use crate::support::{ERAS, client, connected, server, text, text_of, within};

fn named(name: &str) -> ElicitResult {
    ElicitResult::accept(Object::from_iter([("name".to_owned(), json!(name))]))
}

#[tokio::test]
async fn a_callback_may_call_the_server_that_waits_for_it() {
    for era in ERAS {
        let client = client(era)
            .on_elicit(|form| async move {
                // That is asked for while this is: what is called asks in its turn.
                let roots = text(&form.connection(), "roots", &json!({})).await;
                named(&text(&form.connection(), "echo", &json!({ "text": roots })).await)
            })
            .on_sample(|asked| async move {
                let twice = text(&asked.connection(), "ask_twice", &json!({})).await;
                Ok(CreateMessageResult::new("m", vec![Content::text(twice)]))
            })
            .with_roots([Root::new("file:///a")]);
        let (connection, _process) = connected(&client, server()).await;
        assert_eq!(text(&connection, "ask", &json!({})).await, "action=accept", "{era:?}");
        assert_eq!(text(&connection, "ask_twice", &json!({})).await, "file:///a and file:///a", "{era:?}");
        assert_eq!(text(&connection, "sample", &json!({})).await, "file:///a and file:///a", "{era:?}");
        assert_eq!(connection.meters().unwrap().pending_slots, 0);
        within(connection.close()).await;
    }
}

#[tokio::test]
async fn a_slow_callback_holds_up_neither_calls_nor_their_progress() {
    for era in ERAS {
        let (asked, answer) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let (tells, waits) = (Arc::clone(&asked), Arc::clone(&answer));
        let client = client(era).on_elicit(move |_| {
            let (tells, waits) = (Arc::clone(&tells), Arc::clone(&waits));
            async move {
                tells.notify_one();
                waits.notified().await;
                named("Ada")
            }
        });
        let (connection, _process) = connected(&client, server()).await;
        let asks = tokio::spawn(connection.call_tool("ask", &()).into_future());
        within(asked.notified()).await;
        assert_eq!(progress_of(&connection, 3).await, [1.0, 2.0, 3.0], "{era:?}");
        assert!(!asks.is_finished());
        answer.notify_one();
        assert_eq!(text_of(&within(asks).await.unwrap().unwrap()), "action=accept");
        within(connection.close()).await;
    }
}

#[tokio::test]
async fn a_callback_for_log_messages_that_never_ends_holds_up_nothing() {
    for era in ERAS {
        let begun = Arc::new(AtomicUsize::new(0));
        let seen = Arc::clone(&begun);
        let client = client(era).with_log_level(LoggingLevel::Debug).on_log(move |_| {
            seen.fetch_add(1, Ordering::Relaxed);
            pending()
        });
        let (connection, _process) = connected(&client, server()).await;
        for text in ["one", "two"] {
            within(connection.call_tool("log", &json!({ "level": "error", "text": text }))).await.unwrap();
        }
        assert_eq!(progress_of(&connection, 2).await, [1.0, 2.0], "{era:?}");
        assert_eq!(begun.load(Ordering::Relaxed), 1, "{era:?}");
        within(connection.close()).await;
    }
}

#[tokio::test]
async fn a_callback_that_never_ends_holds_up_no_subscription() {
    for era in [Era::Detect, ERAS[0], ERAS[1]] {
        let client = client(era)
            .with_log_level(LoggingLevel::Debug)
            .on_log(|_| pending())
            .on_list_changed(|_| pending())
            .on_notification(|_| pending());
        let (connection, _process) = connected(&client, server()).await;
        within(connection.call_tool("log", &json!({ "level": "error", "text": "first" }))).await.unwrap();
        let mut changes = within(connection.subscribe().tools().into_future()).await.unwrap();
        for done in ["added", "removed", "added"] {
            assert_eq!(text(&connection, "toggle", &json!({})).await, done);
            assert_eq!(within(changes.next()).await, Some(mcp_client::Change::Tools), "{era:?}");
        }
        within(connection.close()).await;
        assert_eq!(within(changes.next()).await, None);
    }
}

/// The steps that a call told while it ran.
async fn progress_of(connection: &mcp_client::Connection, steps: u32) -> Vec<f64> {
    let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
    let call = connection
        .call_tool("progress", &json!({ "steps": steps }))
        .on_progress(move |progress| tell.send(progress.progress).unwrap_or_default());
    within(call).await.unwrap();
    let mut seen = Vec::new();
    while let Some(step) = told.recv().await {
        seen.push(step);
    }
    seen
}
