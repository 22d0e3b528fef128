//! What stands behind the end of a connection reaches whoever waited for an answer.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::disallowed_methods, reason = "a test plays several sides at once")]

use std::error::Error;
use std::io;
use std::sync::Arc;
use std::task::{Context as Cx, Poll};
use std::time::Duration;

use mcp_session::engine::{Config, Reason, Role};
use mcp_session::transport::{Frames, Incoming, Sink, Source, Traits, Transport};
use mcp_session::transports::memory::{self, End, Link, MemorySink, MemorySource, RawEnd};
use mcp_session::{Answering, CallError, Cause, Context, FrameTooLarge, Handle, Service, Session};
use mcp_types::jsonrpc::{ErrorCode, ErrorObject, Request};
use tokio::task::JoinHandle;

/// A client that is asked nothing.
struct Silent;

impl Service for Silent {
    fn serve(&self, _: &Request<'_>, _: Context) -> Answering {
        Answering::Ready(Err(ErrorObject::new(ErrorCode::METHOD_NOT_FOUND, "none")))
    }
}

/// Why the process behind a transport is gone.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("it exited with status {0}")]
struct Exited(i32);

/// A transport that knows why its input ends.
struct Knowing(End);

struct KnowingSource {
    inner: MemorySource,
    ended: bool,
}

impl Transport for Knowing {
    type Source = KnowingSource;
    type Sink = MemorySink;

    fn traits(&self) -> Traits {
        self.0.traits()
    }

    fn split(self) -> (KnowingSource, MemorySink) {
        let (inner, sink) = self.0.split();
        (KnowingSource { inner, ended: false }, sink)
    }
}

impl Source for KnowingSource {
    fn poll_next(&mut self, cx: &mut Cx<'_>) -> Poll<Incoming> {
        let incoming = self.inner.poll_next(cx);
        self.ended |= matches!(incoming, Poll::Ready(Incoming::Ended | Incoming::Gone(_)));
        incoming
    }

    fn frame(&self) -> &[u8] {
        self.inner.frame()
    }

    fn cause(&mut self) -> Option<Cause> {
        self.ended.then(|| Cause::new(Exited(3)))
    }
}

/// A sink that takes one write and then fails for a reason of its own.
struct FullDisk {
    inner: MemorySink,
    writes: usize,
}

impl Sink for FullDisk {
    fn poll_write(&mut self, cx: &mut Cx<'_>, frames: Frames<'_>) -> Poll<io::Result<usize>> {
        self.writes += 1;
        if self.writes > 1 {
            return Poll::Ready(Err(io::ErrorKind::StorageFull.into()));
        }
        self.inner.poll_write(cx, frames)
    }

    fn poll_close(&mut self, cx: &mut Cx<'_>) -> Poll<io::Result<()>> {
        self.inner.poll_close(cx)
    }
}

struct Failing(End);

impl Transport for Failing {
    type Source = MemorySource;
    type Sink = FullDisk;

    fn traits(&self) -> Traits {
        self.0.traits()
    }

    fn split(self) -> (MemorySource, FullDisk) {
        let (source, inner) = self.0.split();
        (source, FullDisk { inner, writes: 0 })
    }
}

/// A client, with one call that the peer has received.
async fn calling<T: Transport + 'static>(transport: T, peer: &mut RawEnd) -> (Handle, JoinHandle<CallError>) {
    let (handle, driver) = Session::new(Config::new(Role::Client)).open(Arc::new(Silent), transport);
    driver.spawn();
    let call = call(&handle);
    within(peer.recv()).await.unwrap();
    (handle, call)
}

fn call(handle: &Handle) -> JoinHandle<CallError> {
    let call = handle.peer().call("tools/list", None);
    tokio::spawn(async move { call.await.unwrap_err() })
}

async fn within<R>(wait: impl Future<Output = R>) -> R {
    tokio::time::timeout(Duration::from_secs(120), wait).await.unwrap()
}

fn cause_of(error: &CallError) -> Option<&Cause> {
    match error {
        CallError::ConnectionClosed { cause, .. } => cause.as_ref(),
        other => panic!("{other:?}"),
    }
}

fn kind_of(error: &CallError) -> io::ErrorKind {
    cause_of(error).unwrap().downcast_ref::<io::Error>().unwrap().kind()
}

#[tokio::test(start_paused = true)]
async fn the_cause_that_the_source_names() {
    let (end, mut peer) = memory::raw();
    let (handle, waiting) = calling(Knowing(end), &mut peer).await;
    assert!(handle.cause().is_none());
    peer.close_write();
    let error = within(waiting).await.unwrap();
    assert_eq!(cause_of(&error).unwrap().downcast_ref(), Some(&Exited(3)));
    assert_eq!(error.source().unwrap().to_string(), "it exited with status 3");
    // Whoever comes later is told the same.
    let late = within(call(&handle)).await.unwrap();
    assert_eq!(cause_of(&late).unwrap().downcast_ref(), Some(&Exited(3)));
    assert!(handle.cause().is_some() && handle.peer().cause().is_some());
}

#[tokio::test(start_paused = true)]
async fn the_mere_end_of_input_has_no_cause() {
    let (end, mut peer) = memory::raw();
    let (handle, waiting) = calling(end, &mut peer).await;
    peer.close_write();
    let error = within(waiting).await.unwrap();
    assert!(cause_of(&error).is_none() && error.source().is_none() && handle.cause().is_none());
}

#[tokio::test(start_paused = true)]
async fn a_reset() {
    let (end, mut peer) = memory::raw();
    let (_handle, waiting) = calling(end, &mut peer).await;
    peer.faults().outgoing.reset_reader();
    assert_eq!(kind_of(&within(waiting).await.unwrap()), io::ErrorKind::ConnectionReset);
}

#[tokio::test(start_paused = true)]
async fn a_reset_goes_behind_what_the_source_names() {
    let (end, mut peer) = memory::raw();
    let (_handle, waiting) = calling(Knowing(end), &mut peer).await;
    peer.faults().outgoing.reset_reader();
    let error = within(waiting).await.unwrap();
    assert_eq!(cause_of(&error).unwrap().downcast_ref(), Some(&Exited(3)));
}

#[tokio::test(start_paused = true)]
async fn a_failed_write_and_then_a_better_reason() {
    let (end, mut peer) = memory::raw();
    let (handle, waiting) = calling(Knowing(end), &mut peer).await;
    peer.close_read();
    let unsent = within(call(&handle)).await.unwrap();
    assert_eq!(kind_of(&unsent), io::ErrorKind::BrokenPipe);
    // The other one may still be answered, until the end of input says why it will not be.
    peer.close_write();
    let error = within(waiting).await.unwrap();
    assert_eq!(cause_of(&error).unwrap().downcast_ref(), Some(&Exited(3)));
}

#[tokio::test(start_paused = true)]
async fn a_failed_write_of_this_side() {
    let (end, mut peer) = memory::raw();
    let (handle, waiting) = calling(Failing(end), &mut peer).await;
    let unsent = within(call(&handle)).await.unwrap();
    assert_eq!(kind_of(&unsent), io::ErrorKind::StorageFull);
    assert_eq!(kind_of(&within(waiting).await.unwrap()), io::ErrorKind::StorageFull);
}

#[tokio::test(start_paused = true)]
async fn a_frame_that_was_too_large_and_names_no_call() {
    let (end, mut peer) = Link::new().max_frame(100).raw();
    let (handle, waiting) = calling(end, &mut peer).await;
    let large = format!(r#"{{"result":"{}"}}"#, "x".repeat(200));
    peer.send(&large).await.unwrap();
    let error = within(waiting).await.unwrap();
    assert!(matches!(error, CallError::ConnectionClosed { reason: Some(Reason::FrameTooLarge), .. }), "{error:?}");
    let what: &FrameTooLarge = cause_of(&error).unwrap().downcast_ref().unwrap();
    assert_eq!((what.size, what.limit), (large.len() as u64, 100));
    assert!(handle.cause().is_some());
}

#[tokio::test(start_paused = true)]
async fn a_frame_that_was_too_large_and_names_a_call_is_no_cause() {
    let (end, mut peer) = Link::new().max_frame(100).raw();
    let (handle, waiting) = calling(end, &mut peer).await;
    peer.send(&format!(r#"{{"id":1,"result":"{}"}}"#, "x".repeat(200))).await.unwrap();
    assert!(matches!(within(waiting).await.unwrap(), CallError::Malformed { .. }));
    assert!(handle.cause().is_none());
    drop(handle);
}

#[tokio::test(start_paused = true)]
async fn our_own_close_has_no_cause() {
    let (end, mut peer) = memory::raw();
    let (handle, waiting) = calling(end, &mut peer).await;
    drop(handle.close());
    let error = within(waiting).await.unwrap();
    assert!(cause_of(&error).is_none(), "{error:?}");
}
