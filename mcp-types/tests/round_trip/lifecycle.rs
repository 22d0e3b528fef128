//! What is said about a session: who is who, how calls get on, what is logged and listened to.

use mcp_types::cancelled::CancelledParams;
use mcp_types::capabilities::{
    ElicitationCapability, PromptsCapability, ResourcesCapability, RootsCapability, SamplingCapability, ToolsCapability,
};
use mcp_types::discover::DiscoverResult;
use mcp_types::implementation::IconTheme;
use mcp_types::initialize::{InitializeParams, InitializeResult};
use mcp_types::jsonrpc::Id;
use mcp_types::listen::{AcknowledgedParams, ListenParams, ListenResult, SubscriptionFilter};
use mcp_types::logging::{LoggingLevel, LoggingMessageParams, SetLevelParams};
use mcp_types::meta::ProgressToken;
use mcp_types::progress::ProgressParams;
use mcp_types::result::CacheScope;
use mcp_types::{ClientCapabilities, Icon, Implementation, Object, ServerCapabilities, Version};
use serde_json::json;

use crate::{is, object, same};

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
