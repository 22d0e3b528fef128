//! HTTP on paper: what its streams tell an engine, and what the engine tells them, before any HTTP is written.

use std::time::Duration;

use mcp_session::engine::{Config, ExchangeId, ExchangeKind, Input, MethodKind, Origin, Reason};

use crate::support::{Checked, Fixture, limited, modern, server};

const INIT: ExchangeId = ExchangeId(1);
const GET: ExchangeId = ExchangeId(2);
const CALL: ExchangeId = ExchangeId(3);
const REPLY: ExchangeId = ExchangeId(4);

/// A legacy session: its handshake was a POST, and a tools/call is another one, whose body has been read.
fn legacy(stored: bool) -> Checked<Fixture> {
    let mut f = Fixture::bare(server());
    f.opens(INIT, ExchangeKind::Post { stored });
    f.request_with_on(INIT, crate::support::initialize(0));
    f.says("start 0")?;
    f.feed(Input::ReadEnded(INIT));
    f.says("")?;
    f.finish(0)?;
    f.says("write x1, close x1")?;
    f.closed(INIT);
    f.says("")?;
    f.opens(CALL, ExchangeKind::Post { stored });
    f.request_on(CALL, 1);
    f.says("start 1")?;
    f.feed(Input::ReadEnded(CALL));
    f.says("")?;
    Ok(f)
}

/// A POST that carries this one input, which needs no answer: 202.
fn posts(f: &mut Fixture, what: impl FnOnce(&mut Fixture)) -> Checked<String> {
    f.opens(REPLY, ExchangeKind::Post { stored: false });
    what(f);
    let said = f.said();
    f.feed(Input::ReadEnded(REPLY));
    f.says("close x4")?;
    f.closed(REPLY);
    f.says("")?;
    Ok(said)
}

fn holds<T: PartialEq + std::fmt::Debug>(got: T, expected: T) -> Checked {
    if got == expected { Ok(()) } else { Err(format!("expected {expected:?}, got {got:?}")) }
}

#[test]
fn a_legacy_session_with_posts_and_a_get() -> Checked {
    let mut f = legacy(true)?;
    f.opens(GET, ExchangeKind::Stream { stored: true });
    f.note_by(1)?;
    f.says("write x3")?;
    f.own_note();
    f.says("write x2")?;
    // A call of the handler goes out on the stream of its POST and is answered by another POST.
    let call = f.call_by(1)?;
    f.says("x3 ← call c1")?;
    f.sent(call);
    holds(posts(&mut f, |f| f.response_on(REPLY, call))?.as_str(), "settle c1 answered")?;
    // A call of the session goes out on the GET.
    let own = f.call()?;
    f.says("x2 ← call c2")?;
    f.sent(own);
    holds(posts(&mut f, |f| f.response_on(REPLY, own))?.as_str(), "settle c2 answered")?;
    f.finish(1)?;
    f.says("write x3, close x3")?;
    f.closed(CALL);
    // An idle GET keeps the session, and nothing is due.
    f.says("")?;
    holds(f.due_in(), None)?;
    f.feed(Input::Deleted);
    f.says("discard, close x2, finished Deleted")
}

#[test]
fn a_stream_is_lost_and_picked_up_again() -> Checked {
    let mut f = legacy(true)?;
    f.note_by(1)?;
    f.says("write x3")?;
    f.feed(Input::Detached(CALL));
    f.says("")?;
    f.note_by(1)?;
    f.says("store x3")?;
    // A call waits for the stream, and may be answered by a POST as ever once somebody has read it.
    let call = f.call_by(1)?;
    f.says("x3 ← call c1")?;
    f.feed(Input::Attached(CALL));
    f.says("replay x3")?;
    f.sent(call);
    holds(posts(&mut f, |f| f.response_on(REPLY, call))?.as_str(), "settle c1 answered")?;
    // The answer comes while the stream is lost a second time.
    f.feed(Input::Detached(CALL));
    f.finish(1)?;
    f.says("store x3")?;
    f.feed(Input::Attached(CALL));
    f.says("replay x3, close x3")?;
    f.closed(CALL);
    holds(f.due_in(), None)
}

#[test]
fn a_call_made_while_a_lost_stream_is_away_shares_its_grace() -> Checked {
    let mut f = legacy(true)?;
    f.feed(Input::Detached(CALL));
    f.passes(Duration::from_secs(10));
    f.call_by(1)?;
    holds(f.due_in(), Some(Duration::from_secs(20)))?;
    f.timeout()?;
    f.says("settle c1 closed PeerGone")?;
    // From now on nobody is expected back.
    let served = f.served(1)?;
    f.no_call(Origin::Handler(served));
    f.says("no call: NoCarrier")?;
    f.finish(1)?;
    f.says("store x3, close x3")
}

#[test]
fn a_stream_is_lost_for_good() -> Checked {
    let mut f = legacy(false)?;
    f.call_by(1)?;
    f.says("x3 ← call c1")?;
    f.feed(Input::Detached(CALL));
    f.says("settle c1 closed PeerGone")?;
    f.note_by(1)?;
    f.says("drop NotWritable, dropped NotWritable")?;
    // The handler runs on, and its answer is nobody's.
    f.finish(1)?;
    f.says("drop NotWritable, dropped NotWritable, close x3")?;
    f.closed(CALL);
    f.says("")
}

#[test]
fn a_session_is_deleted_while_a_handler_runs() -> Checked {
    let mut f = legacy(true)?;
    f.opens(GET, ExchangeKind::Stream { stored: true });
    f.call_by(1)?;
    f.feed(Input::Deleted);
    f.says("settle c1 closed Deleted, cancel 1, close x3, discard, close x2")?;
    f.closed(GET);
    f.closed(CALL);
    f.says("")?;
    f.gone(1)?;
    f.says("finished Deleted")
}

#[test]
fn a_cancel_by_another_post_ends_the_one_that_waits() -> Checked {
    let mut f = legacy(true)?;
    holds(posts(&mut f, |f| f.peer_cancels_on(REPLY, 1))?.as_str(), "cancel 1, close x3")?;
    f.closed(CALL);
    f.gone(1)?;
    f.says("")?;
    f.opens(CALL, ExchangeKind::Post { stored: true });
    f.request_on(CALL, 1);
    f.says("start 1")
}

#[test]
fn nothing_can_carry_a_call_without_a_get() -> Checked {
    let mut f = legacy(true)?;
    f.no_call(Origin::Own);
    f.says("no call: NoCarrier")?;
    f.own_note();
    f.says("drop NotWritable, dropped NotWritable")?;
    f.opens(GET, ExchangeKind::Stream { stored: true });
    f.call()?;
    f.says("x2 ← call c1")
}

#[test]
fn a_get_is_replaced_by_another() -> Checked {
    let mut f = legacy(false)?;
    f.opens(GET, ExchangeKind::Stream { stored: false });
    f.feed(Input::PeerGone(Some(GET)));
    f.says("close x2")?;
    // Before the first is cleaned up, the second is there.
    f.opens(REPLY, ExchangeKind::Stream { stored: false });
    f.call()?;
    f.says("x4 ← call c1")?;
    f.closed(GET);
    f.own_note();
    f.says("write x4")
}

#[test]
fn the_same_id_on_two_posts_is_no_duplicate() -> Checked {
    let mut f = legacy(false)?;
    f.opens(REPLY, ExchangeKind::Post { stored: false });
    f.request_on(REPLY, 1);
    f.says("start 1")?;
    f.finish(1)?;
    f.says("write x4")?;
    f.feed(Input::ReadEnded(REPLY));
    f.says("close x4")
}

#[test]
fn a_session_is_closed_while_a_handler_runs() -> Checked {
    let mut f = legacy(true)?;
    f.opens(GET, ExchangeKind::Stream { stored: true });
    f.close();
    f.says("")?;
    f.opens(REPLY, ExchangeKind::Post { stored: false });
    f.request_on(REPLY, 2);
    f.says("x4 ← refused 2 Closing")?;
    f.feed(Input::ReadEnded(REPLY));
    f.says("close x4")?;
    f.closed(REPLY);
    f.finish(1)?;
    f.says("write x3, close x3, close x2")?;
    f.closed(CALL);
    f.says("")?;
    f.closed(GET);
    f.says("finished Closed")
}

#[test]
fn a_session_between_two_posts_is_closed_at_once() -> Checked {
    let mut f = legacy(true)?;
    f.finish(1)?;
    f.closed(CALL);
    f.says("")?;
    f.close();
    f.says("finished Closed")
}

/// One engine for one modern POST.
fn post() -> Fixture {
    fn config() -> Config {
        limited(server(), |limits| limits.drain = None)
    }
    let mut f = Fixture::bare(config());
    f.opens(CALL, ExchangeKind::Single);
    f
}

#[test]
fn a_modern_post_is_answered_as_json() -> Checked {
    let mut f = post();
    f.request_with_on(CALL, modern(1, MethodKind::Both));
    f.says("start 1")?;
    f.feed(Input::ReadEnded(CALL));
    f.says("")?;
    holds(f.due_in(), None)?;
    f.finish(1)?;
    f.says("write x3, close x3")?;
    f.closed(CALL);
    f.says("finished ReadEnded")?;
    holds(f.engine.tally().answered, 1)
}

#[test]
fn a_modern_post_is_answered_as_a_stream() -> Checked {
    let mut f = post();
    f.request_with_on(CALL, modern(1, MethodKind::Both));
    f.feed(Input::ReadEnded(CALL));
    f.note_by(1)?;
    f.says("write x3")?;
    f.note_by(1)?;
    f.says("write x3")?;
    f.finish(1)?;
    f.says("write x3, close x3")?;
    f.closed(CALL);
    f.says("finished ReadEnded")
}

#[test]
fn a_modern_post_is_abandoned() -> Checked {
    let mut f = post();
    f.request_with_on(CALL, modern(1, MethodKind::Both));
    f.feed(Input::ReadEnded(CALL));
    f.feed(Input::PeerGone(Some(CALL)));
    f.says("cancel 1, discard, close x3")?;
    f.note_by(1)?;
    f.says("drop AfterEnd, dropped AfterEnd")?;
    f.finish(1)?;
    f.says("drop AfterEnd, dropped AfterEnd, finished PeerGone")?;
    holds(f.engine.tally().cancelled, 1)
}

#[test]
fn a_modern_post_is_refused() -> Checked {
    let mut f = post();
    f.request_with_on(CALL, modern(1, MethodKind::Ping));
    f.says("x3 ← refused 1 MethodNotFound")?;
    f.feed(Input::ReadEnded(CALL));
    f.says("close x3")?;
    f.closed(CALL);
    f.says("finished ReadEnded")
}

#[test]
fn the_body_of_a_modern_post_is_cut_off() -> Checked {
    let mut f = post();
    f.feed(Input::PeerGone(Some(CALL)));
    f.says("discard, close x3, finished PeerGone")?;
    holds(f.engine.reason(), Some((Reason::PeerGone, None)))?;
    holds(f.engine.tally().received, 0)
}

#[test]
fn a_modern_post_listens() -> Checked {
    let mut f = post();
    f.request_with_on(CALL, modern(1, MethodKind::ModernOnly));
    f.becomes_listen(1)?;
    f.says("write x3")?;
    f.changed(mcp_session::engine::Change::Tools);
    f.says("x3 ← changed 1 Tools")?;
    f.close();
    f.says("x3 ← listen end 1, close x3")
}

#[test]
fn a_modern_post_listens_after_its_body_was_read() -> Checked {
    let mut f = post();
    f.request_with_on(CALL, modern(1, MethodKind::ModernOnly));
    f.becomes_listen(1)?;
    f.feed(Input::ReadEnded(CALL));
    f.says("")?;
    f.changed(mcp_session::engine::Change::Tools);
    f.says("x3 ← changed 1 Tools")?;
    f.feed(Input::PeerGone(Some(CALL)));
    f.says("cancel 1, discard, close x3, finished PeerGone")
}

#[test]
fn a_modern_post_that_listens_ends_with_the_server() -> Checked {
    let mut f = post();
    f.request_with_on(CALL, modern(1, MethodKind::ModernOnly));
    f.feed(Input::ReadEnded(CALL));
    f.becomes_listen(1)?;
    f.says("write x3")?;
    f.close();
    f.says("x3 ← listen end 1, close x3")?;
    f.closed(CALL);
    f.says("finished Closed")
}

#[test]
fn a_modern_post_in_flight_drains_when_the_server_closes() -> Checked {
    let mut f = post();
    f.request_with_on(CALL, modern(1, MethodKind::Both));
    f.feed(Input::ReadEnded(CALL));
    f.close();
    f.says("")?;
    f.finish(1)?;
    f.says("write x3, close x3")?;
    f.closed(CALL);
    f.says("finished Closed")?;
    holds(f.engine.tally().drained, 1)
}
