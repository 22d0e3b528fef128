//! How a run ended and what became of everything in it.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use mcp_types::jsonrpc::Id;

/// Why a session came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// The peer said all it had to say, and all that was owed to it was written.
    ReadEnded,
    /// Nobody was there any more.
    PeerGone,
    /// The only pipe broke while something was written.
    WriteBroken,
    /// Writing failed for a local reason, such as a full disk: data was lost.
    WriteFailed,
    /// A handle closed the session.
    Closed,
    /// A signal closed the session, and all in flight was answered.
    Signalled,
    /// A handle aborted the session.
    Aborted,
    /// A second signal, or a signal while draining, cut the session off.
    SignalledTwice,
    /// The drain deadline passed before everything was answered and written.
    DeadlinePassed,
    /// Nothing could be written for too long.
    Stalled,
    /// The handshake was not answered in time.
    HandshakeTimedOut,
    /// The peer deleted the session.
    Deleted,
    /// The session was idle for too long.
    Expired,
    /// A frame was too large, and whose answer it was could not be found out.
    FrameTooLarge,
    /// Nobody drove the session any more.
    DriverGone,
}

impl Reason {
    /// Whether everything that was owed to the peer has been written.
    #[must_use]
    pub const fn is_clean(self) -> bool {
        matches!(
            self,
            Self::ReadEnded | Self::PeerGone | Self::Closed | Self::Signalled | Self::Deleted | Self::Expired
        )
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ReadEnded => "the peer ended its side",
            Self::PeerGone => "the peer is gone",
            Self::WriteBroken => "the pipe broke while writing",
            Self::WriteFailed => "writing failed",
            Self::Closed => "closed by this side",
            Self::Signalled => "closed by a signal",
            Self::Aborted => "aborted by this side",
            Self::SignalledTwice => "aborted by a signal",
            Self::DeadlinePassed => "the drain deadline passed",
            Self::Stalled => "the peer stopped reading",
            Self::HandshakeTimedOut => "the handshake was not answered in time",
            Self::Deleted => "the session was deleted",
            Self::Expired => "the session was idle for too long",
            Self::FrameTooLarge => "a frame was too large",
            Self::DriverGone => "the connection is not driven any more",
        })
    }
}

/// Why something was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
#[repr(u8)]
pub enum Dropped {
    /// It came after the end of the session.
    AfterEnd,
    /// Its request was answered or cancelled before.
    AfterAnswer,
    /// The exchange it belongs to cannot be written any more.
    NotWritable,
    /// It was written into a buffer that was then discarded.
    Discarded,
    /// A request arrived when nothing could be answered any more.
    NobodyToAnswer,
    /// The era of the peer does not have it.
    NotInThisEra,
    /// A notification before the handshake.
    BeforeHandshake,
    /// A response that names no pending call.
    UnknownResponse,
    /// Progress of no pending call.
    UnknownProgress,
    /// Progress that is less than what was told of its call before. Progress must grow; what stands still is
    /// delivered all the same, as servers repeat themselves to show that they are alive.
    FallingProgress,
    /// A notification of a subscription that nobody here waits for.
    UnknownSubscription,
    /// A cancel that names nothing that could be cancelled.
    LateCancel,
    /// A frame that cannot be read, and that nobody is to be told of.
    Malformed,
    /// A notification that waited too long behind others.
    Overtaken,
    /// The callback for a notification panicked.
    CallbackPanicked,
}

impl Dropped {
    /// Every reason, in order.
    #[rustfmt::skip]
    pub const ALL: &'static [Self] = &[
        Self::AfterEnd, Self::AfterAnswer, Self::NotWritable, Self::Discarded, Self::NobodyToAnswer,
        Self::NotInThisEra, Self::BeforeHandshake, Self::UnknownResponse, Self::UnknownProgress,
        Self::FallingProgress, Self::UnknownSubscription, Self::LateCancel, Self::Malformed, Self::Overtaken,
        Self::CallbackPanicked,
    ];

    /// Its name in reports, in snake case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::AfterEnd => "after_end",
            Self::AfterAnswer => "after_answer",
            Self::NotWritable => "not_writable",
            Self::Discarded => "discarded",
            Self::NobodyToAnswer => "nobody_to_answer",
            Self::NotInThisEra => "not_in_this_era",
            Self::BeforeHandshake => "before_handshake",
            Self::UnknownResponse => "unknown_response",
            Self::UnknownProgress => "unknown_progress",
            Self::FallingProgress => "falling_progress",
            Self::UnknownSubscription => "unknown_subscription",
            Self::LateCancel => "late_cancel",
            Self::Malformed => "malformed",
            Self::Overtaken => "overtaken",
            Self::CallbackPanicked => "callback_panicked",
        }
    }
}

/// A request that was cut off, by its id and method.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CutOff {
    /// The id as it was sent.
    pub id: Id,
    /// The method.
    pub method: Cow<'static, str>,
}

/// What was counted during a run.
///
/// Each request that was received ends in exactly one of five ways:
/// `received = answered + cancelled + cut off + refused + never started`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tally {
    /// Well-formed requests that arrived.
    pub received: u64,
    /// Requests whose answer was handed to the exchange, listens included.
    pub answered: u64,
    /// Those of the answered ones that were answered after the end began.
    pub drained: u64,
    /// Requests that were cancelled: by the peer, or because nobody could read the answer.
    pub cancelled: u64,
    /// Requests that a deadline or an abort cut off.
    pub cut_off: Vec<CutOff>,
    /// Requests that were answered with an error by the session itself.
    pub refused: u64,
    /// Requests that were never started and never answered.
    pub never_started: u64,
    /// Frames that were not messages.
    pub malformed: u64,
    /// Frames that input ended in.
    pub truncated: u64,
    /// Responses whose id was a text where that of the call is a number: `"7"` for `7`. They are taken all the same.
    pub ids_as_text: u64,
    /// None while nothing was: that is so for most sessions for all of their life.
    dropped: Option<Box<[u64; Dropped::ALL.len()]>>,
}

impl Tally {
    /// How many things were dropped for this reason.
    #[must_use]
    pub fn dropped(&self, why: Dropped) -> u64 {
        self.dropped.as_ref().and_then(|dropped| dropped.get(why as usize)).copied().unwrap_or_default()
    }

    /// How many things were dropped altogether.
    #[must_use]
    pub fn dropped_total(&self) -> u64 {
        self.dropped.iter().flat_map(|dropped| dropped.iter()).sum()
    }

    /// Adds what was counted elsewhere. Of requests that were cut off, the first thousand are named.
    pub fn add(&mut self, other: &Self) {
        self.received += other.received;
        self.answered += other.answered;
        self.drained += other.drained;
        self.cancelled += other.cancelled;
        self.refused += other.refused;
        self.never_started += other.never_started;
        self.malformed += other.malformed;
        self.truncated += other.truncated;
        self.ids_as_text += other.ids_as_text;
        for why in Dropped::ALL {
            self.drop_many(*why, other.dropped(*why));
        }
        let room = NAMED.saturating_sub(self.cut_off.len());
        self.cut_off.extend(other.cut_off.iter().take(room).cloned());
        // Those without a name are counted with those that were cancelled, so that the sum holds.
        self.cancelled += other.cut_off.len().saturating_sub(room) as u64;
    }

    pub(super) fn drop_one(&mut self, why: Dropped) {
        self.drop_many(why, 1);
    }

    pub(super) fn drop_many(&mut self, why: Dropped, count: u64) {
        if count > 0
            && let Some(slot) = self.dropped.get_or_insert_default().get_mut(why as usize)
        {
            *slot += count;
        }
    }
}

/// How many requests a sum names.
const NAMED: usize = 1000;

/// The report of a run: why it ended, and what became of every request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// Why the session ended.
    pub reason: Reason,
    /// The signal that ended it, if one did.
    pub signal: Option<i32>,
    /// What was counted.
    pub tally: Tally,
    /// Handlers that were told to stop and had not when the run returned.
    pub still_running: Vec<CutOff>,
    /// Handlers that had not ended when the run returned.
    pub tasks_alive: usize,
    /// Calls that had not settled when the run returned.
    pub pending_slots: usize,
    /// How long the session lasted.
    pub elapsed: Duration,
}

impl Report {
    /// A report of nothing but why something ended, to which those of many sessions are added: a server over HTTP has
    /// one.
    #[must_use]
    pub fn new(reason: Reason, signal: Option<i32>) -> Self {
        Self {
            reason,
            signal,
            tally: Tally::default(),
            still_running: Vec::new(),
            tasks_alive: 0,
            pending_slots: 0,
            elapsed: Duration::ZERO,
        }
    }

    /// Adds what became of one session. Reason, signal and time stay.
    pub fn add(&mut self, session: &Self) {
        self.tally.add(&session.tally);
        let room = NAMED.saturating_sub(self.still_running.len());
        self.still_running.extend(session.still_running.iter().take(room).cloned());
        self.tasks_alive += session.tasks_alive;
        self.pending_slots += session.pending_slots;
    }

    /// The exit status that a program should end with: 0 when everything owed was written; 1 when something was lost;
    /// 128 + n when a second signal n cut it off.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match (self.reason, self.signal) {
            (Reason::SignalledTwice, Some(signal)) => {
                u8::try_from(signal).map_or(1, |signal| signal.saturating_add(128))
            }
            (reason, _) if reason.is_clean() => 0,
            _ => 1,
        }
    }
}

impl std::process::Termination for Report {
    fn report(self) -> std::process::ExitCode {
        self.exit_code().into()
    }
}
