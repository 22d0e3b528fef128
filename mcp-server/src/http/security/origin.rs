//! An origin, as a browser names it and as it is allowed.

use super::host::{Host, HostRule};

/// Where a page comes from, as the browser says it.
pub(super) enum Origin<'a> {
    /// A page of the web.
    Web { secure: bool, host: Host<'a> },
    /// `null`, and pages of applications and extensions.
    Other(&'a str),
}

impl<'a> Origin<'a> {
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        let Some((scheme, rest)) = text.split_once("://") else {
            return (text == "null").then_some(Self::Other(text));
        };
        let (secure, usual) = if scheme.eq_ignore_ascii_case("https") {
            (true, 443)
        } else if scheme.eq_ignore_ascii_case("http") {
            (false, 80)
        } else {
            let visible = text.bytes().all(|byte| byte.is_ascii_graphic());
            return (visible && !scheme.is_empty() && !rest.is_empty()).then_some(Self::Other(text));
        };
        let mut host = Host::parse(rest)?;
        host.port.get_or_insert(usual);
        Some(Self::Web { secure, host })
    }
}

/// An origin that is allowed.
#[derive(Clone, Debug)]
pub(super) enum OriginRule {
    Web { secure: bool, host: HostRule },
    Other(Box<str>),
}

impl OriginRule {
    pub(super) fn parse(entry: &str) -> Option<Self> {
        let entry = entry.trim();
        let entry = entry.strip_suffix('/').unwrap_or(entry);
        match Origin::parse(entry)? {
            Origin::Other(text) => Some(Self::Other(text.into())),
            Origin::Web { secure, host } => Some(Self::Web { secure, host: HostRule::of(host) }),
        }
    }

    pub(super) fn matches_web(&self, is_secure: bool, page: &Host<'_>) -> bool {
        matches!(self, Self::Web { secure, host } if *secure == is_secure && host.matches(page))
    }

    pub(super) fn matches_other(&self, text: &str) -> bool {
        matches!(self, Self::Other(allowed) if allowed.eq_ignore_ascii_case(text))
    }
}
