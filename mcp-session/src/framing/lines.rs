//! The push framer: bytes in, lines out, one growing buffer.

use std::ops::Range;

use super::oversized::Oversized;
use crate::transport::TooLarge;

/// The largest frame that is accepted unless told otherwise: 16 MiB.
pub const DEFAULT_MAX_FRAME: usize = 16 << 20;

/// Cuts a byte stream into lines.
///
/// Bytes are read straight into [`space`](Self::space) and announced with [`filled`](Self::filled); then
/// [`next_line`](Self::next_line) gives line after line until it says `None`. Each byte is looked at once for its
/// line ending, however small the pieces are.
///
/// A line ends with LF, a CR before it is dropped. Lines that are empty or JSON whitespace are skipped, and so is a
/// byte order mark at the very start. A line over the limit is discarded in constant memory.
///
/// ```
/// use mcp_session::framing::{Line, Lines};
///
/// let mut lines = Lines::new(1024);
/// let input = b"{\"a\":1}\r\n\n{\"b\":";
/// lines.space()[..input.len()].copy_from_slice(input);
/// lines.filled(input.len());
/// assert_eq!(lines.next_line(), Some(Line::Frame));
/// assert_eq!(lines.frame(), b"{\"a\":1}");
/// assert_eq!(lines.next_line(), None);
/// assert_eq!(lines.finish(), Some(Line::Frame));
/// assert_eq!(lines.frame(), b"{\"b\":");
/// ```
#[derive(Debug)]
pub struct Lines {
    buffer: Vec<u8>,
    /// What has been read and does not belong to a line that was given out.
    pending: Range<usize>,
    /// The start of what has not been searched for a line ending; within `pending`.
    unsearched: usize,
    /// The line that `frame` lends.
    current: Range<usize>,
    /// The line that comes next, when it is known already.
    ready: Option<Ready>,
    /// The line under way, once it is over the limit.
    oversized: Option<Oversized>,
    max_frame: usize,
    /// Whether the last read filled all the space it was given: the next one gets more.
    was_full: bool,
    at_start: bool,
}

/// What [`Lines`] gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// A line; [`Lines::frame`] lends it.
    Frame,
    /// A line over the limit, discarded.
    TooLarge(TooLarge),
}

#[derive(Debug)]
enum Ready {
    Frame(Range<usize>),
    TooLarge(TooLarge),
}

impl Lines {
    /// Makes a framer that accepts lines of up to `max_frame` bytes, line ending not counted.
    #[must_use]
    pub const fn new(max_frame: usize) -> Self {
        Self {
            buffer: Vec::new(),
            pending: 0..0,
            unsearched: 0,
            current: 0..0,
            ready: None,
            oversized: None,
            max_frame,
            was_full: false,
            at_start: true,
        }
    }

    /// Lends the space to read into, never empty. The line lent by [`frame`](Self::frame) ends here.
    pub fn space(&mut self) -> &mut [u8] {
        self.current = 0..0;
        if self.pending.is_empty() && self.ready.is_none() {
            self.pending = 0..0;
            self.unsearched = 0;
        }
        self.make_room();
        &mut self.buffer[self.pending.end..]
    }

    /// Takes note that the first `count` bytes of the space were filled.
    ///
    /// # Panics
    /// When that is more than the space has.
    pub fn filled(&mut self, count: usize) {
        let room = self.buffer.len() - self.pending.end;
        assert!(count <= room, "{count} bytes filled in a space of {room}");
        self.was_full = count == room;
        self.pending.end += count;
        self.seek();
    }

    /// Takes the next line, if it is complete.
    pub fn next_line(&mut self) -> Option<Line> {
        self.current = 0..0;
        let ready = self.ready.take()?;
        let line = self.give(ready);
        self.seek();
        Some(line)
    }

    /// Takes what is left at the end of input: a line without its line ending. Call it when `next_line` says `None`.
    pub fn finish(&mut self) -> Option<Line> {
        self.current = 0..0;
        let ready = self.ready.take().or_else(|| {
            let rest = self.pending.start..self.pending.end;
            self.pending.start = rest.end;
            self.unsearched = rest.end;
            self.end_line(rest)
        })?;
        Some(self.give(ready))
    }

    /// Returns the line that was just given, without its line ending, until the next is taken or more space is asked
    /// for.
    #[must_use]
    pub fn frame(&self) -> &[u8] {
        &self.buffer[self.current.clone()]
    }

    /// Says whether [`next_line`](Self::next_line) would give something now.
    #[must_use]
    pub const fn is_buffered(&self) -> bool {
        self.ready.is_some()
    }

    fn give(&mut self, ready: Ready) -> Line {
        match ready {
            Ready::Frame(range) => {
                self.current = range;
                Line::Frame
            }
            Ready::TooLarge(what) => {
                self.current = 0..0;
                Line::TooLarge(what)
            }
        }
    }

    /// Looks for the next line that is worth giving.
    fn seek(&mut self) {
        // Mostly a line ends what was read.
        while self.ready.is_none() && self.unsearched < self.pending.end {
            let new = &self.buffer[self.unsearched..self.pending.end];
            let Some(at) = memchr::memchr(b'\n', new) else {
                self.unsearched = self.pending.end;
                self.discard_excess();
                return;
            };
            let line = self.pending.start..self.unsearched + at;
            self.pending.start = line.end + 1;
            self.unsearched = self.pending.start;
            self.ready = self.end_line(line);
        }
    }

    /// Judges a line whose end has been found.
    fn end_line(&mut self, mut line: Range<usize>) -> Option<Ready> {
        self.skip_mark(&mut line);
        self.at_start = false;
        if self.buffer[line.clone()].last() == Some(&b'\r') {
            line.end -= 1;
        }
        if let Some(mut oversized) = self.oversized.take() {
            oversized.feed(&self.buffer[line]);
            return Some(Ready::TooLarge(oversized.end(self.max_frame)));
        }
        if line.len() > self.max_frame {
            let mut oversized = Oversized::default();
            oversized.feed(&self.buffer[line]);
            return Some(Ready::TooLarge(oversized.end(self.max_frame)));
        }
        let blank = self.buffer[line.clone()].iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'));
        (!blank).then_some(Ready::Frame(line))
    }

    /// Lets go of an unfinished line that is over the limit whatever follows.
    fn discard_excess(&mut self) {
        // One byte over may still be the CR of a line ending.
        if self.oversized.is_none() && self.pending.len() <= self.max_frame.saturating_add(1) {
            return;
        }
        let mut excess = self.pending.clone();
        self.skip_mark(&mut excess);
        self.at_start = false;
        // A CR at the end waits: whether it belongs to the line is not known yet.
        if self.buffer[excess.clone()].last() == Some(&b'\r') {
            excess.end -= 1;
        }
        self.oversized.get_or_insert_default().feed(&self.buffer[excess.clone()]);
        self.pending.start = excess.end;
    }

    fn skip_mark(&self, line: &mut Range<usize>) {
        if self.at_start && self.buffer[line.clone()].starts_with(BYTE_ORDER_MARK) {
            line.start += BYTE_ORDER_MARK.len();
        }
    }

    /// Sees to it that there is space behind what is pending.
    fn make_room(&mut self) {
        let size = self.buffer.len();
        let pending = self.pending.len();
        let room = size - self.pending.end;
        let outgrown = size > KEPT_SIZE && pending <= KEPT_SIZE / 2;
        let wants_more = self.was_full && size < KEPT_SIZE;
        if self.ready.is_some() || !outgrown && !wants_more && room >= LEAST_SPACE {
            if room == 0 {
                self.move_to(size + LEAST_SPACE);
            }
            return;
        }
        // Moving costs `pending` bytes. It is paid for either by as many bytes given out since the last move, or by
        // a buffer that doubles.
        if outgrown {
            self.move_to(KEPT_SIZE);
        } else if !wants_more && self.pending.start >= pending && self.pending.start >= LEAST_SPACE {
            self.buffer.copy_within(self.pending.clone(), 0);
            self.rebase();
        } else {
            let most = self.max_frame.saturating_add(KEPT_SIZE).max(pending + LEAST_SPACE);
            self.move_to((size * 2).clamp(FIRST_SIZE, most));
        }
    }

    fn move_to(&mut self, size: usize) {
        let mut buffer = vec![0; size];
        let from = if self.ready.is_some() { 0 } else { self.pending.start };
        let kept = &self.buffer[from..self.pending.end];
        buffer[..kept.len()].copy_from_slice(kept);
        self.buffer = buffer;
        if from > 0 {
            self.rebase();
        }
    }

    /// Counts the positions from the start of what is pending.
    fn rebase(&mut self) {
        self.unsearched -= self.pending.start;
        self.pending = 0..self.pending.len();
    }
}

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The first allocation.
const FIRST_SIZE: usize = 8 << 10;

/// Less space than this is not worth a read.
const LEAST_SPACE: usize = 4 << 10;

/// What a buffer shrinks back to after a large message.
const KEPT_SIZE: usize = 64 << 10;

#[cfg(test)]
mod tests {
    use super::*;

    fn push(lines: &mut Lines, bytes: &[u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let space = lines.space();
            let count = space.len().min(rest.len());
            space[..count].copy_from_slice(&rest[..count]);
            lines.filled(count);
            rest = &rest[count..];
        }
    }

    #[test]
    fn a_large_line_in_small_pieces_is_searched_once_and_moved_rarely() {
        let mut lines = Lines::new(DEFAULT_MAX_FRAME);
        let piece = [b'x'; 8 << 10];
        let (mut moves, mut moved, mut place) = (0, 0, std::ptr::null());
        for _ in 0..DEFAULT_MAX_FRAME / piece.len() {
            let before = lines.pending.len();
            push(&mut lines, &piece);
            if lines.buffer.as_ptr() != place {
                (moves, moved, place) = (moves + 1, moved + before, lines.buffer.as_ptr());
            }
            assert_eq!(lines.unsearched, lines.pending.end);
            assert_eq!(lines.next_line(), None);
        }
        push(&mut lines, b"\n");
        assert_eq!(lines.next_line(), Some(Line::Frame));
        assert_eq!(lines.frame().len(), DEFAULT_MAX_FRAME);
        assert!(moves <= 14, "the buffer was moved {moves} times");
        assert!(moved <= 2 * DEFAULT_MAX_FRAME, "{moved} bytes were moved");
    }

    #[test]
    fn the_buffer_shrinks_after_a_large_line() {
        let mut lines = Lines::new(DEFAULT_MAX_FRAME);
        push(&mut lines, &vec![b'x'; 1 << 20]);
        push(&mut lines, b"\n{}");
        assert_eq!(lines.next_line(), Some(Line::Frame));
        assert!(lines.buffer.len() >= 1 << 20);
        push(&mut lines, b"\n");
        assert_eq!(lines.buffer.len(), KEPT_SIZE);
        assert_eq!(lines.next_line(), Some(Line::Frame));
        assert_eq!(lines.frame(), b"{}");
    }

    #[test]
    fn an_oversized_line_takes_constant_memory() {
        let mut lines = Lines::new(10 << 10);
        let mut most = 0;
        for _ in 0..1 << 10 {
            push(&mut lines, &[b'x'; 8 << 10]);
            most = most.max(lines.buffer.len());
        }
        assert!(most <= KEPT_SIZE + (10 << 10), "the buffer grew to {most}");
        push(&mut lines, b"\n");
        let expected = TooLarge { size: 8 << 20, limit: 10 << 10, ..TooLarge::default() };
        assert_eq!(lines.next_line(), Some(Line::TooLarge(expected)));
    }

    #[test]
    fn many_lines_in_a_small_buffer_are_moved_less_than_they_are_long() {
        let mut lines = Lines::new(DEFAULT_MAX_FRAME);
        let line = [&[b'y'; 3_000][..], b"\n"].concat();
        for index in 0..1_000 {
            // A line ends in the middle of each push, so that something is always pending.
            push(&mut lines, &line[1_500..]);
            push(&mut lines, &line[..1_500]);
            let first_is_half = if index == 0 { 1_500 } else { 3_000 };
            assert_eq!(lines.next_line(), Some(Line::Frame));
            assert_eq!(lines.frame().len(), first_is_half);
            assert_eq!(lines.next_line(), None);
        }
        assert!(lines.buffer.len() <= KEPT_SIZE, "the buffer grew to {}", lines.buffer.len());
    }
}
