//! `tools/call`: what goes in and what comes out.

use std::io;

use mcp_server::{Json, Server, ToolError};
use mcp_types::{CallToolResult, Content, Object};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::support::{Client, Era, assert_error, dressed, text_result};

#[derive(Serialize, JsonSchema)]
struct Point {
    x: i32,
}

fn server() -> Server {
    let meta = Object::from_iter([("mine".to_owned(), json!(1))]);
    let full = CallToolResult::new(vec![Content::text("a"), Content::text("b")]).with_meta(meta);
    Server::new("s", "1")
        .tool("string", "", async || "say \"hi\"\n".to_owned())
        .tool("text", "", async || "text")
        .tool("nothing", "", async || ())
        .tool("integer", "", async || -42_i64)
        .tool("flag", "", async || true)
        .tool("point", "", async || Json(Point { x: 1 }))
        .tool("points", "", async || Json([1, 2]))
        .tool("content", "", async || Content::text("block"))
        .tool("full", "", move || std::future::ready(full.clone()))
        .tool("fails", "", async || Err::<(), _>(ToolError::new("no luck")))
        .tool("breaks", "", async || {
            let () = Err(io::Error::other("disk on fire"))?;
            Ok::<_, ToolError>("whole")
        })
        .tool("io", "", async || Err::<&str, _>(io::Error::other("wet")))
        .tool("panics", "", async || -> &'static str { panic!("on purpose") })
}

#[tokio::test(start_paused = true)]
async fn what_a_tool_returns_becomes_its_result() {
    let text = |text: &str| json!({"content": [{"type": "text", "text": text}]});
    let failure = |text: &str| json!({"content": [{"type": "text", "text": text}], "isError": true});
    let blocks = json!([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]);
    let rows = [
        ("string", text("say \"hi\"\n")),
        ("text", text("text")),
        ("nothing", json!({"content": []})),
        ("integer", text("-42")),
        ("flag", text("true")),
        ("point", json!({"content": [{"type": "text", "text": "{\"x\":1}"}], "structuredContent": {"x": 1}})),
        ("content", text("block")),
        ("full", json!({"content": blocks, "_meta": {"mine": 1}})),
        ("fails", failure("no luck")),
        ("breaks", failure("disk on fire")),
        ("io", failure("wet")),
    ];
    for era in [Era::Legacy, Era::Modern] {
        let mut client = Client::ready(&server(), era).await;
        for (tool, result) in &rows {
            let answer = client.call(tool, json!({})).await;
            assert_eq!(answer["result"], dressed(era, result.clone()), "{era:?} {tool}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn only_modern_clients_take_structured_content_that_is_no_object() {
    let mut legacy = Client::ready(&server(), Era::Legacy).await;
    assert_eq!(legacy.call("points", json!({})).await["result"], text_result(Era::Legacy, "[1,2]"));
    let mut modern = Client::ready(&server(), Era::Modern).await;
    assert_eq!(modern.call("points", json!({})).await["result"]["structuredContent"], json!([1, 2]));
}

#[tokio::test(start_paused = true)]
async fn calls_that_no_tool_can_take_are_protocol_errors() {
    let rows = [
        (json!({"name": "nope", "arguments": {}}), "Unknown tool: nope"),
        (json!({"arguments": {}}), "`name`"),
        (json!({"name": 123}), "`name`"),
        (json!({"name": null}), "`name`"),
        (json!({"name": "text", "arguments": [1]}), "`arguments`"),
        (json!({"name": "text", "arguments": "x"}), "`arguments`"),
    ];
    for era in [Era::Legacy, Era::Modern] {
        let mut client = Client::ready(&server(), era).await;
        for (params, names) in &rows {
            assert_error(&client.ask("tools/call", params.clone()).await, -32602, names);
        }
        let without = client.ask("tools/call", json!({"name": "text"})).await;
        assert_eq!(without["result"], text_result(era, "text"));
        let null = client.ask("tools/call", json!({"name": "text", "arguments": null})).await;
        assert_eq!(null["result"], text_result(era, "text"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_panic_is_an_internal_error_of_that_call_alone() {
    for era in [Era::Legacy, Era::Modern] {
        let mut client = Client::ready(&server(), era).await;
        let answer = client.call("panics", json!({})).await;
        assert_error(&answer, -32603, "internal");
        assert!(!answer.to_string().contains("on purpose"), "{answer}");
        assert_eq!(client.call("text", json!({})).await["result"], text_result(era, "text"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_modern_request_says_properly_what_it_wants_to_hear() {
    let rows = [
        (json!({"io.modelcontextprotocol/logLevel": "loud"}), "logLevel"),
        (json!({"io.modelcontextprotocol/logLevel": 3}), "logLevel"),
        (json!({"progressToken": {}}), "progressToken"),
    ];
    let mut client = Client::ready(&server(), Era::Modern).await;
    for (meta, names) in rows {
        assert_error(&client.ask("tools/call", json!({"name": "text", "_meta": meta})).await, -32602, names);
    }
    let meta = json!({"io.modelcontextprotocol/logLevel": Value::Null, "progressToken": Value::Null});
    let answer = client.ask("tools/call", json!({"name": "text", "_meta": meta})).await;
    assert_eq!(answer["result"], text_result(Era::Modern, "text"));
}
