//! Serving over HTTP by ourselves, on hyper.

mod guarded;
mod listen;
mod turned_away;

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
use hyper::body::Incoming;
#[cfg(unix)]
use mcp_session::Companion;
use mcp_session::engine::{Close, Report};
use tokio::net::{TcpListener, ToSocketAddrs};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until};
use tower_service::Service;

use self::listen::{Settings, Stage, listen};
use super::config::HttpConfig;
use super::service::HttpService;
use super::under_way::UnderWay;
#[cfg(unix)]
use crate::signals::{Signals, tell_of_losses};
use crate::{ServeError, Server};

impl Server {
    /// Serves over HTTP at this address, with the default settings, until the program is told to end.
    ///
    /// Every path is served, every revision, HTTP/1.1 and HTTP/2. Clients on other machines reach an address that is
    /// theirs to reach only if it was [allowed](HttpConfig::allow_host): then, and for everything else that can be set,
    /// take [`http_with`](Self::http_with) and [`HttpService::serve`].
    ///
    /// The first SIGTERM or SIGINT lets requests in flight run to their end, a second one cuts them off; what was cut
    /// off is named in one line on standard error.
    ///
    /// ```no_run
    /// use mcp_server::{Report, ServeError, Server};
    ///
    /// #[tokio::main(flavor = "current_thread")]
    /// async fn main() -> Result<Report, ServeError> {
    ///     Server::new("greeter", "1.0.0").tool("greet", "Greets.", async || "hello").serve_http("127.0.0.1:8000").await
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// - [`ServeError::Io`]: nobody can listen at this address, or signals could not be awaited. Nothing was served.
    /// - [`ServeError::MissingState`]: a handler takes a state that the server was not given. Nothing was served.
    pub async fn serve_http(&self, address: impl ToSocketAddrs) -> Result<Report, ServeError> {
        self.check()?;
        let listener = TcpListener::bind(address).await?;
        self.http().serve(listener).await
    }
}

impl HttpService {
    /// Serves the connections of a listener until the server has been closed, by a signal as
    /// [`Server::serve_http`] says or by a [handle](Self::handle), and everything has ended.
    ///
    /// At the end no connection is taken any more, those without a request are closed, and the others end with their
    /// answers. What has not ended, and what has not been read, when the [drain limit](Server::with_drain) passes is
    /// cut.
    ///
    /// ```
    /// use mcp_server::Server;
    /// use mcp_server::http::HttpConfig;
    /// use tokio::net::TcpListener;
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let service = Server::new("s", "1.0.0").http_with(HttpConfig::new().with_path("/mcp"));
    /// let handle = service.handle();
    /// let listener = TcpListener::bind("127.0.0.1:0").await?;
    /// let serving = tokio::spawn(service.serve(listener));
    /// handle.close().await;
    /// let report = serving.await.unwrap()?;
    /// assert_eq!(report.exit_code(), 0);
    /// # Ok::<_, mcp_server::ServeError>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// - [`ServeError::Io`]: signals could not be awaited. Nothing was served.
    /// - [`ServeError::MissingState`]: a handler takes a state that the server was not given. Nothing was served.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future cuts every connection; sessions last as long as a clone of the service does.
    ///
    /// # Panics
    ///
    /// In a tokio runtime that was built without I/O or without time.
    pub async fn serve(self, listener: TcpListener) -> Result<Report, ServeError> {
        self.serve_within(listener, |service| service).await
    }

    /// The same with something around the service, such as a layer that finds out who makes a request and puts a
    /// [`Principal`](crate::Principal) into its extensions.
    ///
    /// # Errors
    ///
    /// As [`serve`](Self::serve).
    ///
    /// # Cancel safety
    ///
    /// As [`serve`](Self::serve).
    pub async fn serve_within<S, B>(
        self,
        listener: TcpListener,
        wrap: impl FnOnce(Self) -> S,
    ) -> Result<Report, ServeError>
    where
        S: Service<Request<Incoming>, Response = Response<B>, Error = Infallible> + Clone + Send + 'static,
        S::Future: Send + 'static,
        B: Body<Data = Bytes, Error = Infallible> + Send + 'static,
    {
        let server = self.endpoint().server();
        server.check()?;
        let limits = &server.config().session.limits;
        let settings = Settings::new(self.endpoint().config(), limits.write_stall);
        let (drain, last_words) = (limits.drain, limits.abort);
        #[cfg(unix)]
        let signals = self.listen_to_signals()?;
        let all = self.endpoint().under_way().clone();
        let stage = watch::Sender::new(Stage::Open);
        let listening = listen(listener, wrap(self), settings, stage.subscribe());
        tokio::select! {
            () = listening => {}
            () = end_connections(&all, &stage, drain, last_words) => {}
        }
        let report = Arc::unwrap_or_clone(all.ended().await);
        #[cfg(unix)]
        {
            drop(signals);
            tell_of_losses(&report.tally.cut_off);
        }
        Ok(report)
    }

    #[cfg(unix)]
    fn listen_to_signals(&self) -> std::io::Result<Companion> {
        use mcp_session::engine::By;

        let (mut signals, handle) = (Signals::new()?, self.handle());
        Ok(Companion::spawn(async move {
            loop {
                let number = signals.next().await;
                // What it means at this point is for the sessions to say.
                drop(handle.end(Close::Drain { within: None }, By::Signal(number)));
            }
        }))
    }
}

impl Settings {
    fn new(config: &HttpConfig, write_stall: Option<Duration>) -> Self {
        Self {
            connections: config.connections,
            idle: config.idle,
            write_stall,
            retry_after: config.retry_after,
            header_bytes: config.header_bytes,
            streams: STREAMS,
        }
    }
}

/// Lets connections end once everything is being ended, and cuts what is left of them when their time has passed: what
/// has not been read by then is read by nobody. Never resolves, as connections that end by themselves are waited for.
async fn end_connections(all: &UnderWay, stage: &watch::Sender<Stage>, drain: Option<Duration>, last_words: Duration) {
    let Some(ending) = all.ending().await else { return };
    stage.send_replace(Stage::Draining);
    let within = if let Close::Drain { within } = ending.how { within.or(drain) } else { Some(Duration::ZERO) };
    let until = within.map(|within| Instant::now() + within);
    let is_clean = tokio::select! {
        biased;
        report = all.ended() => report.reason.is_clean(),
        () = at(until) => false,
        () = all.cutting_off() => false,
    };
    if is_clean {
        tokio::select! {
            () = at(until) => {}
            () = all.cutting_off() => {}
        }
    }
    // What the sessions have said last, such as that they were cut off, may still be sent.
    sleep(last_words).await;
    stage.send_replace(Stage::Cut);
    std::future::pending().await
}

async fn at(until: Option<Instant>) {
    match until {
        Some(until) => sleep_until(until).await,
        None => std::future::pending().await,
    }
}

/// How many requests may be under way on one connection of HTTP/2.
const STREAMS: u32 = 1024;
