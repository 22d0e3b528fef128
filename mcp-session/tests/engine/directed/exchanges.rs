//! Sessions that have more than one way back to the peer.

use std::time::Duration;

use mcp_session::engine::{Config, ExchangeId, ExchangeKind, Input, Origin, Outcome};

use crate::closing_table::scenarios;
use crate::support::{Fixture, server};

const INIT: ExchangeId = ExchangeId(1);
const POST: ExchangeId = ExchangeId(2);
const GET: ExchangeId = ExchangeId(3);

/// A legacy session over HTTP after its handshake.
pub(crate) fn http(f: &mut Fixture) {
    f.opens(INIT, ExchangeKind::Post { stored: false });
    f.handshake(INIT);
    f.feed(Input::ReadEnded(INIT));
    f.closed(INIT);
}

fn config() -> Config {
    server()
}

scenarios! {
    C6a frames_for_a_lost_stream_without_a_store_are_dropped(config(), bare) |f| {
        http(f);
        f.opens(POST, ExchangeKind::Post { stored: false });
        f.request_on(POST, 1);
        f.feed(Input::ReadEnded(POST));
        f.feed(Input::Detached(POST));
        f.says("")?;
        f.note_by(1)?;
        f.says("drop NotWritable, dropped NotWritable")?;
        f.finish(1)?;
        f.says("drop NotWritable, dropped NotWritable, close x2")
    }

    C6a frames_for_a_lost_stream_with_a_store_are_kept(config(), bare) |f| {
        http(f);
        f.opens(POST, ExchangeKind::Post { stored: true });
        f.request_on(POST, 1);
        f.feed(Input::ReadEnded(POST));
        f.feed(Input::Detached(POST));
        f.note_by(1)?;
        f.says("store x2")?;
        f.finish(1)?;
        f.says("store x2")?;
        f.feed(Input::Attached(POST));
        f.says("replay x2, close x2")
    }

    C6a an_error_for_a_lost_stream_is_dropped(config(), bare) |f| {
        http(f);
        f.opens(POST, ExchangeKind::Post { stored: false });
        f.request_on(POST, 1);
        f.feed(Input::Detached(POST));
        f.panics(1)?;
        f.says("drop NotWritable, dropped NotWritable, close x2")
    }

    C6a a_request_on_a_lost_stream_is_not_started(config(), bare) |f| {
        http(f);
        f.opens(POST, ExchangeKind::Post { stored: false });
        f.request_on(POST, 1);
        f.feed(Input::Detached(POST));
        f.request_on(POST, 2);
        f.says("dropped NotWritable")
    }

    C6a notifications_without_a_stream_are_dropped_or_kept(config(), bare) |f| {
        http(f);
        f.own_note();
        f.says("drop NotWritable, dropped NotWritable")?;
        f.opens(GET, ExchangeKind::Stream { stored: true });
        f.own_note();
        f.says("write x3")?;
        f.feed(Input::Detached(GET));
        f.own_note();
        f.says("store x3")?;
        f.feed(Input::Attached(GET));
        f.says("replay x3")?;
        f.own_note();
        f.says("write x3")
    }

    C33 a_call_on_a_lost_stream_fails_at_once_without_a_store(config(), bare) |f| {
        http(f);
        f.opens(POST, ExchangeKind::Post { stored: false });
        f.request_on(POST, 1);
        f.call_by(1)?;
        f.says("x2 ← call c1")?;
        f.feed(Input::Detached(POST));
        f.says("settle c1 closed PeerGone")?;
        let served = f.served(1)?;
        f.no_call(Origin::Handler(served));
        f.says("no call: NoCarrier")
    }

    C33 a_call_on_a_lost_stream_fails_after_a_grace_with_a_store(config(), bare) |f| {
        http(f);
        f.opens(POST, ExchangeKind::Post { stored: true });
        f.request_on(POST, 1);
        f.call_by(1)?;
        f.feed(Input::Detached(POST));
        f.says("")?;
        f.holds("there is a grace", f.due_in() == Some(Duration::from_secs(30)))?;
        f.timeout()?;
        f.says("settle c1 closed PeerGone")?;
        // Its answer is kept, and nobody is waited for.
        f.finish(1)?;
        f.says("store x2, close x2")
    }

    C33 a_stream_that_nobody_comes_back_to_is_closed(config(), bare) |f| {
        http(f);
        f.opens(GET, ExchangeKind::Stream { stored: true });
        f.feed(Input::Detached(GET));
        f.timeout()?;
        f.says("close x3")
    }

    C34 a_session_that_nothing_keeps_expires(config().with_expiry(Duration::from_secs(60)), bare) |f| {
        http(f);
        f.holds("there is a limit", f.due_in() == Some(Duration::from_secs(60)))?;
        f.opens(GET, ExchangeKind::Stream { stored: false });
        f.holds("a stream keeps it", f.due_in().is_none())?;
        f.feed(Input::PeerGone(Some(GET)));
        f.closed(GET);
        f.passes(Duration::from_secs(59));
        f.opens(POST, ExchangeKind::Post { stored: false });
        f.request_on(POST, 1);
        f.feed(Input::ReadEnded(POST));
        f.finish(1)?;
        f.closed(POST);
        f.holds("it begins anew", f.due_in() == Some(Duration::from_secs(60)))?;
        f.timeout()?;
        f.says("discard, finished Expired")
    }

    S5 a_call_for_which_a_response_has_no_room_needs_a_stream(config(), bare) |f| {
        http(f);
        f.opens(POST, ExchangeKind::Post { stored: false });
        f.engine.quiet(POST);
        f.request_on(POST, 1);
        let served = f.served(1)?;
        f.no_call(Origin::Handler(served));
        f.says("no call: NoCarrier")?;
        f.opens(GET, ExchangeKind::Stream { stored: false });
        f.call_by(1)?;
        f.says("x3 ← call c1")
    }

    C35 a_call_on_an_exchange_that_is_alone_could_not_be_answered(config(), bare) |f| {
        f.opens(POST, ExchangeKind::Single);
        f.engine.established(mcp_types::version::Version::LATEST_LEGACY);
        f.request_on(POST, 1);
        f.feed(Input::ReadEnded(POST));
        let served = f.served(1)?;
        f.no_call(Origin::Handler(served));
        f.says("no call: NoCarrier")
    }

    C6a a_note_for_which_a_response_has_no_room_is_dropped(config(), bare) |f| {
        http(f);
        f.opens(POST, ExchangeKind::Post { stored: false });
        f.engine.quiet(POST);
        f.request_on(POST, 1);
        f.note_by(1)?;
        f.says("drop NotWritable, dropped NotWritable")?;
        f.finish(1)?;
        f.says("write x2")
    }

    C33 a_stream_that_is_picked_up_in_time_loses_nothing(config(), bare) |f| {
        http(f);
        f.opens(GET, ExchangeKind::Stream { stored: true });
        let call = f.call()?;
        f.sent(call);
        f.feed(Input::Detached(GET));
        f.holds("there is a grace", f.due_in() == Some(Duration::from_secs(30)))?;
        f.feed(Input::Attached(GET));
        f.says("replay x3")?;
        f.holds("it is over", f.due_in().is_none())?;
        f.opens(POST, ExchangeKind::Post { stored: false });
        f.response_on(POST, call);
        f.says("settle c1 answered")
    }

    C33 a_lost_stream_that_serves_nothing_is_closed(config(), bare) |f| {
        http(f);
        f.opens(GET, ExchangeKind::Stream { stored: false });
        let call = f.call()?;
        f.sent(call);
        f.feed(Input::Detached(GET));
        f.says("settle c1 closed PeerGone, close x3")?;
        f.closed(GET);
        f.opens(POST, ExchangeKind::Stream { stored: false });
        f.call()?;
        f.says("x2 ← call c2")
    }

    C33 a_call_on_a_stream_that_nobody_reads_fails_at_once(config(), bare) |f| {
        http(f);
        f.opens(GET, ExchangeKind::Stream { stored: false });
        f.opens(POST, ExchangeKind::Post { stored: false });
        f.request_on(POST, 1);
        f.call_by(1)?;
        f.call()?;
        f.feed(Input::PeerGone(Some(POST)));
        f.says("settle c1 closed PeerGone")?;
        f.finish(1)?;
        f.says("drop NotWritable, dropped NotWritable, close x2")?;
        f.feed(Input::PeerGone(Some(GET)));
        f.says("close x3, settle c2 closed PeerGone")
    }

    C37 a_body_that_was_cut_off_ends_silently(config(), bare) |f| {
        http(f);
        f.opens(POST, ExchangeKind::Post { stored: false });
        f.feed(Input::PeerGone(Some(POST)));
        f.says("close x2")?;
        f.feed(Input::PeerGone(Some(POST)));
        f.says("")?;
        f.closed(POST);
        f.says("")
    }
}

#[test]
fn the_answers_of_a_batch_are_collected_and_its_notifications_are_not() {
    let pipe = crate::support::PIPE;
    let mut f = Fixture::handshaken(server());
    f.opens(POST, ExchangeKind::Batch { via: pipe });
    f.request_on(POST, 1);
    f.request_on(POST, 2);
    f.feed(Input::ReadEnded(POST));
    f.request_on(pipe, 1);
    f.says("x0 ← refused 1 DuplicateId").unwrap();
    f.note_by(1).unwrap();
    f.says("write x0").unwrap();
    f.finish(1).unwrap();
    f.says("collect x2").unwrap();
    f.panics(2).unwrap();
    f.says("Answered, x2 ← refused 2 Internal, close x2").unwrap();
    f.closed(POST);
    f.request_on(pipe, 1);
    f.says("start 1").unwrap();
}

#[test]
fn the_answer_of_a_batch_whose_stream_is_lost_is_collected() {
    let mut f = Fixture::bare(server());
    http(&mut f);
    f.opens(POST, ExchangeKind::Post { stored: true });
    f.opens(GET, ExchangeKind::Batch { via: POST });
    f.request_on(GET, 1);
    f.feed(Input::Detached(POST));
    let served = f.served(1).unwrap();
    f.finish_as(served, Outcome::Result);
    f.says("collect x3").unwrap();
}

#[test]
fn an_exchange_that_opens_while_the_session_closes_is_closed() {
    let mut f = Fixture::bare(server());
    http(&mut f);
    f.opens(GET, ExchangeKind::Stream { stored: false });
    f.close();
    f.says("close x3").unwrap();
    f.opens(POST, ExchangeKind::Post { stored: false });
    f.says("close x2").unwrap();
    f.closed(GET);
    f.says("").unwrap();
    f.closed(POST);
    f.says("finished Closed").unwrap();
}
