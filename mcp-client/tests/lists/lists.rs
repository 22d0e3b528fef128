//! Lists over pages.

use std::future::poll_fn;
use std::pin::Pin;
use std::time::Duration;

use futures_core::Stream;
use mcp_client::{CallError, Client, ListError};
use serde_json::json;

use crate::peer::{ERAS, connected};

fn client() -> Client {
    Client::new("test", "1")
}

#[tokio::test(start_paused = true)]
async fn a_list_is_read_over_its_pages() {
    for era in ERAS {
        let (connection, mut server) = connected(client(), era, json!({ "tools": {} })).await;
        let (listing, ()) = tokio::join!(connection.tools().all(), async {
            let first = server.expect("tools/list").await;
            assert!(first["params"].get("cursor").is_none());
            let good = |name: &str| json!({ "name": name, "inputSchema": { "type": "object" } });
            let bad = json!({ "name": "bad", "inputSchema": null });
            server.answer(&first, &json!({ "tools": [good("a"), bad], "nextCursor": "" })).await;
            let second = server.expect("tools/list").await;
            assert_eq!(second["params"]["cursor"], "");
            server.answer(&second, &json!({ "tools": [good("b")] })).await;
        });
        let listing = listing.unwrap();
        assert_eq!(listing.items.iter().map(|tool| &*tool.name).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(listing.bad[0].name.as_deref(), Some("bad"));
    }
}

#[tokio::test(start_paused = true)]
async fn what_the_server_does_not_offer_is_not_asked_for() {
    for era in ERAS {
        let (connection, mut server) = connected(client(), era, json!({ "tools": {} })).await;
        let error = connection.prompts().all().await.unwrap_err();
        assert!(matches!(error, ListError::NotSupported { method: "prompts/list" }), "{error}");
        assert!(connection.resource_templates().next().await.unwrap().unwrap_err().is_not_supported());
        assert!(connection.resources().or_empty().all().await.unwrap().items.is_empty());
        drop(connection);
        assert_eq!(server.try_recv().await, None, "nothing was sent");
    }
}

#[tokio::test(start_paused = true)]
async fn each_list_has_its_method_and_its_member() {
    let capabilities = json!({ "tools": {}, "prompts": {}, "resources": {} });
    for era in ERAS {
        let (connection, mut server) = connected(client(), era, capabilities.clone()).await;
        let mut answer = async |method: &str, result| {
            let request = server.expect(method).await;
            server.answer(&request, &result).await;
        };
        let prompts = json!({ "prompts": [{ "name": "p" }] });
        let (listed, ()) = tokio::join!(connection.prompts().all(), answer("prompts/list", prompts));
        assert_eq!(listed.unwrap().items[0].name, "p");
        let resources = json!({ "resources": [{ "name": "r", "uri": "a:b" }] });
        let (listed, ()) = tokio::join!(connection.resources().all(), answer("resources/list", resources));
        assert_eq!(listed.unwrap().items[0].uri, "a:b");
        let templates = json!({ "resourceTemplates": [{ "name": "t", "uriTemplate": "a:{b}" }] });
        let listing = connection.resource_templates().all();
        let (listed, ()) = tokio::join!(listing, answer("resources/templates/list", templates));
        assert_eq!(listed.unwrap().items[0].uri_template, "a:{b}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_list_that_is_dropped_cancels_its_page() {
    for era in ERAS {
        let (connection, mut server) = connected(client(), era, json!({ "tools": {} })).await;
        let mut tools = connection.tools();
        let request = tokio::select! {
            _ = tools.next() => unreachable!("nobody answers"),
            request = server.expect("tools/list") => request,
        };
        drop(tools);
        let cancel = server.expect("notifications/cancelled").await;
        assert_eq!(cancel["params"]["requestId"], request["id"]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_list_fails_as_its_calls_do_and_does_not_keep_the_connection_open() {
    for era in ERAS {
        let (connection, mut server) = connected(client(), era, json!({ "tools": {} })).await;
        let error = connection.tools().timeout(Duration::from_secs(1)).all().await.unwrap_err();
        assert!(error.is_timeout(), "{error}");
        assert!(matches!(error, ListError::Call(CallError::TimedOut { limit, .. }) if limit.as_secs() == 1));
        server.expect("tools/list").await;
        server.expect("notifications/cancelled").await;
        let tools = connection.tools();
        drop(connection);
        assert_eq!(server.try_recv().await, None);
        assert!(tools.all().await.unwrap_err().is_connection_closed());
    }
}

#[tokio::test(start_paused = true)]
async fn a_list_is_a_stream_that_may_move_between_threads() {
    fn may_move<T: Send>(value: T) -> T {
        value
    }
    let (connection, mut server) = connected(client(), ERAS[0], json!({ "tools": {} })).await;
    let mut tools = may_move(connection.tools());
    drop(may_move(connection.tools().all()));
    let first = poll_fn(|cx| Pin::new(&mut tools).poll_next(cx));
    let (first, ()) = tokio::join!(first, async {
        let request = server.expect("tools/list").await;
        server.answer(&request, &json!({ "tools": [{ "name": "a", "inputSchema": {} }] })).await;
    });
    assert_eq!(first.unwrap().unwrap().name, "a");
    assert!(poll_fn(|cx| Pin::new(&mut tools).poll_next(cx)).await.is_none());
}

#[tokio::test(start_paused = true)]
async fn lists_that_are_read_when_the_client_closes_leave_nothing_behind() {
    for era in ERAS {
        let (connection, mut server) = connected(client(), era, json!({ "tools": {} })).await;
        let lists: Vec<_> = (0..8).map(|_| tokio::spawn(connection.tools().all())).collect();
        let first = server.expect("tools/list").await;
        server.answer(&first, &json!({ "tools": [], "nextCursor": "1" })).await;
        for _ in 0..8 {
            server.expect("tools/list").await;
        }
        let report = connection.close().await;
        assert_eq!((report.tasks_alive, report.pending_slots), (0, 0));
        for list in lists {
            assert!(list.await.unwrap().unwrap_err().is_connection_closed());
        }
        drop(connection);
        for _ in 0..8 {
            server.expect("notifications/cancelled").await;
        }
        assert_eq!(server.try_recv().await, None);
        // The tests run no task but those of the connection.
        while tokio::runtime::Handle::current().metrics().num_alive_tasks() > 0 {
            tokio::task::yield_now().await;
        }
    }
}
