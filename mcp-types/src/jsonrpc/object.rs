//! Small objects: `_meta`, with its few texts.

use std::borrow::Cow;

use serde_json::Value;

use super::lexer::{Lexer, NotJson};
use super::text::{LoneSurrogate, unescape};
use crate::Object;

/// The text of a small object that can be made a map of at any time.
#[derive(Clone, Debug)]
pub(crate) struct PlainObject(Box<str>);

impl PlainObject {
    /// Takes the object at the cursor, if it is one. Otherwise the cursor stays where it is.
    pub(super) fn take(lexer: &mut Lexer<'_>, depth: usize) -> Result<Option<Self>, NotJson> {
        if lexer.peek() != Some(b'{') {
            return Ok(None);
        }
        let start = lexer.position();
        let text = lexer.raw_value(depth)?;
        if is_plain(text) && !lexer.too_deep() {
            return Ok(Some(Self(text.into())));
        }
        lexer.back_to(start);
        Ok(None)
    }

    pub(crate) fn to_object(&self) -> Object {
        let read = read_object(&mut Lexer::new(&self.0, DEEPEST), 1);
        read.unwrap_or_else(|_| serde_json::from_str(&self.0).expect("it was found to be JSON that fits into a map"))
    }
}

/// Whether JSON fits into a map: an escape may be half of a surrogate pair, and a number may be too large, which takes
/// an exponent or more digits than there is room for.
fn is_plain(text: &str) -> bool {
    /// The largest number that fits has 309 digits.
    const LONGEST: usize = 308;
    let bytes = text.as_bytes();
    // No branch, so that it is done on many bytes at once. Some text may look like an exponent, which does no harm.
    let has_exponent = || {
        let pairs = bytes.iter().zip(bytes.iter().skip(1));
        pairs.fold(false, |any, (digit, letter)| any | (digit.is_ascii_digit() & (*letter | 0x20 == b'e')))
    };
    bytes.len() <= LONGEST && memchr::memchr(b'\\', bytes).is_none() && !has_exponent()
}

/// Reads the object at the cursor; `depth` counts the containers around its members, itself included.
///
/// Objects and texts are read in place, anything else is left to the general reader, which takes twice as many
/// instructions for what a server says of itself.
pub(super) fn read_object(lexer: &mut Lexer<'_>, depth: usize) -> Result<Object, NotJson> {
    if depth > DEEPEST {
        return Err(NotJson);
    }
    let mut object = Object::new();
    lexer.members(|lexer, name| {
        let name = text_of(std::str::from_utf8(name).map_err(|_| NotJson)?)?.into_owned();
        let value = match lexer.peek() {
            Some(b'{') => Value::Object(read_object(lexer, depth + 1)?),
            Some(b'"') => {
                let raw = lexer.raw_value(depth)?;
                let inner = raw.get(1..raw.len() - 1).ok_or(NotJson)?;
                Value::String(text_of(inner)?.into_owned())
            }
            _ => serde_json::from_str(lexer.raw_value(depth)?).map_err(|_| NotJson)?,
        };
        // As the general reader does: of two with one name the last counts.
        object.insert(name, value);
        Ok(())
    })?;
    Ok(object)
}

/// What stands between quotes, and was found to be a JSON string.
fn text_of(inner: &str) -> Result<Cow<'_, str>, NotJson> {
    match memchr::memchr(b'\\', inner.as_bytes()) {
        None => Ok(Cow::Borrowed(inner)),
        Some(_) => unescape(inner, LoneSurrogate::Refuse).map(Cow::Owned).ok_or(NotJson),
    }
}

/// What is deeper is left to the general reader, which has a limit of its own.
const DEEPEST: usize = 16;

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn read(text: &str) -> Option<Object> {
        let mut lexer = Lexer::new(text, 127);
        let object = read_object(&mut lexer, 1).ok()?;
        lexer.end().ok()?;
        Some(object)
    }

    #[test]
    fn objects_are_read_as_the_general_reader_reads_them() {
        let deep = format!("{}1{}", r#"{"a":"#.repeat(DEEPEST), "}".repeat(DEEPEST));
        let texts = [
            "{}",
            "{ }",
            r#"{"io.modelcontextprotocol/serverInfo":{"name":"a","version":"1"}}"#,
            r#"{ "a" : "\u00e9\n" , "\u0062\"" : [ 1.0 , {"x":[]} ] , "c" : null, "d":-0 }"#,
            r#"{"a":1,"b":2,"a":{"c":true}}"#,
            r#"{"a":12345678901234567890,"b":0.1}"#,
            r#"{"a":"\ud800"}"#,
            r#"{"\ud800":1}"#,
            r#"{"a":1e400}"#,
            r#"{"a":01}"#,
            r#"{"a":"b}"#,
            r#"{"a"}"#,
            r#"{"a":1,}"#,
            r#"{"a":{"b":1}"#,
            &deep,
        ];
        for text in texts {
            assert_eq!(read(text), serde_json::from_str(text).ok(), "{text}");
        }
        assert_eq!(read(&format!(r#"{{"a":{deep}}}"#)), None);
    }

    #[test]
    fn what_may_not_fit_into_a_map_is_not_plain() {
        fn take(text: &str) -> Option<PlainObject> {
            PlainObject::take(&mut Lexer::new(text, 127), 1).unwrap()
        }
        for text in [r#"{"a":1e400}"#, r#"{"a":1E9}"#, r#"{"a":"\ud800"}"#, "[]", "7"] {
            assert!(take(text).is_none(), "{text}");
        }
        let number = |digits| format!(r#"{{"a":{}}}"#, "9".repeat(digits));
        assert!(take(&number(303)).is_none());
        assert!(take(&number(302)).unwrap().to_object().get("a").is_some_and(Value::is_number));
        let deep = |depth| format!("{}1{}", r#"{"a":"#.repeat(depth), "}".repeat(depth));
        assert!(
            take(&deep(30)).unwrap().to_object().get("a").is_some_and(Value::is_object),
            "deeper than is read here"
        );
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<f64>().prop_map(|it| json!(it)),
            any::<i64>().prop_map(|it| json!(it)),
            ".*".prop_map(Value::from)
        ];
        leaf.prop_recursive(3, 16, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
                prop::collection::vec((".{0,4}", inner), 0..4)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn both_readers_agree(value in value()) {
            let text = json!({ "k": value }).to_string();
            prop_assert_eq!(read(&text), Some(serde_json::from_str(&text).unwrap()));
            let plain = PlainObject::take(&mut Lexer::new(&text, 127), 1).unwrap();
            if let Some(plain) = plain {
                prop_assert_eq!(plain.to_object(), serde_json::from_str::<Object>(&text).unwrap());
            }
        }
    }
}
