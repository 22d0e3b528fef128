//! Arguments that are texts on the wire.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

/// The members of an object as texts. `null` is no object, and a member that is `null` is none.
///
/// # Errors
///
/// What is wrong, when it is anything else.
pub(super) fn texts_of<A: Serialize + ?Sized>(arguments: &A) -> Result<Option<BTreeMap<String, String>>, Box<str>> {
    let arguments = match serde_json::to_value(arguments).map_err(|error| error.to_string())? {
        Value::Null => return Ok(None),
        Value::Object(arguments) => arguments,
        _ => return Err("they are JSON of another kind".into()),
    };
    let texts = arguments.into_iter().filter_map(|(name, value)| match value {
        Value::Null => None,
        Value::String(text) => Some((name, text)),
        other => Some((name, other.to_string())),
    });
    Ok(Some(texts.collect()))
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn members_become_texts() {
        #[rustfmt::skip]
        let rows = [
            (json!({}),                                   json!({})),
            (json!(null),                                 json!(null)),
            (json!({ "a": "x", "b": 7, "c": 1.5 }),       json!({ "a": "x", "b": "7", "c": "1.5" })),
            (json!({ "a": true, "b": null }),             json!({ "a": "true" })),
            (json!({ "a": [1, "x"], "b": { "c": null } }), json!({ "a": r#"[1,"x"]"#, "b": r#"{"c":null}"# })),
        ];
        for (arguments, expected) in rows {
            assert_eq!(json!(texts_of(&arguments).unwrap()), expected);
        }
        assert_eq!(texts_of(&()).unwrap(), None);
        for arguments in [json!([1]), json!("x"), json!(7)] {
            assert!(texts_of(&arguments).is_err());
        }
        assert!(texts_of(&BTreeMap::from([((1, 2), 3)])).is_err(), "keys that are no texts");
    }
}
