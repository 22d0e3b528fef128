//! Comparing a frame with the one answer it must be.
//!
//! Frames are compared as JSON values, exactly, after [`normal`] took away what a revision leaves
//! to the implementation. A golden answer never has an alternative.

use serde_json::{Map, Value, json};

use crate::scenario::Era;

/// The normal form of a frame from the peer.
///
/// What it takes away, and nothing else:
/// - the text and `data` of an error (the code is what the specification fixes; a missing or
///   empty text stays visible as `"message": "<missing>"`);
/// - in a result: `isError: false` (the default), `structuredContent` beside `content`,
///   `_meta["io.modelcontextprotocol/serverInfo"]`, and a `_meta` which is empty then;
/// - in a modern result: `resultType: "complete"`. Its absence stays visible as
///   `"resultType": "<missing>"`, and so does its presence in a legacy one.
pub fn normal(era: Era, frame: &Value) -> Value {
    let mut frame = frame.clone();
    if let Some(batch) = frame.as_array() {
        return Value::Array(batch.iter().map(|one| normal(era, one)).collect());
    }
    if let Some(error) = frame.get_mut("error").and_then(Value::as_object_mut) {
        normal_error(error);
    }
    if let Some(result) = frame.get_mut("result").and_then(Value::as_object_mut) {
        normal_result(era, result);
    }
    frame
}

/// The answer of a tool that returns one text.
pub fn text_answer(id: impl Into<Value>, text: &str) -> Value {
    let id: Value = id.into();
    json!({"jsonrpc": "2.0", "id": id, "result": {"content": [{"type": "text", "text": text}]}})
}

/// An answer without members of its own, as `ping` has it.
pub fn empty_answer(id: impl Into<Value>) -> Value {
    let id: Value = id.into();
    json!({"jsonrpc": "2.0", "id": id, "result": {}})
}

/// An error answer in its normal form.
pub fn error_answer(id: impl Into<Value>, code: i64) -> Value {
    let id: Value = id.into();
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code}})
}

/// An error answer to something whose id could not be read: with `id: null`, or without the member.
pub fn error_answer_without_id(unreadable: UnreadableId, code: i64) -> Value {
    match unreadable {
        UnreadableId::Null => error_answer(Value::Null, code),
        UnreadableId::Absent => json!({"jsonrpc": "2.0", "error": {"code": code}}),
    }
}

/// How an answer to something unreadable names no id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnreadableId {
    /// `"id": null`: revisions before 2025-11-25, and before anything was negotiated or seen.
    Null,
    /// No `id` member: from 2025-11-25 on.
    Absent,
}

/// The text of a tool's answer, when it is a result whose content is exactly one text block and
/// which is not marked as an error.
pub fn tool_text(frame: &Value) -> Option<&str> {
    let result = frame.get("result")?;
    if result.get("isError").is_some_and(|flag| flag != &Value::Bool(false)) {
        return None;
    }
    match result.get("content")?.as_array()?.as_slice() {
        [block] if block["type"] == "text" => block["text"].as_str(),
        _ => None,
    }
}

/// Whether a frame ends the request with this id: a response that carries it.
pub fn is_answer_to(frame: &Value, id: &Value) -> bool {
    frame.get("method").is_none()
        && (frame.get("result").is_some() || frame.get("error").is_some())
        && frame.get("id") == Some(id)
}

/// Whether a frame is a progress note for this token.
pub fn is_progress_of(frame: &Value, token: &Value) -> bool {
    frame["method"] == "notifications/progress" && &frame["params"]["progressToken"] == token
}

fn normal_error(error: &mut Map<String, Value>) {
    let has_text = error.get("message").and_then(Value::as_str).is_some_and(|text| !text.is_empty());
    error.remove("data");
    error.remove("message");
    if !has_text {
        error.insert("message".to_owned(), MISSING.into());
    }
}

fn normal_result(era: Era, result: &mut Map<String, Value>) {
    if result.get("isError") == Some(&Value::Bool(false)) {
        result.remove("isError");
    }
    if result.contains_key("content") {
        result.remove("structuredContent");
    }
    if let Some(meta) = result.get_mut("_meta").and_then(Value::as_object_mut) {
        meta.remove("io.modelcontextprotocol/serverInfo");
        if meta.is_empty() {
            result.remove("_meta");
        }
    }
    if era == Era::Modern {
        match result.get("resultType").and_then(Value::as_str) {
            Some("complete") => drop(result.remove("resultType")),
            Some(_) => {}
            None => drop(result.insert("resultType".to_owned(), MISSING.into())),
        }
    }
}

const MISSING: &str = "<missing>";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_modern_result_without_its_type_does_not_look_complete() {
        let bare = text_answer(1, "x");
        assert_ne!(normal(Era::Modern, &bare), text_answer(1, "x"));
        assert_eq!(normal(Era::Legacy, &bare), text_answer(1, "x"));

        let mut complete = bare;
        complete["result"]["resultType"] = "complete".into();
        complete["result"]["_meta"] = json!({"io.modelcontextprotocol/serverInfo": {"name": "s"}});
        assert_eq!(normal(Era::Modern, &complete), text_answer(1, "x"));
        assert_ne!(normal(Era::Legacy, &complete), text_answer(1, "x"));
    }

    #[test]
    fn an_error_is_its_code_and_needs_a_text() {
        let full = json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": "no", "data": 1}});
        assert_eq!(normal(Era::Legacy, &full), error_answer(1, -32602));
        let mute = json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32602}});
        assert_ne!(normal(Era::Legacy, &mute), error_answer(1, -32602));
    }

    #[test]
    fn ids_differ_by_type_and_absence_differs_from_null() {
        assert_ne!(text_answer(1, "x"), text_answer("1", "x"));
        assert_ne!(
            error_answer_without_id(UnreadableId::Null, -32700),
            error_answer_without_id(UnreadableId::Absent, -32700)
        );
    }

    #[test]
    fn an_error_result_has_no_text() {
        let mut frame = text_answer(1, "x");
        assert_eq!(tool_text(&frame), Some("x"));
        frame["result"]["isError"] = true.into();
        assert_eq!(tool_text(&frame), None);
    }
}
