//! Streams of events, read as the HTML standard has it.

/// One event that was dispatched.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event {
    /// Its type; `message` when none was named.
    pub kind: String,
    /// Its data, lines joined by line feeds.
    pub data: String,
    /// The id that it set; an event without one leaves the last one standing.
    pub id: Option<String>,
    /// The time until a reconnect that stood beside it, in milliseconds.
    pub retry: Option<u64>,
}

/// Makes events of bytes.
///
/// Unlike a browser it also gives events without data, as long as they have an id or a `retry`: they prime a
/// stream for being resumed.
#[derive(Debug, Default)]
pub struct Events {
    /// What has come of a line that is not over.
    line: Vec<u8>,
    /// Whether the last byte was a CR, whose LF belongs to the same end of a line.
    after_cr: bool,
    /// Whether the first line has been seen, which a byte order mark may begin.
    begun: bool,
    event: Event,
    data: Vec<String>,
    ready: std::collections::VecDeque<Event>,
    comments: usize,
}

impl Events {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes bytes of the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        for byte in bytes {
            match byte {
                b'\n' if self.after_cr => {}
                b'\r' | b'\n' => self.end_line(),
                _ => self.line.push(*byte),
            }
            self.after_cr = *byte == b'\r';
        }
    }

    /// The next event that is complete.
    pub fn next_event(&mut self) -> Option<Event> {
        self.ready.pop_front()
    }

    /// How many comments have come.
    pub fn comments(&self) -> usize {
        self.comments
    }

    fn end_line(&mut self) {
        let mut line = std::mem::take(&mut self.line);
        if !std::mem::replace(&mut self.begun, true) && line.starts_with(BYTE_ORDER_MARK) {
            line.drain(..BYTE_ORDER_MARK.len());
        }
        if line.is_empty() {
            return self.dispatch();
        }
        let line = String::from_utf8_lossy(&line).into_owned();
        match line.split_once(':') {
            Some(("", _)) => self.comments += 1,
            Some((field, value)) => self.field(field, value.strip_prefix(' ').unwrap_or(value)),
            None => self.field(&line, ""),
        }
    }

    fn field(&mut self, name: &str, value: &str) {
        match name {
            "event" => value.clone_into(&mut self.event.kind),
            "data" => self.data.push(value.to_owned()),
            "id" if !value.contains('\0') => self.event.id = Some(value.to_owned()),
            "retry" if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) => {
                self.event.retry = value.parse().ok();
            }
            _ => {}
        }
    }

    fn dispatch(&mut self) {
        let mut event = std::mem::take(&mut self.event);
        let data = std::mem::take(&mut self.data);
        if data.is_empty() && event.id.is_none() && event.retry.is_none() {
            return;
        }
        event.data = data.join("\n");
        if event.kind.is_empty() {
            "message".clone_into(&mut event.kind);
        }
        self.ready.push_back(event);
    }
}

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(String, String, Option<String>)> {
        let mut events = Events::new();
        events.push(text.as_bytes());
        std::iter::from_fn(|| events.next_event()).map(|event| (event.kind, event.data, event.id)).collect()
    }

    fn message(data: &str) -> (String, String, Option<String>) {
        ("message".to_owned(), data.to_owned(), None)
    }

    #[test]
    fn lines_end_in_three_ways() {
        assert_eq!(read("data: a\n\ndata: b\r\rdata: c\r\n\r\n"), [message("a"), message("b"), message("c")]);
    }

    #[test]
    fn what_the_standard_has() {
        assert_eq!(read("\u{FEFF}data:a\ndata: b\n\n"), [message("a\nb")]);
        assert_eq!(read(": comment\nunknown: x\nretry: abc\n\ndata\n\n"), [message("")]);
        assert_eq!(
            read("event: end\ndata:  x\nid: 7\n\n"),
            [("end".to_owned(), " x".to_owned(), Some("7".to_owned()))]
        );
        assert_eq!(read("data: cut off"), []);
        assert_eq!(read("data: cut off\n"), []);
    }

    #[test]
    fn an_event_without_data_primes() {
        let mut events = Events::new();
        events.push(b"id: s/0\nretry: 500\ndata:\n\n:\n\n");
        let event = events.next_event().unwrap_or_default();
        assert_eq!((event.id.as_deref(), event.retry, event.data.as_str()), (Some("s/0"), Some(500), ""));
        assert_eq!((events.next_event(), events.comments()), (None, 1));
    }

    #[test]
    fn it_does_not_matter_how_the_bytes_are_cut() {
        let text = "\u{FEFF}id: ä\r\ndata: 語\r\n\r\ndata: y\n\n";
        let mut events = Events::new();
        for byte in text.bytes() {
            events.push(&[byte]);
        }
        let came: Vec<_> = std::iter::from_fn(|| events.next_event()).map(|event| event.data).collect();
        assert_eq!(came, ["語", "y"]);
    }
}
