//! Results of tools as most of them are, texts and nothing odd, read in one pass.

use std::borrow::Cow;

use super::lexer::{Lexer, NotJson};
use super::names::{BlockMember, ResultMember};
use super::object::{PlainObject, read_object};
use super::text::read_string;
use crate::content::Content;
use crate::meta_object::MetaObject;
use crate::result::ResultType;
use crate::{CallToolResult, RawJson};

/// Reads a result that has nothing out of the ordinary. `None` leaves it to the general reader, which also says what
/// is wrong with one that is no result.
///
/// The general reader takes each block as it comes, looks for its type, and reads it again: 7 600 instructions for one
/// text of a hundred bytes, where this takes 1 900.
pub(crate) fn read_plain_result(text: &str) -> Option<CallToolResult> {
    let mut lexer = Lexer::new(text, DEPTH);
    if lexer.peek() != Some(b'{') {
        return None;
    }
    let mut result = CallToolResult::new(Vec::new());
    result.result_type = None;
    let mut has_content = false;
    let read = lexer.object(1, ResultMember::find, |lexer, name| match name {
        Some(ResultMember::Content) if !has_content => {
            has_content = true;
            read_blocks(lexer, &mut result.content)
        }
        Some(ResultMember::ResultType) if lexer.raw_value(1)? == "\"complete\"" => {
            result.result_type = Some(ResultType::Complete);
            Ok(())
        }
        Some(ResultMember::IsError) => {
            result.is_error = Some(match lexer.raw_value(1)? {
                "true" => true,
                "false" => false,
                _ => return Err(NotJson),
            });
            Ok(())
        }
        Some(ResultMember::StructuredContent) => {
            result.structured_content = Some(RawJson::parse(lexer.raw_value(1)?).map_err(|_| NotJson)?);
            Ok(())
        }
        Some(ResultMember::Meta) => {
            result.meta = read_meta(lexer)?;
            Ok(())
        }
        _ => Err(NotJson),
    });
    read.ok()?;
    lexer.end().ok()?;
    Some(result)
}

fn read_meta(lexer: &mut Lexer<'_>) -> Result<Option<MetaObject>, NotJson> {
    match PlainObject::take(lexer, 1)? {
        Some(plain) => Ok(Some(MetaObject::from_text(plain))),
        None if lexer.peek() == Some(b'{') => read_object(lexer, 2).map(|object| Some(object.into())),
        None => serde_json::from_str(lexer.raw_value(1)?).map_err(|_| NotJson),
    }
}

fn read_blocks(lexer: &mut Lexer<'_>, blocks: &mut Vec<Content>) -> Result<(), NotJson> {
    if lexer.peek() != Some(b'[') {
        return Err(NotJson);
    }
    // Most results have one block. A vector that grows by itself would make room for four, which are large: 350
    // instructions instead of 70.
    *blocks = Vec::with_capacity(1);
    lexer.array(|lexer| {
        let start = lexer.position();
        match read_text(lexer)? {
            Some(text) => blocks.push(Content::text(text)),
            None => {
                let block = lexer.since(start);
                blocks.push(serde_json::from_str(block).map_err(|_| NotJson)?);
            }
        }
        Ok(())
    })
}

/// The text of a block that has nothing else. Any other value is passed over.
fn read_text<'a>(lexer: &mut Lexer<'a>) -> Result<Option<Cow<'a, str>>, NotJson> {
    if lexer.peek() != Some(b'{') {
        return lexer.value(2).map(|()| None);
    }
    let start = lexer.position();
    if lexer.eat_text(USUAL_BLOCK) {
        let raw = lexer.raw_value(3)?;
        if lexer.eat(b'}') && raw.starts_with('"') {
            return Ok(text_of(raw, lexer));
        }
        lexer.back_to(start);
    }
    let (mut kind, mut text, mut has_more) = (None, None, false);
    lexer.object(3, BlockMember::find, |lexer, name| {
        let value = lexer.raw_value(3)?;
        match name {
            Some(BlockMember::Type) => has_more |= kind.replace(value).is_some(),
            Some(BlockMember::Text) => has_more |= text.replace(value).is_some(),
            None => has_more = true,
        }
        Ok(())
    })?;
    let Some(raw) = text.filter(|_| !has_more && kind == Some("\"text\"")) else { return Ok(None) };
    Ok(text_of(raw, lexer))
}

/// What a raw value says, if it is a string.
fn text_of<'a>(raw: &'a str, lexer: &Lexer<'a>) -> Option<Cow<'a, str>> {
    // The lexer has just looked at each of its bytes.
    let plain = raw.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).filter(|_| !lexer.saw_escape());
    plain.map(Cow::Borrowed).or_else(|| read_string(raw))
}

/// How a block of text begins as nearly everybody writes it. To know it at sight saves 150 instructions of 530.
const USUAL_BLOCK: &str = r#"{"type":"text","text":"#;

/// As deep as the general reader goes.
const DEPTH: usize = 127;

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn general(text: &str) -> Option<CallToolResult> {
        serde_json::from_str(text).ok()
    }

    #[test]
    fn plain_results_are_read_as_the_general_reader_reads_them() {
        let plain = [
            r#"{"content":[]}"#,
            r#"{"content":[{"type":"text","text":"a"}]}"#,
            r#" { "content" : [ { "text" : "\u00e9\n" , "type" : "text" } ] , "isError" : false } "#.trim(),
            r#"{"content":[{"type":"text","text":"a"},{"type":"hologram","x":1},7.5e3]}"#,
            r#"{"content":[{"type":"text","text":7}],"isError":true}"#,
            r#"{"content":[{"type":"text","text":"a" }]}"#,
            r#"{"content":[{"type":"text","text":"a\ud83d\ude00"},{"type":"text","text":"b","x":1}]}"#,
            r#"{"content":[],"_meta":{"a":"\n"}}"#,
            r#"{"content":[],"_meta":{"a":1e5,"b":[1]}}"#,
            r#"{"content":[{"type":"text","text":"a","annotations":{"priority":1.0}}]}"#,
            r#"{"content":[{"type":"text","type":"image","text":"a"}]}"#,
            r#"{"structuredContent":null,"resultType":"complete","_meta":{"a":{"b":[]}},"content":[]}"#,
            r#"{"structuredContent":{"a": 1.0},"_meta":null}"#,
            "{}",
        ];
        for text in plain {
            if let Some(read) = read_plain_result(text) {
                assert_eq!(Some(read), general(text), "{text}");
            }
        }
        let read = plain.iter().filter(|text| read_plain_result(text).is_some()).count();
        assert_eq!(read, plain.len() - 1, "all but the one with a number among its blocks");
    }

    #[test]
    fn what_is_odd_is_left_to_the_general_reader() {
        let odd = [
            "[]",
            "",
            "{",
            r#"{"content":{}}"#,
            r#"{"content":[],"content":[]}"#,
            r#"{"content":[],"x":1}"#,
            r#"{"content":[]} x"#,
            r#"{"isError":"no"}"#,
            r#"{"isError":null}"#,
            r#"{"resultType":"task"}"#,
            r#"{"_meta":7}"#,
            r#"{"_meta":{"a":1e400}}"#,
            r#"{"_meta":{"a":"\ud800"}}"#,
            r#"{"content":[{"type":"text","text":"a"]}"#,
            r#"{"content":[{"type":"text","text":"a}]}"#,
        ];
        for text in odd {
            assert!(read_plain_result(text).is_none(), "{text}");
        }
    }

    fn block() -> impl Strategy<Value = Value> {
        prop_oneof![
            ".*".prop_map(|text| json!({ "type": "text", "text": text })),
            ("[a-z]{0,4}", any::<i32>()).prop_map(|(kind, x)| json!({ "type": kind, "text": x, "x": [{}] })),
        ]
    }

    proptest! {
        #[test]
        fn both_readers_agree(blocks in prop::collection::vec(block(), 0..4), failed in any::<Option<bool>>()) {
            let mut result = json!({ "content": blocks, "_meta": { "k": 1 } });
            if let Some(failed) = failed {
                result["isError"] = failed.into();
            }
            let text = result.to_string();
            prop_assert_eq!(read_plain_result(&text), Some(general(&text).unwrap()));
        }
    }
}
