//! A question to the client, as the future of its answer.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use mcp_session::CallFuture;
use mcp_types::RawJson;
use mcp_types::elicitation::ElicitParams;
use mcp_types::input::InputRequest;
use mcp_types::version::{Era, Version};
use serde_json::value::RawValue;

use super::error::AskError;
use super::keeper::random_name;
use super::needs::{Needs, fit};
use super::round::{Round, Unanswered};

/// A question to the client, as the future of its answer.
///
/// In a legacy session it is a request to the client, which is made when the future is first polled. In the modern era
/// it is ready when the client has sent the answer along with the call. When it has not, the future **stays pending**:
/// as soon as a poll of the handler has ended pending, the handler is dropped, the call is answered with all questions
/// that are open then, and the client makes it again with the answers. The handler runs once more from its start, and
/// finds them. So:
///
/// - What a handler does before it asks, it does in each round; [`Context::once`](crate::Context::once) keeps a result.
/// - Questions that are asked together, as by `tokio::join!`, are asked in one round. Other work that is under way in
///   the handler then is dropped, and done again.
/// - The same questions have to be asked by the same keys in each round.
///
/// # Errors
///
/// [`AskError`] by its variants. A modern call that cannot be answered does not fail here: it is answered by a protocol
/// error, −32021 when the client lacks a capability and −32602 when an answer does not fit.
///
/// # Cancel safety
///
/// Dropping the future withdraws the question. A legacy client is told; its key stays used.
#[must_use = "nothing is asked until it is awaited"]
pub struct Question<T> {
    round: Arc<Round>,
    stage: Stage<T>,
}

enum Stage<T> {
    Unasked(Box<Unasked<T>>),
    /// The round has to end.
    Open(Box<str>),
    /// The client of a legacy session was sent a request.
    Called(Box<str>, Box<CallFuture>, Reader<T>),
    Over,
}

struct Unasked<T> {
    key: Box<str>,
    request: Result<InputRequest, AskError>,
    read: Reader<T>,
    within: Option<Duration>,
}

/// Reads an answer, or says what does not fit. What was answered is not repeated.
type Reader<T> = Box<dyn FnOnce(&RawJson) -> Result<T, String> + Send>;

impl<T> Question<T> {
    pub(crate) fn new(
        round: &Arc<Round>,
        key: Box<str>,
        request: Result<InputRequest, AskError>,
        read: impl FnOnce(&RawJson) -> Result<T, String> + Send + 'static,
    ) -> Self {
        let unasked = Unasked { key, request, read: Box::new(read), within: Some(WITHIN) };
        Self { round: Arc::clone(round), stage: Stage::Unasked(Box::new(unasked)) }
    }

    /// Limits how long the client of a legacy session may take; `None` is for ever. Default 10 min: people are asked, and
    /// they are silent while they think.
    ///
    /// A modern client takes what time it likes, but what is kept for it between two rounds expires after 10 min.
    pub fn max_time(mut self, within: impl Into<Option<Duration>>) -> Self {
        if let Stage::Unasked(unasked) = &mut self.stage {
            unasked.within = within.into();
        }
        self
    }

    /// Asks, or finds the answer.
    fn begin(&mut self, unasked: Unasked<T>, cx: &Context<'_>) -> Result<Option<T>, AskError> {
        let Unasked { key, request, read, within } = unasked;
        self.round.register(&key)?;
        let mut request = request?;
        if !self.round.may_ask() {
            // In the legacy era it could be sent, but then the handler would not be the same in both.
            let why = "only tools, prompts and resources can ask".into();
            return Err(AskError::InvalidQuestion { key, why });
        }
        let (version, client) = (self.round.version(), self.round.client_capabilities());
        let needs = Needs::of(&request);
        if !needs.are_met(version, &client) {
            return match version.era() {
                Era::Legacy => Err(AskError::NotSupported { what: needs.what }),
                Era::Modern => self.stay(key, Unanswered::Lacks(Box::new(needs.capabilities)), cx),
            };
        }
        fit(&mut request, version, &client);
        if version.era() == Era::Legacy {
            name_page(&mut request, version);
            let call =
                self.round.peer().call(request.method().to_owned(), params(&request)).timeout(None).max_time(within);
            self.stage = Stage::Called(key, Box::new(call), read);
            return Ok(None);
        }
        match self.round.response(&key) {
            None => self.stay(key, Unanswered::Ask(request), cx),
            Some(answer) => match read(&answer) {
                Ok(answer) => Ok(Some(answer)),
                Err(why) => self.stay(key, Unanswered::Misfit(why), cx),
            },
        }
    }

    fn stay(&mut self, key: Box<str>, why: Unanswered, cx: &Context<'_>) -> Result<Option<T>, AskError> {
        self.round.record(&key, why, cx.waker())?;
        self.stage = Stage::Open(key);
        Ok(None)
    }
}

impl<T> Future for Question<T> {
    type Output = Result<T, AskError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        if let Stage::Unasked(_) = this.stage
            && let Stage::Unasked(unasked) = std::mem::replace(&mut this.stage, Stage::Over)
            && let Some(outcome) = this.begin(*unasked, cx).transpose()
        {
            return Poll::Ready(outcome);
        }
        match &mut this.stage {
            Stage::Open(key) if this.round.is_over(key, cx.waker()) => Poll::Ready(Err(AskError::CallOver)),
            Stage::Called(_, call, _) => {
                let answered = ready!(Pin::new(call).poll(cx));
                let Stage::Called(key, _, read) = std::mem::replace(&mut this.stage, Stage::Over) else {
                    return Poll::Pending;
                };
                let answer = RawJson::from(answered?);
                Poll::Ready(read(&answer).map_err(|why| AskError::InvalidAnswer { key, why: why.into() }))
            }
            Stage::Open(_) | Stage::Unasked(_) | Stage::Over => Poll::Pending,
        }
    }
}

impl<T> Drop for Question<T> {
    fn drop(&mut self) {
        if let Stage::Open(key) = &self.stage {
            self.round.withdraw(key);
        }
    }
}

impl<T> fmt::Debug for Question<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stage = match &self.stage {
            Stage::Unasked(_) => "Unasked",
            Stage::Open(_) => "Open",
            Stage::Called(..) => "Called",
            Stage::Over => "Over",
        };
        f.debug_struct("Question").field("stage", &stage).finish_non_exhaustive()
    }
}

/// One revision wants each page to have a name.
fn name_page(request: &mut InputRequest, version: Version) {
    if let InputRequest::Elicit(params) = request
        && let ElicitParams::Url(page) = &mut **params
        && version == Version::V2025_11_25
    {
        page.elicitation_id.get_or_insert_with(random_name);
    }
}

fn params(request: &InputRequest) -> Option<Box<RawValue>> {
    let params = request.params().ok().flatten()?;
    RawValue::from_string(params.get().to_owned()).ok()
}

/// How long a person may take.
const WITHIN: Duration = Duration::from_secs(10 * 60);
