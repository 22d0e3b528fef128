//! URIs: what they are made of, and what is wrong with those that are none.

use std::fmt::Write as _;

use mcp_types::jsonrpc::{ErrorCode, ErrorObject};

use crate::call::{Asked, Call, FromCall, Rejection};

/// The URI of the resource that is read, as the client sent it: an extractor, taken as a parameter of a resource.
///
/// ```
/// use mcp_server::{Server, Uri};
///
/// async fn echo(Uri(uri): Uri) -> String {
///     format!("This is {uri}.")
/// }
///
/// let server = Server::new("s", "1.0.0").resource_template("echo://{+anything}", "echo", echo);
/// # drop(server);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "taken apart in the parameters of resources")]
pub struct Uri(pub String);

impl FromCall for Uri {
    fn from_call(call: &Call<'_>) -> Result<Self, Rejection> {
        let Asked::Resource { uri, .. } = call.asked else {
            tracing::error!("only resources have a URI");
            return Err(Rejection::Error(ErrorObject::new(ErrorCode::INTERNAL_ERROR, "internal error")));
        };
        Ok(Self(uri.to_owned()))
    }
}

/// Says why a text is no URI.
//= 2026-07-28/server/resources#security-considerations
//# Servers **MUST** validate all resource URIs
pub(crate) fn check(uri: &str) -> Result<(), &'static str> {
    if !begins_with_scheme(uri) {
        return Err("it does not begin with a scheme");
    }
    if !uri.bytes().all(|byte| is_unreserved(byte) || is_reserved(byte) || byte == b'%') {
        return Err("it has a character that has to be percent-encoded");
    }
    let mut encoded = uri.split('%').skip(1);
    let is_hex = |digits: &str| digits.len() >= 2 && digits.bytes().take(2).all(|digit| digit.is_ascii_hexdigit());
    if !encoded.all(is_hex) {
        return Err("it has a percent sign that encodes nothing");
    }
    Ok(())
}

/// As much of a URI as is shown to people and put into errors.
pub(crate) fn shortened(uri: &str) -> String {
    const SHOWN: usize = 256;
    let mut shown: String = uri.chars().take(SHOWN).collect();
    if shown.len() < uri.len() {
        shown.push('…');
    }
    shown
}

//= 2026-07-28/server/resources#custom-uri-schemes
//# Custom URI schemes **MUST** be in accordance with [RFC3986](https://datatracker.ietf.org/doc/html/rfc3986),
pub(crate) fn begins_with_scheme(text: &str) -> bool {
    let Some((scheme, _)) = text.split_once(':') else { return false };
    let is_of_scheme = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    scheme.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic()) && scheme.bytes().all(is_of_scheme)
}

pub(crate) const fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

pub(crate) const fn is_reserved(byte: u8) -> bool {
    is_general(byte) || matches!(byte, b'!' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*' | b'+' | b',' | b';' | b'=')
}

const fn is_general(byte: u8) -> bool {
    matches!(byte, b':' | b'/' | b'?' | b'#' | b'[' | b']' | b'@')
}

/// Writes a text so that all of it stands for itself in a URI, save what is to keep its meaning.
pub(crate) fn percent_encode(out: &mut String, text: &str, keeps: impl Fn(u8) -> bool) {
    for byte in text.bytes() {
        if is_unreserved(byte) || keeps(byte) {
            out.push(byte.into());
        } else {
            write!(out, "%{byte:02X}").expect("a string takes everything");
        }
    }
}

/// Decodes a text once. `None` when that gives no UTF-8, or when a percent sign encodes nothing.
pub(crate) fn percent_decode(text: &str) -> Option<String> {
    let mut pieces = text.split('%');
    let mut bytes = pieces.next()?.as_bytes().to_vec();
    for piece in pieces {
        let (digits, rest) = piece.split_at_checked(2)?;
        let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        bytes.push(u8::from_str_radix(digits, 16).ok().filter(|_| is_hex)?);
        bytes.extend_from_slice(rest.as_bytes());
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_are_no_uris_are_told_apart() {
        for uri in ["a:", "file:///a/b.txt", "x+y-1.z:%20%c3%A9", "a:[]@!$&'()*+,;=?#", "urn:isbn:0"] {
            assert_eq!(check(uri), Ok(()), "{uri}");
        }
        let scheme = "it does not begin with a scheme";
        let character = "it has a character that has to be percent-encoded";
        let percent = "it has a percent sign that encodes nothing";
        #[rustfmt::skip]
        let rows = [
            ("",            scheme),
            (":",           scheme),
            ("1:",          scheme),
            ("a/b:c",       scheme),
            ("../etc",      scheme),
            ("/etc/passwd", scheme),
            ("é:a",         scheme),
            ("a: b",        character),
            ("a:é",         character),
            ("a:\\b",       character),
            ("a:\u{7f}",    character),
            ("a:\n",        character),
            ("a:%",         percent),
            ("a:%2",        percent),
            ("a:%2x",       percent),
            ("a:%%20",      percent),
        ];
        for (uri, why) in rows {
            assert_eq!(check(uri), Err(why), "{uri}");
        }
    }

    #[test]
    fn a_long_uri_is_shown_in_part() {
        assert_eq!(shortened("a:b"), "a:b");
        assert_eq!(shortened(&"é".repeat(1000)), format!("{}…", "é".repeat(256)));
    }

    #[test]
    fn decoding_is_done_once() {
        #[rustfmt::skip]
        let rows = [
            ("",            Some("")),
            ("a%20b",       Some("a b")),
            ("%252F",       Some("%2F")),
            ("%c3%A9",      Some("é")),
            ("+",           Some("+")),
            ("%FF",         None),
            ("%",           None),
            ("%2",          None),
            ("%+1",         None),
            ("%2%30",       None),
        ];
        for (text, decoded) in rows {
            assert_eq!(percent_decode(text).as_deref(), decoded, "{text}");
        }
    }
}
