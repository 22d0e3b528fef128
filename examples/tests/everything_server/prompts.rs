//! The prompts that the official conformance suite asks for.

use serde_json::{Value, json};

use crate::support::{Program, request};

async fn messages(program: &mut Program, prompt: &str, arguments: Value) -> Value {
    program.send(&request(1, "prompts/get", json!({"name": prompt, "arguments": arguments}))).await;
    program.recv().await["result"]["messages"].take()
}

#[tokio::test]
async fn they_say_what_the_suite_wants() {
    let mut program = Program::everything(&[]);
    program.initialize().await;
    program.send(&request(1, "prompts/list", json!({}))).await;
    let list = program.recv().await;
    for prompt in list["result"]["prompts"].as_array().unwrap() {
        assert!(prompt["name"].is_string() && prompt["description"].is_string(), "{prompt}");
    }
    let text = |text: &str| json!({"role": "user", "content": {"type": "text", "text": text}});
    let simple = messages(&mut program, "test_simple_prompt", json!({})).await;
    assert_eq!(simple, json!([text("This is a simple prompt for testing.")]));
    let arguments = json!({"arg1": "hello", "arg2": "world"});
    let filled = messages(&mut program, "test_prompt_with_arguments", arguments).await;
    assert_eq!(filled, json!([text("Prompt with arguments: arg1='hello', arg2='world'")]));
    let embedded =
        messages(&mut program, "test_prompt_with_embedded_resource", json!({"resourceUri": "test://example"})).await;
    assert_eq!(embedded[0]["content"]["type"], "resource");
    assert_eq!(embedded[0]["content"]["resource"]["uri"], "test://example");
    assert_eq!(embedded[1]["content"]["type"], "text");
    let image = messages(&mut program, "test_prompt_with_image", json!({})).await;
    assert_eq!(
        (&image[0]["content"]["type"], &image[0]["content"]["mimeType"]),
        (&json!("image"), &json!("image/png"))
    );
    assert_eq!(image[1]["content"]["type"], "text");
}

#[tokio::test]
async fn an_argument_is_completed() {
    let mut program = Program::everything(&[]);
    program.initialize().await;
    let reference = json!({"type": "ref/prompt", "name": "test_prompt_with_arguments"});
    let params = json!({"ref": reference, "argument": {"name": "arg1", "value": "test"}});
    program.send(&request(1, "completion/complete", params)).await;
    assert_eq!(program.recv().await["result"]["completion"]["values"], json!(["testing"]));
}
