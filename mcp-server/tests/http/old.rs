//! HTTP+SSE, the transport of revision 2024-11-05.

use bytes::Bytes;
use http::Request;
use http_body_util::Full;
use mcp_server::http::HttpConfig;
use serde_json::Value;

use crate::rig::{Rig, call, initialize, of, request, text};

fn to(target: &str, mut request: Request<Full<Bytes>>) -> Request<Full<Bytes>> {
    *request.uri_mut() = target.parse().unwrap();
    request
}

fn message(target: &str, message: &Value) -> Request<Full<Bytes>> {
    to(target, request("POST", &[], message.to_string()))
}

fn rig() -> Rig {
    Rig::new(HttpConfig::new().with_path("/mcp").with_sse_endpoint("/old/sse", "/old/messages"))
}

#[tokio::test]
async fn messages_are_posted_and_answers_come_on_the_stream() {
    let rig = rig();
    // What stands in front may have taken the first part of the path away.
    for (stream, seen) in [("/old/sse", "/old/messages"), ("/sse", "/messages")] {
        let mut answers = rig.ask(to(stream, request("GET", &[("accept", "text/event-stream")], Bytes::new()))).await;
        assert!(answers.is_stream());
        let (_, endpoint) = answers.event().await.unwrap();
        let target = endpoint.replacen("/old/messages", seen, 1);
        assert_eq!(rig.ask(message(&target, &initialize("2024-11-05"))).await.status, 202);
        assert_eq!(answers.message().await["result"]["protocolVersion"], "2024-11-05");
        rig.ask(message(&target, &call(1, "echo"))).await;
        assert_eq!(text(&answers.message().await), "echo");
        assert_eq!(rig.ask(of(Some("anna"), message(&target, &call(1, "echo")))).await.status, 404);
        drop(answers);
        assert_eq!(rig.ask(message(&target, &call(2, "echo"))).await.status, 404);
    }
    let report = rig.service.handle().close().await;
    assert_eq!((report.tally.answered, report.exit_code(), rig.service.sessions()), (4, 0, 0));
}

#[tokio::test]
async fn a_server_that_ends_answers_first() {
    let rig = rig();
    let mut answers = rig.ask(to("/sse", request("GET", &[], Bytes::new()))).await;
    let (_, endpoint) = answers.event().await.unwrap();
    rig.ask(message(&endpoint, &initialize("2024-11-05"))).await;
    answers.message().await;
    rig.ask(message(&endpoint, &call(1, "wait"))).await;
    rig.shared.started.notified().await;
    let closed = rig.service.handle().close();
    rig.shared.go.0.add_permits(1);
    assert_eq!(text(&answers.message().await), "waited");
    assert_eq!(answers.event().await, None);
    drop(answers);
    assert_eq!(closed.await.tally.drained, 1);
}

#[tokio::test]
async fn it_is_not_there_unless_it_is_asked_for() {
    let rig = Rig::new(HttpConfig::new().with_path("/mcp"));
    assert_eq!(rig.ask(to("/sse", request("GET", &[], Bytes::new()))).await.status, 404);
}
