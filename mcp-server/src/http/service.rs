//! A server over HTTP, as a service.

use std::convert::Infallible;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::{Request, Response};
use http_body::Body;
use mcp_session::engine::{By, Close, Report};
use pin_project_lite::pin_project;
use tower_service::Service;

use super::config::HttpConfig;
use super::endpoint::Endpoint;
use super::front::{Front, FrontBody, FrontFuture};
use super::http_body::HttpBody;
use super::under_way::UnderWay;
use crate::Server;

impl Server {
    /// The server as a service of HTTP, with the default settings: to be nested into a router of axum, or served by
    /// hyper.
    ///
    /// ```
    /// use mcp_server::Server;
    ///
    /// let server = Server::new("greeter", "1.0.0").tool("greet", "Greets.", async || "hello");
    /// let router: axum::Router = axum::Router::new().nest_service("/mcp", server.http());
    /// # drop(router);
    /// ```
    ///
    /// Each call makes a server over HTTP of its own, with sessions of its own; clones of the service share them.
    ///
    /// A tool that needs a state which the server was not given answers with an internal error here.
    /// [`serve_http`](Self::serve_http) refuses to start.
    #[must_use]
    pub fn http(&self) -> HttpService {
        self.http_with(HttpConfig::new())
    }

    /// The server as a service of HTTP, with these settings.
    #[must_use]
    pub fn http_with(&self, config: HttpConfig) -> HttpService {
        // What mirrors arguments in headers is made now, so that a tool that clients will not list is told of early.
        self.catalog().tools.0.all(|tools| tools.iter().for_each(|tool| drop(tool.header_params())));
        let limits = self.config().session.limits.clone();
        let endpoint = Endpoint::new(self.clone(), config.clone());
        HttpService { front: Front::new(endpoint.clone(), config, &limits), endpoint }
    }
}

/// A server over HTTP: a [`tower_service::Service`] that serves every revision at one endpoint. Cloning is cheap, and
/// clones share everything.
///
/// Requests of the revision without a handshake stand alone: a client that leaves before its answer has cancelled its
/// request, and the handler is dropped. Over HTTP/1.1 a client that ends its side of the connection after the request
/// counts as one that has left. Sessions of the revisions with a handshake outlive connections; they end when their
/// client deletes them, when nothing has happened in them for
/// [`Limits::session_idle`](crate::Limits::session_idle), and with the server.
///
/// Who makes a request is said by a layer in front that knows it: it puts a [`Principal`](crate::Principal) into the
/// extensions of the request. A session is found by the principal alone that has opened it.
///
/// When the last clone is dropped, its sessions end at once. [`handle`](Self::handle) ends them properly.
#[derive(Clone, Debug)]
pub struct HttpService {
    front: Front<Endpoint>,
    endpoint: Endpoint,
}

impl HttpService {
    /// A handle to end it.
    #[must_use]
    pub fn handle(&self) -> HttpHandle {
        HttpHandle(self.endpoint.under_way().clone())
    }

    /// How many requests are under way, those with an open stream included.
    #[must_use]
    pub fn exchanges(&self) -> usize {
        self.front.exchanges()
    }

    /// How many sessions are alive.
    #[must_use]
    pub fn sessions(&self) -> usize {
        self.endpoint.sessions()
    }

    #[cfg(feature = "http")]
    pub(super) fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }
}

impl<B: Body> Service<Request<B>> for HttpService {
    type Response = Response<FrontBody<HttpBody>>;
    type Error = Infallible;
    type Future = HttpFuture<B>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> HttpFuture<B> {
        HttpFuture { response: self.front.call(request) }
    }
}

pin_project! {
    /// A response of an [`HttpService`] to come.
    ///
    /// # Cancel safety
    ///
    /// Dropping it means that the client is gone.
    pub struct HttpFuture<B> {
        #[pin]
        response: FrontFuture<B, Endpoint>,
    }
}

impl<B: Body> Future for HttpFuture<B> {
    type Output = Result<Response<FrontBody<HttpBody>>, Infallible>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.project().response.poll(cx)
    }
}

impl<B> fmt::Debug for HttpFuture<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.response.fmt(f)
    }
}

/// Ends a server over HTTP. Dropping it changes nothing.
///
/// ```
/// use mcp_server::Server;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let service = Server::new("s", "1.0.0").http();
/// let report = service.handle().close().await;
/// assert_eq!(report.tally.received, 0);
/// # });
/// ```
#[derive(Clone, Debug)]
pub struct HttpHandle(UnderWay);

impl HttpHandle {
    /// Closes the server, and resolves with its report when everything has ended.
    ///
    /// New requests are answered by 503. Those under way run to their end, at most for the
    /// [drain limit](crate::Server::with_drain), and streams that are listened to end with their result. A second call
    /// while requests still drain aborts.
    ///
    /// # Cancel safety
    ///
    /// The server closes from the moment this is called, whether the future is awaited or not.
    pub fn close(&self) -> HttpClosed {
        self.end(Close::Drain { within: None }, By::Handle)
    }

    /// The same, with a limit of the caller's.
    pub fn close_within(&self, limit: Duration) -> HttpClosed {
        self.end(Close::Drain { within: Some(limit) }, By::Handle)
    }

    /// Aborts everything at once.
    pub fn abort(&self) -> HttpClosed {
        self.end(Close::Abort, By::Handle)
    }

    /// Ends the server for a reason of the caller's.
    pub fn end(&self, how: Close, by: By) -> HttpClosed {
        self.0.end(how, by);
        self.closed()
    }

    /// Resolves when the server begins to close, which is when whoever serves its connections should let them end.
    pub async fn closing(&self) {
        self.0.ending().await;
    }

    /// Resolves with the report when everything has ended, once the server is closed.
    pub fn closed(&self) -> HttpClosed {
        HttpClosed(Box::pin(self.0.ended()))
    }
}

/// Resolves when a server over HTTP has ended.
#[must_use = "the server closes all the same, but nobody knows when"]
pub struct HttpClosed(Pin<Box<dyn Future<Output = Arc<Report>> + Send>>);

impl Future for HttpClosed {
    type Output = Arc<Report>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Arc<Report>> {
        self.0.as_mut().poll(cx)
    }
}

impl fmt::Debug for HttpClosed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HttpClosed")
    }
}
