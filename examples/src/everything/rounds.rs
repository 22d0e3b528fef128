//! The tools and the prompt of the official conformance suite for rounds of input: each asks by the keys that the suite
//! looks for.
//!
//! A call that has nothing to remember gets no state to send back. Where the suite wants one, a ticket is drawn before
//! anything is asked: that is what has to be the same in the next round.

use std::sync::atomic::{AtomicU64, Ordering};

use mcp_server::{AskError, Context, Elicited, PromptError, Server};
use mcp_types::sampling::{CreateMessageParams, SamplingMessage};
use schemars::JsonSchema;
use serde::Deserialize;

use super::asking::Named;

/// Adds them.
#[rustfmt::skip]
pub(super) fn add(server: Server) -> Server {
    server
        .tool("test_input_required_result_elicitation",     "Asks the user for a name.",                          elicitation)
        .tool("test_input_required_result_sampling",        "Asks the model for a capital.",                      sampling)
        .tool("test_input_required_result_list_roots",      "Lists the roots of the client.",                     list_roots)
        .tool("test_input_required_result_request_state",   "Remembers something while the user confirms.",       request_state)
        .tool("test_input_required_result_multiple_inputs", "Asks the user, the model and for the roots at once.", multiple_inputs)
        .tool("test_input_required_result_multi_round",     "Asks the user twice, one after the other.",          multi_round)
        .tool("test_input_required_result_tampered_state",  "Remembers something that nobody may change.",        request_state)
        .tool("test_input_required_result_capabilities",    "Asks only for what the client can do.",              capabilities)
        .prompt("test_input_required_result_prompt",        "Asks the user what it is about.",                    prompt)
}

async fn elicitation(context: Context) -> Result<String, AskError> {
    Ok(greeted(context.elicit("user_name", "What is your name?").await?))
}

async fn sampling(context: Context) -> Result<String, AskError> {
    let told = context.sample("capital_question", question("What is the capital of France?", 100)).await?;
    Ok(told.as_text().unwrap_or("no text").to_owned())
}

async fn list_roots(context: Context) -> Result<String, AskError> {
    let roots = context.roots("client_roots").await?;
    let each = roots.into_iter().map(|root| match root.name {
        Some(name) => format!("{name} at {}", root.uri),
        None => root.uri,
    });
    Ok(each.collect::<Vec<_>>().join("\n"))
}

#[derive(Deserialize, JsonSchema)]
struct Confirmation {
    ok: bool,
}

async fn request_state(context: Context) -> Result<String, AskError> {
    let mut is_new = false;
    let ticket = context
        .once("ticket", async {
            is_new = true;
            draw()
        })
        .await?;
    let answer = context.elicit::<Confirmation>("confirm", "Please confirm").await?;
    let answer = match answer {
        Elicited::Accepted(Confirmation { ok: true }) => "confirmed",
        Elicited::Accepted(_) | Elicited::Declined | Elicited::Cancelled => "not confirmed",
    };
    let state = if is_new { "nothing to remember" } else { "state-ok" };
    Ok(format!("{state}: ticket {ticket} was {answer}"))
}

async fn multiple_inputs(context: Context) -> Result<String, AskError> {
    let ticket = context.once("ticket", async { draw() }).await?;
    let (name, greeting, roots) = tokio::try_join!(
        context.elicit::<Named>("user_name", "What is your name?"),
        context.sample("greeting", question("Generate a greeting", 50)),
        context.roots("client_roots"),
    )?;
    let (name, greeting) = (greeted(name), greeting.as_text().unwrap_or("no text").to_owned());
    Ok(format!("ticket {ticket}: {name} {greeting} You have {} roots.", roots.len()))
}

#[derive(Deserialize, JsonSchema)]
struct Colour {
    color: String,
}

async fn multi_round(context: Context) -> Result<String, AskError> {
    let ticket = context.once("ticket", async { draw() }).await?;
    let Elicited::Accepted(person) = context.elicit::<Named>("step1", "Step 1: What is your name?").await? else {
        return Ok(format!("ticket {ticket}: nobody"));
    };
    let colour = context.elicit::<Colour>("step2", "Step 2: What is your favorite color?").await?;
    let colour = colour.accepted().map_or_else(|| "no color".to_owned(), |colour| colour.color);
    Ok(format!("ticket {ticket}: {} likes {colour}", person.name))
}

async fn capabilities(context: Context) -> Result<String, AskError> {
    let client = context.client_capabilities();
    let has_forms = client.elicitation.is_some_and(|elicitation| elicitation.supports_form());
    let has_model = client.sampling.is_some();
    let name = async {
        if !has_forms {
            return Ok("nobody was asked".to_owned());
        }
        context.elicit("user_name", "What is your name?").await.map(greeted)
    };
    let greeting = async {
        if !has_model {
            return Ok("no model was asked".to_owned());
        }
        let told = context.sample("greeting", question("Generate a greeting", 50)).await?;
        Ok(told.as_text().unwrap_or("no text").to_owned())
    };
    let (name, greeting) = tokio::try_join!(name, greeting)?;
    Ok(format!("{name} {greeting}"))
}

#[derive(Deserialize, JsonSchema)]
struct Topic {
    context: String,
}

async fn prompt(context: Context) -> Result<String, PromptError> {
    let answer = context.elicit::<Topic>("user_context", "What context should the prompt use?").await?;
    let topic = answer.accepted().map_or_else(|| "nothing in particular".to_owned(), |topic| topic.context);
    Ok(format!("Use this context: {topic}"))
}

fn question(text: &str, most_tokens: u64) -> CreateMessageParams {
    CreateMessageParams::new(vec![SamplingMessage::user(text)], most_tokens)
}

fn greeted(answer: Elicited<Named>) -> String {
    answer.accepted().map_or_else(|| "Hello, whoever you are!".to_owned(), |person| format!("Hello, {}!", person.name))
}

/// A number that nobody had before.
fn draw() -> u64 {
    static DRAWN: AtomicU64 = AtomicU64::new(1);
    DRAWN.fetch_add(1, Ordering::Relaxed)
}
