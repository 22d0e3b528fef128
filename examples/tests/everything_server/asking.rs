//! The tools that ask their client, over a pipe and in both eras.

use serde_json::{Value, json};

use crate::support::{Program, call, text};

/// A call of a tool by a modern client that can answer everything.
pub(crate) fn modern(id: u64, tool: &str, more: Value) -> Value {
    let mut request = call(id, tool, json!({}));
    for (name, value) in more.as_object().unwrap() {
        request["params"][name] = value.clone();
    }
    request["params"]["_meta"] = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}, "sampling": {}, "roots": {}}});
    request
}

/// An answer for each of the questions, by the key it has in the modern era.
fn answers(tool: &str) -> Vec<(&'static str, &'static str, Value)> {
    let named = |name| json!({"action": "accept", "content": {"name": name}});
    match tool {
        "ask" => vec![("elicitation/create", "name", named("Ada"))],
        "ask_twice" => {
            vec![("elicitation/create", "first", named("Ada")), ("elicitation/create", "second", named("Bob"))]
        }
        "sample" => {
            let content = json!({"type": "text", "text": "Hi"});
            vec![("sampling/createMessage", "hello", json!({"role": "assistant", "content": content, "model": "m"}))]
        }
        _ => vec![("roots/list", "roots", json!({"roots": [{"uri": "file:///a"}, {"uri": "file:///b"}]}))],
    }
}

const TOOLS: [(&str, &str); 4] =
    [("ask", "action=accept"), ("ask_twice", "Ada and Bob"), ("sample", "Hi"), ("roots", "file:///a\nfile:///b")];

#[tokio::test]
async fn they_ask_a_legacy_client_by_requests() {
    let mut program = Program::everything(&[]);
    let capabilities = json!({"elicitation": {}, "sampling": {}, "roots": {}});
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": capabilities,
        "clientInfo": {"name": "tester", "version": "1"}});
    program.send(&json!({"jsonrpc": "2.0", "id": "init", "method": "initialize", "params": params})).await;
    program.recv().await;
    for (id, (tool, expected)) in (1..).zip(TOOLS) {
        program.send(&call(id, tool, json!({}))).await;
        for (method, _, answer) in answers(tool) {
            let request = program.recv().await;
            assert_eq!(request["method"], method);
            program.send(&json!({"jsonrpc": "2.0", "id": request["id"], "result": answer})).await;
        }
        assert_eq!(text(&program.recv().await), expected);
    }
}

#[tokio::test]
async fn they_ask_a_modern_client_in_rounds() {
    let mut program = Program::everything(&[]);
    for (tool, expected) in TOOLS {
        program.send(&modern(1, tool, json!({}))).await;
        for (id, (method, key, answer)) in (2..).zip(answers(tool)) {
            let asked = program.recv().await["result"].take();
            assert_eq!(asked["inputRequests"][key]["method"], method, "{asked}");
            let mut more = json!({"inputResponses": {key: answer}});
            if let Some(state) = asked.get("requestState") {
                more["requestState"] = state.clone();
            }
            program.send(&modern(id, tool, more)).await;
        }
        assert_eq!(text(&program.recv().await), expected);
    }
}

#[tokio::test]
async fn they_fail_where_the_client_cannot_be_asked() {
    let mut program = Program::everything(&[]);
    program.initialize().await;
    for (tool, _) in TOOLS {
        program.send(&call(1, tool, json!({}))).await;
        assert_eq!(program.recv().await["result"]["isError"], true, "{tool}");
    }
}
