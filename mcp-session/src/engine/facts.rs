//! What can be said of a session at the moment of an event: the conditions of the table.

use std::fmt;
use std::ops::BitOr;

/// A set of facts. A row of the table asks for some and forbids others.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Facts(u64);

macro_rules! facts {
    ($($(#[$doc:meta])* $name:ident = $bit:literal, $text:literal;)*) => {
        impl Facts {
            $($(#[$doc])* pub const $name: Self = Self(1 << $bit);)*

            /// Every fact with its words.
            pub const NAMES: &'static [(Self, &'static str)] = &[$((Self::$name, $text)),*];
        }
    };
}

facts! {
    /// This side is the client.
    CLIENT = 0, "we are the client";
    /// The peer has said all it will say.
    READ_ENDED = 1, "read ended";
    /// Writing has failed, or our write side is closed.
    WRITE_OVER = 2, "write side over";
    /// Requests in flight run to their end, then the session closes.
    DRAINING = 3, "draining";
    /// Our side has asked to close.
    CLOSING = 4, "closing";
    /// The policy at read end is to drain.
    DRAINS = 5, "policy drain";
    /// Writing failed, and answers to calls that were sent may still be read.
    AWAITING = 6, "awaiting answers";
    /// A call whose frame was written is pending.
    CALLS_SENT = 7, "sent calls pending";
    /// A listen is open.
    LISTENING = 8, "listens open";
    /// The failure is local: not the peer's doing.
    LOCAL = 9, "local failure";
    /// The exchange of this event can be written.
    WRITABLE = 10, "exchange writable";
    /// Frames of this exchange are kept for a later attach.
    STORED = 11, "exchange stored";
    /// The subject (a served request, a call) is known and alive.
    KNOWN = 12, "known";
    /// The request waits in the queue.
    QUEUED = 13, "queued";
    /// The subject is `initialize` (or the probe that opens a modern connection).
    INITIALIZE = 14, "initialize";
    /// A legacy handshake was completed, or is being answered.
    HANDSHAKEN = 15, "handshaken";
    /// The request carries complete modern metadata of a revision we serve.
    MODERN = 16, "modern request";
    /// The request names a revision that is not served by metadata.
    UNSUPPORTED = 17, "unsupported revision";
    /// Modern metadata is there, but incomplete or of the wrong type.
    PARTIAL = 18, "incomplete metadata";
    /// The method is one that only the legacy era has.
    LEGACY_ONLY = 19, "legacy-only method";
    /// The legacy era has the method.
    LEGACY_METHOD = 20, "legacy method";
    /// The method is `ping`.
    PING = 21, "ping";
    /// A request with the same id is in flight on the same exchange.
    DUPLICATE = 22, "duplicate id";
    /// As many requests are in flight as may be.
    FULL = 23, "in-flight limit reached";
    /// The queue, or what requests may hold in bytes, is full.
    QUEUE_FULL = 24, "queue full";
    /// The peer of this client speaks the modern era.
    PEER_MODERN = 25, "peer is modern";
    /// The call was made by a handler.
    BY_HANDLER = 26, "by a handler";
    /// There is a stream that can carry the call.
    CARRIER = 27, "has a carrier";
    /// The frame of the call was written.
    SENT = 28, "sent";
    /// As many notifications wait as may.
    INBOX_FULL = 29, "inbox full";
    /// The malformed frame, or the frame around it, is a response.
    RESPONSE = 30, "a response";
    /// The malformed frame is a notification.
    NOTIFICATION = 31, "a notification";
    /// The listen subscribes to more resources than the connection may.
    SUBSCRIPTIONS_FULL = 32, "subscription limit exceeded";
    /// Only the parameters of the request are of the wrong shape.
    BAD_PARAMS = 33, "only its params are bad";
    /// Input ended inside the frame.
    TRUNCATED = 34, "truncated";
    /// The frame was over the size limit and no id could be found.
    LOST = 35, "oversized, no id";
    /// Something was received on the exchange, and it is being served.
    SERVING = 36, "exchange serving";
    /// What the peer cancels is a listen that our side has called for.
    OUR_LISTEN = 37, "a listen of ours";
    /// As many calls are pending as may be.
    CALLS_FULL = 38, "call limit reached";
    /// The progress is less than what was told of the call before.
    FALLING = 39, "falling";
    /// The session is one request and its answer: the end of its input is the end of the request's text.
    SINGLE = 40, "single";
}

impl Facts {
    /// No facts.
    pub const NONE: Self = Self(0);

    /// Whether all of `other` hold.
    #[must_use]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether any of `other` holds.
    #[must_use]
    pub const fn any(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Both sets together.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Adds `fact` when `holds`.
    #[must_use]
    pub(crate) const fn with(self, fact: Self, holds: bool) -> Self {
        if holds { Self(self.0 | fact.0) } else { self }
    }

    /// The single facts of this set.
    pub fn iter(self) -> impl Iterator<Item = Self> {
        Self::NAMES.iter().map(|(fact, _)| *fact).filter(move |fact| self.has(*fact))
    }

    fn words(self) -> impl Iterator<Item = &'static str> {
        Self::NAMES.iter().filter(move |(fact, _)| self.has(*fact)).map(|(_, text)| *text)
    }
}

impl BitOr for Facts {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        self.and(other)
    }
}

impl fmt::Display for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, word) in self.words().enumerate() {
            if index > 0 {
                f.write_str(", ")?;
            }
            f.write_str(word)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{{self}}}")
    }
}
