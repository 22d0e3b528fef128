//! Frames that are not messages.

use mcp_session::engine::WriteFailure;
use mcp_types::jsonrpc::{Fault, Subject};
use mcp_types::version::Version;

use crate::closing_table::scenarios;
use crate::support::{Fixture, client, initialize, modern, server};

scenarios! {
    C8 a_malformed_frame_that_nobody_can_be_told_of_is_counted(server(), handshaken) |f| {
        f.sent_call()?;
        f.write_fails(WriteFailure::Broken);
        f.malformed(Subject::Request, Some(1), Fault::BadVersion);
        f.says("dropped Malformed")
    }

    C14 input_ends_inside_a_message(server(), handshaken) |f| {
        f.request(1);
        f.malformed(Subject::Unknown, None, Fault::Truncated);
        f.says("")?;
        f.holds("it is counted", f.engine.tally().truncated == 1)?;
        f.read_ends();
        f.finish(1)?;
        f.says("write x0, close x0")
    }

    C15 a_server_answers_what_it_cannot_read(server(), handshaken) |f| {
        f.malformed(Subject::Unknown, None, Fault::BadVersion);
        f.says("x0 ← malformed Absent -32600")?;
        f.malformed(Subject::Request, Some(7), Fault::BadVersion);
        f.says("x0 ← malformed 7 -32600")?;
        f.request(1);
        f.says("start 1")
    }

    C15 nobody_answers_a_malformed_notification(server(), handshaken) |f| {
        f.malformed(Subject::Notification, None, Fault::BadVersion);
        f.says("dropped Malformed")?;
        f.malformed(Subject::Notification, None, Fault::BadParams);
        f.says("dropped Malformed")
    }

    C15 nobody_answers_a_malformed_response(server(), handshaken) |f| {
        f.malformed(Subject::Response, Some(7), Fault::BadVersion);
        f.says("dropped Malformed")
    }

    C15 a_malformed_response_settles_its_call(client(), handshaken) |f| {
        f.sent_call()?;
        f.malformed(Subject::Response, Some(1), Fault::BadVersion);
        f.says("settle c1 broken")
    }

    C15 an_answer_with_neither_a_result_nor_an_error_settles_its_call(client(), handshaken) |f| {
        f.sent_call()?;
        f.malformed(Subject::Unknown, Some(1), Fault::NotAMessage);
        f.says("settle c1 broken")?;
        f.malformed(Subject::Unknown, Some(1), Fault::NotAMessage);
        f.says("dropped Malformed")
    }

    C15 a_server_answers_what_has_neither_a_method_nor_an_outcome(server(), handshaken) |f| {
        f.sent_call()?;
        f.malformed(Subject::Unknown, Some(1), Fault::NotAMessage);
        f.says("x0 ← malformed 1 -32600")
    }

    C15 what_asks_by_the_id_of_a_call_does_not_settle_it(client(), handshaken) |f| {
        f.sent_call()?;
        f.malformed(Subject::Request, Some(1), Fault::NotAMessage);
        f.says("dropped Malformed")?;
        f.malformed(Subject::Request, Some(1), Fault::TooLarge);
        f.says("dropped Malformed")?;
        f.malformed(Subject::Unknown, Some(1), Fault::NotJson);
        f.says("dropped Malformed")?;
        f.response(mcp_session::engine::CallId(1));
        f.says("settle c1 answered")
    }

    C15 an_oversized_response_settles_its_call(client(), handshaken) |f| {
        f.sent_call()?;
        f.malformed(Subject::Unknown, Some(1), Fault::TooLarge);
        f.says("settle c1 broken")
    }

    C15 a_client_that_cannot_tell_whose_answer_was_too_large_closes(client(), handshaken) |f| {
        f.sent_call()?;
        f.malformed(Subject::Unknown, None, Fault::TooLarge);
        f.says("settle c1 closed FrameTooLarge, close x0")?;
        f.closed(crate::support::PIPE);
        f.says("finished FrameTooLarge")
    }

    C15 a_client_never_answers_what_it_cannot_read(client(), handshaken) |f| {
        f.malformed(Subject::Unknown, None, Fault::BadVersion);
        f.says("dropped Malformed")?;
        f.malformed(Subject::Request, Some(1), Fault::BadVersion);
        f.says("dropped Malformed")
    }

    C15 a_client_answers_a_request_with_bad_params(client(), handshaken) |f| {
        f.malformed(Subject::Request, Some(1), Fault::BadParams);
        f.says("x0 ← malformed 1 -32602")
    }
}

#[test]
fn the_revision_decides_how_no_id_is_written() {
    let mut f = Fixture::fresh(server());
    f.malformed(Subject::Unknown, None, Fault::BadVersion);
    f.says("x0 ← malformed Null -32600").unwrap();
    f.request_with(modern(1, mcp_session::engine::MethodKind::Both));
    f.malformed(Subject::Unknown, None, Fault::BadVersion);
    f.says("x0 ← malformed Absent -32600").unwrap();

    let mut f = Fixture::fresh(server());
    let mut head = initialize(1);
    head.version = Version::parse("2025-06-18");
    f.request_with(head);
    f.finish(1).unwrap();
    f.request_with(modern(2, mcp_session::engine::MethodKind::Both));
    f.malformed(Subject::Unknown, None, Fault::BadVersion);
    f.says("x0 ← malformed Null -32600").unwrap();
}
