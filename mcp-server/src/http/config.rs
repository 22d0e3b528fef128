//! What can be set about a server over HTTP.

use std::sync::Arc;
use std::time::Duration;

use mcp_session::limits::Limits;
use mcp_types::jsonrpc::ScanLimits;

use super::body::BodyLimits;
use super::security::AllowList;
use super::store::EventStore;
use crate::seal::Sealer;

/// The settings of a server over HTTP. The defaults are those of a server on the machine of its user.
///
/// ```
/// use std::time::Duration;
/// use mcp_server::http::HttpConfig;
///
/// let config = HttpConfig::new()
///     .allow_host("mcp.example.com")
///     .allow_origin("https://app.example.com")
///     .with_body_timeouts(Duration::from_secs(5), Duration::from_secs(60));
/// # drop(config);
/// ```
#[derive(Clone, Debug)]
pub struct HttpConfig {
    pub(super) allowed: AllowList,
    pub(super) path: Option<Box<str>>,
    pub(super) modern_only: bool,
    pub(super) header_bytes: usize,
    pub(super) exchanges: usize,
    pub(super) retry_after: Duration,
    pub(super) kind: LegacyKind,
    pub(super) json_responses: bool,
    pub(super) store: Option<Arc<dyn EventStore>>,
    pub(super) retry: Duration,
    pub(super) keep_alive: Duration,
    pub(super) sealer: Option<Sealer>,
    pub(super) sse: Option<SsePaths>,
    pub(super) connections: usize,
    pub(super) idle: Duration,
    body_idle: Duration,
    body_total: Duration,
}

/// How clients of revisions with a handshake are served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LegacyKind {
    /// Each `initialize` opens a session.
    Sessions,
    /// Each request stands alone.
    Stateless,
}

/// Where the two endpoints of HTTP+SSE are.
#[derive(Clone, Debug)]
pub(super) struct SsePaths {
    pub(super) stream: Box<str>,
    pub(super) messages: Box<str>,
}

impl Default for HttpConfig {
    fn default() -> Self {
        Self {
            allowed: AllowList::default(),
            path: None,
            modern_only: false,
            header_bytes: 16 << 10,
            exchanges: 16_384,
            retry_after: Duration::from_secs(1),
            kind: LegacyKind::Sessions,
            json_responses: false,
            store: None,
            retry: Duration::from_secs(1),
            keep_alive: Duration::from_secs(15),
            sealer: None,
            sse: None,
            connections: 10_000,
            idle: Duration::from_secs(60),
            body_idle: Duration::from_secs(10),
            body_total: Duration::from_secs(60),
        }
    }
}

impl HttpConfig {
    /// The defaults.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Allows requests that address this host, besides the names of this machine (`localhost`, `127.0.0.1`, `[::1]`).
    /// Others are answered by 403, because a page in a browser can make its own name resolve to this machine.
    ///
    /// With a port, only that one; without, every port. `*.example.com` stands for every name below `example.com`.
    /// In HTTP/2 the host is the `:authority` of the request. An entry that is no host is logged and matches nothing.
    /// A page that comes from an allowed host needs no [`allow_origin`](Self::allow_origin).
    ///
    /// Behind a proxy or in a container this is the name that clients use.
    #[must_use]
    pub fn allow_host(mut self, host: impl AsRef<str>) -> Self {
        self.allowed.allow_host(host.as_ref());
        self
    }

    /// Allows requests that address any host. For servers behind something that checks the host itself.
    #[must_use]
    pub fn allow_any_host(mut self) -> Self {
        self.allowed.allow_any_host();
        self
    }

    /// Allows requests of pages from this origin, such as `https://app.example.com`, besides pages of this machine and
    /// of [allowed hosts](Self::allow_host). Others are answered by 403; requests without `Origin` do not come from a
    /// page.
    ///
    /// The port is that of the scheme when none is named. Origins of applications and extensions are compared as they
    /// are written; `null` is the origin of pages without one. An entry that is no origin is logged and matches
    /// nothing. A browser lets a page read answers only if they carry the headers of CORS, which are not set here.
    ///
    /// Spec: [Security](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#security--endpoint)
    #[must_use]
    pub fn allow_origin(mut self, origin: impl AsRef<str>) -> Self {
        self.allowed.allow_origin(origin.as_ref());
        self
    }

    /// Allows requests of pages from any origin. For servers that know who asks by other means.
    #[must_use]
    pub fn allow_any_origin(mut self) -> Self {
        self.allowed.allow_any_origin();
        self
    }

    /// Serves under this path alone, with or without a slash at its end; others are answered by 404. By default under
    /// every path, as a service that is nested into a router does not see its own.
    #[must_use]
    pub fn with_path(mut self, path: impl AsRef<str>) -> Self {
        self.path = Some(path.as_ref().trim_end_matches('/').into());
        self
    }

    /// Serves the revision without a handshake alone: no session, neither GET nor DELETE.
    #[must_use]
    pub fn modern_only(mut self) -> Self {
        self.modern_only = true;
        self
    }

    /// Serves clients of revisions with a handshake without sessions: each of their requests stands alone, so that any
    /// of several servers can answer it. Nothing is known of a client but what the request says, so that handlers can
    /// ask it nothing: a question fails at once. There are no streams and no subscriptions; GET and DELETE are answered
    /// by 405.
    ///
    /// The revision is that of the header `MCP-Protocol-Version`, and 2025-03-26 without one.
    #[must_use]
    pub fn stateless(mut self) -> Self {
        self.kind = LegacyKind::Stateless;
        self
    }

    /// Answers requests of sessions by one JSON object and never by a stream, for clients or networks that cannot read
    /// one. What a handler tells meanwhile is dropped and counted, and what it asks fails at once, unless the client
    /// has a stream of its own (GET).
    #[must_use]
    pub fn json_responses(mut self) -> Self {
        self.json_responses = true;
        self
    }

    /// Keeps the events of sessions, so that clients can resume a stream that broke. By default none is kept: what is
    /// answered while the client is away is lost to it.
    ///
    /// ```
    /// use mcp_server::http::{HttpConfig, MemoryEvents};
    ///
    /// let config = HttpConfig::new().with_event_store(MemoryEvents::default());
    /// # drop(config);
    /// ```
    ///
    /// Spec: [Resumability and redelivery](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery)
    #[must_use]
    pub fn with_event_store(mut self, store: impl EventStore) -> Self {
        self.store = Some(Arc::new(store));
        self
    }

    /// Sets how long a client is asked to wait before it resumes a stream. Default 1 s; it is told in whole
    /// milliseconds, and only where events are kept.
    #[must_use]
    pub fn with_retry(mut self, wait: Duration) -> Self {
        self.retry = wait;
        self
    }

    /// Sets after what silence a comment is sent on a stream, so that nobody in between takes it for dead. Default
    /// 15 s.
    #[must_use]
    pub fn with_keep_alive(mut self, silence: Duration) -> Self {
        self.keep_alive = silence;
        self
    }

    /// Seals what a call has been told over rounds of input by these keys, so that any server that has them serves the
    /// next round. By default by a random key, which ends with this server.
    ///
    /// ```
    /// use mcp_server::http::HttpConfig;
    /// use mcp_server::seal::{SealKey, Sealer};
    ///
    /// let sealer = Sealer::with_keys([SealKey::new(1, [7; 32])])?;
    /// let config = HttpConfig::new().with_sealer(sealer);
    /// # drop(config);
    /// # Ok::<_, mcp_server::seal::InvalidKeys>(())
    /// ```
    #[must_use]
    pub fn with_sealer(mut self, sealer: Sealer) -> Self {
        self.sealer = Some(sealer);
        self
    }

    /// Serves the transport of revision 2024-11-05 too, HTTP+SSE: a stream at one path, and messages at another. It has
    /// long been replaced; this is for clients that know nothing else.
    ///
    /// The client is told the path of messages as it stands here. Behind something that puts a prefix before paths, it
    /// has to be the path that clients see, and the last part of it is what is served.
    #[must_use]
    pub fn with_sse_endpoint(mut self, stream: impl AsRef<str>, messages: impl AsRef<str>) -> Self {
        let path = |path: &str| path.trim_end_matches('/').into();
        self.sse = Some(SsePaths { stream: path(stream.as_ref()), messages: path(messages.as_ref()) });
        self
    }

    /// Sets how many connections there may be at once. Default 10 000; those beyond it are answered by 503 with
    /// `Retry-After` and closed. Where the server does not listen by itself, this has no meaning.
    #[must_use]
    pub fn with_connections(mut self, connections: usize) -> Self {
        self.connections = connections;
        self
    }

    /// Sets how long a connection may be without a request, and how long the head of a request may take. Default 60 s;
    /// then it is closed. Where the server does not listen by itself, this has no meaning.
    #[must_use]
    pub fn with_idle(mut self, idle: Duration) -> Self {
        self.idle = idle;
        self
    }

    /// Sets how long the body of a request may be silent and how long it may take altogether. Default 10 s and 60 s;
    /// then the answer is 408. How large it may be is [`Limits::http_body`].
    #[must_use]
    pub fn with_body_timeouts(mut self, idle: Duration, total: Duration) -> Self {
        self.body_idle = idle;
        self.body_total = total;
        self
    }

    /// Sets how many bytes the target and the headers of a request may have together. Default 16 KiB; beyond it the
    /// answer is 431. What stands in front may have a lower limit.
    #[must_use]
    pub fn with_header_bytes(mut self, bytes: usize) -> Self {
        self.header_bytes = bytes;
        self
    }

    /// Sets how many requests may be under way at once, until the last byte of their answers; streams count as long as
    /// they are open. Default 16 384; beyond it the answer is 503 with `Retry-After`.
    #[must_use]
    pub fn with_exchanges(mut self, exchanges: usize) -> Self {
        self.exchanges = exchanges;
        self
    }

    /// Sets after what time a client is asked to come again that was sent away for there being too much to do.
    /// Default 1 s. It is told in whole seconds.
    #[must_use]
    pub fn with_retry_after(mut self, wait: Duration) -> Self {
        self.retry_after = wait;
        self
    }

    pub(super) fn is_stateless(&self) -> bool {
        self.kind == LegacyKind::Stateless
    }

    pub(super) fn body(&self, limits: &Limits) -> BodyLimits {
        BodyLimits { size: limits.http_body, idle: self.body_idle, total: self.body_total }
    }
}

/// What a message may demand.
pub(super) fn scan_limits(limits: &Limits) -> ScanLimits {
    ScanLimits::default().with_depth(limits.depth).with_id_len(limits.id).with_method_len(limits.method)
}
