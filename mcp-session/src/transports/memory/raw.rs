//! The test speaks for one side.

use std::future::poll_fn;
use std::io;
use std::sync::Arc;

use super::faults::{Faults, Wire};
use crate::transports::pipe::{PipeReader, PipeWriter};

/// The other side of an [`End`](super::End), spoken by hand: lines or bytes, right or wrong.
#[derive(Debug)]
pub struct RawEnd {
    reader: Option<PipeReader>,
    writer: Option<PipeWriter>,
    incoming: Wire,
    outgoing: Wire,
    received: Vec<u8>,
}

impl RawEnd {
    pub(super) fn new(reader: PipeReader, writer: PipeWriter) -> Self {
        Self {
            incoming: Wire::new(Arc::clone(reader.shared())),
            outgoing: Wire::new(Arc::clone(writer.shared())),
            reader: Some(reader),
            writer: Some(writer),
            received: Vec::new(),
        }
    }

    /// Sends a line; its line ending is added.
    ///
    /// # Errors
    /// As [`send_bytes`](Self::send_bytes).
    pub async fn send(&mut self, line: &str) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(line.len() + 1);
        bytes.extend_from_slice(line.as_bytes());
        bytes.push(b'\n');
        self.send_bytes(&bytes).await
    }

    /// Sends bytes as they are, waiting for room.
    ///
    /// # Errors
    /// `BrokenPipe` when the other side reads no more or the write side was closed, else what was injected.
    ///
    /// # Cancel safety
    /// Part of the bytes may have been sent when the future is dropped.
    pub async fn send_bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        let Some(writer) = &self.writer else { return Err(io::ErrorKind::BrokenPipe.into()) };
        let mut rest = bytes;
        while !rest.is_empty() {
            let count = poll_fn(|cx| writer.poll_write(cx, rest)).await?;
            rest = &rest[count..];
        }
        Ok(())
    }

    /// Receives a line, without its line ending; the last one may have had none. `None` at the end of input, after
    /// [`close_read`](Self::close_read), and when the connection is gone. Bytes that are not UTF-8 are replaced.
    ///
    /// # Cancel safety
    /// Nothing is lost when the future is dropped.
    pub async fn recv(&mut self) -> Option<String> {
        loop {
            if let Some(at) = memchr::memchr(b'\n', &self.received) {
                let line = self.received.drain(..=at).collect::<Vec<u8>>();
                return Some(String::from_utf8_lossy(&line[..at]).into_owned());
            }
            let mut piece = Vec::new();
            let reader = self.reader.as_ref()?;
            match poll_fn(|cx| reader.poll_move(cx, &mut piece)).await {
                Ok(0) if !self.received.is_empty() => {
                    let rest = std::mem::take(&mut self.received);
                    return Some(String::from_utf8_lossy(&rest).into_owned());
                }
                Ok(0) | Err(_) => return None,
                Ok(_) => self.received.extend_from_slice(&piece),
            }
        }
    }

    /// Ends the write side: the other side reads the end of its input.
    pub fn close_write(&mut self) {
        self.writer = None;
    }

    /// Ends the read side: writes of the other side fail with `BrokenPipe`.
    pub fn close_read(&mut self) {
        self.reader = None;
    }

    /// Says whether the other side has ended its write side, or was dropped. Lines it wrote before can still be
    /// received.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.incoming.is_write_closed()
    }

    /// Says whether the other side reads no more.
    #[must_use]
    pub fn is_unheard(&self) -> bool {
        self.outgoing.is_read_closed()
    }

    /// Returns the handles that make the connection misbehave, as this side sees it.
    #[must_use]
    pub fn faults(&self) -> Faults {
        Faults { outgoing: self.outgoing.clone(), incoming: self.incoming.clone() }
    }
}
