//! Which hosts may be addressed and which origins may ask.
//!
//! A page in a browser can make its own name resolve to this machine and then talk to a server that only listens
//! here. What gives it away are the names that the browser sends along: the host that it believes to address, and the
//! origin of the page.

mod host;
mod origin;

use std::borrow::Cow;
use std::fmt;

use http::header::{HOST, HeaderMap, ORIGIN};
use http::{HeaderValue, Uri};

use self::host::{Host, HostRule};
use self::origin::{Origin, OriginRule};

/// The hosts and origins that are allowed. By default those of this machine, on every port.
#[derive(Clone, Debug, Default)]
pub(crate) struct AllowList {
    hosts: Vec<HostRule>,
    any_host: bool,
    origins: Vec<OriginRule>,
    any_origin: bool,
}

impl AllowList {
    /// Allows a host. An entry that is none is told of and matches nothing.
    pub(crate) fn allow_host(&mut self, entry: &str) {
        match HostRule::parse(entry) {
            Some(rule) => self.hosts.push(rule),
            None => tracing::warn!(entry, "`HttpConfig::allow_host` was given something that is no host"),
        }
    }

    pub(crate) fn allow_any_host(&mut self) {
        self.any_host = true;
    }

    /// Allows an origin. An entry that is none is told of and matches nothing.
    pub(crate) fn allow_origin(&mut self, entry: &str) {
        match OriginRule::parse(entry) {
            Some(rule) => self.origins.push(rule),
            None => tracing::warn!(entry, "`HttpConfig::allow_origin` was given something that is no origin"),
        }
    }

    pub(crate) fn allow_any_origin(&mut self) {
        self.any_origin = true;
    }

    /// Whether a request may go on.
    ///
    /// A host can be named twice, by the target of the request (`:authority` in HTTP/2) and by `Host`. Each has to be
    /// allowed: what stands in front of the server may have looked at the other one.
    pub(crate) fn check(&self, target: &Uri, headers: &HeaderMap) -> Result<(), Forbidden> {
        self.check_hosts(target, headers)?;
        self.check_origin(headers)
    }

    fn check_hosts(&self, target: &Uri, headers: &HeaderMap) -> Result<(), Forbidden> {
        if self.any_host {
            return Ok(());
        }
        let mut named = false;
        if let Some(authority) = target.authority() {
            named = true;
            self.check_host(authority.as_str())?;
        }
        for (position, host) in headers.get_all(HOST).iter().enumerate() {
            if position > 0 {
                return Err(Forbidden::SeveralHosts);
            }
            named = true;
            self.check_host(host.to_str().map_err(|_| Forbidden::Host(excerpt(host)))?)?;
        }
        if named { Ok(()) } else { Err(Forbidden::NoHost) }
    }

    fn check_host(&self, text: &str) -> Result<(), Forbidden> {
        if Host::is_usual(text) {
            return Ok(());
        }
        let text = text.trim_matches([' ', '\t']);
        if text.is_empty() {
            return Err(Forbidden::NoHost);
        }
        let host = Host::parse(text);
        match host {
            Some(host) if host.is_loopback() || self.hosts.iter().any(|rule| rule.matches(&host)) => Ok(()),
            _ => Err(Forbidden::Host(excerpt_of(text))),
        }
    }

    fn check_origin(&self, headers: &HeaderMap) -> Result<(), Forbidden> {
        if self.any_origin {
            return Ok(());
        }
        let mut origins = headers.get_all(ORIGIN).iter();
        // Programs other than browsers send none, and a browser sends one with each POST.
        let Some(value) = origins.next() else { return Ok(()) };
        if origins.next().is_some() {
            return Err(Forbidden::SeveralOrigins);
        }
        let allowed = value.to_str().ok().is_some_and(|text| self.allows_origin(text.trim_matches([' ', '\t'])));
        //= 2026-07-28/basic/transports/streamable-http#security--endpoint
        //# If the `Origin` header is present and invalid, servers **MUST** respond
        //# with HTTP 403 Forbidden.
        if allowed { Ok(()) } else { Err(Forbidden::Origin(excerpt(value))) }
    }

    fn allows_origin(&self, text: &str) -> bool {
        match Origin::parse(text) {
            None => false,
            // A page that was served under an allowed host is that host's own. Where every host is allowed there is
            // no such page: any name could have been made to resolve to this machine.
            Some(Origin::Web { secure, host }) => {
                host.is_loopback()
                    || self.hosts.iter().any(|rule| rule.matches(&host))
                    || self.origins.iter().any(|rule| rule.matches_web(secure, &host))
            }
            Some(Origin::Other(text)) => self.origins.iter().any(|rule| rule.matches_other(text)),
        }
    }
}

/// Why a request was turned away before it was looked at.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Forbidden {
    /// It addresses a host that is not allowed.
    Host(Box<str>),
    /// It addresses none.
    NoHost,
    /// It has more than one `Host`.
    SeveralHosts,
    /// It comes from a page that is not allowed.
    Origin(Box<str>),
    /// It has more than one `Origin`.
    SeveralOrigins,
}

impl Forbidden {
    /// The setting with which the operator of the server can change the answer.
    pub(crate) fn setting(&self) -> &'static str {
        match self {
            Self::Host(_) | Self::NoHost | Self::SeveralHosts => "HttpConfig::allow_host",
            Self::Origin(_) | Self::SeveralOrigins => "HttpConfig::allow_origin",
        }
    }
}

impl fmt::Display for Forbidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let setting = self.setting();
        match self {
            Self::Host(host) => write!(f, "Host {host:?} is not allowed; a server allows it by {setting}({host:?})"),
            Self::NoHost => write!(f, "The request names no host; a server allows hosts by {setting}"),
            Self::SeveralHosts => write!(f, "The request names several hosts; a server allows each by {setting}"),
            Self::Origin(origin) => {
                write!(f, "Origin {origin:?} is not allowed; a server allows it by {setting}({origin:?})")
            }
            Self::SeveralOrigins => write!(f, "The request names several origins; a server allows one by {setting}"),
        }
    }
}

/// What of a header is shown to people.
fn excerpt(value: &HeaderValue) -> Box<str> {
    excerpt_of(&String::from_utf8_lossy(value.as_bytes()))
}

fn excerpt_of(text: &str) -> Box<str> {
    let shown: Cow<'_, str> = match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    };
    shown.into()
}

/// The longest name of a host.
const SHOWN: usize = 253;

#[cfg(test)]
mod tests {
    use super::*;

    fn allow(entries: &[&str]) -> AllowList {
        let mut list = AllowList::default();
        for entry in entries {
            if entry.contains("://") || *entry == "null" {
                list.allow_origin(entry);
            } else {
                list.allow_host(entry);
            }
        }
        list
    }

    fn headers(of: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in of {
            headers.append(*name, HeaderValue::from_bytes(value.as_bytes()).unwrap_or_else(|_| panic!("{value:?}")));
        }
        headers
    }

    fn allows_host(list: &AllowList, host: &str) -> bool {
        list.check(&Uri::from_static("/mcp"), &headers(&[("host", host)])).is_ok()
    }

    #[test]
    fn hosts_of_this_machine_are_allowed_and_no_others() {
        let list = AllowList::default();
        #[rustfmt::skip]
        let rows = [
            ("localhost", true),        ("localhost:8080", true),   ("LOCALHOST:9", true),      ("localhost.", true),
            ("localhost.:80", true),    ("127.0.0.1", true),        ("127.0.0.1:65535", true),  ("127.9.9.9", true),
            ("[::1]", true),            ("[::1]:1", true),          ("[0:0:0:0:0:0:0:1]", true), ("[::ffff:127.0.0.1]", true),
            ("localhost:", true),       (" localhost ", true),
            ("", false),                (" ", false),               ("svc:8080", false),        ("evil.example", false),
            ("localhost.evil.example", false),                      ("evil-localhost", false),  ("localhost..", false),
            ("127.0.0.1.evil.example", false),                      ("127.1", false),           ("2130706433", false),
            ("0.0.0.0", false),         ("[::]", false),            ("[::1", false),            ("::1", false),
            ("[::1]x", false),          ("[fe80::1%lo]", false),    ("localhost:http", false),  ("localhost:65536", false),
            ("localhost:+1", false),    ("localhost:1:2", false),   ("user@localhost", false),  ("localhost, evil", false),
            ("localhost/", false),      ("lócalhost", false),       (".", false),               (":80", false),
        ];
        for (host, allowed) in rows {
            assert_eq!(allows_host(&list, host), allowed, "{host:?}");
        }
    }

    #[test]
    fn further_hosts_can_be_allowed() {
        #[rustfmt::skip]
        let rows = [
            ("svc:8080", "svc:8080", true),             ("svc:8080", "SVC.:8080", true),
            ("svc:8080", "svc:8081", false),            ("svc:8080", "svc", false),
            ("svc", "svc:8081", true),                  ("svc", "localhost", true),
            ("mcp.example", "www.mcp.example", false),  ("*.mcp.example", "www.mcp.example", true),
            ("*.mcp.example", "a.b.MCP.example:1", true), ("*.mcp.example", "mcp.example", false),
            ("*.mcp.example", ".mcp.example", false),   ("*.mcp.example", "evilmcp.example", false),
            ("mcp.example:443", "mcp.example", true),   ("mcp.example:80", "mcp.example", true),
            ("10.0.0.1", "10.0.0.1:5", true),           ("10.0.0.1", "10.0.0.2", false),
            ("2001:db8::1", "[2001:DB8:0::1]:5", true), ("[2001:db8::1]:5", "[2001:db8::1]:6", false),
            ("not a host", "not a host", false),        ("*", "anything", false),
        ];
        for (entry, host, allowed) in rows {
            assert_eq!(allows_host(&allow(&[entry]), host), allowed, "{entry:?} {host:?}");
        }
        let mut any = AllowList::default();
        any.allow_any_host();
        for host in ["svc", "", "what ever"] {
            assert!(allows_host(&any, host), "{host:?}");
        }
    }

    #[test]
    fn each_host_that_is_named_must_be_allowed() {
        let list = AllowList::default();
        let check =
            |target: &'static str, of: &[(&'static str, &str)]| list.check(&Uri::from_static(target), &headers(of));
        assert_eq!(check("http://localhost:5/mcp", &[]), Ok(()), "HTTP/2 with nothing but `:authority`");
        assert_eq!(check("http://localhost:5/mcp", &[("host", "127.0.0.1")]), Ok(()));
        assert_eq!(check("http://evil.example/mcp", &[]), Err(Forbidden::Host("evil.example".into())));
        assert_eq!(
            check("http://evil.example/", &[("host", "localhost")]),
            Err(Forbidden::Host("evil.example".into()))
        );
        assert_eq!(
            check("http://localhost/", &[("host", "evil.example")]),
            Err(Forbidden::Host("evil.example".into()))
        );
        assert_eq!(check("/mcp", &[]), Err(Forbidden::NoHost));
        assert_eq!(check("/mcp", &[("host", "localhost"), ("host", "localhost")]), Err(Forbidden::SeveralHosts));
    }

    #[test]
    fn origins_of_this_machine_are_allowed_and_no_others() {
        #[rustfmt::skip]
        let rows: [(&[&str], &str, bool); 29] = [
            (&[], "http://localhost:3000", true),               (&[], "https://127.0.0.1", true),
            (&[], "http://[::1]:9", true),                      (&[], "HTTP://LOCALHOST", true),
            (&[], "null", false),                               (&[], "", false),
            (&[], "http://evil.example", false),                (&[], "localhost", false),
            (&[], "http://localhost/", false),                  (&[], "http://localhost:3000/path", false),
            (&[], "http://user@localhost", false),              (&[], "tauri://localhost", false),
            (&[], "http://localhost.evil.example", false),      (&["null"], "null", true),
            (&["https://app.example"], "https://app.example", true),
            (&["https://app.example"], "https://APP.example:443", true),
            (&["https://app.example/"], "https://app.example", true),
            (&["https://app.example"], "http://app.example", false),
            (&["https://app.example"], "https://app.example:444", false),
            (&["https://app.example:444"], "https://app.example:444", true),
            (&["https://app.example:444"], "https://app.example", false),
            (&["https://app.example"], "https://www.app.example", false),
            (&["tauri://localhost"], "tauri://localhost", true),
            (&["chrome-extension://abc"], "chrome-extension://ABC", true),
            (&["chrome-extension://abc"], "chrome-extension://abd", false),
            // Under an allowed host, a page is at home.
            (&["mcp.example"], "https://mcp.example", true),    (&["mcp.example:8080"], "http://mcp.example:8080", true),
            (&["mcp.example:8080"], "http://mcp.example", false), (&["mcp.example"], "https://other.example", false),
        ];
        for (entries, origin, allowed) in rows {
            let of = [("host", "localhost"), ("origin", origin)];
            let verdict = allow(entries).check(&Uri::from_static("/mcp"), &headers(&of));
            assert_eq!(verdict.is_ok(), allowed, "{entries:?} {origin:?}");
        }
    }

    #[test]
    fn a_rebound_name_is_no_origin_where_any_host_is_allowed() {
        let mut list = AllowList::default();
        list.allow_any_host();
        let of = [("host", "evil.example"), ("origin", "http://evil.example")];
        let verdict = list.check(&Uri::from_static("/mcp"), &headers(&of));
        assert_eq!(verdict, Err(Forbidden::Origin("http://evil.example".into())));
        list.allow_any_origin();
        assert_eq!(list.check(&Uri::from_static("/mcp"), &headers(&of)), Ok(()));
    }

    #[test]
    fn two_origins_are_refused() {
        let of = [("host", "localhost"), ("origin", "http://localhost"), ("origin", "http://localhost")];
        let verdict = AllowList::default().check(&Uri::from_static("/mcp"), &headers(&of));
        assert_eq!(verdict, Err(Forbidden::SeveralOrigins));
    }

    #[test]
    fn a_refusal_names_host_and_setting() {
        #[rustfmt::skip]
        let rows = [
            (Forbidden::Host("svc:8080".into()),    r#"Host "svc:8080" is not allowed; a server allows it by HttpConfig::allow_host("svc:8080")"#),
            (Forbidden::Origin("null".into()),      r#"Origin "null" is not allowed; a server allows it by HttpConfig::allow_origin("null")"#),
            (Forbidden::NoHost,                     "The request names no host; a server allows hosts by HttpConfig::allow_host"),
        ];
        for (forbidden, text) in rows {
            assert_eq!(forbidden.to_string(), text);
        }
        let long = "é".repeat(1000);
        let Forbidden::Host(shown) = Forbidden::Host(excerpt_of(&long)) else { unreachable!() };
        assert_eq!(shown.chars().count(), SHOWN + 1);
    }
}
