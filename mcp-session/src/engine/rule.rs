//! The names of the rules: the rows of the closing table, and the plain rules beside them.

use std::fmt;

/// A rule of the session: a row of the closing table (`C…`) or a rule of ordinary service (`S…`).
///
/// The meaning of each is printed by [`Rule::promise`] and, with the events and conditions that lead to it, in the
/// closing table of the crate's documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
#[rustfmt::skip]
#[expect(missing_docs, reason = "each name is explained by `promise`")]
pub enum Rule {
    C1, C2, C3a, C3b, C4, C5, C6a, C6b, C6c, C7, C8, C9, C10, C11, C12, C13, C14, C15, C16, C17, C18, C19, C20, C21,
    C22, C23, C24, C25, C26, C27, C28, C29, C30, C31, C32, C33, C34, C35, C36, C37, C38, C39, C40, C41, C42, C43, C44,
    S1, S2, S3, S4, S5, S6, S7,
}

impl Rule {
    /// Every rule, in the order of the table.
    #[rustfmt::skip]
    pub const ALL: &'static [Self] = &[
        Self::C1, Self::C2, Self::C3a, Self::C3b, Self::C4, Self::C5, Self::C6a, Self::C6b, Self::C6c, Self::C7,
        Self::C8, Self::C9, Self::C10, Self::C11, Self::C12, Self::C13, Self::C14, Self::C15, Self::C16, Self::C17,
        Self::C18, Self::C19, Self::C20, Self::C21, Self::C22, Self::C23, Self::C24, Self::C25, Self::C26, Self::C27,
        Self::C28, Self::C29, Self::C30, Self::C31, Self::C32, Self::C33, Self::C34, Self::C35, Self::C36, Self::C37,
        Self::C38, Self::C39, Self::C40, Self::C41, Self::C42, Self::C43, Self::C44,
        Self::S1, Self::S2, Self::S3, Self::S4, Self::S5, Self::S6, Self::S7,
    ];

    /// Who keeps the rule.
    #[must_use]
    pub const fn keeper(self) -> Keeper {
        match self {
            Self::C18 | Self::C26 | Self::C27 | Self::C28 => Keeper::ChildProcess,
            Self::C36 => Keeper::HttpClient,
            Self::C41 => Keeper::Tasks,
            _ => Keeper::Engine,
        }
    }

    /// The rule in one sentence.
    #[must_use]
    #[rustfmt::skip]
    pub const fn promise(self) -> &'static str {
        match self {
            Self::C1 => "nobody can answer any more: every pending call settles at once, exactly once, as connection closed",
            Self::C2 => "read ended under the drain policy: requests already received run on and are answered once each, then flush, close, end",
            Self::C3a => "read ended under the cancel policy: what is served is cancelled, the write side closes, the run ends",
            Self::C3b => "the peer is gone: what is served is cancelled and nothing is written any more",
            Self::C4 => "the drain deadline passes: the rest is cut off and listed in the report",
            Self::C5 => "a handler calls a peer whose read side has ended: it fails at once as connection closed",
            Self::C6a => "one exchange cannot be written any more: its later frames are dropped and counted, or stored where a stream can be resumed",
            Self::C6b => "the only pipe breaks: late frames are dropped, what is served is cancelled, the run ends",
            Self::C6c => "writing fails for a local reason: the run ends with the cause, as data was lost",
            Self::C7 => "a local call on a dead write side fails at once as connection closed",
            Self::C8 => "whatever is reported after the end is counted and nothing else happens",
            Self::C9 => "our own run is aborted: everything served is cancelled once and no byte is written after it",
            Self::C10 => "the peer cancels a request: its handler is cancelled and no message for it ever follows; a listen of ours that it cancels settles",
            Self::C11 => "a local call is cancelled or times out: the peer is told in the transport's way; never for `initialize`",
            Self::C12 => "a response with an unknown or settled id is ignored and counted",
            Self::C13 => "nobody can answer a handler's call: the call settles as connection closed, the handler goes on",
            Self::C14 => "input ends in the middle of a message: no answer, counted as truncated, nothing else is lost",
            Self::C15 => "a malformed frame is answered by a server with the id when it can be read; a malformed response settles its call; nothing else is answered; the session goes on",
            Self::C16 => "the peer does not read: reading stops while unwritten answers exceed their limit; requests over the limits wait in a bounded queue",
            Self::C17 => "close: no new requests, those in flight drain to the deadline, then the write side closes",
            Self::C18 => "a child transport closes: stdin, then SIGTERM, then SIGKILL for the group, always reaped",
            Self::C19 => "drain or close ends open listens first, with their result",
            Self::C20 => "writing fails while calls are pending: unsent calls settle at once, sent ones may still be answered for a grace",
            Self::C21 => "a call cancelled before its frame was written is removed: neither request nor cancel is sent",
            Self::C22 => "a cancel that is unknown, late, repeated or for `initialize` is ignored; a queued request is never started",
            Self::C23 => "after the terminal frame of a request nothing is sent for it any more",
            Self::C24 => "a handler panics or vanishes: an internal error for that request alone",
            Self::C25 => "the driver is gone: all pending calls settle as connection closed",
            Self::C26 => "a child that dies on the era probe is respawned once",
            Self::C27 => "end of input during connect fails the connect with the exit status",
            Self::C28 => "a child exited and a descendant holds the pipe: peer gone after a grace",
            Self::C29 => "a client closes with calls pending: they settle, cancels are sent, then the write side closes",
            Self::C30 => "a second close while draining aborts at once",
            Self::C31 => "writes stall: the peer counts as gone",
            Self::C32 => "what the modern era does not have is counted and not answered, and not sent",
            Self::C33 => "a resumable stream is lost: the handler runs on; a call on it fails at once without a store, after a grace with one",
            Self::C34 => "a session is deleted or expires: as peer gone, and all its streams end",
            Self::C35 => "a call that no stream can carry fails at once",
            Self::C36 => "a modern response stream that ends without a result fails that call alone",
            Self::C37 => "an exchange ends before anything was received on it: silence",
            Self::C38 => "notifications never hold up the reader: the oldest that waits is dropped and counted",
            Self::C39 => "a request beyond the queue or during close gets an error answer",
            Self::C40 => "a duplicate id in flight or a second `initialize` is refused and the state stays as it was",
            Self::C41 => "a task outlives its connection",
            Self::C42 => "the last handle of a client is dropped: as close; a server runs on",
            Self::C43 => "the handshake never completes: the connection closes and no cancel is sent",
            Self::C44 => "a notification callback panics: counted, the session goes on",
            Self::S1 => "a request is started",
            Self::S2 => "a legacy ping is answered at once, whatever else goes on",
            Self::S3 => "a request of the wrong era, or with incomplete metadata, is refused with the code that says so",
            Self::S4 => "an answer or a notification goes out on the exchange of its request",
            Self::S5 => "a call is placed, and settles with its response",
            Self::S6 => "a notification is delivered",
            Self::S7 => "everything is written and the write side is closed: the run ends",
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// Who keeps a rule: the engine, or a part whose events are of another kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Keeper {
    /// A row of the engine's table.
    Engine,
    /// The transport that owns a child process.
    ChildProcess,
    /// The HTTP client.
    HttpClient,
    /// The tasks extension.
    Tasks,
}
