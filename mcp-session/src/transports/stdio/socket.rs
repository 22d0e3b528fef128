//! A stream socket that is shared with another process, and so stays in blocking mode.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use rustix::net::{RecvFlags, SendFlags, Shutdown, SocketType, recv, send, shutdown, sockopt};
use tokio::io::unix::AsyncFd;
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};

/// One direction of a socket: each call says for itself that it does not block.
#[derive(Debug)]
pub(super) struct Socket {
    fd: AsyncFd<OwnedFd>,
    /// Whether the other direction is the same socket, which then stays open when this one ends.
    shared: bool,
}

impl Socket {
    /// Says whether it is a byte stream, as opposed to messages.
    pub(super) fn is_stream(file: &File) -> bool {
        sockopt::socket_type(file).is_ok_and(|kind| kind == SocketType::STREAM)
    }

    pub(super) fn for_reading(fd: OwnedFd) -> io::Result<Self> {
        Ok(Self { fd: register(fd, Interest::READABLE)?, shared: false })
    }

    /// With `is_input_too`, the end of writing is told to the peer although the socket stays open for reading.
    pub(super) fn for_writing(fd: OwnedFd, is_input_too: bool) -> io::Result<Self> {
        Ok(Self { fd: register(fd, Interest::WRITABLE)?, shared: is_input_too })
    }
}

impl AsyncRead for Socket {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, space: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        loop {
            let mut ready = ready!(self.fd.poll_read_ready(cx))?;
            let attempt = ready.try_io(|fd| {
                let (count, _) = recv(fd.as_fd(), space.initialize_unfilled(), RecvFlags::DONTWAIT)?;
                Ok(count)
            });
            if let Ok(outcome) = attempt {
                space.advance(outcome?);
                return Poll::Ready(Ok(()));
            }
        }
    }
}

impl AsyncWrite for Socket {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        loop {
            let mut ready = ready!(self.fd.poll_write_ready(cx))?;
            let attempt = ready.try_io(|fd| Ok(send(fd.as_fd(), bytes, SendFlags::DONTWAIT | SendFlags::NOSIGNAL)?));
            if let Ok(outcome) = attempt {
                return Poll::Ready(outcome);
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.shared {
            shutdown(self.fd.as_fd(), Shutdown::Write)?;
        }
        Poll::Ready(Ok(()))
    }
}

/// Registers a descriptor with the runtime.
#[expect(
    deprecated,
    reason = "its successor is unsafe, for types that may close their descriptor; an OwnedFd keeps it"
)]
pub(super) fn register(fd: OwnedFd, interest: Interest) -> io::Result<AsyncFd<OwnedFd>> {
    AsyncFd::with_interest(fd, interest)
}
