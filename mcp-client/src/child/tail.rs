//! Bytes of a log to lines, and the last of these.

use std::collections::VecDeque;

/// The last lines of a log.
#[derive(Debug, Default)]
pub(super) struct Tail {
    lines: VecDeque<String>,
    /// With a line ending for each.
    bytes: usize,
}

impl Tail {
    pub(super) fn push(&mut self, line: String) {
        self.bytes += line.len() + 1;
        self.lines.push_back(line);
        while self.lines.len() > MAX_LINES || self.bytes > MAX_BYTES {
            let Some(oldest) = self.lines.pop_front() else { return };
            self.bytes -= oldest.len() + 1;
        }
    }

    pub(super) fn text(&self) -> String {
        let mut text = String::with_capacity(self.bytes);
        for line in &self.lines {
            text.push_str(line);
            text.push('\n');
        }
        text
    }
}

/// Cuts what is written to a log into lines. A line over 8 KiB is cut into several.
#[derive(Debug, Default)]
pub(super) struct Cutter {
    partial: Vec<u8>,
}

impl Cutter {
    pub(super) fn feed(&mut self, bytes: &[u8], mut take: impl FnMut(String)) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            for piece in piece.chunks(MAX_LINE) {
                if self.partial.len() + piece.len() > MAX_LINE {
                    self.finish(&mut take);
                }
                self.partial.extend_from_slice(piece);
            }
            if piece.ends_with(b"\n") {
                self.finish(&mut take);
            }
        }
    }

    /// Gives what has no line ending yet.
    pub(super) fn finish(&mut self, mut take: impl FnMut(String)) {
        if !self.partial.is_empty() {
            take(text_of(&self.partial));
            self.partial.clear();
        }
    }
}

/// A line as text, without its line ending; what is not UTF-8 is replaced.
pub(super) fn text_of(line: &[u8]) -> String {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    String::from_utf8_lossy(line).into_owned()
}

/// The length at which a line of a log is cut.
pub(super) const MAX_LINE: usize = 8 << 10;
const MAX_LINES: usize = 64;
const MAX_BYTES: usize = 16 << 10;

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(pieces: &[&[u8]]) -> Vec<String> {
        let mut cutter = Cutter::default();
        let mut lines = Vec::new();
        for piece in pieces {
            cutter.feed(piece, |line| lines.push(line));
        }
        cutter.finish(|line| lines.push(line));
        lines
    }

    #[test]
    fn lines_are_put_together_from_pieces() {
        assert_eq!(cut(&[b"a", b"b\r\n\nc", b"\xff\nd"]), ["ab", "", "c\u{fffd}", "d"]);
        assert!(cut(&[b""]).is_empty());
    }

    #[test]
    fn a_line_without_end_takes_no_memory() {
        let lines = cut(&[&[b'x'; 3 * MAX_LINE], b"yy\n"]);
        assert_eq!(lines.iter().map(String::len).collect::<Vec<_>>(), [MAX_LINE, MAX_LINE, MAX_LINE, 2]);
    }

    #[test]
    fn the_last_lines_are_kept() {
        let mut tail = Tail::default();
        for number in 0..100 {
            tail.push(number.to_string());
        }
        assert_eq!(tail.text().lines().count(), MAX_LINES);
        assert!(tail.text().ends_with("98\n99\n"));
        for _ in 0..3 {
            tail.push("x".repeat(MAX_LINE));
        }
        assert_eq!(tail.text().len(), MAX_LINE + 1);
    }
}
