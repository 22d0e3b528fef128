//! What becomes of a call of ours.

use std::time::Duration;

use mcp_session::engine::{CallId, CallSpec, ExchangeId, ExchangeKind, Frame, Input, MethodKind, Origin, WriteFailure};

use mcp_types::jsonrpc::{Fault, Malformed, Subject};

use crate::closing_table::scenarios;
use crate::support::{Checked, Fixture, PIPE, client, limited, modern, server};

fn timed(f: &mut Fixture, opens: bool) -> Checked<CallId> {
    let mut spec = CallSpec::new(Origin::Own);
    spec.opens = opens;
    spec.idle = Some(Duration::from_secs(10));
    spec.total = Some(Duration::from_secs(25));
    f.call_with(spec).ok_or_else(|| f.said())
}

scenarios! {
    C1 a_call_after_the_read_side_ended_fails_at_once(server(), handshaken) |f| {
        f.request(1);
        f.read_ends();
        f.no_call(Origin::Own);
        f.says("no call: Closed")
    }

    C5 a_handler_calls_after_the_read_side_ended(server(), handshaken) |f| {
        f.request(1);
        f.read_ends();
        let served = f.served(1)?;
        f.no_call(Origin::Handler(served));
        f.says("no call: Closed")?;
        f.finish(1)?;
        f.says("write x0, close x0")
    }

    C7 a_call_on_a_dead_write_side_fails_at_once(client(), handshaken) |f| {
        f.sent_call()?;
        f.write_fails(WriteFailure::Broken);
        f.no_call(Origin::Own);
        f.says("no call: Closed")
    }

    C7 a_call_after_the_end_fails_at_once(client(), handshaken) |f| {
        f.read_ends();
        f.closed(PIPE);
        f.says("finished ReadEnded")?;
        let served = { let mut other = Fixture::handshaken(server()); other.request(1); other.served(1)? };
        f.no_call(Origin::Handler(served));
        f.says("no call: Closed")?;
        f.no_call(Origin::Own);
        f.says("no call: Closed")?;
        let mut f = Fixture::handshaken(client().with_table(f.table()));
        f.peer_gone();
        f.says("discard, close x0, finished PeerGone")?;
        f.no_call(Origin::Own);
        f.says("no call: Closed")?;
        let mut closing = Fixture::handshaken(client().with_table(f.table()));
        closing.feed(Input::HandlesDropped);
        closing.no_call(Origin::Own);
        closing.says("no call: Closed")
    }

    C11 a_sent_call_is_cancelled(client(), handshaken) |f| {
        let call = f.sent_call()?;
        f.cancel_call(call);
        f.says("x0 ← cancel c1, settle c1 cancelled")?;
        f.response(call);
        f.says("dropped UnknownResponse")
    }

    C11 a_sent_call_is_silent_for_too_long(client(), handshaken) |f| {
        let call = timed(f, false)?;
        f.sent(call);
        f.passes(Duration::from_secs(9));
        f.progress(call);
        f.says("deliver progress c1")?;
        f.timeout()?;
        f.says("")?;
        f.holds("progress restarted it", f.due_in() == Some(Duration::from_secs(9)))?;
        f.timeout()?;
        f.says("x0 ← cancel c1, settle c1 idle")
    }

    C11 a_call_that_makes_progress_takes_too_long_altogether(client(), handshaken) |f| {
        let call = timed(f, false)?;
        f.sent(call);
        for _ in 0..2 {
            f.passes(Duration::from_secs(9));
            f.progress(call);
            f.timeout()?;
        }
        f.timeout()?;
        f.says("x0 ← cancel c1, settle c1 tooktoolong")
    }

    C11 a_handshake_is_never_cancelled_but_ends_the_session(client(), fresh) |f| {
        let call = timed(f, true)?;
        f.sent(call);
        f.cancel_call(call);
        f.says("settle c1 cancelled, close x0")
    }

    C12 a_response_to_nothing_is_counted(client(), handshaken) |f| {
        let call = f.sent_call()?;
        f.response(call);
        f.says("settle c1 answered")?;
        f.response(call);
        f.says("dropped UnknownResponse")?;
        f.feed(Input::Frame(PIPE, Frame::Response { call: None, is_text: false }));
        f.says("dropped UnknownResponse")
    }

    S5 a_response_whose_id_is_a_text_is_taken_and_counted(client(), handshaken) |f| {
        let call = f.sent_call()?;
        f.response_as_text(call);
        f.says("settle c1 answered")?;
        // It names nothing any more.
        f.response_as_text(call);
        f.says("dropped UnknownResponse")?;
        f.sent_call()?;
        let head = Malformed::new(Fault::NotAMessage, Subject::Response, "no result").with_id(Some("2".into()));
        f.feed(Input::Malformed(PIPE, head));
        f.holds("the second call has settled", f.engine.pending_calls() == 0)?;
        f.holds("both that were taken are counted", f.engine.tally().ids_as_text == 2)
    }

    C21 a_call_is_cancelled_before_it_was_sent(client(), handshaken) |f| {
        let call = f.call()?;
        f.cancel_call(call);
        f.says("withdraw c1, settle c1 cancelled")
    }

    C21 a_call_times_out_before_it_was_sent(client(), handshaken) |f| {
        timed(f, false)?;
        f.timeout()?;
        f.says("withdraw c1, settle c1 idle")
    }

    C32 a_handler_of_a_modern_request_calls_the_peer(server(), fresh) |f| {
        f.request_with(modern(1, MethodKind::Both));
        let served = f.served(1)?;
        f.no_call(Origin::Handler(served));
        f.says("no call: NotInThisEra")?;
        // A question is no call, whether or not the peer has said all it will say.
        f.read_ends();
        f.no_call(Origin::Handler(served));
        f.says("no call: NotInThisEra")
    }

    C32 a_handler_of_a_modern_request_calls_the_peer_of_a_legacy_session(server(), handshaken) |f| {
        f.request_with(modern(1, MethodKind::Both));
        let served = f.served(1)?;
        f.no_call(Origin::Handler(served));
        f.says("no call: NotInThisEra")
    }

    C32 a_server_calls_before_the_handshake(server(), fresh) |f| {
        f.no_call(Origin::Own);
        f.says("no call: NotInThisEra")
    }

    C35 a_call_that_no_stream_can_carry(server(), bare) |f| {
        let post = ExchangeId(1);
        f.opens(post, ExchangeKind::Post { stored: false });
        f.handshake(post);
        f.no_call(Origin::Own);
        f.says("no call: NoCarrier")?;
        f.request_on(post, 1);
        f.feed(Input::Detached(post));
        let served = f.served(1)?;
        f.no_call(Origin::Handler(served));
        f.says("no call: NoCarrier")
    }

    S5 a_call_is_placed_and_answered(client(), handshaken) |f| {
        let call = f.call()?;
        f.says("x0 ← call c1")?;
        f.sent(call);
        f.response(call);
        f.says("settle c1 answered")
    }

    S5 too_many_calls_are_refused(limited(client(), |limits| limits.calls = 1), handshaken) |f| {
        let call = f.sent_call()?;
        f.no_call(Origin::Own);
        f.says("no call: TooMany")?;
        f.response(call);
        f.says("settle c1 answered")?;
        f.call()?;
        f.says("x0 ← call c2")
    }

    S6 progress_and_notifications_are_delivered(client(), handshaken) |f| {
        let call = f.sent_call()?;
        f.progress(call);
        f.says("deliver progress c1")?;
        f.note();
        f.says("deliver note")?;
        f.response(call);
        f.progress(call);
        f.says("dropped UnknownProgress")
    }

    S6 progress_that_falls_is_dropped_and_counted_and_what_stands_still_is_not(client(), handshaken) |f| {
        let call = timed(f, false)?;
        f.sent(call);
        for value in [2.0, 2.0] {
            f.progress_to(call, value);
            f.says("deliver progress c1")?;
        }
        f.progress_to(call, 1.5);
        f.says("dropped FallingProgress")?;
        // What it fell to is forgotten.
        f.progress_to(call, 1.75);
        f.says("dropped FallingProgress")?;
        // What no number can follow, such as 1e400, is no measure for what comes later.
        f.progress_to(call, f64::INFINITY);
        f.says("deliver progress c1")?;
        f.progress_to(call, 2.5);
        f.says("deliver progress c1")?;
        // Nobody knows how far this one is.
        f.progress(call);
        f.says("deliver progress c1")
    }

    S6 progress_that_stands_still_restarts_the_clock_and_what_falls_does_not(client(), handshaken) |f| {
        let call = timed(f, false)?;
        f.sent(call);
        f.progress_to(call, 2.0);
        f.passes(Duration::from_secs(6));
        f.progress_to(call, 2.0);
        f.timeout()?;
        f.says("")?;
        f.progress_to(call, 1.0);
        f.timeout()?;
        f.says("x0 ← cancel c1, settle c1 idle")
    }

    C38 the_oldest_waiting_notification_is_dropped(limited(client(), |limits| limits.inbox = 2), handshaken) |f| {
        f.note();
        f.note();
        f.note();
        f.says("drop oldest note, dropped Overtaken, deliver note")?;
        f.feed(Input::NoteDone { panicked: false });
        f.note();
        f.says("deliver note")
    }

    C44 a_notification_callback_panics(client(), handshaken) |f| {
        f.note();
        f.feed(Input::NoteDone { panicked: true });
        f.says("dropped CallbackPanicked")?;
        f.call()?;
        f.says("x0 ← call c1")
    }
}

#[test]
fn what_happens_to_a_call_that_is_not_known_is_nothing() {
    let mut f = Fixture::handshaken(client());
    let call = f.sent_call().unwrap();
    f.response(call);
    f.cancel_call(call);
    f.says("").unwrap();
}

/// A call that may be silent for `idle` seconds and take `total`.
fn limited_call(f: &mut Fixture, idle: u64, total: u64) -> CallId {
    let mut spec = CallSpec::new(Origin::Own);
    (spec.idle, spec.total) = (Some(Duration::from_secs(idle)), Some(Duration::from_secs(total)));
    let call = f.call_with(spec).unwrap();
    f.sent(call);
    call
}

#[test]
fn the_first_limit_of_all_calls_is_the_deadline() {
    let due = |f: &Fixture| f.due_in().map(|due| due.as_secs());
    let mut f = Fixture::handshaken(client());
    let long = limited_call(&mut f, 60, 600);
    assert_eq!(due(&f), Some(60));
    let short = limited_call(&mut f, 10, 600);
    assert_eq!(due(&f), Some(10));
    f.response(short);
    // It may be woken too early; then it finds that nothing is due.
    f.timeout().unwrap();
    f.says("").unwrap();
    assert_eq!(due(&f), Some(50));
    f.response(long);
    assert_eq!(due(&f), None);
    limited_call(&mut f, 30, 20);
    assert_eq!(due(&f), Some(20));
}

#[test]
fn limits_that_passed_while_nobody_looked_settle_in_order_of_time() {
    let mut f = Fixture::handshaken(client());
    for (idle, total) in [(30, 600), (60, 20), (10, 600), (20, 600), (90, 600)] {
        limited_call(&mut f, idle, total);
    }
    f.passes(Duration::from_secs(80));
    f.feed(Input::Timeout);
    let settled = ["c3 idle", "c2 tooktoolong", "c4 idle", "c1 idle"];
    let expected: Vec<_> = settled
        .map(|call| format!("x0 ← cancel {}, settle {call}", call.split(' ').next().unwrap()))
        .into_iter()
        .collect();
    f.says(&expected.join(", ")).unwrap();
    assert_eq!(f.due_in(), Some(Duration::from_secs(10)));
}
