//! The buffer of frames to write.

use mcp_session::framing::{Batch, FrameKind, Outgoing};

fn add(outgoing: &mut Outgoing, text: &str, kind: FrameKind) {
    outgoing.begin().extend_from_slice(text.as_bytes());
    outgoing.commit(kind);
}

fn text(batch: &Batch) -> &str {
    str::from_utf8(batch.frames().bytes()).expect("the tests write text")
}

fn write(batch: &mut Batch, count: usize) -> Vec<FrameKind> {
    let mut sent = Vec::new();
    batch.advance(count, |kind| sent.push(kind));
    sent
}

/// Takes out everything that is left.
fn rest(outgoing: &mut Outgoing) -> String {
    let mut batch = outgoing.take();
    let rest = text(&batch).to_owned();
    let count = rest.len();
    write(&mut batch, count);
    outgoing.restore(batch);
    assert!(outgoing.is_empty());
    assert_eq!(outgoing.unwritten_answers(), 0);
    rest
}

#[test]
fn frames_are_written_in_order_each_with_its_line_ending() {
    let mut outgoing = Outgoing::new();
    add(&mut outgoing, "one", FrameKind::Answer);
    add(&mut outgoing, "two", FrameKind::Note);
    let batch = outgoing.take();
    assert_eq!(text(&batch), "one\ntwo\n");
    assert_eq!(batch.frames().lens().collect::<Vec<_>>(), [4, 4]);
}

#[test]
fn a_frame_counts_as_sent_with_its_first_byte() {
    let mut outgoing = Outgoing::new();
    add(&mut outgoing, "one", FrameKind::Call(1));
    add(&mut outgoing, "two", FrameKind::Note);
    add(&mut outgoing, "three", FrameKind::Call(3));
    let mut batch = outgoing.take();
    assert_eq!(write(&mut batch, 1), [FrameKind::Call(1)]);
    assert_eq!(write(&mut batch, 3), []);
    assert_eq!(batch.frames().lens().collect::<Vec<_>>(), [4, 6]);
    assert_eq!(write(&mut batch, 5), [FrameKind::Note, FrameKind::Call(3)]);
    assert_eq!(batch.frames().lens().collect::<Vec<_>>(), [5]);
    assert_eq!(write(&mut batch, 5), []);
    assert!(batch.is_empty());
}

#[test]
fn what_a_write_leaves_goes_in_front_of_what_came_meanwhile() {
    let mut outgoing = Outgoing::new();
    add(&mut outgoing, "one", FrameKind::Answer);
    add(&mut outgoing, "two", FrameKind::Answer);
    let mut batch = outgoing.take();
    add(&mut outgoing, "three", FrameKind::Answer);
    write(&mut batch, 6);
    outgoing.restore(batch);
    add(&mut outgoing, "four", FrameKind::Answer);
    assert_eq!(outgoing.len(), 2 + 6 + 5);
    assert_eq!(rest(&mut outgoing), "o\nthree\nfour\n");
}

#[test]
fn what_comes_meanwhile_stays_when_everything_else_is_written() {
    let mut outgoing = Outgoing::new();
    for round in 0..5 {
        add(&mut outgoing, &format!("early {round}"), FrameKind::Note);
        let mut batch = outgoing.take();
        add(&mut outgoing, &format!("late {round}"), FrameKind::Note);
        let all = batch.frames().bytes().len();
        write(&mut batch, all);
        outgoing.restore(batch);
        assert_eq!(rest(&mut outgoing), format!("late {round}\n"));
    }
}

#[test]
fn unwritten_answers_are_counted_wherever_they_are() {
    let mut outgoing = Outgoing::new();
    add(&mut outgoing, "note", FrameKind::Note);
    add(&mut outgoing, "answer", FrameKind::Answer);
    assert_eq!(outgoing.unwritten_answers(), 7);
    let mut batch = outgoing.take();
    assert_eq!(outgoing.unwritten_answers(), 7, "out with the driver is not written");
    add(&mut outgoing, "more", FrameKind::Answer);
    assert_eq!(outgoing.unwritten_answers(), 12);
    write(&mut batch, 5 + 3);
    outgoing.restore(batch);
    assert_eq!(outgoing.unwritten_answers(), 4 + 5);
    assert_eq!(rest(&mut outgoing), "wer\nmore\n");
}

#[test]
fn a_call_is_withdrawn_unless_it_was_begun() {
    let mut outgoing = Outgoing::new();
    for call in 1..=3 {
        add(&mut outgoing, &format!("call {call}"), FrameKind::Call(call));
    }
    assert!(outgoing.withdraw(2));
    assert!(!outgoing.withdraw(2), "once only");
    assert!(!outgoing.withdraw(9), "never there");
    let mut batch = outgoing.take();
    assert!(!outgoing.withdraw(3), "it may be on its way");
    write(&mut batch, 3);
    outgoing.restore(batch);
    assert!(!outgoing.withdraw(1), "begun");
    assert!(outgoing.withdraw(3), "back and not begun");
    assert_eq!(rest(&mut outgoing), "l 1\n");
}

#[test]
fn a_withdrawal_behind_frames_that_are_out_hits_the_right_bytes() {
    let mut outgoing = Outgoing::new();
    add(&mut outgoing, "first frame", FrameKind::Note);
    add(&mut outgoing, "second", FrameKind::Note);
    add(&mut outgoing, "third", FrameKind::Call(3));
    add(&mut outgoing, "fourth, which is long enough to stay", FrameKind::Note);
    let mut batch = outgoing.take();
    write(&mut batch, 12 + 2);
    outgoing.restore(batch);
    assert!(outgoing.withdraw(3));
    assert_eq!(rest(&mut outgoing), "cond\nfourth, which is long enough to stay\n");
}

#[test]
fn a_withdrawal_drops_a_frame_that_was_begun_and_not_committed() {
    let mut outgoing = Outgoing::new();
    add(&mut outgoing, "one", FrameKind::Call(1));
    outgoing.begin().extend_from_slice(b"unfinished");
    assert!(outgoing.withdraw(1));
    add(&mut outgoing, "two", FrameKind::Note);
    assert_eq!(rest(&mut outgoing), "two\n");
}

#[test]
fn an_unfinished_frame_is_never_written() {
    let mut outgoing = Outgoing::new();
    add(&mut outgoing, "one", FrameKind::Note);
    outgoing.begin().extend_from_slice(b"unfinished");
    let mut batch = outgoing.take();
    assert_eq!(text(&batch), "one\n");
    outgoing.begin().extend_from_slice(b"unfinished too");
    write(&mut batch, 1);
    outgoing.restore(batch);
    add(&mut outgoing, "two", FrameKind::Note);
    assert_eq!(rest(&mut outgoing), "ne\ntwo\n");
}

#[test]
fn discarding_keeps_the_frame_under_way() {
    let mut outgoing = Outgoing::new();
    add(&mut outgoing, "answer", FrameKind::Answer);
    add(&mut outgoing, "two", FrameKind::Answer);
    add(&mut outgoing, "three", FrameKind::Note);
    let mut batch = outgoing.take();
    write(&mut batch, 2);
    outgoing.restore(batch);
    assert_eq!(outgoing.discard_unbegun(), 2);
    assert_eq!(outgoing.unwritten_answers(), 5);
    add(&mut outgoing, "later", FrameKind::Note);
    assert_eq!(rest(&mut outgoing), "swer\nlater\n");
}

#[test]
fn discarding_between_frames_leaves_nothing() {
    let mut outgoing = Outgoing::new();
    add(&mut outgoing, "one", FrameKind::Answer);
    add(&mut outgoing, "two", FrameKind::Answer);
    let mut batch = outgoing.take();
    write(&mut batch, 4);
    outgoing.restore(batch);
    assert_eq!(outgoing.discard_unbegun(), 1);
    assert!(outgoing.is_empty());
    assert_eq!(outgoing.unwritten_answers(), 0);
    assert_eq!(outgoing.discard_unbegun(), 0);
}

#[test]
fn a_frame_stays_one_line_whatever_white_space_is_in_it() {
    let mut outgoing = Outgoing::new();
    add(&mut outgoing, "{\n  \"a\":\r\n1}", FrameKind::Answer);
    add(&mut outgoing, "2", FrameKind::Answer);
    let batch = outgoing.take();
    assert_eq!(text(&batch), "{   \"a\":  1}\n2\n");
    assert_eq!(batch.frames().lens().count(), 2);
}

#[test]
fn a_steady_exchange_reuses_its_buffers() {
    let mut outgoing = Outgoing::new();
    for round in 0..10 {
        // The first two rounds allocate: one buffer that is written, one that is filled meanwhile.
        assert!(round < 2 || outgoing.begin().capacity() > 0);
        add(&mut outgoing, "a frame of some length", FrameKind::Answer);
        let mut batch = outgoing.take();
        assert!(round < 2 || outgoing.begin().capacity() > 0);
        add(&mut outgoing, "and one that comes meanwhile", FrameKind::Answer);
        let all = batch.frames().bytes().len();
        write(&mut batch, all);
        outgoing.restore(batch);
    }
}

#[test]
fn a_large_message_does_not_keep_its_memory() {
    let mut outgoing = Outgoing::new();
    add(&mut outgoing, &"x".repeat(1 << 20), FrameKind::Answer);
    assert_eq!(rest(&mut outgoing).len(), (1 << 20) + 1);
    assert!(outgoing.begin().capacity() <= 64 << 10);
}
