//! What tools take from their calls besides arguments.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use mcp_server::call::{Call, FromCall, Need, Rejection};
use mcp_server::{Args, Context, InvalidArguments, Meta, ServeError, Server, State, Tool, ToolError};
use mcp_session::transports::memory;
use mcp_types::RawJson;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::support::{Client, Era, assert_error, text_result};

type Counter = Arc<AtomicU64>;

async fn count(State(counter): State<Counter>) -> u64 {
    counter.fetch_add(1, Ordering::Relaxed)
}

fn count_and_greet(State(counter): State<Counter>, State(greeting): State<&'static str>) -> String {
    format!("{greeting} {}", counter.fetch_add(1, Ordering::Relaxed))
}

#[tokio::test]
async fn tools_share_the_states_of_their_server() {
    let counter = Counter::default();
    let server = Server::new("s", "1")
        .tool("count", "", count)
        .blocking_tool("greet", "", count_and_greet)
        .with_state(Arc::clone(&counter))
        .with_state("hello");
    for era in [Era::Legacy, Era::Modern] {
        let mut client = Client::ready(&server, era).await;
        let before = counter.load(Ordering::Relaxed);
        assert_eq!(client.call("count", json!({})).await["result"], text_result(era, &before.to_string()));
        let greeted = text_result(era, &format!("hello {}", before + 1));
        assert_eq!(client.call("greet", json!({})).await["result"], greeted);
    }
    assert_eq!(counter.load(Ordering::Relaxed), 4);
}

#[tokio::test(start_paused = true)]
async fn a_state_that_was_not_given_is_missed_before_anything_is_served() {
    let server = Server::new("s", "1").tool("ok", "", async || ()).tool("count", "", count);
    let (end, mut wire) = memory::raw();
    let error = server.serve(end).await.unwrap_err();
    let ServeError::MissingState { kind: "tool", name: tool, state } = &error else { panic!("{error:?}") };
    assert_eq!(tool, "count");
    assert!(state.contains("AtomicU64"), "{state}");
    assert_eq!(wire.recv().await, None);
    assert!(matches!(server.serve_stdio().await, Err(ServeError::MissingState { .. })));
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_is_added_later_without_its_state_fails_alone() {
    let server = Server::new("s", "1").tool("ok", "", async || "fine");
    let mut client = Client::ready(&server, Era::Modern).await;
    server.tools().add(Tool::new("count", count));
    assert_error(&client.call("count", json!({})).await, -32603, "internal error");
    assert_eq!(client.call("ok", json!({})).await["result"], text_result(Era::Modern, "fine"));
}

/// The city of a call: that of its arguments, or the one that the application lives in.
struct City(String);

struct Home(&'static str);

impl FromCall for City {
    fn from_call(call: &Call<'_>) -> Result<Self, Rejection> {
        let home = call.state::<Arc<Home>>().ok_or_else(|| ToolError::new("nowhere at home"))?;
        let Args(arguments) = Args::<HashMap<String, String>>::from_call(call)?;
        Ok(Self(arguments.get("city").cloned().unwrap_or_else(|| home.0.to_owned())))
    }

    fn input_schema() -> Option<RawJson> {
        Some(json!({"type": "object", "properties": {"city": {"type": "string"}}}).into())
    }

    fn needs() -> Option<Need> {
        Some(Need::of::<Arc<Home>>())
    }
}

#[tokio::test(start_paused = true)]
async fn an_application_can_have_extractors_of_its_own() {
    let server = Server::new("s", "1").tool("city", "", async |City(city): City| city);
    assert!(matches!(server.serve(memory::raw().0).await, Err(ServeError::MissingState { .. })));
    let mut client = Client::ready(&server.with_state(Arc::new(Home("Oslo"))), Era::Legacy).await;
    let tools = client.ask("tools/list", json!({})).await;
    assert_eq!(tools["result"]["tools"][0]["inputSchema"]["properties"]["city"]["type"], "string");
    assert_eq!(client.call("city", json!({})).await["result"], text_result(Era::Legacy, "Oslo"));
    assert_eq!(client.call("city", json!({"city": "Rome"})).await["result"], text_result(Era::Legacy, "Rome"));
    assert_eq!(client.call("city", json!({"city": 7})).await["result"]["isError"], true);
}

#[derive(Deserialize)]
struct Trace {
    #[serde(rename = "traceparent")]
    parent: Option<String>,
}

#[tokio::test(start_paused = true)]
async fn a_tool_can_take_the_meta_of_its_call() {
    let server = Server::new("s", "1").tool("trace", "", async |meta: Meta<Trace>| meta.0.parent.unwrap_or_default());
    for era in [Era::Legacy, Era::Modern] {
        let mut client = Client::ready(&server, era).await;
        assert_eq!(client.ask("tools/call", json!({"name": "trace"})).await["result"], text_result(era, ""));
        let traced = client.ask("tools/call", json!({"name": "trace", "_meta": {"traceparent": "00-1"}})).await;
        assert_eq!(traced["result"], text_result(era, "00-1"));
        let wrong = client.ask("tools/call", json!({"name": "trace", "_meta": {"traceparent": 7}})).await;
        assert_error(&wrong, -32602, "invalid `_meta` `traceparent`: invalid type: integer `7`, expected a string");
    }
}

#[derive(Deserialize, JsonSchema)]
struct Sum {
    a: i32,
    b: i32,
}

#[tokio::test]
async fn wrong_arguments_can_be_protocol_errors() {
    let server = Server::new("s", "1")
        .with_invalid_arguments(InvalidArguments::ProtocolError)
        .tool("add", "", async |Args(sum): Args<Sum>| sum.a + sum.b)
        .blocking_tool("blocking", "", |_: Context, Args(sum): Args<Sum>| sum.a + sum.b);
    for era in [Era::Legacy, Era::Modern] {
        let mut client = Client::ready(&server, era).await;
        for tool in ["add", "blocking"] {
            let wrong = client.call(tool, json!({"a": "1", "b": 2})).await;
            assert_error(&wrong, -32602, "invalid argument `a`: invalid type: string \"1\", expected i32");
            assert_eq!(client.call(tool, json!({"a": 1, "b": 2})).await["result"], text_result(era, "3"));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_tool_may_take_nothing_or_perhaps_something() {
    let server = Server::new("s", "1").tool("nothing", "", async |_: Args<()>| "nothing").tool(
        "perhaps",
        "",
        async |Args(sum): Args<Option<Sum>>| sum.map_or(-1, |sum| sum.a),
    );
    let mut client = Client::ready(&server, Era::Legacy).await;
    for (tool, arguments, text) in
        [("nothing", json!({}), "nothing"), ("perhaps", json!({}), "-1"), ("perhaps", json!({"a": 4, "b": 0}), "4")]
    {
        assert_eq!(client.call(tool, arguments).await["result"], text_result(Era::Legacy, text));
    }
}

#[tokio::test]
async fn what_blocks_tells_its_progress_in_order() {
    let server = Server::new("s", "1").blocking_tool("count", "", |context: Context| {
        for step in 1..=3 {
            context.block_on(context.progress(f64::from(step), Some(3.0), None));
        }
        "counted"
    });
    let mut client = Client::ready(&server, Era::Legacy).await;
    client.request(1, "tools/call", json!({"name": "count", "_meta": {"progressToken": "p"}})).await;
    for step in [1.0, 2.0, 3.0] {
        assert_eq!(client.recv().await["params"]["progress"].as_f64(), Some(step));
    }
    assert_eq!(client.recv().await["result"], text_result(Era::Legacy, "counted"));
}
