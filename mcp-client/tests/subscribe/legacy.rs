//! Resources that are subscribed to one by one, and lists of which the connection is told.

use std::future::poll_fn;
use std::pin::Pin;

use futures_core::Stream;
use mcp_client::{CallError, Change, Client, Connection, Subscribe, SubscribeError, Subscription};
use serde_json::{Value, json};

use crate::peer::{ERAS, Peer, connected};

async fn server(capabilities: Value) -> (Connection, Peer) {
    connected(Client::new("test", "1"), ERAS[0], capabilities).await
}

fn everything() -> Value {
    let changing = json!({ "listChanged": true });
    json!({ "tools": changing, "prompts": changing, "resources": { "listChanged": true, "subscribe": true } })
}

/// Subscribes to so many resources, all of which the server takes.
async fn subscribed(subscribe: Subscribe, server: &mut Peer, resources: usize) -> Subscription {
    let (subscription, ()) = tokio::join!(subscribe.into_future(), async {
        for _ in 0..resources {
            let request = server.expect("resources/subscribe").await;
            server.answer(&request, &json!({})).await;
        }
    });
    subscription.unwrap()
}

async fn updated(server: &mut Peer, uri: &str) {
    server.notify("notifications/resources/updated", &json!({ "uri": uri })).await;
}

fn resource(uri: &str) -> Option<Change> {
    Some(Change::Resource { uri: uri.to_owned() })
}

#[tokio::test(start_paused = true)]
async fn what_the_connection_is_told_is_shared_out() {
    let (connection, mut server) = server(everything()).await;
    let mut lists = subscribed(connection.subscribe().tools().prompts().resources(), &mut server, 0).await;
    let mut one = subscribed(connection.subscribe().tools().resource("a:1"), &mut server, 1).await;
    let mut two = subscribed(connection.subscribe().resource("a:2"), &mut server, 1).await;
    for list in ["tools", "resources", "prompts", "tools"] {
        server.notify(&format!("notifications/{list}/list_changed"), &json!({})).await;
    }
    updated(&mut server, "a:2").await;
    updated(&mut server, "a:1/part").await;
    updated(&mut server, "b:3").await;
    for change in [Change::Tools, Change::Resources, Change::Prompts] {
        assert_eq!(lists.next().await, Some(change));
    }
    assert_eq!(one.next().await, Some(Change::Tools));
    assert_eq!(one.next().await, resource("a:1/part"), "a part of it");
    assert_eq!(one.next().await, resource("b:3"), "what nobody has named is told to all who named one");
    assert_eq!(two.next().await, resource("a:2"));
    assert_eq!(two.next().await, resource("b:3"));
}

#[tokio::test(start_paused = true)]
async fn what_the_server_cannot_tell_is_not_asked_for() {
    let (connection, mut server) = server(json!({ "tools": { "listChanged": true }, "resources": {} })).await;
    let changes = subscribed(connection.subscribe().tools().prompts().resource("a:b"), &mut server, 0).await;
    let honoured = serde_json::to_value(changes.honoured()).unwrap();
    assert_eq!(honoured, json!({ "toolsListChanged": true }));
    let error = connection.subscribe().prompts().resources().resource("a:b").await.unwrap_err();
    assert!(matches!(error, SubscribeError::NotSupported) && error.is_not_supported());
    drop((connection, changes));
    assert_eq!(server.try_recv().await, None, "nothing was sent");
}

#[tokio::test(start_paused = true)]
async fn a_resource_that_is_refused_is_left_out() {
    let (connection, mut server) = server(everything()).await;
    let subscribing = connection.subscribe().resource("a:1").resource("a:2").into_future();
    let (changes, ()) = tokio::join!(subscribing, async {
        let first = server.expect("resources/subscribe").await;
        let second = server.expect("resources/subscribe").await;
        assert_eq!((&first["params"]["uri"], &second["params"]["uri"]), (&json!("a:1"), &json!("a:2")));
        server.answer(&second, &json!({})).await;
        server.refuse(&first, -32002).await;
    });
    let changes = changes.unwrap();
    assert_eq!(changes.honoured().resource_subscriptions, Some(vec!["a:2".to_owned()]));
    drop(changes);
    assert_eq!(server.expect("resources/unsubscribe").await["params"]["uri"], "a:2");

    let (changes, ()) = tokio::join!(connection.subscribe().resource("a:1").into_future(), async {
        let request = server.expect("resources/subscribe").await;
        server.refuse(&request, -32002).await;
    });
    assert!(matches!(changes, Err(SubscribeError::Call(CallError::Peer { error, .. })) if error.code.0 == -32002));
}

#[tokio::test(start_paused = true)]
async fn the_last_to_leave_unsubscribes() {
    let (connection, mut server) = server(everything()).await;
    let one = subscribed(connection.subscribe().resource("a:1"), &mut server, 1).await;
    let both = subscribed(connection.subscribe().resource("a:1").resource("a:2"), &mut server, 2).await;
    drop(both);
    let request = server.expect("resources/unsubscribe").await;
    assert_eq!(request["params"]["uri"], "a:2");
    server.answer(&request, &json!({})).await;
    drop(one);
    let request = server.expect("resources/unsubscribe").await;
    assert_eq!(request["params"]["uri"], "a:1");
    server.answer(&request, &json!({})).await;
}

#[tokio::test(start_paused = true)]
async fn who_subscribes_while_another_one_leaves_is_subscribed_in_the_end() {
    let (connection, mut server) = server(everything()).await;
    let one = subscribed(connection.subscribe().resource("a:1"), &mut server, 1).await;
    drop(one);
    let leaving = server.expect("resources/unsubscribe").await;
    let mut other = subscribed(connection.subscribe().resource("a:1"), &mut server, 1).await;
    server.answer(&leaving, &json!({})).await;
    let again = server.expect("resources/subscribe").await;
    assert_eq!(again["params"]["uri"], "a:1");
    server.answer(&again, &json!({})).await;
    assert_eq!(other.next().await, resource("a:1"), "it may have changed in between");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_does_not_answer_is_left() {
    let (connection, mut server) = server(everything()).await;
    let error = connection.subscribe().resource("a:1").await.unwrap_err();
    assert!(error.is_timeout(), "{error}");
    server.expect("resources/subscribe").await;
    server.expect("notifications/cancelled").await;
    assert_eq!(server.expect("resources/unsubscribe").await["params"]["uri"], "a:1", "it may have been taken");

    let request = tokio::select! {
        _ = connection.subscribe().resource("a:2").into_future() => unreachable!("nobody answers"),
        request = server.expect("resources/subscribe") => request,
    };
    assert_eq!(server.expect("notifications/cancelled").await["params"]["requestId"], request["id"]);
    assert_eq!(server.expect("resources/unsubscribe").await["params"]["uri"], "a:2");
}

#[tokio::test(start_paused = true)]
async fn it_ends_with_the_connection() {
    let (connection, mut server) = server(everything()).await;
    let mut changes = subscribed(connection.subscribe().resource("a:1"), &mut server, 1).await;
    updated(&mut server, "a:1").await;
    assert_eq!(changes.next().await, resource("a:1"));
    drop(connection);
    assert_eq!(changes.next().await, None);
    drop(changes);
    assert_eq!(server.try_recv().await, None);
}

#[tokio::test(start_paused = true)]
async fn it_is_a_stream_that_may_move_between_threads() {
    fn may_move<T: Send + Sync>(value: T) -> T {
        value
    }
    let (connection, mut server) = server(everything()).await;
    let mut changes = may_move(subscribed(connection.subscribe().tools(), &mut server, 0).await);
    server.notify("notifications/tools/list_changed", &json!({})).await;
    let next = poll_fn(|cx| Pin::new(&mut changes).poll_next(cx)).await;
    assert_eq!(next, Some(Change::Tools));
    connection.close().await;
    assert_eq!(poll_fn(|cx| Pin::new(&mut changes).poll_next(cx)).await, None);
}
