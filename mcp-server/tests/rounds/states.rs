//! What is kept between two rounds.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_server::{Args, AskError, Context, Limits, Server, ToolError};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::questions::Person;
use crate::support::{Client, named, questions, text};

async fn name(ctx: &Context, key: &str) -> Result<String, AskError> {
    Ok(ctx.elicit::<Person>(key, "?").await?.accepted().map_or_else(|| "nobody".to_owned(), |person| person.name))
}

async fn two(ctx: Context) -> Result<String, AskError> {
    let first = name(&ctx, "first").await?;
    let second = name(&ctx, &format!("second of {first}")).await?;
    Ok(format!("{first} {second}"))
}

fn state(asked: &Value) -> &str {
    asked["requestState"].as_str().unwrap()
}

#[tokio::test(start_paused = true)]
async fn the_answers_of_earlier_rounds_are_kept_for_the_call_they_were_given_to() {
    #[derive(Deserialize, JsonSchema)]
    struct Echo {
        text: String,
    }
    async fn echo(Args(echo): Args<Echo>) -> String {
        echo.text
    }
    let server = Server::new("s", "1").tool("two", "", two).tool("other", "", two).tool("echo", "", echo);
    let mut client = Client::modern(&server);
    let first = client.call("two").await;
    assert_eq!((questions(&first), first.get("requestState")), (vec!["first"], None));
    let second = client.retry("two", &first, json!({"first": named("Ada")})).await;
    assert_eq!(questions(&second), ["second of Ada"]);
    assert!(!state(&second).contains("Ada"));
    // A client that lost the answer makes the same request again.
    let again = client.retry("two", &first, json!({"first": named("Ada")})).await;
    assert_ne!(state(&again), state(&second));
    for _ in 0..2 {
        let result = client.retry("two", &second, json!({"second of Ada": named("Bob")})).await;
        assert_eq!(text(&result), "Ada Bob");
    }
    // Without the state the call begins anew.
    let anew =
        client.ask("tools/call", json!({"name": "two", "inputResponses": {"second of Ada": named("Bob")}})).await;
    assert_eq!(questions(&anew), ["first"]);

    let state = state(&second);
    let tampered = format!("{state}-TAMPERED");
    let rows = [
        (json!({"name": "two", "requestState": tampered}), "unknown or has expired"),
        (json!({"name": "two", "requestState": ""}), "unknown or has expired"),
        (json!({"name": "two", "requestState": state, "arguments": {"a": 1}}), "another request"),
        (json!({"name": "other", "requestState": state}), "another request"),
        (json!({"name": "echo", "requestState": state, "arguments": {"text": "x"}}), "another request"),
    ];
    for (params, says) in rows {
        let error = client.ask("tools/call", params.clone()).await;
        assert_eq!(error["code"], -32602, "{params}: {error}");
        assert!(error["message"].as_str().unwrap().contains(says), "{params}: {error}");
    }
    // The other session of the same server does not know it.
    let error = Client::modern(&server).ask("tools/call", json!({"name": "two", "requestState": state})).await;
    assert_eq!(error["code"], -32602);

    tokio::time::advance(Duration::from_secs(10 * 60)).await;
    let error = client.retry("two", &second, json!({"second of Ada": named("Bob")})).await;
    assert_eq!(error["code"], -32602, "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_step_is_done_once_however_many_rounds_there_are() {
    let done: &[Arc<AtomicUsize>; 3] = Box::leak(Box::default());
    let count = |counter: &Arc<AtomicUsize>| counter.fetch_add(1, Ordering::Relaxed) + 1;
    let tool = move |ctx: Context| async move {
        let number = ctx.once("number", async { count(&done[0]) }).await?;
        let first = name(&ctx, "first").await?;
        let failed: Result<usize, ToolError> =
            ctx.try_once("failing", async { Err(ToolError::new(format!("failure {}", count(&done[1])))) }).await;
        let failure = failed.unwrap_err().to_string();
        let tried = ctx.try_once("trying", async { Ok::<_, ToolError>(count(&done[2])) }).await?;
        let second = name(&ctx, "second").await?;
        Ok::<_, ToolError>(format!("{number} {first} {failure} {tried} {second}"))
    };
    let server = Server::new("s", "1").tool("steps", "", tool);
    let mut client = Client::modern(&server);
    let first = client.call("steps").await;
    assert_eq!(questions(&first), ["first"]);
    let second = client.retry("steps", &first, json!({"first": named("a")})).await;
    let result = client.retry("steps", &second, json!({"second": named("b")})).await;
    assert_eq!(text(&result), "1 a failure 2 1 b");

    let mut client = Client::legacy(&server).await;
    let call = client.request("tools/call", json!({"name": "steps"})).await;
    for answer in ["a", "b"] {
        let request = client.asked("elicitation/create").await;
        client.respond(&request, named(answer)).await;
    }
    assert_eq!(text(&client.answer_to(call).await), "2 a failure 3 2 b");
}

#[tokio::test(start_paused = true)]
async fn a_key_is_used_for_one_step_or_one_question() {
    async fn steps(ctx: Context) -> Result<String, AskError> {
        ctx.once("k", async { 1 }).await?;
        ctx.once("k", async { 2 }).await?;
        Ok(String::new())
    }
    async fn mixed(ctx: Context) -> Result<String, AskError> {
        ctx.once("k", async { 1 }).await?;
        name(&ctx, "k").await
    }
    async fn no_json(ctx: Context) -> Result<String, AskError> {
        ctx.once("k", async { std::collections::HashMap::from([((1, 2), 3)]) }).await?;
        Ok(String::new())
    }
    let server = Server::new("s", "1").tool("steps", "", steps).tool("mixed", "", mixed).tool("no_json", "", no_json);
    for client in [&mut Client::modern(&server), &mut Client::legacy(&server).await] {
        for (tool, says) in [("steps", "used twice"), ("mixed", "used twice"), ("no_json", "cannot be kept")] {
            let result = client.call(tool).await;
            assert!(text(&result).contains(says), "{result}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_cannot_ask_for_ever() {
    async fn endless(ctx: Context) -> Result<String, AskError> {
        let mut names = String::new();
        for round in 0.. {
            names += &name(&ctx, &round.to_string()).await?;
        }
        Ok(names)
    }
    let mut limits = Limits::default();
    assert_eq!(limits.input_rounds, 10);
    limits.input_rounds = 3;
    let mut client = Client::modern(&Server::new("s", "1").with_limits(limits).tool("endless", "", endless));
    let mut asked = client.call("endless").await;
    for round in 0..2 {
        assert_eq!(questions(&asked), [round.to_string()]);
        asked = client.retry("endless", &asked, json!({round.to_string(): named("x")})).await;
    }
    assert_eq!(questions(&asked), ["2"]);
    let error = client.retry("endless", &asked, json!({"2": named("x")})).await;
    assert_eq!(error["code"], -32603, "{error}");
    assert!(error["message"].as_str().unwrap().contains("3 rounds"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn more_than_can_be_kept_is_an_error_and_not_a_loss() {
    async fn hoard(ctx: Context) -> Result<String, AskError> {
        ctx.once("large", async { "x".repeat(64 << 10) }).await?;
        name(&ctx, "k").await
    }
    let error = Client::modern(&Server::new("s", "1").tool("hoard", "", hoard)).call("hoard").await;
    assert_eq!(error["code"], -32603, "{error}");
}
