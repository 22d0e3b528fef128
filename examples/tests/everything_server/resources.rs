//! The resources that the official conformance suite reads.

use serde_json::{Value, json};

use crate::support::{Program, request};

async fn ask(program: &mut Program, method: &str, params: Value) -> Value {
    program.send(&request(1, method, params)).await;
    program.recv().await
}

#[tokio::test]
async fn they_say_what_the_suite_wants() {
    let mut program = Program::everything(&[]);
    program.initialize().await;
    let list = ask(&mut program, "resources/list", json!({})).await;
    for resource in list["result"]["resources"].as_array().unwrap() {
        assert!(resource["uri"].is_string() && resource["name"].is_string(), "{resource}");
    }
    let templates = ask(&mut program, "resources/templates/list", json!({})).await;
    assert_eq!(templates["result"]["resourceTemplates"][0]["uriTemplate"], "test://template/{id}/data");

    for (uri, expected) in [
        (
            "test://static-text",
            json!({"mimeType": "text/plain", "text": "This is the content of the static text resource."}),
        ),
        (
            "test://template/123/data",
            json!({"mimeType": "application/json", "text": r#"{"id":"123","templateTest":true,"data":"Data for ID: 123"}"#}),
        ),
    ] {
        let mut expected = expected;
        expected["uri"] = uri.into();
        let read = ask(&mut program, "resources/read", json!({"uri": uri})).await;
        assert_eq!(read["result"]["contents"], json!([expected]));
    }
    let read = ask(&mut program, "resources/read", json!({"uri": "test://static-binary"})).await;
    let contents = &read["result"]["contents"][0];
    assert_eq!((&contents["mimeType"], &contents["uri"]), (&json!("image/png"), &json!("test://static-binary")));
    assert!(contents["blob"].as_str().unwrap().starts_with("iVBORw0KGgo"), "{contents}");

    let uri = "test://nonexistent-resource-for-conformance-testing";
    let missing = ask(&mut program, "resources/read", json!({"uri": uri})).await;
    assert_eq!((&missing["error"]["code"], &missing["error"]["data"]["uri"]), (&json!(-32002), &json!(uri)));
}

#[tokio::test]
async fn they_can_be_subscribed_to() {
    let mut program = Program::everything(&[]);
    program.initialize().await;
    for method in ["resources/subscribe", "resources/unsubscribe"] {
        let answer = ask(&mut program, method, json!({"uri": "test://watched-resource"})).await;
        assert_eq!(answer["result"], json!({}));
    }
}
