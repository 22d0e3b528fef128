//! One request that stays open.

use std::time::Duration;

use mcp_client::{CallError, Change, Client, Connection, Era, SubscribeError, Subscription};
use serde_json::{Value, json};

use crate::peer::{Peer, connected};

pub(crate) fn meta_of(listen: &Value) -> Value {
    json!({ "io.modelcontextprotocol/subscriptionId": listen["id"] })
}

pub(crate) async fn acknowledge(server: &mut Peer, listen: &Value, honoured: &Value) {
    let params = json!({ "notifications": honoured, "_meta": meta_of(listen) });
    server.notify("notifications/subscriptions/acknowledged", &params).await;
}

/// Tells that a list has changed.
async fn list_changed(server: &mut Peer, listen: &Value, list: &str) {
    let method = format!("notifications/{list}/list_changed");
    server.notify(&method, &json!({ "_meta": meta_of(listen) })).await;
}

async fn updated(server: &mut Peer, listen: &Value, uri: &str) {
    let params = json!({ "uri": uri, "_meta": meta_of(listen) });
    server.notify("notifications/resources/updated", &params).await;
}

async fn server() -> (Connection, Peer) {
    let capabilities = json!({ "tools": {}, "prompts": {}, "resources": {} });
    connected(Client::new("test", "1"), Era::Modern, capabilities).await
}

/// A subscription to the tools and to a resource, which the server honours in full.
async fn subscribed(connection: &Connection, server: &mut Peer) -> (Subscription, Value) {
    let wanted = json!({ "toolsListChanged": true, "resourceSubscriptions": ["a:b"] });
    let subscribing = connection.subscribe().tools().resource("a:b").into_future();
    let (subscription, listen) = tokio::join!(subscribing, async {
        let listen = server.expect("subscriptions/listen").await;
        assert_eq!(listen["params"]["notifications"], wanted);
        acknowledge(server, &listen, &wanted).await;
        listen
    });
    (subscription.unwrap(), listen)
}

/// Waits until everything that was sent before has been looked at.
async fn settle(connection: &Connection, server: &mut Peer) {
    let (pong, ()) = tokio::join!(connection.ping(), async {
        let request = server.expect("server/discover").await;
        server.answer(&request, &json!({})).await;
    });
    pong.unwrap();
}

fn resource(uri: &str) -> Option<Change> {
    Some(Change::Resource { uri: uri.to_owned() })
}

#[tokio::test(start_paused = true)]
async fn changes_come_in_order_and_each_once() {
    let (connection, mut server) = server().await;
    let (mut changes, listen) = subscribed(&connection, &mut server).await;
    assert_eq!(changes.honoured().tools_list_changed, Some(true));
    assert_eq!(changes.honoured().prompts_list_changed, None);
    for _ in 0..100 {
        updated(&mut server, &listen, "a:b").await;
        list_changed(&mut server, &listen, "tools").await;
        list_changed(&mut server, &listen, "prompts").await;
    }
    settle(&connection, &mut server).await;
    assert_eq!(changes.next().await, resource("a:b"));
    assert_eq!(changes.next().await, Some(Change::Tools), "prompts were not asked for");
    list_changed(&mut server, &listen, "tools").await;
    assert_eq!(changes.next().await, Some(Change::Tools));
    assert!(tokio::time::timeout(Duration::from_secs(3_600), changes.next()).await.is_err(), "nothing limits it");
}

#[tokio::test(start_paused = true)]
async fn subscriptions_do_not_disturb_each_other() {
    let (connection, mut server) = server().await;
    let (mut first, one) = subscribed(&connection, &mut server).await;
    let (mut second, other) = subscribed(&connection, &mut server).await;
    assert_ne!(one["id"], other["id"]);
    updated(&mut server, &other, "a:b").await;
    list_changed(&mut server, &one, "tools").await;
    assert_eq!(first.next().await, Some(Change::Tools));
    assert_eq!(second.next().await, resource("a:b"));
    drop(first);
    assert_eq!(server.expect("notifications/cancelled").await["params"]["requestId"], one["id"]);
    list_changed(&mut server, &one, "tools").await;
    list_changed(&mut server, &other, "tools").await;
    assert_eq!(second.next().await, Some(Change::Tools));
}

#[tokio::test(start_paused = true)]
async fn what_the_server_leaves_out_is_seen() {
    let (connection, mut server) = server().await;
    let subscribing = connection.subscribe().tools().prompts().resource("a:b").into_future();
    let (changes, ()) = tokio::join!(subscribing, async {
        let listen = server.expect("subscriptions/listen").await;
        acknowledge(&mut server, &listen, &json!({ "promptsListChanged": true })).await;
    });
    let honoured = serde_json::to_value(changes.unwrap().honoured()).unwrap();
    assert_eq!(honoured, json!({ "promptsListChanged": true }));
    server.expect("notifications/cancelled").await;

    let (changes, ()) = tokio::join!(connection.subscribe().resources().into_future(), async {
        let listen = server.expect("subscriptions/listen").await;
        acknowledge(&mut server, &listen, &json!({})).await;
        assert_eq!(server.expect("notifications/cancelled").await["params"]["requestId"], listen["id"]);
    });
    assert!(matches!(changes, Err(SubscribeError::NotSupported)));
}

#[tokio::test(start_paused = true)]
async fn the_server_may_end_it() {
    let (connection, mut server) = server().await;
    let (mut changes, listen) = subscribed(&connection, &mut server).await;
    list_changed(&mut server, &listen, "tools").await;
    server.answer(&listen, &json!({ "_meta": meta_of(&listen) })).await;
    assert_eq!(changes.next().await, Some(Change::Tools), "what was told before is not lost");
    assert_eq!(changes.next().await, None);
    assert_eq!(changes.next().await, None);
    drop(changes);
    settle(&connection, &mut server).await;
}

#[tokio::test(start_paused = true)]
async fn what_does_not_begin_is_an_error() {
    let (connection, mut server) = server().await;
    assert!(matches!(connection.subscribe().await, Err(SubscribeError::Nothing)));

    let (changes, ()) = tokio::join!(connection.subscribe().tools().into_future(), async {
        let listen = server.expect("subscriptions/listen").await;
        server.refuse(&listen, -32601).await;
    });
    assert!(changes.unwrap_err().is_not_supported());

    let (changes, ()) = tokio::join!(connection.subscribe().tools().into_future(), async {
        let listen = server.expect("subscriptions/listen").await;
        server.answer(&listen, &json!({ "_meta": meta_of(&listen) })).await;
    });
    assert!(matches!(changes, Err(SubscribeError::Ended)));

    let error = connection.subscribe().tools().await.unwrap_err();
    assert!(matches!(&error, SubscribeError::Call(CallError::TimedOut { limit, .. }) if limit.as_secs() == 60));
    let listen = server.expect("subscriptions/listen").await;
    assert_eq!(server.expect("notifications/cancelled").await["params"]["requestId"], listen["id"]);

    connection.close().await;
    assert!(connection.subscribe().tools().await.unwrap_err().is_connection_closed());
}

#[tokio::test(start_paused = true)]
async fn a_server_that_tells_without_acknowledging_is_believed() {
    let (connection, mut server) = server().await;
    let (changes, ()) = tokio::join!(connection.subscribe().tools().into_future(), async {
        let listen = server.expect("subscriptions/listen").await;
        list_changed(&mut server, &listen, "tools").await;
    });
    let mut changes = changes.unwrap();
    assert_eq!(changes.honoured().tools_list_changed, Some(true));
    assert_eq!(changes.next().await, Some(Change::Tools));
}

#[tokio::test(start_paused = true)]
async fn an_acknowledgement_that_cannot_be_read_is_one_all_the_same() {
    let (connection, mut server) = server().await;
    let (changes, listen) = tokio::join!(connection.subscribe().tools().into_future(), async {
        let listen = server.expect("subscriptions/listen").await;
        acknowledge(&mut server, &listen, &json!(7)).await;
        listen
    });
    let mut changes = changes.unwrap();
    assert_eq!(changes.honoured().tools_list_changed, Some(true));
    list_changed(&mut server, &listen, "tools").await;
    assert_eq!(changes.next().await, Some(Change::Tools));
}

#[tokio::test(start_paused = true)]
async fn dropping_it_tells_the_server_also_before_it_has_begun() {
    let (connection, mut server) = server().await;
    let (changes, listen) = subscribed(&connection, &mut server).await;
    drop(changes);
    assert_eq!(server.expect("notifications/cancelled").await["params"]["requestId"], listen["id"]);

    let listen = tokio::select! {
        _ = connection.subscribe().tools().into_future() => unreachable!("nobody answers"),
        listen = server.expect("subscriptions/listen") => listen,
    };
    assert_eq!(server.expect("notifications/cancelled").await["params"]["requestId"], listen["id"]);
    settle(&connection, &mut server).await;
    assert_eq!(connection.meters().unwrap().pending_slots, 0);
}

#[tokio::test(start_paused = true)]
async fn it_ends_with_the_connection_and_does_not_keep_it_open() {
    let (connection, mut server) = server().await;
    let (mut changes, _) = subscribed(&connection, &mut server).await;
    drop(connection);
    assert_eq!(changes.next().await, None);
    server.expect("notifications/cancelled").await;
    assert_eq!(server.try_recv().await, None);

    let (connection, mut server) = crate::modern::server().await;
    let (mut changes, _) = subscribed(&connection, &mut server).await;
    server.die();
    assert_eq!(changes.next().await, None);
}
