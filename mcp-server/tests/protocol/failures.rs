//! Tools that fail: by a result that a model can learn from, or by a protocol error.

use mcp_server::{Context, ProtocolError, Server, ToolError};
use mcp_types::jsonrpc::ErrorCode;
use serde_json::json;

use crate::support::{Client, Era, assert_error, dressed, text_result};

fn teapot() -> ProtocolError {
    ProtocolError::new(ErrorCode(418), "short and stout").with_data(&json!({"spout": true}))
}

#[tokio::test(start_paused = true)]
async fn a_tool_may_fail_in_both_ways() {
    let server = Server::new("s", "1")
        .tool("teapot", "", async || Err::<(), _>(teapot()))
        .tool("params", "", async || Err::<(), _>(ProtocolError::invalid_params("no such city")))
        .tool("both", "", async || Ok::<_, ProtocolError>(Err::<(), _>(ToolError::new("try another one"))))
        .tool("fine", "", async || Ok::<_, ProtocolError>("fine"));
    for era in [Era::Legacy, Era::Modern] {
        let mut client = Client::ready(&server, era).await;
        let error = json!({"code": 418, "message": "short and stout", "data": {"spout": true}});
        assert_eq!(client.call("teapot", json!({})).await["error"], error);
        assert_error(&client.call("params", json!({})).await, -32602, "no such city");
        let failure = json!({"content": [{"type": "text", "text": "try another one"}], "isError": true});
        assert_eq!(client.call("both", json!({})).await["result"], dressed(era, failure));
        assert_eq!(client.call("fine", json!({})).await["result"], text_result(era, "fine"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_failed_inside_a_tool_is_a_result() {
    async fn ask(context: Context) -> Result<String, ToolError> {
        Ok(context.peer().call("roots/list", None).await?.get().to_owned())
    }
    let mut client = Client::ready(&Server::new("s", "1").tool("ask", "", ask), Era::Modern).await;
    let result = &client.call("ask", json!({})).await["result"];
    assert_eq!(result["isError"], true);
    assert!(
        result["content"][0]["text"].as_str().unwrap().starts_with("`roots/list` cannot be called here"),
        "{result}"
    );

    let mut client = Client::ready(&Server::new("s", "1").tool("ask", "", ask), Era::Legacy).await;
    client.request(1, "tools/call", json!({"name": "ask"})).await;
    let asked = client.recv().await;
    let refusal = json!({"code": -32601, "message": "no roots here"});
    client.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "error": refusal})).await;
    let answer = client.recv().await;
    assert_eq!(answer["result"]["isError"], true);
    assert!(answer["result"]["content"][0]["text"].as_str().unwrap().contains("no roots here"), "{answer}");
}
