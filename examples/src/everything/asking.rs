//! The tools that ask the client.

use mcp_server::{AskError, Context, Elicited, Server};
use mcp_types::sampling::{CreateMessageParams, SamplingMessage};
use schemars::JsonSchema;
use serde::Deserialize;

/// Adds the tools.
pub(super) fn add(server: Server) -> Server {
    server
        .tool("ask", "Asks the user for a name, and tells what the user did.", ask)
        .tool("ask_twice", "Asks the user for a name, and then by that name for another one.", ask_twice)
        .tool("sample", "Asks the language model of the client.", sample)
        .tool("roots", "Lists the roots of the client.", roots)
}

/// The answer to a question for a name.
#[derive(Deserialize, JsonSchema)]
pub(super) struct Named {
    /// Your name
    pub(super) name: String,
}

async fn ask(context: Context) -> Result<String, AskError> {
    let answer = context.elicit::<Named>("name", "What is your name?").await?;
    Ok(format!("action={}", answer.action()))
}

async fn ask_twice(context: Context) -> Result<String, AskError> {
    let Elicited::Accepted(first) = context.elicit::<Named>("first", "What is your name?").await? else {
        return Ok("nobody".to_owned());
    };
    let question = format!("And who comes with you, {}?", first.name);
    Ok(match context.elicit::<Named>("second", question).await? {
        Elicited::Accepted(second) => format!("{} and {}", first.name, second.name),
        Elicited::Declined | Elicited::Cancelled => format!("{} alone", first.name),
    })
}

async fn sample(context: Context) -> Result<String, AskError> {
    let asked = CreateMessageParams::new(vec![SamplingMessage::user("Say hello in one word.")], 10);
    let told = context.sample("hello", asked).await?;
    Ok(told.as_text().unwrap_or("no text").to_owned())
}

async fn roots(context: Context) -> Result<String, AskError> {
    let uris = context.roots("roots").await?.into_iter().map(|root| root.uri);
    Ok(uris.collect::<Vec<_>>().join("\n"))
}
