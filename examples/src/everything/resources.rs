//! The resources that the official conformance suite reads by their URIs, with what it wants them to say.

use mcp_server::{Args, Json, Resource, ResourceTemplate, Server, Uri};
use mcp_types::content::ResourceContents;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fixtures::RED_DOT;

pub(super) fn add(server: Server) -> Server {
    let text =
        Resource::new("test://static-text", "static-text", async || "This is the content of the static text resource.")
            .with_description("Is always the same text.");
    let binary = Resource::new("test://static-binary", "static-binary", binary)
        .with_mime_type("image/png")
        .with_description("Is always the same picture.");
    let watched = Resource::new("test://watched-resource", "watched-resource", async || "Watched resource content.")
        .with_description("Can be subscribed to, like every resource.");
    let data = ResourceTemplate::new("test://template/{id}/data", "template-data", data)
        .with_description("Is made of the id in its URI.");
    server.add_resource(text).add_resource(binary).add_resource(watched).add_resource_template(data)
}

async fn binary(Uri(uri): Uri) -> ResourceContents {
    ResourceContents::blob(uri, RED_DOT).with_mime_type("image/png")
}

#[derive(Deserialize, JsonSchema)]
struct Entry {
    /// Any text.
    id: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Data {
    id: String,
    template_test: bool,
    data: String,
}

async fn data(Args(Entry { id }): Args<Entry>) -> Json<Data> {
    let data = format!("Data for ID: {id}");
    Json(Data { id, template_test: true, data })
}
