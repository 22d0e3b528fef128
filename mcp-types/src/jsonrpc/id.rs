use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use super::text::read_string;
use super::write::write_string;

/// The id of a request, as its sender wrote it.
///
/// JSON-RPC lets the two sides compare ids by value and type, so nothing is converted: `7`, `"7"` and
/// `7.0` are three ids, and each is echoed as it was sent.
///
/// `Display` quotes strings, so that `7` and `"7"` differ in a log.
///
/// ```
/// use mcp_types::jsonrpc::Id;
///
/// assert_eq!(Id::parse("7"), Some(Id::Int(7)));
/// assert_eq!(Id::parse(r#""7""#), Some(Id::from("7")));
/// assert_eq!(Id::parse("7.0").unwrap().to_string(), "7.0");
/// assert_eq!(Id::parse("null"), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Id {
    /// An integer.
    Int(i64),
    /// A string.
    Str(Box<str>),
    /// A JSON number that is not a plain 64-bit integer, as it was sent: `1.0`, `1e3`, 2⁷⁰.
    Raw(Box<str>),
}

impl Id {
    /// Reads an id from its raw JSON. `None` when that is neither a string nor a number.
    pub fn parse(raw: &str) -> Option<Self> {
        match raw.as_bytes().first()? {
            b'"' => read_string(raw).map(|text| Self::Str(text.into())),
            b'-' | b'0'..=b'9' => Some(match raw.parse() {
                // `-0` is a different text from `0`, and ids are echoed as sent.
                Ok(number) if raw != "-0" => Self::Int(number),
                _ => Self::Raw(raw.into()),
            }),
            _ => None,
        }
    }

    /// Appends the id as JSON: the value and the type that were sent.
    pub fn write_json(&self, out: &mut Vec<u8>) {
        match self {
            Self::Int(number) => {
                out.extend_from_slice(itoa::Buffer::new().format(*number).as_bytes());
            }
            Self::Str(text) => write_string(out, text),
            Self::Raw(raw) => out.extend_from_slice(raw.as_bytes()),
        }
    }

    /// The integer that this id means when types are not taken seriously.
    ///
    /// Some peers answer `7` with `"7"` or `7.0`. A session whose own ids are integers finds the call
    /// by this number. `"007"` and `"+7"` are not the text of an integer that we ever sent.
    pub fn matches_number(&self) -> Option<i64> {
        let text = match self {
            Self::Int(number) => return Some(*number),
            Self::Str(text) => text,
            Self::Raw(raw) => {
                let (whole, fraction) = raw.split_once('.')?;
                if !fraction.bytes().all(|digit| digit == b'0') {
                    return None;
                }
                whole
            }
        };
        let number = text.parse().ok()?;
        (itoa::Buffer::new().format::<i64>(number) == text).then_some(number)
    }
}

impl From<i64> for Id {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

impl From<&str> for Id {
    fn from(text: &str) -> Self {
        Self::Str(text.into())
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(number) => number.fmt(f),
            Self::Str(text) => write!(f, "{text:?}"),
            Self::Raw(raw) => f.write_str(raw),
        }
    }
}

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Int(number) => serializer.serialize_i64(*number),
            Self::Str(text) => serializer.serialize_str(text),
            Self::Raw(raw) => RawValue::from_string(raw.clone().into_string())
                .map_err(serde::ser::Error::custom)?
                .serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        Self::parse(raw.get()).ok_or_else(|| D::Error::custom("an id is a string or a number"))
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn ids_are_echoed_in_value_and_type() {
        let long = format!("\"{}\"", "x".repeat(200));
        #[rustfmt::skip]
        let rows = [
            "1", "0", "-3", "-0", "1.0", "1.5", "1e3", "1180591620717411303424",
            "9223372036854775807", "-9223372036854775808", "9223372036854775808",
            r#""1""#, r#""007""#, r#""""#, r#""a\"b\\""#, r#""é😀""#, long.as_str(),
        ];
        for raw in rows {
            let id = Id::parse(raw).unwrap();
            let mut out = Vec::new();
            id.write_json(&mut out);
            assert_eq!(String::from_utf8(out).unwrap(), raw);
            assert_eq!(serde_json::to_string(&id).unwrap(), raw);
            assert_eq!(serde_json::from_str::<Id>(raw).unwrap(), id);
        }
    }

    #[test]
    fn only_strings_and_numbers_are_ids() {
        for raw in ["null", "true", "{}", "[]", "", r#""\ud800""#] {
            assert_eq!(Id::parse(raw), None, "{raw}");
        }
    }

    #[test]
    fn a_number_is_recognised_in_other_clothes() {
        #[rustfmt::skip]
        let rows = [
            ("7", Some(7)), (r#""7""#, Some(7)), ("7.0", Some(7)), ("-7.00", Some(-7)), (r#""-7""#, Some(-7)),
            (r#""007""#, None), (r#""+7""#, None), ("7.5", None), (r#""7.0""#, None), ("7e0", None),
            (r#""""#, None), ("-0", None), ("-0.0", None), (r#""9223372036854775808""#, None),
        ];
        for (raw, number) in rows {
            assert_eq!(Id::parse(raw).unwrap().matches_number(), number, "{raw}");
        }
    }

    #[test]
    fn strings_are_quoted_in_logs() {
        assert_eq!(Id::from(7).to_string(), "7");
        assert_eq!(Id::from("7").to_string(), "\"7\"");
    }
}
