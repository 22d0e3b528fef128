//! Random sessions beside a model that knows nothing of the table.

use mcp_session::engine::{CallId, CallSpec, Config, Head, Input, Origin, Output, Verdict, WriteFailure};
use proptest::prelude::*;

use self::reference::Model;
use crate::support::{Fixture, PIPE, Said, cancelling_server, client, limited, server};

mod reference;

/// What happens to both, with few names so that they collide.
#[derive(Clone, Copy, Debug)]
enum Op {
    Request(i64),
    Finish(i64),
    PeerCancels(i64),
    Note(i64),
    Gone(i64),
    Call,
    CallBy(i64),
    Sent(u64),
    Response(u64),
    CancelCall(u64),
    ReadEnds,
    PeerGone,
    Fails(bool),
    Close,
    Abort,
    HandlesDropped,
    Closed,
    Timeout,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Side {
    #[default]
    Drains,
    Cancels,
    Client,
}

/// Does to the engine what is done to the model; false when no driver could do it.
fn feeds(f: &mut Fixture, op: Op, asked_to_close: bool) -> bool {
    let known = |id: i64, f: &Fixture| f.served(id).is_ok_and(|served| f.was_started(served));
    match op {
        Op::Request(id) => f.request(id),
        Op::Finish(id) | Op::Note(id) | Op::Gone(id) | Op::CallBy(id) if !known(id, f) => return false,
        Op::Finish(id) => f.finish(id).unwrap(),
        Op::Note(id) => f.note_by(id).unwrap(),
        Op::Gone(id) => f.gone(id).unwrap(),
        Op::CallBy(id) => {
            let served = f.served(id).unwrap();
            f.call_with(CallSpec::new(Origin::Handler(served)));
        }
        Op::PeerCancels(id) => f.peer_cancels(id),
        Op::Call => drop(f.call_with(CallSpec::new(Origin::Own))),
        Op::Sent(call) => f.sent(CallId(call)),
        Op::Response(call) => f.response(CallId(call)),
        Op::CancelCall(call) => f.cancel_call(CallId(call)),
        Op::ReadEnds => f.read_ends(),
        Op::PeerGone => f.peer_gone(),
        Op::Fails(local) => f.write_fails(if local { WriteFailure::Local } else { WriteFailure::Broken }),
        Op::Close => f.close(),
        Op::Abort => f.abort(),
        Op::HandlesDropped => f.feed(Input::HandlesDropped),
        Op::Closed if !asked_to_close => return false,
        Op::Closed => f.closed(PIPE),
        Op::Timeout => return f.timeout().is_ok(),
    }
    true
}

/// What the engine said, as far as the model speaks of it.
fn heard(f: &Fixture) -> Vec<String> {
    let words = f.step.iter().map(|said| match said {
        Said::Output(Output::Transmit(_, Head::Refused(..))) => "refused".to_owned(),
        Said::Output(Output::CloseExchange(_)) => "close".to_owned(),
        Said::Output(Output::Transmit(..) | Output::Dropped(_) | Output::Discard | Output::Withdraw(_)) => {
            String::new()
        }
        Said::Output(_) => f.words(said),
        Said::Verdict(Verdict::Drop(_)) => "drop".to_owned(),
        Said::Verdict(_) => "write".to_owned(),
        Said::Refused(_) => "no call".to_owned(),
    });
    words.filter(|word| !word.is_empty()).collect()
}

fn agree(side: Side, ops: &[Op]) -> Result<(), String> {
    let config: Config = match side {
        Side::Drains => server(),
        Side::Cancels => cancelling_server(),
        Side::Client => client(),
    };
    let mut f = Fixture::handshaken(limited(config, |limits| {
        limits.in_flight = 1;
        limits.queue = 1;
        limits.drain = None;
    }));
    let mut model = Model::new(side);
    let mut asked_to_close = false;
    for (at, op) in ops.iter().enumerate() {
        if !feeds(&mut f, *op, asked_to_close) {
            continue;
        }
        model.says.clear();
        model.take(*op, &f);
        let (mut said, mut expected) = (heard(&f), model.says.clone());
        asked_to_close |= said.iter().any(|word| word == "close");
        said.sort();
        expected.sort();
        f.is_sound()?;
        if said != expected {
            return Err(format!("{op:?} at {at}: the engine says {said:?}, the model {expected:?}\n{ops:?}"));
        }
    }
    Ok(())
}

/// Sequences in which the engine or the model once went wrong.
#[test]
fn sequences_that_once_went_wrong() {
    let rows: &[(Side, &[Op])] = &[
        // A flush that nobody had called blocked counted as stalled.
        (Side::Cancels, &[Op::ReadEnds, Op::Timeout]),
        // The write half fails while it is being closed.
        (Side::Drains, &[Op::Close, Op::Fails(false)]),
        // A handler that was told to stop ends by itself.
        (Side::Cancels, &[Op::Request(1), Op::ReadEnds, Op::Finish(1), Op::Closed]),
        // A call outlives its handler, and then the drain.
        (Side::Drains, &[Op::Request(1), Op::CallBy(1), Op::Close, Op::Finish(1), Op::Closed]),
    ];
    for (side, ops) in rows {
        agree(*side, ops).unwrap();
    }
}

fn op() -> impl Strategy<Value = Op> {
    let (id, call) = (1_i64..=3, 1_u64..=3);
    prop_oneof![
        6 => id.clone().prop_map(Op::Request),
        4 => id.clone().prop_map(Op::Finish),
        2 => id.clone().prop_map(Op::PeerCancels),
        1 => id.clone().prop_map(Op::Note),
        2 => id.clone().prop_map(Op::Gone),
        2 => Just(Op::Call),
        2 => id.prop_map(Op::CallBy),
        2 => call.clone().prop_map(Op::Sent),
        2 => call.clone().prop_map(Op::Response),
        1 => call.prop_map(Op::CancelCall),
        1 => Just(Op::ReadEnds),
        1 => Just(Op::PeerGone),
        1 => any::<bool>().prop_map(Op::Fails),
        1 => Just(Op::Close),
        1 => Just(Op::Abort),
        1 => Just(Op::HandlesDropped),
        2 => Just(Op::Closed),
        1 => Just(Op::Timeout),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_engine_does_what_the_model_does(
        side in prop_oneof![Just(Side::Drains), Just(Side::Cancels), Just(Side::Client)],
        ops in prop::collection::vec(op(), 1..40),
    ) {
        agree(side, &ops).map_err(TestCaseError::fail)?;
    }
}
