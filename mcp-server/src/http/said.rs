//! Where what is said on an exchange comes from.

use std::task::{Context, Poll, Waker};

use mcp_session::{ReplyStream, Said};

/// Where frames come from, one after the other. Dropping it means that the client is gone.
pub(crate) trait Says: Send + Unpin + 'static {
    /// The next frame; `None` when nothing comes any more.
    fn poll_said(&mut self, cx: &mut Context<'_>) -> Poll<Option<Said>>;

    /// Looks whether something is said already. Whoever polls next is woken.
    fn look(&mut self) -> Poll<Option<Said>> {
        self.poll_said(&mut Context::from_waker(Waker::noop()))
    }
}

impl Says for ReplyStream {
    fn poll_said(&mut self, cx: &mut Context<'_>) -> Poll<Option<Said>> {
        self.poll_next(cx)
    }
}

/// A frame that was taken already, and those that come after it.
#[derive(Debug)]
pub(crate) struct Ahead<X> {
    pub(crate) said: Option<Said>,
    pub(crate) rest: X,
}

impl<X: Says> Says for Ahead<X> {
    fn poll_said(&mut self, cx: &mut Context<'_>) -> Poll<Option<Said>> {
        match self.said.take() {
            Some(said) => Poll::Ready(Some(said)),
            None => self.rest.poll_said(cx),
        }
    }
}

#[cfg(test)]
impl Says for tokio::sync::mpsc::UnboundedReceiver<Said> {
    fn poll_said(&mut self, cx: &mut Context<'_>) -> Poll<Option<Said>> {
        self.poll_recv(cx)
    }
}
