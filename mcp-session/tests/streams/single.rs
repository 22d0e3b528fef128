//! One message that stands alone.

use std::time::Duration;

use mcp_session::engine::{By, Change, Close, Dropped, Reason};
use mcp_session::{Terminal, What};
use mcp_types::jsonrpc::ErrorCode;
use mcp_types::version::Version;

use crate::support::{Singles, all, config, modern, request, settle};

#[tokio::test(start_paused = true)]
async fn what_is_ready_is_one_answer() {
    let singles = Singles::new(config());
    let mut exchange = singles.open(&modern(7, "tools/list"));
    let said = exchange.said().await.unwrap();
    assert_eq!(said.json, r#"{"jsonrpc":"2.0","id":7,"result":{ }}"#, "it is one line");
    assert_eq!((said.what, said.place), (What::Answer(Terminal::Result), None));
    assert!(exchange.said().await.is_none());
    let report = exchange.report().unwrap();
    assert_eq!((report.reason, report.tally.received, report.tally.answered), (Reason::ReadEnded, 1, 1));
}

#[tokio::test(start_paused = true)]
async fn notifications_come_before_the_answer() {
    let singles = Singles::new(config());
    let mut exchange = singles.open(&modern(7, "notes"));
    singles.service.go.add_permits(1);
    assert_eq!(all(&mut exchange).await, ["note 1", "note 2", "note 3", "result 7 {}"]);
    assert_eq!(singles.alive(), 0);
}

#[tokio::test(start_paused = true)]
async fn what_can_carry_no_notifications_drops_them() {
    let singles = Singles::new(config());
    let mut exchange = singles.open_with(&modern(7, "notes"), |opening| opening.quiet = true);
    singles.service.go.add_permits(1);
    assert_eq!(all(&mut exchange).await, ["result 7 {}"]);
    assert_eq!(exchange.report().unwrap().tally.dropped(Dropped::NotWritable), 3);
}

#[tokio::test(start_paused = true)]
async fn what_is_refused_says_how() {
    let singles = Singles::new(config());
    let old = modern(1, "tools/list").replace("2026-07-28", "2031-01-01");
    let partial = modern(1, "tools/list").replace(r#""io.modelcontextprotocol/clientCapabilities":{}"#, r#""x":1"#);
    let rows = [
        (modern(1, "ping"), ErrorCode::METHOD_NOT_FOUND),
        (modern(1, "initialize"), ErrorCode::METHOD_NOT_FOUND),
        (old, ErrorCode::UNSUPPORTED_PROTOCOL_VERSION),
        (partial, ErrorCode::INVALID_PARAMS),
        (modern(1, "panics"), ErrorCode::INTERNAL_ERROR),
    ];
    for (frame, code) in rows {
        let mut exchange = singles.open(&frame);
        let said = exchange.said().await.unwrap();
        assert_eq!(said.what, What::Answer(Terminal::Error(code)), "{frame}");
        assert!(exchange.said().await.is_none());
    }
}

#[tokio::test(start_paused = true)]
async fn what_asks_for_nothing_is_answered_by_nothing() {
    let singles = Singles::new(config());
    for frame in [
        r#"{"jsonrpc":"2.0","method":"notifications/x"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
    ] {
        assert!(all(&mut singles.open(frame)).await.is_empty(), "{frame}");
    }
}

#[tokio::test(start_paused = true)]
async fn one_who_leaves_ends_the_handler_at_once() {
    let singles = Singles::new(config());
    let mut exchange = singles.open(&modern(7, "waits"));
    assert!(futures_poll(&mut exchange).await);
    assert_eq!(singles.alive(), 1);
    let report = exchange.abandon();
    assert_eq!(singles.alive(), 0);
    assert_eq!((report.reason, report.tally.cancelled, report.tasks_alive), (Reason::PeerGone, 1, 0));
}

#[tokio::test(start_paused = true)]
async fn a_thousand_who_leave_leave_nothing() {
    let singles = Singles::new(config());
    for round in 0..1000 {
        let method = ["waits", "notes", "subscriptions/listen", "tools/list"][round % 4];
        let mut exchange = singles.open(&modern(1, method));
        // Some leave before anything has happened.
        if round % 3 > 0 {
            let _ = futures_poll(&mut exchange).await;
        }
    }
    assert_eq!(singles.alive(), 0);
    assert_eq!(std::sync::Arc::strong_count(&singles.service), 1);
}

#[tokio::test(start_paused = true)]
async fn work_on_a_thread_is_answered_or_given_up() {
    let singles = Singles::new(config());
    singles.service.go.add_permits(1);
    assert_eq!(all(&mut singles.open(&modern(7, "blocks"))).await, ["result 7 {}"]);
    singles.service.started.notified().await;
    let mut exchange = singles.open(&modern(8, "blocks"));
    assert!(futures_poll(&mut exchange).await);
    singles.service.started.notified().await;
    let report = exchange.abandon();
    assert_eq!(report.tasks_alive, 1, "a thread cannot be stopped");
    singles.service.go.add_permits(1);
}

#[tokio::test(start_paused = true)]
async fn a_listen_is_acknowledged_and_told_of_changes_until_the_server_closes() {
    let singles = Singles::new(config());
    let mut exchange = singles.open(&modern(7, "subscriptions/listen"));
    assert_eq!(crate::support::word(&exchange.said().await.unwrap()), "note subscriptions/acknowledged");
    assert!(exchange.is_listening());
    let link = exchange.link();
    let told = tokio::spawn(async move {
        let first = exchange.said().await;
        (exchange, first)
    });
    settle().await;
    link.changed(Change::Prompts);
    link.changed(Change::Tools);
    let (mut exchange, said) = told.await.unwrap();
    assert_eq!(crate::support::word(&said.unwrap()), "note tools/list_changed");
    exchange.close(Close::Drain { within: None }, By::Handle);
    let words = all(&mut exchange).await;
    assert!(words[0].starts_with("result 7"), "{words:?}");
    assert_eq!(exchange.report().unwrap().tally.answered, 1);
}

#[tokio::test(start_paused = true)]
async fn a_close_drains_to_its_deadline() {
    let singles = Singles::new(config());
    let mut exchange = singles.open(&modern(7, "waits"));
    assert!(futures_poll(&mut exchange).await);
    exchange.close(Close::Drain { within: Some(Duration::from_secs(5)) }, By::Handle);
    assert!(all(&mut exchange).await.is_empty());
    let report = exchange.report().unwrap();
    assert_eq!((report.reason, report.tally.cut_off.len()), (Reason::DeadlinePassed, 1));
    assert_eq!(singles.alive(), 0);
}

#[tokio::test(start_paused = true)]
async fn nobody_can_be_asked() {
    let singles = Singles::new(config());
    // A modern client takes no requests; a legacy one that has no session could not be answered.
    assert_eq!(all(&mut singles.open(&modern(7, "asks"))).await, [r#"result 7 {"closed":false}"#]);
    let established = Some(Version::V2025_06_18);
    let mut exchange = singles.open_with(&request(7, "asks"), |opening| opening.established = established);
    assert_eq!(all(&mut exchange).await, [r#"result 7 {"closed":false}"#]);
    let mut exchange = singles.open_with(&request(8, "tools/list"), |opening| opening.established = established);
    assert_eq!(all(&mut exchange).await, ["result 8 {}"]);
    // Without a revision it is told to begin with a handshake, which is answered, too.
    assert_eq!(all(&mut singles.open(&request(9, "tools/list"))).await, ["error 9 -32600"]);
}

#[tokio::test(start_paused = true)]
async fn reports_add_up() {
    let singles = Singles::new(config());
    let mut sum = mcp_session::engine::Report::new(Reason::Closed, None);
    for method in ["tools/list", "waits", "ping"] {
        let mut exchange = singles.open(&modern(7, method));
        let _ = futures_poll(&mut exchange).await;
        sum.add(&exchange.abandon());
    }
    let mut exchange = singles.open(&modern(8, "waits"));
    exchange.close(Close::Abort, By::Handle);
    sum.add(&exchange.abandon());
    let tally = &sum.tally;
    assert_eq!((tally.received, tally.answered, tally.refused, tally.cancelled), (4, 1, 1, 1));
    assert_eq!((tally.cut_off.len(), sum.tasks_alive, sum.reason), (1, 0, Reason::Closed));
}

/// Polls once, and says whether there is nothing yet.
async fn futures_poll(exchange: &mut mcp_session::SingleExchange<crate::support::Methods>) -> bool {
    std::future::poll_fn(|cx| std::task::Poll::Ready(exchange.poll_next(cx).is_pending())).await
}
