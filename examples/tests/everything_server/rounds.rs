//! The tools of the official conformance suite that ask their client, over a pipe and in both eras.

use serde_json::{Value, json};

use crate::asking::modern;
use crate::support::{Program, call, request, text};

/// A tool, the keys of the questions of each round, and what it says in the end.
type Row = (&'static str, &'static [&'static [&'static str]], &'static str);

/// Tickets are numbers that are drawn once in a call, if what the call remembers comes back.
#[rustfmt::skip]
const ROWS: [Row; 8] = [
    ("test_input_required_result_elicitation",     &[&["user_name"]],                             "Hello, Ada!"),
    ("test_input_required_result_sampling",        &[&["capital_question"]],                      "Paris."),
    ("test_input_required_result_list_roots",      &[&["client_roots"]],                          "A at file:///a\nfile:///b"),
    ("test_input_required_result_multiple_inputs", &[&["user_name", "greeting", "client_roots"]], "ticket 1: Hello, Ada! Paris. You have 2 roots."),
    ("test_input_required_result_multi_round",     &[&["step1"], &["step2"]],                     "ticket 2: Ada likes blue"),
    ("test_input_required_result_capabilities",    &[&["user_name", "greeting"]],                 "Hello, Ada! Paris."),
    ("test_streaming_elicitation",                 &[&["user_name"]],                             "action=accept"),
    ("test_missing_capability",                    &[&["hello"]],                                 "Paris."),
];

/// What is asked by a key: the method, and the answer to it.
fn question(key: &str) -> (&'static str, Value) {
    let entered = |content: Value| ("elicitation/create", json!({"action": "accept", "content": content}));
    match key {
        "user_name" | "step1" => entered(json!({"name": "Ada"})),
        "step2" => entered(json!({"color": "blue"})),
        "confirm" => entered(json!({"ok": true})),
        "user_context" => entered(json!({"context": "tea"})),
        "client_roots" => ("roots/list", json!({"roots": [{"uri": "file:///a", "name": "A"}, {"uri": "file:///b"}]})),
        _ => {
            let content = json!({"type": "text", "text": "Paris."});
            ("sampling/createMessage", json!({"role": "assistant", "content": content, "model": "m"}))
        }
    }
}

/// The next round of a call, with these answers and the state that was given for it.
fn retry(id: u64, tool: &str, asked: &Value, responses: Value) -> Value {
    let mut more = json!({"inputResponses": responses});
    if let Some(state) = asked.get("requestState") {
        more["requestState"] = state.clone();
    }
    modern(id, tool, more)
}

/// A legacy session with a client that can answer everything.
pub(crate) async fn open(program: &mut Program) {
    let capabilities = json!({"elicitation": {}, "sampling": {}, "roots": {}});
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": capabilities,
        "clientInfo": {"name": "tester", "version": "1"}});
    assert!(program.ask(&request("init", "initialize", params)).await["result"].is_object());
    program.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
}

#[tokio::test]
async fn a_modern_client_is_asked_by_the_keys_that_the_suite_knows() {
    let mut program = Program::everything(&[]);
    for (tool, rounds, expected) in ROWS {
        let mut answer = program.ask(&modern(1, tool, json!({}))).await["result"].take();
        for (id, keys) in (2..).zip(rounds) {
            assert_eq!(answer["resultType"], "input_required", "{tool}");
            let asked = answer["inputRequests"].as_object().unwrap();
            assert_eq!(asked.keys().collect::<Vec<_>>(), *keys, "{tool}");
            for (key, request) in asked {
                assert_eq!(request["method"], question(key).0, "{tool}");
            }
            let responses = keys.iter().map(|key| ((*key).to_owned(), question(key).1)).collect();
            let retry = retry(id, tool, &answer, Value::Object(responses));
            answer = program.ask(&retry).await["result"].take();
        }
        assert_eq!(text(&json!({ "result": answer })), expected, "{tool}");
    }
}

#[tokio::test]
async fn a_legacy_client_is_asked_the_same_by_requests() {
    let mut program = Program::everything(&[]);
    open(&mut program).await;
    for (tool, rounds, expected) in ROWS {
        program.send(&call(1, tool, json!({}))).await;
        for key in rounds.iter().copied().flatten() {
            let (method, answer) = question(key);
            let asked = program.recv().await;
            assert_eq!(asked["method"], method, "{tool}");
            program.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": answer})).await;
        }
        assert_eq!(text(&program.recv().await), expected, "{tool}");
    }
}

#[tokio::test]
async fn what_a_call_remembers_comes_back_and_may_not_be_changed() {
    for tool in ["test_input_required_result_request_state", "test_input_required_result_tampered_state"] {
        let mut program = Program::everything(&[]);
        let first = program.ask(&modern(1, tool, json!({}))).await["result"].take();
        let other = program.ask(&modern(2, tool, json!({}))).await["result"].take();
        assert!(first["requestState"].is_string() && first["requestState"] != other["requestState"], "{first}");
        let responses = json!({"confirm": question("confirm").1});

        let mut forged = first.clone();
        forged["requestState"] = format!("{}-TAMPERED", first["requestState"].as_str().unwrap()).into();
        let refused = program.ask(&retry(3, tool, &forged, responses.clone())).await;
        assert_eq!((&refused["error"]["code"], refused.get("result")), (&json!(-32602), None), "{refused}");

        let second = program.ask(&retry(4, tool, &other, responses.clone())).await;
        assert_eq!(text(&second), "state-ok: ticket 2 was confirmed");
        let first = program.ask(&retry(5, tool, &first, responses.clone())).await;
        assert_eq!(text(&first), "state-ok: ticket 1 was confirmed");
        let forgotten = program.ask(&retry(6, tool, &json!({}), responses)).await;
        assert_eq!(text(&forgotten), "nothing to remember: ticket 3 was confirmed");
    }
}

#[tokio::test]
async fn each_round_has_a_state_of_its_own() {
    let mut program = Program::everything(&[]);
    let tool = "test_input_required_result_multi_round";
    let first = program.ask(&modern(1, tool, json!({}))).await["result"].take();
    let responses = json!({"step1": question("step1").1});
    let second = program.ask(&retry(2, tool, &first, responses)).await["result"].take();
    assert!(first["requestState"].is_string() && second["requestState"].is_string(), "{first} {second}");
    assert_ne!(first["requestState"], second["requestState"]);
}

#[tokio::test]
async fn a_client_is_asked_only_for_what_it_can_do() {
    let tool = "test_input_required_result_capabilities";
    for (capabilities, keys) in [
        (json!({"sampling": {}}), &["greeting"][..]),
        (json!({"elicitation": {}}), &["user_name"]),
        (json!({"elicitation": {"form": {}}, "sampling": {}}), &["user_name", "greeting"]),
    ] {
        let mut program = Program::everything(&[]);
        let mut asking = modern(1, tool, json!({}));
        asking["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities;
        let asked = program.ask(&asking).await["result"]["inputRequests"].take();
        assert_eq!(asked.as_object().unwrap().keys().collect::<Vec<_>>(), keys);
    }
    let mut program = Program::everything(&[]);
    let mut asking = modern(1, tool, json!({}));
    asking["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
    assert_eq!(text(&program.ask(&asking).await), "nobody was asked no model was asked");
}

#[tokio::test]
async fn answers_to_something_else_are_passed_over_and_wrong_ones_are_refused() {
    let mut program = Program::everything(&[]);
    let tool = "test_input_required_result_elicitation";
    let right = question("user_name").1;

    let missing = program.ask(&modern(1, tool, json!({"inputResponses": {"wrong_key": right}}))).await;
    assert!(missing["result"]["inputRequests"]["user_name"].is_object(), "{missing}");
    let nothing = program.ask(&modern(2, tool, json!({"inputResponses": null}))).await;
    assert!(nothing["result"]["inputRequests"]["user_name"].is_object(), "{nothing}");
    let wrong = program.ask(&modern(3, tool, json!({"inputResponses": {"user_name": 12_345}}))).await;
    assert_eq!(wrong["error"]["code"], -32602, "{wrong}");
    let more = json!({"inputResponses": {"user_name": right, "unknown": {"action": "accept"}}});
    assert_eq!(text(&program.ask(&modern(4, tool, more)).await), "Hello, Ada!");
}

#[tokio::test]
async fn a_prompt_asks_too() {
    let name = "test_input_required_result_prompt";
    let mut program = Program::everything(&[]);
    let mut asking = modern(1, name, json!({}));
    asking["method"] = "prompts/get".into();
    let asked = program.ask(&asking).await["result"].take();
    let (method, answer) = question("user_context");
    assert_eq!(asked["inputRequests"]["user_context"]["method"], method, "{asked}");
    let schema = &asked["inputRequests"]["user_context"]["params"]["requestedSchema"];
    assert_eq!(schema["properties"]["context"]["type"], "string");
    let mut again = retry(2, name, &asked, json!({ "user_context": answer }));
    again["method"] = "prompts/get".into();
    let modern = program.ask(&again).await;

    let mut program = Program::everything(&[]);
    open(&mut program).await;
    let asked = program.ask(&request(1, "prompts/get", json!({ "name": name }))).await;
    assert_eq!(asked["method"], method);
    let legacy = program.ask(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": answer})).await;
    for answer in [modern, legacy] {
        assert_eq!(answer["result"]["messages"][0]["content"]["text"], "Use this context: tea", "{answer}");
    }
}
