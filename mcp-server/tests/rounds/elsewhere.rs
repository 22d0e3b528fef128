//! Prompts and resources ask as tools do; completions do not.

use mcp_server::{AskError, Context, Prompt, PromptError, ResourceError, Server};
use mcp_types::prompts::PromptArgument;
use serde_json::{Value, json};

use crate::questions::Person;
use crate::support::{Client, named, questions};

fn server() -> Server {
    async fn prompt(ctx: Context) -> Result<String, PromptError> {
        Ok(format!("Greet {}.", ctx.elicit::<Person>("who", "?").await?.action()))
    }
    async fn resource(ctx: Context) -> Result<String, ResourceError> {
        let name = ctx.once("step", async { "x".to_owned() }).await?;
        Ok(format!("{name} {}", ctx.elicit::<Person>("who", "?").await?.action()))
    }
    async fn completion(ctx: Context) -> Vec<String> {
        let answer = ctx.elicit::<Person>("who", "?").await;
        vec![answer.map_or_else(|error| error.to_string(), |answer| answer.action().to_owned())]
    }
    Server::new("s", "1")
        .add_prompt(Prompt::new("p", prompt).with_arguments([PromptArgument::new("a")]).complete("a", completion))
        .resource("app://r", "r", resource)
        .resource("app://other", "other", resource)
}

/// The method, what is asked for, and where the text is in the result.
fn rows() -> [(&'static str, Value, &'static str, &'static str); 2] {
    [
        ("prompts/get", json!({"name": "p"}), "/messages/0/content/text", "Greet accept."),
        ("resources/read", json!({"uri": "app://r"}), "/contents/0/text", "x accept"),
    ]
}

#[tokio::test(start_paused = true)]
async fn prompts_and_resources_ask_as_tools_do() {
    let server = server();
    for (method, params, place, expected) in rows() {
        let mut client = Client::modern(&server);
        let asked = client.ask(method, params.clone()).await;
        assert_eq!(questions(&asked), ["who"]);
        let mut again = params.clone();
        again["inputResponses"] = json!({"who": named("Ada")});
        if let Some(state) = asked.get("requestState") {
            again["requestState"] = state.clone();
        }
        let result = client.ask(method, again.clone()).await;
        assert_eq!(result.pointer(place), Some(&json!(expected)), "{result}");
        again["inputResponses"]["who"] = json!({"action": "accept", "content": {"name": 1}});
        assert_eq!(client.ask(method, again).await["code"], -32602);
        let lacking = Client::modern_with(&server, json!({})).ask(method, params.clone()).await;
        assert_eq!(lacking["code"], -32021);

        let mut client = Client::legacy(&server).await;
        let call = client.request(method, params).await;
        let request = client.asked("elicitation/create").await;
        client.respond(&request, named("Ada")).await;
        let result = client.answer_to(call).await;
        assert_eq!(result.pointer(place), Some(&json!(expected)), "{result}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_state_of_a_resource_serves_no_other_one() {
    let mut client = Client::modern(&server());
    let asked = client.ask("resources/read", json!({"uri": "app://r", "name": "n"})).await;
    for other in [json!({"uri": "app://other", "name": "n"}), json!({"uri": "app://other"})] {
        let mut again = other;
        again["requestState"] = asked["requestState"].clone();
        let error = client.ask("resources/read", again).await;
        assert_eq!(error["code"], -32602, "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn completions_ask_nobody() {
    let server = server();
    let params = json!({"ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "a", "value": ""}});
    for client in [&mut Client::modern(&server), &mut Client::legacy(&server).await] {
        let result = client.ask("completion/complete", params.clone()).await;
        let said = result["completion"]["values"][0].as_str().unwrap();
        assert!(said.contains("only tools, prompts and resources can ask"), "{result}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_legacy_client_at_fault_is_told_what_a_tool_would_say() {
    /// One who says more than clients are to know.
    #[derive(Debug, thiserror::Error)]
    #[error("secret")]
    struct Wrapped(#[from] AskError);
    async fn wrapping(ctx: Context) -> Result<String, PromptError> {
        Ok(ctx.elicit::<Person>("who", "?").await.map_err(Wrapped)?.action().to_owned())
    }
    let server = server().prompt("wrapping", "", wrapping);
    let rows = rows().map(|(method, params, ..)| (method, params));
    for (method, params) in rows.into_iter().chain([("prompts/get", json!({"name": "wrapping"}))]) {
        let mut client = Client::legacy_with(&server, "2025-06-18", json!({})).await;
        let error = client.ask(method, params.clone()).await;
        let told = "the client cannot be asked for this: it does not support elicitation by a form";
        assert_eq!((&error["code"], &error["message"]), (&json!(-32600), &json!(told)), "{method}");

        let mut client = Client::legacy(&server).await;
        let call = client.request(method, params).await;
        let request = client.asked("elicitation/create").await;
        client.respond(&request, json!({"action": "accept", "content": {"name": 1}})).await;
        let error = client.answer_to(call).await;
        assert_eq!(error["code"], -32602, "{error}");
        assert!(error["message"].as_str().unwrap().starts_with("the answer to `who` does not fit"), "{error}");
    }
}
