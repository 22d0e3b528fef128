//! What can be set about a server over HTTP.

use std::time::Duration;

use mcp_session::limits::Limits;
use mcp_types::jsonrpc::ScanLimits;

use super::body::BodyLimits;
use super::security::AllowList;

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
    body_idle: Duration,
    body_total: Duration,
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

    pub(super) fn body(&self, limits: &Limits) -> BodyLimits {
        BodyLimits { size: limits.http_body, idle: self.body_idle, total: self.body_total }
    }
}

/// What a message may demand.
pub(super) fn scan_limits(limits: &Limits) -> ScanLimits {
    ScanLimits::default().with_depth(limits.depth).with_id_len(limits.id).with_method_len(limits.method)
}
