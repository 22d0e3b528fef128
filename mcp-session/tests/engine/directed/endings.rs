//! How a session ends when the other side, or the way to it, does.

use std::time::Duration;

use mcp_session::engine::{
    By, Close, Dropped, ExchangeId, ExchangeKind, Input, MethodKind, PeerAtReadEnd, StallCounts, WriteFailure,
};
use mcp_types::jsonrpc::{Fault, Subject};

use crate::closing_table::scenarios;
use crate::support::{Fixture, PIPE, cancelling_server, client, limited, modern, server};

scenarios! {
    C1 own_calls_settle_when_the_read_side_ends(client(), handshaken) |f| {
        f.sent_call()?;
        f.call()?;
        f.read_ends();
        f.says("settle c1 closed ReadEnded, settle c2 closed ReadEnded, close x0")?;
        f.closed(PIPE);
        f.says("finished ReadEnded")
    }

    C1 own_calls_settle_when_the_peer_is_gone(client(), handshaken) |f| {
        f.sent_call()?;
        f.peer_gone();
        f.says("settle c1 closed PeerGone, discard, close x0, finished PeerGone")
    }

    C13 the_call_of_a_handler_settles_when_the_read_side_ends_and_the_handler_goes_on(server(), handshaken) |f| {
        f.request(1);
        let call = f.call_by(1)?;
        f.sent(call);
        f.read_ends();
        f.says("settle c1 closed ReadEnded")?;
        f.finish(1)?;
        f.says("write x0, close x0")
    }

    C13 the_call_of_a_handler_settles_when_the_peer_is_gone(server(), handshaken) |f| {
        f.request(1);
        f.call_by(1)?;
        f.peer_gone();
        f.says("settle c1 closed PeerGone, cancel 1, discard, close x0")?;
        f.finish(1)?;
        f.says("drop AfterEnd, dropped AfterEnd, finished PeerGone")
    }

    C2 what_was_received_is_answered_after_the_read_side_ended(server(), handshaken) |f| {
        f.request(1);
        f.request(2);
        f.read_ends();
        f.says("")?;
        f.holds("the drain has its deadline", f.due_in() == Some(Duration::from_secs(30)))?;
        f.note_by(1)?;
        f.says("write x0")?;
        f.finish(2)?;
        f.says("write x0")?;
        f.finish(1)?;
        f.says("write x0, close x0")?;
        f.closed(PIPE);
        f.says("finished ReadEnded")?;
        f.holds("both are drained", f.engine.tally().drained == 2)
    }

    C2 nothing_in_flight_ends_at_once(server(), handshaken) |f| {
        f.read_ends();
        f.says("close x0")
    }

    C2 a_session_that_is_one_request_ends_with_its_answer(server(), bare) |f| {
        f.opens(PIPE, ExchangeKind::Single);
        f.request_with(modern(1, MethodKind::Both));
        f.read_ends();
        f.says("")?;
        f.holds("nothing is due: this is no drain", f.due_in().is_none())?;
        f.finish(1)?;
        f.says("write x0, close x0")?;
        f.closed(PIPE);
        f.says("finished ReadEnded")
    }

    C3a what_is_served_is_cancelled_at_read_end_under_the_other_policy(cancelling_server(), handshaken) |f| {
        f.request(1);
        f.read_ends();
        f.says("cancel 1, close x0")?;
        f.closed(PIPE);
        f.says("")?;
        f.gone(1)?;
        f.says("finished ReadEnded")
    }

    C3b the_end_of_input_of_a_peer_that_cannot_read_on_is_its_end(server().with_peer_at_read_end(PeerAtReadEnd::IsGone), handshaken) |f| {
        f.request(1);
        f.read_ends();
        f.says("cancel 1, discard, close x0")?;
        f.finish(1)?;
        f.says("drop AfterEnd, dropped AfterEnd, finished PeerGone")
    }

    C3b the_peer_is_gone_and_nothing_is_written_any_more(server(), handshaken) |f| {
        f.request(1);
        f.peer_gone();
        f.says("cancel 1, discard, close x0")?;
        f.finish(1)?;
        f.says("drop AfterEnd, dropped AfterEnd, finished PeerGone")
    }

    C4 the_drain_deadline_cuts_off_what_is_left(server(), handshaken) |f| {
        f.request(1);
        f.request(2);
        f.read_ends();
        f.finish(1)?;
        f.timeout()?;
        f.says("cancel 2, discard, close x0")?;
        f.holds("it is listed", f.engine.tally().cut_off.len() == 1)?;
        f.holds("it counts once", f.engine.tally().cancelled == 0)?;
        f.timeout()?;
        f.says("finished DeadlinePassed")
    }

    C4 the_flush_is_bounded_as_the_drain_is(server(), handshaken) |f| {
        f.request(1);
        f.read_ends();
        f.finish(1)?;
        f.says("write x0, close x0")?;
        f.timeout()?;
        f.says("discard, finished DeadlinePassed")
    }

    C4 a_session_without_a_drain_deadline_waits(limited(server(), |limits| limits.drain = None), handshaken) |f| {
        f.request(1);
        f.read_ends();
        f.holds("nothing is due", f.due_in().is_none())?;
        f.finish(1)?;
        f.says("write x0, close x0")?;
        // The row is reached by a close that names a deadline of its own.
        let mut other = Fixture::handshaken(limited(server(), |limits| limits.drain = None)
            .with_table(f.table()));
        other.request(1);
        other.close_by(Close::Drain { within: Some(Duration::from_secs(1)) }, By::Handle);
        other.timeout()?;
        other.says("cancel 1, discard, close x0")?;
        *f = other;
        Ok(())
    }

    C6b the_pipe_breaks(server(), handshaken) |f| {
        f.request(1);
        f.write_fails(WriteFailure::Broken);
        f.says("cancel 1, discard, close x0")?;
        f.finish(1)?;
        f.says("drop AfterEnd, dropped AfterEnd, finished WriteBroken")
    }

    C6b what_is_served_is_cancelled_when_the_pipe_breaks_before_answers_arrived(server(), handshaken) |f| {
        f.request(1);
        f.sent_call()?;
        f.write_fails(WriteFailure::Broken);
        f.says("cancel 1, discard")?;
        f.holds("the call waits for its answer", f.engine.pending_calls() == 1)
    }

    C6c writing_fails_for_a_local_reason(server(), handshaken) |f| {
        f.request(1);
        f.write_fails(WriteFailure::Local);
        f.says("cancel 1, discard, close x0")?;
        f.gone(1)?;
        f.says("finished WriteFailed")
    }

    C6c what_is_served_is_cancelled_when_writing_fails_before_answers_arrived(server(), handshaken) |f| {
        f.request(1);
        f.sent_call()?;
        f.write_fails(WriteFailure::Local);
        f.says("cancel 1, discard")?;
        f.gone(1)?;
        f.read_ends();
        f.says("settle c1 closed WriteFailed, close x0, finished WriteFailed")
    }

    C8 whatever_is_reported_after_the_end_is_counted(server(), handshaken) |f| {
        f.peer_gone();
        f.says("discard, close x0, finished PeerGone")?;
        f.write_fails(WriteFailure::Broken);
        f.says("dropped AfterEnd")?;
        f.malformed(Subject::Unknown, None, Fault::BadVersion);
        f.says("dropped AfterEnd")?;
        f.own_note();
        f.says("drop AfterEnd, dropped AfterEnd")?;
        f.request(1);
        f.says("dropped AfterEnd")?;
        f.opens(ExchangeId(1), ExchangeKind::Pipe);
        f.says("dropped AfterEnd")?;
        f.unwritten_answers(usize::MAX);
        f.says("")?;
        f.holds("each is counted", f.engine.tally().dropped(Dropped::AfterEnd) == 5)
    }

    C19 listens_end_first_when_the_read_side_ends(server(), handshaken) |f| {
        f.listen(1)?;
        f.says("write x0")?;
        f.request(2);
        f.read_ends();
        f.says("x0 ← listen end 1")?;
        f.finish(2)?;
        f.says("write x0, close x0")
    }

    C19 a_listen_that_begins_during_a_drain_ends_at_once(server(), handshaken) |f| {
        f.request(1);
        f.read_ends();
        f.says("")?;
        f.becomes_listen(1)?;
        f.says("write x0, x0 ← listen end 1, close x0")
    }

    C19 listens_end_first_when_a_close_is_asked(server(), handshaken) |f| {
        f.listen(1)?;
        f.holds("it is not in flight", f.engine.in_flight() == 0)?;
        f.close();
        f.says("x0 ← listen end 1, close x0")
    }

    C20 an_answer_in_the_pipe_wins_over_a_failed_write(client(), handshaken) |f| {
        let sent = f.sent_call()?;
        f.call()?;
        f.write_fails(WriteFailure::Broken);
        f.says("discard, settle c2 closed WriteBroken")?;
        f.holds("there is a grace", f.due_in() == Some(Duration::from_secs(2)))?;
        f.request(1);
        f.says("dropped NobodyToAnswer")?;
        f.response(sent);
        f.says("settle c1 answered, close x0, finished WriteBroken")
    }

    C20 the_grace_for_answers_ends(client(), handshaken) |f| {
        f.sent_call()?;
        f.write_fails(WriteFailure::Broken);
        f.timeout()?;
        f.says("settle c1 closed WriteBroken, close x0, finished WriteBroken")
    }

    C20 the_grace_for_answers_ends_with_the_input(client(), handshaken) |f| {
        f.sent_call()?;
        f.write_fails(WriteFailure::Broken);
        f.read_ends();
        f.says("settle c1 closed WriteBroken, close x0, finished WriteBroken")
    }

    C20 a_peer_that_goes_during_the_grace_does_not_hide_the_failed_write(client(), handshaken) |f| {
        f.sent_call()?;
        f.write_fails(WriteFailure::Local);
        f.peer_gone();
        f.says("settle c1 closed WriteFailed, close x0, finished WriteFailed")
    }

    C31 a_write_that_stalls_during_a_drain_ends_it(server(), handshaken) |f| {
        f.request(1);
        f.feed(Input::WriteBlocked);
        f.holds("a suspended peer is not gone", f.due_in().is_none())?;
        f.passes(Duration::from_secs(60));
        f.close_by(Close::Drain { within: Some(Duration::from_secs(300)) }, By::Handle);
        f.holds("now it counts", f.due_in() == Some(Duration::from_secs(30)))?;
        f.timeout()?;
        f.says("cancel 1, discard, close x0")?;
        f.gone(1)?;
        f.says("finished Stalled")
    }

    C31 on_a_network_a_stall_always_counts(
        server().with_stall(StallCounts::Always), handshaken
    ) |f| {
        f.sent_call()?;
        f.feed(Input::WriteBlocked);
        f.feed(Input::WriteReady);
        f.holds("progress disarms it", f.due_in().is_none())?;
        f.feed(Input::WriteBlocked);
        f.timeout()?;
        f.says("settle c1 closed Stalled, discard, close x0, finished Stalled")
    }

    S7 everything_is_written_and_the_run_ends(server(), handshaken) |f| {
        f.read_ends();
        f.says("close x0")?;
        f.closed(PIPE);
        f.says("finished ReadEnded")
    }
}

#[test]
fn a_flush_that_makes_progress_is_no_stall() {
    let mut f = Fixture::handshaken(limited(server(), |limits| limits.drain = None));
    f.read_ends();
    f.says("close x0").unwrap();
    assert_eq!(f.due_in(), None);
    f.feed(Input::WriteBlocked);
    assert_eq!(f.due_in(), Some(Duration::from_secs(30)));
    f.feed(Input::WriteReady);
    assert_eq!(f.due_in(), None);
}
