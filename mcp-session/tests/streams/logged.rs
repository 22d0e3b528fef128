//! Streams that can be taken up again.

use std::sync::atomic::Ordering;
use std::time::Duration;

use mcp_session::engine::{Change, Dropped, ExchangeId};
use mcp_session::{Delivery, ReplyStream};

use crate::support::{Rig, config, next, request, rest, settle};

/// What the log has of a stream after a place.
fn kept(rig: &Rig, stream: ExchangeId, after: u64) -> Vec<String> {
    let messages = rig.log.as_ref().unwrap().messages.lock().unwrap();
    let of_stream = messages.iter().zip(1..).filter(|((of, _), place)| *of == stream && *place > after);
    of_stream.map(|((_, message), place)| format!("{place} {}", String::from_utf8_lossy(message))).collect()
}

async fn next_place(stream: &mut ReplyStream) -> u64 {
    stream.said().await.unwrap().place.unwrap()
}

fn primed(rig: &Rig, id: i64, method: &str) -> ReplyStream {
    rig.post_with(&request(id, method), |delivery| delivery.primed = true)
}

#[tokio::test(start_paused = true)]
async fn what_is_ready_at_once_needs_no_log() {
    let rig = Rig::logged(config()).await;
    let mut post = primed(&rig, 1, "tools/list");
    assert!(!post.is_logged());
    assert_eq!(rest(&mut post).await, ["result 1 {}"]);
    assert!(rig.log.as_ref().unwrap().messages.lock().unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_lasts_begins_with_something_to_resume_from() {
    let rig = Rig::logged(config()).await;
    let mut post = primed(&rig, 1, "notes");
    assert!(post.is_logged());
    rig.go();
    assert_eq!(rest(&mut post).await, ["prime", "note 1", "note 2", "note 3", "result 1 {}"]);
    let mut without = rig.call(2, "notes");
    assert_eq!(next(&mut without).await, "note 1");
}

#[tokio::test(start_paused = true)]
async fn every_event_comes_once() {
    let rig = Rig::logged(config()).await;
    let mut post = primed(&rig, 1, "notes");
    let stream = post.exchange();
    assert_eq!(next(&mut post).await, "prime");
    let last = next_place(&mut post).await;
    drop(post);
    rig.go();
    settle().await;
    assert_eq!(rig.alive(), 0, "the handler ran on");
    // The stream waits for somebody to come back.
    let mut again = rig.session.attach(stream).unwrap();
    let missed = kept(&rig, stream, last);
    assert_eq!(missed.len(), 3, "{missed:?}");
    assert!(rest(&mut again).await.is_empty(), "everything was in the log");
    assert!(rig.session.attach(stream).is_none());
}

#[tokio::test(start_paused = true)]
async fn whoever_comes_back_takes_over() {
    let rig = Rig::logged(config()).await;
    let mut post = primed(&rig, 1, "notes");
    let stream = post.exchange();
    assert_eq!([next(&mut post).await, next(&mut post).await], ["prime", "note 1"]);
    let mut again = rig.session.attach(stream).unwrap();
    assert!(rest(&mut post).await.is_empty(), "the one before has ended");
    drop(post);
    rig.go();
    assert_eq!(rest(&mut again).await, ["note 3", "result 1 {}"]);
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_is_ended_for_now_goes_on_when_the_peer_comes_back() {
    let rig = Rig::logged(config()).await;
    let mut post = primed(&rig, 1, "sends away");
    let stream = post.exchange();
    let said = rest(&mut post).await;
    assert_eq!(said, ["prime"]);
    drop(post);
    assert_eq!(rig.alive(), 1);
    let mut again = rig.session.attach(stream).unwrap();
    rig.go();
    assert_eq!(rest(&mut again).await, ["result 1 {}"]);
}

#[tokio::test(start_paused = true)]
async fn a_question_on_a_lost_stream_waits_for_a_grace() {
    let rig = Rig::logged(config()).await;
    let mut post = rig.call(1, "asks");
    let stream = post.exchange();
    assert_eq!(next(&mut post).await, "call 1 roots/list");
    drop(post);
    settle().await;
    assert_eq!(rig.alive(), 1);
    tokio::time::sleep(Duration::from_secs(31)).await; // tidy: waits for the grace to pass, on the paused clock
    assert_eq!(rig.alive(), 0);
    assert_eq!(kept(&rig, stream, 1).len(), 1, "the answer is in the log");
    // Nobody came in time, and nobody is expected any more.
    assert!(rig.session.attach(stream).is_none());
}

#[tokio::test(start_paused = true)]
async fn what_belongs_to_no_request_is_kept_for_its_stream() {
    let rig = Rig::logged(config()).await;
    let get = rig.session.listen(Delivery::default());
    let stream = get.exchange();
    drop(get);
    rig.session.link().changed(Change::Tools);
    settle().await;
    assert_eq!(kept(&rig, stream, 0).len(), 1);
    let mut again = rig.session.attach(stream).unwrap();
    rig.session.link().changed(Change::Prompts);
    assert_eq!(next(&mut again).await, "note prompts/list_changed");
}

#[tokio::test(start_paused = true)]
async fn a_log_that_fails_loses_what_nobody_reads() {
    let rig = Rig::logged(config()).await;
    rig.log.as_ref().unwrap().fails.store(true, Ordering::Relaxed);
    let mut post = rig.call(1, "notes");
    assert_eq!(next(&mut post).await, "note 1", "it is said all the same");
    assert_eq!(next(&mut post).await, "note 2");
    drop(post);
    rig.go();
    settle().await;
    drop(rig.session.delete());
    let report = rig.run.await.unwrap();
    assert_eq!(report.tally.dropped(Dropped::NotWritable), 2);
}

#[tokio::test(start_paused = true)]
async fn a_thousand_lost_streams_leave_nothing() {
    let rig = Rig::logged(config()).await;
    for round in 0..1000 {
        let mut post = rig.call(1, ["waits", "notes", "tools/list"][round % 3]);
        if round % 2 == 0 {
            let _ = std::future::poll_fn(|cx| std::task::Poll::Ready(post.poll_next(cx).is_pending())).await;
        }
        drop(post);
        if round % 3 < 2 {
            rig.go();
        }
        if round % 100 == 0 {
            settle().await;
        }
    }
    settle().await;
    assert_eq!(rig.alive(), 0);
    let meters = rig.session.peer().meters();
    assert_eq!((meters.tasks_alive, meters.pending_slots), (0, 0));
    drop(rig.session.delete());
    let report = rig.run.await.unwrap();
    assert_eq!(report.tally.received, 1001);
    assert_eq!(report.tally.answered, 1001);
}
