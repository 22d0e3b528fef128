//! Content, and what `null` is where.

use mcp_types::content::{
    Annotations, AudioContent, EmbeddedResource, ImageContent, ResourceContents, ResourceLink, Role, TextContent,
    ToolResultContent, ToolUseContent,
};
use mcp_types::{CallToolResult, Content, Icon, RawJson, Tool};
use serde_json::{Value, json};

use crate::{is, object, same};

#[test]
fn structured_content_may_be_null() {
    let null: CallToolResult = serde_json::from_str(r#"{"content":[],"structuredContent":null}"#).unwrap();
    assert_eq!(null.structured_content, Some(RawJson::from(Value::Null)));
    assert_eq!(serde_json::to_string(&null).unwrap(), r#"{"content":[],"structuredContent":null}"#);
    let absent: CallToolResult = serde_json::from_str(r#"{"content":[]}"#).unwrap();
    assert_eq!(absent.structured_content, None);
    assert_eq!(serde_json::to_string(&absent).unwrap(), r#"{"content":[]}"#);
}

#[test]
fn null_is_read_as_absent() {
    let tool: Tool =
        serde_json::from_str(r#"{"name":"t","title":null,"inputSchema":{},"annotations":null,"_meta":null}"#).unwrap();
    assert_eq!(tool, Tool::new("t", json!({})));
    let result: CallToolResult = serde_json::from_str(r#"{"content":[],"isError":null,"resultType":null}"#).unwrap();
    assert_eq!(serde_json::to_string(&result).unwrap(), r#"{"content":[]}"#);
}

#[test]
fn content() {
    let annotations = Annotations::new()
        .with_audience(vec![Role::User, Role::Assistant, Role::Other("robot".into())])
        .with_priority(0.5)
        .with_last_modified("2026-01-01T00:00:00Z");
    let shown =
        json!({"audience": ["user", "assistant", "robot"], "priority": 0.5, "lastModified": "2026-01-01T00:00:00Z"});
    let meta = object(json!({"m": 1}));
    #[rustfmt::skip]
    let rows: [(Content, Value); 8] = [
        (Content::text("a"), json!({"type": "text", "text": "a"})),
        (TextContent::new("a").with_annotations(annotations.clone()).with_meta(meta.clone()).into(),
            json!({"type": "text", "text": "a", "annotations": shown, "_meta": {"m": 1}})),
        (ImageContent::new("QQ==", "image/png").with_annotations(annotations.clone()).with_meta(meta.clone()).into(),
            json!({"type": "image", "data": "QQ==", "mimeType": "image/png", "annotations": shown, "_meta": {"m": 1}})),
        (AudioContent::new("QQ==", "audio/wav").with_annotations(annotations.clone()).with_meta(meta.clone()).into(),
            json!({"type": "audio", "data": "QQ==", "mimeType": "audio/wav", "annotations": shown, "_meta": {"m": 1}})),
        (EmbeddedResource::new(ResourceContents::text("a:b", "t").with_mime_type("text/plain").with_meta(meta.clone()))
                .with_annotations(annotations.clone()).with_meta(meta.clone()).into(),
            json!({"type": "resource", "resource": {"uri": "a:b", "text": "t", "mimeType": "text/plain", "_meta": {"m": 1}},
                "annotations": shown, "_meta": {"m": 1}})),
        (ResourceLink::new("a:b", "n").with_title("t").with_description("d").with_mime_type("m").with_size(7)
                .with_icons(vec![Icon::new("s")]).with_annotations(annotations).with_meta(meta.clone()).into(),
            json!({"type": "resource_link", "uri": "a:b", "name": "n", "title": "t", "description": "d", "mimeType": "m",
                "size": 7, "icons": [{"src": "s"}], "annotations": shown, "_meta": {"m": 1}})),
        (ToolUseContent::new("i", "n", json!({"a": 1})).with_meta(meta.clone()).into(),
            json!({"type": "tool_use", "id": "i", "name": "n", "input": {"a": 1}, "_meta": {"m": 1}})),
        (ToolResultContent::new("i", vec![EmbeddedResource::new(ResourceContents::blob("a:b", "QQ==")).into()])
                .with_structured_content(json!(null)).with_is_error(true).with_meta(meta).into(),
            json!({"type": "tool_result", "toolUseId": "i", "content": [{"type": "resource", "resource": {"uri": "a:b", "blob": "QQ=="}}],
                "structuredContent": null, "isError": true, "_meta": {"m": 1}})),
    ];
    for (built, json) in rows {
        is(built, json);
    }
}

#[test]
fn content_with_unknown_members_is_kept() {
    for json in [
        json!({"type": "text", "text": "a", "vendor": {"type": "x"}}),
        json!({"type": "image", "data": "", "mimeType": "", "vendor": 1}),
        json!({"type": "audio", "data": "", "mimeType": "", "vendor": 1}),
        json!({"type": "resource", "resource": {"uri": "a:b", "vendor": 1}, "vendor": 1}),
        json!({"type": "resource_link", "uri": "a:b", "name": "n", "vendor": 1}),
        json!({"type": "tool_use", "id": "i", "name": "n", "input": {}, "vendor": 1}),
        json!({"type": "tool_result", "toolUseId": "i", "content": [{"type": "hologram"}], "vendor": 1}),
    ] {
        let block = same::<Content>(&json);
        assert!(!matches!(block, Content::Unknown(_)), "{block:?}");
    }
}

#[test]
fn odd_content_does_not_spoil_the_rest() {
    for odd in [
        json!({"type": "hologram", "x": 1}),
        json!({"type": "text", "text": 7}),
        json!({"type": "image"}),
        json!({"type": 1}),
        json!({}),
    ] {
        let json = json!({"content": [{"type": "text", "text": "a"}, odd]});
        let result = same::<CallToolResult>(&json);
        assert_eq!(result.content[0].as_text(), Some("a"));
        assert_eq!(result.content[1], Content::Unknown(RawJson::from(odd)));
    }
    for no_block in ["7", "null", "[]", "\"text\""] {
        assert!(serde_json::from_str::<Content>(no_block).is_err(), "{no_block}");
    }
}
