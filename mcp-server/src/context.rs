//! What a tool can know of its call, and what it can do about it.

use std::sync::Arc;

use mcp_session::Peer;
use mcp_session::engine::Principal;
use mcp_types::jsonrpc::Id;
use mcp_types::logging::{LoggingLevel, LoggingMessageParams};
use mcp_types::meta::ProgressToken;
use mcp_types::method;
use mcp_types::progress::ProgressParams;
use mcp_types::version::{Era, Version};
use mcp_types::{ClientCapabilities, Implementation, RawJson};
use serde::Serialize;
use serde_json::value::to_raw_value;
use tokio::sync::Mutex;

use crate::call::{Call, FromCall, Rejection};
use crate::conversation::Shared;
use crate::prompt::Prompts;
use crate::resource::Resources;
use crate::rounds::{self, Round};
use crate::tool::Tools;

/// The call that a tool serves: an extractor, taken as a parameter of the tool.
///
/// ```
/// use mcp_server::{Context, Server};
///
/// async fn count(context: Context) -> &'static str {
///     for step in 1..=3 {
///         context.progress(f64::from(step), Some(3.0), None).await;
///     }
///     "counted"
/// }
///
/// let server = Server::new("counter", "1.0.0").tool("count", "Counts to three.", count);
/// # drop(server);
/// ```
///
/// It may be kept and used after the call has ended; what is sent then is dropped and counted.
#[derive(Clone, Debug)]
pub struct Context {
    inner: mcp_session::Context,
    conversation: Shared,
    version: Version,
    pub(crate) round: Arc<Round>,
    client_info: Option<RawJson>,
    log_level: Option<LoggingLevel>,
    progress: Option<Arc<Progress>>,
}

/// The progress of one call. The lock is held while a notification waits for room, so that notifications go out in
/// the order in which they were made.
#[derive(Debug)]
struct Progress {
    token: ProgressToken,
    last: Mutex<f64>,
}

impl Context {
    /// The id of the request as it was sent, while it is being served.
    #[must_use]
    pub fn id(&self) -> Option<Id> {
        self.inner.id()
    }

    /// Whether the call is no longer wanted: cancelled, cut off, or answered.
    ///
    /// An async tool is dropped then and needs not ask; this is for [blocking tools](crate::Tool::blocking) and for
    /// other work that cannot be dropped.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.inner.is_cancelled()
    }

    /// The shape of the protocol in which the call was made. Tools rarely need it.
    #[must_use]
    pub const fn era(&self) -> Era {
        self.version.era()
    }

    /// The revision in which the call was made.
    #[must_use]
    pub const fn version(&self) -> Version {
        self.version
    }

    /// Who the client says it is: for display and logs, never for a decision.
    #[must_use]
    pub fn client_info(&self) -> Option<Implementation> {
        let info = match self.era() {
            Era::Modern => self.client_info.as_ref(),
            Era::Legacy => self.conversation.client_info.get(),
        };
        info?.decode().ok()
    }

    /// What the client says it can do. A call that asks for more is answered by an error.
    #[must_use]
    pub fn client_capabilities(&self) -> ClientCapabilities {
        self.round.client_capabilities()
    }

    /// What the client wants progress of this call to name. `None` when it wants to hear of none.
    #[must_use]
    pub fn progress_token(&self) -> Option<&ProgressToken> {
        self.progress.as_deref().map(|progress| &progress.token)
    }

    /// The client, for calls and notifications that belong to this call.
    ///
    /// Modern clients take no requests: a call to one fails at once.
    #[must_use]
    pub const fn peer(&self) -> &Peer {
        self.inner.peer()
    }

    /// Who makes the call, as far as the server knows: what was put into the request as its
    /// [`Principal`](crate::Principal) by a layer in front of a server over HTTP. Nobody in particular otherwise.
    #[must_use]
    pub fn principal(&self) -> Principal {
        self.inner.principal()
    }

    /// Ends the stream on which the call is answered, once what was said so far is sent. The client comes back for the
    /// rest after the time that it was [told](crate::http::HttpConfig::with_retry), and needs not hold a connection open
    /// until then: for calls that take long.
    ///
    /// Nothing happens where clients cannot come back: over other transports than HTTP, without a
    /// [store of events](crate::http::HttpConfig::with_event_store), and to modern clients.
    ///
    /// Spec: [Sending messages](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server)
    #[cfg(feature = "http-core")]
    pub fn end_stream(&self) {
        self.inner.end_stream();
    }

    /// The tools of the server, to add and to remove some while it runs.
    #[must_use]
    pub fn tools(&self) -> &Tools {
        &self.conversation.tools
    }

    /// The prompts of the server, to add and to remove some while it runs.
    #[must_use]
    pub fn prompts(&self) -> &Prompts {
        &self.conversation.prompts
    }

    /// The resources of the server, to add and to remove some while it runs, and to say that one has changed.
    #[must_use]
    pub fn resources(&self) -> &Resources {
        &self.conversation.resources
    }

    /// Runs a future to its end on this thread, which sleeps meanwhile: for a blocking tool.
    ///
    /// ```
    /// use mcp_server::{Context, Server};
    ///
    /// fn count(context: Context) -> &'static str {
    ///     for step in 1..=3 {
    ///         context.block_on(context.progress(f64::from(step), Some(3.0), None));
    ///     }
    ///     "counted"
    /// }
    ///
    /// let server = Server::new("counter", "1.0.0").blocking_tool("count", "Counts to three.", count);
    /// # drop(server);
    /// ```
    ///
    /// In an async tool it may wait for ever, for something that its own thread would have to do.
    ///
    /// A [`Question`](crate::Question) has to be waited for by this function and no other: where the client has to be
    /// asked first, it does not return, but unwinds the tool, as a panic does though it is none. The tool runs again
    /// when the client has answered. A program that is built with `panic = "abort"` cannot unwind, and ends there: in
    /// such a program only async tools should ask.
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        rounds::block_on(&self.round, future)
    }

    /// Says how far the call has come, as soon as there is room for it.
    ///
    /// Nothing is sent to a client that did not ask for it, and nothing that is not more than what was sent before:
    /// progress grows. A number that is not finite is not sent.
    ///
    /// # Cancel safety
    ///
    /// A future that is dropped before it is ready has sent nothing.
    //= 2026-07-28/basic/patterns/progress#progress-flow
    //# The `progress` value **MUST** increase with each notification, even if the total is
    //# unknown.
    pub async fn progress(&self, progress: f64, total: Option<f64>, message: Option<&str>) {
        let Some(state) = &self.progress else { return };
        let mut last = state.last.lock().await;
        if !progress.is_finite() || progress <= *last {
            return;
        }
        let mut params = ProgressParams::new(state.token.clone(), progress);
        params.total = total.filter(|total| total.is_finite());
        params.message = message.filter(|_| self.version > Version::V2024_11_05).map(str::to_owned);
        let Ok(params) = to_raw_value(&params) else { return };
        self.inner.notify(method::NOTIFICATIONS_PROGRESS, Some(&params)).await;
        *last = progress;
    }

    /// Sends a log message to the client, as soon as there is room for it. `data` is any JSON.
    ///
    /// It is sent when the client wants to hear of its level: a legacy client hears of `info` and above until it sets
    /// another level, a modern one of nothing unless its request names a level. Data that cannot be JSON is not sent.
    ///
    /// # Cancel safety
    ///
    /// A future that is dropped before it is ready has sent nothing.
    pub fn log<T: Serialize + ?Sized>(
        &self,
        level: LoggingLevel,
        logger: Option<&str>,
        data: &T,
    ) -> impl Future<Output = ()> + Send {
        let params = if self.wants_log(&level) { log_params(level, logger, data) } else { None };
        async move {
            if let Some(params) = params {
                self.inner.notify(method::NOTIFICATIONS_MESSAGE, Some(&params)).await;
            }
        }
    }

    //= 2026-07-28/server/utilities/logging#per-request-log-level
    //# The server **MUST NOT**
    //# emit `notifications/message` for a request that does not include this field.
    fn wants_log(&self, level: &LoggingLevel) -> bool {
        match self.era() {
            Era::Legacy => self.conversation.wants_log(level),
            Era::Modern => self.log_level.as_ref().is_some_and(|least| level.is_at_least(least)),
        }
    }
}

impl FromCall for Context {
    fn from_call(call: &Call<'_>) -> Result<Self, Rejection> {
        let meta = &call.request.params.meta;
        let token = meta.progress_token.and_then(ProgressToken::parse);
        Ok(Self {
            inner: call.context.clone(),
            conversation: Shared::clone(call.conversation),
            version: call.version,
            round: call.asking.round(call)?,
            client_info: meta.client_info.and_then(|raw| RawJson::parse(raw).ok()),
            log_level: meta.log_level.and_then(read_level),
            progress: token.map(|token| Arc::new(Progress { token, last: Mutex::new(f64::NEG_INFINITY) })),
        })
    }
}

/// Reads a log level from its raw JSON. `None` when it is not one of the eight.
pub(crate) fn read_level(raw: &str) -> Option<LoggingLevel> {
    let level = LoggingLevel::from(&*mcp_types::jsonrpc::read_string(raw)?);
    level.severity().map(|_| level)
}

fn log_params<T: Serialize + ?Sized>(
    level: LoggingLevel,
    logger: Option<&str>,
    data: &T,
) -> Option<Box<serde_json::value::RawValue>> {
    let mut params = LoggingMessageParams::new(level, RawJson::encode(data).ok()?);
    params.logger = logger.map(str::to_owned);
    to_raw_value(&params).ok()
}
