//! Taking connections in, and giving what is asked over them to a service.

use std::convert::Infallible;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinError, JoinSet};
use tower_service::Service;

use super::guarded::Guarded;
use super::turned_away::TurnedAway;
use crate::http::cap::{Cap, Permit};

/// How connections are treated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    /// How many there may be at once.
    pub(crate) connections: usize,
    /// How long one may be idle, and how long the head of a request may take.
    pub(crate) idle: Duration,
    /// How long a peer may not read what is written to it.
    pub(crate) write_stall: Option<Duration>,
    /// After what time those are asked to come again for whom there is no place.
    pub(crate) retry_after: Duration,
    /// How many bytes the head of a request may have.
    pub(crate) header_bytes: usize,
    /// How many requests may be under way on one connection of HTTP/2.
    pub(crate) streams: u32,
}

/// Whether connections are taken and kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Connections are taken.
    Open,
    /// None is taken any more. Those that are there end with what is under way on them.
    Draining,
    /// They are cut.
    Cut,
}

/// Serves connections until the stage says otherwise and the last of them has ended. Dropping the future cuts them.
pub(crate) async fn listen<S, B>(
    listener: TcpListener,
    service: S,
    settings: Settings,
    mut stage: watch::Receiver<Stage>,
) where
    S: Service<Request<Incoming>, Response = Response<B>, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send + 'static,
    B: Body<Data = Bytes, Error = Infallible> + Send + 'static,
{
    let serving = Arc::new(Serving { http1: settings.http1(), either: settings.either(), settings });
    let (places, lobby) = (Cap::new(settings.connections), Cap::new(LOBBY));
    let mut connections = JoinSet::new();
    loop {
        let stream = tokio::select! {
            // The end first: a flood of connections must not keep it away.
            biased;
            _ = stage.wait_for(|stage| *stage != Stage::Open) => break,
            Some(ended) = connections.join_next() => {
                tell_of_panic(ended);
                continue;
            }
            stream = accept(&listener) => stream,
        };
        if let Some(permit) = places.enter() {
            connections.spawn(serving.connection(stream, service.clone(), stage.clone(), permit));
        } else if let Some(permit) = lobby.enter() {
            tracing::debug!(limit = settings.connections, "turned a connection away");
            let service = TurnedAway(settings.retry_after);
            connections.spawn(serving.connection(stream, service, stage.clone(), permit));
        }
    }
    drop(listener);
    while let Some(ended) = connections.join_next().await {
        tell_of_panic(ended);
    }
}

impl Settings {
    /// For HTTP/1. A client that ends its side after a request counts as gone, which hyper does by itself: in the modern
    /// era that is how a request is cancelled.
    fn http1(&self) -> http1::Builder {
        let mut builder = http1::Builder::new();
        builder.timer(TokioTimer::new()).header_read_timeout(self.idle).max_headers(MAX_HEADERS);
        builder
    }

    /// For what may be HTTP/2.
    fn either(&self) -> auto::Builder<TokioExecutor> {
        let mut builder = auto::Builder::new(TokioExecutor::new());
        builder.http1().timer(TokioTimer::new()).header_read_timeout(self.idle).max_headers(MAX_HEADERS);
        builder
            .http2()
            .timer(TokioTimer::new())
            .keep_alive_interval(self.idle)
            .keep_alive_timeout(PING_TIMEOUT)
            .max_concurrent_streams(self.streams)
            .max_header_list_size(u32::try_from(self.header_bytes).unwrap_or(u32::MAX).saturating_add(HEADER_OVERHEAD));
        builder
    }
}

/// How a connection learns whether it is to end.
type Watched = watch::Receiver<Stage>;

/// What all connections are served with.
struct Serving {
    http1: http1::Builder,
    either: auto::Builder<TokioExecutor>,
    settings: Settings,
}

impl Serving {
    /// Serves a connection to its end.
    ///
    /// What this future has room for is held for every connection, however idle. So what belongs to all of them is
    /// shared, what is needed at the beginning alone has a place of its own for as long as it takes, and so has the
    /// connection, for which a future would keep room where it was made and where it was put.
    fn connection<S, B>(
        self: &Arc<Self>,
        stream: TcpStream,
        service: S,
        mut stage: Watched,
        permit: Permit,
    ) -> impl Future<Output = ()> + Send + use<S, B>
    where
        S: Service<Request<Incoming>, Response = Response<B>, Error = Infallible> + Clone + Send + 'static,
        S::Future: Send + 'static,
        B: Body<Data = Bytes, Error = Infallible> + Send + 'static,
    {
        let begun = Box::pin(Arc::clone(self).begin(stream, service, stage.clone()));
        async move {
            let _place = permit;
            match begun.await {
                Some(Begun::Http1(it)) => until_it_ends(it, &mut stage, http1::Connection::graceful_shutdown).await,
                Some(Begun::Either(it)) => until_it_ends(it, &mut stage, auto::Connection::graceful_shutdown).await,
                None => {}
            }
        }
    }

    /// Waits for the first bytes of a connection, and begins with what they say is spoken. They are looked at and not
    /// taken: whoever is ready for both versions reads them into a buffer of its own, and carries both along, 8 KiB for
    /// each connection of HTTP/1.
    async fn begin<S, B>(self: Arc<Self>, stream: TcpStream, service: S, mut stage: Watched) -> Option<Begun<S, B>>
    where
        S: Service<Request<Incoming>, Response = Response<B>, Error = Infallible> + Clone + Send + 'static,
        S::Future: Send + 'static,
        B: Body<Data = Bytes, Error = Infallible> + Send + 'static,
    {
        if let Err(error) = stream.set_nodelay(true) {
            // It is gone already.
            tracing::debug!(%error, "a connection ended before it was served");
            return None;
        }
        let mut preface = [0; PREFACE.len()];
        let first = tokio::select! {
            first = tokio::time::timeout(self.settings.idle, stream.peek(&mut preface)) => first,
            _ = stage.wait_for(|stage| *stage != Stage::Open) => return None,
        };
        let first = preface.get(..first.ok()?.ok()?)?;
        let io = TokioIo::new(Guarded::new(stream, self.settings.idle, self.settings.write_stall));
        let service = TowerToHyperService::new(service);
        Some(if PREFACE.starts_with(first) {
            Begun::Either(Box::pin(self.either.clone().serve_connection(io, service).into_owned()))
        } else {
            Begun::Http1(Box::pin(self.http1.serve_connection(io, service)))
        })
    }
}

type Io = TokioIo<Guarded<TcpStream>>;

/// A connection that has begun, by what it speaks.
enum Begun<S, B>
where
    S: Service<Request<Incoming>, Response = Response<B>, Error = Infallible> + Clone,
    B: Body + 'static,
{
    Http1(Pin<Box<http1::Connection<Io, TowerToHyperService<S>>>>),
    /// HTTP/2, or too little for telling.
    Either(Pin<Box<auto::Connection<'static, Io, TowerToHyperService<S>, TokioExecutor>>>),
}

/// Serves a connection to its end, which may be asked for.
async fn until_it_ends<C, E>(mut connection: Pin<Box<C>>, stage: &mut Watched, close: fn(Pin<&mut C>))
where
    C: Future<Output = Result<(), E>>,
    E: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    tokio::select! {
        outcome = connection.as_mut() => return tell_of_end(outcome.map_err(Into::into)),
        _ = stage.wait_for(|stage| *stage != Stage::Open) => close(connection.as_mut()),
    }
    tokio::select! {
        outcome = connection.as_mut() => tell_of_end(outcome.map_err(Into::into)),
        _ = stage.wait_for(|stage| *stage == Stage::Cut) => tracing::debug!("cut a connection"),
    }
}

/// What a connection of HTTP/2 begins with.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Takes the next connection. When there is no room for one, as when too many files are open, it waits a little.
async fn accept(listener: &TcpListener) -> TcpStream {
    let mut wait = SHORTEST_WAIT;
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return stream,
            Err(error) if is_of_one_connection(&error) => tracing::debug!(%error, "a connection ended too early"),
            Err(error) => {
                tracing::warn!(%error, "no connection can be taken for now");
                tokio::time::sleep(wait).await;
                wait = LONGEST_WAIT.min(2 * wait);
            }
        }
    }
}

/// Whether it is the connection that failed, and not the listener.
fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted)
}

fn tell_of_end(outcome: Result<(), Box<dyn std::error::Error + Send + Sync>>) {
    if let Err(error) = outcome {
        tracing::debug!(%error, "a connection ended");
    }
}

fn tell_of_panic(ended: Result<(), JoinError>) {
    if let Err(error) = ended {
        tracing::error!(%error, "a connection was lost");
    }
}

/// How many are told that there is no place for them. Beyond it connections are closed without a word.
const LOBBY: usize = 128;
const MAX_HEADERS: usize = 100;
/// What HTTP/2 counts for a header besides its name and its value is 32 bytes.
const HEADER_OVERHEAD: u32 = 32 * 100;
const PING_TIMEOUT: Duration = Duration::from_secs(20);
const SHORTEST_WAIT: Duration = Duration::from_millis(10);
const LONGEST_WAIT: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests;
