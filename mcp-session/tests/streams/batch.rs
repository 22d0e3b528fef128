//! A batch that stands alone.

use std::time::Duration;

use mcp_session::engine::{By, Close, Principal, Reason};
use mcp_session::{SingleExchange, Terminal, What};

use crate::support::{Methods, Singles, all, config, request};

#[tokio::test(start_paused = true)]
async fn it_is_answered_by_one_array() {
    let singles = Singles::new(config());
    let note = r#"{"jsonrpc":"2.0","method":"notifications/x"}"#.to_owned();
    let mut exchange = singles.open_batch(&[request(1, "tools/list"), note, request(2, "ping")], |_| ());
    let said = exchange.said().await.unwrap();
    let expected = r#"[{"jsonrpc":"2.0","id":1,"result":{ }},{"jsonrpc":"2.0","id":2,"result":{}}]"#;
    assert_eq!((&*said.json, said.what), (expected.as_bytes(), What::Answer(Terminal::Result)));
    assert!(exchange.said().await.is_none());
    let report = exchange.report().unwrap();
    assert_eq!((report.reason, report.tally.received, report.tally.answered), (Reason::ReadEnded, 2, 2));
}

#[tokio::test(start_paused = true)]
async fn handlers_that_are_not_ready_run_side_by_side() {
    let singles = Singles::new(config());
    let batch = [request(1, "waits"), request(2, "notes"), request(3, "tools/list"), request(4, "waits")];
    let mut exchange = singles.open_batch(&batch, |_| ());
    assert_eq!(crate::support::word(&exchange.said().await.unwrap()), "note 1");
    assert_eq!(singles.alive(), 3);
    singles.service.go.add_permits(3);
    assert_eq!(all(&mut exchange).await, ["note 2", "note 3", "batch of 4"]);
    assert_eq!(singles.alive(), 0);
}

#[tokio::test(start_paused = true)]
async fn those_over_the_limit_wait_for_their_turn() {
    let mut config = config();
    config.limits.in_flight = 1;
    let singles = Singles::new(config);
    let batch = [request(1, "waits"), request(2, "waits"), request(3, "waits")];
    let mut exchange = singles.open_batch(&batch, |_| ());
    assert!(is_pending(&mut exchange).await);
    assert_eq!(singles.alive(), 1);
    singles.service.go.add_permits(3);
    assert_eq!(all(&mut exchange).await, ["batch of 3"]);
}

#[tokio::test(start_paused = true)]
async fn each_element_is_refused_by_itself() {
    let singles = Singles::new(config());
    let batch = [request(1, "waits"), request(1, "waits"), request(2, "initialize"), "[]".to_owned(), "7".to_owned()];
    let mut exchange = singles.open_batch(&batch, |_| ());
    singles.service.go.add_permits(1);
    let said = exchange.said().await.unwrap();
    let answers: serde_json::Value = serde_json::from_slice(&said.json).unwrap();
    let told = |answer: &serde_json::Value| format!("{} {}", answer["id"], answer["error"]["code"]);
    let told: Vec<_> = answers.as_array().unwrap().iter().map(told).collect();
    assert_eq!(told, ["1 -32600", "2 -32600", "null -32600", "null -32600", "1 null"]);
}

#[tokio::test(start_paused = true)]
async fn one_that_asks_for_nothing_is_answered_by_nothing() {
    let singles = Singles::new(config());
    let note = r#"{"jsonrpc":"2.0","method":"notifications/x"}"#.to_owned();
    let answer = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#.to_owned();
    let mut exchange = singles.open_batch(&[note, answer], |_| ());
    assert!(all(&mut exchange).await.is_empty());
    assert_eq!(exchange.report().unwrap().reason, Reason::ReadEnded);
}

#[tokio::test(start_paused = true)]
async fn one_who_leaves_ends_all_its_handlers() {
    let singles = Singles::new(config());
    let batch = [request(1, "waits"), request(2, "tools/list"), request(3, "waits"), request(4, "notes")];
    let mut exchange = singles.open_batch(&batch, |_| ());
    assert!(!is_pending(&mut exchange).await, "a note");
    assert_eq!(singles.alive(), 3);
    let report = exchange.abandon();
    assert_eq!(singles.alive(), 0);
    assert_eq!((report.reason, report.tally.cancelled, report.tasks_alive), (Reason::PeerGone, 3, 0));
}

#[tokio::test(start_paused = true)]
async fn a_close_drains_it_whole_or_to_its_deadline() {
    let singles = Singles::new(config());
    for (permits, words, reason) in [(2, &["batch of 2"][..], Reason::Closed), (1, &[], Reason::DeadlinePassed)] {
        let mut exchange = singles.open_batch(&[request(1, "waits"), request(2, "waits")], |_| ());
        assert!(is_pending(&mut exchange).await);
        exchange.close(Close::Drain { within: Some(Duration::from_secs(5)) }, By::Handle);
        singles.service.go.add_permits(permits);
        assert_eq!(all(&mut exchange).await, words);
        assert_eq!((exchange.report().unwrap().reason, singles.alive()), (reason, 0));
    }
}

#[tokio::test(start_paused = true)]
async fn nobody_can_be_asked_and_everybody_knows_who_asks() {
    let singles = Singles::new(config());
    let batch = [request(1, "asks"), request(2, "who")];
    let mut exchange = singles.open_batch(&batch, |opening| opening.principal = Principal::named("anna"));
    let said = exchange.said().await.unwrap();
    let answers: serde_json::Value = serde_json::from_slice(&said.json).unwrap();
    let result = |id: i64| answers.as_array().unwrap().iter().find(|it| it["id"] == id).unwrap()["result"].clone();
    assert_eq!((&result(1)["closed"], &result(2)["who"]), (&false.into(), &"anna".into()));
}

/// Polls once, and says whether there is nothing yet.
async fn is_pending(exchange: &mut SingleExchange<Methods>) -> bool {
    std::future::poll_fn(|cx| std::task::Poll::Ready(exchange.poll_next(cx).is_pending())).await
}
