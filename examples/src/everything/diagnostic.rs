//! The tools by which the official conformance suite looks at the protocol itself: at capabilities, streams, changes of
//! lists, and the schemas that clients are told.

use std::time::Duration;

use mcp_server::{Args, AskError, Context, Prompt, Server, Tool};
use mcp_types::logging::LoggingLevel;
use mcp_types::sampling::{CreateMessageParams, SamplingMessage};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::asking::Named;

/// Adds them.
pub(super) fn add(server: Server) -> Server {
    let schema = Tool::new("json_schema_2020_12_tool", contact)
        .with_description("Tells how somebody is reached; its schema is written by hand.")
        .with_input_schema(contact_schema());
    server
        .tool("test_missing_capability", "Needs the language model of the client.", missing_capability)
        .tool("test_streaming_elicitation", "Asks the user after it has told its progress.", streaming_elicitation)
        .tool("test_logging_tool", "Sends log messages to who wants to hear of them.", logging)
        .tool("test_trigger_tool_change", "Adds a tool and removes it again.", trigger_tool_change)
        .tool("test_trigger_prompt_change", "Adds a prompt and removes it again.", trigger_prompt_change)
        .tool(
            "test_reconnection",
            "Ends its stream for now, so that the client comes back for the answer.",
            reconnection,
        )
        .tool("test_custom_header", "Takes arguments that are sent as headers too.", custom_header)
        .add_tool(schema)
}

async fn missing_capability(context: Context) -> Result<String, AskError> {
    let asked = CreateMessageParams::new(vec![SamplingMessage::user("Say hello in one word.")], 10);
    let told = context.sample("hello", asked).await?;
    Ok(told.as_text().unwrap_or("no text").to_owned())
}

async fn streaming_elicitation(context: Context) -> Result<String, AskError> {
    context.progress(1.0, Some(2.0), Some("asking")).await;
    let answer = context.elicit::<Named>("user_name", "What is your name?").await?;
    context.progress(2.0, Some(2.0), Some("answered")).await;
    Ok(format!("action={}", answer.action()))
}

async fn logging(context: Context) -> &'static str {
    for level in [LoggingLevel::Debug, LoggingLevel::Info, LoggingLevel::Error] {
        context.log(level, Some("everything"), "a log message").await;
    }
    "logged"
}

async fn reconnection(context: Context) -> &'static str {
    context.end_stream();
    // The client finds the stream ended before there is an answer.
    tokio::time::sleep(Duration::from_millis(100)).await;
    "the answer came on another stream"
}

async fn trigger_tool_change(context: Context) -> &'static str {
    let tools = context.tools();
    tools.add(Tool::new("test_dynamic_tool", async || "here for a moment").with_description("Is there for a moment."));
    tools.remove("test_dynamic_tool");
    "the list of tools has changed"
}

async fn trigger_prompt_change(context: Context) -> &'static str {
    let prompts = context.prompts();
    let prompt = Prompt::new("test_dynamic_prompt", async || "Here for a moment.");
    prompts.add(prompt.with_description("Is there for a moment."));
    prompts.remove("test_dynamic_prompt");
    "the list of prompts has changed"
}

#[derive(Deserialize, JsonSchema)]
struct Routed {
    /// Where it is to be done: any text.
    #[schemars(extend("x-mcp-header" = "Region"))]
    region: String,
    /// How soon.
    #[schemars(extend("x-mcp-header" = "Priority"))]
    priority: Option<i64>,
    /// Whether it is only a rehearsal.
    #[schemars(extend("x-mcp-header" = "Dry-Run"))]
    dry_run: Option<bool>,
}

async fn custom_header(Args(routed): Args<Routed>) -> String {
    let Routed { region, priority, dry_run } = routed;
    format!("region={region}, priority={}, dry_run={}", priority.unwrap_or(0), dry_run.unwrap_or(false))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Contact {
    name: Option<String>,
    contact_method: Option<String>,
    phone: Option<String>,
    email: Option<String>,
}

async fn contact(Args(contact): Args<Contact>) -> String {
    let name = contact.name.as_deref().unwrap_or("somebody");
    let by_phone = contact.contact_method.as_deref() == Some("phone");
    let reached = if by_phone { contact.phone.or(contact.email) } else { contact.email.or(contact.phone) };
    format!("{name} is reached at {}", reached.as_deref().unwrap_or("no address"))
}

/// What no type of ours would be told as: every keyword has to arrive as it stands here.
fn contact_schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
            },
        },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" },
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    })
}
