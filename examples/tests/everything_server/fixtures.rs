//! The tools that the official conformance suite calls.

use serde_json::json;

use crate::support::{ERAS, Program, call, text};

#[tokio::test]
async fn they_say_what_the_suite_wants() {
    let mut program = Program::everything(&[]);
    program.initialize().await;
    for of_era in ERAS {
        let of = |tool| of_era(call(1, tool, json!({})));
        let mut simple_call = of("test_simple_text");
        simple_call["params"].as_object_mut().unwrap().remove("arguments");
        let simple = program.ask(&simple_call).await["result"]["content"].take();
        assert_eq!(simple, json!([{"type": "text", "text": "This is a simple text response for testing."}]));
        let image = program.ask(&of("test_image_content")).await["result"]["content"].take();
        assert_eq!((&image[0]["type"], &image[0]["mimeType"]), (&json!("image"), &json!("image/png")));
        let audio = program.ask(&of("test_audio_content")).await["result"]["content"].take();
        assert_eq!((&audio[0]["type"], &audio[0]["mimeType"]), (&json!("audio"), &json!("audio/wav")));
        assert!(audio[0]["data"].as_str().unwrap().starts_with("UklGRiYAAABXQVZF"), "{audio}");
        let embedded = program.ask(&of("test_embedded_resource")).await;
        let resource = &embedded["result"]["content"][0]["resource"];
        assert_eq!(
            (&resource["uri"], &resource["mimeType"]),
            (&json!("test://embedded-resource"), &json!("text/plain"))
        );
        let mixed = program.ask(&of("test_multiple_content_types")).await["result"]["content"].take();
        let kinds: Vec<_> = mixed.as_array().unwrap().iter().map(|block| block["type"].as_str().unwrap()).collect();
        assert_eq!(kinds, ["text", "image", "resource"]);
        assert_eq!(mixed[2]["resource"]["uri"], "test://mixed-content-resource");
        assert_eq!(mixed[2]["resource"]["mimeType"], "application/json");
        let failed = program.ask(&of("test_error_handling")).await;
        assert_eq!(failed["result"]["isError"], true);
        assert!(!text(&failed).is_empty());
    }
}

#[tokio::test]
async fn they_tell_their_progress_and_log() {
    let mut program = Program::everything(&[]);
    program.initialize().await;
    for of_era in ERAS {
        let mut asking = of_era(call(1, "test_tool_with_progress", json!({})));
        asking["params"]["_meta"]["progressToken"] = json!("progress-test-1");
        program.send(&asking).await;
        for percent in [0.0, 50.0, 100.0] {
            let note = program.recv().await;
            assert_eq!(note["method"], "notifications/progress");
            let params = &note["params"];
            assert_eq!(params["progressToken"], "progress-test-1");
            assert_eq!((params["progress"].as_f64(), params["total"].as_f64()), (Some(percent), Some(100.0)));
        }
        assert!(!text(&program.recv().await).is_empty());

        let mut asking = of_era(call(2, "test_tool_with_logging", json!({})));
        // A legacy session that has set no level hears of this one.
        asking["params"]["_meta"]["io.modelcontextprotocol/logLevel"] = json!("info");
        program.send(&asking).await;
        for _ in 0..3 {
            let note = program.recv().await;
            assert_eq!((&note["method"], &note["params"]["level"]), (&json!("notifications/message"), &json!("info")));
        }
        assert!(!text(&program.recv().await).is_empty());
    }
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
