//! A session of a handshake over many streams, that cannot be resumed.

use std::time::Duration;

use mcp_session::engine::{By, Change, Close, Dropped, Principal, Reason};
use mcp_session::{Terminal, What};

use crate::support::{Rig, config, next, request, rest, settle};

#[tokio::test(start_paused = true)]
async fn each_delivery_is_answered_on_its_own_stream() {
    let rig = Rig::new(config()).await;
    let (mut one, mut two) = (rig.call(1, "waits"), rig.call(1, "notes"));
    assert_eq!(rest(&mut rig.call(2, "tools/list")).await, ["result 2 {}"]);
    assert_eq!([next(&mut two).await, next(&mut two).await], ["note 1", "note 2"]);
    rig.go();
    assert_eq!(rest(&mut one).await, ["result 1 {}"]);
    rig.go();
    assert_eq!(rest(&mut two).await, ["note 3", "result 1 {}"]);
    assert_eq!(rig.alive(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_batch_is_answered_by_one_array() {
    let rig = Rig::new(config()).await;
    // The revision of the handshake has none.
    let batch = format!("[{},{}]", request(1, "tools/list"), request(2, "waits"));
    assert_eq!(rest(&mut rig.post(&batch)).await, ["error null -32600"]);
}

#[tokio::test(start_paused = true)]
async fn the_client_is_asked_on_the_stream_of_the_request() {
    let rig = Rig::new(config()).await;
    let mut get = rig.session.listen(mcp_session::Delivery::default());
    let mut post = rig.call(1, "asks");
    assert_eq!(next(&mut post).await, "call 1 roots/list");
    rig.respond(1).await;
    assert_eq!(rest(&mut post).await, [r#"result 1 {"roots":[]}"#]);
    // What belongs to no request goes out on the other one, and so does what a stream cannot carry.
    rig.session.link().changed(Change::Tools);
    assert_eq!(next(&mut get).await, "note tools/list_changed");
    let mut quiet = rig.post_with(&request(2, "asks"), |delivery| delivery.quiet = true);
    assert_eq!(next(&mut get).await, "call 2 roots/list");
    rig.respond(2).await;
    assert_eq!(rest(&mut quiet).await, [r#"result 2 {"roots":[]}"#]);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_nothing_can_carry_fails_at_once() {
    let rig = Rig::new(config()).await;
    let mut quiet = rig.post_with(&request(2, "asks"), |delivery| delivery.quiet = true);
    assert_eq!(rest(&mut quiet).await, [r#"result 2 {"closed":false}"#]);
}

#[tokio::test(start_paused = true)]
async fn a_lost_stream_is_no_cancel() {
    let rig = Rig::new(config()).await;
    let post = rig.call(1, "waits");
    settle().await;
    drop(post);
    settle().await;
    assert_eq!(rig.alive(), 1, "it runs on");
    rig.go();
    settle().await;
    assert_eq!(rig.alive(), 0);
    // A question on a stream that was lost is answered by nobody.
    let mut asks = rig.call(2, "asks");
    assert_eq!(next(&mut asks).await, "call 1 roots/list");
    drop(asks);
    settle().await;
    assert_eq!(rig.alive(), 0);
    let report = end(rig).await;
    assert_eq!(report.tally.dropped(Dropped::NotWritable), 2);
    assert_eq!((report.tally.received, report.tally.cancelled, report.tally.answered), (3, 2, 1));
}

#[tokio::test(start_paused = true)]
async fn a_cancel_ends_the_stream_that_waits() {
    let rig = Rig::new(config()).await;
    let mut post = rig.call(1, "waits");
    settle().await;
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    assert!(rest(&mut rig.post(cancel)).await.is_empty());
    assert!(rest(&mut post).await.is_empty());
    settle().await;
    assert_eq!(rig.alive(), 0);
}

#[tokio::test(start_paused = true)]
async fn who_asks_is_known() {
    let rig = Rig::new(config()).await;
    let mut post = rig.post_with(&request(1, "who"), |delivery| delivery.principal = Principal::named("anna"));
    assert_eq!(rest(&mut post).await, [r#"result 1 {"who":"anna"}"#]);
}

#[tokio::test(start_paused = true)]
async fn a_delete_ends_everything() {
    let rig = Rig::new(config()).await;
    let mut get = rig.session.listen(mcp_session::Delivery::default());
    let (mut one, mut two) = (rig.call(1, "waits"), rig.call(2, "asks"));
    assert_eq!(next(&mut two).await, "call 1 roots/list");
    let report = rig.session.delete().await;
    assert_eq!(report.reason, Reason::Deleted);
    assert_eq!((rest(&mut one).await.len(), rest(&mut two).await.len(), rest(&mut get).await.len()), (0, 0, 0));
    assert_eq!(rig.alive(), 0);
    assert_eq!(rig.run.await.unwrap().reason, Reason::Deleted);
    // Whatever comes later finds it closed.
    let service = rig.service;
    drop((one, two, get, rig.session));
    assert_eq!(std::sync::Arc::strong_count(&service), 1);
}

#[tokio::test(start_paused = true)]
async fn it_expires_when_nothing_keeps_it() {
    let idle = Duration::from_secs(60);
    let rig = Rig::new(config().with_expiry(idle)).await;
    let begin = tokio::time::Instant::now();
    let get = rig.session.listen(mcp_session::Delivery::default());
    tokio::time::sleep(idle * 3).await; // tidy: waits for the limit to pass, on the paused clock
    assert!(!rig.run.is_finished(), "a stream is open");
    drop(get);
    tokio::time::sleep(idle / 2).await; // tidy: waits for half of the limit, on the paused clock
    assert_eq!(rest(&mut rig.call(2, "tools/list")).await, ["result 2 {}"]);
    assert_eq!(rig.run.await.unwrap().reason, Reason::Expired);
    assert_eq!(begin.elapsed(), idle * 3 + idle / 2 + idle);
}

#[tokio::test(start_paused = true)]
async fn a_close_drains_and_refuses_what_is_new() {
    let rig = Rig::new(config()).await;
    let mut get = rig.session.listen(mcp_session::Delivery::default());
    let mut post = rig.call(1, "waits");
    let closed = rig.session.end(Close::Drain { within: None }, By::Handle);
    let mut late = rig.call(2, "tools/list");
    let said = late.said().await.unwrap();
    assert_eq!(said.what, What::Answer(Terminal::Closing));
    rig.go();
    assert_eq!(rest(&mut post).await, ["result 1 {}"]);
    assert_eq!(rest(&mut late).await.len(), 0);
    assert!(rest(&mut get).await.is_empty());
    let report = closed.await;
    assert_eq!((report.reason, report.tally.drained), (Reason::Closed, 1));
}

#[tokio::test(start_paused = true)]
async fn a_flood_of_notifications_waits_for_its_reader() {
    let mut limits = mcp_session::limits::Limits::default();
    limits.unwritten_notes = 10;
    let rig = Rig::new(config().with_limits(limits)).await;
    let mut post = rig.call(1, "notes");
    settle().await;
    assert_eq!([next(&mut post).await, next(&mut post).await], ["note 1", "note 2"]);
    rig.go();
    assert_eq!(rest(&mut post).await, ["note 3", "result 1 {}"]);
}

async fn end(rig: Rig) -> mcp_session::engine::Report {
    drop(rig.session.delete());
    rig.run.await.unwrap()
}
