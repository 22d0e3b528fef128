//! Each type writes what it read: nothing lost, nothing added, no `null` for what is absent.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::fmt::Debug;
use std::fs;
use std::path::{Path, PathBuf};

use mcp_types::cancelled::CancelledParams;
use mcp_types::capabilities::{
    ElicitationCapability, PromptsCapability, ResourcesCapability, RootsCapability, SamplingCapability, ToolsCapability,
};
use mcp_types::content::{
    Annotations, AudioContent, EmbeddedResource, ImageContent, ResourceContents, ResourceLink, Role, TextContent,
    ToolResultContent, ToolUseContent,
};
use mcp_types::discover::DiscoverResult;
use mcp_types::implementation::IconTheme;
use mcp_types::initialize::{InitializeParams, InitializeResult};
use mcp_types::jsonrpc::Id;
use mcp_types::listen::{AcknowledgedParams, ListenParams, ListenResult, SubscriptionFilter};
use mcp_types::logging::{LoggingLevel, LoggingMessageParams, SetLevelParams};
use mcp_types::meta::ProgressToken;
use mcp_types::progress::ProgressParams;
use mcp_types::result::{CacheScope, ResultType};
use mcp_types::tools::{CallToolParams, ListParams, ListToolsResult, TaskSupport, ToolExecution};
use mcp_types::{
    CallToolResult, ClientCapabilities, Content, Icon, Implementation, Object, RawJson, ServerCapabilities, Tool,
    ToolAnnotations, Version,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Reads, writes, reads and compares; `json` holds every member the type has, and one it has not.
fn same<T: Serialize + DeserializeOwned + PartialEq + Debug>(json: &Value) -> T {
    let read: T = serde_json::from_str(&json.to_string()).unwrap();
    let written = serde_json::to_string(&read).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&written).unwrap(), *json, "{read:?}");
    assert_eq!(serde_json::from_str::<T>(&written).unwrap(), read);
    read
}

/// As [`same`], and the type built by hand is the one that was read.
fn is<T: Serialize + DeserializeOwned + PartialEq + Debug>(built: T, json: Value) {
    assert_eq!(same::<T>(&json), built);
}

fn object(value: Value) -> Object {
    serde_json::from_value(value).unwrap()
}

#[test]
fn implementations() {
    is(Implementation::new("n", "1"), json!({"name": "n", "version": "1"}));
    let icon = Icon::new("https://a/b.png")
        .with_mime_type("image/png")
        .with_sizes(vec!["48x48".to_owned(), "any".to_owned()])
        .with_theme(IconTheme::Dark);
    is(
        Implementation::new("n", "1")
            .with_title("N")
            .with_description("d")
            .with_website_url("https://a")
            .with_icons(vec![icon]),
        json!({"name": "n", "version": "1", "title": "N", "description": "d", "websiteUrl": "https://a", "icons": [
            {"src": "https://a/b.png", "mimeType": "image/png", "sizes": ["48x48", "any"], "theme": "dark"}]}),
    );
    same::<Implementation>(&json!({"name": "n", "version": "1", "vendor": {"a": [1]}}));
    same::<Icon>(&json!({"src": "s", "theme": "sepia", "vendor": 1}));
}

#[test]
fn capabilities() {
    is(ClientCapabilities::new(), json!({}));
    is(
        ClientCapabilities::new()
            .with_roots(RootsCapability::new().with_list_changed(true))
            .with_sampling(SamplingCapability::new().with_context(Object::new()).with_tools(Object::new()))
            .with_elicitation(ElicitationCapability::new().with_form(Object::new()).with_url(Object::new()))
            .with_tasks(object(json!({"list": {}, "requests": {"elicitation": {"create": {}}}})))
            .with_extensions(object(json!({"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html"]}})))
            .with_experimental(object(json!({"x": {}}))),
        json!({"roots": {"listChanged": true}, "sampling": {"context": {}, "tools": {}},
            "elicitation": {"form": {}, "url": {}}, "tasks": {"list": {}, "requests": {"elicitation": {"create": {}}}},
            "extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html"]}}, "experimental": {"x": {}}}),
    );
    is(ServerCapabilities::new(), json!({}));
    is(
        ServerCapabilities::new()
            .with_tools(ToolsCapability::new().with_list_changed(false))
            .with_prompts(PromptsCapability::new().with_list_changed(true))
            .with_resources(ResourcesCapability::new().with_subscribe(true).with_list_changed(true))
            .with_completions(Object::new())
            .with_logging(Object::new())
            .with_tasks(object(json!({"cancel": {}})))
            .with_extensions(object(json!({"a/b": {}})))
            .with_experimental(Object::new()),
        json!({"tools": {"listChanged": false}, "prompts": {"listChanged": true},
            "resources": {"subscribe": true, "listChanged": true}, "completions": {}, "logging": {},
            "tasks": {"cancel": {}}, "extensions": {"a/b": {}}, "experimental": {}}),
    );
    // Capabilities that nobody has thought of yet.
    let future = json!({"x": {}, "roots": {"y": 1}, "sampling": {"z": []}, "elicitation": {"voice": {}}});
    same::<ClientCapabilities>(&future);
    same::<ServerCapabilities>(&json!({"x": {}, "tools": {"y": 1}, "prompts": {"z": []}, "resources": {"w": "v"}}));
}

#[test]
fn initialize() {
    is(
        InitializeParams::new(Version::V2025_06_18, ClientCapabilities::new(), Implementation::new("c", "1")),
        json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}),
    );
    same::<InitializeParams>(&json!({"protocolVersion": "9999-01-01", "capabilities": {}, "vendor": true,
        "clientInfo": {"name": "c", "version": "1"}, "_meta": {"progressToken": 1}}));
    is(
        InitializeResult::new(Version::V2024_11_05, ServerCapabilities::new(), Implementation::new("s", "1"))
            .with_instructions("i")
            .with_meta(object(json!({"a": 1}))),
        json!({"protocolVersion": "2024-11-05", "capabilities": {}, "serverInfo": {"name": "s", "version": "1"},
            "instructions": "i", "_meta": {"a": 1}}),
    );
    // A bad one says which member is to blame.
    let error = serde_json::from_str::<InitializeParams>("{}").unwrap_err();
    assert!(error.to_string().contains("protocolVersion"), "{error}");
}

#[test]
fn discover() {
    let result = DiscoverResult::new(ServerCapabilities::new())
        .with_server_info(&Implementation::new("s", "1"))
        .with_instructions("i")
        .with_ttl_ms(5)
        .with_cache_scope(CacheScope::Public);
    assert_eq!(result.server_info(), Some(Implementation::new("s", "1")));
    is(
        result,
        json!({"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {}, "instructions": "i",
            "ttlMs": 5, "cacheScope": "public", "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "s", "version": "1"}}}),
    );
    let minimal =
        same::<DiscoverResult>(&json!({"supportedVersions": ["9999-01-01"], "capabilities": {}, "vendor": 1}));
    assert_eq!((minimal.result_type, minimal.ttl_ms, minimal.meta), (None, None, None));
}

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

#[test]
fn progress() {
    is(ProgressParams::new("t".into(), 1.0), json!({"progressToken": "t", "progress": 1}));
    is(
        ProgressParams::new(ProgressToken::from(7), 0.5).with_total(2.0).with_message("m").with_meta(Object::new()),
        json!({"progressToken": 7, "progress": 0.5, "total": 2, "message": "m", "_meta": {}}),
    );
    same::<ProgressParams>(&json!({"progressToken": 1.5, "progress": 1e300, "vendor": 1}));
    let huge = ProgressParams::new(ProgressToken::from(7), -9_007_199_254_740_994.0);
    assert_eq!(serde_json::to_string(&huge).unwrap(), r#"{"progressToken":7,"progress":-9007199254740994.0}"#);
}

#[test]
fn cancelled() {
    is(CancelledParams::new(7), json!({"requestId": 7}));
    is(
        CancelledParams::new("7").with_reason("r").with_meta(Object::new()),
        json!({"requestId": "7", "reason": "r", "_meta": {}}),
    );
    assert_eq!(same::<CancelledParams>(&json!({"vendor": 1})).request_id, None);
    let raw: CancelledParams = serde_json::from_str(r#"{"requestId":1180591620717411303424}"#).unwrap();
    assert_eq!(serde_json::to_string(&raw).unwrap(), r#"{"requestId":1180591620717411303424}"#);
}

#[test]
fn logging() {
    is(SetLevelParams::new(LoggingLevel::Notice), json!({"level": "notice"}));
    same::<SetLevelParams>(&json!({"level": "trace", "_meta": {"a": 1}}));
    is(LoggingMessageParams::new(LoggingLevel::Info, json!(null)), json!({"level": "info", "data": null}));
    is(
        LoggingMessageParams::new(LoggingLevel::Alert, json!([1])).with_logger("l").with_meta(Object::new()),
        json!({"level": "alert", "logger": "l", "data": [1], "_meta": {}}),
    );
    same::<LoggingMessageParams>(&json!({"level": "trace", "vendor": 1}));
    let levels = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];
    for (severity, text) in levels.iter().enumerate() {
        let level = LoggingLevel::from(*text);
        assert_eq!(level.severity().map(usize::from), Some(severity));
        assert!(level.is_at_least(&LoggingLevel::Debug) && LoggingLevel::Emergency.is_at_least(&level));
        assert_eq!(LoggingLevel::Debug.is_at_least(&level), severity == 0);
    }
    assert!(LoggingLevel::from("trace").is_at_least(&LoggingLevel::Emergency));
}

#[test]
fn listening() {
    is(SubscriptionFilter::new(), json!({}));
    let filter = SubscriptionFilter::new()
        .with_tools_list_changed(true)
        .with_prompts_list_changed(false)
        .with_resources_list_changed(true)
        .with_resource_subscriptions(vec!["a:b".to_owned()])
        .with_task_ids(vec!["t".to_owned()]);
    let shown = json!({"toolsListChanged": true, "promptsListChanged": false, "resourcesListChanged": true,
        "resourceSubscriptions": ["a:b"], "taskIds": ["t"]});
    is(filter.clone(), shown.clone());
    same::<SubscriptionFilter>(&json!({"vendor": true}));
    is(ListenParams::new(filter.clone()).with_meta(Object::new()), json!({"notifications": shown, "_meta": {}}));
    for (id, key) in [(Id::from(7), json!(7)), (Id::from("7"), json!("7")), (Id::parse("7.5").unwrap(), json!(7.5))] {
        let meta = json!({"io.modelcontextprotocol/subscriptionId": key});
        let acknowledged = AcknowledgedParams::new(&id, filter.clone());
        assert_eq!(acknowledged.subscription(), Some(id.clone()));
        is(acknowledged, json!({"notifications": shown, "_meta": meta}));
        let result = ListenResult::new(&id);
        assert_eq!(result.subscription(), Some(id));
        is(result, json!({"resultType": "complete", "_meta": meta}));
    }
}

/// The published examples of the newest revision, where a checkout has them.
fn examples(of: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/schema/examples-2026-07-28").join(of);
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn published_examples() {
    fn each<T: Serialize + DeserializeOwned + PartialEq + Debug>(of: &str, part: Option<&str>) -> usize {
        let paths = examples(of);
        for path in &paths {
            let whole: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
            same::<T>(part.map_or(&whole, |part| &whole[part]));
        }
        paths.len()
    }
    let read = [
        each::<CallToolParams>("CallToolRequestParams", None),
        each::<CallToolParams>("CallToolRequest", Some("params")),
        each::<CallToolResult>("CallToolResult", None),
        each::<CallToolResult>("CallToolResultResponse", Some("result")),
        each::<CancelledParams>("CancelledNotificationParams", None),
        each::<CancelledParams>("CancelledNotification", Some("params")),
        each::<ClientCapabilities>("ClientCapabilities", None),
        each::<ServerCapabilities>("ServerCapabilities", None),
        each::<DiscoverResult>("DiscoverResult", None),
        each::<DiscoverResult>("DiscoverResultResponse", Some("result")),
        each::<ListToolsResult>("ListToolsResult", None),
        each::<ListToolsResult>("ListToolsResultResponse", Some("result")),
        each::<ListParams>("PaginatedRequestParams", None),
        each::<LoggingMessageParams>("LoggingMessageNotificationParams", None),
        each::<LoggingMessageParams>("LoggingMessageNotification", Some("params")),
        each::<ProgressParams>("ProgressNotificationParams", None),
        each::<ProgressParams>("ProgressNotification", Some("params")),
        each::<AcknowledgedParams>("SubscriptionsAcknowledgedNotification", Some("params")),
        each::<ListenParams>("SubscriptionsListenRequest", Some("params")),
        each::<ListenResult>("SubscriptionsListenResult", None),
        each::<Tool>("Tool", None),
        each::<Content>("TextContent", None),
        each::<Content>("ImageContent", None),
        each::<Content>("AudioContent", None),
        each::<Content>("EmbeddedResource", None),
        each::<Content>("ResourceLink", None),
        each::<Content>("ToolUseContent", None),
        each::<Content>("ToolResultContent", None),
    ];
    // All or nothing: a folder that was renamed must not pass for one that has no examples.
    assert!(read.iter().all(|&count| count > 0) || read.iter().sum::<usize>() == 0, "{read:?}");
}
