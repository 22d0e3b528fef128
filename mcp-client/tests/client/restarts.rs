//! A server that ends is started again, where the way to it says so.

use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_client::{Connect, Connection, ConnectionState, Era, Restart};
use mcp_session::transports::memory::{self, End, RawEnd};
use serde_json::json;
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::support::{LEGACY, NO_CONTENT, Server, client};

/// A server that can be started as often as there are ends for it.
struct Restarting {
    restart: Restart,
    started: mpsc::UnboundedSender<RawEnd>,
    /// How the next attempts fail.
    failures: u32,
    opened: u32,
}

impl Connect for Restarting {
    type Transport = End;

    async fn open(&mut self) -> io::Result<End> {
        self.opened += 1;
        if self.opened > 1 && self.failures > 0 {
            self.failures -= 1;
            return Err(io::ErrorKind::NotFound.into());
        }
        let (end, server) = memory::raw();
        drop(self.started.send(server));
        Ok(end)
    }

    fn can_reopen(&self) -> bool {
        true
    }

    fn restart(&self) -> Restart {
        self.restart
    }
}

struct Servers(mpsc::UnboundedReceiver<RawEnd>);

impl Servers {
    async fn next(&mut self) -> Server {
        Server(self.0.recv().await.unwrap())
    }
}

fn restart() -> Restart {
    Restart::on_exit().max(3).backoff(Duration::from_secs(1), Duration::from_secs(10))
}

async fn connected(restart: Restart, failures: u32) -> (Connection, Server, Servers) {
    let (started, servers) = mpsc::unbounded_channel();
    let mut servers = Servers(servers);
    let way = Restarting { restart, started, failures, opened: 0 };
    let connecting = tokio::spawn(async move { client().with_era(LEGACY).connect(way).await });
    let mut server = servers.next().await;
    server.initialize().await;
    (connecting.await.unwrap().unwrap(), server, servers)
}

#[tokio::test(start_paused = true)]
async fn pending_calls_fail_and_later_ones_wait_for_the_new_server() {
    let (connection, mut server, mut servers) = connected(restart(), 0).await;
    let pending = tokio::spawn(connection.call_tool("a", &()));
    server.asked("tools/call").await;
    drop(server);
    assert!(pending.await.unwrap().unwrap_err().is_connection_closed());
    // Whether the end was noticed everywhere or not, what is called now was not sent and waits.
    let calls = [connection.call_tool("b", &()), connection.call_tool("c", &())].map(tokio::spawn);
    let mut server = servers.next().await;
    server.initialize().await;
    for _ in 0..2 {
        let request = server.asked("tools/call").await;
        server.answer(&request, NO_CONTENT).await;
    }
    for call in calls {
        call.await.unwrap().unwrap();
    }
    assert_eq!((connection.restarts(), connection.state()), (1, ConnectionState::Open));
    connection.close().await;
    server.ended().await;
    assert!(servers.0.recv().await.is_none(), "nothing is started any more");
}

#[tokio::test(start_paused = true)]
async fn a_call_waits_no_longer_than_it_may_be_silent() {
    let (connection, server, _servers) = connected(restart(), 0).await;
    drop(server);
    let pending = connection.call_tool("a", &()).await.unwrap_err();
    assert!(pending.is_connection_closed(), "{pending}");
    let began = Instant::now();
    let error = connection.call_tool("a", &()).timeout(Duration::from_millis(300)).await.unwrap_err();
    assert!(error.is_timeout() && began.elapsed() < Duration::from_secs(1), "{error}");
    let error = connection.call_tool("a", &()).timeout(None).max_time(Duration::from_millis(300)).await.unwrap_err();
    assert!(error.is_timeout(), "{error}");
    assert_eq!(connection.state(), ConnectionState::Restarting);
}

#[tokio::test(start_paused = true)]
async fn it_is_tried_so_often_with_longer_and_longer_pauses() {
    let (connection, server, _servers) = connected(restart(), 9).await;
    let began = Instant::now();
    drop(server);
    let waiting = tokio::spawn(connection.call_tool("a", &()));
    connection.closed().await;
    assert_eq!(began.elapsed().as_secs(), 1 + 2 + 4);
    assert!(waiting.await.unwrap().unwrap_err().is_connection_closed());
    assert!(connection.call_tool("b", &()).await.unwrap_err().is_connection_closed());
    assert_eq!((connection.restarts(), connection.state()), (0, ConnectionState::Closed));
}

#[tokio::test(start_paused = true)]
async fn a_server_that_dies_again_and_again_is_given_up() {
    let (connection, mut server, mut servers) = connected(restart(), 0).await;
    for _ in 0..3 {
        drop(server);
        server = servers.next().await;
        server.initialize().await;
    }
    connection.restarted(3).await;
    drop(server);
    connection.closed().await;
    assert_eq!(connection.restarts(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_ran_for_long_has_a_clean_record() {
    let (connection, mut server, mut servers) = connected(restart().max(1), 0).await;
    for times in 1..=4 {
        tokio::time::advance(Duration::from_secs(11)).await;
        drop(server);
        server = servers.next().await;
        server.initialize().await;
        connection.restarted(times).await;
    }
    assert_eq!(connection.state(), ConnectionState::Open);
}

#[tokio::test(start_paused = true)]
async fn closing_while_it_is_away_or_comes_back_opens_nothing() {
    let (connection, server, mut servers) = connected(restart(), 0).await;
    drop(server);
    let waiting = tokio::spawn(connection.call_tool("a", &()));
    // It waits for the first attempt.
    tokio::time::advance(Duration::from_millis(500)).await;
    connection.close().await;
    assert!(waiting.await.unwrap().unwrap_err().is_connection_closed());
    assert!(servers.0.recv().await.is_none());

    let (connection, server, mut servers) = connected(restart(), 0).await;
    drop(server);
    let mut server = servers.next().await;
    server.asked("initialize").await;
    connection.close().await;
    server.ended().await;
    assert!(servers.0.recv().await.is_none());

    let (connection, server, mut servers) = connected(restart(), 0).await;
    drop(server);
    drop(connection);
    assert!(servers.0.recv().await.is_none(), "nobody is left to restart it for");
}

#[tokio::test(start_paused = true)]
async fn a_restarted_server_is_spoken_to_as_the_one_before() {
    let (started, servers) = mpsc::unbounded_channel();
    let mut servers = Servers(servers);
    let way = Restarting { restart: restart(), started, failures: 0, opened: 0 };
    let told = Arc::new(Mutex::new(Vec::new()));
    let client = client().with_era(Era::Detect).on_restart({
        let told = Arc::clone(&told);
        move |connection| told.lock().unwrap().push(connection.restarts())
    });
    let connecting = tokio::spawn(async move { client.connect(way).await });
    let mut server = servers.next().await;
    let probe = server.asked("server/discover").await;
    server.refuse(&probe, json!({ "code": -32601, "message": "Method not found" })).await;
    server.initialize().await;
    let connection = connecting.await.unwrap().unwrap();
    drop(server);
    let mut server = servers.next().await;
    server.initialize().await;
    connection.restarted(1).await;
    let (pong, ()) = tokio::join!(connection.ping(), async {
        let ping = server.asked("ping").await;
        server.answer(&ping, "{}").await;
    });
    pong.unwrap();
    assert_eq!(*told.lock().unwrap(), [1]);
}
