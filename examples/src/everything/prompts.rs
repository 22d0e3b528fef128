//! The prompts that the official conformance suite asks for by their names, with what it wants them to say.

use mcp_server::{Args, Prefix, Prompt, Server};
use mcp_types::content::{EmbeddedResource, ResourceContents, Role};
use mcp_types::prompts::PromptMessage;
use schemars::JsonSchema;
use serde::Deserialize;

use super::fixtures::image;

pub(super) fn add(server: Server) -> Server {
    let with_arguments = Prompt::new("test_prompt_with_arguments", with_arguments)
        .with_description("Repeats its arguments.")
        .complete("arg1", words);
    server
        .prompt("test_simple_prompt", "Is a text.", async || "This is a simple prompt for testing.")
        .add_prompt(with_arguments)
        .prompt("test_prompt_with_embedded_resource", "Has a resource in it.", with_embedded_resource)
        .prompt("test_prompt_with_image", "Has a picture in it.", with_image)
}

#[derive(Deserialize, JsonSchema)]
struct Two {
    /// The first text.
    arg1: String,
    /// The second text.
    arg2: String,
}

async fn with_arguments(Args(Two { arg1, arg2 }): Args<Two>) -> String {
    format!("Prompt with arguments: arg1='{arg1}', arg2='{arg2}'")
}

async fn words(Prefix(prefix): Prefix) -> Vec<&'static str> {
    const WORDS: [&str; 4] = ["paris", "park", "party", "testing"];
    WORDS.into_iter().filter(|word| word.starts_with(&*prefix)).collect()
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Place {
    /// The URI of the resource that is embedded.
    resource_uri: String,
}

async fn with_embedded_resource(Args(place): Args<Place>) -> [PromptMessage; 2] {
    let text = "Embedded resource content for testing.";
    let resource = ResourceContents::text(place.resource_uri, text).with_mime_type("text/plain");
    [
        PromptMessage::new(Role::User, EmbeddedResource::new(resource)),
        PromptMessage::user("Please process the embedded resource above."),
    ]
}

async fn with_image() -> [PromptMessage; 2] {
    [PromptMessage::new(Role::User, image()), PromptMessage::user("Please analyze the image above.")]
}
