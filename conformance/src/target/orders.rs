//! What can be done to a connection, and what a program can be told to do.

use std::{fmt, io, time::Duration};

/// A way in which a connection misbehaves, as seen from the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// The target's writes wait.
    Stall,
    /// They go on.
    Resume,
    /// The target's next write fails, and every one after it.
    WritesFail(io::ErrorKind),
    /// The target's reads fail: the connection was reset.
    Reset,
    /// What the target reads ends after so many bytes of the next frame.
    Torn(usize),
    /// The target gets at most so many bytes at a time.
    Slow(usize),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stall => f.write_str("let writes wait"),
            Self::Resume => f.write_str("let writes go on"),
            Self::WritesFail(kind) => write!(f, "fail writes: {kind}"),
            Self::Reset => f.write_str("reset what is read"),
            Self::Torn(bytes) => write!(f, "tear what is read after {bytes} bytes"),
            Self::Slow(bytes) => write!(f, "read {bytes} bytes at a time"),
        }
    }
}

/// What a program in this process can be told to do, as its own code would do it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Order {
    /// Call the peer; the outcome is told under this number.
    Call {
        /// The number.
        number: u64,
        /// The method.
        method: &'static str,
        /// After how much silence it gives up.
        timeout: Option<Duration>,
    },
    /// Drop the future of that call.
    Forget(u64),
    /// Send a notification.
    Notify(&'static str),
    /// Close, and tell when that is done.
    Close,
    /// Abort, and tell when that is done.
    Abort,
    /// Drop every handle.
    DropHandle,
    /// Drop the run itself.
    DropRun,
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call { number, method, .. } => write!(f, "call `{method}` (call {number})"),
            Self::Forget(number) => write!(f, "drop the future of call {number}"),
            Self::Notify(method) => write!(f, "send `{method}`"),
            Self::Close => f.write_str("close"),
            Self::Abort => f.write_str("abort"),
            Self::DropHandle => f.write_str("drop its handle"),
            Self::DropRun => f.write_str("drop its run"),
        }
    }
}

/// What the process can be told to do that a client has started as its server.
///
/// What becomes of it is told as `{"server": …}`: `input ended`, `SIGTERM` (when that is ignored),
/// `output broken`, and `gone` when the process has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Deed {
    /// Exit with this status.
    Exit(u8),
    /// Die of SIGKILL.
    Die,
    /// Stop reading.
    CloseInput,
    /// Live on when the input ends. Without this it exits then.
    IgnoreEnd,
    /// Live on when SIGTERM comes.
    IgnoreTerm,
    /// Write a line to standard error.
    Complain(&'static str),
    /// Write so many bytes to standard error.
    Flood(usize),
    /// Start a process that holds the standard streams, and which neither the end of its input nor
    /// SIGTERM ends.
    Spawn,
}

impl fmt::Display for Deed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exit(status) => write!(f, "exit with {status}"),
            Self::Die => f.write_str("die of SIGKILL"),
            Self::CloseInput => f.write_str("stop reading"),
            Self::IgnoreEnd => f.write_str("live on when its input ends"),
            Self::IgnoreTerm => f.write_str("live on when SIGTERM comes"),
            Self::Complain(text) => write!(f, "write `{text}` to standard error"),
            Self::Flood(bytes) => write!(f, "write {bytes} bytes to standard error"),
            Self::Spawn => f.write_str("start a process that holds its streams"),
        }
    }
}
