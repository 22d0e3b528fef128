//! Subscriptions to a server that is built with the other half of this project.

use std::collections::BTreeSet;

use mcp_client::{Change, Client};
use mcp_server::Server;
use mcp_session::transports::memory;

use crate::peer::ERAS;

#[tokio::test(start_paused = true)]
async fn changes_of_the_tools_of_a_server_are_told_in_both_eras() {
    for era in ERAS {
        let (ours, theirs) = memory::bytes();
        let server = Server::new("s", "1").tool("a", "Does a.", async || "a").tool("b", "Does b.", async || "b");
        let tools = server.tools();
        let running = tokio::spawn(server.serve(theirs));
        let connection = Client::new("test", "1").with_era(era).connect(ours).await.unwrap();
        let mut one = connection.subscribe().tools().await.unwrap();
        let mut other = connection.subscribe().tools().prompts().await.unwrap();
        assert_eq!(other.honoured().prompts_list_changed, None, "the server has none");
        tools.remove("a");
        assert_eq!(one.next().await, Some(Change::Tools));
        assert_eq!(other.next().await, Some(Change::Tools));
        drop(one);
        tools.remove("b");
        assert_eq!(other.next().await, Some(Change::Tools));
        connection.close().await;
        assert_eq!(other.next().await, None);
        running.await.unwrap().unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn changes_of_resources_of_a_server_are_told_in_both_eras() {
    for era in ERAS {
        let (ours, theirs) = memory::bytes();
        let server = Server::new("s", "1").resource("a:1", "one", async || "1").resource("a:2", "two", async || "2");
        let resources = server.resources();
        let running = tokio::spawn(server.serve(theirs));
        let connection = Client::new("test", "1").with_era(era).connect(ours).await.unwrap();
        let mut one = connection.subscribe().resource("a:1").await.unwrap();
        let mut both = connection.subscribe().resource("a:1").resource("a:2").resources().await.unwrap();
        let honoured = both.honoured();
        assert_eq!(honoured.resource_subscriptions.map(|uris| uris.len()), Some(2));
        assert_eq!(honoured.resources_list_changed, Some(true));
        resources.updated("a:2");
        resources.updated("a:1");
        let changed = |uri: &str| Some(Change::Resource { uri: uri.to_owned() });
        assert_eq!(one.next().await, changed("a:1"));
        let told = BTreeSet::from([both.next().await, both.next().await]);
        assert_eq!(told, BTreeSet::from([changed("a:1"), changed("a:2")]));
        drop(one);
        resources.remove("a:2");
        assert_eq!(both.next().await, Some(Change::Resources));
        resources.updated("a:1");
        assert_eq!(both.next().await, changed("a:1"), "who is left is still told");
        connection.close().await;
        running.await.unwrap().unwrap();
    }
}
