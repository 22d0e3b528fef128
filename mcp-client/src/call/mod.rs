//! A call of the server, as the future of its result.

mod arguments;
mod body;
mod calling;
mod handed_over;
mod meta;
mod request;
mod rounds;
mod slow;

use std::borrow::Cow;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use mcp_types::progress::ProgressParams;
use mcp_types::{CallToolResult, Object, RawJson, method};
use serde::de::DeserializeOwned;

pub(crate) use self::body::Body;
use self::calling::{Calling, Settled};
pub use self::handed_over::{CallOutcome, HandedOver, InputRequired};
pub(crate) use self::meta::Meta;
use self::request::Options;
use crate::decode::decode;
use crate::error::CallError;
use crate::shared::Shared;

/// A call of a tool.
///
/// A tool that fails is not an error but a result that [says so](CallToolResult::is_failure).
pub type ToolCall = Call<CallToolResult>;

/// The result of a call, when it comes, through as many rounds of input as the server asks for.
///
/// The call is made when this is first polled. It is limited twice: by silence ([`timeout`](Self::timeout), default
/// 60 s, restarted by each progress notification and in each round), and altogether ([`max_time`](Self::max_time),
/// default 10 min). While the server is being restarted it waits, within the same limits.
///
/// # Errors
///
/// - [`CallError::Peer`]: the server answered with an error; its code and data are as sent.
/// - [`CallError::TimedOut`]: one of the two limits passed. The server has been told to stop.
/// - [`CallError::ConnectionClosed`]: nobody can answer any more. Whether it was carried out is unknown.
/// - [`CallError::Malformed`]: the answer is not a result of the method. The text names the place in the JSON.
/// - [`CallError::Arguments`], [`CallError::NotPossible`]: nothing was sent.
/// - [`CallError::InputRefused`], [`CallError::TooManyRounds`], [`CallError::InputRequired`]: the server needs input
///   that it does not get.
///
/// # Cancel safety
///
/// Dropping it cancels the call and tells the server; if the request was not written yet, it never is.
#[must_use = "the call is made when it is awaited"]
pub struct Call<T> {
    calling: Calling,
    read: Read<T>,
    /// Reads most complete results at once, and nothing else: then nobody has to look for their type.
    read_plain: Option<ReadPlain<T>>,
}

/// Reads a result.
type Read<T> = fn(&str) -> Result<T, String>;

/// Reads a result that is complete; `None` leaves it to others.
type ReadPlain<T> = fn(&str) -> Option<T>;

impl<T: DeserializeOwned> Call<T> {
    pub(crate) fn typed(
        shared: &Arc<Shared>,
        method: Cow<'static, str>,
        body: Result<(Body, Option<Object>), Box<str>>,
    ) -> Self {
        Self { calling: Calling::new(shared, method, body), read: decode, read_plain: None }
    }
}

impl ToolCall {
    pub(crate) fn tool(shared: &Arc<Shared>, body: Result<Body, Box<str>>) -> Self {
        let body = body.map(|body| (body, None));
        let calling = Calling::new(shared, Cow::Borrowed(method::TOOLS_CALL), body);
        // The general reader knows where a result is wrong.
        Self {
            calling,
            read: |json| CallToolResult::from_json(json).or_else(|_| decode(json)),
            read_plain: Some(CallToolResult::from_plain_json),
        }
    }
}

impl Call<RawJson> {
    pub(crate) fn raw(
        shared: &Arc<Shared>,
        method: Cow<'static, str>,
        body: Result<(Body, Option<Object>), Box<str>>,
    ) -> Self {
        Self {
            calling: Calling::new(shared, method, body),
            read: |json| RawJson::parse(json).map_err(|error| error.to_string()),
            read_plain: None,
        }
    }
}

impl<T> Call<T> {
    /// Limits how long the call may be silent; progress restarts it. `None` is for ever. Default
    /// [`Limits::call_idle`](mcp_session::limits::Limits::call_idle).
    ///
    /// Progress must grow. What falls behind what was told before restarts nothing, and is dropped and counted
    /// ([`Dropped::FallingProgress`](mcp_session::engine::Dropped::FallingProgress)). The same value once more restarts
    /// the time: servers repeat themselves to show that they are alive.
    pub fn timeout(self, idle: impl Into<Option<Duration>>) -> Self {
        let idle = idle.into();
        self.with_options(|options| options.idle = Some(idle))
    }

    /// Limits how long the call may take altogether: all rounds of input, and the time that answering them takes.
    /// `None` is for ever. Default [`Limits::call_total`](mcp_session::limits::Limits::call_total).
    pub fn max_time(self, total: impl Into<Option<Duration>>) -> Self {
        let total = total.into();
        self.with_options(|options| options.total = Some(total))
    }

    /// Asks for progress, and takes it: in order, before the result, and never less than before. It is called while the
    /// call is polled.
    pub fn on_progress(self, callback: impl FnMut(ProgressParams) + Send + 'static) -> Self {
        self.with_options(|options| options.set_progress(callback))
    }

    /// Adds metadata to the request. Members that say who the client is stay as they are. A `progressToken` asks for
    /// progress; what stands on the wire is the token of the session, and progress is told with the one given here.
    pub fn with_meta(self, meta: Object) -> Self {
        self.with_options(|options| options.meta.get_or_insert_default().extend(meta))
    }

    /// Leaves input rounds to the caller: when the server asks for input, that is an outcome and not an error.
    pub fn hand_over(mut self) -> HandedOver<T> {
        self = self.with_options(|options| options.is_handed_over = true);
        HandedOver::new(self.calling, self.read)
    }

    fn with_options(mut self, set: impl FnOnce(&mut Options)) -> Self {
        if let Some(request) = self.calling.request_mut() {
            set(request.options.get_or_insert_default());
        }
        self
    }
}

impl<T> Future for Call<T> {
    type Output = Result<T, CallError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        let mut plain = None;
        let settled = this.calling.poll(cx, |json| {
            plain = this.read_plain.and_then(|read| read(json));
            plain.is_some()
        });
        settled.map(|settled| match settled? {
            Settled::Complete(json) => match plain.take() {
                Some(result) => Ok(result),
                None => (this.read)(&json).map_err(|wrong| CallError::malformed(this.calling.method(), wrong)),
            },
            Settled::InputRequired(json) => Err(this.calling.input_required(&json)),
        })
    }
}

impl<T> Unpin for Call<T> {}

impl<T> fmt::Debug for Call<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call").field("method", &self.calling.method()).finish_non_exhaustive()
    }
}
