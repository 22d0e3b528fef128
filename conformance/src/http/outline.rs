//! What HTTP has to know of a message: its kind, its ids, and what its headers say again.

use std::{collections::BTreeMap, fmt};

use serde_json::{Value, value::RawValue};

/// A message, as far as HTTP asks.
#[derive(Debug, Clone)]
pub struct Outline {
    /// What it is.
    pub kind: Kind,
    /// The ids of the requests in it: those that are answered.
    pub ids: Vec<Value>,
    /// The method, if it is a string.
    pub method: Option<String>,
    /// What the request is about: the tool, the prompt, or the URI.
    pub subject: Option<String>,
    /// The revision that its `_meta` names.
    pub version: Option<String>,
    /// The request that it cancels, if it is a right cancellation.
    pub cancels: Option<Value>,
}

/// The kinds of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// It is answered.
    Request,
    /// It is accepted, and not answered.
    Notification,
    /// So is this.
    Response,
    /// An array, in which something may have to be answered.
    Batch,
    /// Nothing of these: what it is must be answered with an error.
    Unreadable,
}

/// The members of an object, as they were written: no number is too large, and no text too odd.
type Members<'a> = BTreeMap<String, &'a RawValue>;

impl Outline {
    /// Reads a message. Whatever is wrong with it, its outline is what a client could have meant.
    pub fn of(message: &[u8]) -> Self {
        let message = message.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(message);
        let mut outline =
            Self { kind: Kind::Unreadable, ids: Vec::new(), method: None, subject: None, version: None, cancels: None };
        if let Ok(messages) = serde_json::from_slice::<Vec<&RawValue>>(message) {
            outline.kind = Kind::Batch;
            // Whatever is nested deeper is no message.
            let objects = messages.iter().filter(|one| one.get().starts_with('{'));
            let inner = objects.map(|one| Self::of(one.get().as_bytes()));
            outline.ids = inner.filter(|one| one.kind == Kind::Request).flat_map(|one| one.ids).collect();
        } else if let Ok(members) = serde_json::from_slice(message) {
            outline.read(&members);
            let is_whole = serde_json::from_slice::<Value>(message).is_ok_and(|frame| frame["jsonrpc"] == "2.0");
            outline.cancels = outline.cancels.filter(|_| is_whole && !names_twice(message, b"\"method\""));
        } else {
            outline.kind = kind_by_look(message);
        }
        outline
    }

    /// Whether it asks for something that is answered.
    pub const fn is_answered(&self) -> bool {
        matches!(self.kind, Kind::Request | Kind::Batch | Kind::Unreadable)
    }

    fn read(&mut self, members: &Members<'_>) {
        let params = within(members, "params");
        let has = |name: &str| members.get(name).is_some_and(|value| value.get() != "null");
        self.method = text(members, "method");
        self.kind = match (has("method"), members.get("id")) {
            (true, Some(id)) => {
                self.ids = vec![value(id)];
                Kind::Request
            }
            (true, None) => Kind::Notification,
            (false, _) if members.contains_key("result") || members.contains_key("error") => Kind::Response,
            (false, _) => Kind::Unreadable,
        };
        self.subject = match self.method.as_deref() {
            Some("tools/call" | "prompts/get") => text(&params, "name"),
            Some("resources/read") => text(&params, "uri"),
            _ => None,
        };
        self.version = text(&within(&params, "_meta"), "io.modelcontextprotocol/protocolVersion");
        if self.kind == Kind::Notification && self.method.as_deref() == Some("notifications/cancelled") {
            let id = params.get("requestId").map(|id| value(id));
            self.cancels = id.filter(|id| id.is_string() || id.is_number());
        }
    }
}

/// The members of a member.
fn within<'a>(members: &Members<'a>, name: &str) -> Members<'a> {
    members.get(name).and_then(|value| serde_json::from_str(value.get()).ok()).unwrap_or_default()
}

fn text(members: &Members<'_>, name: &str) -> Option<String> {
    serde_json::from_str(members.get(name)?.get()).ok()
}

/// A value; `null` for what none can hold.
fn value(raw: &RawValue) -> Value {
    serde_json::from_str(raw.get()).unwrap_or_default()
}

fn names_twice(message: &[u8], name: &[u8]) -> bool {
    message.windows(name.len()).filter(|window| *window == name).count() > 1
}

/// What something seems to be that is not JSON.
fn kind_by_look(message: &[u8]) -> Kind {
    let has = |name: &[u8]| message.windows(name.len()).any(|window| window == name);
    if !message.trim_ascii_start().starts_with(b"{") || has(b"\"id\"") && has(b"\"method\"") {
        return Kind::Unreadable;
    }
    if has(b"\"method\"") {
        return Kind::Notification;
    }
    if has(b"\"result\"") || has(b"\"error\"") { Kind::Response } else { Kind::Unreadable }
}

impl fmt::Display for Outline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.method, self.ids.first()) {
            (Some(method), _) if method.len() > 100 => write!(f, "{:?}", self.kind),
            (Some(method), Some(id)) => write!(f, "`{method}` {id}"),
            (Some(method), None) => write!(f, "`{method}`"),
            (None, _) => write!(f, "{:?}", self.kind),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn kind(text: &str) -> Kind {
        Outline::of(text.as_bytes()).kind
    }

    #[test]
    fn kinds() {
        for (text, expected) in [
            (r#"{"id":1,"method":"x"}"#, Kind::Request),
            (r#"{"id":1e400,"method":"x","params":{"x":"\ud800"}}"#, Kind::Request),
            ("\u{FEFF}{\"id\":1,\"method\":\"x\"}", Kind::Request),
            (r#"{"id":null,"method":7}"#, Kind::Request),
            (r#"{"method":"x"}"#, Kind::Notification),
            (r#"{"id":1,"method":null,"result":{}}"#, Kind::Response),
            (r#"{"id":1,"result":{}}"#, Kind::Response),
            (r#"{"error":1}"#, Kind::Response),
            (r#"[{"method":"x"},{"id":1,"method":"x"}]"#, Kind::Batch),
            ("[]", Kind::Batch),
            (&format!("{}{}", "[".repeat(100_000), "]".repeat(100_000)), Kind::Batch),
            ("{}", Kind::Unreadable),
            ("7", Kind::Unreadable),
            ("{", Kind::Unreadable),
            (r#"{"id":1,"method":"x""#, Kind::Unreadable),
            (r#"{"method":"x""#, Kind::Notification),
            (r#"{"id":1,"result":{"#, Kind::Response),
        ] {
            assert_eq!(kind(text), expected, "{text}");
        }
    }

    #[test]
    fn what_headers_say_again() {
        let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#;
        let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
        for argument in ["1e400", r#""\ud800""#, &deep] {
            let call =
                format!(r#"{{"id":1,"method":"tools/call","params":{{"name":"echo","arguments":{argument},{meta}}}}}"#);
            let outline = Outline::of(call.as_bytes());
            assert_eq!((outline.subject.as_deref(), outline.version.as_deref()), (Some("echo"), Some("2026-07-28")));
        }
        assert_eq!(Outline::of(br#"[{"id":1,"method":"a"},{"id":"b","method":"a"}]"#).ids, [json!(1), json!("b")]);
    }

    #[test]
    fn only_a_right_cancellation_cancels() {
        let cancels = |text: &str| Outline::of(text.as_bytes()).cancels;
        let params = r#""params":{"requestId":"a"}"#;
        let right = format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled",{params}}}"#);
        assert_eq!(cancels(&right), Some(json!("a")));
        for wrong in [
            right.replace(r#""jsonrpc":"2.0","#, ""),
            right.replace("2.0", "1.0"),
            right.replace(r#""method""#, r#""id":1,"method""#),
            right.replace(r#""method""#, r#""method":"notifications/nope","method""#),
            right.replace(r#""a""#, "null"),
        ] {
            assert_eq!(cancels(&wrong), None, "{wrong}");
        }
    }
}
