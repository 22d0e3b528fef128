//! Rounds of input: questions in a result, and the call again with the answers.

use std::sync::Arc;
use std::time::Duration;

use mcp_client::{CallError, CallOutcome, Client, Connection, Era, InputRounds};
use mcp_types::elicitation::ElicitResult;
use mcp_types::input::InputResponses;
use mcp_types::jsonrpc::{ErrorCode, ErrorObject};
use mcp_types::roots::Root;
use mcp_types::{CallToolResult, RawJson};
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::support::{NO_CONTENT, Server, client, connected};

const FORM: &str = r#"{"method":"elicitation/create","params":{"message":"who?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}}}}}"#;
const ROOTS: &str = r#"{"method":"roots/list"}"#;
const SAMPLE: &str = r#"{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}"#;

fn asks(requests: &str) -> String {
    format!(r#"{{"resultType":"input_required","inputRequests":{requests}}}"#)
}

fn answering() -> Client {
    client()
        .on_elicit(|form| async move {
            ElicitResult::accept([("name".to_owned(), json!(form.message))].into_iter().collect())
        })
        .with_roots([Root::new("file:///a")])
}

async fn calling(client: Client) -> (Connection, Server, JoinHandle<Result<CallToolResult, CallError>>) {
    let (connection, server) = connected(client, Era::Modern).await;
    let call = tokio::spawn(connection.call_tool("t", &json!({ "x": 1 })).on_progress(drop));
    (connection, server, call)
}

#[tokio::test(start_paused = true)]
async fn questions_are_answered_and_the_call_is_made_again_with_what_the_server_wants_back() {
    let (_connection, mut server, call) = calling(answering()).await;
    let first = server.asked("tools/call").await;
    let mut request = first.clone();
    // Odd on purpose: whatever it is and however it is written, it goes back byte for byte.
    for state in [r#""a\u0041\/ \n""#, r#"{ "b":1.0 ,"a" : [1e2] }"#, "12345678901234567890123"] {
        let result = format!(
            r#"{{"resultType":"input_required","inputRequests":{{"b":{FORM},"a":{ROOTS}}},"requestState":{state}}}"#
        );
        server.answer(&request, &result).await;
        let text = server.text().await;
        assert!(text.contains(&format!(r#""requestState":{state}"#)), "{text}");
        let again: Value = serde_json::from_str(&text).unwrap();
        assert_ne!(again["id"], request["id"], "a new id");
        assert_eq!(again["params"]["name"], "t");
        assert_eq!(again["params"]["arguments"], json!({ "x": 1 }));
        let responses = &again["params"]["inputResponses"];
        assert_eq!(responses["b"], json!({ "action": "accept", "content": { "name": "who?" } }));
        assert_eq!(responses["a"], json!({ "roots": [{ "uri": "file:///a" }] }));
        let (mut meta, mut before) = (again["params"]["_meta"].clone(), first["params"]["_meta"].clone());
        assert_eq!(meta["progressToken"], again["id"], "a token of its own");
        (meta["progressToken"], before["progressToken"]) = (Value::Null, Value::Null);
        assert_eq!(meta, before, "all else is the same");
        request = again;
    }
    server.answer(&request, NO_CONTENT).await;
    call.await.unwrap().unwrap();
}

//= 2026-07-28/basic/patterns/mrtr#client-requirements
//# If the result does not include a `requestState`, the client MUST NOT include one
#[tokio::test(start_paused = true)]
async fn what_was_not_sent_is_not_sent_back() {
    for state in ["", r#","requestState":null"#] {
        let (_connection, mut server, call) = calling(answering()).await;
        let request = server.asked("tools/call").await;
        let result = format!(r#"{{"resultType":"input_required","inputRequests":{{"k":{ROOTS}}}{state}}}"#);
        server.answer(&request, &result).await;
        let again = server.asked("tools/call").await;
        assert!(again["params"].get("requestState").is_none());
        server.answer(&again, NO_CONTENT).await;
        call.await.unwrap().unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn callbacks_of_one_round_run_at_once() {
    let barrier = Arc::new(tokio::sync::Barrier::new(2));
    let (one, other) = (Arc::clone(&barrier), barrier);
    let client = client()
        .on_elicit(move |_| {
            let barrier = Arc::clone(&one);
            async move {
                barrier.wait().await;
                ElicitResult::decline()
            }
        })
        .on_elicit_url(move |_| {
            let barrier = Arc::clone(&other);
            async move {
                barrier.wait().await;
                ElicitResult::cancel()
            }
        });
    let (_connection, mut server, call) = calling(client).await;
    let request = server.asked("tools/call").await;
    let url = r#"{"method":"elicitation/create","params":{"mode":"url","message":"go","url":"https://example.com"}}"#;
    server.answer(&request, &asks(&format!(r#"{{"f":{FORM},"u":{url}}}"#))).await;
    let again = server.asked("tools/call").await;
    let responses = &again["params"]["inputResponses"];
    assert_eq!(*responses, json!({ "f": { "action": "decline" }, "u": { "action": "cancel" } }));
    server.answer(&again, NO_CONTENT).await;
    call.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_callback_calls_the_server_in_the_middle_of_a_round() {
    let client = client().on_elicit(|form| async move {
        form.connection().call_tool("inner", &()).await.unwrap();
        ElicitResult::decline()
    });
    let (_connection, mut server, call) = calling(client).await;
    let request = server.asked("tools/call").await;
    server.answer(&request, &asks(&format!(r#"{{"f":{FORM}}}"#))).await;
    let inner = server.asked("tools/call").await;
    assert_eq!(inner["params"]["name"], "inner");
    server.answer(&inner, NO_CONTENT).await;
    let again = server.asked("tools/call").await;
    server.answer(&again, NO_CONTENT).await;
    call.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_question_without_an_answer_ends_the_call_and_nothing_is_sent_again() {
    let refuses = || answering().on_sample(|_| async { Err(ErrorObject::new(ErrorCode(-1), "User rejected")) });
    let panics = || answering().on_sample(|_| async { panic!("this callback always panics") });
    let other = r#"{"method":"vendor/ask","params":{}}"#;
    let with_tools = r#"{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1,"tools":[]}}"#;
    #[rustfmt::skip]
    let rows = [
        (answering(), SAMPLE,     -32601, "sampling/createMessage"),
        (refuses(),   SAMPLE,     -1,     "sampling/createMessage"),
        (refuses(),   with_tools, -32602, "sampling/createMessage"),
        (panics(),    SAMPLE,     -32603, "sampling/createMessage"),
        (answering(), other,      -32601, "vendor/ask"),
    ];
    for (client, question, code, method) in rows {
        let (connection, mut server, call) = calling(client).await;
        let request = server.asked("tools/call").await;
        server.answer(&request, &asks(&format!(r#"{{"good":{ROOTS},"bad":{question}}}"#))).await;
        let error = call.await.unwrap().unwrap_err();
        let CallError::InputRefused { key, asked, error: why, .. } = &error else { panic!("{error:?}") };
        assert_eq!((&**key, &**asked, why.code.0), ("bad", method, code));
        assert_eq!(connection.meters().unwrap().pending_slots, 0);
        connection.close().await;
        server.ended().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_without_questions_is_asked_again_a_little_later() {
    let (_connection, mut server, call) = calling(answering()).await;
    let began = Instant::now();
    for _ in 0..3 {
        let request = server.asked("tools/call").await;
        server.answer(&request, r#"{"resultType":"input_required","requestState":"busy"}"#).await;
    }
    let request = server.asked("tools/call").await;
    assert!(request["params"].get("inputResponses").is_none());
    assert_eq!(began.elapsed(), Duration::from_millis(50 + 100 + 200));
    server.answer(&request, NO_CONTENT).await;
    call.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn rounds_have_an_end() {
    for (client, most) in [(answering(), 10), (answering().with_input_rounds(InputRounds::drive().max(2)), 2)] {
        let (connection, mut server, call) = calling(client).await;
        for _ in 0..=most {
            let request = server.asked("tools/call").await;
            server.answer(&request, &asks(&format!(r#"{{"k":{ROOTS}}}"#))).await;
        }
        let error = call.await.unwrap().unwrap_err();
        assert!(matches!(error, CallError::TooManyRounds { rounds, .. } if rounds == most), "{error}");
        connection.close().await;
        server.ended().await;
    }
}

#[tokio::test(start_paused = true)]
async fn the_limit_for_the_whole_covers_all_rounds_and_who_answers_them() {
    let client = client().on_elicit(|_| std::future::pending());
    let (connection, mut server) = connected(client, Era::Modern).await;
    let limit = Duration::from_secs(100);
    let call = tokio::spawn(connection.call_tool("t", &()).max_time(limit));
    let began = Instant::now();
    let request = server.asked("tools/call").await;
    tokio::time::advance(Duration::from_secs(50)).await;
    server.answer(&request, &asks(&format!(r#"{{"k":{FORM}}}"#))).await;
    let error = call.await.unwrap().unwrap_err();
    assert!(matches!(error, CallError::TimedOut { limit: passed, .. } if passed == limit), "{error}");
    assert_eq!(began.elapsed().as_secs(), 100);
}

#[tokio::test(start_paused = true)]
async fn a_later_round_has_what_is_left_of_the_whole() {
    let (connection, mut server) = connected(answering(), Era::Modern).await;
    let limit = Duration::from_secs(40);
    let call = tokio::spawn(connection.call_tool("t", &()).max_time(limit));
    let request = server.asked("tools/call").await;
    tokio::time::advance(Duration::from_secs(30)).await;
    server.answer(&request, &asks(&format!(r#"{{"k":{ROOTS}}}"#))).await;
    let again = server.asked("tools/call").await;
    let began = Instant::now();
    let cancel = server.asked("notifications/cancelled").await;
    assert_eq!((cancel["params"]["requestId"].clone(), began.elapsed().as_secs()), (again["id"].clone(), 10));
    let error = call.await.unwrap().unwrap_err();
    assert!(matches!(error, CallError::TimedOut { limit: passed, .. } if passed == limit), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_dropped_between_rounds_cancels_its_callback() {
    let (began, mut running) = tokio::sync::mpsc::unbounded_channel::<tokio::sync::mpsc::Sender<()>>();
    let client = client().on_elicit(move |_| {
        let began = began.clone();
        async move {
            let (alive, mut never) = tokio::sync::mpsc::channel(1);
            began.send(alive).unwrap();
            never.recv().await;
            ElicitResult::decline()
        }
    });
    let (_connection, mut server, call) = calling(client).await;
    let request = server.asked("tools/call").await;
    server.answer(&request, &asks(&format!(r#"{{"k":{FORM}}}"#))).await;
    let alive = running.recv().await.unwrap();
    call.abort();
    alive.closed().await;
}

#[tokio::test(start_paused = true)]
async fn questions_where_there_may_be_none_are_malformed() {
    let (connection, mut server) = connected(answering(), Era::Modern).await;
    let list = tokio::spawn(connection.request_raw("tools/list", &()));
    let request = server.asked("tools/list").await;
    server.answer(&request, &asks(&format!(r#"{{"k":{ROOTS}}}"#))).await;
    assert!(matches!(list.await.unwrap(), Err(CallError::Malformed { .. })));
    for nothing in [r#"{"resultType":"input_required"}"#, r#"{"resultType":"input_required","inputRequests":{}}"#] {
        let call = tokio::spawn(connection.call_tool("t", &()));
        let request = server.asked("tools/call").await;
        server.answer(&request, nothing).await;
        assert!(matches!(call.await.unwrap(), Err(CallError::Malformed { .. })), "{nothing}");
    }
}

#[tokio::test(start_paused = true)]
async fn prompts_and_resources_may_ask_too() {
    let (connection, mut server) = connected(answering(), Era::Modern).await;
    for (method, params) in [("prompts/get", json!({ "name": "p" })), ("resources/read", json!({ "uri": "file:///a" }))]
    {
        let call = tokio::spawn(connection.request_raw(method, &params));
        let request = server.asked(method).await;
        server.answer(&request, &asks(&format!(r#"{{"k":{ROOTS}}}"#))).await;
        let again = server.asked(method).await;
        assert!(again["params"]["inputResponses"]["k"]["roots"].is_array());
        assert_eq!(again["params"]["name"], params["name"]);
        server.answer(&again, "{}").await;
        call.await.unwrap().unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn rounds_that_are_handed_over_are_answered_by_the_caller() {
    let (connection, mut server) = connected(client(), Era::Modern).await;
    let call = tokio::spawn(connection.call_tool("t", &json!({ "x": 1 })).hand_over());
    let request = server.asked("tools/call").await;
    let result =
        format!(r#"{{"resultType":"input_required","inputRequests":{{"k":{SAMPLE}}},"requestState":"\u0041"}}"#);
    server.answer(&request, &result).await;
    let CallOutcome::InputRequired(asked) = call.await.unwrap().unwrap() else { panic!("questions") };
    let questions = asked.result().input_requests.as_ref().unwrap();
    assert_eq!(questions.get("k").unwrap().method(), "sampling/createMessage");
    let responses: InputResponses = [("k", RawJson::parse(r#"{"mine":1}"#).unwrap())].into_iter().collect();
    let call = tokio::spawn(asked.retry_with(responses));
    let text = server.text().await;
    assert!(text.contains(r#""inputResponses":{"k":{"mine":1}},"requestState":"\u0041""#), "{text}");
    let again: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(again["params"]["arguments"], json!({ "x": 1 }));
    server.answer(&again, NO_CONTENT).await;
    assert!(matches!(call.await.unwrap().unwrap(), CallOutcome::Complete(_)));
}

#[tokio::test(start_paused = true)]
async fn a_client_that_hands_rounds_over_says_so_to_calls_that_do_not_expect_it() {
    let (connection, mut server) =
        connected(answering().with_input_rounds(InputRounds::hand_over()), Era::Modern).await;
    let call = tokio::spawn(connection.call_tool("t", &()));
    let request = server.asked("tools/call").await;
    server.answer(&request, &asks(&format!(r#"{{"k":{ROOTS}}}"#))).await;
    let error = call.await.unwrap().unwrap_err();
    assert!(matches!(&error, CallError::InputRequired { result, .. } if result.input_requests.is_some()), "{error}");
}
