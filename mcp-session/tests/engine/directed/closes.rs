//! How a session ends when our side wants it to, or nobody is left to want anything.

use std::time::Duration;

use mcp_session::engine::{By, CallSpec, Close, Input, Origin};

use crate::closing_table::scenarios;
use crate::support::{Fixture, PIPE, client, server};

const SIGTERM: By = By::Signal(15);
const DRAIN: Close = Close::Drain { within: None };

scenarios! {
    C9 an_abort_cancels_everything_and_writes_nothing(server(), handshaken) |f| {
        f.request(1);
        f.call_by(1)?;
        f.call()?;
        f.abort();
        f.says("settle c2 closed Aborted, settle c1 closed Aborted, cancel 1, discard, close x0")?;
        f.holds("handlers are waited for", f.engine.dying().count() == 1)?;
        f.gone(1)?;
        f.says("finished Aborted")
    }

    C9 handlers_that_do_not_stop_are_named(server(), handshaken) |f| {
        f.request(1);
        f.abort();
        f.timeout()?;
        f.says("finished Aborted")?;
        f.holds("it still runs", f.engine.dying().count() == 1)
    }

    C17 a_close_drains_what_is_in_flight(server(), handshaken) |f| {
        f.request(1);
        f.call()?;
        f.close();
        f.says("")?;
        let call = f.call_by(1)?;
        f.says("x0 ← call c2")?;
        f.sent(call);
        f.response(call);
        f.says("settle c2 answered")?;
        f.finish(1)?;
        f.says("write x0, settle c1 closed Closed, close x0")?;
        f.closed(PIPE);
        f.says("finished Closed")
    }

    C17 a_call_that_its_handler_left_behind_settles_when_the_drain_ends(server(), handshaken) |f| {
        f.request(1);
        f.call_by(1)?;
        f.close();
        f.finish(1)?;
        f.says("write x0, settle c1 closed Closed, close x0")
    }

    C17 a_close_of_an_idle_session_ends_it(server(), handshaken) |f| {
        f.close();
        f.says("close x0")
    }

    C17 own_calls_are_refused_once_a_close_was_asked(server(), handshaken) |f| {
        f.request(1);
        f.close();
        f.no_call(Origin::Own);
        f.says("no call: Closing")
    }

    C25 the_driver_is_gone(client(), handshaken) |f| {
        f.sent_call()?;
        f.feed(Input::DriverGone);
        f.says("settle c1 closed DriverGone, discard, close x0, finished DriverGone")
    }

    C29 a_client_closes_with_calls_pending(client(), handshaken) |f| {
        f.sent_call()?;
        f.call()?;
        f.request(1);
        f.close();
        f.says("x0 ← cancel c1, withdraw c2, settle c1 closed Closed, settle c2 closed Closed, cancel 1, close x0")?;
        f.gone(1)?;
        f.closed(PIPE);
        f.says("finished Closed")
    }

    C29 a_second_close_of_a_client_changes_nothing(client(), handshaken) |f| {
        f.close();
        f.says("close x0")?;
        f.close();
        f.says("")
    }

    C30 a_second_signal_cuts_a_drain_off(server(), handshaken) |f| {
        f.request(1);
        f.close_by(DRAIN, SIGTERM);
        f.says("")?;
        f.close_by(DRAIN, SIGTERM);
        f.says("cancel 1, discard, close x0")?;
        f.gone(1)?;
        f.says("finished SignalledTwice")?;
        f.holds("its number is kept", f.engine.reason().is_some_and(|(_, signal)| signal == Some(15)))
    }

    C30 a_close_during_the_drain_of_a_read_end_cuts_it_off(server(), handshaken) |f| {
        f.request(1);
        f.read_ends();
        f.close();
        f.says("cancel 1, discard, close x0")?;
        f.gone(1)?;
        f.says("finished Aborted")
    }

    C34 a_deleted_session_ends_all(server(), handshaken) |f| {
        f.request(1);
        f.call_by(1)?;
        f.call()?;
        f.feed(Input::Deleted);
        f.says("settle c2 closed Deleted, settle c1 closed Deleted, cancel 1, discard, close x0")?;
        f.gone(1)?;
        f.says("finished Deleted")
    }

    C42 the_last_handle_of_a_client_is_dropped(client(), handshaken) |f| {
        f.sent_call()?;
        f.feed(Input::HandlesDropped);
        f.says("x0 ← cancel c1, settle c1 closed Closed, close x0")?;
        f.closed(PIPE);
        f.says("finished Closed")
    }

    C43 a_handshake_that_is_not_answered(client(), fresh) |f| {
        let mut spec = CallSpec::new(Origin::Own);
        spec.opens = true;
        spec.total = Some(Duration::from_secs(30));
        let call = f.call_with(spec).ok_or("refused")?;
        f.sent(call);
        f.timeout()?;
        f.says("settle c1 tooktoolong, close x0")?;
        f.closed(PIPE);
        f.says("finished HandshakeTimedOut")
    }
}

#[test]
fn the_last_handle_of_a_server_is_dropped_and_it_runs_on() {
    let mut f = Fixture::handshaken(server());
    f.feed(Input::HandlesDropped);
    f.says("").unwrap();
    f.request(1);
    f.says("start 1").unwrap();
}
