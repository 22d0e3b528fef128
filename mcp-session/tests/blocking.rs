//! Handlers that block: their threads, their queue, and how a session ends around them.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::disallowed_methods, reason = "a test plays several sides at once")]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_session::engine::{AtReadEnd, Config, Reason, Report, Role};
use mcp_session::limits::Limits;
use mcp_session::transports::memory::{self, RawEnd};
use mcp_session::{Answering, Body, Context, Handle, HandlerFuture, RunError, Service, Session, Threads, block_on};
use mcp_types::jsonrpc::Request;
use tokio::task::JoinHandle;

/// Answers by method, each on a thread.
struct Blocking {
    threads: Threads,
    /// What `waits` waits for.
    release: Arc<Mutex<Receiver<()>>>,
    began: Arc<AtomicUsize>,
    /// Told by `waits` when it begins.
    tells: tokio::sync::mpsc::UnboundedSender<()>,
}

impl Service for Blocking {
    fn serve(&self, request: &Request<'_>, context: Context) -> Answering {
        let (release, began, tells) = (Arc::clone(&self.release), Arc::clone(&self.began), self.tells.clone());
        let text = |text: &str| Ok(Body::from_json(format!("{{\"is\":\"{text}\"}}").into_bytes()));
        let method = request.method.clone().into_owned();
        Answering::Future(HandlerFuture::blocking(&self.threads, move || match &*method {
            "waits" => {
                began.fetch_add(1, Ordering::SeqCst);
                tells.send(()).ok();
                release.lock().unwrap().recv().ok();
                text(if context.is_cancelled() { "cancelled" } else { "released" })
            }
            "watches" => {
                tells.send(()).ok();
                while !context.is_cancelled() {
                    std::thread::yield_now();
                }
                text("stopped")
            }
            "panics" => panic!("as asked"),
            "asks" => match block_on(context.peer().call("roots/list", None)) {
                Ok(answer) => Ok(Body::from_json(answer.get().as_bytes().to_vec())),
                Err(error) => text(&error.to_string()),
            },
            "spawns" => text(if tokio::runtime::Handle::try_current().is_ok() { "in a runtime" } else { "alone" }),
            other => text(other),
        }))
    }
}

struct Server {
    wire: RawEnd,
    handle: Handle,
    run: JoinHandle<Result<Report, RunError>>,
    threads: Threads,
    release: Sender<()>,
    began: Arc<AtomicUsize>,
    told: tokio::sync::mpsc::UnboundedReceiver<()>,
}

impl Server {
    async fn start(limits: Limits) -> Self {
        let threads = Threads::new(limits.blocking_threads);
        let (release, waits) = channel();
        let (tells, told) = tokio::sync::mpsc::unbounded_channel();
        let began = Arc::default();
        let service = Blocking {
            threads: threads.clone(),
            release: Arc::new(Mutex::new(waits)),
            began: Arc::clone(&began),
            tells,
        };
        let (end, wire) = memory::raw();
        let config = Config::new(Role::Server).with_at_read_end(AtReadEnd::Drain).with_limits(limits);
        let (handle, driver) = Session::new(config).open(Arc::new(service), end);
        let run = tokio::spawn(driver);
        let mut server = Self { wire, handle, run, threads, release, began, told };
        let params = r#"{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}"#;
        server.send(&format!(r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{params}}}"#)).await;
        assert_eq!(server.recv().await, r#"{"jsonrpc":"2.0","id":0,"result":{"is":"initialize"}}"#);
        server
    }

    async fn send(&mut self, line: &str) {
        self.wire.send(line).await.unwrap();
    }

    async fn ask(&mut self, id: u32, method: &str) {
        self.send(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}"}}"#)).await;
    }

    async fn recv(&mut self) -> String {
        within(self.wire.recv()).await.unwrap()
    }

    async fn end(self) -> (Option<String>, Report) {
        let Self { mut wire, run, .. } = self;
        wire.close_write();
        let last = within(wire.recv()).await;
        (last, within(run).await.unwrap().unwrap())
    }
}

async fn within<F: Future>(future: F) -> F::Output {
    tokio::time::timeout(Duration::from_secs(20), future).await.expect("nothing happens")
}

fn with_threads(count: usize) -> Limits {
    let mut limits = Limits::default();
    limits.blocking_threads = count;
    limits
}

fn answer(id: u32, text: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"is":"{text}"}}}}"#)
}

#[tokio::test]
async fn what_blocks_holds_nothing_up() {
    let mut server = Server::start(Limits::default()).await;
    server.ask(1, "waits").await;
    within(server.told.recv()).await.unwrap();
    server.ask(2, "ping").await;
    assert_eq!(server.recv().await, r#"{"jsonrpc":"2.0","id":2,"result":{}}"#);
    server.ask(3, "other").await;
    assert_eq!(server.recv().await, answer(3, "other"));
    server.release.send(()).unwrap();
    assert_eq!(server.recv().await, answer(1, "released"));
    server.ask(4, "spawns").await;
    assert_eq!(server.recv().await, answer(4, "in a runtime"));
    let (last, report) = server.end().await;
    assert_eq!((last, report.exit_code(), report.tasks_alive), (None, 0, 0));
}

#[tokio::test]
async fn beyond_the_threads_work_waits_its_turn() {
    let mut server = Server::start(with_threads(2)).await;
    server.ask(1, "waits").await;
    server.ask(2, "waits").await;
    within(server.told.recv()).await.unwrap();
    within(server.told.recv()).await.unwrap();
    for id in 3..100 {
        server.ask(id, "queued").await;
    }
    // Answered only when everything before it has been taken in.
    server.ask(100, "ping").await;
    assert_eq!(server.recv().await, r#"{"jsonrpc":"2.0","id":100,"result":{}}"#);
    assert_eq!((server.began.load(Ordering::SeqCst), server.threads.alive()), (2, 2));
    server.release.send(()).unwrap();
    server.release.send(()).unwrap();
    let mut answers = Vec::new();
    for _ in 1..100 {
        answers.push(server.recv().await);
    }
    assert_eq!(answers.iter().filter(|line| line.contains("queued")).count(), 97);
    assert_eq!(server.threads.alive(), 2);
}

#[tokio::test]
async fn what_is_cancelled_in_the_queue_never_begins() {
    let mut server = Server::start(with_threads(1)).await;
    server.ask(1, "waits").await;
    within(server.told.recv()).await.unwrap();
    server.ask(2, "waits").await;
    for id in [1, 2] {
        let note = format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#);
        server.send(&note).await;
    }
    server.ask(3, "ping").await;
    assert_eq!(server.recv().await, r#"{"jsonrpc":"2.0","id":3,"result":{}}"#);
    // The one that runs is waited for: it is not gone before its thread has left it.
    assert_eq!(server.handle.peer().meters().tasks_alive, 1);
    server.release.send(()).unwrap();
    server.ask(4, "other").await;
    assert_eq!(server.recv().await, answer(4, "other"));
    let began = Arc::clone(&server.began);
    let (last, report) = server.end().await;
    assert_eq!((last, began.load(Ordering::SeqCst)), (None, 1));
    assert_eq!((report.tally.cancelled, report.tasks_alive, report.exit_code()), (2, 0, 0));
}

#[tokio::test]
async fn a_panic_is_an_internal_error_and_costs_no_thread() {
    let mut server = Server::start(with_threads(1)).await;
    for id in 1..=3 {
        server.ask(id, "panics").await;
        let line = server.recv().await;
        assert!(line.contains("-32603") && !line.contains("as asked"), "{line}");
    }
    server.ask(4, "other").await;
    assert_eq!(server.recv().await, answer(4, "other"));
    assert_eq!(server.threads.alive(), 1);
}

#[tokio::test]
async fn what_blocks_can_ask_the_peer() {
    let mut server = Server::start(Limits::default()).await;
    server.ask(1, "asks").await;
    let asked = server.recv().await;
    assert!(asked.contains("roots/list"), "{asked}");
    let id = asked.split_once("\"id\":").unwrap().1.split_once(',').unwrap().0.to_owned();
    server.send(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"roots":[]}}}}"#)).await;
    assert_eq!(server.recv().await, r#"{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}"#);
}

#[tokio::test]
async fn an_end_waits_for_what_stops_when_told() {
    let mut limits = Limits::default();
    limits.abort = Duration::from_secs(3600);
    let mut server = Server::start(limits).await;
    server.ask(1, "watches").await;
    within(server.told.recv()).await.unwrap();
    let report = within(server.handle.abort()).await;
    assert_eq!((report.reason, report.still_running.len(), report.tasks_alive), (Reason::Aborted, 0, 0));
}

/// The clock stands still while anything can happen in the session, and jumps to its next deadline then.
#[tokio::test(start_paused = true)]
async fn what_never_returns_is_named_and_left_behind() {
    let mut limits = with_threads(1);
    limits.drain = Some(Duration::from_secs(5));
    let (release, waits) = channel();
    let (tells, mut told) = tokio::sync::mpsc::unbounded_channel();
    let service =
        Blocking { threads: Threads::new(1), release: Arc::new(Mutex::new(waits)), began: Arc::default(), tells };
    let (end, mut wire) = memory::raw();
    let config = Config::new(Role::Server).with_at_read_end(AtReadEnd::Drain).with_limits(limits);
    let (_, driver) = Session::new(config).open(Arc::new(service), end);
    let run = tokio::spawn(driver);
    let meta =
        r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
    for id in ["1", "2"] {
        let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"waits","params":{{"_meta":{meta}}}}}"#);
        wire.send(&line).await.unwrap();
    }
    told.recv().await.unwrap();
    let began = tokio::time::Instant::now();
    wire.close_write();
    let report = run.await.unwrap().unwrap();
    // The drain, and then as long as handlers are waited for that were told to stop.
    assert_eq!(began.elapsed(), Duration::from_secs(5 + 1));
    assert_eq!((report.reason, report.exit_code()), (Reason::DeadlinePassed, 1));
    assert_eq!(report.tally.cut_off.len(), 2);
    // The other one waited for a thread, and so it could be taken back.
    let [left] = report.still_running.as_slice() else { panic!("{report:?}") };
    assert_eq!((left.id.to_string(), report.tasks_alive), ("1".to_owned(), 1));
    drop(release);
}
