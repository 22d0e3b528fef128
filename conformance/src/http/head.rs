//! The head of a response, and a response as a whole.

use serde_json::Value;

/// The status and the headers of a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The status.
    pub status: u16,
    headers: Vec<(String, String)>,
}

impl Head {
    /// Reads a head without the empty line at its end.
    ///
    /// # Errors
    /// What it is instead.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, String> {
        let text = String::from_utf8_lossy(bytes);
        let mut lines = text.split("\r\n");
        let first = lines.next().unwrap_or_default();
        let status = first.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3)?.parse().ok());
        let status = status.ok_or_else(|| format!("no status line but {first:?}"))?;
        let headers = lines.map(|line| {
            let (name, value) = line.split_once(':').ok_or_else(|| format!("no header but {line:?}"))?;
            Ok((name.to_owned(), value.trim().to_owned()))
        });
        Ok(Self { status, headers: headers.collect::<Result<_, String>>()? })
    }

    /// The first value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(one, _)| one.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// The type of the body, without parameters and in lower case.
    pub fn media_type(&self) -> String {
        let value = self.header("Content-Type").unwrap_or_default();
        value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
    }

    /// Whether the body is a stream of events.
    pub fn is_events(&self) -> bool {
        self.media_type() == "text/event-stream"
    }

    /// Whether the body is JSON.
    pub fn is_json(&self) -> bool {
        self.media_type() == "application/json"
    }
}

/// A response that came to its end.
#[derive(Debug, Clone)]
pub struct Answer {
    /// Its status and headers.
    pub head: Head,
    /// Its body.
    pub body: Vec<u8>,
}

impl Answer {
    /// The body as JSON, if it says that it is, and is; `null` otherwise.
    pub fn json(&self) -> Value {
        if !self.head.is_json() {
            return Value::Null;
        }
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// The status, the type and the body, in one line: for the record, and for what was seen instead.
    pub fn summary(&self) -> String {
        let mut summary = self.head.status.to_string();
        for part in [&*self.head.media_type(), &*String::from_utf8_lossy(&self.body)] {
            if !part.is_empty() {
                summary.push(' ');
                summary.push_str(part);
            }
        }
        summary
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn a_head_is_read() {
        let head =
            Head::parse(b"HTTP/1.1 404 Not Found\r\ncontent-TYPE: Application/JSON; charset=utf-8\r\nX:  y ").unwrap();
        assert_eq!((head.status, head.media_type().as_str(), head.header("x")), (404, "application/json", Some("y")));
        for wrong in ["", "HTTP/1.1", "HTTP/1.0 200 OK", "HTTP/1.1 2xx", "HTTP/1.1 200 OK\r\nno colon"] {
            assert!(Head::parse(wrong.as_bytes()).is_err(), "{wrong}");
        }
    }
}
