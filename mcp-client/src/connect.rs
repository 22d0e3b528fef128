//! What a client can connect to.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use mcp_session::transport::Transport;
use mcp_session::transports::io::Stream;
use mcp_session::transports::memory::End;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::child::Restart;

/// A way to a server, which [`Client::connect`](crate::Client::connect) opens.
///
/// A transport that is open already opens once. A program can be started again: it is asked for a new way after it
/// died on the first question (see [`can_reopen`](Self::can_reopen)), and whenever [`restart`](Self::restart) says so.
///
/// ```
/// use std::io;
/// use mcp_client::Connect;
/// use mcp_session::transports::io::Stream;
/// use tokio::net::TcpStream;
/// use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
///
/// /// A server behind an address.
/// struct Address(&'static str);
///
/// impl Connect for Address {
///     type Transport = Stream<OwnedReadHalf, OwnedWriteHalf>;
///
///     async fn open(&mut self) -> io::Result<Self::Transport> {
///         let (read, write) = TcpStream::connect(self.0).await?.into_split();
///         Ok(Stream::new(read, write))
///     }
///
///     fn can_reopen(&self) -> bool {
///         true
///     }
/// }
/// ```
pub trait Connect: Send + 'static {
    /// What it opens.
    type Transport: Transport + 'static;

    /// Opens the way.
    ///
    /// # Errors
    ///
    /// When there is none: the program cannot be started, nobody listens, or it was open already and can be taken once.
    fn open(&mut self) -> impl Future<Output = io::Result<Self::Transport>> + Send;

    /// Whether it can be opened a second time. Default no.
    fn can_reopen(&self) -> bool {
        false
    }

    /// What happens when the connection ends and nobody asked for it. Default: it stays closed.
    fn restart(&self) -> Restart {
        Restart::never()
    }

    /// Resolves when what stands behind the transport is gone, such as a process that has exited and been reaped.
    /// Default `None`: there is nothing to wait for.
    fn guard(transport: &Self::Transport) -> Option<Guard> {
        let _ = transport;
        None
    }
}

/// Resolves when what stands behind a transport is gone. A connection counts as closed only then.
#[must_use = "nothing is waited for unless it is awaited"]
pub struct Guard(Pin<Box<dyn Future<Output = ()> + Send>>);

impl Guard {
    /// Waits for a future, which has to end by itself once the transport is dropped.
    pub fn new(gone: impl Future<Output = ()> + Send + 'static) -> Self {
        Self(Box::pin(gone))
    }
}

impl Future for Guard {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        self.0.as_mut().poll(cx)
    }
}

impl fmt::Debug for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guard").finish_non_exhaustive()
    }
}

/// What [`Client::connect`](crate::Client::connect) takes: a [`Connect`], or a transport of this project that is open
/// already. Wrap another one in [`Opened`].
pub trait IntoConnect {
    /// The way that it becomes.
    type Way: Connect;

    /// Makes a way of it.
    fn into_connect(self) -> Self::Way;
}

impl<C: Connect> IntoConnect for C {
    type Way = C;

    fn into_connect(self) -> C {
        self
    }
}

impl<R, W> IntoConnect for Stream<R, W>
where
    R: AsyncRead + Send + 'static,
    W: AsyncWrite + Send + 'static,
{
    type Way = Opened<Self>;

    fn into_connect(self) -> Opened<Self> {
        Opened::new(self)
    }
}

impl IntoConnect for End {
    type Way = Opened<Self>;

    fn into_connect(self) -> Opened<Self> {
        Opened::new(self)
    }
}

/// A transport that is open already. It connects once.
///
/// ```
/// use mcp_client::{Client, Opened};
/// use mcp_session::transport::Transport;
///
/// async fn connect(transport: impl Transport + Send + 'static) -> Result<(), mcp_client::ConnectError> {
///     let connection = Client::new("my-app", "1.0").connect(Opened::new(transport)).await?;
///     connection.close().await;
///     Ok(())
/// }
/// ```
#[derive(Debug)]
pub struct Opened<T>(Option<T>);

impl<T> Opened<T> {
    /// Holds a transport.
    pub const fn new(transport: T) -> Self {
        Self(Some(transport))
    }
}

impl<T: Transport + Send + 'static> Connect for Opened<T> {
    type Transport = T;

    fn open(&mut self) -> impl Future<Output = io::Result<T>> + Send {
        let used_up = || io::Error::new(io::ErrorKind::NotConnected, "a transport connects once");
        std::future::ready(self.0.take().ok_or_else(used_up))
    }
}
