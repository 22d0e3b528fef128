//! The published examples of the newest revision.

use std::fmt::Debug;
use std::fs;
use std::path::{Path, PathBuf};

use mcp_types::cancelled::CancelledParams;
use mcp_types::completion::{CompleteParams, CompleteResult};
use mcp_types::content::ResourceContents;
use mcp_types::discover::DiscoverResult;
use mcp_types::listen::{AcknowledgedParams, ListenParams, ListenResult};
use mcp_types::logging::LoggingMessageParams;
use mcp_types::progress::ProgressParams;
use mcp_types::prompts::{GetPromptParams, GetPromptResult, ListPromptsResult};
use mcp_types::resources::{
    ListResourceTemplatesResult, ListResourcesResult, ReadResourceParams, ReadResourceResult, Resource,
    ResourceUpdatedParams,
};
use mcp_types::tools::{CallToolParams, ListParams, ListToolsResult};
use mcp_types::{CallToolResult, ClientCapabilities, Content, ServerCapabilities, Tool};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::same;

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
        each::<CompleteParams>("CompleteRequestParams", None),
        each::<CompleteParams>("CompleteRequest", Some("params")),
        each::<CompleteResult>("CompleteResult", None),
        each::<CompleteResult>("CompleteResultResponse", Some("result")),
        each::<GetPromptParams>("GetPromptRequestParams", None),
        each::<GetPromptParams>("GetPromptRequest", Some("params")),
        each::<GetPromptResult>("GetPromptResult", None),
        each::<GetPromptResult>("GetPromptResultResponse", Some("result")),
        each::<ListPromptsResult>("ListPromptsResult", None),
        each::<ListPromptsResult>("ListPromptsResultResponse", Some("result")),
        each::<ListResourcesResult>("ListResourcesResult", None),
        each::<ListResourcesResult>("ListResourcesResultResponse", Some("result")),
        each::<ListResourceTemplatesResult>("ListResourceTemplatesResult", None),
        each::<ListResourceTemplatesResult>("ListResourceTemplatesResultResponse", Some("result")),
        each::<ReadResourceParams>("ReadResourceRequest", Some("params")),
        each::<ReadResourceResult>("ReadResourceResult", None),
        each::<ReadResourceResult>("ReadResourceResultResponse", Some("result")),
        each::<Resource>("Resource", None),
        each::<ResourceContents>("TextResourceContents", None),
        each::<ResourceContents>("BlobResourceContents", None),
        each::<ResourceUpdatedParams>("ResourceUpdatedNotificationParams", None),
        each::<ResourceUpdatedParams>("ResourceUpdatedNotification", Some("params")),
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
