//! Bytes as they come, and the whole lines among them.

use std::io;

#[derive(Debug, Default)]
pub(super) struct Lines {
    bytes: Vec<u8>,
    /// Where the next line starts.
    start: usize,
    /// Up to where no newline was found.
    searched: usize,
}

impl Lines {
    /// Takes what one read gives, and says how much it was.
    pub(super) fn fill(&mut self, read: impl FnOnce(&mut [u8]) -> io::Result<usize>) -> io::Result<usize> {
        if self.start > 0 {
            self.bytes.drain(..self.start);
            self.searched -= self.start;
            self.start = 0;
        }
        let filled = self.bytes.len();
        self.bytes.resize(filled + READ, 0);
        let outcome = read(&mut self.bytes[filled..]);
        self.bytes.truncate(filled + outcome.as_ref().copied().unwrap_or(0));
        outcome
    }

    /// The next whole line, without its newline.
    pub(super) fn next(&mut self) -> Option<&[u8]> {
        let Some(length) = memchr::memchr(b'\n', &self.bytes[self.searched..]) else {
            self.searched = self.bytes.len();
            return None;
        };
        let (start, end) = (self.start, self.searched + length);
        (self.start, self.searched) = (end + 1, end + 1);
        Some(&self.bytes[start..end])
    }
}

const READ: usize = 64 << 10;

#[cfg(test)]
mod tests {
    use super::*;

    fn give(lines: &mut Lines, bytes: &[u8]) {
        let outcome = lines.fill(|space| {
            space[..bytes.len()].copy_from_slice(bytes);
            Ok(bytes.len())
        });
        assert_eq!(outcome.ok(), Some(bytes.len()));
    }

    #[test]
    fn lines_come_out_whole_wherever_they_were_cut() {
        let mut lines = Lines::default();
        give(&mut lines, b"on");
        assert_eq!(lines.next(), None);
        give(&mut lines, b"e\ntwo\nth");
        assert_eq!(lines.next(), Some(&b"one"[..]));
        assert_eq!(lines.next(), Some(&b"two"[..]));
        assert_eq!(lines.next(), None);
        give(&mut lines, b"ree\n\n");
        assert_eq!(lines.next(), Some(&b"three"[..]));
        assert_eq!(lines.next(), Some(&b""[..]));
        assert_eq!(lines.next(), None);
    }

    #[test]
    fn a_failed_read_leaves_what_was_there() {
        let mut lines = Lines::default();
        give(&mut lines, b"on");
        assert!(lines.fill(|_| Err(io::ErrorKind::WouldBlock.into())).is_err());
        give(&mut lines, b"e\n");
        assert_eq!(lines.next(), Some(&b"one"[..]));
    }
}
