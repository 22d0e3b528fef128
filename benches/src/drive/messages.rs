//! The messages that the driver sends, as text, and how an answer is checked.

use anyhow::{Result, bail};
use memchr::memmem;
use serde_json::Value;

/// How a client speaks: with a handshake, or with everything in each request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Era {
    /// Revision 2025-11-25.
    Legacy,
    /// Revision 2026-07-28.
    Modern,
}

impl Era {
    /// The first request. Nothing else may be sent before it was answered.
    #[must_use]
    pub fn opening(self) -> String {
        match self {
            Self::Legacy => r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}"#.to_owned(),
            Self::Modern => format!(r#"{{"jsonrpc":"2.0","id":0,"method":"server/discover","params":{{"_meta":{{{MODERN}}}}}}}"#),
        }
    }

    /// What follows the answer to the first request, if anything does.
    #[must_use]
    pub const fn opened(self) -> Option<&'static str> {
        match self {
            Self::Legacy => Some(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#),
            Self::Modern => None,
        }
    }
}

/// A request that is sent many times, each time with another id.
#[derive(Clone, Debug)]
pub struct Request {
    tool: &'static str,
    /// The text of the message behind its id.
    tail: String,
    /// How long the text of the answer must be, if it must be of some length.
    expected: Option<usize>,
}

impl Request {
    /// Calls `echo` with a text of so many bytes.
    #[must_use]
    pub fn echo(era: Era, bytes: usize) -> Self {
        let text = "x".repeat(bytes);
        let meta = match era {
            Era::Legacy => String::new(),
            Era::Modern => format!(r#","_meta":{{{MODERN}}}"#),
        };
        let params = format!(r#"{{"name":"echo","arguments":{{"text":"{text}"}}{meta}}}"#);
        Self { tool: "echo", tail: call(&params), expected: Some(bytes) }
    }

    /// Calls `burst`, which sends so many progress notifications before it is done.
    #[must_use]
    pub fn burst(count: usize) -> Self {
        let params =
            format!(r#"{{"name":"burst","arguments":{{"count":{count}}},"_meta":{{"progressToken":"burst"}}}}"#);
        Self { tool: "burst", tail: call(&params), expected: None }
    }

    /// The tool that it calls.
    pub(super) const fn tool(&self) -> &'static str {
        self.tool
    }

    /// Appends the request as a line.
    pub fn write(&self, id: u64, out: &mut Vec<u8>) {
        out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
        out.extend_from_slice(id.to_string().as_bytes());
        out.extend_from_slice(self.tail.as_bytes());
        out.push(b'\n');
    }

    /// Checks the answer to the request.
    ///
    /// # Errors
    ///
    /// When it is not what the request asked for.
    pub fn check(&self, answer: &[u8]) -> Result<()> {
        let message: Value = serde_json::from_slice(answer)?;
        let result = &message["result"];
        let text = result["content"][0]["text"].as_str();
        let fits = text.is_some_and(|text| self.expected.is_none_or(|length| text.len() == length));
        if !fits || result["isError"] == true {
            bail!("a wrong answer: {}", String::from_utf8_lossy(&answer[..answer.len().min(400)]));
        }
        Ok(())
    }
}

fn call(params: &str) -> String {
    format!(r#","method":"tools/call","params":{params}}}"#)
}

/// A request of the modern era for a stream of changes.
pub(super) fn listen(id: u64) -> String {
    let params = format!(r#"{{"notifications":{{"toolsListChanged":true}},"_meta":{{{MODERN}}}}}"#);
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"subscriptions/listen","params":{params}}}"#)
}

/// Appends a progress notification as a line, for a token that nobody has given.
pub(super) fn write_notification(number: usize, out: &mut Vec<u8>) {
    let params = format!(r#"{{"progressToken":"t{number}","progress":{number}}}"#);
    let line = format!(r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{params}}}"#);
    out.extend_from_slice(line.as_bytes());
    out.push(b'\n');
}

/// Whether a line is a notification. Its method stands near its start; answers to our requests have no such word.
pub(super) fn is_notification(line: &[u8]) -> bool {
    memmem::find(&line[..line.len().min(120)], b"\"method\"").is_some()
}

const MODERN: &str = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}"#;

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn each_message_is_a_line_of_json_with_its_id() {
        for request in [Request::echo(Era::Legacy, 3), Request::echo(Era::Modern, 3), Request::burst(2)] {
            let mut line = Vec::new();
            request.write(7, &mut line);
            let message: Value = serde_json::from_slice(line.strip_suffix(b"\n").unwrap()).unwrap();
            assert_eq!((&message["id"], &message["method"]), (&Value::from(7), &Value::from("tools/call")));
        }
        for era in [Era::Legacy, Era::Modern] {
            let opening: Value = serde_json::from_str(&era.opening()).unwrap();
            assert_eq!(opening["id"], 0);
        }
    }

    #[test]
    fn a_wrong_answer_is_noticed() {
        let echo = Request::echo(Era::Legacy, 2);
        assert!(echo.check(br#"{"id":1,"result":{"content":[{"type":"text","text":"xx"}]}}"#).is_ok());
        for wrong in [
            &br#"{"id":1,"result":{"content":[{"type":"text","text":"xxx"}]}}"#[..],
            br#"{"id":1,"result":{"content":[{"type":"text","text":"xx"}],"isError":true}}"#,
            br#"{"id":1,"error":{"code":-32601,"message":"no"}}"#,
            b"xx",
        ] {
            assert!(echo.check(wrong).is_err(), "{}", String::from_utf8_lossy(wrong));
        }
    }

    #[test]
    fn notifications_are_told_from_answers() {
        let mut line = Vec::new();
        write_notification(1, &mut line);
        assert!(is_notification(&line));
        assert!(!is_notification(br#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"xx"}]}}"#));
    }
}
