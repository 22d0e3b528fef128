//! A client that is spoken by hand and answers what it is asked.

use std::time::Duration;

use mcp_server::{Report, ServeError, Server};
use mcp_session::transports::memory::{self, RawEnd};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

/// Everything that a client can declare.
pub(crate) fn everything() -> Value {
    json!({"elicitation": {"form": {}, "url": {}}, "sampling": {"tools": {}, "context": {}}, "roots": {}})
}

/// A client of a running server.
#[derive(Debug)]
pub(crate) struct Client {
    wire: RawEnd,
    run: JoinHandle<Result<Report, ServeError>>,
    capabilities: Value,
    ids: u64,
}

impl Client {
    /// A client that makes no handshake.
    pub(crate) fn modern(server: &Server) -> Self {
        Self::modern_with(server, everything())
    }

    pub(crate) fn modern_with(server: &Server, capabilities: Value) -> Self {
        let (end, wire) = memory::raw();
        Self { wire, run: tokio::spawn(server.serve(end)), capabilities, ids: 0 }
    }

    /// A client that has done its handshake.
    pub(crate) async fn legacy(server: &Server) -> Self {
        Self::legacy_with(server, "2025-11-25", everything()).await
    }

    pub(crate) async fn legacy_with(server: &Server, version: &str, capabilities: Value) -> Self {
        let mut client = Self::modern_with(server, Value::Null);
        let params = json!({"protocolVersion": version, "capabilities": capabilities,
            "clientInfo": {"name": "tester", "version": "7"}});
        client.send(&json!({"jsonrpc": "2.0", "id": "init", "method": "initialize", "params": params})).await;
        assert_eq!(client.recv().await["result"]["protocolVersion"], version);
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        client
    }

    /// Sends a request; gives its id.
    pub(crate) async fn request(&mut self, method: &str, mut params: Value) -> u64 {
        self.ids += 1;
        if !self.capabilities.is_null() {
            let meta = &mut params["_meta"];
            meta["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
            meta["io.modelcontextprotocol/clientCapabilities"] = self.capabilities.clone();
        }
        self.send(&json!({"jsonrpc": "2.0", "id": self.ids, "method": method, "params": params})).await;
        self.ids
    }

    /// Sends a request and receives what must be its answer: the result, or the error.
    pub(crate) async fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params).await;
        self.answer_to(id).await
    }

    /// Receives what must be the answer to a request: the result, or the error.
    pub(crate) async fn answer_to(&mut self, id: u64) -> Value {
        let answer = self.recv().await;
        assert_eq!(answer["id"], id, "{answer}");
        answer.get("result").or_else(|| answer.get("error")).unwrap().clone()
    }

    /// Calls a tool without arguments and receives what must be the answer.
    pub(crate) async fn call(&mut self, tool: &str) -> Value {
        self.ask("tools/call", json!({"name": tool})).await
    }

    /// Makes a call again with answers, and with the state of what it was answered.
    pub(crate) async fn retry(&mut self, tool: &str, asked: &Value, answers: Value) -> Value {
        let mut params = json!({"name": tool, "inputResponses": answers});
        if let Some(state) = asked.get("requestState") {
            params["requestState"] = state.clone();
        }
        self.ask("tools/call", params).await
    }

    /// Receives what must be a request of the server.
    pub(crate) async fn asked(&mut self, method: &str) -> Value {
        let request = self.recv().await;
        assert_eq!(request["method"], method, "{request}");
        request
    }

    /// Answers a request of the server.
    pub(crate) async fn respond(&mut self, request: &Value, result: Value) {
        self.send(&json!({"jsonrpc": "2.0", "id": request["id"], "result": result})).await;
    }

    pub(crate) async fn send(&mut self, message: &Value) {
        self.wire.send(&message.to_string()).await.unwrap();
    }

    /// Receives a message. Time stands still while anything can happen, so the limit means that nothing comes.
    pub(crate) async fn recv(&mut self) -> Value {
        let line = tokio::time::timeout(Duration::from_secs(3600), self.wire.recv()).await;
        serde_json::from_str(&line.expect("nothing comes").expect("the server has closed")).unwrap()
    }

    /// Ends the input of the server.
    pub(crate) fn close_write(&mut self) {
        self.wire.close_write();
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

/// The text that a result has.
pub(crate) fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {result}"))
}

/// What a result asks, by key.
pub(crate) fn questions(result: &Value) -> Vec<&str> {
    assert_eq!(result["resultType"], "input_required", "{result}");
    result["inputRequests"].as_object().unwrap().keys().map(String::as_str).collect()
}

/// The answer of a user who fills in the name.
pub(crate) fn named(name: &str) -> Value {
    json!({"action": "accept", "content": {"name": name}})
}
