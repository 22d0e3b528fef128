//! A server that a test plays by hand.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_client::{Client, Connect, Connection, Era, Restart};
use mcp_session::transports::memory::{self, End, RawEnd};
use mcp_types::Version;
use serde_json::{Value, json};

pub(crate) const ERAS: [Era; 2] = [Era::Legacy(Version::LATEST_LEGACY), Era::Modern];

/// The other side of a connection.
#[derive(Debug)]
pub(crate) struct Peer {
    wire: RawEnd,
    era: Era,
}

/// The ways to a server that is started again and again, by a test.
#[derive(Debug)]
pub(crate) struct Ways {
    ends: Arc<Mutex<VecDeque<End>>>,
    restart: Restart,
}

impl Connect for Ways {
    type Transport = End;

    async fn open(&mut self) -> io::Result<End> {
        self.ends.lock().unwrap().pop_front().ok_or_else(|| io::ErrorKind::NotConnected.into())
    }

    fn can_reopen(&self) -> bool {
        true
    }

    fn restart(&self) -> Restart {
        self.restart
    }
}

/// A connection to a server of this era that says it can do this.
pub(crate) async fn connected(client: Client, era: Era, capabilities: Value) -> (Connection, Peer) {
    let (connection, mut peers) = restarting(client, era, capabilities, 1, Restart::never()).await;
    (connection, peers.remove(0))
}

/// A connection to a server that may be started so often. The first one has done its handshake.
pub(crate) async fn restarting(
    client: Client,
    era: Era,
    capabilities: Value,
    times: usize,
    restart: Restart,
) -> (Connection, Vec<Peer>) {
    let (ends, wires): (VecDeque<_>, Vec<_>) = (0..times).map(|_| memory::raw()).unzip();
    let mut peers: Vec<_> = wires.into_iter().map(|wire| Peer { wire, era }).collect();
    let ways = Ways { ends: Arc::new(Mutex::new(ends)), restart };
    // A modern server is asked, so that it says what it can do.
    let client = if era == Era::Modern { client } else { client.with_era(era) };
    let connecting = tokio::spawn(async move { client.connect(ways).await });
    peers[0].agree(&capabilities).await;
    (connecting.await.unwrap().unwrap(), peers)
}

impl Peer {
    /// Does the handshake, or answers the question for the era.
    pub(crate) async fn agree(&mut self, capabilities: &Value) {
        let request = self.recv().await;
        if self.era == Era::Modern {
            assert_eq!(request["method"], "server/discover");
            let result = json!({ "supportedVersions": ["2026-07-28"], "capabilities": capabilities });
            self.answer(&request, &result).await;
        } else {
            assert_eq!(request["method"], "initialize");
            let info = json!({ "name": "s", "version": "1" });
            let result = json!({ "protocolVersion": "2025-11-25", "capabilities": capabilities, "serverInfo": info });
            self.answer(&request, &result).await;
            assert_eq!(self.recv().await["method"], "notifications/initialized");
        }
    }

    /// The next message, which has to come.
    pub(crate) async fn recv(&mut self) -> Value {
        self.try_recv().await.expect("the client is still there")
    }

    /// The next message. `None`: the client is gone.
    pub(crate) async fn try_recv(&mut self) -> Option<Value> {
        let line = tokio::time::timeout(Duration::from_secs(3_600), self.wire.recv()).await.unwrap();
        line.map(|line| serde_json::from_str(&line).unwrap())
    }

    /// The next message, which has to be a request of this method.
    pub(crate) async fn expect(&mut self, method: &str) -> Value {
        let request = self.recv().await;
        assert_eq!(request["method"], method, "{request}");
        if self.era == Era::Modern && request.get("id").is_some() {
            let meta = &request["params"]["_meta"];
            assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28", "{request}");
        }
        request
    }

    pub(crate) async fn answer(&mut self, request: &Value, result: &Value) {
        let mut result = result.clone();
        if self.era == Era::Modern {
            result["resultType"] = "complete".into();
        }
        self.send(&json!({ "jsonrpc": "2.0", "id": request["id"], "result": result })).await;
    }

    pub(crate) async fn refuse(&mut self, request: &Value, code: i64) {
        let error = json!({ "code": code, "message": "no" });
        self.send(&json!({ "jsonrpc": "2.0", "id": request["id"], "error": error })).await;
    }

    pub(crate) async fn notify(&mut self, method: &str, params: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params })).await;
    }

    pub(crate) async fn send(&mut self, message: &Value) {
        self.wire.send(&message.to_string()).await.unwrap();
    }

    /// The server says no more.
    pub(crate) fn die(&mut self) {
        self.wire.close_write();
        self.wire.close_read();
    }
}
