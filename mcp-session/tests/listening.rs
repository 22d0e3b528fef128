//! Subscriptions on the wire: who serves them, and who made them.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::disallowed_methods, reason = "a test plays several sides at once")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_session::engine::{AtReadEnd, Change, Changes, Config, Dropped, Reason, Role, Wants};
use mcp_session::limits::Limits;
use mcp_session::transports::memory::{self, RawEnd};
use mcp_session::{Answering, Body, CallError, CallFuture, Context, Handle, Note, NoteFuture, Peer, Service, Session};
use mcp_types::jsonrpc::{ErrorCode, ErrorObject, Request, read_string};
use serde_json::value::RawValue;
use tokio::sync::mpsc;

/// Serves subscriptions of both eras, and keeps notifications that belong to none.
struct Listens {
    notes: mpsc::UnboundedSender<String>,
}

impl Service for Listens {
    fn serve(&self, request: &Request<'_>, context: Context) -> Answering {
        let uri = request.params.uri.and_then(read_string).unwrap_or_default();
        let answer = match &*request.method {
            "subscriptions/listen" => {
                let wants = Wants::from(Changes::NONE.with(Change::Tools)).with_resource("file:///a\"b");
                return Answering::Listen { wants, acknowledged: br#"{"acknowledged":true}"#.to_vec() };
            }
            "resources/subscribe" => context.subscribe(&uri).map_err(|error| error.to_string()),
            "resources/unsubscribe" => {
                context.unsubscribe(&uri);
                Ok(())
            }
            _ => Ok(()),
        };
        let error = |text| ErrorObject::new(ErrorCode::INVALID_PARAMS, text);
        Answering::Ready(answer.map(|()| Body::from_json(b"{}".to_vec())).map_err(error))
    }

    fn notified(&self, note: Note, _: &Peer) -> Option<NoteFuture> {
        self.notes.send(note.method.into()).unwrap();
        None
    }
}

struct Rig {
    handle: Handle,
    peer: RawEnd,
    notes: mpsc::UnboundedReceiver<String>,
}

impl Rig {
    fn new(role: Role, change: impl FnOnce(&mut Limits)) -> Self {
        let mut limits = Limits::default();
        change(&mut limits);
        let config = Config::new(role).with_at_read_end(AtReadEnd::Drain).with_limits(limits);
        let (end, peer) = memory::raw();
        let (sender, notes) = mpsc::unbounded_channel();
        let (handle, driver) = Session::new(config).open(Arc::new(Listens { notes: sender }), end);
        driver.spawn();
        Self { handle, peer, notes }
    }

    fn client() -> Self {
        Self::new(Role::Client, |_| {})
    }

    async fn send(&mut self, line: &str) {
        self.peer.send(line).await.unwrap();
    }

    async fn asks(&mut self, id: i64, method: &str, params: &str) {
        self.send(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{params}}}}}"#)).await;
    }

    async fn line(&mut self) -> String {
        within(self.peer.recv()).await.unwrap()
    }
}

async fn within<R>(wait: impl Future<Output = R>) -> R {
    tokio::time::timeout(Duration::from_secs(120), wait).await.unwrap()
}

const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

#[tokio::test(start_paused = true)]
async fn a_listen_is_told_of_resources_with_its_id() {
    let mut rig = Rig::new(Role::Server, |_| {});
    rig.asks(7, "subscriptions/listen", META).await;
    let acknowledged =
        r#"{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"acknowledged":true}}"#;
    assert_eq!(rig.line().await, acknowledged);
    rig.handle.peer().link().resource_updated("file:///other");
    rig.handle.peer().link().resource_updated("file:///a\"b");
    rig.handle.peer().link().changed(Change::Tools);
    let meta = r#""_meta":{"io.modelcontextprotocol/subscriptionId":7}"#;
    let updated = r#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"#;
    assert_eq!(rig.line().await, format!(r#"{updated}{meta},"uri":"file:///a\"b"}}}}"#));
    let changed = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"#;
    assert_eq!(rig.line().await, format!("{changed}{meta}}}}}"));
    rig.peer.close_write();
    assert_eq!(rig.line().await, format!(r#"{{"jsonrpc":"2.0","id":7,"result":{{"resultType":"complete",{meta}}}}}"#));
}

#[tokio::test(start_paused = true)]
async fn a_subscription_that_the_peer_ends_by_a_cancel_settles() {
    let mut rig = Rig::client();
    let call = rig.handle.peer().call("subscriptions/listen", None).untimed().with_notes(|_, _| ());
    let call = tokio::spawn(call);
    assert!(rig.line().await.contains(r#""id":1,"method":"subscriptions/listen""#));
    rig.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#).await;
    let error = within(call).await.unwrap().unwrap_err();
    assert!(matches!(error, CallError::EndedByPeer { method } if &*method == "subscriptions/listen"));
    // Nothing is owed for it any more.
    drop(rig.handle);
    assert_eq!(within(rig.peer.recv()).await, None);
}

#[tokio::test(start_paused = true)]
async fn a_subscription_that_does_not_begin_says_which_limit_passed() {
    let mut rig = Rig::client();
    let (first, idle) = (Duration::from_secs(10), Duration::from_secs(20));
    for begins in [false, true] {
        let call = rig.handle.peer().call("subscriptions/listen", None).timeout(idle).begins_within(first);
        let call = tokio::spawn(call.max_time(None).with_notes(|_, _| ()));
        let id = if begins { 2 } else { 1 };
        assert!(rig.line().await.contains(&format!(r#""id":{id},"method":"subscriptions/listen""#)));
        if begins {
            let meta = format!(r#""_meta":{{"io.modelcontextprotocol/subscriptionId":{id}}}"#);
            let method = "notifications/subscriptions/acknowledged";
            rig.send(&format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{{{meta}}}}}"#)).await;
        }
        let error = within(call).await.unwrap().unwrap_err();
        let passed = if begins { idle } else { first };
        assert!(matches!(error, CallError::TimedOut { limit, .. } if limit == passed), "{error}");
        assert!(rig.line().await.contains("notifications/cancelled"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_legacy_session_subscribes_and_unsubscribes() {
    let mut rig = Rig::new(Role::Server, |limits| limits.subscriptions = 1);
    let done = |id: i64| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#);
    rig.asks(0, "initialize", r#""protocolVersion":"2025-11-25""#).await;
    assert_eq!(rig.line().await, done(0));
    for id in [1, 2] {
        rig.asks(id, "resources/subscribe", r#""uri":"file:///a""#).await;
        assert_eq!(rig.line().await, done(id));
    }
    rig.asks(3, "resources/subscribe", r#""uri":"file:///b""#).await;
    assert!(rig.line().await.contains("a connection may have 1 subscriptions to resources"));
    rig.handle.peer().link().resource_updated("file:///a");
    let updated = r#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"file:///a"}}"#;
    assert_eq!(rig.line().await, updated);
    rig.asks(4, "resources/unsubscribe", r#""uri":"file:///a""#).await;
    assert_eq!(rig.line().await, done(4));
    rig.handle.peer().link().resource_updated("file:///a");
    rig.asks(5, "tools/list", "").await;
    assert_eq!(rig.line().await, done(5));
}

#[tokio::test(start_paused = true)]
async fn a_listen_with_more_resources_than_the_limit_is_refused() {
    let mut rig = Rig::new(Role::Server, |limits| limits.subscriptions = 0);
    rig.asks(1, "subscriptions/listen", META).await;
    let refused = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"too many requests","data":{"reason":"overloaded"}}}"#;
    assert_eq!(rig.line().await, refused);
    rig.handle.peer().link().changed(Change::Tools);
    rig.peer.close_write();
    assert_eq!(within(rig.peer.recv()).await, None);
    let report = within(rig.handle.closed()).await;
    assert_eq!((report.tally.refused, report.tally.answered), (1, 0));
}

/// What a subscription was told, as `method params`.
type Told = Arc<Mutex<Vec<String>>>;

fn listening(handle: &Handle) -> (CallFuture, Told) {
    let told = Told::default();
    let callback = {
        let told = Arc::clone(&told);
        move |method: &str, params: Option<&RawValue>| {
            told.lock().unwrap().push(format!("{method} {}", params.map_or("", RawValue::get)));
        }
    };
    (handle.peer().call("subscriptions/listen", None).untimed().with_notes(callback), told)
}

fn on(id: &str, method: &str, more: &str) -> String {
    let meta = format!(r#""_meta":{{"io.modelcontextprotocol/subscriptionId":{id}}}"#);
    format!(r#"{{"jsonrpc":"2.0","method":"notifications/{method}","params":{{{meta}{more}}}}}"#)
}

/// The methods, and what follows the metadata.
fn short(told: &Told) -> Vec<String> {
    let told = told.lock().unwrap();
    told.iter()
        .map(|line| {
            let (method, params) = line.split_once(' ').unwrap();
            let rest = params.split_once('}').unwrap().1.trim_start_matches(',').trim_end_matches('}');
            format!("{} {rest}", method.trim_start_matches("notifications/")).trim_end().to_owned()
        })
        .collect()
}

/// Waits until everything that was sent before has been handled.
async fn settle(rig: &mut Rig) {
    rig.asks(99, "ping", "").await;
    while !rig.line().await.contains(r#""id":99"#) {}
}

#[tokio::test(start_paused = true)]
async fn what_carries_the_id_of_a_call_of_ours_belongs_to_it() {
    let mut rig = Rig::client();
    let (one, told_one) = listening(&rig.handle);
    let (two, told_two) = listening(&rig.handle);
    let (one, two) = (tokio::spawn(one), tokio::spawn(two));
    for _ in 0..2 {
        rig.line().await;
    }
    for line in [
        on("1", "subscriptions/acknowledged", r#","notifications":{}"#),
        on("2", "subscriptions/acknowledged", ""),
        on("1", "tools/list_changed", ""),
        // A peer that makes strings of numbers is understood.
        on("\"2\"", "resources/updated", r#","uri":"file:///a""#),
        on("1", "x/task", r#","n":1"#),
        on("1", "x/task", r#","n":1"#),
    ] {
        rig.send(&line).await;
    }
    rig.send(r#"{"jsonrpc":"2.0","id":2,"result":{}}"#).await;
    assert_eq!(within(two).await.unwrap().unwrap().get(), "{}");
    assert_eq!(short(&told_two), ["subscriptions/acknowledged", r#"resources/updated "uri":"file:///a""#]);
    rig.send(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#).await;
    within(one).await.unwrap().unwrap();
    let expected =
        [r#"subscriptions/acknowledged "notifications":{"#, "tools/list_changed", r#"x/task "n":1"#, r#"x/task "n":1"#];
    assert_eq!(short(&told_one), expected, "in order, before the result");
    assert!(rig.notes.try_recv().is_err());
}

#[tokio::test(start_paused = true)]
async fn a_subscription_that_nobody_waits_for_is_counted() {
    let mut rig = Rig::client();
    let deaf = tokio::spawn(rig.handle.peer().call("subscriptions/listen", None));
    rig.line().await;
    for id in ["1", "2", "-1", "1e400", "\"x\"", "null", "{}"] {
        rig.send(&on(id, "tools/list_changed", "")).await;
    }
    // Without an id it is as ever.
    rig.send(r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#).await;
    assert_eq!(within(rig.notes.recv()).await.unwrap(), "notifications/tools/list_changed");
    rig.peer.close_write();
    assert!(matches!(within(deaf).await.unwrap(), Err(CallError::ConnectionClosed { .. })));
    let report = within(rig.handle.closed()).await;
    assert_eq!((report.reason, report.tally.dropped(Dropped::UnknownSubscription)), (Reason::ReadEnded, 7));
}

#[tokio::test(start_paused = true)]
async fn changes_that_nobody_looked_at_coalesce() {
    let mut rig = Rig::client();
    let (mut listen, told) = listening(&rig.handle);
    // Polled once, and then not for a while.
    let poll_once = |listen: &mut CallFuture| {
        let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(std::pin::Pin::new(listen).poll(&mut cx).is_pending());
    };
    poll_once(&mut listen);
    rig.line().await;
    for _ in 0..3 {
        for (method, more) in [
            ("tools/list_changed", ""),
            ("resources/updated", r#","uri":"file:///a""#),
            ("prompts/list_changed", ""),
            ("resources/updated", r#","uri":"file:///b""#),
        ] {
            rig.send(&on("1", method, more)).await;
        }
    }
    settle(&mut rig).await;
    poll_once(&mut listen);
    let each = [
        "tools/list_changed",
        r#"resources/updated "uri":"file:///a""#,
        "prompts/list_changed",
        r#"resources/updated "uri":"file:///b""#,
    ];
    assert_eq!(short(&told), each);
    // What was looked at may be told again.
    rig.send(&on("1", "tools/list_changed", "")).await;
    settle(&mut rig).await;
    poll_once(&mut listen);
    assert_eq!(short(&told).len(), 5);
    drop(listen);
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    assert_eq!(rig.line().await, cancel);
}

#[tokio::test(start_paused = true)]
async fn a_subscription_that_nobody_looks_at_is_bounded() {
    let mut rig = Rig::new(Role::Client, |limits| limits.inbox = 3);
    let (mut listen, told) = listening(&rig.handle);
    let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
    assert!(std::pin::Pin::new(&mut listen).poll(&mut cx).is_pending());
    rig.line().await;
    for n in 0..5 {
        rig.send(&on("1", "x/task", &format!(r#","n":{n}"#))).await;
    }
    settle(&mut rig).await;
    assert!(std::pin::Pin::new(&mut listen).poll(&mut cx).is_pending());
    assert_eq!(short(&told), [r#"x/task "n":2"#, r#"x/task "n":3"#, r#"x/task "n":4"#]);
    drop(listen);
    let report = within(rig.handle.close()).await;
    assert_eq!(report.tally.dropped(Dropped::Overtaken), 2);
}
