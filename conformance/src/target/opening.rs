//! How a connection is to be opened.

use std::{borrow::Cow, time::Duration};

use crate::scenario::Era;
#[cfg(doc)]
use crate::scenario::Need;

/// How a connection is to be opened. What is `None` is left to the target.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct OpenOptions {
    /// The era of the cell: a client speaks it, a server speaks both.
    pub era: Option<Era>,
    /// The drain deadline.
    pub drain: Option<Duration>,
    /// How long a write may make no progress once the session is ending.
    pub write_stall: Option<Duration>,
    /// How long a client waits for its handshake.
    pub connect: Option<Duration>,
    /// How many notifications wait for their callback.
    pub inbox: Option<usize>,
    /// How many requests may be in flight, and how many wait behind them.
    pub requests: Option<(usize, usize)>,
    /// Whether requests in flight are cancelled when the input ends, instead of drained.
    pub cancels_at_read_end: bool,
    /// Whether everything that the target writes fails as on a full disk (needs [`Need::FullDisk`]).
    pub full_disk: bool,
    /// What the program's callback for notifications does.
    pub callback: Callback,
    /// How long a client waits for the answer to its probe for the era.
    pub probe: Option<Duration>,
    /// The steps that a client plays once it has connected, as README.md has them. A client with a
    /// script finds out the era by itself.
    pub script: Option<Cow<'static, str>>,
    /// Whether a client over HTTP opens no stream beside its requests, which the script opens itself.
    pub quiet: bool,
    /// Whether a server over HTTP answers legacy requests with JSON alone (needs [`Need::Settings`]).
    pub json_alone: bool,
    /// Whether a server over HTTP keeps no events, so that no stream can be resumed (needs [`Need::Settings`]).
    pub storeless: bool,
    /// After what silence a server over HTTP sends a comment on a stream.
    pub keep_alive: Option<Duration>,
    /// The command that a client starts as its server, instead of one that the script speaks for
    /// (needs [`Need::Spawns`]).
    pub server: Option<&'static [&'static str]>,
}

impl OpenOptions {
    /// The target's defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the drain deadline (needs [`Need::Settings`]).
    pub const fn with_drain(mut self, deadline: Duration) -> Self {
        self.drain = Some(deadline);
        self
    }

    /// Sets how long a write may make no progress (needs [`Need::Settings`]).
    pub const fn with_write_stall(mut self, limit: Duration) -> Self {
        self.write_stall = Some(limit);
        self
    }

    /// Sets how long a client waits for its handshake.
    pub const fn with_connect(mut self, limit: Duration) -> Self {
        self.connect = Some(limit);
        self
    }

    /// Sets how many notifications wait for their callback.
    pub const fn with_inbox(mut self, limit: usize) -> Self {
        self.inbox = Some(limit);
        self
    }

    /// Sets how many requests may be in flight, and how many wait behind them (needs
    /// [`Need::Settings`]).
    pub const fn with_requests(mut self, in_flight: usize, queue: usize) -> Self {
        self.requests = Some((in_flight, queue));
        self
    }

    /// Has requests in flight cancelled when the input ends (needs [`Need::Settings`]).
    pub const fn cancelling_at_read_end(mut self) -> Self {
        self.cancels_at_read_end = true;
        self
    }

    /// Has the target write to a full disk (needs [`Need::FullDisk`]).
    pub const fn on_a_full_disk(mut self) -> Self {
        self.full_disk = true;
        self
    }

    /// Sets what the program's callback for notifications does.
    pub const fn with_callback(mut self, callback: Callback) -> Self {
        self.callback = callback;
        self
    }

    /// Sets how long a client waits for the answer to its probe for the era (needs
    /// [`Need::Settings`]).
    pub const fn with_probe(mut self, limit: Duration) -> Self {
        self.probe = Some(limit);
        self
    }

    /// Sets the steps that a client plays once it has connected.
    pub fn with_script(mut self, steps: impl Into<Cow<'static, str>>) -> Self {
        self.script = Some(steps.into());
        self
    }

    /// Has a client over HTTP open no stream beside its requests.
    pub const fn quietly(mut self) -> Self {
        self.quiet = true;
        self
    }

    /// Has a server over HTTP answer legacy requests with JSON alone (needs [`Need::Settings`]).
    pub const fn with_json_alone(mut self) -> Self {
        self.json_alone = true;
        self
    }

    /// Has a server over HTTP keep no events (needs [`Need::Settings`]).
    pub const fn without_a_store(mut self) -> Self {
        self.storeless = true;
        self
    }

    /// Sets after what silence a server over HTTP sends a comment on a stream (needs [`Need::Settings`]).
    pub const fn with_keep_alive(mut self, silence: Duration) -> Self {
        self.keep_alive = Some(silence);
        self
    }

    /// Has a client start this command as its server (needs [`Need::Spawns`]).
    pub const fn with_server(mut self, command: &'static [&'static str]) -> Self {
        self.server = Some(command);
        self
    }

    pub(crate) const fn in_era(mut self, era: Era) -> Self {
        self.era = Some(era);
        self
    }
}

/// What a client's callback for notifications does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Callback {
    /// It tells of the notification.
    #[default]
    Tells,
    /// It never ends.
    NeverEnds,
    /// It panics.
    Panics,
    /// It calls the peer's `ping` and tells what came of it.
    CallsBack,
}
