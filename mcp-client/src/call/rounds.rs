//! Rounds of input: the server answers a request with questions, and is asked again with the answers.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use mcp_types::jsonrpc::{ErrorCode, ErrorObject, member, read_string};
use mcp_types::{RawJson, Version};
use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};
use tokio::time::sleep;

use super::request::Added;
use crate::callbacks::{AnswerFuture, answer};
use crate::decode::decode;
use crate::error::CallError;
use crate::shared::Shared;

/// What kind of result a modern server has sent.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Complete,
    InputRequired,
    Other(String),
}

/// Looks at the type of a result.
pub(super) fn kind(json: &str) -> Kind {
    // Whoever reads the whole result says what is wrong with it.
    let kind = member(json, "resultType").and_then(read_string);
    //= 2026-07-28/basic/index#resulttype
    //# If a client receives a `resultType` value that it does not recognize, it MUST treat the response as invalid
    match kind.as_deref() {
        None | Some("complete") => Kind::Complete,
        Some("input_required") => Kind::InputRequired,
        Some(other) => Kind::Other(other.to_owned()),
    }
}

/// What a server has asked. The state is not looked into.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Asked {
    #[serde(default)]
    input_requests: Option<BTreeMap<String, Question>>,
    #[serde(default)]
    request_state: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
struct Question {
    method: String,
    #[serde(default)]
    params: Option<RawJson>,
}

/// Answers the questions of a round by the callbacks, all at once, and gives what the next request adds to the
/// parameters of the first. Without questions it waits a little: the server has no time now.
///
/// # Errors
///
/// [`CallError::InputRefused`] when one of them gets no answer: the others are then not waited for.
pub(super) async fn answers(shared: &Arc<Shared>, method: &str, json: &str, round: u32) -> Result<Added, CallError> {
    let asked: Asked = decode(json).map_err(|wrong| CallError::malformed(method, wrong))?;
    let mut added = Added::new();
    match asked.input_requests.filter(|questions| !questions.is_empty()) {
        Some(questions) => {
            let responses = answer_all(shared, method, questions).await?;
            let responses = to_raw_value(&responses).expect("texts and JSON can always be JSON");
            added.push(("inputResponses", responses));
        }
        None if asked.request_state.is_none() => {
            return Err(CallError::malformed(method, "it asks for input, and for nothing"));
        }
        None => sleep(PAUSE.saturating_mul(1 << round.min(5))).await,
    }
    //= 2026-07-28/basic/patterns/mrtr#client-requirements
    //# the client MUST echo back the exact value of that field
    added.extend(echo(asked.request_state));
    Ok(added)
}

/// The state as it is sent back: byte for byte.
pub(super) fn echo(state: Option<Box<RawValue>>) -> Option<(&'static str, Box<RawValue>)> {
    state.map(|state| ("requestState", state))
}

/// A question that is being answered.
struct Answering {
    key: String,
    asked: String,
    answer: AnswerFuture,
}

async fn answer_all(
    shared: &Arc<Shared>,
    method: &str,
    questions: BTreeMap<String, Question>,
) -> Result<BTreeMap<String, RawJson>, CallError> {
    let refused = |key: &str, asked: &str, error: ErrorObject| CallError::InputRefused {
        method: method.into(),
        key: key.into(),
        asked: asked.into(),
        error: Box::new(error),
    };
    let mut pending = Vec::with_capacity(questions.len());
    // Nobody is asked anything when something cannot be answered at all.
    for (key, Question { method: asked, params }) in questions {
        match answer(shared, &asked, params.as_ref().map(RawJson::get), Version::MODERN) {
            Ok(answer) => pending.push(Answering { key, asked, answer }),
            Err(error) => return Err(refused(&key, &asked, error)),
        }
    }
    let mut answered = BTreeMap::new();
    poll_fn(|cx| {
        let mut at = 0;
        while let Some(one) = pending.get_mut(at) {
            match poll_guarded(one, cx) {
                Poll::Pending => at += 1,
                Poll::Ready(Ok(answer)) => drop(answered.insert(pending.swap_remove(at).key, answer)),
                Poll::Ready(Err(error)) => return Poll::Ready(Err(refused(&one.key, &one.asked, error))),
            }
        }
        if pending.is_empty() { Poll::Ready(Ok(())) } else { Poll::Pending }
    })
    .await?;
    Ok(answered)
}

/// Polls a callback. One that panics fails its call and nothing else.
fn poll_guarded(one: &mut Answering, cx: &mut Context<'_>) -> Poll<Result<RawJson, ErrorObject>> {
    catch_unwind(AssertUnwindSafe(|| one.answer.as_mut().poll(cx)))
        .unwrap_or_else(|_| Poll::Ready(Err(ErrorObject::new(ErrorCode::INTERNAL_ERROR, "the callback panicked"))))
}

/// How long the first round without questions waits. Each further one waits twice as long, up to 32 times.
const PAUSE: Duration = Duration::from_millis(50);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_type_of_a_result_is_seen_wherever_it_stands() {
        #[rustfmt::skip]
        let rows = [
            (r#"{"resultType":"complete","content":[]}"#,       Kind::Complete),
            (r#"{"content":[],"resultType":"complete"}"#,       Kind::Complete),
            (r#"{"content":[]}"#,                               Kind::Complete),
            (r#"{"resultType":null}"#,                          Kind::Complete),
            (r#"{"x":{"resultType":"input_required"}}"#,        Kind::Complete),
            (r#"{"x":1, "resultType" : "input_required"}"#,     Kind::InputRequired),
            (r#"{"resultType":"input\u005frequired"}"#,         Kind::InputRequired),
            (r#"{"resultType":"completed"}"#,                   Kind::Other("completed".to_owned())),
            (r#"{"resultType":"task"}"#,                        Kind::Other("task".to_owned())),
        ];
        for (json, expected) in rows {
            assert_eq!(kind(json), expected, "{json}");
        }
    }
}
