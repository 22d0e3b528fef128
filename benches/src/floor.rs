//! The floor: the smallest honest answer to the bench's messages.
//!
//! One borrowed parse of the message, one pass to write the answer. No rule of the protocol is kept; it shows what
//! the pipe, the JSON and the copying cost whatever one does, and is no server that anybody should use.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    method: Option<&'a str>,
    #[serde(borrow)]
    params: Option<Params<'a>>,
}

#[derive(Deserialize)]
struct Params<'a> {
    #[serde(borrow)]
    arguments: Option<Arguments<'a>>,
}

#[derive(Deserialize)]
struct Arguments<'a> {
    #[serde(borrow)]
    text: Cow<'a, str>,
}

/// Appends the answer to one line, and a newline. A notification gets none, and neither does what is no message.
pub fn answer(line: &[u8], out: &mut Vec<u8>) {
    let Ok(Message { id: Some(id), method: Some(method), params }) = serde_json::from_slice(line) else { return };
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    out.extend_from_slice(id.get().as_bytes());
    out.extend_from_slice(br#","result":"#);
    match (method, params.and_then(|it| it.arguments)) {
        ("tools/call", Some(arguments)) => {
            out.extend_from_slice(br#"{"resultType":"complete","content":[{"type":"text","text":"#);
            write_text(&arguments.text, out);
            out.extend_from_slice(b"}]}");
        }
        ("initialize", _) => out.extend_from_slice(INITIALIZE),
        _ => out.extend_from_slice(DISCOVER),
    }
    out.extend_from_slice(b"}\n");
}

/// Appends the answers to all whole lines of `bytes`, and gives the length of what they take.
pub fn answer_lines(bytes: &[u8], out: &mut Vec<u8>) -> usize {
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', bytes) {
        answer(&bytes[start..end], out);
        start = end + 1;
    }
    start
}

/// Writes a JSON string. The look for what must be escaped takes no branch, so that it is done on many bytes at once.
fn write_text(text: &str, out: &mut Vec<u8>) {
    let escaped = text.bytes().fold(false, |any, byte| any | (byte < 0x20) | (byte == b'"') | (byte == b'\\'));
    if escaped {
        // Writing to a vector cannot fail.
        drop(serde_json::to_writer(out, text));
        return;
    }
    out.push(b'"');
    out.extend_from_slice(text.as_bytes());
    out.push(b'"');
}

const INITIALIZE: &[u8] =
    br#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"floor","version":"0"}}"#;
const DISCOVER: &[u8] = br#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"floor","version":"0"}},"ttlMs":0,"cacheScope":"private"}"#;

#[cfg(test)]
mod tests {
    use crate::drive::{Era, Request};

    use super::{answer_lines, write_text};

    #[test]
    fn whole_lines_are_answered_and_the_rest_is_left() {
        let (mut lines, mut out) = (Vec::new(), Vec::new());
        for id in [1, 2] {
            Request::echo(Era::Modern, 100).write(id, &mut lines);
        }
        let whole = lines.len();
        lines.extend_from_slice(br#"{"jsonrpc":"2.0","id":3"#);
        assert_eq!(answer_lines(&lines, &mut out), whole);
        let answers: Vec<_> = out.split_inclusive(|it| *it == b'\n').collect();
        assert_eq!(answers.len(), 2);
        assert!(answers.iter().all(|it| Request::echo(Era::Modern, 100).check(it).is_ok()));
    }

    #[test]
    fn text_is_escaped_where_it_must_be() {
        for (text, json) in [("plain", r#""plain""#), ("a\"b", r#""a\"b""#), ("\n", r#""\n""#)] {
            let mut out = Vec::new();
            write_text(text, &mut out);
            assert_eq!(out, json.as_bytes());
        }
    }

    #[test]
    fn a_notification_is_not_answered() {
        let mut out = Vec::new();
        answer_lines(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n", &mut out);
        assert!(out.is_empty());
    }
}
