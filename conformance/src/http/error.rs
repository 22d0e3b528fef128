//! Why a connection gave no response.

use std::{io, time::Duration};

use crate::scenario::Stop;

/// Why a connection gave no response.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WireError {
    /// Nobody listens.
    #[error("cannot connect: {0}")]
    Connect(#[source] io::Error),
    /// The server does not take what is written.
    #[error("cannot write: {0}")]
    Write(#[source] io::Error),
    /// The connection was reset.
    #[error("cannot read: {0}")]
    Read(#[source] io::Error),
    /// The connection was closed where a response was to begin.
    #[error("the connection was closed without a response")]
    Closed,
    /// The connection was closed in the middle of a response.
    #[error("the connection was closed in the middle of a response")]
    CutOff,
    /// Nothing came for this long.
    #[error("nothing came for {0:?}")]
    TimedOut(Duration),
    /// What came is no HTTP.
    #[error("no HTTP: {0}")]
    NotHttp(String),
}

impl WireError {
    /// Whether the server ended the connection, in whichever way.
    pub const fn is_ended(&self) -> bool {
        matches!(self, Self::Write(_) | Self::Read(_) | Self::Closed | Self::CutOff)
    }
}

impl From<WireError> for Stop {
    fn from(error: WireError) -> Self {
        Self(error.to_string())
    }
}
