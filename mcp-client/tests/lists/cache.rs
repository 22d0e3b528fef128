//! Lists that the server said may be kept.

use std::time::Duration;

use mcp_client::{Client, Connection, Era, Restart};
use serde_json::{Value, json};

use crate::peer::{ERAS, Peer, connected, restarting};

const FULL: Duration = Duration::from_secs(60);

fn page(name: &str) -> Value {
    json!({ "tools": [{ "name": name, "inputSchema": {} }], "ttlMs": 60_000, "cacheScope": "public" })
}

async fn name_of_first(connection: &Connection) -> String {
    connection.tools().all().await.unwrap().items[0].name.clone()
}

/// The name of the first tool, as the server tells it now.
async fn asked(connection: &Connection, server: &mut Peer, name: &str) -> String {
    let (listed, ()) = tokio::join!(name_of_first(connection), async {
        let request = server.expect("tools/list").await;
        server.answer(&request, &page(name)).await;
    });
    listed
}

#[tokio::test(start_paused = true)]
async fn a_list_of_a_modern_server_is_kept_for_as_long_as_it_says() {
    let (connection, mut server) = connected(Client::new("test", "1"), Era::Modern, json!({ "tools": {} })).await;
    assert_eq!(asked(&connection, &mut server, "a").await, "a");
    assert_eq!(name_of_first(&connection).await, "a", "nobody answered");
    assert_eq!(name_of_first(&connection.clone()).await, "a", "all handles see the same");
    tokio::time::advance(FULL).await;
    assert_eq!(asked(&connection, &mut server, "b").await, "b");
}

#[tokio::test(start_paused = true)]
async fn a_change_of_the_list_makes_it_stale() {
    let capabilities = json!({ "tools": { "listChanged": true } });
    let (connection, mut server) = connected(Client::new("test", "1"), Era::Modern, capabilities).await;
    let (changes, listen) = tokio::join!(connection.subscribe().tools().into_future(), async {
        let listen = server.expect("subscriptions/listen").await;
        let meta = json!({ "io.modelcontextprotocol/subscriptionId": listen["id"] });
        let params = json!({ "notifications": { "toolsListChanged": true }, "_meta": meta });
        server.notify("notifications/subscriptions/acknowledged", &params).await;
        listen
    });
    let mut changes = changes.unwrap();
    assert_eq!(asked(&connection, &mut server, "a").await, "a");
    assert_eq!(name_of_first(&connection).await, "a");
    let meta = json!({ "io.modelcontextprotocol/subscriptionId": listen["id"] });
    server.notify("notifications/tools/list_changed", &json!({ "_meta": meta })).await;
    changes.next().await.unwrap();
    assert_eq!(asked(&connection, &mut server, "b").await, "b");
}

#[tokio::test(start_paused = true)]
async fn nothing_is_kept_of_a_legacy_server_or_where_that_is_not_wanted() {
    let [legacy, modern] = ERAS;
    for (client, era) in [(Client::new("test", "1"), legacy), (Client::new("test", "1").without_cache(), modern)] {
        let (connection, mut server) = connected(client, era, json!({ "tools": {} })).await;
        assert_eq!(asked(&connection, &mut server, "a").await, "a");
        assert_eq!(asked(&connection, &mut server, "b").await, "b");
    }
}

#[tokio::test(start_paused = true)]
async fn a_restarted_server_is_asked_anew() {
    let capabilities = json!({ "tools": {} });
    let client = Client::new("test", "1");
    let (connection, mut servers) = restarting(client, Era::Modern, capabilities.clone(), 2, Restart::on_exit()).await;
    assert_eq!(asked(&connection, &mut servers[0], "a").await, "a");
    assert_eq!(name_of_first(&connection).await, "a");
    servers[0].die();
    tokio::join!(connection.restarted(1), servers[1].agree(&capabilities));
    assert_eq!(asked(&connection, &mut servers[1], "b").await, "b");
}
