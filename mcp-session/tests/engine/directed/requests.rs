//! What becomes of a request, and of what is said about it.

use mcp_session::engine::{
    Change, Changes, Claim, Config, ExchangeId, ExchangeKind, Frame, Head, Input, MethodKind, Outcome, Output,
    RequestHead, Verdict, WriteFailure,
};
use mcp_types::version::Version;

use crate::closing_table::scenarios;
use crate::support::{Fixture, PIPE, client, initialize, limited, modern, server, tools_call};

fn of_kind(id: i64, method: &'static str, kind: MethodKind) -> RequestHead {
    RequestHead::new(id, method, kind)
}

fn narrow() -> Config {
    limited(server(), |limits| {
        limits.in_flight = 1;
        limits.queue = 1;
    })
}

scenarios! {
    C10 the_peer_cancels_a_request(server(), handshaken) |f| {
        f.request(1);
        f.request(2);
        f.peer_cancels(1);
        f.says("cancel 1")?;
        f.finish(1)?;
        f.says("drop AfterAnswer, dropped AfterAnswer")?;
        f.note_by(1)?;
        f.says("drop AfterAnswer, dropped AfterAnswer")?;
        f.finish(2)?;
        f.says("write x0")
    }

    C16 requests_over_the_limit_wait_in_a_queue(narrow(), handshaken) |f| {
        f.request(1);
        f.says("start 1")?;
        f.request(2);
        f.says("enqueue 2")?;
        f.finish(1)?;
        f.says("write x0, start 2")
    }

    C16 reading_stops_while_answers_pile_up(server(), handshaken) |f| {
        f.unwritten_answers(1 << 20);
        f.holds("the limit itself is allowed", f.engine.wants_read())?;
        f.unwritten_answers((1 << 20) + 1);
        f.holds("reading stops", !f.engine.wants_read())?;
        f.unwritten_answers(0);
        f.holds("reading goes on", f.engine.wants_read())
    }

    C22 a_cancel_that_names_nothing_is_counted(server(), handshaken) |f| {
        f.peer_cancels(7);
        f.says("dropped LateCancel")?;
        f.request(1);
        f.finish(1)?;
        f.peer_cancels(1);
        f.says("dropped LateCancel")?;
        f.request(2);
        f.peer_cancels(2);
        f.says("cancel 2")?;
        f.peer_cancels(2);
        f.says("dropped LateCancel")
    }

    C22 initialize_is_never_cancelled(server(), fresh) |f| {
        f.request_with(initialize(1));
        f.peer_cancels(1);
        f.says("dropped LateCancel")?;
        f.finish(1)?;
        f.says("write x0")
    }

    C22 a_queued_request_is_never_started(narrow(), handshaken) |f| {
        f.peer_cancels(9);
        f.says("dropped LateCancel")?;
        f.request(1);
        f.request(2);
        f.peer_cancels(2);
        f.says("cancel 2")?;
        f.holds("it never started", f.engine.tally().never_started == 1)?;
        f.finish(1)?;
        f.says("write x0")
    }

    C23 after_the_terminal_frame_nothing_is_sent(server(), handshaken) |f| {
        f.request(1);
        f.note_by(1)?;
        f.says("write x0")?;
        f.finish(1)?;
        f.says("write x0")?;
        f.note_by(1)?;
        f.says("drop AfterAnswer, dropped AfterAnswer")?;
        f.finish(1)?;
        f.says("drop AfterAnswer, dropped AfterAnswer")?;
        f.panics(1)?;
        f.says("drop AfterAnswer, dropped AfterAnswer")
    }

    C24 a_handler_panics(server(), handshaken) |f| {
        f.request(1);
        f.request(2);
        f.read_ends();
        f.panics(1)?;
        f.says("Answered, x0 ← refused 1 Internal")?;
        f.finish(2)?;
        f.says("write x0, close x0")
    }

    C32 a_request_reaches_a_client_whose_peer_is_modern(client(), fresh) |f| {
        f.engine.established(Version::MODERN);
        f.request(1);
        f.says("dropped NotInThisEra")
    }

    C39 a_request_beyond_the_queue_is_refused(narrow(), handshaken) |f| {
        f.request(1);
        f.request(2);
        f.request(3);
        f.says("x0 ← refused 3 Overloaded")
    }

    C39 a_request_beyond_the_bytes_is_refused(limited(server(), |limits| limits.held = 150), handshaken) |f| {
        f.request(1);
        f.request(2);
        f.says("x0 ← refused 2 Overloaded")?;
        f.finish(1)?;
        f.request(3);
        f.says("start 3")
    }

    C39 a_request_during_a_close_is_refused(server(), handshaken) |f| {
        f.request(1);
        f.close();
        f.request(2);
        f.says("x0 ← refused 2 Closing")?;
        f.request_with(of_kind(3, "ping", MethodKind::Ping));
        f.says("x0 ← pong 3")
    }

    C40 a_duplicate_id_in_flight_is_refused(server(), handshaken) |f| {
        f.request(1);
        f.request(1);
        f.says("x0 ← refused 1 DuplicateId")?;
        f.finish(1)?;
        f.says("write x0")?;
        f.request(1);
        f.says("start 1")
    }

    C40 a_second_initialize_is_refused(server(), handshaken) |f| {
        f.request_with(initialize(1));
        f.says("x0 ← refused 1 AlreadyInitialized")?;
        f.request(2);
        f.says("start 2")
    }

    C40 initialize_in_a_batch_is_refused(server(), fresh) |f| {
        let batch = ExchangeId(1);
        f.opens(batch, ExchangeKind::Batch { via: PIPE });
        f.feed(Input::Frame(batch, Frame::Request(initialize(1))));
        f.says("x1 ← refused 1 AlreadyInitialized")?;
        f.feed(Input::Frame(batch, Frame::Request(tools_call(2))));
        f.says("x1 ← refused 2 InitializeFirst")
    }

    S1 a_request_is_started(server(), handshaken) |f| {
        f.request(1);
        f.says("start 1")
    }

    S2 a_ping_is_answered_at_once(narrow(), handshaken) |f| {
        f.request(1);
        f.request(2);
        f.request_with(of_kind(3, "ping", MethodKind::Ping));
        f.says("x0 ← pong 3")
    }

    S2 a_ping_is_answered_before_the_handshake(server(), fresh) |f| {
        f.request_with(of_kind(1, "ping", MethodKind::Ping));
        f.says("x0 ← pong 1")
    }

    S3 a_legacy_request_before_initialize_is_refused(server(), fresh) |f| {
        f.request_with(of_kind(1, "resources/subscribe", MethodKind::LegacyOnly));
        f.says("x0 ← refused 1 InitializeFirst")
    }

    S3 a_request_of_neither_era_before_initialize_is_refused(server(), fresh) |f| {
        f.request_with(of_kind(1, "server/discover", MethodKind::ModernOnly));
        f.says("x0 ← refused 1 BadMeta")
    }

    S3 an_unsupported_revision_is_refused(server(), handshaken) |f| {
        let mut head = tools_call(1);
        head.claim = Claim::Unsupported("2099-01-01".into());
        f.request_with(head);
        f.says("x0 ← refused 1 UnsupportedVersion")
    }

    S3 incomplete_metadata_is_refused(server(), fresh) |f| {
        let mut head = of_kind(1, "resources/subscribe", MethodKind::LegacyOnly);
        head.claim = Claim::Partial("clientInfo");
        f.request_with(head);
        f.says("x0 ← refused 1 BadMeta")
    }

    S3 a_modern_request_of_a_legacy_method_is_refused(server(), handshaken) |f| {
        f.request_with(modern(1, MethodKind::Ping));
        f.says("x0 ← refused 1 MethodNotFound")
    }

    S3 a_notification_before_the_handshake_is_ignored(server(), fresh) |f| {
        f.note();
        f.says("dropped BeforeHandshake")?;
        f.feed(Input::Frame(PIPE, Frame::Note { modern: true }));
        f.says("deliver note")
    }

    S4 answers_and_notifications_go_out(server(), handshaken) |f| {
        f.request(1);
        f.note_by(1)?;
        f.says("write x0")?;
        f.own_note();
        f.says("write x0")?;
        f.finish(1)?;
        f.says("write x0")
    }
}

#[test]
fn a_modern_request_inside_a_legacy_session_is_served() {
    let mut f = Fixture::handshaken(server());
    f.request_with(modern(1, MethodKind::Both));
    f.says("start 1").unwrap();
}

#[test]
fn an_initialize_that_fails_leaves_nothing_behind() {
    for outcome in [Outcome::Error, Outcome::Panicked] {
        let mut f = Fixture::fresh(server());
        f.request_with(initialize(1));
        let served = f.served(1).unwrap();
        f.finish_as(served, outcome);
        f.request(2);
        f.says("x0 ← refused 2 InitializeFirst").unwrap();
        f.request_with(initialize(3));
        f.says("start 3").unwrap();
    }
}

#[test]
fn a_client_reads_on_whatever_piles_up() {
    let mut f = Fixture::handshaken(client());
    f.unwritten_answers(usize::MAX);
    assert!(f.engine.wants_read());
}

#[test]
fn changes_of_one_kind_coalesce_while_writing_is_blocked() {
    let mut f = Fixture::handshaken(server());
    f.listen(1).unwrap();
    f.feed(Input::WriteBlocked);
    f.changed(Change::Tools);
    f.changed(Change::Tools);
    f.says("").unwrap();
    f.feed(Input::WriteReady);
    f.says("x0 ← changed 1 Tools, x0 ← changed Tools").unwrap();
}

#[test]
fn a_request_that_is_no_longer_served_keeps_its_name() {
    let mut f = Fixture::handshaken(server());
    f.request(1);
    let first = f.served(1).unwrap();
    f.finish(1).unwrap();
    f.request(1);
    assert_ne!(f.served(1).unwrap(), first);
    f.finish_as(first, Outcome::Result);
    f.says("drop AfterAnswer, dropped AfterAnswer").unwrap();
    f.finish(1).unwrap();
    f.says("write x0").unwrap();
}

#[test]
fn a_listen_that_begins_during_a_drain_ends_like_the_others() {
    let mut f = Fixture::handshaken(server());
    f.request(1);
    f.request_with(modern(2, MethodKind::ModernOnly));
    f.read_ends();
    let served = f.served(2).unwrap();
    let verdict = f.engine.listen(f.now, served, Changes::NONE.with(Change::Tools));
    assert_eq!(verdict, Verdict::Write(PIPE));
    assert_eq!(f.engine.poll_output(), Output::Transmit(PIPE, Head::ListenEnd(2.into())));
}

#[test]
fn a_failed_write_leaves_no_handshake_hanging() {
    let mut f = Fixture::fresh(server());
    f.request_with(initialize(1));
    f.write_fails(WriteFailure::Broken);
    assert_eq!(f.engine.negotiated(), None);
}
