//! The tools that the official conformance suite calls.

use serde_json::{Value, json};

use crate::support::{Program, call, text};

async fn content(program: &mut Program, tool: &str) -> Value {
    program.send(&call(1, tool, json!({}))).await;
    program.recv().await["result"]["content"].take()
}

#[tokio::test]
async fn they_say_what_the_suite_wants() {
    let mut program = Program::everything(&[]);
    program.initialize().await;
    let simple = content(&mut program, "test_simple_text").await;
    assert_eq!(simple, json!([{"type": "text", "text": "This is a simple text response for testing."}]));
    let image = content(&mut program, "test_image_content").await;
    assert_eq!((&image[0]["type"], &image[0]["mimeType"]), (&json!("image"), &json!("image/png")));
    let audio = content(&mut program, "test_audio_content").await;
    assert_eq!((&audio[0]["type"], &audio[0]["mimeType"]), (&json!("audio"), &json!("audio/wav")));
    assert!(audio[0]["data"].as_str().unwrap().starts_with("UklGRiYAAABXQVZF"), "{audio}");
    let resource = &content(&mut program, "test_embedded_resource").await[0]["resource"];
    assert_eq!((&resource["uri"], &resource["mimeType"]), (&json!("test://embedded-resource"), &json!("text/plain")));
    let mixed = content(&mut program, "test_multiple_content_types").await;
    let kinds: Vec<_> = mixed.as_array().unwrap().iter().map(|block| block["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["text", "image", "resource"]);
    assert_eq!(mixed[2]["resource"]["uri"], "test://mixed-content-resource");
    assert_eq!(mixed[2]["resource"]["mimeType"], "application/json");

    program.send(&call(2, "test_error_handling", json!({}))).await;
    let failed = program.recv().await;
    assert_eq!(failed["result"]["isError"], true);
    assert!(!text(&failed).is_empty());
}

#[tokio::test]
async fn they_tell_their_progress_and_log() {
    let mut program = Program::everything(&[]);
    program.initialize().await;
    let mut asking = call(1, "test_tool_with_progress", json!({}));
    asking["params"]["_meta"] = json!({"progressToken": "progress-test-1"});
    program.send(&asking).await;
    for percent in [0.0, 50.0, 100.0] {
        let note = program.recv().await;
        assert_eq!(note["method"], "notifications/progress");
        assert_eq!(note["params"]["progressToken"], "progress-test-1");
        assert_eq!(
            (note["params"]["progress"].as_f64(), note["params"]["total"].as_f64()),
            (Some(percent), Some(100.0))
        );
    }
    assert!(!text(&program.recv().await).is_empty());

    program.send(&call(2, "test_tool_with_logging", json!({}))).await;
    for _ in 0..3 {
        let note = program.recv().await;
        assert_eq!((&note["method"], &note["params"]["level"]), (&json!("notifications/message"), &json!("info")));
    }
    assert!(!text(&program.recv().await).is_empty());
}

#[tokio::test]
async fn a_result_is_data_and_its_failure_is_not() {
    let mut program = Program::everything(&[]);
    program.initialize().await;
    program.send(&call(1, "divide", json!({"dividend": 17, "divisor": 5}))).await;
    let answer = program.recv().await;
    assert_eq!(answer["result"]["structuredContent"], json!({"quotient": 3, "rest": 2}));
    assert_eq!(text(&answer), r#"{"quotient":3,"rest":2}"#);
    program.send(&call(2, "divide", json!({"dividend": 17, "divisor": 0}))).await;
    let failed = program.recv().await;
    assert_eq!((&failed["result"]["isError"], failed["result"].get("structuredContent")), (&json!(true), None));
}

/// Another suite calls the first tool of the list without arguments and wants no error.
#[tokio::test]
async fn the_first_tool_takes_no_arguments() {
    let mut program = Program::everything(&[]);
    program.initialize().await;
    program.send(&crate::support::request(1, "tools/list", json!({}))).await;
    let tools = program.recv().await["result"]["tools"].take();
    assert_eq!(tools[0]["inputSchema"], json!({"type": "object", "additionalProperties": false}));
    for tool in tools.as_array().unwrap() {
        assert!(tool["description"].is_string() && tool["inputSchema"]["type"] == "object", "{tool}");
    }
}
