//! The prompts that the official conformance suite asks for.

use serde_json::json;

use crate::support::{ERAS, Program, request};

#[tokio::test]
async fn they_say_what_the_suite_wants() {
    let mut program = Program::everything(&[]);
    program.initialize().await;
    for of_era in ERAS {
        let list = program.ask(&of_era(request(1, "prompts/list", json!({})))).await;
        for prompt in list["result"]["prompts"].as_array().unwrap() {
            assert!(prompt["name"].is_string() && prompt["description"].is_string(), "{prompt}");
        }
        let text = |text: &str| json!({"role": "user", "content": {"type": "text", "text": text}});
        let get =
            |name: &str, arguments| of_era(request(1, "prompts/get", json!({"name": name, "arguments": arguments})));
        let simple = program.ask(&get("test_simple_prompt", json!({}))).await["result"]["messages"].take();
        assert_eq!(simple, json!([text("This is a simple prompt for testing.")]));
        let arguments = json!({"arg1": "hello", "arg2": "world"});
        let filled = program.ask(&get("test_prompt_with_arguments", arguments)).await["result"]["messages"].take();
        assert_eq!(filled, json!([text("Prompt with arguments: arg1='hello', arg2='world'")]));
        let place = json!({"resourceUri": "test://example"});
        let embedded = program.ask(&get("test_prompt_with_embedded_resource", place)).await;
        let embedded = &embedded["result"]["messages"];
        assert_eq!(embedded[0]["content"]["type"], "resource");
        assert_eq!(embedded[0]["content"]["resource"]["uri"], "test://example");
        assert_eq!(embedded[1]["content"]["type"], "text");
        let image = program.ask(&get("test_prompt_with_image", json!({}))).await["result"]["messages"].take();
        let picture = &image[0]["content"];
        assert_eq!((&picture["type"], &picture["mimeType"]), (&json!("image"), &json!("image/png")));
        assert_eq!(image[1]["content"]["type"], "text");
    }
}

#[tokio::test]
async fn an_argument_is_completed() {
    let mut program = Program::everything(&[]);
    program.initialize().await;
    let reference = json!({"type": "ref/prompt", "name": "test_prompt_with_arguments"});
    let params = json!({"ref": reference, "argument": {"name": "arg1", "value": "test"}});
    for of_era in ERAS {
        let completed = program.ask(&of_era(request(1, "completion/complete", params.clone()))).await;
        assert_eq!(completed["result"]["completion"]["values"], json!(["testing"]));
    }
}
