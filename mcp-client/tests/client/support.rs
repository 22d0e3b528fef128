//! A server that is played by hand.

use std::time::Duration;

use mcp_client::{Client, Connection, Era};
use mcp_session::transports::memory::{self, RawEnd};
use mcp_types::Version;
use serde_json::{Value, json};

pub(crate) const LEGACY: Era = Era::Legacy(Version::LATEST_LEGACY);

pub(crate) const DISCOVERED: &str = r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}}"#;
pub(crate) const INITIALIZED: &str = r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"logging":{}},"serverInfo":{"name":"s","version":"1"}}"#;
pub(crate) const NO_CONTENT: &str = r#"{"resultType":"complete","content":[]}"#;

/// What the other side does, by hand.
pub(crate) struct Server(pub(crate) RawEnd);

impl Server {
    /// The next message, which has to come.
    pub(crate) async fn recv(&mut self) -> Value {
        serde_json::from_str(&self.text().await).unwrap()
    }

    /// The next message as it was sent.
    pub(crate) async fn text(&mut self) -> String {
        let line = tokio::time::timeout(Duration::from_secs(3600), self.0.recv()).await.unwrap();
        line.expect("the client is still there")
    }

    /// The next message, which is a request of this method.
    pub(crate) async fn asked(&mut self, method: &str) -> Value {
        let request = self.recv().await;
        assert_eq!(request["method"], method, "{request}");
        request
    }

    pub(crate) async fn send(&mut self, message: Value) {
        self.0.send(&message.to_string()).await.unwrap();
    }

    pub(crate) async fn answer(&mut self, request: &Value, result: &str) {
        let line = format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, request["id"]);
        self.0.send(&line).await.unwrap();
    }

    pub(crate) async fn refuse(&mut self, request: &Value, error: Value) {
        self.send(json!({ "jsonrpc": "2.0", "id": request["id"], "error": error })).await;
    }

    /// Answers the handshake of the legacy era.
    pub(crate) async fn initialize(&mut self) -> Value {
        let initialize = self.asked("initialize").await;
        self.answer(&initialize, INITIALIZED).await;
        self.asked("notifications/initialized").await;
        initialize
    }

    /// Nothing more comes.
    pub(crate) async fn ended(&mut self) {
        assert_eq!(self.0.recv().await, None);
    }
}

/// A connection in an era that is not asked for.
pub(crate) async fn connected(client: Client, era: Era) -> (Connection, Server) {
    let (end, server) = memory::raw();
    let mut server = Server(server);
    let connecting = tokio::spawn(async move { client.with_era(era).connect(end).await });
    if era != Era::Modern {
        server.initialize().await;
    }
    (connecting.await.unwrap().unwrap(), server)
}

pub(crate) fn client() -> Client {
    Client::new("test", "1")
}
