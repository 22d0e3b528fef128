//! Requests of the modern era.

use http::HeaderValue;
use mcp_server::http::HttpConfig;
use mcp_server::seal::{SealKey, Sealer};
use mcp_server::{Limits, Tool};
use serde_json::{Value, json};

use crate::rig::{Answer, Rig, accepting, modern, modern_call, of, text};

#[tokio::test]
async fn what_is_ready_is_json() {
    let rig = Rig::new(HttpConfig::new());
    let mut answer = rig.ask(modern_call(1, "echo")).await;
    assert_eq!((answer.status, text(&answer.json().await)), (200, "echo"));
    let mut unknown = rig.ask(modern(2, "no/such", json!({}))).await;
    assert_eq!((unknown.status, &unknown.json().await["error"]["code"]), (404, &json!(-32601)));
    let mut events = rig.ask(accepting("text/event-stream", modern_call(3, "echo"))).await;
    assert!(events.is_stream());
    assert_eq!((text(&events.message().await), events.event().await), ("echo", None));
    drop((answer, unknown));
    assert_eq!((rig.service.exchanges(), rig.service.sessions()), (1, 0), "a body that is not dropped counts");
    drop(events);
    assert_eq!(rig.service.exchanges(), 0);
}

#[tokio::test]
async fn what_is_said_before_the_answer_makes_a_stream() {
    let rig = Rig::new(HttpConfig::new());
    rig.shared.go.0.add_permits(2);
    let mut answer = rig.ask(modern_call(1, "count")).await;
    assert!(answer.is_stream());
    for progress in [1.0, 2.0] {
        let (id, data) = answer.event().await.unwrap();
        assert_eq!(id, "", "nothing of this era is resumed");
        assert_eq!(serde_json::from_str::<Value>(&data).unwrap()["params"]["progress"], progress);
    }
    assert_eq!(text(&answer.message().await), "counted");
    assert_eq!(answer.event().await, None);
    let mut json = rig.ask(accepting("application/json", modern_call(2, "count"))).await;
    assert_eq!(text(&json.json().await), "counted");
}

#[tokio::test]
async fn a_client_that_leaves_has_cancelled() {
    let rig = Rig::new(HttpConfig::new());
    // While its answer is awaited.
    let mut waits = Box::pin(rig.begin(modern_call(1, "wait")));
    tokio::select! {
        _ = &mut waits => panic!("nobody has let it go"),
        () = rig.shared.started.notified() => {}
    }
    assert_eq!(rig.shared.alive(), 1);
    drop(waits);
    assert_eq!(rig.shared.alive(), 0, "a handler goes with its client");
    // While its stream is read.
    let mut counts = rig.ask(modern_call(2, "count")).await;
    assert_eq!(counts.message().await["params"]["progress"], 1.0);
    drop(counts);
    assert_eq!(rig.shared.alive(), 0);
    let report = rig.service.handle().close().await;
    assert_eq!((report.tally.received, report.tally.cancelled), (2, 2));
}

/// The first thing that a listen says, which has to be there at once.
async fn acknowledged(answer: &mut Answer) {
    assert!(answer.is_stream());
    assert_eq!(answer.message().await["method"], "notifications/subscriptions/acknowledged");
}

fn listen(id: i64) -> http::Request<http_body_util::Full<bytes::Bytes>> {
    modern(id, "subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}))
}

#[tokio::test]
async fn a_listen_is_told_of_changes_until_the_server_ends() {
    let rig = Rig::new(HttpConfig::new());
    let mut listens = rig.ask(listen(7)).await;
    acknowledged(&mut listens).await;
    rig.server.tools().add(Tool::new("new", async || "new"));
    let change = listens.message().await;
    assert_eq!(change["method"], "notifications/tools/list_changed");
    assert_eq!(change["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 7);
    let closed = rig.service.handle().close();
    assert_eq!(listens.message().await["id"], 7);
    assert_eq!(listens.event().await, None);
    drop(listens);
    assert_eq!(closed.await.tally.answered, 1);
    let mut late = rig.ask(modern_call(8, "echo")).await;
    assert_eq!((late.status, late.headers.get("retry-after")), (503, Some(&HeaderValue::from_static("1"))));
    assert_eq!(late.json().await["error"]["data"]["reason"], "closing");
}

#[tokio::test]
async fn listens_have_bounds() {
    let mut limits = Limits::default();
    limits.listens = 3;
    limits.listens_per_principal = 2;
    let rig = Rig::with(HttpConfig::new(), |server| server.with_limits(limits));
    let mut of_anna = Vec::new();
    for id in 1..=2 {
        of_anna.push(rig.ask(of(Some("anna"), listen(id))).await);
    }
    let mut refused = rig.ask(of(Some("anna"), listen(3))).await;
    assert_eq!((refused.status, refused.json().await["id"].clone()), (429, json!(3)));
    let mut of_nobody = rig.ask(listen(4)).await;
    acknowledged(&mut of_nobody).await;
    assert_eq!(rig.ask(of(Some("berta"), listen(5))).await.status, 503);
    drop(of_anna);
    assert_eq!(rig.ask(of(Some("anna"), listen(6))).await.status, 200);
    let mut json = rig.ask(accepting("application/json", listen(7))).await;
    assert_eq!((json.status, json.json().await["id"].clone()), (406, json!(7)));
}

/// Answers the questions of a round, and gives the next request.
fn next_round(id: i64, asked: &Value, name: &str) -> http::Request<http_body_util::Full<bytes::Bytes>> {
    let result = &asked["result"];
    assert_eq!(result["resultType"], "input_required", "{asked}");
    let mut params = json!({"name": "greet", "arguments": {}});
    for key in result["inputRequests"].as_object().unwrap().keys() {
        params["inputResponses"][key] = json!({"action": "accept", "content": {"name": name}});
    }
    if let Some(state) = result.get("requestState") {
        params["requestState"] = state.clone();
    }
    modern(id, "tools/call", params)
}

#[tokio::test]
async fn rounds_go_on_at_any_server_that_has_the_keys_and_for_the_same_principal_alone() {
    let keys = || Sealer::with_keys([SealKey::new(1, [7; 32])]).unwrap();
    let one = Rig::new(HttpConfig::new().with_sealer(keys()));
    let other = Rig::new(HttpConfig::new().with_sealer(keys()));
    let stranger = Rig::new(HttpConfig::new());
    let anna = |request| of(Some("anna"), request);
    let first = one.ask(anna(modern_call(1, "greet"))).await.json().await;
    let second = other.ask(anna(next_round(2, &first, "Anna"))).await.json().await;
    assert!(second["result"]["requestState"].is_string(), "{second}");
    let third = || next_round(3, &second, "Berta");
    assert_eq!(text(&one.ask(anna(third())).await.json().await), "Anna and Berta");
    for (rig, principal) in [(&one, Some("berta")), (&one, None), (&stranger, Some("anna"))] {
        let refused = rig.ask(of(principal, third())).await.json().await;
        assert_eq!(refused["error"]["code"], -32602, "{principal:?} {refused}");
    }
}

#[tokio::test]
async fn arguments_that_are_mirrored_have_to_be() {
    let rig = Rig::new(HttpConfig::new());
    let ask = |region: Option<&'static str>| {
        let mut request = modern(1, "tools/call", json!({"name": "sql", "arguments": {"region": "eu"}}));
        if let Some(region) = region {
            request.headers_mut().insert("mcp-param-region", HeaderValue::from_static(region));
        }
        request
    };
    for (region, status) in [(Some("eu"), 200), (Some("us"), 400), (None, 400)] {
        assert_eq!(rig.ask(ask(region)).await.status, status, "{region:?}");
    }
}

#[tokio::test]
async fn who_asks_is_what_a_layer_says() {
    let rig = Rig::new(HttpConfig::new());
    for principal in [Some("anna"), None] {
        let answer = rig.ask(of(principal, modern_call(1, "who"))).await.json().await;
        assert_eq!(text(&answer), principal.unwrap_or("nobody"));
    }
}
