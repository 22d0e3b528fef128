//! What can happen to a session, and what can be done about it: the vocabulary of the table's rows.

use super::report::{Dropped, Reason};

/// Something that happened, as the table sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
#[repr(u8)]
pub enum Event {
    /// The peer has said all it will say on the exchange that is the session.
    ReadEnded,
    /// Nobody reads any more on the exchange that is the session.
    PeerGone,
    /// Nobody reads any more on one exchange of several.
    ExchangeGone,
    /// The stream of a resumable exchange was lost.
    Detached,
    /// A lost stream was not picked up again within its grace.
    DetachedTooLong,
    /// Writing failed.
    WriteFailed,
    /// Nothing could be written for too long.
    Stalled,
    /// Answers may no longer be awaited after a failed write: their grace is over, or none is left to wait for.
    AwaitOver,
    /// The drain deadline passed.
    DrainOver,
    /// Nothing is in flight any more while draining, or the one request that the session is has ended.
    Idle,
    /// All is written and our write side is closed.
    Flushed,
    /// Our side asks to close.
    Close,
    /// Our side aborts.
    Abort,
    /// The last handle of our side was dropped.
    HandlesDropped,
    /// Nobody drives the session any more.
    DriverGone,
    /// The session was deleted by its peer, or was idle for too long.
    SessionOver,
    /// A request arrived.
    Request,
    /// A response arrived.
    Response,
    /// The peer cancels a request.
    Cancelled,
    /// A progress notification arrived.
    Progress,
    /// A notification arrived that belongs to a subscription.
    Subscribed,
    /// Another notification arrived.
    Note,
    /// A frame arrived that is not a message, or not a whole one.
    Malformed,
    /// A handler has its answer.
    Answer,
    /// A handler panicked, or vanished without an answer.
    Panicked,
    /// A handler sends a notification about its request.
    ServedNote,
    /// Our side sends a notification about the session.
    OwnNote,
    /// A request becomes a listen.
    Listen,
    /// Our side calls the peer.
    Call,
    /// A local call was cancelled.
    CallCancelled,
    /// A local call ran into one of its limits.
    CallTimedOut,
    /// Unwritten answers exceed their limit.
    AnswersHigh,
    /// Unwritten answers are within their limit again.
    AnswersLow,
    /// The callback for a notification panicked.
    CallbackPanicked,
    /// Anything at all, once the session has finished.
    AfterEnd,
}

impl Event {
    /// Every event.
    #[rustfmt::skip]
    pub const ALL: &'static [Self] = &[
        Self::ReadEnded, Self::PeerGone, Self::ExchangeGone, Self::Detached, Self::DetachedTooLong, Self::WriteFailed,
        Self::Stalled, Self::AwaitOver, Self::DrainOver, Self::Idle, Self::Flushed, Self::Close, Self::Abort,
        Self::HandlesDropped, Self::DriverGone, Self::SessionOver, Self::Request, Self::Response, Self::Cancelled,
        Self::Progress, Self::Subscribed, Self::Note, Self::Malformed, Self::Answer, Self::Panicked, Self::ServedNote,
        Self::OwnNote, Self::Listen, Self::Call, Self::CallCancelled, Self::CallTimedOut, Self::AnswersHigh, Self::AnswersLow,
        Self::CallbackPanicked, Self::AfterEnd,
    ];

    /// Whether every row that holds is carried out, in order, or only the first.
    #[must_use]
    pub const fn takes(self) -> Takes {
        if (self as u8) < (Self::Request as u8) { Takes::Every } else { Takes::First }
    }
}

/// How many rows of an event are carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Takes {
    /// Endings: every row whose facts hold, in order.
    Every,
    /// Everything else: the first row whose facts hold.
    First,
}

/// One step of what a row does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Act {
    /// Settle the calls of our side that no handler made, as connection closed.
    SettleOwnCalls,
    /// Settle the calls that handlers made, as connection closed.
    SettleHandlerCalls,
    /// Settle the calls whose frames were not written, as connection closed.
    SettleUnsentCalls,
    /// Settle the calls that travel on this exchange, as connection closed.
    SettleExchangeCalls,
    /// Tell the peer that every sent call is cancelled, and take the frames of the others back.
    TellPeerOfCalls,
    /// Go on reading for a grace: answers to sent calls may be in the pipe.
    AwaitAnswers,
    /// Give a lost stream its grace.
    AwaitAttach,
    /// Cancel all that is served or queued.
    CancelServed,
    /// Cancel all that is served or queued, and list it in the report.
    CutOffServed,
    /// End every listen with its result.
    EndListens,
    /// Let requests in flight run to their end, then close.
    Drain(Why),
    /// Flush, then close our write side.
    CloseWrite(Why),
    /// Write nothing any more.
    Discard,
    /// End the session.
    Finish(Why),
    /// Close this exchange.
    CloseExchange,
    /// Start the request.
    Start,
    /// Let the request wait in the queue.
    Enqueue,
    /// Answer the ping.
    Pong,
    /// Answer the request with an error.
    Refuse(No),
    /// Cancel this served request.
    CancelOne,
    /// Answer the malformed frame with an error.
    AnswerMalformed,
    /// Count a frame that was cut off by the end of input.
    CountTruncated,
    /// Hand the answer or notification to the exchange.
    Transmit,
    /// Keep the answer or notification for a later attach.
    Store,
    /// Drop and count.
    Drop(Dropped),
    /// Deliver the notification.
    Deliver,
    /// Make room among the waiting notifications by dropping the oldest.
    DropOldestNote,
    /// Place the call.
    Place,
    /// Refuse the call.
    RefuseCall(NoCall),
    /// Settle the call with the response.
    SettleAnswered,
    /// Settle the call with what is wrong with its response.
    SettleBroken,
    /// Settle the listen that the peer has ended.
    SettleEnded,
    /// Settle the call as cancelled or timed out, whichever happened.
    SettleGivenUp,
    /// Take the unwritten frame of the call back.
    Withdraw,
    /// Tell the peer that the call is cancelled, in the transport's way.
    TellPeer,
    /// Stop reading.
    StopReading,
    /// Read again.
    ResumeReading,
    /// Nothing.
    Nothing,
}

impl Act {
    /// The reason that the act ends the session with, if it does.
    #[must_use]
    pub(super) const fn ends(self) -> Option<Why> {
        match self {
            Self::Drain(why) | Self::CloseWrite(why) | Self::Finish(why) => Some(why),
            _ => None,
        }
    }
}

/// The reason that an ending act gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Why {
    /// This one.
    Is(Reason),
    /// What was asked for: a close by a handle or by a signal.
    Asked,
    /// The same, as an abort.
    AskedAbort,
    /// What was noted when the ending began.
    Noted,
}

/// Why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum No {
    /// −32600: a legacy request before `initialize`.
    InitializeFirst,
    /// −32602: modern metadata is missing or of the wrong type; the claim of the request names the field.
    BadMeta,
    /// −32022: the revision that the metadata names is not served.
    UnsupportedVersion,
    /// −32601: the era of the request does not have the method.
    MethodNotFound,
    /// −32600: a request with the same id is in flight.
    DuplicateId,
    /// −32600: the session was initialized before.
    AlreadyInitialized,
    /// −32603: too many requests.
    Overloaded,
    /// −32603: the session is closing.
    Closing,
    /// −32603: the handler failed, without internals.
    Internal,
}

/// Why a local call is refused before anything is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NoCall {
    /// Nobody can answer: the session has come to its end, or one half of it.
    Closed,
    /// Our side is closing.
    Closing,
    /// Too many calls are pending.
    TooMany,
    /// The era of the exchange has no requests in this direction.
    NotInThisEra,
    /// No stream can carry the call.
    NoCarrier,
}
