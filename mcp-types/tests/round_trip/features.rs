//! What servers have: tools, prompts, resources and completions.

use std::collections::BTreeMap;

use mcp_types::completion::{
    CompleteParams, CompleteResult, Completion, CompletionContext, CompletionReference, PromptReference,
};
use mcp_types::content::{Annotations, ImageContent, ResourceContents, Role};
use mcp_types::prompts::{GetPromptParams, GetPromptResult, ListPromptsResult, Prompt, PromptArgument, PromptMessage};
use mcp_types::resources::{
    ListResourceTemplatesResult, ListResourcesResult, ReadResourceParams, ReadResourceResult, Resource,
    ResourceTemplate, ResourceUpdatedParams, SubscribeParams,
};
use mcp_types::result::{CacheScope, ResultType};
use mcp_types::tools::{CallToolParams, ListParams, ListToolsResult, TaskSupport, ToolExecution};
use mcp_types::{CallToolResult, Icon, Object, RawJson, Tool, ToolAnnotations};
use serde_json::json;

use crate::{is, object, same};

#[test]
fn tools() {
    is(Tool::new("t", json!({"type": "object"})), json!({"name": "t", "inputSchema": {"type": "object"}}));
    is(
        Tool::new("t", json!({"type": "object"}))
            .with_title("T")
            .with_description("d")
            .with_output_schema(json!({"type": "array"}))
            .with_annotations(
                ToolAnnotations::new()
                    .with_title("T")
                    .with_read_only_hint(true)
                    .with_destructive_hint(false)
                    .with_idempotent_hint(true)
                    .with_open_world_hint(false),
            )
            .with_icons(vec![Icon::new("s")])
            .with_execution(ToolExecution::new().with_task_support(TaskSupport::Optional))
            .with_meta(object(json!({"a": null}))),
        json!({"name": "t", "title": "T", "description": "d", "inputSchema": {"type": "object"},
            "outputSchema": {"type": "array"}, "icons": [{"src": "s"}], "execution": {"taskSupport": "optional"},
            "annotations": {"title": "T", "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true,
                "openWorldHint": false}, "_meta": {"a": null}}),
    );
    let odd = same::<Tool>(&json!({"name": "t", "inputSchema": {}, "vendor": [1], "annotations": {"x": 1},
        "execution": {"taskSupport": "sometimes", "y": 2}}));
    assert_eq!(odd.execution.unwrap().task_support, Some(TaskSupport::Other("sometimes".into())));

    is(ListParams::new(), json!({}));
    is(ListParams::new().with_cursor("").with_meta(Object::new()), json!({"cursor": "", "_meta": {}}));
    is(
        ListToolsResult::new(vec![Tool::new("t", json!({}))])
            .with_next_cursor("")
            .with_ttl_ms(1)
            .with_cache_scope(CacheScope::Public)
            .with_meta(Object::new()),
        json!({"resultType": "complete", "tools": [{"name": "t", "inputSchema": {}}], "nextCursor": "", "ttlMs": 1,
            "cacheScope": "public", "_meta": {}}),
    );
    same::<ListToolsResult>(&json!({"tools": [], "cacheScope": "team", "vendor": {}}));
}

#[test]
fn schemas_keep_their_text() {
    let text = r#"{"name":"t","inputSchema":{"type":"object","properties":{"z":{"minimum":1.0},"a":{}}}}"#;
    let tool: Tool = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_string(&tool).unwrap(), text);
    // Also by way of a `Value`, as far as that keeps it.
    let by_value: Tool = serde_json::from_value(serde_json::to_value(&tool).unwrap()).unwrap();
    assert_eq!(by_value.name, "t");
}

#[test]
fn tool_calls() {
    is(CallToolParams::new("t"), json!({"name": "t"}));
    is(
        CallToolParams::new("t").with_arguments(json!({"a": 1})).with_meta(object(json!({"progressToken": "p"}))),
        json!({"name": "t", "arguments": {"a": 1}, "_meta": {"progressToken": "p"}}),
    );
    same::<CallToolParams>(&json!({"name": "t", "task": {"ttl": 1}, "requestState": "s"}));
    is(CallToolResult::new(Vec::new()), json!({"resultType": "complete", "content": []}));
    is(
        CallToolResult::failure("no").with_structured_content(json!([1])).with_meta(Object::new()),
        json!({"resultType": "complete", "content": [{"type": "text", "text": "no"}], "isError": true,
            "structuredContent": [1], "_meta": {}}),
    );
    let odd = same::<CallToolResult>(&json!({"content": [], "resultType": "later", "vendor": 1, "isError": false}));
    assert_eq!(odd.result_type, Some(ResultType::Other("later".into())));
}

#[test]
fn prompts() {
    is(Prompt::new("p"), json!({"name": "p"}));
    let argument = PromptArgument::new("a").with_title("A").with_description("d").with_required(true);
    assert!(argument.is_required() && !PromptArgument::new("b").is_required());
    is(
        Prompt::new("p")
            .with_title("P")
            .with_description("d")
            .with_arguments(vec![argument, PromptArgument::new("b")])
            .with_icons(vec![Icon::new("s")])
            .with_meta(object(json!({"a": 1}))),
        json!({"name": "p", "title": "P", "description": "d", "icons": [{"src": "s"}], "_meta": {"a": 1}, "arguments": [
            {"name": "a", "title": "A", "description": "d", "required": true}, {"name": "b"}]}),
    );
    same::<Prompt>(&json!({"name": "p", "vendor": 1, "arguments": [{"name": "a", "vendor": []}]}));
    is(
        ListPromptsResult::new(vec![Prompt::new("p")])
            .with_next_cursor("c")
            .with_ttl_ms(1)
            .with_cache_scope(CacheScope::Public)
            .with_meta(Object::new()),
        json!({"resultType": "complete", "prompts": [{"name": "p"}], "nextCursor": "c", "ttlMs": 1, "cacheScope": "public",
            "_meta": {}}),
    );
    same::<ListPromptsResult>(&json!({"prompts": [], "vendor": {}}));
}

#[test]
fn getting_prompts() {
    is(GetPromptParams::new("p"), json!({"name": "p"}));
    is(
        GetPromptParams::new("p").with_argument("b", "2").with_argument("a", "1").with_meta(Object::new()),
        json!({"name": "p", "arguments": {"a": "1", "b": "2"}, "_meta": {}}),
    );
    same::<GetPromptParams>(&json!({"name": "p", "arguments": {}, "requestState": "s", "inputResponses": {}}));
    // What is filled in are texts.
    assert!(serde_json::from_str::<GetPromptParams>(r#"{"name":"p","arguments":{"a":1}}"#).is_err());
    is(
        GetPromptResult::new(vec![
            PromptMessage::user("u"),
            PromptMessage::assistant("a"),
            PromptMessage::new(Role::User, ImageContent::new("QQ==", "image/png")),
        ])
        .with_description("d")
        .with_meta(Object::new()),
        json!({"resultType": "complete", "description": "d", "_meta": {}, "messages": [
            {"role": "user", "content": {"type": "text", "text": "u"}},
            {"role": "assistant", "content": {"type": "text", "text": "a"}},
            {"role": "user", "content": {"type": "image", "data": "QQ==", "mimeType": "image/png"}}]}),
    );
    same::<GetPromptResult>(&json!({"vendor": 1, "messages": [
        {"role": "robot", "content": {"type": "hologram"}, "vendor": 2}]}));
}

#[test]
fn resources() {
    is(Resource::new("a:b", "n"), json!({"uri": "a:b", "name": "n"}));
    is(
        Resource::new("a:b", "n")
            .with_title("N")
            .with_description("d")
            .with_mime_type("text/plain")
            .with_size(7)
            .with_icons(vec![Icon::new("s")])
            .with_annotations(Annotations::new().with_priority(0.5))
            .with_meta(object(json!({"a": 1}))),
        json!({"uri": "a:b", "name": "n", "title": "N", "description": "d", "mimeType": "text/plain", "size": 7,
            "icons": [{"src": "s"}], "annotations": {"priority": 0.5}, "_meta": {"a": 1}}),
    );
    same::<Resource>(&json!({"uri": "a:b", "name": "n", "vendor": 1}));
    is(
        ResourceTemplate::new("a:{b}", "n")
            .with_title("N")
            .with_description("d")
            .with_mime_type("text/plain")
            .with_icons(vec![Icon::new("s")])
            .with_annotations(Annotations::new().with_priority(0.5))
            .with_meta(object(json!({"a": 1}))),
        json!({"uriTemplate": "a:{b}", "name": "n", "title": "N", "description": "d", "mimeType": "text/plain",
            "icons": [{"src": "s"}], "annotations": {"priority": 0.5}, "_meta": {"a": 1}}),
    );
    same::<ResourceTemplate>(&json!({"uriTemplate": "a:b", "name": "n", "vendor": 1}));
    is(
        ListResourcesResult::new(vec![Resource::new("a:b", "n")])
            .with_next_cursor("c")
            .with_ttl_ms(1)
            .with_cache_scope(CacheScope::Public)
            .with_meta(Object::new()),
        json!({"resultType": "complete", "resources": [{"uri": "a:b", "name": "n"}], "nextCursor": "c", "ttlMs": 1,
            "cacheScope": "public", "_meta": {}}),
    );
    same::<ListResourcesResult>(&json!({"resources": [], "vendor": {}}));
    is(
        ListResourceTemplatesResult::new(vec![ResourceTemplate::new("a:{b}", "n")])
            .with_next_cursor("c")
            .with_ttl_ms(1)
            .with_cache_scope(CacheScope::Public)
            .with_meta(Object::new()),
        json!({"resultType": "complete", "resourceTemplates": [{"uriTemplate": "a:{b}", "name": "n"}], "nextCursor": "c",
            "ttlMs": 1, "cacheScope": "public", "_meta": {}}),
    );
    same::<ListResourceTemplatesResult>(&json!({"resourceTemplates": [], "vendor": {}}));
}

#[test]
fn reading_resources() {
    is(ReadResourceParams::new("a:b").with_meta(Object::new()), json!({"uri": "a:b", "_meta": {}}));
    same::<ReadResourceParams>(&json!({"uri": "a:b", "requestState": "s"}));
    is(
        ReadResourceResult::new(vec![ResourceContents::text("a:b", "t"), ResourceContents::blob("a:c", "QQ==")])
            .with_ttl_ms(1)
            .with_cache_scope(CacheScope::Public)
            .with_meta(Object::new()),
        json!({"resultType": "complete", "contents": [{"uri": "a:b", "text": "t"}, {"uri": "a:c", "blob": "QQ=="}],
            "ttlMs": 1, "cacheScope": "public", "_meta": {}}),
    );
    same::<ReadResourceResult>(&json!({"contents": [], "vendor": 1}));
    is(SubscribeParams::new("a:b").with_meta(Object::new()), json!({"uri": "a:b", "_meta": {}}));
    same::<SubscribeParams>(&json!({"uri": "a:b", "vendor": 1}));
    is(ResourceUpdatedParams::new("a:b").with_meta(Object::new()), json!({"uri": "a:b", "_meta": {}}));
    same::<ResourceUpdatedParams>(&json!({"uri": "a:b", "title": "t"}));
}

#[test]
fn completion() {
    is(
        CompleteParams::new(CompletionReference::prompt("p"), "a", "v"),
        json!({"ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "a", "value": "v"}}),
    );
    let others = BTreeMap::from([("b".to_owned(), "w".to_owned())]);
    is(
        CompleteParams::new(CompletionReference::resource("a:{a}"), "a", "")
            .with_context(CompletionContext::new().with_arguments(others))
            .with_meta(Object::new()),
        json!({"ref": {"type": "ref/resource", "uri": "a:{a}"}, "argument": {"name": "a", "value": ""},
            "context": {"arguments": {"b": "w"}}, "_meta": {}}),
    );
    let titled = CompletionReference::Prompt(PromptReference::new("p").with_title("P"));
    is(titled, json!({"type": "ref/prompt", "name": "p", "title": "P"}));
    same::<CompleteParams>(&json!({"ref": {"type": "ref/resource", "uri": "u", "vendor": 1}, "vendor": 2,
        "argument": {"name": "a", "value": "v", "vendor": 3}, "context": {"vendor": 4}}));
    for odd in [json!({"type": "ref/tool", "name": "t"}), json!({"type": "ref/prompt"}), json!({})] {
        assert_eq!(same::<CompletionReference>(&odd), CompletionReference::Unknown(RawJson::from(odd)));
    }
    assert!(serde_json::from_str::<CompletionReference>("\"ref/prompt\"").is_err());
    is(
        CompleteResult::new(Completion::new(vec!["v".to_owned()])).with_meta(Object::new()),
        json!({"resultType": "complete", "completion": {"values": ["v"], "total": 1, "hasMore": false}, "_meta": {}}),
    );
    is(Completion::default().with_total(200).with_has_more(true), json!({"values": [], "total": 200, "hasMore": true}));
    same::<CompleteResult>(&json!({"completion": {"values": [], "vendor": 1}, "vendor": 2}));
}
