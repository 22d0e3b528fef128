//! Frames of the peer in a form in which ids keep the text that they were written with.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json, value::RawValue};

use crate::{golden, scenario::Era};

/// The normal form of a line from the peer; a string with the reason when it is no JSON.
///
/// It is [`golden::normal`], and besides:
/// - an id that is a number stands as `{"number": <its text>}`, so that `1.0` is not `1`, and no number is
///   too large;
/// - the content of a result that is marked as an error is its text's business: `"<why>"`;
/// - the list of tools is `"<tools>"` when there are any, without its pages and cache hints.
pub(super) fn exact(era: Era, line: &str) -> Value {
    if line.trim_start().starts_with('[') {
        return match serde_json::from_str::<Vec<&RawValue>>(line) {
            Ok(elements) => elements.iter().map(|element| exact(era, element.get())).collect(),
            Err(error) => not_json(&error),
        };
    }
    let mut members: BTreeMap<String, &RawValue> = match serde_json::from_str(line) {
        Ok(members) => members,
        Err(error) => return not_json(&error),
    };
    let id = members.remove("id").map(|id| exact_id(id.get()));
    let mut frame = Map::new();
    for (name, value) in members {
        match serde_json::from_str(value.get()) {
            Ok(value) => drop(frame.insert(name, value)),
            Err(error) => return not_json(&error),
        }
    }
    let mut frame = golden::normal(era, &Value::Object(frame));
    if let Some(result) = frame.get_mut("result").and_then(Value::as_object_mut) {
        normal_result(result);
    }
    if let Some(id) = id {
        frame["id"] = id;
    }
    frame
}

/// An id from its JSON, in the form of [`exact`].
pub(super) fn exact_id(raw: &str) -> Value {
    match raw.as_bytes().first() {
        Some(b'-' | b'0'..=b'9') => json!({"number": raw}),
        _ => serde_json::from_str(raw).unwrap_or_else(|error| not_json(&error)),
    }
}

fn normal_result(result: &mut Map<String, Value>) {
    if result.get("isError") == Some(&Value::Bool(true)) && has_text(result) {
        result.insert("content".to_owned(), WHY.into());
    }
    if result.get("tools").and_then(Value::as_array).is_some_and(|tools| !tools.is_empty()) {
        result.insert("tools".to_owned(), TOOLS.into());
        for hint in ["nextCursor", "ttlMs", "cacheScope"] {
            result.remove(hint);
        }
    }
}

fn has_text(result: &Map<String, Value>) -> bool {
    let first = result.get("content").and_then(|content| content.get(0));
    first.and_then(|block| block["text"].as_str()).is_some_and(|text| !text.is_empty())
}

fn not_json(error: &serde_json::Error) -> Value {
    format!("<not JSON: {error}>").into()
}

/// The content of a result that is an error.
pub(super) const WHY: &str = "<why>";
/// A list of tools.
pub(super) const TOOLS: &str = "<tools>";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_keep_their_text() {
        let with = |id: &str| exact(Era::Legacy, &format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#));
        assert_ne!(with("1.0"), with("1"));
        assert_ne!(with("1"), with(r#""1""#));
        assert_eq!(with("1e400")["id"], json!({"number": "1e400"}));
        assert_eq!(with(r#""\u0061""#), with(r#""a""#));
        assert_ne!(with("null"), exact(Era::Legacy, r#"{"jsonrpc":"2.0","result":{}}"#));
    }

    #[test]
    fn a_line_that_is_no_json_is_equal_to_nothing() {
        for line in ["", "x", "[1", r#"{"id":1"#] {
            assert!(exact(Era::Legacy, line).as_str().is_some_and(|text| text.starts_with("<not JSON")), "{line}");
        }
    }

    #[test]
    fn a_tool_error_without_a_text_does_not_look_like_one() {
        let line = r#"{"jsonrpc":"2.0","id":1,"result":{"content":[],"isError":true}}"#;
        assert_ne!(exact(Era::Legacy, line)["result"]["content"], WHY);
    }
}
