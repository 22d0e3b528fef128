//! URI templates: what the URIs of many resources have in common.

mod error;
mod expand;
mod matching;
mod parse;

use std::fmt;
use std::str::FromStr;

pub use self::error::TemplateError;
use crate::call::Texts;

/// A template of URIs, as RFC 6570 writes them, which can be filled in and which URIs can be matched against.
///
/// | expression | stands for |
/// | --- | --- |
/// | `{var}` | a value without `/`, `?` and `#` |
/// | `{a,b}` | two such values with a comma between them, which neither has |
/// | `{+var}` | a value that may have any character of a URI, such as a path |
/// | `{/a,b}` | `/` and a value, for each of them |
/// | `{?a,b}` | a query with these names, in any order, each of which may be left out |
/// | `{&a,b}` | more of the query that the template has begun |
/// | `{#var}` | a fragment, which may be left out |
///
/// A value has at least one character, except in a query. Queries and fragments stand last. Everything else of
/// RFC 6570, which says how to fill in but not how to match, is refused: `{.var}`, `{;var}`, `{var*}` and `{var:3}`.
///
/// ```
/// use mcp_server::UriTemplate;
///
/// let template: UriTemplate = "weather://{city}/days{?from,to}".parse()?;
/// assert_eq!(template.expand([("city", "São Paulo"), ("to", "9")]).unwrap(), "weather://S%C3%A3o%20Paulo/days?to=9");
/// let values = template.matches("weather://S%C3%A3o%20Paulo/days?to=9").unwrap();
/// assert_eq!(values["city"], "São Paulo");
/// assert_eq!(values.get("from"), None);
/// assert_eq!(template.matches("weather://Oslo/nights"), None);
/// assert!("weather://{city*}".parse::<UriTemplate>().is_err());
/// # Ok::<_, mcp_server::TemplateError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UriTemplate {
    text: Box<str>,
    /// What stands before query and fragment.
    parts: Vec<Part>,
    query: Option<Query>,
    /// The name of the variable that is the fragment.
    fragment: Option<Box<str>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// A text as it stands in URIs. Never two in a row.
    Literal(Box<str>),
    Variable(Variable),
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Variable {
    name: Box<str>,
    kind: Kind,
}

/// What a value may have in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Everything that does not end a part of a URI.
    Simple,
    /// The same without commas.
    Listed,
    /// Everything.
    Reserved,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Query {
    /// What of it the template has itself.
    fixed: Box<str>,
    names: Vec<Box<str>>,
}

impl UriTemplate {
    /// The names of its variables, in order.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        let parts = self.parts.iter().filter_map(|part| match part {
            Part::Literal(_) => None,
            Part::Variable(variable) => Some(&*variable.name),
        });
        let query = self.query.iter().flat_map(|query| &query.names).map(|name| &**name);
        parts.chain(query).chain(self.fragment.as_deref())
    }

    /// The text that it was made of.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The values of its variables in a URI, decoded once; `None` when the URI does not fit. A variable that was left
    /// out has no value.
    ///
    /// Where a URI can be taken apart in several ways, the first variable gets as much as it can. It takes time in
    /// proportion to the length of the URI.
    #[must_use]
    pub fn matches(&self, uri: &str) -> Option<Texts> {
        matching::matches(self, uri)
    }

    /// The URI with these values, which are encoded on the way. `None` when a variable that has to have a value has
    /// none.
    ///
    /// What [`matches`](Self::matches) finds in it are the same values, as long as a template does not put variables
    /// next to each other, or next to a text that a value has too.
    #[must_use]
    pub fn expand<'v>(&self, values: impl IntoIterator<Item = (&'v str, &'v str)>) -> Option<String> {
        expand::expand(self, &values.into_iter().collect())
    }

    /// How much of it is said literally: of two templates that a URI fits, the one that says more is meant.
    pub(crate) fn literal_len(&self) -> usize {
        let parts = self.parts.iter().map(|part| match part {
            Part::Literal(text) => text.len(),
            Part::Variable(_) => 0,
        });
        parts.sum::<usize>() + self.query.as_ref().map_or(0, |query| query.fixed.len())
    }

    /// Whether the value of a variable may have slashes in it.
    pub(crate) fn may_have_slashes(&self, name: &str) -> bool {
        !self.parts.iter().any(|part| match part {
            Part::Variable(variable) => &*variable.name == name && variable.kind != Kind::Reserved,
            Part::Literal(_) => false,
        })
    }
}

impl FromStr for UriTemplate {
    type Err = TemplateError;

    fn from_str(text: &str) -> Result<Self, TemplateError> {
        parse::parse(text)
    }
}

impl fmt::Display for UriTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests;
