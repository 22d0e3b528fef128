//! Bytes to frames and back: newline-delimited JSON without any I/O.
//!
//! [`Lines`] cuts what was read into frames, [`Outgoing`] collects frames to write and keeps their boundaries, and
//! [`Reading`] makes a source of frames out of anything that can fill a slice.

mod lines;
mod outgoing;
mod oversized;
mod reading;

pub use lines::{DEFAULT_MAX_FRAME, Line, Lines};
#[cfg(feature = "tokio")]
pub(crate) use outgoing::blank_line_breaks;
pub use outgoing::{Batch, FrameKind, Outgoing};
pub use oversized::MAX_ID;
pub use reading::Reading;
