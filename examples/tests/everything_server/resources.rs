//! The resources that the official conformance suite reads.

use serde_json::json;

use crate::support::{ERAS, Program, request};

#[tokio::test]
async fn they_say_what_the_suite_wants() {
    let mut program = Program::everything(&[]);
    program.initialize().await;
    for (of_era, not_found) in ERAS.into_iter().zip([-32002, -32602]) {
        let list = program.ask(&of_era(request(1, "resources/list", json!({})))).await;
        for resource in list["result"]["resources"].as_array().unwrap() {
            assert!(resource["uri"].is_string() && resource["name"].is_string(), "{resource}");
        }
        let templates = program.ask(&of_era(request(1, "resources/templates/list", json!({})))).await;
        assert_eq!(templates["result"]["resourceTemplates"][0]["uriTemplate"], "test://template/{id}/data");

        let read = |uri: &str| of_era(request(1, "resources/read", json!({ "uri": uri })));
        for (uri, mime_type, text) in [
            ("test://static-text", "text/plain", "This is the content of the static text resource."),
            (
                "test://template/123/data",
                "application/json",
                r#"{"id":"123","templateTest":true,"data":"Data for ID: 123"}"#,
            ),
        ] {
            let contents = program.ask(&read(uri)).await["result"]["contents"].take();
            assert_eq!(contents, json!([{"uri": uri, "mimeType": mime_type, "text": text}]));
        }
        let contents = program.ask(&read("test://static-binary")).await["result"]["contents"][0].take();
        assert_eq!((&contents["mimeType"], &contents["uri"]), (&json!("image/png"), &json!("test://static-binary")));
        assert!(contents["blob"].as_str().unwrap().starts_with("iVBORw0KGgo"), "{contents}");

        let uri = "test://nonexistent-resource-for-conformance-testing";
        let missing = program.ask(&read(uri)).await;
        assert_eq!((&missing["error"]["code"], &missing["error"]["data"]["uri"]), (&json!(not_found), &json!(uri)));
    }
}

#[tokio::test]
async fn they_can_be_subscribed_to() {
    let mut program = Program::everything(&[]);
    program.initialize().await;
    for method in ["resources/subscribe", "resources/unsubscribe"] {
        let answer = program.ask(&request(1, method, json!({"uri": "test://watched-resource"}))).await;
        assert_eq!(answer["result"], json!({}));
    }
}
