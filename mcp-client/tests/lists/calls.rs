//! Prompts, resources and completion.

use mcp_client::{CallError, Client};
use mcp_types::content::{Content, ResourceContents};
use serde_json::{Value, json};

use crate::peer::{ERAS, connected};

#[tokio::test(start_paused = true)]
async fn a_resource_is_read() {
    for era in ERAS {
        let (connection, mut server) = connected(Client::new("test", "1"), era, json!({ "resources": {} })).await;
        let (read, ()) = tokio::join!(connection.read_resource("a:b"), async {
            let request = server.expect("resources/read").await;
            assert_eq!(request["params"]["uri"], "a:b");
            server.answer(&request, &json!({ "contents": [{ "uri": "a:b", "text": "x" }] })).await;
        });
        assert!(matches!(&read.unwrap().contents[..], [ResourceContents { uri, .. }] if uri == "a:b"));
        let (read, ()) = tokio::join!(connection.read_resource("a:c"), async {
            let request = server.expect("resources/read").await;
            server.answer(&request, &json!({ "contents": [{ "uri": 7 }] })).await;
        });
        let Err(CallError::Malformed { detail, .. }) = read else { panic!("{read:?}") };
        assert!(detail.contains("contents[0]"), "{detail}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_arguments_of_a_prompt_are_texts() {
    for era in ERAS {
        let (connection, mut server) = connected(Client::new("test", "1"), era, json!({ "prompts": {} })).await;
        let arguments = json!({ "text": "x", "number": 7, "flag": true, "none": null });
        let (prompt, ()) = tokio::join!(connection.get_prompt("p", &arguments), async {
            let request = server.expect("prompts/get").await;
            assert_eq!(request["params"]["name"], "p");
            let texts = json!({ "text": "x", "number": "7", "flag": "true" });
            assert_eq!(request["params"]["arguments"], texts);
            let odd = json!({ "role": "user", "content": { "type": "hologram" } });
            let message = json!({ "role": "user", "content": { "type": "text", "text": "hi" } });
            server.answer(&request, &json!({ "messages": [odd, message] })).await;
        });
        let messages = prompt.unwrap().messages;
        assert!(matches!(messages[0].content, Content::Unknown(_)), "what is not known is kept");
        assert_eq!(messages[1].content.as_text(), Some("hi"));
        let (prompt, ()) = tokio::join!(connection.get_prompt("p", &()), async {
            let request = server.expect("prompts/get").await;
            assert!(request["params"].get("arguments").is_none());
            server.refuse(&request, -32602).await;
        });
        assert!(prompt.unwrap_err().is_peer());
        let wrong = connection.get_prompt("p", &[1]).await.unwrap_err();
        assert!(matches!(wrong, CallError::Arguments { .. }), "{wrong}");
    }
}

#[tokio::test(start_paused = true)]
async fn places_are_completed() {
    let completion = json!({ "completion": { "values": ["flask"], "total": 7, "hasMore": true } });
    for era in ERAS {
        let (connection, mut server) = connected(Client::new("test", "1"), era, json!({ "completions": {} })).await;
        let mut answer = async |expected: Value| {
            let request = server.expect("completion/complete").await;
            let mut params = request["params"].clone();
            params.as_object_mut().unwrap().remove("_meta");
            assert_eq!(params, expected);
            server.answer(&request, &completion).await;
        };
        let asked = connection.complete_prompt("p", "framework", "fl").with_context("language", "python");
        let expected = json!({
            "ref": { "type": "ref/prompt", "name": "p" },
            "argument": { "name": "framework", "value": "fl" },
            "context": { "arguments": { "language": "python" } },
        });
        let (result, ()) = tokio::join!(asked.into_future(), answer(expected));
        let completion = result.unwrap().completion;
        assert_eq!((completion.values, completion.total), (vec!["flask".to_owned()], Some(7)));
        let expected = json!({
            "ref": { "type": "ref/resource", "uri": "a:{b}" },
            "argument": { "name": "b", "value": "" },
        });
        let asked = connection.complete_resource("a:{b}", "b", "").call();
        tokio::join!(asked, answer(expected)).0.unwrap();
    }
}
