//! A connection to a server.

use std::borrow::Cow;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use mcp_session::engine::Report;
use mcp_session::{Cause, Companion, Meters, Peer};
use mcp_types::discover::DiscoverResult;
use mcp_types::logging::{LoggingLevel, SetLevelParams};
use mcp_types::{Implementation, RawJson, ServerCapabilities, Version, method};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::to_raw_value;

use crate::call::{Body, Call, ToolCall};
use crate::error::CallError;
use crate::shared::{ConnectionState, Shared};
use crate::verdict::Verdict;

/// A connection to a server.
///
/// Clones are handles to the same connection. When the last one is dropped it closes: calls settle as connection
/// closed, the server is told, and nothing is waited for. [`close`](Self::close) does the same and waits.
///
/// Where the way to the server says so (see [`Restart`](crate::Restart)), a server that ends is started again. Calls
/// that were pending fail, since nobody knows whether they were carried out; calls that are made meanwhile wait, within
/// their limits.
#[derive(Clone)]
pub struct Connection {
    shared: Arc<Shared>,
    /// Closes the connection when the last one is dropped. Callbacks are given a handle without it.
    keep: Option<Arc<Keep>>,
}

struct Keep {
    shared: Arc<Shared>,
    _life: Companion,
}

impl Drop for Keep {
    fn drop(&mut self) {
        self.shared.over();
    }
}

impl Connection {
    pub(crate) fn owned(shared: Arc<Shared>, life: Companion) -> Self {
        let keep = Arc::new(Keep { shared: Arc::clone(&shared), _life: life });
        Self { shared, keep: Some(keep) }
    }

    pub(crate) const fn unowned(shared: Arc<Shared>) -> Self {
        Self { shared, keep: None }
    }

    pub(crate) const fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// Calls a tool. The arguments are one JSON object, or `null` or `()` for none.
    ///
    /// ```
    /// # async fn example(connection: mcp_client::Connection) -> Result<(), Box<dyn std::error::Error>> {
    /// use std::time::Duration;
    /// use serde_json::json;
    ///
    /// let forecast = connection
    ///     .call_tool("forecast", &json!({ "city": "Oslo" }))
    ///     .timeout(Duration::from_secs(5))
    ///     .on_progress(|progress| println!("{} done", progress.progress))
    ///     .await?;
    /// # drop(forecast);
    /// # Ok(())
    /// # }
    /// ```
    pub fn call_tool<A: Serialize + ?Sized>(&self, name: &str, arguments: &A) -> ToolCall {
        Call::tool(&self.shared, Body::tool(name, arguments))
    }

    /// Calls any method, and reads its result as a `T`. The parameters are one JSON object, or `null` or `()` for none;
    /// in the modern era they get the metadata that every request must carry.
    ///
    /// ```
    /// # async fn example(connection: mcp_client::Connection) -> Result<(), mcp_client::CallError> {
    /// use mcp_types::tools::{ListParams, ListToolsResult};
    ///
    /// let page: ListToolsResult = connection.request("tools/list", &ListParams::new()).await?;
    /// # drop(page);
    /// # Ok(())
    /// # }
    /// ```
    pub fn request<T: DeserializeOwned>(
        &self,
        method: impl Into<Cow<'static, str>>,
        params: &(impl Serialize + ?Sized),
    ) -> Call<T> {
        Call::typed(&self.shared, method.into(), Body::any(params))
    }

    /// The same, with the result as the JSON that the server sent.
    pub fn request_raw(
        &self,
        method: impl Into<Cow<'static, str>>,
        params: &(impl Serialize + ?Sized),
    ) -> Call<RawJson> {
        Call::raw(&self.shared, method.into(), Body::any(params))
    }

    /// Sends a notification, as soon as there is room for it. Whether the server reads it is not known.
    ///
    /// # Errors
    ///
    /// [`CallError::Arguments`] when the parameters are not a JSON object.
    ///
    /// # Cancel safety
    ///
    /// A future that is dropped before it is ready has sent nothing.
    pub async fn notify<P: Serialize + ?Sized>(&self, method: &str, params: &P) -> Result<(), CallError> {
        let params = to_raw_value(params).map_err(|error| error.to_string()).and_then(|json| match json.get() {
            "null" => Ok(None),
            object if object.starts_with('{') => Ok(Some(json)),
            _ => Err("they are JSON of another kind".to_owned()),
        });
        let params = params.map_err(|detail| CallError::Arguments { method: method.into(), detail: detail.into() })?;
        if let Some(link) = self.shared.link() {
            link.peer.notify(method, params.as_deref()).await;
        }
        Ok(())
    }

    /// Asks the server for a sign of life: by `ping` in the legacy era, and by `server/discover` in the modern one,
    /// which has no `ping`.
    ///
    /// # Errors
    ///
    /// As [`Call`].
    pub async fn ping(&self) -> Result<(), CallError> {
        let is_modern = self.shared.link().is_some_and(|link| link.is_modern());
        let method = if is_modern { method::SERVER_DISCOVER } else { method::PING };
        self.request_raw(method, &()).await.map(drop)
    }

    /// Asks a modern server what it offers. After a connect that found the era out this is known:
    /// [`capabilities`](Self::capabilities).
    pub fn discover(&self) -> Call<DiscoverResult> {
        self.request(method::SERVER_DISCOVER, &())
    }

    /// Asks for log messages from this level on, of this server and of those that it is restarted as. A legacy server
    /// is told now, a modern one with each request from now on.
    ///
    /// # Errors
    ///
    /// As [`Call`]; [`CallError::Peer`] when a legacy server has no logging.
    pub async fn set_log_level(&self, level: LoggingLevel) -> Result<(), CallError> {
        self.shared.set_level(level.clone());
        if self.shared.link().is_some_and(|link| link.is_modern()) {
            return Ok(());
        }
        self.request_raw(method::LOGGING_SET_LEVEL, &SetLevelParams::new(level)).await.map(drop)
    }

    /// The revision that both sides speak.
    #[must_use]
    pub fn version(&self) -> Version {
        self.shared.link().map_or(Version::LATEST_LEGACY, |link| link.agreed.version)
    }

    /// Who the server says it is, if it has said so.
    #[must_use]
    pub fn server(&self) -> Option<Implementation> {
        self.shared.link()?.agreed.server.clone()
    }

    /// What the server says it can do, if it has said so.
    #[must_use]
    pub fn capabilities(&self) -> Option<ServerCapabilities> {
        self.shared.link()?.agreed.capabilities.clone()
    }

    /// What the server would like a model to know.
    #[must_use]
    pub fn instructions(&self) -> Option<String> {
        self.shared.link()?.agreed.instructions.clone()
    }

    /// What was found out about the server, to be kept for the next time. `None` before the handshake is over, which
    /// only a callback can see.
    #[must_use]
    pub fn verdict(&self) -> Option<Verdict> {
        self.shared.link().map(|link| link.verdict())
    }

    /// The server as it is now, for calls and notifications below the level of this type. `None` before the handshake
    /// is over, which only a callback can see.
    #[must_use]
    pub fn peer(&self) -> Option<Peer> {
        self.shared.link().map(|link| link.peer.clone())
    }

    /// Where the connection stands.
    #[must_use]
    pub fn state(&self) -> ConnectionState {
        self.shared.state()
    }

    /// What stands behind the end of the connection, or of the session before the restart, as far as it is known.
    #[must_use]
    pub fn cause(&self) -> Option<Cause> {
        self.shared.link()?.peer.cause()
    }

    /// How many times the server has been restarted.
    #[must_use]
    pub fn restarts(&self) -> u32 {
        self.shared.restarts()
    }

    /// Resolves when the server has been restarted so many times, or will not be any more.
    pub async fn restarted(&self, times: u32) {
        self.shared.until_restarted(times).await;
    }

    /// What is alive in the connection.
    #[must_use]
    pub fn meters(&self) -> Option<Meters> {
        self.shared.link().map(|link| link.peer.meters())
    }

    /// Closes the connection, and resolves when it is closed: pending calls settle, the server is told of them, what is
    /// written is flushed, and a child is gone. However many wait for it, all see the same end.
    ///
    /// # Cancel safety
    ///
    /// It closes from the moment this is called, whether the future is awaited or not.
    pub fn close(&self) -> Closed {
        if let Some(handle) = self.shared.unwanted() {
            drop(handle.close());
        }
        self.closed()
    }

    /// Aborts the connection: nothing is written any more, and callbacks under way are cancelled. Resolves as
    /// [`close`](Self::close) does.
    pub fn abort(&self) -> Closed {
        if let Some(handle) = self.shared.unwanted() {
            drop(handle.abort());
        }
        self.closed()
    }

    /// Resolves with the report of the last session when the connection has ended, for whatever reason.
    pub fn closed(&self) -> Closed {
        Closed::new(Arc::clone(&self.shared))
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection")
            .field("state", &self.state())
            .field("verdict", &self.verdict())
            .field("keeps_open", &self.keep.is_some())
            .finish_non_exhaustive()
    }
}

/// Resolves when a connection has ended.
#[must_use = "the connection closes all the same, but nobody knows when"]
pub struct Closed {
    shared: Arc<Shared>,
    ending: Pin<Box<dyn Future<Output = Arc<Report>> + Send>>,
}

impl Closed {
    fn new(shared: Arc<Shared>) -> Self {
        let of = Arc::clone(&shared);
        let ending = Box::pin(async move {
            of.until_over().await;
            match of.last_closed() {
                Some(closed) => closed.await,
                // Nobody holds a connection before its first session has begun.
                None => std::future::pending().await,
            }
        });
        Self { shared, ending }
    }
}

impl Clone for Closed {
    fn clone(&self) -> Self {
        Self::new(Arc::clone(&self.shared))
    }
}

impl Future for Closed {
    type Output = Arc<Report>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Arc<Report>> {
        self.ending.as_mut().poll(cx)
    }
}

impl fmt::Debug for Closed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Closed").finish_non_exhaustive()
    }
}
