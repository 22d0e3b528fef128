//! Small objects as maps: `_meta`, with its few texts.

use std::borrow::Cow;

use serde_json::Value;

use super::lexer::{Lexer, NotJson};
use super::text::{LoneSurrogate, unescape};
use crate::Object;

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
        }
    }
}
