//! One value of a header, or what is wrong with it.

use std::fmt;

use http::{HeaderMap, HeaderName};
use mcp_types::jsonrpc::{ErrorCode, ErrorObject};

/// Reads a header that may stand there once. Spaces and tabs around the value do not belong to it.
pub(crate) fn single<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, HeaderMismatch> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else { return Ok(None) };
    // Two values are two truths, also when they are equal now: who stands in front may have read either.
    if values.next().is_some() {
        return Err(HeaderMismatch::new(name.clone(), HeaderFault::Several));
    }
    match value.to_str() {
        Ok(text) => Ok(Some(text.trim_matches([' ', '\t']))),
        //= 2026-07-28/basic/transports/streamable-http#server-validation
        //# A header value contains invalid characters.
        Err(_) => Err(HeaderMismatch::new(name.clone(), HeaderFault::Characters)),
    }
}

/// A header does not say what the body says.
///
/// Answered with status 400 and [`ErrorCode::HEADER_MISMATCH`]. The text names the header and never a value.
///
/// Spec: [Server validation](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#server-validation)
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeaderMismatch {
    header: HeaderName,
    fault: HeaderFault,
}

/// What is wrong with a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HeaderFault {
    /// It is not there.
    Missing,
    /// It stands there more than once.
    Several,
    /// It has characters that are not visible ASCII.
    Characters,
    /// It is marked as Base64 and is not, or not that of a text.
    Encoding,
    /// It says something else than the body, or there is nothing in the body that it could be about.
    Differs,
}

impl HeaderMismatch {
    pub(crate) const fn new(header: HeaderName, fault: HeaderFault) -> Self {
        Self { header, fault }
    }

    /// The header.
    #[must_use]
    pub const fn header(&self) -> &HeaderName {
        &self.header
    }

    /// What is wrong with it.
    #[must_use]
    pub const fn fault(&self) -> HeaderFault {
        self.fault
    }

    /// The error to answer with.
    #[must_use]
    pub fn to_error_object(&self) -> ErrorObject {
        ErrorObject::new(ErrorCode::HEADER_MISMATCH, self.to_string())
    }
}

impl fmt::Display for HeaderMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fault = match self.fault {
            HeaderFault::Missing => "is missing",
            HeaderFault::Several => "stands there more than once",
            HeaderFault::Characters => "has characters that are not visible ASCII",
            HeaderFault::Encoding => "is not valid Base64 of a text",
            HeaderFault::Differs => "does not match the body",
        };
        write!(f, "Header mismatch: {} {fault}", Spelled(&self.header))
    }
}

impl std::error::Error for HeaderMismatch {}

/// A name as people write it: each word with a capital.
struct Spelled<'a>(&'a HeaderName);

impl fmt::Display for Spelled<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use fmt::Write as _;
        let mut starts_word = true;
        for letter in self.0.as_str().chars() {
            f.write_char(if starts_word { letter.to_ascii_uppercase() } else { letter })?;
            starts_word = letter == '-';
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{METHOD, PROTOCOL_VERSION};
    use super::*;

    #[test]
    fn the_text_names_the_header() {
        #[rustfmt::skip]
        let rows = [
            (METHOD,            HeaderFault::Missing,       "Header mismatch: Mcp-Method is missing"),
            (PROTOCOL_VERSION,  HeaderFault::Differs,       "Header mismatch: Mcp-Protocol-Version does not match the body"),
            (METHOD,            HeaderFault::Several,       "Header mismatch: Mcp-Method stands there more than once"),
            (METHOD,            HeaderFault::Characters,    "Header mismatch: Mcp-Method has characters that are not visible ASCII"),
            (METHOD,            HeaderFault::Encoding,      "Header mismatch: Mcp-Method is not valid Base64 of a text"),
        ];
        for (header, fault, text) in rows {
            let object = HeaderMismatch::new(header, fault).to_error_object();
            assert_eq!((object.code, &*object.message), (ErrorCode(-32020), text));
        }
    }
}
