//! From the JSON of arguments to what a tool wants, and what to say when that fails.

use serde::de::DeserializeOwned;

/// How a call is answered whose arguments do not decode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum InvalidArguments {
    /// By an error result, from which a language model can learn what was wrong.
    #[default]
    ToolError,
    /// By the protocol error −32602.
    ProtocolError,
}

/// Decodes an object. What is wrong with it is said of `what` it is.
pub(super) fn decode<T: DeserializeOwned>(raw: &str, what: &str) -> Result<T, String> {
    serde_json::from_str(raw).or_else(|_| decode_leniently(raw, what))
}

/// Decodes once more, with numbers as JSON Schema understands them. Says what is wrong if that fails too.
#[cold]
fn decode_leniently<T: DeserializeOwned>(raw: &str, what: &str) -> Result<T, String> {
    let plain = with_plain_integers(raw);
    let mut decoder = serde_json::Deserializer::from_str(&plain);
    let error = match serde_path_to_error::deserialize(&mut decoder) {
        Ok(decoded) => return Ok(decoded),
        Err(error) => error,
    };
    // For a type without members, such as `()`, an empty object is what `null` is to its decoder.
    if raw.trim_start_matches('{').trim_start() == "}"
        && let Ok(nothing) = serde_json::from_str("null")
    {
        return Ok(nothing);
    }
    let path = error.path().to_string();
    let inner = error.inner().to_string();
    // The place is one in a text that nobody has seen.
    let why = inner.rsplit_once(" at line ").map_or(&*inner, |(why, _)| why);
    Err(if path == "." {
        format!("invalid {what}: {why}")
    } else {
        format!("invalid {} `{path}`: {why}", one_of(what))
    })
}

/// The word for one part of what is decoded.
fn one_of(what: &str) -> &str {
    what.strip_suffix('s').unwrap_or(what)
}

/// Writes each number without a fraction as a plain integer: `1.0` and `1e2` are integers for JSON Schema.
///
/// The text is JSON, so that a number ends where no character of a number follows.
fn with_plain_integers(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(next) = rest.chars().next() {
        let len = match next {
            '"' => string_len(rest),
            '-' | '0'..='9' => rest.find(|c: char| !is_of_number(c)).unwrap_or(rest.len()),
            _ => next.len_utf8(),
        };
        let (token, after) = rest.split_at(len);
        match plain_integer(token) {
            Some(integer) => out.push_str(&integer.to_string()),
            None => out.push_str(token),
        }
        rest = after;
    }
    out
}

const fn is_of_number(c: char) -> bool {
    matches!(c, '0'..='9' | '+' | '-' | '.' | 'e' | 'E')
}

/// How long the string is that a text begins with, quotes included.
fn string_len(text: &str) -> usize {
    let mut is_escaped = false;
    let end = text.char_indices().skip(1).find(|(_, c)| {
        let ends = *c == '"' && !is_escaped;
        is_escaped = *c == '\\' && !is_escaped;
        ends
    });
    end.map_or(text.len(), |(at, _)| at + 1)
}

/// The integer that a number is, when it is one and not written as one.
fn plain_integer(token: &str) -> Option<i64> {
    /// Up to here each whole number has one `f64`.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if token.starts_with('"') || !token.contains(['.', 'e', 'E']) {
        return None;
    }
    let number: f64 = token.parse().ok()?;
    #[expect(clippy::cast_possible_truncation, reason = "whole and small enough")]
    (number.fract() == 0.0 && number.abs() <= EXACT).then_some(number as i64)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use serde::Deserialize;
    use serde_json::value::RawValue;

    use super::*;

    #[test]
    fn whole_numbers_become_plain_integers_and_nothing_else_changes() {
        #[rustfmt::skip]
        let rows = [
            ("{}",                                  "{}"),
            (r#"{"a":1.0,"b":-2.000 , "c":[1e2]}"#, r#"{"a":1,"b":-2 , "c":[100]}"#),
            (r#"{"a":-0.0}"#,                       r#"{"a":0}"#),
            (r#"{"a":1.5,"b":7,"c":-3}"#,           r#"{"a":1.5,"b":7,"c":-3}"#),
            (r#"{"1.0":"1.0 \"2.0\\","é":3.0}"#,    r#"{"1.0":"1.0 \"2.0\\","é":3}"#),
            (r#"{"a":true,"b":null,"c":false}"#,    r#"{"a":true,"b":null,"c":false}"#),
            (r#"{"a":9007199254740993.0e3}"#,       r#"{"a":9007199254740993.0e3}"#),
            (r#"{"a":1e400}"#,                      r#"{"a":1e400}"#),
        ];
        for (raw, expected) in rows {
            assert_eq!(with_plain_integers(raw), expected);
        }
    }

    #[derive(Debug, Deserialize, PartialEq)]
    struct Numbers {
        a: i32,
        #[serde(default)]
        list: Vec<u8>,
        half: Option<f64>,
    }

    fn decode_arguments<T: DeserializeOwned>(raw: &str) -> Result<T, String> {
        decode(raw, "arguments")
    }

    #[test]
    fn an_empty_object_is_nothing() {
        assert_eq!(decode_arguments::<()>("{}"), Ok(()));
        assert_eq!(decode_arguments::<Option<Numbers>>("{ }"), Ok(None));
        assert!(decode_arguments::<()>(r#"{"a":1}"#).is_err());
    }

    #[test]
    fn integers_may_have_an_empty_fraction() {
        let decoded: Numbers = decode_arguments(r#"{"a":1.0,"list":[2,3.0],"half":4}"#).unwrap();
        assert_eq!(decoded, Numbers { a: 1, list: vec![2, 3], half: Some(4.0) });
    }

    #[test]
    fn errors_name_the_argument() {
        #[rustfmt::skip]
        let rows = [
            (r#"{"a":1.5}"#,             "invalid argument `a`: invalid type: floating point `1.5`, expected i32"),
            (r#"{"a":1,"list":[1,"x"]}"#, "invalid argument `list[1]`: invalid type: string \"x\", expected u8"),
            (r#"{"a":1,"list":[256]}"#,  "invalid argument `list[0]`: invalid value: integer `256`, expected u8"),
            ("{}",                       "invalid arguments: missing field `a`"),
        ];
        for (raw, expected) in rows {
            assert_eq!(decode_arguments::<Numbers>(raw).unwrap_err(), expected);
        }
    }

    #[test]
    fn raw_arguments_are_as_they_were_sent() {
        #[derive(Debug, Deserialize)]
        struct Raw {
            raw: Box<RawValue>,
        }
        assert_eq!(decode_arguments::<Raw>(r#"{"raw":[1.0]}"#).unwrap().raw.get(), "[1.0]");
    }
}
