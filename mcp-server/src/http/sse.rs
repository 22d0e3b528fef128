//! Writing a stream of events.

use std::fmt;
use std::time::Duration;

/// Appends an event that carries a message. Where the message has line ends of its own, the reader gets line feeds.
pub fn write_event(out: &mut Vec<u8>, id: Option<EventId>, message: &[u8]) {
    out.reserve(message.len() + 64);
    if let Some(id) = id {
        write_id(out, id);
    }
    write_data(out, message);
}

/// Appends an event of this name that carries a message.
pub(crate) fn write_named_event(out: &mut Vec<u8>, name: &str, message: &[u8]) {
    out.reserve(message.len() + 64);
    out.extend_from_slice(b"event: ");
    out.extend_from_slice(name.as_bytes());
    out.push(b'\n');
    write_data(out, message);
}

fn write_data(out: &mut Vec<u8>, message: &[u8]) {
    let mut rest = message;
    loop {
        out.extend_from_slice(b"data: ");
        let Some(end) = memchr::memchr2(b'\n', b'\r', rest) else {
            out.extend_from_slice(rest);
            break;
        };
        out.extend_from_slice(&rest[..end]);
        out.push(b'\n');
        rest = match &rest[end..] {
            [b'\r', b'\n', after @ ..] | [_, after @ ..] => after,
            [] => &[],
        };
    }
    out.extend_from_slice(b"\n\n");
}

/// Appends an event without a message, so that the client has an id from which it can resume.
//= 2025-11-25/basic/transports#sending-messages-to-the-server
//# The server **SHOULD** immediately send an SSE event consisting of an event
//# ID and an empty `data` field in order to prime the client to reconnect
pub fn write_priming(out: &mut Vec<u8>, id: EventId) {
    write_id(out, id);
    out.extend_from_slice(b"data:\n\n");
}

/// Appends how long the client is to wait before it connects again. Whole milliseconds.
pub fn write_retry(out: &mut Vec<u8>, wait: Duration) {
    out.extend_from_slice(format!("retry: {}\n\n", wait.as_millis()).as_bytes());
}

/// Appends a comment, which keeps the connection from being closed for silence.
pub fn write_keep_alive(out: &mut Vec<u8>) {
    out.extend_from_slice(b":\n\n");
}

fn write_id(out: &mut Vec<u8>, id: EventId) {
    out.extend_from_slice(format!("id: {id}\n").as_bytes());
}

/// A stream of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::exhaustive_structs, reason = "it is a number")]
pub struct StreamId(pub u64);

/// The id of an event: its stream, and its place among all events of the session.
///
/// ```
/// use mcp_server::http::{EventId, StreamId};
///
/// let id = EventId { stream: StreamId(3), place: 17 };
/// assert_eq!(id.to_string(), "3-17");
/// assert_eq!(EventId::parse("3-17"), Some(id));
/// assert_eq!(EventId::parse("garbage"), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::exhaustive_structs, reason = "stores of users make them")]
//= 2025-11-25/basic/transports#resumability-and-redelivery
//# Event IDs **SHOULD** encode sufficient information to identify the originating
//# stream, enabling the server to correlate a `Last-Event-ID` to the correct stream.
pub struct EventId {
    /// The stream on which it was sent.
    pub stream: StreamId,
    /// Its place: each event has a higher one than those before it, on whichever stream they were.
    pub place: u64,
}

impl EventId {
    /// Reads an id, as it stands in `Last-Event-ID`. `None` for what is no id of ours.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (stream, place) = text.split_once('-')?;
        Some(Self { stream: StreamId(number(stream)?), place: number(place)? })
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.stream.0, self.place)
    }
}

/// Reads a number that is written in the one way in which it is written here.
fn number(text: &str) -> Option<u64> {
    let is_ours = text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    is_ours.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ID: EventId = EventId { stream: StreamId(3), place: 17 };

    fn written(write: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn events_are_written_as_the_standard_has_them() {
        #[rustfmt::skip]
        let rows = [
            (written(|out| write_event(out, None, b"{}")),                          "data: {}\n\n"),
            (written(|out| write_event(out, Some(ID), b"{}")),                      "id: 3-17\ndata: {}\n\n"),
            (written(|out| write_event(out, None, b"{\n\"a\":\r1\r\n}")),           "data: {\ndata: \"a\":\ndata: 1\ndata: }\n\n"),
            (written(|out| write_event(out, None, b"\r\n")),                        "data: \ndata: \n\n"),
            (written(|out| write_event(out, None, b"")),                            "data: \n\n"),
            (written(|out| write_event(out, None, ":x é".as_bytes())),              "data: :x é\n\n"),
            (written(|out| write_priming(out, ID)),                                 "id: 3-17\ndata:\n\n"),
            (written(|out| write_retry(out, Duration::from_millis(1500))),          "retry: 1500\n\n"),
            (written(write_keep_alive),                                             ":\n\n"),
        ];
        for (written, expected) in rows {
            assert_eq!(written, expected);
        }
    }

    #[test]
    fn ids_are_read_as_they_were_written() {
        for text in ["0-0", "3-17", "18446744073709551615-18446744073709551615"] {
            assert_eq!(EventId::parse(text).unwrap().to_string(), text);
        }
        for text in [
            "",
            "-",
            "3",
            "3-",
            "-17",
            "3-17-1",
            "03-17",
            "3-017",
            "+3-17",
            "3-+17",
            " 3-17",
            "3-17 ",
            "garbage",
            "3-18446744073709551616",
            "٣-17",
        ] {
            assert_eq!(EventId::parse(text), None, "{text:?}");
        }
    }

    /// Reads a stream as its standard says, for the fields that are written here.
    fn read(stream: &str) -> Vec<(Option<String>, String)> {
        let (mut events, mut id, mut data) = (Vec::new(), None, None::<String>);
        for line in stream.replace("\r\n", "\n").split(['\n', '\r']) {
            if line.is_empty() {
                events.extend(data.take().map(|data| (id.clone(), data)));
                continue;
            }
            let (field, value) = line.split_once(':').unwrap_or((line, ""));
            let value = value.strip_prefix(' ').unwrap_or(value);
            match field {
                "id" => id = Some(value.to_owned()),
                "data" => data = Some(data.map_or_else(|| value.to_owned(), |data| format!("{data}\n{value}"))),
                _ => {}
            }
        }
        events
    }

    proptest! {
        #[test]
        fn messages_come_out_of_a_stream_as_they_went_in(messages in prop::collection::vec("[ -~é\\n\\r]{0,24}", 1..5)) {
            let stream = written(|out| {
                for message in &messages {
                    write_keep_alive(out);
                    write_event(out, Some(ID), message.as_bytes());
                }
            });
            let expected = messages.iter().map(|message| {
                (Some("3-17".to_owned()), message.replace("\r\n", "\n").replace('\r', "\n"))
            });
            prop_assert_eq!(read(&stream), expected.collect::<Vec<_>>());
        }
    }
}
