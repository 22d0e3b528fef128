//! A service that does what its methods say, and the two ways to reach it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_session::engine::{Change, Changes, Config, ExchangeId, Report, Role, Wants};
use mcp_session::{
    Answering, Appending, Body, Context, Delivery, HandlerFuture, Log, Opener, Opening, ReplyStream, Said, Service,
    SingleExchange, StreamSession, Threads, What,
};
use mcp_types::jsonrpc::{Request, ScanLimits, Scanned, scan};
use mcp_types::version::Version;
use tokio::sync::{Notify, Semaphore};
use tokio::task::JoinHandle;

/// Answers by method: what a test needs and no more.
pub(crate) struct Methods {
    pub(crate) alive: Arc<AtomicUsize>,
    pub(crate) go: Arc<Semaphore>,
    pub(crate) started: Arc<Notify>,
    threads: Threads,
}

impl Default for Methods {
    fn default() -> Self {
        Self {
            alive: Arc::default(),
            go: Arc::new(Semaphore::new(0)),
            started: Arc::default(),
            threads: Threads::new(2),
        }
    }
}

/// Counted for as long as it lives.
struct Alive(Arc<AtomicUsize>);

impl Alive {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(count))
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn body(text: impl Into<String>) -> Body {
    Body::from_json(text.into().into_bytes())
}

impl Service for Methods {
    fn serve(&self, request: &Request<'_>, context: Context) -> Answering {
        let alive = Alive::new(&self.alive);
        let (go, started) = (Arc::clone(&self.go), Arc::clone(&self.started));
        let future = match &*request.method {
            "subscriptions/listen" => {
                let wants = Wants::from(Changes::NONE.with(Change::Tools));
                return Answering::Listen { wants, acknowledged: br#"{"ack":true}"#.to_vec() };
            }
            "waits" => HandlerFuture::new(async move {
                let _alive = alive;
                started.notify_one();
                go.acquire().await.unwrap().forget();
                Ok(body("{}"))
            }),
            "notes" => HandlerFuture::new(async move {
                let _alive = alive;
                for number in 1..=2 {
                    context.notify(&format!("notifications/{number}"), None).await;
                }
                go.acquire().await.unwrap().forget();
                context.notify("notifications/3", None).await;
                Ok(body("{}"))
            }),
            "asks" => HandlerFuture::new(async move {
                let _alive = alive;
                Ok(body(match context.peer().call("roots/list", None).await {
                    Ok(result) => result.get().to_owned(),
                    Err(error) => format!(r#"{{"closed":{}}}"#, error.is_connection_closed()),
                }))
            }),
            "sends away" => HandlerFuture::new(async move {
                let _alive = alive;
                context.end_stream();
                go.acquire().await.unwrap().forget();
                Ok(body("{}"))
            }),
            "blocks" => {
                let runtime = tokio::runtime::Handle::current();
                let work = move || {
                    let _alive = alive;
                    started.notify_one();
                    runtime.block_on(async { go.acquire().await.unwrap().forget() });
                    Ok(body("{}"))
                };
                return Answering::Future(HandlerFuture::blocking(&self.threads, work));
            }
            "panics" => panic!("as asked"),
            "who" => {
                let name = context.principal().name().unwrap_or("nobody").to_owned();
                return Answering::Ready(Ok(body(format!(r#"{{"who":"{name}"}}"#))));
            }
            _ => return Answering::Ready(Ok(body("{\n}"))),
        };
        Answering::Future(future)
    }
}

/// A message, as JSON.
pub(crate) fn request(id: i64, method: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}"}}"#)
}

/// The same with modern metadata.
pub(crate) fn modern(id: i64, method: &str) -> String {
    let meta =
        r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{"_meta":{meta}}}}}"#)
}

pub(crate) fn config() -> Config {
    Config::new(Role::Server)
}

/// Single exchanges of one service.
pub(crate) struct Singles {
    pub(crate) opener: Opener,
    pub(crate) service: Arc<Methods>,
}

impl Singles {
    pub(crate) fn new(config: Config) -> Self {
        Self { opener: Opener::new(config), service: Arc::default() }
    }

    pub(crate) fn open(&self, frame: &str) -> SingleExchange<Methods> {
        self.open_with(frame, |_| ())
    }

    pub(crate) fn open_with(&self, frame: &str, set: impl FnOnce(&mut Opening)) -> SingleExchange<Methods> {
        let mut opening = Opening::default();
        set(&mut opening);
        let Ok(Scanned::Message(message)) = scan(frame.as_bytes(), &ScanLimits::default()) else { panic!("{frame}") };
        self.opener.single(Arc::clone(&self.service), opening, &message, frame.as_bytes())
    }

    /// A batch that stands alone, of the revision that has them.
    pub(crate) fn open_batch(&self, elements: &[String], set: impl FnOnce(&mut Opening)) -> SingleExchange<Methods> {
        let mut opening = Opening::default();
        opening.established = Some(Version::V2025_03_26);
        set(&mut opening);
        let frame = format!("[{}]", elements.join(","));
        let Ok(Scanned::Batch(batch)) = scan(frame.as_bytes(), &ScanLimits::default()) else { panic!("{frame}") };
        self.opener.single_batch(Arc::clone(&self.service), opening, &batch)
    }

    pub(crate) fn alive(&self) -> usize {
        self.service.alive.load(Ordering::Relaxed)
    }
}

/// What was said, in short: `note 1`, `call 1 roots/list`, `result 7`, `error 7 -32601`, `[…]`.
pub(crate) fn word(said: &Said) -> String {
    if said.what == What::Prime {
        return "prime".to_owned();
    }
    let json: serde_json::Value = serde_json::from_slice(&said.json).unwrap();
    let (id, method) = (&json["id"], json["method"].as_str().unwrap_or_default());
    match said.what {
        What::Note => format!("note {}", method.trim_start_matches("notifications/")),
        What::Call(_) => format!("call {id} {method}"),
        _ if json.is_array() => format!("batch of {}", json.as_array().unwrap().len()),
        _ if json.get("error").is_some() => format!("error {id} {}", json["error"]["code"]),
        _ => format!("result {id} {}", json["result"]),
    }
}

/// Everything that is said until the end.
pub(crate) async fn all(exchange: &mut SingleExchange<Methods>) -> Vec<String> {
    let mut said = Vec::new();
    while let Some(next) = exchange.said().await {
        said.push(word(&next));
    }
    said
}

/// A legacy session after its handshake.
pub(crate) struct Rig {
    pub(crate) session: StreamSession<Methods>,
    pub(crate) service: Arc<Methods>,
    pub(crate) run: JoinHandle<Report>,
    pub(crate) log: Option<Arc<Kept>>,
}

impl Rig {
    pub(crate) async fn new(config: Config) -> Self {
        Self::open(config, None).await
    }

    pub(crate) async fn logged(config: Config) -> Self {
        Self::open(config, Some(Arc::default())).await
    }

    async fn open(config: Config, log: Option<Arc<Kept>>) -> Self {
        let service: Arc<Methods> = Arc::default();
        let dyn_log = log.clone().map(|log| log as Arc<dyn Log>);
        let (session, run) = Opener::new(config).session(Arc::clone(&service), dyn_log);
        let rig = Self { session, service, run: tokio::spawn(run), log };
        let params = r#"{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}"#;
        let frame = format!(r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{params}}}"#);
        assert_eq!(rest(&mut rig.post(&frame)).await, ["result 0 {}"]);
        rig
    }

    pub(crate) fn post(&self, frame: &str) -> ReplyStream {
        self.post_with(frame, |_| ())
    }

    pub(crate) fn post_with(&self, frame: &str, set: impl FnOnce(&mut Delivery)) -> ReplyStream {
        let mut delivery = Delivery::default();
        set(&mut delivery);
        let scanned = scan(frame.as_bytes(), &ScanLimits::default()).unwrap();
        self.session.post(&scanned, frame.as_bytes(), delivery)
    }

    pub(crate) fn call(&self, id: i64, method: &str) -> ReplyStream {
        self.post(&request(id, method))
    }

    pub(crate) fn go(&self) {
        self.service.go.add_permits(1);
    }

    pub(crate) fn alive(&self) -> usize {
        self.service.alive.load(Ordering::Relaxed)
    }

    /// The response to a call of the server's, by another POST.
    pub(crate) async fn respond(&self, id: i64) {
        let frame = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"roots":[]}}}}"#);
        assert!(rest(&mut self.post(&frame)).await.is_empty());
    }
}

/// The next thing that is said.
pub(crate) async fn next(stream: &mut ReplyStream) -> String {
    stream.said().await.as_ref().map_or_else(|| "end".to_owned(), word)
}

/// Everything that is said until the end.
pub(crate) async fn rest(stream: &mut ReplyStream) -> Vec<String> {
    let mut said = Vec::new();
    while let Some(next) = stream.said().await {
        said.push(word(&next));
    }
    said
}

/// A log in memory.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    pub(crate) messages: Mutex<Vec<(ExchangeId, bytes::Bytes)>>,
    /// Whether it fails.
    pub(crate) fails: std::sync::atomic::AtomicBool,
}

impl Log for Kept {
    fn append(&self, stream: ExchangeId, message: bytes::Bytes) -> Appending {
        let mut messages = self.messages.lock().unwrap();
        messages.push((stream, message));
        let place = (!self.fails.load(Ordering::Relaxed)).then_some(messages.len() as u64);
        // As a store elsewhere, it does not answer at once.
        Box::pin(async move {
            tokio::task::yield_now().await;
            place
        })
    }
}

/// Waits until everything that can run has run: the clock stands still, so that it only passes when nobody has
/// anything to do.
pub(crate) async fn settle() {
    // tidy: waits for everybody else, on the paused clock
    tokio::time::sleep(Duration::from_millis(1)).await;
}
