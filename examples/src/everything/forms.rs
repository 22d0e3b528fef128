//! The tools of the official conformance suite that ask their client while they are called, most of them by forms.

use mcp_server::{Args, AskError, Context, Elicited, Server};
use mcp_types::elicitation::{BooleanSchema, ElicitFormParams, EnumSchema, FormSchema, NumberSchema, StringSchema};
use mcp_types::sampling::{CreateMessageParams, SamplingMessage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Number, Value, json};

/// Adds them.
pub(super) fn add(server: Server) -> Server {
    server
        .tool("test_sampling", "Asks the language model of the client.", sampling)
        .tool("test_elicitation", "Asks the user for a name and an address.", elicitation)
        .tool("test_elicitation_sep1034_defaults", "Asks by a form that has a default for each field.", defaults)
        .tool("test_elicitation_sep1330_enums", "Asks by a form with each kind of choice.", enums)
}

#[derive(Deserialize, JsonSchema)]
struct Prompt {
    /// What to ask the model.
    prompt: String,
}

async fn sampling(context: Context, Args(Prompt { prompt }): Args<Prompt>) -> Result<String, AskError> {
    let asked = CreateMessageParams::new(vec![SamplingMessage::user(prompt)], 100);
    let told = context.sample("answer", asked).await?;
    Ok(format!("LLM response: {}", told.as_text().unwrap_or("no text")))
}

#[derive(Deserialize, JsonSchema)]
struct Message {
    /// What to tell the user.
    message: String,
}

#[derive(Deserialize, JsonSchema, Serialize)]
struct Account {
    /// The name of the user.
    username: String,
    /// The address of the user.
    email: String,
}

async fn elicitation(context: Context, Args(Message { message }): Args<Message>) -> Result<String, AskError> {
    let answer = context.elicit::<Account>("account", message).await?;
    Ok(format!("User response: {}", shown(answer)))
}

async fn defaults(context: Context) -> Result<String, AskError> {
    let form = FormSchema::new()
        .with_optional("name", StringSchema::new().with_default("John Doe"))
        .with_optional("age", NumberSchema::integer().with_default(30))
        .with_optional("score", NumberSchema::new().with_default(number(95.5)))
        .with_optional("status", EnumSchema::new(["active", "inactive", "pending"]).with_default("active"))
        .with_optional("verified", BooleanSchema::new().with_default(true));
    let form = ElicitFormParams::new("Please check your account.", form);
    Ok(format!("Elicitation completed: {}", shown(context.elicit_form("account", form).await?)))
}

/// A form can be any JSON too. This one has a choice in the old way, which nothing of ours would write.
async fn enums(context: Context) -> Result<String, AskError> {
    let plain = ["option1", "option2", "option3"];
    let titled = |what: &str| {
        let names = [("value1", "First"), ("value2", "Second"), ("value3", "Third")];
        names.map(|(value, name)| json!({ "const": value, "title": format!("{name} {what}") }))
    };
    let legacy = (["opt1", "opt2", "opt3"], ["Option One", "Option Two", "Option Three"]);
    let form = json!({ "type": "object", "properties": {
        "untitledSingle": { "type": "string", "enum": plain },
        "titledSingle": { "type": "string", "oneOf": titled("Option") },
        "legacyEnum": { "type": "string", "enum": legacy.0, "enumNames": legacy.1 },
        "untitledMulti": { "type": "array", "items": { "type": "string", "enum": plain } },
        "titledMulti": { "type": "array", "items": { "anyOf": titled("Choice") } },
    } });
    let form = ElicitFormParams::new("Please choose.", form);
    Ok(format!("Elicitation completed: {}", shown(context.elicit_form("choices", form).await?)))
}

fn shown<T: Serialize>(answer: Elicited<T>) -> String {
    let action = answer.action();
    let content = answer.accepted().map_or(Value::Null, |content| json!(content));
    format!("action={action}, content={content}")
}

fn number(value: f64) -> Number {
    Number::from_f64(value).unwrap_or_else(|| 0.into())
}
