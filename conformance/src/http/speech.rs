//! How a client says a message over HTTP, and what it has learnt meanwhile.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Outline, Request, Site};

/// The ways to speak to a server over HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dialect {
    /// 2026-07-28; answers come as JSON unless something comes before them.
    Json,
    /// 2026-07-28; nothing but events is accepted.
    Events,
    /// Up to 2025-11-25, in a session that the server names.
    Session,
    /// The same without a session: every request stands alone.
    Stateless,
    /// 2024-11-05: one stream for all that the server says.
    Sse,
}

impl Dialect {
    /// All of them, in the order of the matrix.
    pub const ALL: [Self; 5] = [Self::Session, Self::Stateless, Self::Sse, Self::Json, Self::Events];

    /// Whether it is that of 2026-07-28.
    pub const fn is_modern(self) -> bool {
        matches!(self, Self::Json | Self::Events)
    }

    /// What the client accepts as the answer to a POST.
    pub const fn accepts(self) -> &'static str {
        match self {
            Self::Events => "text/event-stream",
            Self::Json | Self::Session | Self::Stateless | Self::Sse => "application/json, text/event-stream",
        }
    }
}

/// A client's side of the conversation with one endpoint. Clones share what they learn.
#[derive(Debug, Clone)]
pub struct Speech {
    site: Site,
    dialect: Dialect,
    learnt: Arc<Mutex<Learnt>>,
}

#[derive(Debug, Default)]
struct Learnt {
    session: Option<String>,
    /// The revision that `initialize` came to.
    version: Option<String>,
    /// Where messages are posted, when that is another place.
    messages: Option<Site>,
}

impl Speech {
    /// Nothing has been said yet.
    pub fn new(site: Site, dialect: Dialect) -> Self {
        Self { site, dialect, learnt: Arc::default() }
    }

    /// The endpoint.
    pub const fn site(&self) -> &Site {
        &self.site
    }

    /// The way of speaking.
    pub const fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Another conversation with the same endpoint, which knows nothing of this one.
    #[must_use]
    pub fn anew(&self) -> Self {
        Self::new(self.site.clone(), self.dialect)
    }

    /// The session that the server has named.
    pub fn session(&self) -> Option<String> {
        self.learnt().session.clone()
    }

    /// Keeps the session that a server named beside the result of `initialize`.
    pub fn in_session(&self, id: Option<&str>) {
        self.learnt().session = id.map(str::to_owned);
    }

    /// Keeps the revision that `initialize` came to.
    pub fn agreed(&self, version: &str) {
        self.learnt().version = Some(version.to_owned());
    }

    /// Keeps where messages are to be posted.
    pub fn post_to(&self, site: Site) {
        self.learnt().messages = Some(site);
    }

    /// A POST with this body, with all headers that a client sends with it.
    pub fn post(&self, body: &[u8]) -> Request {
        let outline = Outline::of(body);
        let site = self.learnt().messages.clone();
        let request = Request::new("POST", site.as_ref().unwrap_or(&self.site))
            .adding("Content-Type", "application/json")
            .adding("Accept", self.dialect.accepts())
            .with_body(body);
        let opens = outline.method.as_deref() == Some("initialize") && outline.version.is_none();
        match (self.dialect, &outline.version) {
            _ if opens => request,
            (Dialect::Sse, _) => self.of_session(request),
            (Dialect::Json | Dialect::Events, _) | (_, Some(_)) => mirroring(request, &outline),
            (Dialect::Session | Dialect::Stateless, None) => self.of_session(request),
        }
    }

    /// A GET for a stream of the session.
    pub fn get(&self) -> Request {
        self.of_session(Request::new("GET", &self.site).adding("Accept", "text/event-stream"))
    }

    /// A DELETE of the session.
    pub fn delete(&self) -> Request {
        self.of_session(Request::new("DELETE", &self.site))
    }

    /// Adds the headers of the session, as far as it has begun.
    fn of_session(&self, mut request: Request) -> Request {
        let learnt = self.learnt();
        if let Some(id) = &learnt.session {
            request = request.adding("Mcp-Session-Id", id);
        }
        // The header came with 2025-06-18.
        match learnt.version.as_deref() {
            Some(version) if version >= "2025-06-18" => request.adding("MCP-Protocol-Version", version),
            _ => request,
        }
    }

    fn learnt(&self) -> MutexGuard<'_, Learnt> {
        self.learnt.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Adds the headers that say again what a modern body says.
fn mirroring(request: Request, outline: &Outline) -> Request {
    let version = outline.version.as_deref().filter(|version| is_plain(version)).unwrap_or("2026-07-28");
    let mut request = request.adding("MCP-Protocol-Version", version);
    if let Some(method) = &outline.method {
        request = request.adding("Mcp-Method", method);
    }
    match &outline.subject {
        Some(subject) => request.adding("Mcp-Name", in_a_header(subject)),
        None => request,
    }
}

/// A text as the value of `Mcp-Name`: as it is when a header can hold it, encoded otherwise.
pub fn in_a_header(text: &str) -> String {
    let is_like_encoded = text.starts_with("=?base64?") && text.ends_with("?=");
    if is_plain(text) && !is_like_encoded {
        return text.to_owned();
    }
    format!("=?base64?{}?=", mcp_server::base64(text.as_bytes()))
}

fn is_plain(text: &str) -> bool {
    text.trim() == text && text.bytes().all(|byte| (0x20..0x7F).contains(&byte) || byte == b'\t')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_no_header_holds_are_encoded() {
        for (text, expected) in [
            ("echo", "echo"),
            ("", ""),
            ("a b", "a b"),
            ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
            (" padded ", "=?base64?IHBhZGRlZCA=?="),
            ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
            ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
        ] {
            assert_eq!(in_a_header(text), expected, "{text}");
        }
    }

    #[test]
    fn a_session_is_named_once_it_has_begun() {
        let speech = Speech::new(Site::new("a:1", "/mcp"), Dialect::Session);
        let hello = br#"{"id":1,"method":"initialize"}"#;
        assert_eq!(speech.post(hello).header("Mcp-Session-Id"), None);
        speech.in_session(Some("s-1"));
        speech.agreed("2025-06-18");
        assert_eq!(speech.post(hello).header("Mcp-Session-Id"), None);
        let list = speech.post(br#"{"id":2,"method":"tools/list"}"#);
        assert_eq!(list.header("Mcp-Session-Id"), Some("s-1"));
        assert_eq!(list.header("MCP-Protocol-Version"), Some("2025-06-18"));
        speech.agreed("2025-03-26");
        assert_eq!(speech.get().header("MCP-Protocol-Version"), None);
        assert_eq!(speech.anew().get().header("Mcp-Session-Id"), None);
    }

    #[test]
    fn a_modern_request_is_mirrored() {
        let speech = Speech::new(Site::new("a:1", "/mcp"), Dialect::Events);
        let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01"}"#;
        let call = format!(r#"{{"id":1,"method":"tools/call","params":{{"name":"écho",{meta}}}}}"#);
        let post = speech.post(call.as_bytes());
        let said = ["Accept", "MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"].map(|name| post.header(name));
        let expected = ["text/event-stream", "2099-01-01", "tools/call", "=?base64?w6ljaG8=?="];
        assert_eq!(said, expected.map(Some));
        assert_eq!(speech.post(b"{").header("MCP-Protocol-Version"), Some("2026-07-28"));
    }
}
