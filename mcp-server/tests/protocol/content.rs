//! Blocks of content of every kind, in every revision.

use mcp_server::{Server, base64};
use mcp_types::Content;
use mcp_types::content::{AudioContent, EmbeddedResource, ImageContent, ResourceContents, ResourceLink, TextContent};
use serde_json::{Value, json};

use crate::support::{Client, Era};

fn link() -> ResourceLink {
    ResourceLink::new("file:///all.log", "all.log").with_description("All that happened")
}

fn server() -> Server {
    Server::new("s", "1")
        .tool("text", "", async || TextContent::new("text"))
        .tool("image", "", async || ImageContent::new(base64(b"png"), "image/png"))
        .tool("audio", "", async || AudioContent::new(base64(b"wav"), "audio/wav"))
        .tool("resource", "", async || EmbeddedResource::new(ResourceContents::text("a:b", "c")))
        .tool("link", "", async || link())
        .tool("all", "", async || -> [Content; 3] {
            [Content::text("all"), AudioContent::new(base64(b"wav"), "audio/wav").into(), link().into()]
        })
}

async fn content(client: &mut Client, tool: &str) -> Value {
    client.call(tool, json!({})).await["result"]["content"].take()
}

#[tokio::test(start_paused = true)]
async fn a_block_that_a_revision_does_not_have_is_told_as_text() {
    let text = |text: &str| json!({"type": "text", "text": text});
    let audio = json!({"type": "audio", "data": "d2F2", "mimeType": "audio/wav"});
    let link = json!({
        "type": "resource_link", "uri": "file:///all.log", "name": "all.log", "description": "All that happened",
    });
    let (no_audio, no_link) = (text("[audio: audio/wav]"), text("all.log: file:///all.log (All that happened)"));
    let rows = [
        (Some("2024-11-05"), &no_audio, &no_link),
        (Some("2025-03-26"), &audio, &no_link),
        (Some("2025-06-18"), &audio, &link),
        (Some("2025-11-25"), &audio, &link),
        (None, &audio, &link),
    ];
    for (version, audio, link) in rows {
        let mut client = Client::new(&server(), if version.is_some() { Era::Legacy } else { Era::Modern });
        if let Some(version) = version {
            client.initialize(version).await;
        }
        assert_eq!(content(&mut client, "text").await, json!([text("text")]));
        let image = json!({"type": "image", "data": "cG5n", "mimeType": "image/png"});
        assert_eq!(content(&mut client, "image").await, json!([image]));
        let resource = json!({"type": "resource", "resource": {"uri": "a:b", "text": "c"}});
        assert_eq!(content(&mut client, "resource").await, json!([resource]));
        assert_eq!(content(&mut client, "audio").await, json!([audio]), "{version:?}");
        assert_eq!(content(&mut client, "link").await, json!([link]), "{version:?}");
        assert_eq!(content(&mut client, "all").await, json!([text("all"), audio, link]), "{version:?}");
    }
}
