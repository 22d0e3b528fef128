//! Calls whose rounds of input the caller answers.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use mcp_types::input::{InputRequiredResult, InputResponses};
use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};

use super::Read;
use super::calling::{Calling, Settled};
use super::request::{Added, Request};
use super::rounds::echo;
use crate::decode::decode;
use crate::error::CallError;
use crate::shared::Shared;

/// A call whose rounds of input the caller answers: see [`Call::hand_over`](super::Call::hand_over).
///
/// ```
/// # async fn example(connection: mcp_client::Connection) -> Result<(), Box<dyn std::error::Error>> {
/// use mcp_client::CallOutcome;
/// use mcp_types::RawJson;
/// use mcp_types::elicitation::ElicitResult;
/// use mcp_types::input::InputResponses;
///
/// let mut outcome = connection.call_tool("book", &()).hand_over().await?;
/// let result = loop {
///     match outcome {
///         CallOutcome::Complete(result) => break result,
///         CallOutcome::InputRequired(asked) => {
///             let mut responses = InputResponses::new();
///             for (key, _question) in asked.result().input_requests.iter().flat_map(|all| all.iter()) {
///                 responses.insert(key, RawJson::encode(&ElicitResult::decline())?);
///             }
///             outcome = asked.retry_with(responses).await?;
///         }
///         _ => return Err("another outcome".into()),
///     }
/// };
/// # drop(result);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// As [`Call`](super::Call); each round has limits of its own.
///
/// # Cancel safety
///
/// Dropping it cancels the call and tells the server.
#[must_use = "the call is made when it is awaited"]
pub struct HandedOver<T> {
    calling: Calling,
    read: Read<T>,
}

/// How a call whose rounds of input the caller answers has gone on.
#[derive(Debug)]
#[non_exhaustive]
pub enum CallOutcome<T> {
    /// The result.
    Complete(T),
    /// The server needs input first.
    InputRequired(InputRequired<T>),
}

/// A call that needs input. It need not be made again.
pub struct InputRequired<T> {
    shared: Arc<Shared>,
    request: Box<Request>,
    read: Read<T>,
    result: Box<InputRequiredResult>,
    /// The state as it was sent.
    state: Option<Box<RawValue>>,
}

impl<T> HandedOver<T> {
    pub(super) const fn new(calling: Calling, read: Read<T>) -> Self {
        Self { calling, read }
    }

    fn required(&mut self, json: &str) -> Result<InputRequired<T>, CallError> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct State {
            #[serde(default)]
            request_state: Option<Box<RawValue>>,
        }
        let malformed = |wrong: String| CallError::malformed(self.calling.method(), wrong);
        let result = decode(json).map_err(malformed)?;
        let State { request_state: state } = decode(json).map_err(malformed)?;
        let (shared, request) =
            self.calling.take_request().ok_or_else(|| CallError::malformed(self.calling.method(), "no request"))?;
        Ok(InputRequired { shared, request, read: self.read, result, state })
    }
}

impl<T> InputRequired<T> {
    /// What is asked.
    #[must_use]
    pub fn result(&self) -> &InputRequiredResult {
        &self.result
    }

    /// Makes the call again with the answers, by the keys of the questions. What the server wants back is sent back as
    /// it was. All questions have to have been answered; a user who does not want to answer is a reason not to call
    /// again.
    #[expect(clippy::missing_panics_doc, reason = "it cannot panic, as the text says")]
    pub fn retry_with(self, responses: InputResponses) -> HandedOver<T> {
        let mut added = Added::new();
        if !responses.is_empty() {
            let responses = to_raw_value(&responses).expect("texts and JSON can always be JSON");
            added.push(("inputResponses", responses));
        }
        added.extend(echo(self.state));
        HandedOver::new(Calling::again(self.shared, *self.request, added), self.read)
    }
}

impl<T> Future for HandedOver<T> {
    type Output = Result<CallOutcome<T>, CallError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        this.calling.poll(cx, |_| false).map(|settled| match settled? {
            Settled::Complete(json) => (this.read)(&json)
                .map(CallOutcome::Complete)
                .map_err(|wrong| CallError::malformed(this.calling.method(), wrong)),
            Settled::InputRequired(json) => this.required(&json).map(CallOutcome::InputRequired),
        })
    }
}

impl<T> Unpin for HandedOver<T> {}

impl<T> fmt::Debug for HandedOver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HandedOver").field("method", &self.calling.method()).finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for InputRequired<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InputRequired").field("result", &self.result).finish_non_exhaustive()
    }
}
