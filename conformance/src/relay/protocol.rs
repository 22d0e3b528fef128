//! What goes between the run and the relay: JSON, a line each.

use serde::{Deserialize, Serialize};

/// The first line of a connection.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Hello {
    /// The process that speaks.
    pub(crate) pid: i32,
    pub(crate) carries: Carries,
}

/// What a connection carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Carries {
    Control,
    Data,
}

impl Hello {
    pub(super) fn control() -> Self {
        Self::of(Carries::Control)
    }

    pub(super) fn data() -> Self {
        Self::of(Carries::Data)
    }

    fn of(carries: Carries) -> Self {
        Self { pid: std::process::id().cast_signed(), carries }
    }
}

/// What the relay is told to do. Each is followed by [`Event::Done`], unless the relay ends by it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Command {
    /// Exit with this status.
    Exit(u8),
    /// Die of SIGKILL.
    Die,
    /// Stop reading, so that the client cannot write any more.
    CloseInput,
    /// Live on when the input ends.
    IgnoreEnd,
    /// Live on when SIGTERM comes.
    IgnoreTerm,
    /// Write this to standard error, and a line feed.
    Complain(String),
    /// Write so many bytes to standard error.
    Flood(usize),
    /// Start a process which holds all three standard streams, and which neither the end of its
    /// input nor SIGTERM ends.
    Spawn,
}

/// What the relay tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Event {
    /// A command was carried out; the process that it started, if it did.
    Done(Option<i32>),
    /// The input has ended: the client has closed it.
    InputEnded,
    /// SIGTERM came, and was ignored.
    Terminated,
    /// The client reads no more.
    OutputBroken,
}
