//! A host, as a request names it and as it is allowed.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A host with its port, as it stands in a request.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Host<'a> {
    pub(super) name: Name<'a>,
    pub(super) port: Option<u16>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Name<'a> {
    Address(IpAddr),
    /// Without the dot at its end.
    Text(&'a str),
}

impl<'a> Host<'a> {
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        let (name, port) = match text.strip_prefix('[') {
            Some(rest) => {
                let (inner, rest) = rest.split_once(']')?;
                let address: Ipv6Addr = inner.parse().ok()?;
                let port = if rest.is_empty() { "" } else { rest.strip_prefix(':')? };
                (Name::Address(IpAddr::V6(address).to_canonical()), port)
            }
            None => {
                let (name, port) = text.split_once(':').unwrap_or((text, ""));
                (Name::parse(name)?, port)
            }
        };
        Some(Self { name, port: read_port(port)? })
    }

    /// Whether this is what clients of the same machine send as a rule, seen without taking it apart. `false` says
    /// nothing.
    pub(super) fn is_usual(text: &str) -> bool {
        let rest = text.strip_prefix("127.0.0.1").or_else(|| text.strip_prefix("localhost"));
        rest.is_some_and(|rest| match rest.strip_prefix(':') {
            Some(port) => !port.is_empty() && read_port(port).is_some(),
            None => rest.is_empty(),
        })
    }

    pub(super) fn is_loopback(&self) -> bool {
        match self.name {
            Name::Address(address) => address.is_loopback(),
            Name::Text(name) => name.eq_ignore_ascii_case("localhost"),
        }
    }
}

impl<'a> Name<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        // A name with a dot at its end is the same name, said to be complete.
        let text = text.strip_suffix('.').unwrap_or(text);
        if let Ok(address) = text.parse::<Ipv4Addr>() {
            return Some(Self::Address(address.into()));
        }
        let of_a_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        (!text.is_empty() && text.bytes().all(of_a_name)).then_some(Self::Text(text))
    }
}

/// Reads what follows the colon. `None` when that is no port.
fn read_port(text: &str) -> Option<Option<u16>> {
    if text.is_empty() {
        return Some(None);
    }
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten().map(Some)
}

/// A host that is allowed.
#[derive(Clone, Debug)]
pub(super) struct HostRule {
    name: RuleName,
    /// Any, when there is none.
    port: Option<u16>,
}

#[derive(Clone, Debug)]
enum RuleName {
    Address(IpAddr),
    Text(Box<str>),
    /// Any name that ends in a dot and this.
    Below(Box<str>),
}

impl HostRule {
    pub(super) fn parse(entry: &str) -> Option<Self> {
        let entry = entry.trim();
        if let Some(domain) = entry.strip_prefix("*.") {
            let host = Host::parse(domain)?;
            let Name::Text(name) = host.name else { return None };
            return Some(Self { name: RuleName::Below(name.into()), port: host.port });
        }
        // An address without brackets cannot have a port.
        if let Ok(address) = entry.parse::<Ipv6Addr>() {
            return Some(Self { name: RuleName::Address(IpAddr::V6(address).to_canonical()), port: None });
        }
        Host::parse(entry).map(Self::of)
    }

    /// Allows just this one.
    pub(super) fn of(host: Host<'_>) -> Self {
        let name = match host.name {
            Name::Address(address) => RuleName::Address(address),
            Name::Text(name) => RuleName::Text(name.into()),
        };
        Self { name, port: host.port }
    }

    pub(super) fn matches(&self, host: &Host<'_>) -> bool {
        let name_matches = match (&self.name, &host.name) {
            (RuleName::Address(allowed), Name::Address(address)) => allowed == address,
            (RuleName::Text(allowed), Name::Text(name)) => allowed.eq_ignore_ascii_case(name),
            (RuleName::Below(domain), Name::Text(name)) => is_below(name, domain),
            _ => false,
        };
        // A port that is the usual one of its scheme is left out, and `Host` does not tell the scheme.
        let port_matches = match (self.port, host.port) {
            (None, _) | (Some(80 | 443), None) => true,
            (Some(_), None) => false,
            (Some(allowed), Some(port)) => allowed == port,
        };
        name_matches && port_matches
    }
}

fn is_below(name: &str, domain: &str) -> bool {
    let Some(split) = name.len().checked_sub(domain.len()).filter(|split| *split > 1) else { return false };
    // Names of hosts are ASCII, so that every index is a boundary.
    name[split..].eq_ignore_ascii_case(domain) && name.as_bytes()[split - 1] == b'.'
}
