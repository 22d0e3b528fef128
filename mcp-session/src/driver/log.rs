//! The log of a session: what was said on streams that can be resumed.

use std::fmt::Debug;
use std::pin::Pin;

use bytes::Bytes;

use crate::engine::ExchangeId;

/// Keeps what is said on the streams of one session, so that a stream that was lost can be taken up again.
///
/// A session appends one message after the other, in the order in which they were said.
pub trait Log: Debug + Send + Sync + 'static {
    /// Keeps a message. An empty one stands for the beginning of its stream.
    fn append(&self, stream: ExchangeId, message: Bytes) -> Appending;
}

/// The place that a message gets in the log: a number that grows. `None` when it could not be kept.
pub type Appending = Pin<Box<dyn Future<Output = Option<u64>> + Send>>;
