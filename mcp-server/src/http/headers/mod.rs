//! Headers that mirror the body, so that what stands in front of the server can route without reading it.
//!
//! Who routes by a header and who serves by the body must see the same request. So each header that is there has to
//! say what the body says, and those that a method needs have to be there.

mod params;
mod schema;
mod sentinel;
mod value;

use std::borrow::Cow;

use http::{HeaderMap, HeaderName};
use mcp_types::jsonrpc::{Params, member, read_string};
use mcp_types::method;

pub use self::params::HeaderParams;
pub use self::schema::InvalidAnnotation;
pub(crate) use self::value::single;
pub use self::value::{HeaderFault, HeaderMismatch};

/// `MCP-Protocol-Version`: the revision that the request is written in.
pub const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
/// `Mcp-Method`: the method of the message.
pub const METHOD: HeaderName = HeaderName::from_static("mcp-method");
/// `Mcp-Name`: the tool, prompt, resource or task that the request is about.
pub const NAME: HeaderName = HeaderName::from_static("mcp-name");
/// `Mcp-Session-Id`: the session of a revision with a handshake.
pub const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
/// `Last-Event-ID`: the last event that the client has seen of a stream that broke.
pub const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// The two headers that mirror every modern request, readable and not yet compared.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Mirror<'a> {
    method: Option<&'a str>,
    name: Option<&'a str>,
}

impl<'a> Mirror<'a> {
    /// Reads both headers. Of a request, `Mcp-Method` has to be there, and `Mcp-Name` when its method has a subject.
    pub(crate) fn of_request(
        headers: &'a HeaderMap,
        method: &str,
        params: &Params<'_>,
    ) -> Result<Self, HeaderMismatch> {
        let mirror = Self::of_notification(headers)?;
        //= 2026-07-28/basic/transports/streamable-http#server-validation
        //# A required standard header (`MCP-Protocol-Version`, `Mcp-Method`,
        //# `Mcp-Name`) is missing.
        if mirror.method.is_none() {
            return Err(HeaderMismatch::new(METHOD, HeaderFault::Missing));
        }
        if mirror.name.is_none() && subject(method, params).is_some() {
            return Err(HeaderMismatch::new(NAME, HeaderFault::Missing));
        }
        Ok(mirror)
    }

    /// Reads both headers, of which none has to be there.
    pub(crate) fn of_notification(headers: &'a HeaderMap) -> Result<Self, HeaderMismatch> {
        Ok(Self { method: single(headers, &METHOD)?, name: single(headers, &NAME)? })
    }

    /// Whether what is there says what the body says.
    pub(crate) fn compare(&self, method: &str, params: &Params<'_>) -> Result<(), HeaderMismatch> {
        //= 2026-07-28/basic/transports/streamable-http#case-sensitivity
        //# Header _values_ (such as method names) are
        //# case-sensitive.
        if self.method.is_some_and(|header| header != method) {
            return Err(HeaderMismatch::new(METHOD, HeaderFault::Differs));
        }
        let Some(header) = self.name else { return Ok(()) };
        match subject(method, params) {
            Some(subject) => sentinel::compare(header, &subject).map_err(|fault| HeaderMismatch::new(NAME, fault)),
            // What is no string cannot be mirrored, and is refused by whoever decodes the parameters.
            None if subject_of(method, params).is_some_and(|raw| raw != "null") => Ok(()),
            // A header about nothing that the method has is nobody's.
            None if has_subject(method) => Err(HeaderMismatch::new(NAME, HeaderFault::Differs)),
            None => Ok(()),
        }
    }
}

/// What the request is about, when its body says so by a string.
fn subject<'a>(method: &str, params: &Params<'a>) -> Option<Cow<'a, str>> {
    subject_of(method, params).and_then(read_string)
}

fn subject_of<'a>(method: &str, params: &Params<'a>) -> Option<&'a str> {
    match method {
        method::TOOLS_CALL | method::PROMPTS_GET => params.name,
        method::RESOURCES_READ => params.uri,
        method::TASKS_GET | method::TASKS_UPDATE | method::TASKS_CANCEL => member(params.raw?, "taskId"),
        _ => None,
    }
}

fn has_subject(method: &str) -> bool {
    matches!(
        method,
        method::TOOLS_CALL
            | method::PROMPTS_GET
            | method::RESOURCES_READ
            | method::TASKS_GET
            | method::TASKS_UPDATE
            | method::TASKS_CANCEL
    )
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use http::HeaderValue;
    use mcp_types::jsonrpc::{Message, ScanLimits, Scanned, scan};

    /// Method, params, headers, and what is wrong with these.
    type Row<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)], Result<(), HeaderMismatch>);

    /// The verdict on a request of this method and these params, with these headers.
    fn check(method: &str, params: &str, of: &[(&str, &str)]) -> Result<(), HeaderMismatch> {
        let frame = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
        let Ok(Scanned::Message(Message::Request(request))) = scan(frame.as_bytes(), &ScanLimits::default()) else {
            panic!("{frame}");
        };
        let mut headers = HeaderMap::new();
        for (name, value) in of {
            let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
            headers.append(name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        Mirror::of_request(&headers, &request.method, &request.params)?.compare(&request.method, &request.params)
    }

    #[test]
    fn mirrors_say_what_the_body_says() {
        const CALL: &str = "tools/call";
        const M: (&str, &str) = ("Mcp-Method", CALL);
        let missing = |name| Err(HeaderMismatch::new(name, HeaderFault::Missing));
        let differs = |name| Err(HeaderMismatch::new(name, HeaderFault::Differs));
        let fault = |name, fault| Err(HeaderMismatch::new(name, fault));
        let echo = r#"{"name":"echo"}"#;
        #[rustfmt::skip]
        let rows: [Row<'_>; 37] = [
            (CALL, echo, &[M, ("Mcp-Name", "echo")],                            Ok(())),
            (CALL, echo, &[("mcp-METHOD", CALL), ("MCP-NAME", "echo")],         Ok(())),
            (CALL, echo, &[("Mcp-Method", " \ttools/call\t "), ("Mcp-Name", "  echo")], Ok(())),
            (CALL, echo, &[("Mcp-Name", "echo")],                               missing(METHOD)),
            (CALL, echo, &[M],                                                  missing(NAME)),
            (CALL, echo, &[("Mcp-Method", "tools/list"), ("Mcp-Name", "echo")], differs(METHOD)),
            (CALL, echo, &[("Mcp-Method", "Tools/Call"), ("Mcp-Name", "echo")], differs(METHOD)),
            (CALL, echo, &[("Mcp-Method", ""), ("Mcp-Name", "echo")],           differs(METHOD)),
            (CALL, echo, &[M, ("Mcp-Name", "Echo")],                            differs(NAME)),
            (CALL, echo, &[M, ("Mcp-Name", "")],                                differs(NAME)),
            (CALL, echo, &[M, M, ("Mcp-Name", "echo")],                         fault(METHOD, HeaderFault::Several)),
            (CALL, echo, &[M, ("Mcp-Name", "echo"), ("Mcp-Name", "echo")],      fault(NAME, HeaderFault::Several)),
            (CALL, echo, &[M, ("Mcp-Name", "écho")],                            fault(NAME, HeaderFault::Characters)),
            (CALL, echo, &[("Mcp-Method", "tools/cäll"), ("Mcp-Name", "echo")], fault(METHOD, HeaderFault::Characters)),
            (CALL, echo, &[M, ("Mcp-Name", "=?base64?ZWNobw==?=")],             Ok(())),
            (CALL, echo, &[M, ("Mcp-Name", "=?base64?ZWNobw?=")],               fault(NAME, HeaderFault::Encoding)),
            (CALL, echo, &[M, ("Mcp-Name", "=?base64?RWNobw==?=")],             differs(NAME)),
            (CALL, echo, &[M, ("Mcp-Name", "=?BASE64?ZWNobw==?=")],             differs(NAME)),
            (CALL, echo, &[("Mcp-Method", "=?base64?dG9vbHMvY2FsbA==?="), ("Mcp-Name", "echo")], differs(METHOD)),
            (CALL, r#"{"name":"\u0065cho"}"#, &[M, ("Mcp-Name", "echo")],       Ok(())),
            (CALL, r#"{"name":"wörld"}"#, &[M, ("Mcp-Name", "=?base64?d8O2cmxk?=")], Ok(())),
            // Without a name in the body there is nothing to mirror; the parameters are refused later.
            (CALL, "{}", &[M],                                                  Ok(())),
            (CALL, "{}", &[M, ("Mcp-Name", "echo")],                            differs(NAME)),
            (CALL, r#"{"name":null}"#, &[M, ("Mcp-Name", "echo")],              differs(NAME)),
            (CALL, r#"{"name":17}"#, &[M],                                      Ok(())),
            (CALL, r#"{"name":17}"#, &[M, ("Mcp-Name", "17")],                  Ok(())),
            ("tools/list", "{}", &[("Mcp-Method", "tools/list")],               Ok(())),
            ("tools/list", "{}", &[("Mcp-Method", "tools/list"), ("Mcp-Name", "any")], Ok(())),
            ("prompts/get", echo, &[("Mcp-Method", "prompts/get"), ("Mcp-Name", "echo")], Ok(())),
            ("prompts/get", echo, &[("Mcp-Method", "prompts/get")],             missing(NAME)),
            ("resources/read", r#"{"uri":"file:///a%20b"}"#, &[("Mcp-Method", "resources/read"), ("Mcp-Name", "file:///a%20b")], Ok(())),
            ("resources/read", r#"{"uri":"file:///a"}"#, &[("Mcp-Method", "resources/read"), ("Mcp-Name", "file:///b")], differs(NAME)),
            ("resources/read", r#"{"uri":"file:///a"}"#, &[("Mcp-Method", "resources/read")], missing(NAME)),
            ("tasks/get", r#"{"taskId":"t-1"}"#, &[("Mcp-Method", "tasks/get"), ("Mcp-Name", "t-1")], Ok(())),
            ("tasks/update", r#"{"taskId":"t-1"}"#, &[("Mcp-Method", "tasks/update"), ("Mcp-Name", "t-2")], differs(NAME)),
            ("tasks/cancel", r#"{"taskId":"t-1"}"#, &[("Mcp-Method", "tasks/cancel")], missing(NAME)),
            ("vendor/do", r#"{"name":"x"}"#, &[("Mcp-Method", "vendor/do")],    Ok(())),
        ];
        for (method, params, headers, expected) in rows {
            assert_eq!(check(method, params, headers), expected, "{method} {params} {headers:?}");
        }
    }

    #[test]
    fn a_notification_needs_no_mirror_but_may_not_be_contradicted() {
        let check = |of: &[(&'static str, &'static str)]| {
            let headers =
                of.iter().map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
            let headers: HeaderMap = headers.collect();
            Mirror::of_notification(&headers).and_then(|mirror| mirror.compare("vendor/note", &Params::default()))
        };
        assert_eq!(check(&[]), Ok(()));
        assert_eq!(check(&[("mcp-method", "vendor/note")]), Ok(()));
        assert_eq!(check(&[("mcp-method", "other")]), Err(HeaderMismatch::new(METHOD, HeaderFault::Differs)));
    }
}
