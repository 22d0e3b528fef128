//! The tools that the official conformance suite calls by their names, with what it wants them to say.

use std::time::Duration;

use mcp_server::{Context, Server, ToolError, base64};
use mcp_types::Content;
use mcp_types::content::{AudioContent, EmbeddedResource, ImageContent, ResourceContents};
use mcp_types::logging::LoggingLevel;

/// Adds them. The first takes no arguments: the suite calls whichever tool is listed first without any.
pub(super) fn add(server: Server) -> Server {
    server
        .tool("test_simple_text", "Returns a text.", async || "This is a simple text response for testing.")
        .tool("test_image_content", "Returns a picture.", async || image())
        .tool("test_audio_content", "Returns a sound.", async || AudioContent::new(base64(&wav()), "audio/wav"))
        .tool("test_embedded_resource", "Returns a resource.", async || {
            resource("test://embedded-resource", "This is an embedded resource content.", "text/plain")
        })
        .tool("test_multiple_content_types", "Returns a text, a picture and a resource.", multiple_content_types)
        .tool("test_tool_with_logging", "Sends three log messages.", tool_with_logging)
        .tool("test_tool_with_progress", "Tells its progress three times.", tool_with_progress)
        .tool("test_error_handling", "Fails.", error_handling)
}

async fn multiple_content_types() -> [Content; 3] {
    let json = r#"{"test":"data","value":123}"#;
    [
        Content::text("Multiple content types test:"),
        image().into(),
        resource("test://mixed-content-resource", json, "application/json").into(),
    ]
}

async fn tool_with_logging(context: Context) -> &'static str {
    let steps = ["Tool execution started", "Tool processing data", "Tool execution completed"];
    for (number, step) in steps.into_iter().enumerate() {
        if number > 0 {
            tokio::time::sleep(STEP).await;
        }
        context.log(LoggingLevel::Info, None, step).await;
    }
    "Tool with logging executed successfully"
}

async fn tool_with_progress(context: Context) -> &'static str {
    for percent in [0.0, 50.0, 100.0] {
        if percent > 0.0 {
            tokio::time::sleep(STEP).await;
        }
        context.progress(percent, Some(100.0), Some(&format!("Completed step {percent} of 100"))).await;
    }
    "Tool with progress executed successfully"
}

async fn error_handling() -> Result<(), ToolError> {
    Err(ToolError::new("This tool intentionally returns an error for testing"))
}

pub(super) fn image() -> ImageContent {
    ImageContent::new(RED_DOT, "image/png")
}

fn resource(uri: &str, text: &str, mime_type: &str) -> EmbeddedResource {
    EmbeddedResource::new(ResourceContents::text(uri, text).with_mime_type(mime_type))
}

/// A sound of one silent sample: mono, 8 000 samples a second, 16 bits each.
fn wav() -> Vec<u8> {
    let mut wav = Vec::new();
    let mut put = |bytes: &[u8]| wav.extend_from_slice(bytes);
    put(b"RIFF");
    put(&38_u32.to_le_bytes());
    put(b"WAVEfmt ");
    put(&16_u32.to_le_bytes());
    put(&1_u16.to_le_bytes());
    put(&1_u16.to_le_bytes());
    put(&8_000_u32.to_le_bytes());
    put(&16_000_u32.to_le_bytes());
    put(&2_u16.to_le_bytes());
    put(&16_u16.to_le_bytes());
    put(b"data");
    put(&2_u32.to_le_bytes());
    put(&[0, 0]);
    wav
}

/// A picture of one pixel, in Base64.
pub(super) const RED_DOT: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

const STEP: Duration = Duration::from_millis(50);
