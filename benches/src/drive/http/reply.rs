//! Bytes of a connection, and the whole responses among them.

use std::borrow::Cow;

use anyhow::{Context as _, Result, ensure};
use memchr::memmem;

/// What came over a connection and was not taken yet.
#[derive(Debug, Default)]
pub(super) struct Incoming {
    bytes: Vec<u8>,
}

/// A response that is there as a whole.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) head: Head,
    pub(super) body: Vec<u8>,
}

/// The head of a response.
#[derive(Debug)]
pub(super) struct Head {
    text: String,
    pub(super) status: u16,
}

impl Incoming {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Takes the next response, if all of it is there.
    pub(super) fn take(&mut self) -> Result<Option<Reply>> {
        let Some((head, start)) = self.head()? else { return Ok(None) };
        let rest = &self.bytes[start..];
        let taken = match head.value("content-length") {
            Some(length) => whole(rest, length.parse().context("a content-length that is no number")?),
            None if head.value("transfer-encoding") == Some("chunked") => chunks(rest)?,
            None => Some((Vec::new(), 0)),
        };
        let Some((body, length)) = taken else { return Ok(None) };
        self.bytes.drain(..start + length);
        Ok(Some(Reply { head, body }))
    }

    /// The head of a response that goes on, if the first event is there too.
    pub(super) fn begun(&self) -> Result<Option<Head>> {
        let Some((head, start)) = self.head()? else { return Ok(None) };
        let event = memmem::find(&self.bytes[start..], b"\n\n").is_some();
        Ok((event || head.status != 200).then_some(head))
    }

    /// The head of the next response, and where its body begins.
    pub(super) fn head(&self) -> Result<Option<(Head, usize)>> {
        let Some(end) = memmem::find(&self.bytes, b"\r\n\r\n") else { return Ok(None) };
        let text = std::str::from_utf8(&self.bytes[..end])?.to_owned();
        let status = text.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.with_context(|| format!("no status in {text:?}"))?;
        Ok(Some((Head { text, status }, end + 4)))
    }
}

impl Head {
    pub(super) fn value(&self, name: &str) -> Option<&str> {
        let mut fields = self.text.lines().skip(1).filter_map(|line| line.split_once(':'));
        fields.find(|(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    }
}

impl Reply {
    /// The last message: the body, or what the last event says that says something.
    pub(super) fn message(&self) -> Cow<'_, [u8]> {
        if self.head.value("content-type").is_none_or(|it| !it.starts_with("text/event-stream")) {
            return Cow::Borrowed(&self.body);
        }
        let text = String::from_utf8_lossy(&self.body);
        let mut data = text.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim);
        let last = data.rfind(|data| !data.is_empty()).unwrap_or_default();
        Cow::Owned(last.as_bytes().to_vec())
    }
}

fn whole(bytes: &[u8], length: usize) -> Option<(Vec<u8>, usize)> {
    bytes.get(..length).map(|body| (body.to_vec(), length))
}

/// The body that comes in chunks, and how long it is with all that is around them.
fn chunks(bytes: &[u8]) -> Result<Option<(Vec<u8>, usize)>> {
    let (mut body, mut at) = (Vec::new(), 0);
    loop {
        let Some(line) = memmem::find(&bytes[at..], b"\r\n") else { return Ok(None) };
        let size = std::str::from_utf8(&bytes[at..at + line])?;
        let size = usize::from_str_radix(size, 16).with_context(|| format!("{size:?} is no size of a chunk"))?;
        let start = at + line + 2;
        let Some(chunk) = bytes.get(start..start + size + 2) else { return Ok(None) };
        ensure!(chunk.ends_with(b"\r\n"), "a chunk without its end");
        body.extend_from_slice(&chunk[..size]);
        at = start + size + 2;
        if size == 0 {
            return Ok(Some((body, at)));
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    const PLAIN: &[u8] = b"HTTP/1.1 200 OK\r\nMcp-Session-Id: abc\r\ncontent-length: 2\r\n\r\n{}";
    const STREAM: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";

    #[test]
    fn responses_come_out_whole_wherever_they_were_cut() {
        let events = b"9\r\nid: 1\ndat\r\n4\r\na:\n\n\r\na\r\ndata: {}\n\n\r\n0\r\n\r\n";
        let both = [PLAIN, STREAM, events, b"HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n"].concat();
        let (mut incoming, mut replies) = (Incoming::default(), Vec::new());
        for byte in both {
            incoming.push(&[byte]);
            replies.extend(incoming.take().unwrap());
        }
        assert!(incoming.bytes.is_empty());
        assert_eq!(replies.iter().map(|it| it.head.status).collect::<Vec<_>>(), [200, 200, 202]);
        assert_eq!(replies[0].head.value("mcp-session-id"), Some("abc"));
        assert_eq!([replies[0].message(), replies[1].message()], [&b"{}"[..], b"{}"]);
        assert!(replies[2].message().is_empty());
    }

    #[test]
    fn a_stream_has_begun_with_its_first_event() {
        let mut incoming = Incoming::default();
        incoming.push(STREAM);
        assert!(incoming.begun().unwrap().is_none());
        incoming.push(b"5\r\n: x\n\n");
        assert_eq!(incoming.begun().unwrap().unwrap().status, 200);
    }

    #[test]
    fn what_is_no_response_is_noticed() {
        for wrong in [&b"HTTP/1.1\r\n\r\n"[..], b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n"] {
            let mut incoming = Incoming::default();
            incoming.push(wrong);
            assert!(incoming.take().is_err(), "{}", String::from_utf8_lossy(wrong));
        }
    }
}
