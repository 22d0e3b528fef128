//! What a sealed text is for.

use std::fmt;

use ring::digest::{SHA256, digest};

/// What a sealed text is for: it opens for the same and for nothing else.
#[derive(Clone, Copy, Debug)]
pub struct Binding<'a> {
    principal: Option<&'a str>,
    method: &'a str,
    target: &'a str,
    arguments: &'a [u8],
}

impl<'a> Binding<'a> {
    /// Binds to a method, to the name or URI that it is about, and to its arguments as they were sent.
    #[must_use]
    pub const fn new(method: &'a str, target: &'a str, arguments: &'a [u8]) -> Self {
        Self { principal: None, method, target, arguments }
    }

    /// Binds to who makes the request. Without a principal it opens for requests without one alone.
    #[must_use]
    pub const fn with_principal(mut self, principal: &'a str) -> Self {
        self.principal = Some(principal);
        self
    }

    pub(super) fn digests(&self) -> Digests {
        let mut digests = [0; Digests::LEN];
        // A principal with an empty name is not nobody.
        let principal = self.principal.map_or_else(Vec::new, |name| [b"=", name.as_bytes()].concat());
        // Of arguments, a client can choose both of two that it wants to pass for each other, so they need the whole
        // length; the other parts have to be found for one that is given.
        let (head, arguments) = digests.split_at_mut(3 * SHORT);
        for (place, part) in
            head.as_chunks_mut::<SHORT>().0.iter_mut().zip([&principal, self.method.as_bytes(), self.target.as_bytes()])
        {
            place.copy_from_slice(&digest(&SHA256, part).as_ref()[..SHORT]);
        }
        arguments.copy_from_slice(digest(&SHA256, self.arguments).as_ref());
        Digests(digests)
    }
}

/// The parts of a [`Binding`], as they stand in a sealed text.
#[derive(Clone, Copy)]
pub(super) struct Digests([u8; Self::LEN]);

impl Digests {
    pub(super) const LEN: usize = 3 * SHORT + 32;

    pub(super) const fn as_bytes(&self) -> &[u8; Self::LEN] {
        &self.0
    }

    /// The first part in which a sealed text differs.
    pub(super) fn difference(&self, sealed: &[u8; Self::LEN]) -> Option<Part> {
        let at = self.0.iter().zip(sealed).position(|(one, other)| one != other)?;
        Some(match at / SHORT {
            0 => Part::Principal,
            1 => Part::Method,
            2 => Part::Target,
            _ => Part::Arguments,
        })
    }
}

/// In what a request differs from that for which something was sealed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// Who makes it.
    Principal,
    /// The method.
    Method,
    /// The name or URI that it is about.
    Target,
    /// The arguments.
    Arguments,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Principal => "principal",
            Self::Method => "method",
            Self::Target => "name or URI",
            Self::Arguments => "arguments",
        })
    }
}

/// How much of a digest is kept where one text has to be matched.
const SHORT: usize = 16;
