//! Servers that are started again.

use std::time::Duration;

use mcp_client::{Change, Client, Connection, Era, Restart, Subscription};
use serde_json::{Value, json};

use crate::modern::{acknowledge, meta_of};
use crate::peer::{ERAS, Peer, restarting};

fn capabilities() -> Value {
    json!({ "tools": { "listChanged": true }, "resources": { "subscribe": true } })
}

async fn server(era: Era, times: usize) -> (Connection, Vec<Peer>) {
    restarting(Client::new("test", "1"), era, capabilities(), times, Restart::on_exit()).await
}

/// Takes the subscription of a client, as the server of an era does. The id of a listen, if it is one.
async fn take(server: &mut Peer, era: Era) -> Value {
    if era == Era::Modern {
        let listen = server.expect("subscriptions/listen").await;
        let wanted = json!({ "toolsListChanged": true, "resourceSubscriptions": ["a:b"] });
        acknowledge(server, &listen, &wanted).await;
        listen
    } else {
        let request = server.expect("resources/subscribe").await;
        server.answer(&request, &json!({})).await;
        request
    }
}

async fn subscribed(connection: &Connection, server: &mut Peer, era: Era) -> (Subscription, Value) {
    let subscribing = connection.subscribe().tools().resource("a:b").into_future();
    let (changes, listen) = tokio::join!(subscribing, take(server, era));
    (changes.unwrap(), listen)
}

#[tokio::test(start_paused = true)]
async fn a_restarted_server_is_subscribed_to_again() {
    for era in ERAS {
        let (connection, mut servers) = server(era, 2).await;
        let (mut changes, _) = subscribed(&connection, &mut servers[0], era).await;
        servers[0].die();
        servers[1].agree(&capabilities()).await;
        let listen = take(&mut servers[1], era).await;
        assert_eq!(changes.next().await, Some(Change::Restarted));
        let params = if era == Era::Modern { json!({ "_meta": meta_of(&listen) }) } else { json!({}) };
        servers[1].notify("notifications/tools/list_changed", &params).await;
        assert_eq!(changes.next().await, Some(Change::Tools));
    }
}

#[tokio::test(start_paused = true)]
async fn it_ends_when_the_server_is_not_restarted_any_more() {
    for era in ERAS {
        let (connection, mut servers) = server(era, 1).await;
        let (mut changes, _) = subscribed(&connection, &mut servers[0], era).await;
        servers[0].die();
        assert_eq!(changes.next().await, None);
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_ends_its_subscriptions_before_it_is_restarted_is_subscribed_to_again() {
    let (connection, mut servers) = server(Era::Modern, 2).await;
    let (mut changes, listen) = subscribed(&connection, &mut servers[0], Era::Modern).await;
    servers[0].answer(&listen, &json!({ "_meta": meta_of(&listen) })).await;
    tokio::time::advance(Duration::from_secs(20)).await;
    servers[0].die();
    servers[1].agree(&capabilities()).await;
    take(&mut servers[1], Era::Modern).await;
    assert_eq!(changes.next().await, Some(Change::Restarted));
}

#[tokio::test(start_paused = true)]
async fn a_server_that_ends_its_subscriptions_and_stays_has_ended_them() {
    let (connection, mut servers) = server(Era::Modern, 2).await;
    let (mut changes, listen) = subscribed(&connection, &mut servers[0], Era::Modern).await;
    servers[0].answer(&listen, &json!({ "_meta": meta_of(&listen) })).await;
    assert_eq!(changes.next().await, None);
    drop(connection);
    assert_eq!(servers[0].try_recv().await, None);
}

#[tokio::test(start_paused = true)]
async fn a_restarted_server_that_refuses_ends_it() {
    let (connection, mut servers) = server(Era::Modern, 2).await;
    let (mut changes, _) = subscribed(&connection, &mut servers[0], Era::Modern).await;
    servers[0].die();
    servers[1].agree(&capabilities()).await;
    let listen = servers[1].expect("subscriptions/listen").await;
    servers[1].refuse(&listen, -32601).await;
    assert_eq!(changes.next().await, None);
    drop(connection);
}

#[tokio::test(start_paused = true)]
async fn who_leaves_while_the_server_is_away_does_not_come_back() {
    for era in ERAS {
        let (connection, mut servers) = server(era, 2).await;
        let (changes, _) = subscribed(&connection, &mut servers[0], era).await;
        servers[0].die();
        drop(changes);
        servers[1].agree(&capabilities()).await;
        drop(connection);
        assert_eq!(servers[1].try_recv().await, None);
    }
}

#[tokio::test(start_paused = true)]
async fn who_subscribes_while_the_server_is_away_waits_for_it() {
    for era in ERAS {
        let (connection, mut servers) = server(era, 2).await;
        servers[0].die();
        let subscribing = connection.subscribe().tools().resource("a:b").into_future();
        let (changes, _) = tokio::join!(subscribing, async {
            servers[1].agree(&capabilities()).await;
            take(&mut servers[1], era).await
        });
        let mut changes = changes.unwrap();
        let nothing = tokio::time::timeout(Duration::from_secs(60), changes.next()).await;
        assert!(nothing.is_err(), "it was not there before the restart");
    }
}
