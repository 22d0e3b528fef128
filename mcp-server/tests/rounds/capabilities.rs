//! A client is asked for what it can do, and for nothing else.

use mcp_server::{AskError, Context, Server};
use mcp_types::Tool;
use mcp_types::sampling::CreateMessageParams;
use serde_json::{Value, json};

use crate::questions::Person;
use crate::support::{Client, questions, text};

fn server() -> Server {
    async fn form(ctx: Context) -> Result<String, AskError> {
        Ok(ctx.elicit::<Person>("k", "?").await?.action().to_owned())
    }
    async fn page(ctx: Context) -> Result<String, AskError> {
        Ok(ctx.elicit_url("k", "?", "https://a.example").await?.action().to_owned())
    }
    async fn sample(ctx: Context) -> Result<String, AskError> {
        Ok(ctx.sample("k", CreateMessageParams::new(Vec::new(), 1)).await?.model)
    }
    async fn tools(ctx: Context) -> Result<String, AskError> {
        let asked = CreateMessageParams::new(Vec::new(), 1).with_tools(vec![Tool::new("t", json!({"type": "object"}))]);
        Ok(ctx.sample("k", asked).await?.model)
    }
    async fn roots(ctx: Context) -> Result<String, AskError> {
        Ok(ctx.roots("k").await?.len().to_string())
    }
    async fn all(ctx: Context) -> Result<String, AskError> {
        let page = ctx.elicit_url("page", "?", "https://a.example");
        let (form, page, roots) = tokio::join!(ctx.elicit::<Person>("form", "?"), page, ctx.roots("roots"));
        form?;
        page?;
        roots?;
        Ok(String::new())
    }
    async fn careful(ctx: Context) -> Result<String, AskError> {
        if ctx.client_capabilities().elicitation.is_none() {
            return Ok("would have asked".to_owned());
        }
        form(ctx).await
    }
    Server::new("s", "1")
        .tool("form", "", form)
        .tool("page", "", page)
        .tool("sample", "", sample)
        .tool("tools", "", tools)
        .tool("roots", "", roots)
        .tool("all", "", all)
        .tool("careful", "", careful)
}

/// What each tool needs, and what a client may declare that does and does not do.
fn rows() -> Vec<(&'static str, Value, Vec<Value>, Vec<Value>)> {
    vec![
        (
            "form",
            json!({"elicitation": {"form": {}}}),
            vec![json!({"elicitation": {}}), json!({"elicitation": {"form": {}}})],
            vec![json!({}), json!({"elicitation": {"url": {}}}), json!({"sampling": {}, "roots": {}})],
        ),
        (
            "page",
            json!({"elicitation": {"url": {}}}),
            vec![json!({"elicitation": {"url": {}}})],
            vec![json!({}), json!({"elicitation": {}}), json!({"elicitation": {"form": {}}})],
        ),
        ("sample", json!({"sampling": {}}), vec![json!({"sampling": {}})], vec![json!({}), json!({"elicitation": {}})]),
        (
            "tools",
            json!({"sampling": {"tools": {}}}),
            vec![json!({"sampling": {"tools": {}}})],
            vec![json!({}), json!({"sampling": {"context": {}}})],
        ),
        ("roots", json!({"roots": {}}), vec![json!({"roots": {}})], vec![json!({}), json!({"sampling": {}})]),
    ]
}

#[tokio::test(start_paused = true)]
async fn a_modern_call_that_needs_what_is_not_declared_is_refused() {
    let server = server();
    for (tool, needs, enough, too_little) in rows() {
        for declared in enough {
            assert_eq!(questions(&Client::modern_with(&server, declared).call(tool).await), ["k"]);
        }
        for declared in too_little {
            let error = Client::modern_with(&server, declared).call(tool).await;
            assert_eq!((&error["code"], &error["data"]), (&json!(-32021), &json!({"requiredCapabilities": needs})));
        }
    }
    let error = Client::modern_with(&server, json!({"sampling": {}})).call("all").await;
    assert_eq!(error["data"]["requiredCapabilities"], json!({"elicitation": {"form": {}, "url": {}}, "roots": {}}));
}

#[tokio::test(start_paused = true)]
async fn a_legacy_tool_is_told_that_the_client_cannot_answer() {
    let server = server();
    for (tool, _, enough, too_little) in rows() {
        for declared in enough {
            let mut client = Client::legacy_with(&server, "2025-11-25", declared).await;
            client.request("tools/call", json!({"name": tool})).await;
            assert!(client.recv().await.get("method").is_some());
        }
        for declared in too_little {
            let result = Client::legacy_with(&server, "2025-11-25", declared).await.call(tool).await;
            assert_eq!(result["isError"], true, "{result}");
            assert!(text(&result).contains("does not support"), "{result}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_tool_can_look_before_it_asks() {
    let server = server();
    assert_eq!(text(&Client::modern_with(&server, json!({})).call("careful").await), "would have asked");
    assert_eq!(questions(&Client::modern(&server).call("careful").await), ["k"]);
    let mut client = Client::legacy_with(&server, "2025-11-25", json!({})).await;
    assert_eq!(text(&client.call("careful").await), "would have asked");
}
