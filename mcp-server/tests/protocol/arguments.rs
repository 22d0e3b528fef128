//! Arguments as tools take them.

use mcp_server::{Args, Context, Server};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::support::{Client, Era, dressed, text_result};

#[derive(Deserialize, JsonSchema)]
struct Sum {
    a: i32,
    b: i32,
    #[serde(default)]
    more: Vec<i32>,
}

async fn add(_: Context, Args(sum): Args<Sum>) -> i32 {
    sum.a + sum.b + sum.more.iter().sum::<i32>()
}

#[tokio::test(start_paused = true)]
async fn numbers_without_a_fraction_are_integers() {
    for era in [Era::Legacy, Era::Modern] {
        let mut client = Client::ready(&Server::new("s", "1").tool("add", "", add), era).await;
        for line in [r#"{"a":1,"b":2}"#, r#"{"a":1.0,"b":2.00}"#, r#"{"a":1,"b":0,"more":[2e0]}"#] {
            let arguments: Box<serde_json::value::RawValue> = serde_json::from_str(line).unwrap();
            let answer = client.call("add", serde_json::to_value(arguments).unwrap()).await;
            assert_eq!(answer["result"], text_result(era, "3"), "{line}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn arguments_that_do_not_fit_are_results_from_which_a_model_can_learn() {
    let rows = [
        (json!({"a": 1.5, "b": 2}), "invalid argument `a`: invalid type: floating point `1.5`, expected i32"),
        (json!({"a": "1", "b": 2}), "invalid argument `a`: invalid type: string \"1\", expected i32"),
        (json!({"a": 1, "b": 2, "more": [1, null]}), "invalid argument `more[1]`: invalid type: null, expected i32"),
        (json!({"a": 1}), "invalid arguments: missing field `b`"),
        (json!({}), "invalid arguments: missing field `a`"),
    ];
    for era in [Era::Legacy, Era::Modern] {
        let mut client = Client::ready(&Server::new("s", "1").tool("add", "", add), era).await;
        for (arguments, text) in &rows {
            let answer = client.call("add", arguments.clone()).await;
            let expected = json!({"content": [{"type": "text", "text": text}], "isError": true});
            assert_eq!(answer["result"], dressed(era, expected));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_tool_may_take_up_to_four_things() {
    type Any = Args<serde_json::Value>;
    let server = Server::new("s", "1")
        .tool("two", "", async |_: Any, _: Context| 2)
        .tool("three", "", async |_: Any, _: Context, _: Any| 3)
        .tool("four", "", async |_: Context, _: Any, _: Context, Args(all): Any| all["x"].as_i64().unwrap());
    let mut client = Client::ready(&server, Era::Legacy).await;
    for (tool, text) in [("two", "2"), ("three", "3"), ("four", "7")] {
        let answer = client.call(tool, json!({"x": 7})).await;
        assert_eq!(answer["result"], text_result(Era::Legacy, text));
    }
}
