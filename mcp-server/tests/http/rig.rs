//! A server over HTTP with tools to try it by, asked in process.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use mcp_server::http::{FrontBody, HttpBody, HttpConfig, HttpService};
use mcp_server::{Args, AskError, Context, Elicited, Principal, Server, State, Tool};
use mcp_types::RawJson;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::{Notify, Semaphore};
use tower_service::Service;

/// What the tools share with the test.
#[derive(Clone, Default)]
pub(crate) struct Shared {
    /// Tools that run.
    alive: Arc<AtomicUsize>,
    pub(crate) started: Arc<Notify>,
    pub(crate) stopped: Arc<Notify>,
    pub(crate) go: Arc<Go>,
}

pub(crate) struct Go(pub(crate) Semaphore);

impl Default for Go {
    fn default() -> Self {
        Self(Semaphore::new(0))
    }
}

impl Shared {
    pub(crate) fn alive(&self) -> usize {
        self.alive.load(Ordering::Relaxed)
    }

    fn begin(&self) -> Alive {
        self.alive.fetch_add(1, Ordering::Relaxed);
        self.started.notify_one();
        Alive(self.clone())
    }
}

struct Alive(Shared);

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.alive.fetch_sub(1, Ordering::Relaxed);
        self.0.stopped.notify_one();
    }
}

#[derive(Deserialize, JsonSchema)]
struct Guest {
    /// Your name
    name: String,
}

#[derive(Deserialize, JsonSchema)]
struct Query {
    #[serde(default)]
    #[expect(dead_code, reason = "it is for its header")]
    region: String,
}

async fn wait(State(shared): State<Shared>) -> &'static str {
    let _alive = shared.begin();
    shared.go.0.acquire().await.unwrap().forget();
    "waited"
}

async fn count(context: Context, State(shared): State<Shared>) -> &'static str {
    let _alive = shared.begin();
    context.progress(1.0, None, None).await;
    shared.go.0.acquire().await.unwrap().forget();
    context.progress(2.0, None, None).await;
    "counted"
}

async fn leave(context: Context, State(shared): State<Shared>) -> &'static str {
    let _alive = shared.begin();
    context.end_stream();
    shared.go.0.acquire().await.unwrap().forget();
    "came back"
}

async fn greet(context: Context) -> Result<String, AskError> {
    let mut names = Vec::new();
    for key in ["first", "second"] {
        match context.elicit::<Guest>(key, "Who are you?").await? {
            Elicited::Accepted(guest) => names.push(guest.name),
            Elicited::Declined | Elicited::Cancelled => names.push("nobody".to_owned()),
        }
    }
    Ok(names.join(" and "))
}

async fn who(context: Context) -> String {
    context.principal().name().unwrap_or("nobody").to_owned()
}

pub(crate) struct Rig {
    pub(crate) server: Server,
    pub(crate) service: HttpService,
    pub(crate) shared: Shared,
}

impl Rig {
    pub(crate) fn new(config: HttpConfig) -> Self {
        Self::with(config, |server| server)
    }

    pub(crate) fn with(config: HttpConfig, set: impl FnOnce(Server) -> Server) -> Self {
        let shared = Shared::default();
        let schema = json!({"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}});
        let server = Server::new("rig", "1.0.0")
            .with_state(shared.clone())
            .tool("wait", "Waits.", wait)
            .tool("count", "Counts.", count)
            .tool("leave", "Sends its client away.", leave)
            .tool("greet", "Asks twice.", greet)
            .tool("who", "Says who asks.", who)
            .tool("echo", "Answers at once.", async || "echo")
            .add_tool(Tool::new("sql", async |Args(_): Args<Query>| "rows").with_input_schema(RawJson::from(schema)));
        let server = set(server);
        Self { service: server.http_with(config), server, shared }
    }

    pub(crate) async fn ask(&self, request: Request<Full<Bytes>>) -> Answer {
        Answer::of(self.service.clone().call(request).await.unwrap())
    }

    /// The response to come of a request.
    pub(crate) fn begin(&self, request: Request<Full<Bytes>>) -> impl Future<Output = Answer> + Send + use<> {
        let response = self.service.clone().call(request);
        async move { Answer::of(response.await.unwrap()) }
    }

    /// Opens a session of this revision.
    pub(crate) async fn open(&self, version: &'static str) -> Session<'_> {
        self.open_as(version, None).await
    }

    pub(crate) async fn open_as(&self, version: &'static str, principal: Option<&str>) -> Session<'_> {
        let mut answer = self.ask(of(principal, post(&[], &initialize(version)))).await;
        assert_eq!(answer.status, 200);
        let id = answer.headers["mcp-session-id"].to_str().unwrap().to_owned();
        assert_eq!(answer.json().await["result"]["protocolVersion"], version);
        Session { rig: self, id, version, principal: principal.map(str::to_owned) }
    }
}

/// A session of a client.
pub(crate) struct Session<'a> {
    rig: &'a Rig,
    pub(crate) id: String,
    version: &'static str,
    principal: Option<String>,
}

impl Session<'_> {
    fn headers(&self) -> Vec<(&str, &str)> {
        let mut headers = vec![("mcp-session-id", &*self.id)];
        if self.version > "2025-03-26" {
            headers.push(("mcp-protocol-version", self.version));
        }
        headers
    }

    pub(crate) fn post(&self, message: &Value) -> Request<Full<Bytes>> {
        of(self.principal.as_deref(), post(&self.headers(), message))
    }

    pub(crate) async fn ask(&self, message: &Value) -> Answer {
        self.rig.ask(self.post(message)).await
    }

    pub(crate) fn get(&self, after: Option<&str>) -> Request<Full<Bytes>> {
        let mut headers = self.headers();
        headers.extend(after.map(|after| ("last-event-id", after)));
        of(self.principal.as_deref(), request("GET", &headers, Bytes::new()))
    }

    pub(crate) fn delete(&self) -> Request<Full<Bytes>> {
        of(self.principal.as_deref(), request("DELETE", &self.headers(), Bytes::new()))
    }
}

/// A response whose body is read as it comes.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: http::HeaderMap,
    body: Pin<Box<FrontBody<HttpBody>>>,
    read: String,
}

impl Answer {
    fn of(response: Response<FrontBody<HttpBody>>) -> Self {
        let (head, body) = response.into_parts();
        Self { status: head.status.as_u16(), headers: head.headers, body: Box::pin(body), read: String::new() }
    }

    pub(crate) fn is_stream(&self) -> bool {
        self.headers.get("content-type").is_some_and(|kind| kind == "text/event-stream")
    }

    async fn more(&mut self) -> bool {
        let Some(frame) = self.body.frame().await else { return false };
        self.read.push_str(std::str::from_utf8(&frame.unwrap().into_data().unwrap()).unwrap());
        true
    }

    /// The whole body.
    pub(crate) async fn text(&mut self) -> String {
        while self.more().await {}
        std::mem::take(&mut self.read)
    }

    pub(crate) async fn json(&mut self) -> Value {
        assert_eq!(self.headers["content-type"], "application/json");
        let text = self.text().await;
        serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text}"))
    }

    /// The next event that is no comment, as its id and its data; `None` at the end.
    pub(crate) async fn event(&mut self) -> Option<(String, String)> {
        loop {
            while let Some((event, rest)) = self.read.split_once("\n\n") {
                let field = |name: &str| {
                    let lines = event.lines().filter_map(|line| line.strip_prefix(name));
                    lines.map(|value| value.strip_prefix(' ').unwrap_or(value)).collect::<Vec<_>>().join("\n")
                };
                let (found, has_data) = ((field("id:"), field("data:")), event.contains("data:"));
                self.read = rest.to_owned();
                if has_data {
                    return Some(found);
                }
            }
            if !self.more().await {
                assert_eq!(self.read, "", "half an event");
                return None;
            }
        }
    }

    /// The message of the next event.
    pub(crate) async fn message(&mut self) -> Value {
        let (_, data) = self.event().await.expect("an event");
        serde_json::from_str(&data).unwrap_or_else(|_| panic!("{data}"))
    }
}

pub(crate) fn request(method: &str, more: &[(&str, &str)], body: impl Into<Bytes>) -> Request<Full<Bytes>> {
    let mut request = Request::builder()
        .method(method)
        .uri("/mcp")
        .header("host", "localhost")
        .header("content-type", "application/json");
    if !more.iter().any(|(name, _)| *name == "accept") {
        request = request.header("accept", "application/json, text/event-stream");
    }
    for (name, value) in more {
        request = request.header(*name, *value);
    }
    request.body(Full::new(body.into())).unwrap()
}

pub(crate) fn post(more: &[(&str, &str)], message: &Value) -> Request<Full<Bytes>> {
    request("POST", more, message.to_string())
}

/// Made by somebody, as a layer in front has found out.
pub(crate) fn of(principal: Option<&str>, mut request: Request<Full<Bytes>>) -> Request<Full<Bytes>> {
    if let Some(name) = principal {
        request.extensions_mut().insert(Principal::named(name));
    }
    request
}

pub(crate) fn initialize(version: &str) -> Value {
    let params = json!({
        "protocolVersion": version, "capabilities": {"elicitation": {}}, "clientInfo": {"name": "c", "version": "1"},
    });
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})
}

pub(crate) fn call(id: i64, tool: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {
        "name": tool, "arguments": {}, "_meta": {"progressToken": "t"},
    }})
}

/// A modern request of this method.
pub(crate) fn modern(id: i64, method: &str, mut params: Value) -> Request<Full<Bytes>> {
    let name = params["name"].as_str().map(str::to_owned);
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({"elicitation": {}});
    let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
    let mut headers = vec![("mcp-protocol-version", "2026-07-28"), ("mcp-method", method)];
    headers.extend(name.as_deref().map(|name| ("mcp-name", name)));
    post(&headers, &message)
}

/// A modern call of a tool, which wants to hear of progress.
pub(crate) fn modern_call(id: i64, tool: &str) -> Request<Full<Bytes>> {
    modern(id, "tools/call", json!({"name": tool, "arguments": {}, "_meta": {"progressToken": "t"}}))
}

pub(crate) fn accepting(what: &'static str, mut request: Request<Full<Bytes>>) -> Request<Full<Bytes>> {
    request.headers_mut().insert("accept", http::HeaderValue::from_static(what));
    request
}

/// The text that a tool has returned.
pub(crate) fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"))
}
