//! The tools by which the official conformance suite looks at the protocol itself.

use serde_json::{Value, json};

use crate::rounds::open;
use crate::support::{Program, call, modern_call, request, standing_alone, text};

/// A modern request that is no call of a tool.
fn modern(id: u64, method: &str, params: Value) -> Value {
    standing_alone(request(id, method, params))
}

#[tokio::test]
async fn a_call_that_needs_a_capability_says_which() {
    let mut program = Program::everything(&[]);
    let refused = program.ask(&modern_call(1, "test_missing_capability", json!({}))).await;
    assert_eq!(refused["error"]["code"], -32021);
    assert_eq!(refused["error"]["data"]["requiredCapabilities"], json!({"sampling": {}}));

    let mut program = Program::everything(&[]);
    program.initialize().await;
    let failed = program.ask(&call(1, "test_missing_capability", json!({}))).await;
    assert_eq!(failed["result"]["isError"], true);
}

#[tokio::test]
async fn a_stream_that_asks_has_its_progress_and_no_request() {
    let mut program = Program::everything(&[]);
    let mut asking = crate::asking::modern(1, "test_streaming_elicitation", json!({}));
    asking["params"]["_meta"]["progressToken"] = "p".into();
    let progress = program.ask(&asking).await;
    assert_eq!((&progress["method"], &progress["params"]["progress"]), (&json!("notifications/progress"), &json!(1)));
    let asked = program.recv().await;
    assert_eq!((&asked["result"]["resultType"], asked.get("method")), (&json!("input_required"), None));
}

#[tokio::test]
async fn nothing_is_logged_for_who_did_not_ask() {
    let mut program = Program::everything(&[]);
    let answer = program.ask(&modern_call(1, "test_logging_tool", json!({}))).await;
    assert_eq!(text(&answer), "logged");
    let mut asking = modern_call(2, "test_logging_tool", json!({}));
    asking["params"]["_meta"]["io.modelcontextprotocol/logLevel"] = "info".into();
    program.send(&asking).await;
    for level in ["info", "error"] {
        let note = program.recv().await;
        assert_eq!((&note["method"], &note["params"]["level"]), (&json!("notifications/message"), &json!(level)));
    }
    assert_eq!(text(&program.recv().await), "logged");
}

/// Sends a request and reads up to its answer: what came before, and the answer.
async fn converse(program: &mut Program, message: &Value) -> (Vec<Value>, Value) {
    program.send(message).await;
    let mut before = Vec::new();
    loop {
        let frame = program.recv().await;
        if frame["id"] == message["id"] {
            return (before, frame);
        }
        before.push(frame);
    }
}

#[tokio::test]
async fn lists_change_and_are_the_same_again() {
    for (kind, tool) in [("tools", "test_trigger_tool_change"), ("prompts", "test_trigger_prompt_change")] {
        let changed = format!("notifications/{kind}/list_changed");
        let is_change = |frame: &&Value| frame["method"] == *changed;
        let list = format!("{kind}/list");

        let mut program = Program::everything(&[]);
        let before = program.ask(&modern(1, &list, json!({}))).await["result"][kind].take();
        let wanted = format!("{kind}ListChanged");
        let listen = modern(2, "subscriptions/listen", json!({"notifications": {wanted: true}}));
        let acknowledged = program.ask(&listen).await;
        assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged");
        let (mut told, answer) = converse(&mut program, &modern_call(3, tool, json!({}))).await;
        assert!(!text(&answer).is_empty());
        let (more, after) = converse(&mut program, &modern(4, &list, json!({}))).await;
        told.extend(more);
        assert!(before.is_array() && before == after["result"][kind], "{after}");
        let change = told.iter().find(is_change).unwrap_or_else(|| panic!("{told:?}"));
        assert_eq!(change["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 2);

        let mut program = Program::everything(&[]);
        open(&mut program).await;
        let (mut told, _) = converse(&mut program, &call(1, tool, json!({}))).await;
        let (more, after) = converse(&mut program, &request(2, &list, json!({}))).await;
        told.extend(more);
        assert!(told.iter().any(|frame| is_change(&frame)), "{told:?}");
        assert_eq!(after["result"][kind].as_array().map(Vec::len), before.as_array().map(Vec::len));
    }
}

/// The schemas as clients of both eras are told.
async fn schemas(tool: &str) -> [Value; 2] {
    let mut program = Program::everything(&[]);
    let modern = program.ask(&modern(1, "tools/list", json!({}))).await;
    program.initialize().await;
    let legacy = program.ask(&request(2, "tools/list", json!({}))).await;
    [modern, legacy].map(|list| {
        let tools = list["result"]["tools"].as_array().unwrap();
        tools.iter().find(|told| told["name"] == tool).unwrap()["inputSchema"].clone()
    })
}

#[tokio::test]
async fn a_schema_written_by_hand_is_told_as_it_is() {
    for schema in schemas("json_schema_2020_12_tool").await {
        let keywords: Vec<_> = schema.as_object().unwrap().keys().map(String::as_str).collect();
        for keyword in ["$schema", "$defs", "allOf", "if", "then", "else", "additionalProperties"] {
            assert!(keywords.contains(&keyword), "{keyword} is missing: {schema}");
        }
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
        assert_eq!(schema["$defs"]["address"]["$anchor"], "addressDef");
        assert_eq!(schema["allOf"], json!([{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}]));
        assert_eq!(schema["additionalProperties"], false);
    }
    let mut program = Program::everything(&[]);
    let arguments = json!({"name": "Ada", "contactMethod": "phone", "phone": "42", "email": "a@example.com"});
    let answer = program.ask(&modern_call(1, "json_schema_2020_12_tool", arguments)).await;
    assert_eq!(text(&answer), "Ada is reached at 42");
}

#[tokio::test]
async fn arguments_say_by_which_headers_they_are_sent() {
    for schema in schemas("test_custom_header").await {
        let header = |argument: &str| &schema["properties"][argument]["x-mcp-header"];
        assert_eq!([header("region"), header("priority"), header("dry_run")], ["Region", "Priority", "Dry-Run"]);
        assert_eq!(schema["required"], json!(["region"]));
        let kinds = ["region", "priority", "dry_run"].map(|argument| &schema["properties"][argument]["type"]);
        assert_eq!(kinds, ["string", "integer", "boolean"]);
    }
    let mut program = Program::everything(&[]);
    let answer = program.ask(&modern_call(1, "test_custom_header", json!({"region": "=?base64?x"}))).await;
    assert_eq!(text(&answer), "region==?base64?x, priority=0, dry_run=false");
}
