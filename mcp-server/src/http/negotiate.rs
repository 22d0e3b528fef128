//! What a client can read, and what it has written.

use http::header::{ACCEPT, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap};

/// The kinds of answer that a client accepts.
///
/// Spec: [Sending messages](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#sending-messages)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acceptable {
    json: bool,
    events: bool,
}

impl Acceptable {
    /// Reads the `Accept` lines of a request, as RFC 9110 has it: wildcards, weights and parameters in any order, and
    /// the most specific range wins. Without any readable range, everything is accepted.
    ///
    /// ```
    /// use http::{HeaderMap, HeaderValue, header::ACCEPT};
    /// use mcp_server::http::Acceptable;
    ///
    /// let mut headers = HeaderMap::new();
    /// headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream;q=0, */*;q=0.5"));
    /// let acceptable = Acceptable::of(&headers);
    /// assert!(acceptable.json());
    /// assert!(!acceptable.events());
    /// ```
    #[must_use]
    pub fn of(headers: &HeaderMap) -> Self {
        let mut lines = headers.get_all(ACCEPT).iter();
        let first = lines.next();
        if lines.next().is_none() && first.is_none_or(|line| line == USUAL) {
            return Self { json: true, events: true };
        }
        let mut json = Best::default();
        let mut events = Best::default();
        for line in headers.get_all(ACCEPT) {
            for range in split(line.as_bytes(), b',').filter_map(Range::parse) {
                json.consider(range, b"application", b"json");
                events.consider(range, b"text", b"event-stream");
            }
        }
        match (json, events) {
            (Best { specificity: 0, .. }, Best { specificity: 0, .. }) if !has_range(headers) => {
                Self { json: true, events: true }
            }
            _ => Self { json: json.wanted, events: events.wanted },
        }
    }

    /// The same for a server that answers by JSON wherever it can.
    pub(crate) const fn preferring_json(self) -> Self {
        if self.json { Self { json: true, events: false } } else { self }
    }

    /// Whether one JSON object may be the answer.
    #[must_use]
    pub const fn json(self) -> bool {
        self.json
    }

    /// Whether a stream of events may be the answer.
    #[must_use]
    pub const fn events(self) -> bool {
        self.events
    }
}

/// Whether any line holds a range that can be read.
fn has_range(headers: &HeaderMap) -> bool {
    headers
        .get_all(ACCEPT)
        .iter()
        .any(|line| split(line.as_bytes(), b',').any(|element| Range::parse(element).is_some()))
}

/// What the ranges so far say of one media type.
#[derive(Clone, Copy, Default)]
struct Best {
    /// Of the range that decides; 0 when none matched.
    specificity: u8,
    wanted: bool,
}

impl Best {
    fn consider(&mut self, range: Range<'_>, kind: &[u8], subtype: &[u8]) {
        let specificity = match range {
            Range { kind: b"*", .. } => 1,
            Range { kind: of, subtype: b"*", .. } if of.eq_ignore_ascii_case(kind) => 2,
            Range { kind: of, subtype: sub, .. }
                if of.eq_ignore_ascii_case(kind) && sub.eq_ignore_ascii_case(subtype) =>
            {
                3
            }
            _ => return,
        };
        if specificity > self.specificity {
            *self = Self { specificity, wanted: range.wanted };
        } else if specificity == self.specificity {
            self.wanted |= range.wanted;
        }
    }
}

/// One element of an `Accept` line.
#[derive(Clone, Copy)]
struct Range<'a> {
    kind: &'a [u8],
    subtype: &'a [u8],
    /// Its weight is not zero.
    wanted: bool,
}

impl<'a> Range<'a> {
    /// `None` for what is no range: such an element is passed over.
    fn parse(element: &'a [u8]) -> Option<Self> {
        let mut parts = split(element, b';');
        let range = parts.next()?;
        let (kind, subtype) = match range.iter().position(|byte| *byte == b'/') {
            Some(slash) => (&range[..slash], &range[slash + 1..]),
            // A lone star is how some libraries write that they take anything.
            None if range == b"*" => (range, range),
            None => return None,
        };
        if !is_token(kind) || !is_token(subtype) || (kind == b"*" && subtype != b"*") {
            return None;
        }
        let mut wanted = true;
        for part in parts {
            let (name, value) = parameter(part);
            if name.eq_ignore_ascii_case(b"q") {
                wanted = is_positive(value)?;
            }
        }
        Some(Self { kind, subtype, wanted })
    }
}

/// Whether the request says that its body is JSON that can be read as it is.
pub(crate) fn is_json(headers: &HeaderMap) -> bool {
    let mut types = headers.get_all(CONTENT_TYPE).iter();
    let (Some(value), None) = (types.next(), types.next()) else { return false };
    value == JSON || names_json(value.as_bytes())
}

fn names_json(value: &[u8]) -> bool {
    let mut parts = split(value, b';');
    let is_json = parts.next().is_some_and(|media_type| media_type.eq_ignore_ascii_case(JSON.as_bytes()));
    is_json
        && parts.all(|part| {
            let (name, value) = parameter(part);
            !name.eq_ignore_ascii_case(b"charset")
                || unquoted(value).eq_ignore_ascii_case(b"utf-8")
                || unquoted(value).eq_ignore_ascii_case(b"utf8")
        })
}

/// Whether the body is packed in a way that we do not unpack.
pub(crate) fn is_encoded(headers: &HeaderMap) -> bool {
    let packed = |coding: &[u8]| !coding.is_empty() && !coding.eq_ignore_ascii_case(b"identity");
    headers.get_all(CONTENT_ENCODING).iter().any(|line| split(line.as_bytes(), b',').any(packed))
}

/// Cuts at a separator, except inside quoted strings, and trims the pieces.
fn split(text: &[u8], separator: u8) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let end = separator_at(text, separator);
        rest = end.map(|end| &text[end + 1..]);
        Some(trimmed(&text[..end.unwrap_or(text.len())]))
    })
}

fn separator_at(text: &[u8], separator: u8) -> Option<usize> {
    let mut quoted = false;
    let mut escaped = false;
    for (at, byte) in text.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            byte if *byte == separator && !quoted => return Some(at),
            _ => {}
        }
    }
    None
}

/// Without the spaces and tabs around it.
fn trimmed(text: &[u8]) -> &[u8] {
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\t');
    let Some(start) = text.iter().position(|byte| !is_space(byte)) else { return &[] };
    let end = text.iter().rposition(|byte| !is_space(byte)).map_or(start, |last| last + 1);
    &text[start..end]
}

fn parameter(part: &[u8]) -> (&[u8], &[u8]) {
    match part.iter().position(|byte| *byte == b'=') {
        Some(at) => (trimmed(&part[..at]), trimmed(&part[at + 1..])),
        None => (part, &[]),
    }
}

fn unquoted(value: &[u8]) -> &[u8] {
    value.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")).unwrap_or(value)
}

/// Whether a weight is above zero. `None` when it is no number.
fn is_positive(weight: &[u8]) -> Option<bool> {
    let dots = weight.iter().filter(|byte| **byte == b'.').count();
    let digits = weight.iter().filter(|byte| byte.is_ascii_digit()).count();
    let is_number = digits > 0 && dots <= 1 && digits + dots == weight.len();
    is_number.then(|| weight.iter().any(|byte| matches!(byte, b'1'..=b'9')))
}

fn is_token(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte))
}

/// What clients send that do as the spec says.
const USUAL: &str = "application/json, text/event-stream";
const JSON: &str = "application/json";

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use http::{HeaderName, HeaderValue};
    use proptest::prelude::*;

    fn with(name: HeaderName, lines: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(&name, HeaderValue::from_bytes(line.as_bytes()).unwrap());
        }
        headers
    }

    #[test]
    fn accept_is_read_as_its_grammar_has_it() {
        #[rustfmt::skip]
        let rows: [(&[&str], bool, bool); 34] = [
            (&[],                                                   true,  true),
            (&[""],                                                 true,  true),
            (&["application/json, text/event-stream"],              true,  true),
            (&["text/event-stream,application/json"],               true,  true),
            (&["application/json", "text/event-stream"],            true,  true),
            (&["APPLICATION/JSON , Text/Event-Stream"],             true,  true),
            (&["*/*"],                                              true,  true),
            (&["*"],                                                true,  true),
            (&["text/html, *; q=.2, */*; q=.2"],                    true,  true),
            (&["application/*, text/*"],                            true,  true),
            (&["application/*"],                                    true,  false),
            (&["text/*;q=0.1"],                                     false, true),
            (&["application/json"],                                 true,  false),
            (&["text/event-stream"],                                false, true),
            (&["application/json;q=0.5, text/event-stream;q=0.9"],  true,  true),
            (&["application/json;q=0"],                             false, false),
            (&["application/json;q=0.000, */*"],                    false, true),
            (&["*/*, application/json;q=0"],                        false, true),
            (&["*/*;q=0, application/json"],                        true,  false),
            (&["text/*;q=0, text/event-stream"],                    false, true),
            (&["*/*;q=0"],                                          false, false),
            (&["application/json;charset=utf-8;q=1"],               true,  false),
            (&["application/json ; Q = 0 , text/event-stream\t"],   false, true),
            (&["application/json;x=\"a,b;q=0\", text/event-stream"], true, true),
            (&["application/json;x=\"\\\",\";q=0"],                 false, false),
            (&["application/json, application/json;q=0"],           true,  false),
            (&["text/html"],                                        false, false),
            (&["text/html", "application/xml;q=0.9"],               false, false),
            (&["application/jsonl, text/event-streams"],            false, false),
            (&["application/json;q=high, text/event-stream"],       false, true),
            (&["garbage"],                                          true,  true),
            (&["garbage, application/json"],                        true,  false),
            (&["*/json"],                                           true,  true),
            (&[",,application/json,,"],                             true,  false),
        ];
        for (lines, json, events) in rows {
            assert_eq!(Acceptable::of(&with(ACCEPT, lines)), Acceptable { json, events }, "{lines:?}");
        }
    }

    #[test]
    fn bodies_are_json_when_they_say_so() {
        #[rustfmt::skip]
        let rows: [(&[&str], bool); 16] = [
            (&["application/json"], true),                      (&["Application/JSON"], true),
            (&["application/json; charset=utf-8"], true),       (&["application/json;CharSet=\"UTF-8\""], true),
            (&[" application/json ;x=y"], true),                (&["application/json;charset=utf8"], true),
            (&["application/json;"], true),
            (&["application/json; charset=latin1"], false),     (&["application/jsonp"], false),
            (&["text/plain"], false),                           (&["text/plain; x=application/json"], false),
            (&["application/json, text/plain"], false),         (&["application/json", "application/json"], false),
            (&[""], false),                                     (&[], false),
            (&["application/vnd.api+json"], false),
        ];
        for (lines, expected) in rows {
            assert_eq!(is_json(&with(CONTENT_TYPE, lines)), expected, "{lines:?}");
        }
    }

    #[test]
    fn packed_bodies_are_told() {
        #[rustfmt::skip]
        let rows: [(&[&str], bool); 6] = [
            (&[], false), (&["identity"], false), (&["IDENTITY , identity"], false),
            (&["gzip"], true), (&["identity, br"], true), (&["identity", "zstd"], true),
        ];
        for (lines, expected) in rows {
            assert_eq!(is_encoded(&with(CONTENT_ENCODING, lines)), expected, "{lines:?}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_can_be_read(lines in prop::collection::vec("[ -~\\t\u{80}-\u{ff}]{0,40}|([*/;,q=\"\\\\ 01.]|json|text){0,30}", 0..4)) {
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            let acceptable = Acceptable::of(&with(ACCEPT, &lines));
            let accepts_all = lines.iter().all(|line| line.is_empty());
            prop_assert!(!accepts_all || (acceptable.json() && acceptable.events()));
            let is_json = is_json(&with(CONTENT_TYPE, &lines));
            prop_assert!(!is_json || lines.len() == 1);
        }

        /// A weight of zero is the only way to refuse by the most specific range.
        #[test]
        fn the_most_specific_range_decides(
            weights in prop::collection::vec(prop_oneof![Just("0"), Just("0.0"), Just("0.001"), Just("1")], 3),
            order in Just(["application/json", "application/*", "*/*"]).prop_shuffle(),
        ) {
            let line: Vec<_> = order.iter().zip(&weights).map(|(range, weight)| format!("{range};q={weight}")).collect();
            let weight_of = |range: &str| weights[order.iter().position(|of| *of == range).unwrap()];
            let acceptable = Acceptable::of(&with(ACCEPT, &[&line.join(", ")]));
            prop_assert_eq!(acceptable.json(), !weight_of("application/json").starts_with('0') || weight_of("application/json").ends_with('1'));
            prop_assert_eq!(acceptable.events(), weight_of("*/*").ends_with('1'));
        }
    }
}
