//! The record of what went over a connection, with directions and times.

use std::{
    fmt,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

/// Which way a frame went; or that something else happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Direction {
    /// From the script to the peer.
    ToPeer,
    /// From the peer to the script.
    FromPeer,
    /// Not a frame: opened, closed, a signal, how it ended.
    Event,
}

/// One line of the record.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Frame {
    /// Since the cell began.
    pub at: Duration,
    /// Which connection of the cell it belongs to, counted from 1.
    pub connection: usize,
    /// Which way it went.
    pub direction: Direction,
    /// Its text, cut after 2 000 characters.
    pub text: String,
}

impl fmt::Display for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let arrow = match self.direction {
            Direction::ToPeer => "->",
            Direction::FromPeer => "<-",
            Direction::Event => "--",
        };
        write!(f, "{:>8.3}s #{} {arrow} {}", self.at.as_secs_f64(), self.connection, self.text)
    }
}

/// All that happened in one cell, in order.
#[derive(Debug)]
pub struct FrameLog {
    began: Instant,
    frames: Mutex<Vec<Frame>>,
}

impl FrameLog {
    /// An empty record whose clock starts now.
    pub fn new() -> Self {
        Self { began: Instant::now(), frames: Mutex::new(Vec::new()) }
    }

    /// Adds a line.
    pub fn add(&self, connection: usize, direction: Direction, text: &str) {
        let frame = Frame { at: self.began.elapsed(), connection, direction, text: shortened(text) };
        self.frames.lock().unwrap_or_else(PoisonError::into_inner).push(frame);
    }

    /// A copy of all lines so far.
    pub fn all(&self) -> Vec<Frame> {
        self.frames.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Default for FrameLog {
    fn default() -> Self {
        Self::new()
    }
}

/// The text, cut after [`LONGEST`] characters with a note of how long it was.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        None => text.to_owned(),
        Some((end, _)) => {
            format!("{}… ({} bytes)", text.get(..end).unwrap_or_default(), text.len())
        }
    }
}

const LONGEST: usize = 2_000;
