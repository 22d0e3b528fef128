//! The other side of a session, as whoever talks to it holds it.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use serde_json::value::RawValue;

use crate::call::CallFuture;
use crate::cause::Cause;
use crate::core::{Current, PIPE, Shared};
use crate::engine::{By, Change, Close, Input, Origin, Report, State};
use crate::method::MethodName;
use crate::params::CallParams;

/// The other side of a session: what it can be asked and told.
///
/// Cloning is cheap. A peer does not keep the session open; a [`Handle`] does.
#[derive(Clone, Debug)]
pub struct Peer {
    pub(crate) shared: Arc<Shared>,
    pub(crate) origin: Origin,
}

impl Peer {
    /// Calls a method of the peer. `params` is the JSON of one object, or nothing.
    ///
    /// The call is made when the future is first polled.
    pub fn call(&self, method: impl Into<MethodName>, params: impl Into<CallParams>) -> CallFuture {
        CallFuture::new(Arc::clone(&self.shared), self.origin, method.into(), params.into())
    }

    /// Sends a notification, as soon as there is room for it. `params` is the JSON of one object, or nothing.
    ///
    /// Whether the peer reads it is not known. When it can no longer be sent it is dropped and counted.
    ///
    /// # Cancel safety
    ///
    /// A future that is dropped before it is ready has sent nothing.
    pub async fn notify(&self, method: &str, params: Option<&RawValue>) {
        Room(&self.shared, self.origin).await;
        self.notify_now(method, params);
    }

    /// Sends a notification without waiting for room.
    pub fn notify_now(&self, method: &str, params: Option<&RawValue>) {
        let now = self.shared.now();
        self.shared.act(|core| {
            let verdict = core.engine.notify(now, self.origin);
            core.note(verdict, method, params.map(|params| params.get().as_bytes()));
            core.pump(now, &Current::Nothing);
        });
    }

    /// A link to the session.
    #[must_use]
    pub fn link(&self) -> Link {
        Link::new(&self.shared)
    }

    /// Where the session stands.
    #[must_use]
    pub fn state(&self) -> State {
        self.shared.look(|core| core.engine.state())
    }

    /// What stands behind the end of the connection, as far as the transport knows: the exit of a child, a reset, a
    /// failed write. `None` while it is open, and when it just ended.
    #[must_use]
    pub fn cause(&self) -> Option<Cause> {
        self.shared.look(|core| core.cause.clone())
    }

    /// The revision that a legacy handshake agreed on.
    #[must_use]
    pub fn negotiated(&self) -> Option<mcp_types::version::Version> {
        self.shared.look(|core| core.engine.negotiated())
    }

    /// What is alive now.
    #[must_use]
    pub fn meters(&self) -> Meters {
        self.shared.look(|core| Meters { tasks_alive: core.engine.handlers(), pending_slots: core.calls.len() })
    }
}

/// A session as whoever has many of them holds it: to end it, and to tell it what has changed on this side. Cloning is
/// cheap. It takes a word, and does not keep the session open.
#[derive(Clone, Debug)]
pub struct Link(Arc<Shared>);

impl Link {
    pub(crate) fn new(shared: &Arc<Shared>) -> Self {
        Self(Arc::clone(shared))
    }

    /// Says that something changed on this side: whoever listens is told. Changes of one kind that come together are
    /// told once.
    pub fn changed(&self, change: Change) {
        let now = self.0.now();
        self.0.act(|core| {
            core.engine.changed(now, change);
            core.pump(now, &Current::Nothing);
        });
    }

    /// Says that the contents of a resource changed: whoever subscribed to this URI is told. Changes of one resource
    /// that come together are told once.
    pub fn resource_updated(&self, uri: &str) {
        let now = self.0.now();
        self.0.act(|core| {
            core.engine.resource_updated(now, uri);
            core.pump(now, &Current::Nothing);
        });
    }

    /// Ends the session for this reason; resolves with its report when it has ended.
    ///
    /// # Cancel safety
    ///
    /// The session ends from the moment this is called, whether the future is awaited or not.
    pub fn end(&self, how: Close, by: By) -> Closed {
        let now = self.0.now();
        self.0.act(|core| {
            core.engine.close(now, how, by);
            core.pump(now, &Current::Nothing);
        });
        self.closed()
    }

    /// Resolves with the report when the session has ended.
    pub fn closed(&self) -> Closed {
        Closed(Arc::clone(&self.0))
    }
}

/// What is alive in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Meters {
    /// Handlers that have not ended.
    pub tasks_alive: usize,
    /// Calls whose result has not been taken.
    pub pending_slots: usize,
}

/// A session of ours. When the last handle of a client is dropped, its session closes; a server runs on.
#[derive(Clone, Debug)]
pub struct Handle {
    peer: Peer,
    _guard: Arc<HandleGuard>,
}

impl Handle {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        let guard = Arc::new(HandleGuard(Arc::clone(&shared)));
        Self { peer: Peer { shared, origin: Origin::Own }, _guard: guard }
    }

    /// The other side.
    #[must_use]
    pub const fn peer(&self) -> &Peer {
        &self.peer
    }

    /// What stands behind the end of the connection; see [`Peer::cause`].
    #[must_use]
    pub fn cause(&self) -> Option<Cause> {
        self.peer.cause()
    }

    /// A client has learnt which revision its peer speaks.
    pub fn established(&self, version: mcp_types::version::Version) {
        self.peer.shared.act(|core| core.engine.established(version));
    }

    /// Closes the session, and resolves with its report when it has ended.
    ///
    /// No new requests are accepted; those in flight run to their end, at most for the drain limit. A client does not
    /// wait: its calls settle, their peers are told, and the connection closes. A second call while requests still
    /// drain aborts. However many wait for it, all see the same end.
    ///
    /// # Cancel safety
    ///
    /// The session closes from the moment this is called, whether the future is awaited or not.
    pub fn close(&self) -> Closed {
        self.end(Close::Drain { within: None }, By::Handle)
    }

    /// Aborts the session: everything is cancelled at once and nothing is written any more. Resolves when no handler
    /// is alive, or names those that still run.
    pub fn abort(&self) -> Closed {
        self.end(Close::Abort, By::Handle)
    }

    /// Closes the session for a reason and within a time of the caller's.
    pub fn end(&self, how: Close, by: By) -> Closed {
        self.peer.link().end(how, by)
    }

    /// Says that the peer will say no more, for who knows it otherwise than by the end of input: its process has ended,
    /// and somebody else holds the pipe. What follows is what follows at the end of input.
    pub fn input_ended(&self) {
        let now = self.peer.shared.now();
        self.peer.shared.act(|core| core.feed(now, Input::ReadEnded(PIPE), &Current::Nothing));
    }

    /// Resolves with the report when the session has ended.
    pub fn closed(&self) -> Closed {
        self.peer.link().closed()
    }
}

/// Resolves when a session has ended.
#[derive(Clone, Debug)]
#[must_use = "the session closes all the same, but nobody knows when"]
pub struct Closed(Arc<Shared>);

impl Future for Closed {
    type Output = Arc<Report>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Arc<Report>> {
        match self.0.look(|core| core.wait_for_report(cx.waker())) {
            Some(report) => Poll::Ready(report),
            None => Poll::Pending,
        }
    }
}

/// Resolves when notifications may be sent.
pub(crate) struct Room<'a>(pub(crate) &'a Shared, pub(crate) Origin);

impl Future for Room<'_> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.0.look(|core| core.wait_for_room(self.1, cx.waker())) { Poll::Pending } else { Poll::Ready(()) }
    }
}

#[derive(Debug)]
struct HandleGuard(Arc<Shared>);

impl Drop for HandleGuard {
    fn drop(&mut self) {
        let now = self.0.now();
        self.0.act(|core| core.feed(now, Input::HandlesDropped, &Current::Nothing));
    }
}
