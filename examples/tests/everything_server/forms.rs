//! The tools of the official conformance suite that ask by forms or ask the model, in both eras.

use serde_json::{Value, json};

use crate::asking::modern;
use crate::rounds::open;
use crate::support::{Program, call, text};

/// Calls a tool that asks once, in both eras: the parameters of the question, and what the tool says in the end.
async fn asks(tool: &str, arguments: Value, answer: Value) -> [(Value, String); 2] {
    let mut program = Program::everything(&[]);
    open(&mut program).await;
    program.send(&call(1, tool, arguments.clone())).await;
    let mut asked = program.recv().await;
    program.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": answer})).await;
    let legacy = (asked["params"].take(), text(&program.recv().await).to_owned());

    let mut program = Program::everything(&[]);
    let mut asking = modern(1, tool, json!({}));
    asking["params"]["arguments"] = arguments;
    program.send(&asking).await;
    let asked = program.recv().await["result"]["inputRequests"].take();
    let [(key, question)] = asked.as_object().unwrap().iter().collect::<Vec<_>>()[..] else { panic!("{asked}") };
    asking["params"]["inputResponses"] = json!({ key: answer });
    program.send(&asking).await;
    let modern = (question["params"].clone(), text(&program.recv().await).to_owned());
    [legacy, modern]
}

fn entered(content: Value) -> Value {
    json!({"action": "accept", "content": content})
}

#[tokio::test]
async fn the_model_is_asked() {
    let content = json!({"type": "text", "text": "Hi"});
    let told = json!({"role": "assistant", "content": content, "model": "m"});
    for (asked, said) in asks("test_sampling", json!({"prompt": "Say hi."}), told).await {
        assert_eq!(asked["maxTokens"], 100);
        assert_eq!(asked["messages"][0]["role"], "user");
        assert_eq!(asked["messages"][0]["content"], json!({"type": "text", "text": "Say hi."}));
        assert_eq!(said, "LLM response: Hi");
    }
}

#[tokio::test]
async fn the_user_is_asked() {
    let answer = entered(json!({"username": "ada", "email": "ada@example.com"}));
    for (asked, said) in asks("test_elicitation", json!({"message": "Who are you?"}), answer).await {
        assert_eq!(asked["message"], "Who are you?");
        let schema = &asked["requestedSchema"];
        assert_eq!(schema["required"], json!(["username", "email"]));
        assert_eq!(schema["properties"]["username"]["type"], "string");
        assert_eq!(schema["properties"]["email"]["type"], "string");
        assert_eq!(said, r#"User response: action=accept, content={"username":"ada","email":"ada@example.com"}"#);
    }
    for (_, said) in asks("test_elicitation", json!({"message": "?"}), json!({"action": "decline"})).await {
        assert_eq!(said, "User response: action=decline, content=null");
    }
}

#[tokio::test]
async fn each_field_has_its_default() {
    let expected = json!({
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": true},
    });
    let answer = entered(json!({"name": "Jane Smith", "verified": false}));
    for (asked, said) in asks("test_elicitation_sep1034_defaults", json!({}), answer).await {
        assert_eq!(asked["requestedSchema"]["properties"], expected);
        let content = said.strip_prefix("Elicitation completed: action=accept, content=").unwrap();
        let filled: Value = serde_json::from_str(content).unwrap();
        let right = json!({"name": "Jane Smith", "age": 30, "score": 95.5, "status": "active", "verified": false});
        assert_eq!(filled, right);
    }
}

#[tokio::test]
async fn each_kind_of_choice_is_told_as_the_suite_wants_it() {
    let answer = entered(json!({"untitledSingle": "option1", "titledSingle": "value1", "legacyEnum": "opt1",
        "untitledMulti": ["option1", "option2"], "titledMulti": ["value1", "value2"]}));
    for (asked, said) in asks("test_elicitation_sep1330_enums", json!({}), answer.clone()).await {
        let fields = &asked["requestedSchema"]["properties"];
        assert_eq!(fields["untitledSingle"], json!({"type": "string", "enum": ["option1", "option2", "option3"]}));
        let titled = &fields["titledSingle"];
        assert_eq!(titled["oneOf"][0], json!({"const": "value1", "title": "First Option"}));
        assert_eq!((&titled["type"], titled.get("enum")), (&json!("string"), None));
        let legacy = &fields["legacyEnum"];
        assert_eq!(legacy["enum"], json!(["opt1", "opt2", "opt3"]));
        assert_eq!(legacy["enumNames"], json!(["Option One", "Option Two", "Option Three"]));
        assert_eq!(fields["untitledMulti"]["items"]["enum"], json!(["option1", "option2", "option3"]));
        assert_eq!(fields["titledMulti"]["items"]["anyOf"][2], json!({"const": "value3", "title": "Third Choice"}));
        assert_eq!(said, format!("Elicitation completed: action=accept, content={}", answer["content"]));
    }
}
