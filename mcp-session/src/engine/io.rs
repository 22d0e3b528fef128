//! What goes into the engine and what comes out of it.

use std::borrow::Cow;
use std::fmt;
use std::num::NonZeroU64;
use std::sync::Arc;
use std::time::Duration;

use mcp_types::jsonrpc::{Id, Malformed};
use mcp_types::version::Version;

use super::event::{No, NoCall};
use super::report::{Dropped, Reason};
use super::wants::Change;

/// A moment, as the time since the session began.
///
/// The engine has no clock: whoever feeds it says what time it is. Time is counted in nanoseconds, for up to 584 years.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment(
    /// One more than the nanoseconds, so that a moment that may be none takes no more room than one that is.
    NonZeroU64,
);

impl Moment {
    /// The moment `since` the session began.
    #[must_use]
    pub const fn new(since: Duration) -> Self {
        Self(NonZeroU64::MIN.saturating_add(nanoseconds(since)))
    }

    /// The time since the session began.
    #[must_use]
    pub const fn since_start(self) -> Duration {
        Duration::from_nanos(self.0.get() - 1)
    }

    /// The moment that is `wait` later.
    #[must_use]
    pub const fn after(self, wait: Duration) -> Self {
        Self(self.0.saturating_add(nanoseconds(wait)))
    }
}

impl Default for Moment {
    fn default() -> Self {
        Self(NonZeroU64::MIN)
    }
}

impl fmt::Debug for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Moment").field(&self.since_start()).finish()
    }
}

const fn nanoseconds(time: Duration) -> u64 {
    time.as_secs().saturating_mul(1_000_000_000).saturating_add(time.subsec_nanos() as u64)
}

/// The name of an exchange: a way back to the peer. Whoever opens it chooses the number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExchangeId(pub u32);

/// A request of the peer that is being served. It stays a valid name after the request has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Served {
    pub(super) key: u64,
    pub(super) exchange: ExchangeId,
}

impl Served {
    /// The exchange that the request came on.
    #[must_use]
    pub const fn exchange(self) -> ExchangeId {
        self.exchange
    }
}

/// A call of ours. Its number is the id that the request has on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallId(pub u64);

impl CallId {
    /// The id on the wire.
    #[must_use]
    pub const fn to_wire(self) -> i64 {
        // Ids are handed out in order from 1: they stay below 2^63.
        self.0.cast_signed()
    }

    /// The call that an id names, if it can be one of ours: a number, or a string that is the same number.
    #[must_use]
    pub fn from_wire(id: &Id) -> Option<Self> {
        id.matches_number().and_then(|number| u64::try_from(number).ok()).map(Self)
    }
}

/// Who speaks through an exchange, as far as an authorization layer knows. Opaque to the session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Principal(Option<Arc<str>>);

impl Principal {
    /// Somebody who was authenticated under this name.
    #[must_use]
    pub fn named(name: impl Into<Arc<str>>) -> Self {
        Self(Some(name.into()))
    }

    /// The name, if somebody was authenticated.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.0.as_deref()
    }
}

/// What an exchange is. The engine knows transports by these traits alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ExchangeKind {
    /// The one way for everything, such as a pipe: its end is the end of the session.
    Pipe,
    /// One request and its answer that are a session of their own, such as a modern POST.
    Single,
    /// The way back for the requests of one delivery, in a session that has others, such as a legacy POST. With a
    /// store it can be lost and attached again.
    Post {
        /// Whether frames are kept while nobody is attached.
        stored: bool,
    },
    /// A way for what belongs to no request, such as the legacy GET stream.
    Stream {
        /// Whether frames are kept while nobody is attached.
        stored: bool,
    },
    /// A batch: its answers are collected, everything else goes out through the exchange that it came on.
    Batch {
        /// The exchange that the batch came on.
        via: ExchangeId,
    },
}

/// A message of the peer, as far as the engine has to know it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Frame {
    /// A request.
    Request(RequestHead),
    /// A response, or an error that names no request.
    Response {
        /// The call that the id names, if it can be one of ours.
        call: Option<CallId>,
        /// Whether the id is a text. Those of ours are numbers.
        is_text: bool,
    },
    /// `notifications/cancelled`.
    Cancelled {
        /// The request it names, when it names one.
        id: Option<Id>,
    },
    /// `notifications/progress`.
    Progress {
        /// The call that the token names, if it can be one of ours.
        call: Option<CallId>,
        /// How far it has come, when that can be read.
        progress: Option<Progress>,
    },
    /// A notification that carries the id of a subscription.
    Subscribed {
        /// The call that the id names, if it can be one of ours.
        call: Option<CallId>,
    },
    /// Any other notification.
    Note {
        /// Whether it carries complete modern metadata.
        modern: bool,
    },
}

/// How far a call has come, as the peer measures it.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Progress(f64);

impl Progress {
    /// Less than everything that a peer can tell.
    pub(super) const NONE: Self = Self(f64::NEG_INFINITY);

    /// A number that another one can follow. `None` for what is none, or is too large for it: that would make all that
    /// comes later fall.
    #[must_use]
    pub const fn new(value: f64) -> Option<Self> {
        if value.is_finite() { Some(Self(value)) } else { None }
    }

    pub(super) const fn bits(self) -> u64 {
        self.0.to_bits()
    }
}

// What is not equal to itself cannot be made.
impl Eq for Progress {}

/// A request, as far as the engine has to know it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RequestHead {
    /// The id as it was sent.
    pub id: Id,
    /// The method, for the report.
    pub method: Cow<'static, str>,
    /// What kind of method it is.
    pub kind: MethodKind,
    /// What its metadata claims.
    pub claim: Claim,
    /// The size of the frame in bytes.
    pub bytes: usize,
    /// The revision that an `initialize` would negotiate.
    pub version: Option<Version>,
}

impl RequestHead {
    /// A request of this id and method that claims no metadata.
    #[must_use]
    pub fn new(id: impl Into<Id>, method: impl Into<Cow<'static, str>>, kind: MethodKind) -> Self {
        Self { id: id.into(), method: method.into(), kind, claim: Claim::None, bytes: 0, version: None }
    }
}

/// What kind of method a request has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MethodKind {
    /// `initialize`.
    Initialize,
    /// `ping`.
    Ping,
    /// A method that only the legacy era has.
    LegacyOnly,
    /// A method of both eras.
    Both,
    /// A method that only the modern era has.
    ModernOnly,
    /// A method of neither.
    Other,
}

/// What the metadata of a request claims about its era.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Claim {
    /// Nothing: a legacy request, or one that forgot.
    None,
    /// A modern revision that is served, and all that it requires.
    Modern,
    /// A revision that is not served by metadata.
    Unsupported(Box<str>),
    /// Modern metadata in which this field is missing or of the wrong type.
    Partial(&'static str),
}

/// Something that happened outside.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Input {
    /// An exchange was opened.
    Opened(ExchangeId, ExchangeKind, Principal),
    /// A message arrived on an exchange.
    Frame(ExchangeId, Frame),
    /// Something that is not a message arrived on an exchange.
    Malformed(ExchangeId, Malformed),
    /// The peer has said all it will say on this exchange; it may still read.
    ReadEnded(ExchangeId),
    /// Nobody reads any more: on this exchange, or (`None`) anywhere.
    PeerGone(Option<ExchangeId>),
    /// The stream of this exchange was lost, which is not a cancel.
    Detached(ExchangeId),
    /// Somebody picked the exchange up again.
    Attached(ExchangeId),
    /// Bytes wait to be written, and the transport takes none now.
    WriteBlocked,
    /// The transport took some bytes.
    WriteReady,
    /// Writing failed.
    WriteFailed(WriteFailure),
    /// The exchange has been flushed and closed, as asked.
    ExchangeClosed(ExchangeId),
    /// A cancelled handler is gone.
    Gone(Served),
    /// The callback for a delivered notification has ended.
    NoteDone {
        /// Whether it panicked.
        panicked: bool,
    },
    /// The peer deleted the session.
    Deleted,
    /// The last handle was dropped.
    HandlesDropped,
    /// Nobody drives the session any more.
    DriverGone,
    /// The deadline of the last `Wait` has passed.
    Timeout,
}

/// How writing failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WriteFailure {
    /// The pipe is broken: the other side's doing.
    Broken,
    /// Something on this side, such as a full disk.
    Local,
}

/// Something that the caller has to do.
///
/// Exhaustive on purpose: a driver that forgets a case does not compile.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a driver has to know every output")]
pub enum Output {
    /// Start this request. Its frame is the one that was just fed, or one that was put into the queue.
    Start(Served),
    /// Keep the frame that was just fed: the request waits in the queue.
    Enqueue(Served),
    /// Cancel this request: drop its handler and say [`Input::Gone`], or forget its queued frame.
    Cancel(Served),
    /// Settle this call.
    Settle(CallId, Settled),
    /// Hand the notification that was just fed to its callback.
    Deliver(Delivery),
    /// Drop the oldest notification that waits for its callback.
    DropOldestNote,
    /// Write this to the exchange. When that is a batch, collect it; when nobody is attached to it, keep it.
    Transmit(ExchangeId, Head),
    /// Take the frame of this call back, which is not known to be written. When it is being written at this moment,
    /// write its `notifications/cancelled` instead.
    Withdraw(CallId),
    /// Drop everything that is not written, and write nothing any more.
    Discard,
    /// Flush the exchange, close it, and say [`Input::ExchangeClosed`]. A batch writes what it collected.
    CloseExchange(ExchangeId),
    /// Somebody is attached again: write what was kept.
    Replay(ExchangeId),
    /// Something was dropped.
    Dropped(Dropped),
    /// The session has come to its end.
    Finished(Reason),
    /// There is nothing to do before this moment, or (`None`) before the next input.
    Wait(Option<Moment>),
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Settled {
    /// The frame that was just fed is its response.
    Answered,
    /// The response was not one.
    Broken(Cow<'static, str>),
    /// Nobody can answer any more.
    Closed(Reason),
    /// It was silent for too long.
    Idle,
    /// It took too long altogether.
    TookTooLong,
    /// It was cancelled by our side.
    Cancelled,
    /// It was a listen, and the peer has ended it.
    EndedByPeer,
}

/// A notification for a callback.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Delivery {
    /// Progress of this call.
    Progress(CallId),
    /// A notification of the subscription that this call is.
    Subscribed(CallId),
    /// Any other.
    Note,
}

/// What is to be written, as far as the session itself says it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Head {
    /// The empty result that answers a ping.
    Pong(Id),
    /// An error that answers a request.
    Refused(Id, Box<Refusal>),
    /// An error that answers a frame that is not a request.
    Malformed(ErrorId, Box<Malformed>),
    /// The request of this call.
    Call(CallId),
    /// `notifications/cancelled` for this call.
    CancelCall(CallId),
    /// A change notification on the listen with this id.
    Changed(Id, Change),
    /// The result of the listen with this id.
    ListenEnd(Id),
    /// A change notification of the legacy era.
    LegacyChanged(Change),
    /// The notification that the contents of this resource changed, on the listen with this id.
    Updated(Id, Arc<str>),
    /// The same in the legacy era.
    LegacyUpdated(Arc<str>),
}

/// The id of an error that answers something unreadable.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorId {
    /// The id could be read.
    Known(Id),
    /// No `id` member: revisions from 2025-11-25.
    Absent,
    /// `"id": null`: older revisions, or none known yet.
    Null,
}

/// An error that the session itself answers with.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refusal {
    /// Why.
    pub no: No,
    /// What the request claimed: names the bad field or the requested revision.
    pub claim: Claim,
}

/// What to do with an answer or a notification of a handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// Write it to the exchange, now.
    Write(ExchangeId),
    /// Add it to the answers of this batch.
    Collect(ExchangeId),
    /// Keep it for the exchange: nobody is attached now.
    Store(ExchangeId),
    /// Drop it.
    Drop(Dropped),
    /// The session answers instead; the outputs say how.
    Answered,
}

/// How a handler ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Outcome {
    /// With a result.
    Result,
    /// With an error.
    Error,
    /// It panicked, or its task vanished.
    Panicked,
}

/// Who makes a call or sends a notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Origin {
    /// A handle: it belongs to no request.
    Own,
    /// The handler of this request.
    Handler(Served),
}

/// A call that is to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallSpec {
    /// Who makes it.
    pub origin: Origin,
    /// Whether it opens the session: it is never cancelled, and the session ends with it.
    pub opens: bool,
    /// Whether it is a listen: it stays open, and the peer may end it by a cancel.
    pub listens: bool,
    /// How long it may be silent at first, when that is something else than later: until the first notification about it
    /// arrives, this counts instead of `idle`.
    pub first: Option<Duration>,
    /// How long it may be silent.
    pub idle: Option<Duration>,
    /// How long it may take altogether.
    pub total: Option<Duration>,
}

impl CallSpec {
    /// A call without limits.
    #[must_use]
    pub const fn new(origin: Origin) -> Self {
        Self { origin, opens: false, listens: false, first: None, idle: None, total: None }
    }
}

/// A call that was refused before anything was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct CallRefused {
    /// Why.
    pub why: NoCall,
    /// Why the session is ending, if it is.
    pub reason: Option<Reason>,
}

/// How our side closes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Close {
    /// Let requests in flight run to their end; `within` overrides the drain limit.
    Drain {
        /// The drain deadline, from now.
        within: Option<Duration>,
    },
    /// End at once.
    Abort,
}

/// Who closes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum By {
    /// A handle.
    Handle,
    /// A signal of this number.
    Signal(i32),
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}
