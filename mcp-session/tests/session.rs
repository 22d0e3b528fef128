//! A session over a pipe in memory: the driver, the core and the engine together, on a clock that stands still.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::disallowed_methods, reason = "a test plays several sides at once")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_session::engine::{AtReadEnd, Close, Config, Dropped, Reason, Report, Role};
use mcp_session::limits::Limits;
use mcp_session::transports::memory::{self, RawEnd};
use mcp_session::{
    Answering, Body, Context, Handle, HandlerFuture, Note, NoteFuture, Peer, RunError, Service, Session,
};
use mcp_types::jsonrpc::Request;
use tokio::task::JoinHandle;
use tokio::time::sleep;

/// Answers by method: what a test needs and no more.
#[derive(Default)]
struct Methods {
    dropped: Arc<AtomicUsize>,
}

struct CountDrop(Arc<AtomicUsize>);

impl Drop for CountDrop {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

fn done() -> Body {
    Body::from_json(br#"{"done":true}"#.to_vec())
}

impl Service for Methods {
    fn serve(&self, request: &Request<'_>, context: Context) -> Answering {
        let dropped = Arc::clone(&self.dropped);
        let future = match &*request.method {
            "initialize" | "tools/list" => return Answering::Ready(Ok(done())),
            "panics" => panic!("as asked"),
            "panics/later" => HandlerFuture::new(async move {
                tokio::task::yield_now().await;
                panic!("as asked")
            }),
            "waits" => HandlerFuture::new(async move {
                let _guard = CountDrop(dropped);
                std::future::pending().await
            }),
            "sleeps" => HandlerFuture::new(async move {
                let _guard = CountDrop(dropped);
                // tidy: waits for the paused clock: it is the handler's work
                sleep(Duration::from_millis(300)).await;
                Ok(done())
            }),
            "asks" => HandlerFuture::new(async move {
                let answer = context.peer().call("roots/list", None).await;
                let text = match answer {
                    Ok(result) => result.get().to_owned(),
                    Err(error) => format!(r#"{{"closed":{}}}"#, error.is_connection_closed()),
                };
                Ok(Body::from_json(text.into_bytes()))
            }),
            "notes" => HandlerFuture::new(async move {
                for _ in 0..3 {
                    context.notify("notifications/x", None).await;
                }
                Ok(done())
            }),
            "late" => HandlerFuture::new(async move {
                tokio::spawn(async move {
                    // tidy: waits for the answer to have gone out, on the paused clock
                    sleep(Duration::from_millis(100)).await;
                    context.notify("notifications/late", None).await;
                });
                Ok(done())
            }),
            other => return Answering::Ready(Ok(Body::from_json(format!(r#"{{"echo":"{other}"}}"#).into_bytes()))),
        };
        Answering::Future(future)
    }

    fn notified(&self, notification: Note, _peer: &Peer) -> Option<NoteFuture> {
        match &*notification.method {
            "notifications/panics" => Some(Box::pin(async { panic!("as asked") })),
            "notifications/waits" => Some(Box::pin(std::future::pending())),
            _ => None,
        }
    }
}

struct Rig {
    handle: Handle,
    peer: RawEnd,
    run: JoinHandle<Result<Report, RunError>>,
    dropped: Arc<AtomicUsize>,
}

impl Rig {
    fn new(config: Config) -> Self {
        let (end, peer) = memory::raw();
        let service = Arc::new(Methods::default());
        let dropped = Arc::clone(&service.dropped);
        let (handle, driver) = Session::new(config).open(service, end);
        Self { handle, peer, run: tokio::spawn(driver), dropped }
    }

    async fn server() -> Self {
        Self::with(Config::new(Role::Server).with_at_read_end(AtReadEnd::Drain)).await
    }

    async fn with(config: Config) -> Self {
        let mut rig = Self::new(config);
        rig.request(0, "initialize").await;
        assert_eq!(rig.line().await, r#"{"jsonrpc":"2.0","id":0,"result":{"done":true}}"#);
        rig
    }

    async fn request(&mut self, id: i64, method: &str) {
        let params = if method == "initialize" { r#","params":{"protocolVersion":"2025-11-25"}"# } else { "" };
        self.peer.send(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}"{params}}}"#)).await.unwrap();
    }

    async fn line(&mut self) -> String {
        tokio::time::timeout(Duration::from_secs(60), self.peer.recv()).await.unwrap().unwrap()
    }

    async fn end(&mut self) {
        let end = tokio::time::timeout(Duration::from_secs(120), self.peer.recv()).await.unwrap();
        assert_eq!(end, None);
    }

    async fn report(self) -> Report {
        tokio::time::timeout(Duration::from_secs(120), self.run).await.unwrap().unwrap().unwrap()
    }
}

fn result(id: i64, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}

const DONE: &str = r#"{"done":true}"#;

#[tokio::test(start_paused = true)]
async fn c2_what_was_received_before_the_end_of_input_is_answered() {
    let mut rig = Rig::server().await;
    rig.request(1, "sleeps").await;
    rig.request(2, "sleeps").await;
    rig.peer.close_write();
    assert_eq!([rig.line().await, rig.line().await], [result(1, DONE), result(2, DONE)]);
    rig.end().await;
    let report = rig.report().await;
    assert_eq!((report.reason, report.exit_code()), (Reason::ReadEnded, 0));
    assert_eq!((report.tally.received, report.tally.answered, report.tally.drained), (3, 3, 2));
    assert_eq!((report.tasks_alive, report.pending_slots), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn c2_whoever_knows_that_the_peer_is_gone_can_say_that_input_has_ended() {
    let mut rig = Rig::server().await;
    rig.request(1, "sleeps").await;
    rig.request(2, "echo").await;
    assert_eq!(rig.line().await, result(2, r#"{"echo":"echo"}"#));
    rig.handle.input_ended();
    rig.handle.input_ended();
    assert_eq!(rig.line().await, result(1, DONE));
    rig.end().await;
    assert_eq!(rig.report().await.reason, Reason::ReadEnded);
}

#[tokio::test(start_paused = true)]
async fn c3a_under_the_other_policy_they_are_cancelled() {
    let mut rig = Rig::with(Config::new(Role::Server)).await;
    rig.request(1, "sleeps").await;
    rig.request(2, "tools/list").await;
    assert_eq!(rig.line().await, result(2, DONE));
    rig.peer.close_write();
    rig.end().await;
    let dropped = Arc::clone(&rig.dropped);
    let report = rig.report().await;
    assert_eq!((report.tally.cancelled, report.tally.answered), (1, 2));
    assert_eq!(dropped.load(Ordering::Relaxed), 1, "the handler is gone");
}

#[tokio::test(start_paused = true)]
async fn c3b_over_a_transport_without_half_close_the_end_of_input_is_the_end_of_the_peer() {
    use mcp_session::transport::Traits;
    use mcp_session::transports::io::Stream;
    use tokio::io::AsyncWriteExt;

    let (ours, mut theirs) = tokio::io::duplex(1 << 10);
    let (read, write) = tokio::io::split(ours);
    let transport = Stream::new(read, write).with_traits(Traits::local().with_half_close(false));
    let config = Config::new(Role::Server).with_at_read_end(AtReadEnd::Drain);
    let (_handle, driver) = Session::new(config).open(Arc::new(Methods::default()), transport);
    let hello = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#;
    let request = r#"{"jsonrpc":"2.0","id":1,"method":"sleeps"}"#;
    theirs.write_all(format!("{hello}\n{request}\n").as_bytes()).await.unwrap();
    theirs.shutdown().await.unwrap();
    let report = driver.await.unwrap();
    assert_eq!((report.reason, report.tally.cancelled), (Reason::PeerGone, 1));
}

#[tokio::test(start_paused = true)]
async fn c4_the_deadline_cuts_off_and_says_what() {
    let mut rig = Rig::server().await;
    rig.request(7, "waits").await;
    rig.peer.close_write();
    rig.end().await;
    let report = rig.report().await;
    assert_eq!((report.reason, report.exit_code()), (Reason::DeadlinePassed, 1));
    assert_eq!(report.elapsed, Duration::from_secs(30));
    assert_eq!(report.tally.cut_off.len(), 1);
    assert_eq!(&*report.tally.cut_off[0].method, "waits");
}

#[tokio::test(start_paused = true)]
async fn c5_c13_a_call_of_a_handler_fails_when_nobody_can_answer() {
    let mut rig = Rig::server().await;
    rig.request(1, "asks").await;
    assert_eq!(rig.line().await, r#"{"jsonrpc":"2.0","id":1,"method":"roots/list"}"#);
    rig.peer.close_write();
    assert_eq!(rig.line().await, result(1, r#"{"closed":true}"#));
    rig.end().await;
    assert_eq!(rig.report().await.reason, Reason::ReadEnded);
}

#[tokio::test(start_paused = true)]
async fn a_call_of_a_handler_is_answered_by_the_peer() {
    let mut rig = Rig::server().await;
    rig.request(1, "asks").await;
    rig.line().await;
    rig.peer.send(r#"{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}"#).await.unwrap();
    assert_eq!(rig.line().await, result(1, r#"{"roots":[]}"#));
    assert_eq!(rig.handle.peer().meters().pending_slots, 0);
}

#[tokio::test(start_paused = true)]
async fn c10_nothing_follows_for_a_cancelled_request() {
    let mut rig = Rig::server().await;
    rig.request(1, "waits").await;
    rig.peer.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#).await.unwrap();
    rig.request(2, "echo").await;
    assert_eq!(rig.line().await, result(2, r#"{"echo":"echo"}"#));
    assert_eq!(rig.dropped.load(Ordering::Relaxed), 1);
    assert_eq!(rig.handle.peer().meters().tasks_alive, 0);
}

#[tokio::test(start_paused = true)]
async fn c23_notes_come_before_the_answer_and_none_after_it() {
    let mut rig = Rig::server().await;
    rig.request(1, "notes").await;
    for _ in 0..3 {
        assert_eq!(rig.line().await, r#"{"jsonrpc":"2.0","method":"notifications/x"}"#);
    }
    assert_eq!(rig.line().await, result(1, DONE));
    rig.request(2, "late").await;
    assert_eq!(rig.line().await, result(2, DONE));
    sleep(Duration::from_secs(1)).await; // tidy: waits for the late notification, which must not come
    rig.peer.close_write();
    rig.end().await;
    assert_eq!(rig.report().await.tally.dropped(Dropped::AfterAnswer), 1);
}

#[tokio::test(start_paused = true)]
async fn c24_a_panic_is_an_error_for_that_request_alone() {
    let mut rig = Rig::server().await;
    for (id, method) in [(1, "panics"), (2, "panics/later")] {
        rig.request(id, method).await;
        let expected = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32603,"message":"internal error"}}}}"#);
        assert_eq!(rig.line().await, expected);
    }
    rig.request(3, "echo").await;
    assert_eq!(rig.line().await, result(3, r#"{"echo":"echo"}"#));
}

#[tokio::test(start_paused = true)]
async fn c6b_when_the_pipe_breaks_the_run_ends() {
    let mut rig = Rig::server().await;
    rig.request(1, "waits").await;
    rig.peer.close_read();
    rig.request(2, "echo").await;
    let report = rig.report().await;
    assert_eq!((report.reason, report.exit_code()), (Reason::WriteBroken, 1));
}

#[tokio::test(start_paused = true)]
async fn c9_abort_ends_everything_at_once() {
    let mut rig = Rig::server().await;
    rig.request(1, "waits").await;
    rig.request(2, "echo").await;
    rig.line().await;
    let report = rig.handle.abort().await;
    assert_eq!(report.reason, Reason::Aborted);
    assert_eq!(rig.dropped.load(Ordering::Relaxed), 1);
    rig.end().await;
}

#[tokio::test(start_paused = true)]
async fn c17_close_drains_and_c30_a_second_close_aborts() {
    let mut rig = Rig::server().await;
    rig.request(1, "sleeps").await;
    rig.request(2, "echo").await;
    rig.line().await;
    let closed = rig.handle.close();
    rig.request(3, "echo").await;
    assert!(rig.line().await.contains(r#""reason":"closing""#));
    assert_eq!(rig.line().await, result(1, DONE));
    assert_eq!(closed.clone().await.reason, Reason::Closed);
    assert_eq!(closed.await.reason, Reason::Closed, "all who wait see the same end");

    let mut rig = Rig::server().await;
    rig.request(1, "waits").await;
    rig.request(2, "echo").await;
    rig.line().await;
    let first = rig.handle.close();
    let second = rig.handle.close();
    assert_eq!(first.await.reason, Reason::Aborted);
    assert_eq!(second.await.tally.cut_off.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn c25_calls_settle_when_the_driver_is_dropped() {
    let mut rig = Rig::server().await;
    let call = tokio::spawn({
        let peer = rig.handle.peer().clone();
        async move { peer.call("roots/list", None).await }
    });
    rig.line().await;
    rig.run.abort();
    assert!(call.await.unwrap().unwrap_err().is_connection_closed());
    assert_eq!(rig.handle.closed().await.reason, Reason::DriverGone);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_has_settled_is_not_reported_as_pending() {
    let mut rig = Rig::server().await;
    let mut call = Box::pin(rig.handle.peer().call("roots/list", None));
    tokio::select! {
        biased;
        outcome = &mut call => panic!("{outcome:?} before it was answered"),
        line = rig.line() => assert!(line.contains("roots/list")),
    }
    rig.peer.close_write();
    // The run ends before anybody looks at what came of the call.
    let report = rig.report().await;
    assert_eq!(report.pending_slots, 0);
    assert!(call.await.unwrap_err().is_connection_closed());
}

#[tokio::test(start_paused = true)]
async fn c11_c21_a_dropped_call_is_cancelled_or_never_sent() {
    let mut rig = Rig::server().await;
    let peer = rig.handle.peer().clone();
    let sent = tokio::time::timeout(Duration::from_secs(1), peer.call("roots/list", None));
    assert!(sent.await.is_err());
    assert_eq!(rig.line().await, r#"{"jsonrpc":"2.0","id":1,"method":"roots/list"}"#);
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    assert_eq!(rig.line().await, cancel);

    rig.peer.faults().incoming.stall();
    let unsent = tokio::time::timeout(Duration::from_secs(1), peer.call("roots/list", None));
    assert!(unsent.await.is_err());
    rig.peer.faults().incoming.resume();
    rig.request(2, "echo").await;
    assert_eq!(rig.line().await, result(2, r#"{"echo":"echo"}"#));
    assert_eq!(peer.meters().pending_slots, 0);
}

#[tokio::test(start_paused = true)]
async fn an_untimed_call_waits_for_as_long_as_it_takes() {
    let mut rig = Rig::server().await;
    let peer = rig.handle.peer().clone();
    for (call, settles) in [
        (peer.call("roots/list", None), true),
        (peer.call("roots/list", None).max_time(None), true),
        (peer.call("roots/list", None).timeout(None), true),
        (peer.call("roots/list", None).untimed(), false),
    ] {
        let outcome = tokio::time::timeout(Duration::from_secs(100_000), call).await;
        assert_eq!(outcome.is_ok_and(|settled| settled.unwrap_err().is_timeout()), settles);
    }
    let untimed = tokio::spawn(peer.call("roots/list", None).untimed());
    while !rig.line().await.contains(r#""id":5,"#) {}
    rig.peer.close_write();
    assert!(untimed.await.unwrap().unwrap_err().is_connection_closed());
}

#[tokio::test(start_paused = true)]
async fn c16_requests_over_the_limit_wait_and_c39_beyond_the_queue_are_refused() {
    let limits = {
        let mut limits = Limits::default();
        (limits.in_flight, limits.queue) = (1, 1);
        limits
    };
    let mut rig = Rig::with(Config::new(Role::Server).with_limits(limits)).await;
    for id in 1..=3 {
        rig.request(id, "sleeps").await;
    }
    assert!(rig.line().await.starts_with(r#"{"jsonrpc":"2.0","id":3,"error":{"code":-32603"#));
    assert_eq!([rig.line().await, rig.line().await], [result(1, DONE), result(2, DONE)]);
}

#[tokio::test(start_paused = true)]
async fn c38_c44_a_notification_callback_holds_up_nothing() {
    let mut rig = Rig::server().await;
    rig.peer.send(r#"{"jsonrpc":"2.0","method":"notifications/panics"}"#).await.unwrap();
    rig.peer.send(r#"{"jsonrpc":"2.0","method":"notifications/waits"}"#).await.unwrap();
    for _ in 0..2000 {
        rig.peer.send(r#"{"jsonrpc":"2.0","method":"notifications/y"}"#).await.unwrap();
    }
    rig.request(1, "echo").await;
    assert_eq!(rig.line().await, result(1, r#"{"echo":"echo"}"#));
    rig.handle.end(Close::Abort, mcp_session::engine::By::Handle).await;
    let report = rig.report().await;
    assert_eq!(report.tally.dropped(Dropped::CallbackPanicked), 1);
    assert!(report.tally.dropped(Dropped::Overtaken) > 900);
}

#[tokio::test(start_paused = true)]
async fn c14_the_last_line_needs_no_newline_when_it_is_whole() {
    let mut rig = Rig::server().await;
    rig.peer.send_bytes(br#"{"jsonrpc":"2.0","id":1,"method":"echo"}"#).await.unwrap();
    rig.peer.close_write();
    assert_eq!(rig.line().await, result(1, r#"{"echo":"echo"}"#));
    rig.end().await;

    let mut rig = Rig::server().await;
    rig.peer.send_bytes(br#"{"jsonrpc":"2.0","id":1,"met"#).await.unwrap();
    rig.peer.close_write();
    rig.end().await;
    assert_eq!(rig.report().await.tally.truncated, 1);
}

#[tokio::test(start_paused = true)]
async fn batches_are_answered_together_in_the_revision_that_has_them() {
    let mut rig = Rig::new(Config::new(Role::Server));
    rig.peer
        .send(r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}"#)
        .await
        .unwrap();
    rig.line().await;
    let batch = r#"[{"jsonrpc":"2.0","id":1,"method":"sleeps"},{"jsonrpc":"2.0","method":"notifications/y"},{"jsonrpc":"2.0","id":2,"method":"echo"}]"#;
    rig.peer.send(batch).await.unwrap();
    let answers = format!("[{},{}]", result(2, r#"{"echo":"echo"}"#), result(1, DONE));
    assert_eq!(rig.line().await, answers);
}

#[tokio::test(start_paused = true)]
async fn c31_a_peer_that_stops_reading_at_the_end_is_gone_after_a_while() {
    let mut rig = Rig::server().await;
    rig.peer.faults().incoming.stall();
    rig.request(1, "echo").await;
    rig.peer.close_write();
    let mut limits_passed = rig.report().await;
    limits_passed.tally.cut_off.clear();
    assert!(matches!(limits_passed.reason, Reason::Stalled | Reason::DeadlinePassed), "{:?}", limits_passed.reason);
}

/// Every public future can be sent to another thread.
#[expect(dead_code, reason = "it is enough that it compiles")]
fn futures_are_send(rig: Rig) {
    fn is_send(_: impl Send) {}
    is_send(rig.handle.closed());
    is_send(rig.handle.peer().call("x", None));
    is_send(rig.handle.peer().notify("x", None));
    let (end, _) = memory::raw();
    is_send(Session::new(Config::new(Role::Server)).open(Arc::new(Methods::default()), end).1);
}

#[tokio::test(start_paused = true)]
async fn c29_a_call_that_is_being_written_when_its_client_closes_is_cancelled() {
    use mcp_session::transport::{Frames, Sink, Source, Traits, Transport};
    use std::io;
    use std::sync::{Mutex, OnceLock};
    use std::task::{Context as Cx, Poll};

    /// A sink during whose write the session is closed.
    struct Closing(Arc<OnceLock<Handle>>, Arc<Mutex<Vec<u8>>>);
    struct Silent;

    impl Source for Silent {
        fn poll_next(&mut self, _: &mut Cx<'_>) -> Poll<mcp_session::transport::Incoming> {
            Poll::Pending
        }

        fn frame(&self) -> &[u8] {
            &[]
        }
    }

    impl Sink for Closing {
        fn poll_write(&mut self, _: &mut Cx<'_>, frames: Frames<'_>) -> Poll<io::Result<usize>> {
            self.1.lock().unwrap().extend_from_slice(frames.bytes());
            if let Some(handle) = self.0.get() {
                drop(handle.close());
            }
            Poll::Ready(Ok(frames.bytes().len()))
        }

        fn poll_close(&mut self, _: &mut Cx<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
    }

    impl Transport for Closing {
        type Source = Silent;
        type Sink = Self;

        fn traits(&self) -> Traits {
            Traits::local()
        }

        fn split(self) -> (Silent, Self) {
            (Silent, self)
        }
    }

    let (closer, written) = (Arc::new(OnceLock::new()), Arc::new(Mutex::new(Vec::new())));
    let transport = Closing(Arc::clone(&closer), Arc::clone(&written));
    let (handle, driver) = Session::new(Config::new(Role::Client)).open(Arc::new(Methods::default()), transport);
    let call = tokio::spawn(handle.peer().call("tools/list", None));
    closer.set(handle).unwrap();
    driver.await.unwrap();
    assert!(call.await.unwrap().unwrap_err().is_connection_closed());
    let written = String::from_utf8(written.lock().unwrap().clone()).unwrap();
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    assert_eq!(written.lines().collect::<Vec<_>>(), [r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#, cancel]);
}

#[tokio::test(start_paused = true)]
async fn c16_two_sessions_that_flood_each_other_do_not_block_for_good() {
    /// Answers with as much as it was asked with.
    struct Mirror;

    impl Service for Mirror {
        fn serve(&self, request: &Request<'_>, _: Context) -> Answering {
            Answering::Ready(Ok(Body::from_json(request.params.raw.unwrap_or("{}").as_bytes().to_vec())))
        }
    }

    const CALLS: usize = 400;
    let params = || serde_json::value::RawValue::from_string(format!(r#"{{"x":"{}"}}"#, "x".repeat(16 << 10))).unwrap();
    let (ours, theirs) = memory::Link::new().capacity(std::num::NonZeroUsize::new(1 << 10).unwrap()).bytes();
    let config = |role| Config::new(role).with_at_read_end(AtReadEnd::Drain);
    let (client, client_run) = Session::new(config(Role::Client)).open(Arc::new(Mirror), ours);
    let (server, server_run) = Session::new(config(Role::Server)).open(Arc::new(Mirror), theirs);
    let runs = [tokio::spawn(client_run), tokio::spawn(server_run)];
    let hello = serde_json::value::RawValue::from_string(r#"{"protocolVersion":"2025-11-25"}"#.to_owned()).unwrap();
    client.peer().call("initialize", Some(hello)).await.unwrap();
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..CALLS {
        for peer in [client.peer(), server.peer()] {
            calls.spawn(peer.call("mirror", Some(params())));
            peer.notify_now("notifications/flood", Some(&params()));
        }
    }
    let answers = tokio::time::timeout(Duration::from_secs(3600), calls.join_all()).await.unwrap();
    assert_eq!(answers.into_iter().filter(Result::is_ok).count(), 2 * CALLS);
    client.close().await;
    for run in runs {
        run.await.unwrap().unwrap();
    }
}

/// Reading stops while too much of what was answered waits to be written. When all of it goes out at once, nobody is woken
/// for what was not read meanwhile.
#[tokio::test(start_paused = true)]
async fn reading_goes_on_when_the_answers_that_stopped_it_are_out() {
    let mut limits = Limits::default();
    limits.unwritten_answers = 1;
    let mut rig = Rig::new(Config::new(Role::Server).with_limits(limits));
    let pings: String =
        (1..=3).map(|id| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n")).collect();
    rig.peer.send_bytes(pings.as_bytes()).await.unwrap();
    for id in 1..=3 {
        let answer = tokio::time::timeout(Duration::from_secs(1), rig.peer.recv()).await.unwrap().unwrap();
        assert_eq!(answer, format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#));
    }
}
