//! Sessions of revisions with a handshake.

use mcp_server::Limits;
use mcp_server::http::{HttpConfig, MemoryEvents};
use serde_json::{Value, json};

use crate::rig::{Rig, accepting, call, initialize, of, post, text};

const LATEST: &str = "2025-11-25";

fn stored() -> HttpConfig {
    HttpConfig::new().with_event_store(MemoryEvents::default())
}

#[tokio::test]
async fn a_session_lives_from_its_handshake_to_its_end() {
    let rig = Rig::new(HttpConfig::new());
    let session = rig.open(LATEST).await;
    let note = session.ask(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    assert_eq!(note.status, 202);
    assert_eq!(text(&session.ask(&call(1, "echo")).await.json().await), "echo");
    let unknown = session.ask(&json!({"jsonrpc": "2.0", "id": 2, "method": "no/such"})).await;
    assert_eq!(unknown.status, 200, "this era has no statuses for errors");
    let response = session.ask(&json!({"jsonrpc": "2.0", "id": 99, "result": {}})).await;
    assert_eq!(response.status, 202);
    assert_eq!(rig.service.sessions(), 1);
    assert_eq!(rig.ask(session.delete()).await.status, 204);
    for request in [session.post(&call(3, "echo")), session.get(None), session.delete()] {
        assert_eq!(rig.ask(request).await.status, 404);
    }
    // Whose session has ended opens another one.
    let again = rig.ask(post(&[("mcp-session-id", &session.id)], &initialize(LATEST))).await;
    assert_ne!(again.headers["mcp-session-id"], *session.id);
    let report = rig.service.handle().close().await;
    assert_eq!((rig.service.sessions(), report.exit_code()), (0, 0));
    assert_eq!((report.tally.received, report.tally.answered), (4, 4));
}

#[tokio::test]
async fn a_session_is_its_principals() {
    let rig = Rig::new(stored());
    let session = rig.open_as(LATEST, Some("anna")).await;
    assert_eq!(text(&session.ask(&call(1, "who")).await.json().await), "anna");
    for principal in [Some("berta"), None] {
        let without = |mut request: http::Request<_>| {
            request.extensions_mut().clear();
            of(principal, request)
        };
        for request in [session.post(&call(2, "who")), session.get(None), session.get(Some("1-1")), session.delete()] {
            assert_eq!(rig.ask(without(request)).await.status, 404, "{principal:?}");
        }
    }
    assert_eq!(rig.service.sessions(), 1);
}

#[tokio::test]
async fn a_handshake_that_is_refused_leaves_nothing() {
    let rig = Rig::new(HttpConfig::new());
    let broken = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 7}});
    let mut answer = rig.ask(post(&[], &broken)).await;
    assert_eq!(answer.headers.get("mcp-session-id"), None);
    assert_eq!(answer.json().await["error"]["code"], -32602);
    assert_eq!(rig.service.sessions(), 0);
    let report = rig.service.handle().close().await;
    assert_eq!((report.tally.received, report.exit_code()), (1, 0));
}

#[tokio::test]
async fn there_are_no_more_sessions_than_there_may_be() {
    let mut limits = Limits::default();
    limits.sessions = 1;
    let rig = Rig::with(HttpConfig::new(), |server| server.with_limits(limits));
    let session = rig.open(LATEST).await;
    let refused = rig.ask(post(&[], &initialize(LATEST))).await;
    assert_eq!(refused.status, 503);
    assert!(refused.headers.contains_key("retry-after"));
    assert_eq!(text(&session.ask(&call(1, "echo")).await.json().await), "echo", "nobody had to go for it");
    rig.ask(session.delete()).await;
    // Its place is free when its run has ended.
    while rig.service.sessions() > 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(rig.ask(post(&[], &initialize(LATEST))).await.status, 200);
}

#[tokio::test]
async fn a_lost_stream_cancels_nothing() {
    let rig = Rig::new(HttpConfig::new());
    let session = rig.open(LATEST).await;
    let mut answer = session.ask(&call(1, "count")).await;
    assert_eq!(answer.message().await["params"]["progress"], 1.0);
    drop(answer);
    assert_eq!(rig.shared.alive(), 1);
    rig.shared.go.0.add_permits(1);
    rig.shared.stopped.notified().await;
    assert_eq!(rig.shared.alive(), 0);
}

#[tokio::test]
async fn a_stream_is_resumed_where_it_broke() {
    let rig = Rig::new(stored());
    let session = rig.open(LATEST).await;
    let mut answer = session.ask(&call(1, "count")).await;
    let (first, nothing) = answer.event().await.unwrap();
    assert_eq!(nothing, "", "an event to resume from");
    let (second, _) = answer.event().await.unwrap();
    drop(answer);
    rig.shared.go.0.add_permits(1);
    let mut resumed = rig.ask(session.get(Some(&second))).await;
    assert_eq!(resumed.message().await["params"]["progress"], 2.0);
    assert_eq!(text(&resumed.message().await), "counted");
    assert_eq!(resumed.event().await, None);
    // And once more, from the beginning.
    let mut again = rig.ask(session.get(Some(&first))).await;
    let mut ids = Vec::new();
    while let Some((id, _)) = again.event().await {
        ids.push(id);
    }
    assert_eq!((ids.len(), &ids[0]), (3, &second));
    for unknown in ["77-1", "1-77"] {
        let mut refused = rig.ask(session.get(Some(unknown))).await;
        assert_eq!((refused.status, &refused.json().await["error"]["code"]), (400, &json!(-32600)));
    }
}

#[tokio::test]
async fn whoever_resumes_a_stream_that_is_read_takes_it_over() {
    let rig = Rig::new(stored());
    let session = rig.open(LATEST).await;
    let mut answer = session.ask(&call(1, "count")).await;
    let (first, _) = answer.event().await.unwrap();
    answer.event().await.unwrap();
    let mut resumed = rig.ask(session.get(Some(&first))).await;
    assert_eq!(resumed.message().await["params"]["progress"], 1.0);
    assert_eq!(answer.event().await, None);
    rig.shared.go.0.add_permits(1);
    assert_eq!(resumed.message().await["params"]["progress"], 2.0);
    assert_eq!(text(&resumed.message().await), "counted");
}

#[tokio::test]
async fn a_client_is_sent_away_and_comes_back() {
    let rig = Rig::new(stored());
    let session = rig.open(LATEST).await;
    let mut answer = session.ask(&call(1, "leave")).await;
    let (id, _) = answer.event().await.unwrap();
    assert_eq!(answer.event().await, None);
    assert_eq!(rig.shared.alive(), 1);
    let mut resumed = rig.ask(session.get(Some(&id))).await;
    rig.shared.go.0.add_permits(1);
    assert_eq!(text(&resumed.message().await), "came back");
}

#[tokio::test]
async fn a_question_goes_out_on_the_stream_of_its_call_and_is_answered_by_a_post() {
    let rig = Rig::new(HttpConfig::new());
    let session = rig.open(LATEST).await;
    let mut answer = session.ask(&call(1, "greet")).await;
    for name in ["Anna", "Berta"] {
        let question = answer.message().await;
        assert_eq!(question["method"], "elicitation/create");
        let result = json!({"action": "accept", "content": {"name": name}});
        let response = session.ask(&json!({"jsonrpc": "2.0", "id": question["id"], "result": result})).await;
        assert_eq!(response.status, 202);
    }
    assert_eq!(text(&answer.message().await), "Anna and Berta");
    assert_eq!(answer.event().await, None);
}

#[tokio::test]
async fn changes_are_told_on_a_stream_of_its_own() {
    let rig = Rig::new(HttpConfig::new());
    let session = rig.open(LATEST).await;
    let mut stream = rig.ask(session.get(None)).await;
    assert!(stream.is_stream());
    rig.server.tools().remove("wait");
    assert_eq!(stream.message().await["method"], "notifications/tools/list_changed");
    let closed = rig.service.handle().close();
    assert_eq!(stream.event().await, None);
    drop(closed.await);
}

#[tokio::test]
async fn a_call_that_is_cancelled_ends_its_stream() {
    let rig = Rig::new(HttpConfig::new());
    let session = rig.open(LATEST).await;
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
    let mut answer = session.ask(&call(1, "wait")).await;
    assert_eq!(session.ask(&cancel).await.status, 202);
    assert_eq!((answer.is_stream(), answer.event().await), (true, None));
    let mut json = Box::pin(rig.begin(accepting("application/json", session.post(&call(1, "wait")))));
    rig.shared.started.notified().await;
    tokio::select! {
        biased;
        _ = &mut json => panic!("nobody has let it go"),
        cancelled = session.ask(&cancel) => assert_eq!(cancelled.status, 202),
    }
    assert_eq!(json.await.status, 204);
}

#[tokio::test]
async fn batches_are_of_one_revision() {
    let rig = Rig::new(HttpConfig::new());
    let session = rig.open("2025-03-26").await;
    let batch = json!([call(1, "echo"), {"jsonrpc": "2.0", "method": "notifications/x"}, call(2, "echo")]);
    let answers = session.ask(&batch).await.json().await;
    assert_eq!(answers.as_array().unwrap().iter().map(|answer| &answer["id"]).collect::<Vec<_>>(), [1, 2]);
    let notes = json!([{"jsonrpc": "2.0", "method": "notifications/x"}]);
    assert_eq!(session.ask(&notes).await.status, 202);
    let later = rig.open("2025-06-18").await;
    assert_eq!(later.ask(&batch).await.status, 400);
}

#[tokio::test]
async fn answers_can_be_json_alone() {
    let rig = Rig::new(stored().json_responses());
    let session = rig.open(LATEST).await;
    rig.shared.go.0.add_permits(1);
    assert_eq!(text(&session.ask(&call(1, "count")).await.json().await), "counted");
    // Nobody can be asked, which is told at once.
    let failed: Value = session.ask(&call(2, "greet")).await.json().await;
    assert!(failed["result"]["isError"] == true || failed["error"].is_object(), "{failed}");
}

#[tokio::test]
async fn without_sessions_every_request_stands_alone() {
    let rig = Rig::new(HttpConfig::new().stateless());
    let mut answer = rig.ask(post(&[], &initialize("2025-06-18"))).await;
    assert_eq!(answer.headers.get("mcp-session-id"), None);
    assert_eq!(answer.json().await["result"]["protocolVersion"], "2025-06-18");
    let version = [("mcp-protocol-version", "2025-06-18")];
    assert_eq!(text(&rig.ask(post(&version, &call(1, "echo"))).await.json().await), "echo");
    let note = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(rig.ask(post(&version, &note)).await.status, 202);
    let failed: Value = rig.ask(accepting("application/json", post(&version, &call(2, "greet")))).await.json().await;
    assert!(failed["result"]["isError"] == true || failed["error"].is_object(), "{failed}");
    assert_eq!(rig.service.sessions(), 0);
}

#[tokio::test]
async fn without_sessions_a_batch_stands_alone() {
    let rig = Rig::new(HttpConfig::new().stateless());
    let note = json!({"jsonrpc": "2.0", "method": "notifications/x"});
    let batch = json!([call(1, "echo"), note, call(2, "who")]);
    for version in [&[][..], &[("mcp-protocol-version", "2025-03-26")]] {
        let mut answers = rig.ask(of(Some("anna"), post(version, &batch))).await;
        let answers = answers.json().await;
        assert_eq!(text(&answers[0]), "echo");
        assert_eq!((&answers[1]["id"], text(&answers[1])), (&json!(2), "anna"));
    }
    assert_eq!(rig.ask(post(&[], &json!([note, note]))).await.status, 202);
    assert_eq!(rig.ask(post(&[("mcp-protocol-version", "2025-06-18")], &batch)).await.status, 400);
    // Something is said before the answers.
    let mut counting = call(2, "count");
    counting["params"]["_meta"] = json!({"progressToken": 1});
    let batch = json!([call(1, "wait"), counting]);
    let mut stream = rig.ask(post(&[], &batch)).await;
    assert!(stream.is_stream());
    assert!(stream.event().await.unwrap().1.contains("notifications/progress"));
    rig.shared.go.0.add_permits(2);
    assert!(stream.event().await.unwrap().1.contains("notifications/progress"));
    let answers: Value = serde_json::from_str(&stream.event().await.unwrap().1).unwrap();
    assert_eq!(answers.as_array().unwrap().len(), 2);
    assert!(stream.event().await.is_none());
    // Whoever leaves has all of it ended.
    let stream = rig.ask(post(&[], &batch)).await;
    assert_eq!(rig.shared.alive(), 2);
    drop(stream);
    assert_eq!(rig.shared.alive(), 0);
    let report = rig.service.handle().close().await;
    assert_eq!((rig.service.sessions(), report.exit_code()), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn a_session_that_is_idle_expires() {
    let rig = Rig::new(stored());
    let session = rig.open(LATEST).await;
    tokio::time::sleep(std::time::Duration::from_secs(31 * 60)).await; // tidy: waits for the session to expire
    assert_eq!(rig.ask(session.post(&call(1, "echo"))).await.status, 404);
    assert_eq!(rig.service.sessions(), 0);
}

#[tokio::test]
async fn sessions_end_with_the_last_of_their_services() {
    let rig = Rig::new(stored());
    let session = rig.open(LATEST).await;
    drop(session.ask(&call(1, "wait")).await);
    assert_eq!(rig.shared.alive(), 1);
    let Rig { service, server, shared } = rig;
    drop((service, server));
    shared.stopped.notified().await;
    assert_eq!(shared.alive(), 0);
}

#[tokio::test]
async fn of_several_streams_one_is_told() {
    let rig = Rig::new(HttpConfig::new());
    let session = rig.open(LATEST).await;
    let (one, other) = (rig.ask(session.get(None)).await, rig.ask(session.get(None)).await);
    assert!(one.is_stream() && other.is_stream());
    rig.server.tools().remove("wait");
    let closed = rig.service.handle().close();
    let mut told = 0;
    for mut stream in [one, other] {
        while let Some((_, data)) = stream.event().await {
            assert!(data.contains("list_changed"), "{data}");
            told += 1;
        }
    }
    assert_eq!(told, 1);
    drop(closed.await);
}
