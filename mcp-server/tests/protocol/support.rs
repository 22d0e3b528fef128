//! A client that is spoken by hand.

use std::time::Duration;

use mcp_server::{Report, ServeError, Server};
use mcp_session::transports::memory::{self, RawEnd};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

/// The two shapes of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Era {
    Legacy,
    Modern,
}

/// A client of a running server.
#[derive(Debug)]
pub(crate) struct Client {
    wire: RawEnd,
    run: JoinHandle<Result<Report, ServeError>>,
    era: Era,
}

impl Client {
    /// A client that has said nothing yet.
    pub(crate) fn new(server: &Server, era: Era) -> Self {
        let (end, wire) = memory::raw();
        Self { wire, run: tokio::spawn(server.serve(end)), era }
    }

    /// A client that has done its handshake, if its era has one.
    pub(crate) async fn ready(server: &Server, era: Era) -> Self {
        let mut client = Self::new(server, era);
        if era == Era::Legacy {
            client.initialize("2025-11-25").await;
        }
        client
    }

    /// Does the handshake and gives the result of `initialize`.
    pub(crate) async fn initialize(&mut self, version: &str) -> Value {
        let info = json!({"name": "tester", "version": "7"});
        let params = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": info});
        self.send(&json!({"jsonrpc": "2.0", "id": "init", "method": "initialize", "params": params})).await;
        let answer = self.recv().await;
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        answer["result"].clone()
    }

    /// Sends a request of this client's era; `params` is an object.
    pub(crate) async fn request(&mut self, id: impl Into<Value>, method: &str, mut params: Value) {
        if self.era == Era::Modern {
            let meta = &mut params["_meta"];
            meta["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
            meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
        }
        let id = id.into();
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
    }

    /// Sends a request and receives what must be its answer.
    pub(crate) async fn ask(&mut self, method: &str, params: Value) -> Value {
        self.request(1, method, params).await;
        let answer = self.recv().await;
        assert_eq!(answer["id"], 1, "{answer}");
        answer
    }

    /// Calls a tool and receives what must be the answer.
    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({"name": tool, "arguments": arguments})).await
    }

    pub(crate) async fn send(&mut self, message: &Value) {
        self.send_line(&message.to_string()).await;
    }

    pub(crate) async fn send_line(&mut self, line: &str) {
        self.wire.send(line).await.unwrap();
    }

    /// Receives a message. Time stands still while anything can happen, so the limit means that nothing comes.
    pub(crate) async fn recv(&mut self) -> Value {
        let line = tokio::time::timeout(Duration::from_secs(3600), self.wire.recv()).await;
        serde_json::from_str(&line.expect("nothing comes").expect("the server has closed")).unwrap()
    }

    /// Ends the input of the server, and gives what it still says and its report.
    pub(crate) async fn finish(mut self) -> (Vec<Value>, Report) {
        self.wire.close_write();
        let mut rest = Vec::new();
        while let Some(line) = self.wire.recv().await {
            rest.push(serde_json::from_str(&line).unwrap());
        }
        (rest, self.run.await.unwrap().unwrap())
    }
}

/// The result of a tool that returns one text, in this era, from the server `s` 1.
pub(crate) fn text_result(era: Era, text: &str) -> Value {
    dressed(era, json!({"content": [{"type": "text", "text": text}]}))
}

/// A result with what this era adds to it.
pub(crate) fn dressed(era: Era, mut result: Value) -> Value {
    if era == Era::Modern {
        result["resultType"] = "complete".into();
        result["_meta"]["io.modelcontextprotocol/serverInfo"] = json!({"name": "s", "version": "1"});
    }
    result
}

/// Checks an error answer by its code, and that its text names what is wrong.
pub(crate) fn assert_error(answer: &Value, code: i64, names: &str) {
    assert_eq!(answer["error"]["code"], code, "{answer}");
    assert!(answer["error"]["message"].as_str().unwrap().contains(names), "{answer}");
}
