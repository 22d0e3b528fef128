//! A request as it is written: headers in their order, as often as they were added.

use super::Site;

/// One request. Nothing is checked: what a script wants to be wrong is written as it is.
#[derive(Debug, Clone)]
pub struct Request {
    method: String,
    target: String,
    headers: Vec<(String, Vec<u8>)>,
    body: Vec<u8>,
    /// Whether the length of the body is told.
    measured: bool,
}

impl Request {
    /// A request to this endpoint, with the header `Host` alone.
    pub fn new(method: &str, site: &Site) -> Self {
        Self {
            method: method.to_owned(),
            target: site.path().to_owned(),
            headers: vec![("Host".to_owned(), site.authority().as_bytes().to_vec())],
            body: Vec::new(),
            measured: method == "POST",
        }
    }

    /// Adds a header, beside those of the same name.
    #[must_use]
    pub fn adding(mut self, name: &str, value: impl AsRef<[u8]>) -> Self {
        self.headers.push((name.to_owned(), value.as_ref().to_vec()));
        self
    }

    /// Sets a header in the place of those of the same name.
    #[must_use]
    pub fn with(self, name: &str, value: impl AsRef<[u8]>) -> Self {
        self.without(name).adding(name, value)
    }

    /// Leaves out a header.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(one, _)| !one.eq_ignore_ascii_case(name));
        self
    }

    /// Sets the body.
    #[must_use]
    pub fn with_body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// Sets the method. The length of the body is told as before.
    #[must_use]
    pub fn by(mut self, method: &str) -> Self {
        method.clone_into(&mut self.method);
        self
    }

    /// Sets the target as it stands in the first line.
    #[must_use]
    pub fn to(mut self, target: &str) -> Self {
        target.clone_into(&mut self.target);
        self
    }

    /// Does not tell how long the body is. Whoever sends it says how it ends.
    #[must_use]
    pub fn unmeasured(mut self) -> Self {
        self.measured = false;
        self
    }

    /// The first value of a header, if it is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        let (_, value) = self.headers.iter().find(|(one, _)| one.eq_ignore_ascii_case(name))?;
        std::str::from_utf8(value).ok()
    }

    /// The body.
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// The first line and the headers, with the empty line behind them.
    pub fn head(&self) -> Vec<u8> {
        let mut head = format!("{} {} HTTP/1.1\r\n", self.method, self.target).into_bytes();
        let mut line = |name: &str, value: &[u8]| {
            head.extend_from_slice(name.as_bytes());
            head.extend_from_slice(b": ");
            head.extend_from_slice(value);
            head.extend_from_slice(b"\r\n");
        };
        for (name, value) in &self.headers {
            line(name, value);
        }
        if self.measured && self.header("Content-Length").is_none() {
            line("Content-Length", self.body.len().to_string().as_bytes());
        }
        head.extend_from_slice(b"\r\n");
        head
    }

    /// All of it.
    pub fn bytes(&self) -> Vec<u8> {
        [self.head().as_slice(), &self.body].concat()
    }

    /// The first line, and the body as far as it is text: for the record.
    pub fn summary(&self) -> String {
        let mut summary = format!("{} {}", self.method, self.target);
        if !self.body.is_empty() {
            summary.push(' ');
            summary.push_str(&String::from_utf8_lossy(&self.body));
        }
        summary
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_written_as_it_was_made() {
        let site = Site::new("a:1", "/mcp");
        let request = Request::new("POST", &site).adding("X", "1").adding("x", "2").with_body("{}");
        let text = "POST /mcp HTTP/1.1\r\nHost: a:1\r\nX: 1\r\nx: 2\r\nContent-Length: 2\r\n\r\n{}";
        assert_eq!(String::from_utf8_lossy(&request.bytes()), text);
        let bare = request.without("X").with("Host", "b").unmeasured();
        assert_eq!(String::from_utf8_lossy(&bare.head()), "POST /mcp HTTP/1.1\r\nHost: b\r\n\r\n");
    }
}
