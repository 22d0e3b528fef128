//! Answers that do not fit, do not come, or come from nobody.

use std::time::Duration;

use mcp_server::{AskError, Context, Server};
use mcp_types::elicitation::{ElicitFormParams, FormSchema, NumberSchema, StringFormat, StringSchema};
use mcp_types::sampling::CreateMessageParams;
use serde_json::{Value, json};

use crate::questions::Person;
use crate::support::{Client, named, questions, text};

fn server() -> Server {
    async fn form(ctx: Context) -> Result<String, AskError> {
        let form = FormSchema::new()
            .with_required("mail", StringSchema::new().with_format(StringFormat::Email))
            .with_optional("age", NumberSchema::integer().with_minimum(18));
        let answer = ctx.elicit_form("form", ElicitFormParams::new("?", &form)).await?;
        Ok(serde_json::to_string(&answer.accepted()).unwrap_or_default())
    }
    async fn sample(ctx: Context) -> Result<String, AskError> {
        Ok(ctx.sample("sample", CreateMessageParams::new(Vec::new(), 1)).await?.model)
    }
    async fn roots(ctx: Context) -> Result<String, AskError> {
        Ok(ctx.roots("roots").await?.len().to_string())
    }
    Server::new("s", "1").tool("form", "", form).tool("sample", "", sample).tool("roots", "", roots)
}

/// Tool, answer, and what the error has to name.
fn misfits() -> Vec<(&'static str, Value, &'static str)> {
    let content = |content: Value| json!({"action": "accept", "content": content});
    vec![
        ("form", content(json!({})), "`mail`"),
        ("form", json!({"action": "accept"}), "`mail`"),
        ("form", content(json!({"mail": 12345})), "`mail`"),
        ("form", content(json!({"mail": "nobody"})), "email"),
        ("form", content(json!({"mail": "a@b", "age": 17})), "`age`"),
        ("form", content(json!({"mail": "a@b", "age": "18"})), "an integer"),
        ("form", json!({"action": "shrug"}), "`action`"),
        ("form", json!({"content": {"mail": "a@b"}}), "action"),
        ("form", json!(12345), "elicitation"),
        ("form", json!({"action": "accept", "content": []}), "elicitation"),
        ("sample", json!({"role": "assistant", "model": "m"}), "content"),
        ("sample", json!(null), "message"),
        ("sample", json!({"role": "assistant", "model": "m", "content": 12345}), "message"),
        ("roots", json!({"roots": [{"name": "n"}]}), "uri"),
        ("roots", json!({"action": "accept"}), "roots"),
    ]
}

#[tokio::test(start_paused = true)]
async fn answers_that_do_not_fit_are_refused_by_key_and_field() {
    let server = server();
    let mut modern = Client::modern(&server);
    let mut legacy = Client::legacy(&server).await;
    for (tool, answer, names) in misfits() {
        let error = modern.ask("tools/call", json!({"name": tool, "inputResponses": {tool: answer}})).await;
        let message = error["message"].as_str().unwrap_or_else(|| panic!("{answer}: {error}"));
        assert_eq!(error["code"], -32602);
        assert!(message.contains(&format!("`{tool}`")) && message.contains(names), "{answer}: {message}");
        assert!(!message.contains("nobody") && !message.contains("12345"), "an answer is not repeated: {message}");

        let call = legacy.request("tools/call", json!({"name": tool})).await;
        let request = legacy.recv().await;
        legacy.respond(&request, answer).await;
        let result = legacy.answer_to(call).await;
        assert_eq!(result["isError"], true);
        assert!(text(&result).contains(&format!("`{tool}`")) && text(&result).contains(names), "{result}");
    }
    let fits = json!({"action": "accept", "content": {"mail": "a@b", "age": 18.0, "more": 1}});
    let result = modern.ask("tools/call", json!({"name": "form", "inputResponses": {"form": fits}})).await;
    assert_eq!(text(&result), r#"{"mail":"a@b","age":18,"more":1}"#);
}

#[tokio::test(start_paused = true)]
async fn answers_that_are_missing_are_asked_for_again_and_others_ignored() {
    async fn two(ctx: Context) -> Result<String, AskError> {
        let (a, b) = tokio::join!(ctx.elicit::<Person>("a", "?"), ctx.elicit::<Person>("b", "?"));
        Ok([a?, b?].map(|answer| answer.accepted().map_or_else(String::new, |person| person.name)).concat())
    }
    let mut client = Client::modern(&Server::new("s", "1").tool("two", "", two));
    let first = client.call("two").await;
    let again = client.retry("two", &first, json!({"wrong": 1})).await;
    assert_eq!(questions(&again), ["a", "b"]);
    let half = client.retry("two", &again, json!({"b": named("2"), "wrong": {"action": "accept"}})).await;
    assert_eq!(questions(&half), ["a"]);
    assert_eq!(text(&client.retry("two", &half, json!({"a": named("1")})).await), "12");
    for nothing in [json!({"name": "two", "inputResponses": null}), json!({"name": "two", "requestState": null})] {
        assert_eq!(questions(&client.ask("tools/call", nothing).await), ["a", "b"]);
    }
    for broken in [json!({"inputResponses": []}), json!({"inputResponses": 1}), json!({"requestState": 1})] {
        let mut params = broken.clone();
        params["name"] = "two".into();
        assert_eq!(client.ask("tools/call", params).await["code"], -32602, "{broken}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_legacy_client_that_fails_or_leaves_is_an_error_for_the_tool() {
    async fn patient(ctx: Context) -> String {
        match ctx.elicit::<Person>("k", "?").max_time(Duration::from_secs(60 * 60)).await {
            Err(error) => format!("{} {}", error.is_timeout(), error.is_connection_closed()),
            Ok(_) => "answered".to_owned(),
        }
    }
    let server = server().tool("patient", "", patient);
    let mut client = Client::legacy(&server).await;
    let call = client.request("tools/call", json!({"name": "roots"})).await;
    let request = client.asked("roots/list").await;
    let error = json!({"code": -1, "message": "the user said no"});
    client.send(&json!({"jsonrpc": "2.0", "id": request["id"], "error": error})).await;
    assert!(text(&client.answer_to(call).await).contains("the user said no"));

    // Ten minutes without a sign of life are fine for a person, then the client is told.
    let before = tokio::time::Instant::now();
    let call = client.request("tools/call", json!({"name": "roots"})).await;
    let request = client.asked("roots/list").await;
    assert_eq!(client.asked("notifications/cancelled").await["params"]["requestId"], request["id"]);
    assert_eq!(before.elapsed().as_secs(), 600);
    assert!(text(&client.answer_to(call).await).contains("did not answer"));

    let call = client.request("tools/call", json!({"name": "patient"})).await;
    client.asked("elicitation/create").await;
    client.close_write();
    assert_eq!(text(&client.answer_to(call).await), "false true");
    let (_, report) = client.finish().await;
    assert_eq!(report.tally.answered, 4);
}
