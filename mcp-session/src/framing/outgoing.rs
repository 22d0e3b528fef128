//! Frames to write: one contiguous buffer and an index of its boundaries.
//!
//! A driver takes the buffer out as a [`Batch`], writes it without holding any lock, and puts the rest back in front
//! of what was added meanwhile. Two allocations swap places, so that a steady exchange allocates nothing.

use std::collections::VecDeque;

use crate::transport::Frames;

/// What a frame is to the session that wrote it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FrameKind {
    /// The answer to a request of the peer: bytes that the peer made us hold.
    Answer,
    /// A notification.
    Note,
    /// A request of ours, by the number of its call.
    Call(u64),
    /// Anything else.
    Other,
}

/// The frames that wait to be written.
#[derive(Debug, Default)]
pub struct Outgoing {
    here: Batch,
    /// An empty batch that keeps its allocations for the next exchange.
    spare: Batch,
    /// What was taken out and not put back.
    away: Away,
    /// Where the frame under construction starts in `here`.
    begun_at: usize,
}

#[derive(Debug, Default, Clone, Copy)]
struct Away {
    bytes: usize,
    answers: usize,
}

impl Outgoing {
    /// Makes an empty one, without allocating.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Begins a frame: append its JSON to the vector and [`commit`](Self::commit). What stands in the vector already
    /// belongs to others. A frame that was begun and not committed is dropped.
    pub fn begin(&mut self) -> &mut Vec<u8> {
        self.here.compact();
        self.begun_at = self.here.end();
        self.here.bytes.truncate(self.begun_at);
        &mut self.here.bytes
    }

    /// Ends the frame that was begun and puts it in the queue.
    pub fn commit(&mut self, kind: FrameKind) {
        let start = self.begun_at;
        debug_assert_eq!(start, self.here.end(), "a commit follows a begin");
        blank_line_breaks(&mut self.here.bytes[start..]);
        self.here.bytes.push(b'\n');
        self.here.push(Entry { len: self.here.bytes.len() - start, kind });
        self.begun_at = self.here.bytes.len();
    }

    /// Counts the bytes of answers that have not been written, those that are out with the driver included.
    #[must_use]
    pub const fn unwritten_answers(&self) -> usize {
        self.here.answers + self.away.answers
    }

    /// Counts the bytes that have not been written, those that are out with the driver included.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.here.unwritten + self.away.bytes
    }

    /// Says whether everything has been written.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Removes the request of a call, and says whether it could: not when its first byte may be written already.
    pub fn withdraw(&mut self, call: u64) -> bool {
        self.drop_unfinished();
        self.here.withdraw(FrameKind::Call(call))
    }

    /// Drops every frame whose first byte has not been written, and counts them.
    pub fn discard_unbegun(&mut self) -> usize {
        self.drop_unfinished();
        let count = self.here.discard_unbegun();
        self.begun_at = self.here.end();
        count
    }

    /// Takes out all there is, to be written and given to [`restore`](Self::restore).
    #[must_use = "what is taken out and not restored is lost"]
    pub fn take(&mut self) -> Batch {
        self.drop_unfinished();
        let batch = std::mem::replace(&mut self.here, std::mem::take(&mut self.spare));
        self.begun_at = self.here.end();
        self.away.bytes += batch.unwritten;
        self.away.answers += batch.answers;
        batch
    }

    /// Puts back what a write has left, in front of what was added meanwhile.
    pub fn restore(&mut self, mut batch: Batch) {
        self.drop_unfinished();
        self.away = Away::default();
        batch.compact();
        if batch.is_empty() {
            batch.shrink();
            if self.here.bytes.capacity() == 0 {
                self.here = batch;
            } else {
                self.spare = batch;
            }
        } else {
            batch.append(&mut self.here);
            self.spare = std::mem::replace(&mut self.here, batch);
            self.spare.shrink();
        }
        self.begun_at = self.here.end();
    }

    fn drop_unfinished(&mut self) {
        self.here.bytes.truncate(self.here.end());
    }
}

/// A run of frames, of which the first may be partly written.
#[derive(Debug, Default)]
pub struct Batch {
    /// The frames. Those before `written` are out.
    bytes: Vec<u8>,
    written: usize,
    /// The lengths and kinds of the frames that are not entirely out.
    entries: VecDeque<Entry>,
    /// How much of the first of them is out.
    begun: usize,
    unwritten: usize,
    answers: usize,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    len: usize,
    kind: FrameKind,
}

impl Batch {
    /// Lends what is left to write.
    #[must_use]
    pub fn frames(&self) -> Frames<'_> {
        Frames::new(&self.bytes[self.written..self.end()])
    }

    /// Says whether all has been written.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.unwritten == 0
    }

    /// Takes note that `count` bytes were written, and tells of each frame whose first byte was among them: from
    /// then on it counts as sent.
    ///
    /// # Panics
    /// When that is more than was left.
    pub fn advance(&mut self, count: usize, mut sent: impl FnMut(FrameKind)) {
        assert!(count <= self.unwritten, "{count} bytes written of {}", self.unwritten);
        self.written += count;
        self.unwritten -= count;
        let mut left = count;
        while left > 0 {
            let Some(entry) = self.entries.front().copied() else { break };
            if self.begun == 0 {
                sent(entry.kind);
            }
            let part = left.min(entry.len - self.begun);
            left -= part;
            self.begun += part;
            if entry.kind == FrameKind::Answer {
                self.answers -= part;
            }
            if self.begun == entry.len {
                self.begun = 0;
                self.entries.pop_front();
            }
        }
    }

    /// Drops every frame whose first byte has not been written, and counts them.
    pub fn discard_unbegun(&mut self) -> usize {
        let kept = usize::from(self.begun > 0);
        let count = self.entries.len() - kept;
        self.entries.truncate(kept);
        let rest = self.entries.front().map_or(0, |entry| entry.len - self.begun);
        let owed = self.entries.front().is_some_and(|entry| entry.kind == FrameKind::Answer);
        self.answers = if owed { rest } else { 0 };
        self.unwritten = rest;
        self.bytes.truncate(self.end());
        count
    }

    fn push(&mut self, entry: Entry) {
        self.unwritten += entry.len;
        if entry.kind == FrameKind::Answer {
            self.answers += entry.len;
        }
        self.entries.push_back(entry);
    }

    fn withdraw(&mut self, kind: FrameKind) -> bool {
        let mut start = self.written - self.begun;
        for (index, entry) in self.entries.iter().enumerate() {
            if entry.kind == kind {
                if start < self.written {
                    return false;
                }
                let len = entry.len;
                self.bytes.drain(start..start + len);
                self.entries.remove(index);
                self.unwritten -= len;
                return true;
            }
            start += entry.len;
        }
        false
    }

    /// Where the committed frames end.
    const fn end(&self) -> usize {
        self.written + self.unwritten
    }

    /// Frees the room of what is out, when that costs no more than it frees.
    fn compact(&mut self) {
        // `withdraw` counts back to the start of the frame under way, so that much stays.
        let out = self.written - self.begun;
        if out > 0 && out >= self.unwritten {
            self.bytes.drain(..out);
            self.written -= out;
        }
    }

    fn append(&mut self, later: &mut Self) {
        self.bytes.extend_from_slice(&later.bytes[later.written..]);
        self.entries.append(&mut later.entries);
        self.unwritten += later.unwritten;
        self.answers += later.answers;
        later.bytes.clear();
        (later.written, later.unwritten, later.answers) = (0, 0, 0);
    }

    /// Gives back what a large message or a burst has made it allocate; for an empty one.
    fn shrink(&mut self) {
        self.bytes.clear();
        self.written = 0;
        self.bytes.shrink_to(KEPT_SIZE);
        self.entries.shrink_to(KEPT_ENTRIES);
    }
}

/// Makes a frame one line. Outside strings a line break is mere white space, and within them JSON has none.
pub(crate) fn blank_line_breaks(frame: &mut [u8]) {
    let mut from = 0;
    while let Some(at) = memchr::memchr2(b'\n', b'\r', &frame[from..]) {
        frame[from + at] = b' ';
        from += at + 1;
    }
}

/// What a buffer shrinks back to after a large message.
const KEPT_SIZE: usize = 64 << 10;

/// How many entries an index keeps room for.
const KEPT_ENTRIES: usize = 1 << 10;
