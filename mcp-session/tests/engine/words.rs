//! What an engine says, in words.

use std::collections::BTreeMap;

use mcp_session::engine::{CallId, Delivery, ErrorId, ExchangeId, Head, Output, Served, Settled, Verdict};

use crate::support::Said;

/// One thing that was said; requests are called by the ids that they came with.
pub(crate) fn of(said: &Said, labels: &BTreeMap<Served, i64>) -> String {
    match said {
        Said::Output(output) => output_words(output, labels),
        Said::Verdict(verdict) => verdict_words(*verdict),
        Said::Refused(refused) => format!("no call: {:?}", refused.why),
    }
}

fn output_words(output: &Output, labels: &BTreeMap<Served, i64>) -> String {
    let label = |served: &Served| labels.get(served).map_or_else(|| "?".to_owned(), ToString::to_string);
    match output {
        Output::Start(served) => format!("start {}", label(served)),
        Output::Enqueue(served) => format!("enqueue {}", label(served)),
        Output::Cancel(served) => format!("cancel {}", label(served)),
        Output::Settle(CallId(call), settled) => format!("settle c{call} {}", settled_words(settled)),
        Output::Deliver(Delivery::Progress(CallId(call))) => format!("deliver progress c{call}"),
        Output::Deliver(Delivery::Subscribed(CallId(call))) => format!("deliver subscribed c{call}"),
        Output::Deliver(_) => "deliver note".to_owned(),
        Output::DropOldestNote => "drop oldest note".to_owned(),
        Output::Transmit(ExchangeId(exchange), head) => format!("x{exchange} ← {}", head_words(head)),
        Output::Withdraw(CallId(call)) => format!("withdraw c{call}"),
        Output::Discard => "discard".to_owned(),
        Output::CloseExchange(ExchangeId(exchange)) => format!("close x{exchange}"),
        Output::Replay(ExchangeId(exchange)) => format!("replay x{exchange}"),
        Output::Dropped(why) => format!("dropped {why:?}"),
        Output::Finished(reason) => format!("finished {reason:?}"),
        Output::Wait(_) => String::new(),
    }
}

fn settled_words(settled: &Settled) -> String {
    match settled {
        Settled::Closed(reason) => format!("closed {reason:?}"),
        Settled::Broken(_) => "broken".to_owned(),
        other => format!("{other:?}").to_lowercase(),
    }
}

fn head_words(head: &Head) -> String {
    match head {
        Head::Pong(id) => format!("pong {id}"),
        Head::Refused(id, refusal) => format!("refused {id} {:?}", refusal.no),
        Head::Malformed(ErrorId::Known(id), what) => format!("malformed {id} {}", what.fault.code().0),
        Head::Malformed(id, what) => format!("malformed {id:?} {}", what.fault.code().0),
        Head::Call(CallId(call)) => format!("call c{call}"),
        Head::CancelCall(CallId(call)) => format!("cancel c{call}"),
        Head::Changed(id, change) => format!("changed {id} {change:?}"),
        Head::ListenEnd(id) => format!("listen end {id}"),
        Head::LegacyChanged(change) => format!("changed {change:?}"),
        Head::Updated(id, uri) => format!("updated {id} {uri}"),
        Head::LegacyUpdated(uri) => format!("updated {uri}"),
        other => format!("{other:?}"),
    }
}

fn verdict_words(verdict: Verdict) -> String {
    match verdict {
        Verdict::Write(ExchangeId(exchange)) => format!("write x{exchange}"),
        Verdict::Collect(ExchangeId(exchange)) => format!("collect x{exchange}"),
        Verdict::Store(ExchangeId(exchange)) => format!("store x{exchange}"),
        Verdict::Drop(why) => format!("drop {why:?}"),
        other => format!("{other:?}"),
    }
}
