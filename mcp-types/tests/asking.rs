//! What a server asks of a client: elicitation, sampling, roots, and input rounds.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::fmt::Debug;
use std::fs;
use std::path::Path;

use mcp_types::content::{Content, Role, ToolResultContent, ToolUseContent};
use mcp_types::elicitation::{
    BooleanSchema, ElicitAction, ElicitFormParams, ElicitMode, ElicitParams, ElicitResult, ElicitUrlParams,
    ElicitationCompleteParams, EnumOption, EnumSchema, FormSchema, MultiEnumSchema, NumberSchema, StringFormat,
    StringSchema, UrlElicitationRequired,
};
use mcp_types::gate::Gated;
use mcp_types::input::{InputRequest, InputRequests, InputRequiredResult, InputResponses};
use mcp_types::jsonrpc::{ErrorCode, ErrorObject};
use mcp_types::result::ResultType;
use mcp_types::roots::{ListRootsParams, ListRootsResult, Root};
use mcp_types::sampling::{
    CreateMessageParams, CreateMessageResult, IncludeContext, ModelHint, ModelPreferences, SamplingMessage, StopReason,
    ToolChoice, ToolChoiceMode,
};
use mcp_types::tools::CallToolParams;
use mcp_types::{Object, RawJson, Tool, Version};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Reads, writes, reads and compares; `json` holds every member the type has, and one it has not.
fn same<T: Serialize + DeserializeOwned + PartialEq + Debug>(json: &Value) -> T {
    let read: T = serde_json::from_str(&json.to_string()).unwrap();
    let written = serde_json::to_string(&read).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&written).unwrap(), *json, "{read:?}");
    assert_eq!(serde_json::from_str::<T>(&written).unwrap(), read);
    read
}

/// As [`same`], and the type built by hand is the one that was read.
fn is<T: Serialize + DeserializeOwned + PartialEq + Debug>(built: T, json: Value) {
    assert_eq!(same::<T>(&json), built);
}

fn object(value: Value) -> Object {
    serde_json::from_value(value).unwrap()
}

#[test]
fn elicitation() {
    let schema = json!({"type": "object", "properties": {}});
    is(
        ElicitFormParams::new("m", schema.clone()).with_meta(object(json!({"a": 1}))),
        json!({"mode": "form", "message": "m", "requestedSchema": schema, "_meta": {"a": 1}}),
    );
    is(
        ElicitUrlParams::new("m", "https://a").with_elicitation_id("7").with_meta(Object::new()),
        json!({"mode": "url", "message": "m", "url": "https://a", "elicitationId": "7", "_meta": {}}),
    );
    let bare = same::<ElicitParams>(&json!({"message": "m", "requestedSchema": {}, "vendor": 1}));
    assert_eq!((bare.mode(), bare.message()), (ElicitMode::Form, "m"));
    let url = same::<ElicitParams>(&json!({"mode": "url", "message": "m", "url": "u", "vendor": 1}));
    assert_eq!((url.mode(), url.message()), (ElicitMode::Url, "m"));
    let voice = same::<ElicitParams>(&json!({"mode": "voice", "language": "la"}));
    assert_eq!(voice.mode(), ElicitMode::Other("voice".into()));
    let error = serde_json::from_str::<ElicitParams>(r#"{"mode":"url","message":"m"}"#).unwrap_err();
    assert!(error.to_string().contains("url"), "{error}");
    for bad in [r#"{"mode":1,"message":"m","requestedSchema":{}}"#, "[]", r#"{"message":"m"}"#] {
        assert!(serde_json::from_str::<ElicitParams>(bad).is_err(), "{bad}");
    }

    is(ElicitResult::accept(object(json!({"a": ["b"]}))), json!({"action": "accept", "content": {"a": ["b"]}}));
    is(ElicitResult::decline(), json!({"action": "decline"}));
    is(ElicitResult::cancel().with_meta(Object::new()), json!({"action": "cancel", "_meta": {}}));
    let odd = same::<ElicitResult>(&json!({"action": "shrug", "vendor": 1}));
    assert_eq!(odd.action, ElicitAction::Other("shrug".into()));
    let null: ElicitResult = serde_json::from_str(r#"{"action":"accept","content":null}"#).unwrap();
    assert_eq!(null, ElicitResult::new(ElicitAction::Accept));

    is(ElicitationCompleteParams::new("7"), json!({"elicitationId": "7"}));
    let required = UrlElicitationRequired::new(vec![ElicitUrlParams::new("m", "u").with_elicitation_id("7")]);
    let error = required.to_error_object("first");
    assert_eq!(error.code, ErrorCode::URL_ELICITATION_REQUIRED);
    assert_eq!(UrlElicitationRequired::from_error(&error), Some(required));
    assert_eq!(UrlElicitationRequired::from_error(&ErrorObject::new(ErrorCode(1), "x")), None);
}

/// One field of each kind with all that it can have.
fn full_form() -> FormSchema {
    let titled = || [EnumOption::titled_as("r", "Red"), EnumOption::titled_as("g", "Green")];
    FormSchema::new()
        .with_required(
            "z",
            StringSchema::new()
                .with_title("Z")
                .with_description("last")
                .with_min_length(1)
                .with_max_length(9)
                .with_pattern("^z")
                .with_format(StringFormat::Email)
                .with_default("z@z"),
        )
        .with_optional("n", NumberSchema::new().with_minimum(1).with_maximum(2).with_default(2))
        .with_optional("i", NumberSchema::integer())
        .with_optional("b", BooleanSchema::new().with_default(true))
        .with_optional("e", EnumSchema::new(["x", "y"]).with_default("y"))
        .with_optional("t", EnumSchema::new(titled()))
        .with_optional("m", MultiEnumSchema::new(["x", "y"]).with_min_items(1).with_max_items(2))
        .with_required("a", MultiEnumSchema::new(titled()).with_default(vec!["r".to_owned()]))
}

#[test]
fn forms_are_written_in_their_order_and_read_back() {
    let form = full_form();
    let written = form.to_json(Version::MODERN);
    let expected = concat!(
        r#"{"type":"object","properties":{"#,
        r#""z":{"type":"string","title":"Z","description":"last","minLength":1,"maxLength":9,"pattern":"^z","format":"email","default":"z@z"},"#,
        r#""n":{"type":"number","minimum":1,"maximum":2,"default":2},"i":{"type":"integer"},"b":{"type":"boolean","default":true},"#,
        r#""e":{"type":"string","enum":["x","y"],"default":"y"},"#,
        r#""t":{"type":"string","oneOf":[{"const":"r","title":"Red"},{"const":"g","title":"Green"}]},"#,
        r#""m":{"type":"array","minItems":1,"maxItems":2,"items":{"type":"string","enum":["x","y"]}},"#,
        r#""a":{"type":"array","items":{"anyOf":[{"const":"r","title":"Red"},{"const":"g","title":"Green"}]},"default":["r"]}},"#,
        r#""required":["z","a"]}"#,
    );
    assert_eq!(written.get(), expected);
    assert_eq!(FormSchema::read(&written).unwrap(), form);
    let old = form.to_json(Version::V2025_06_18);
    assert!(old.get().contains(r#""t":{"type":"string","enum":["r","g"],"enumNames":["Red","Green"]}"#), "{old}");
    assert_eq!(FormSchema::read(&old).unwrap(), form);
    assert!(form.is_known_to(Version::V2025_11_25) && !form.is_known_to(Version::V2025_06_18));
}

#[test]
fn the_schema_of_a_form_keeps_its_text() {
    let schema = r#"{"type":"object","properties":{"z":{"type":"string","enum":["b","a"],"enumNames":["B","A"]},"a":{"minimum":1.0}}}"#;
    let text = format!(r#"{{"mode":"form","message":"m","requestedSchema":{schema}}}"#);
    let params: ElicitParams = serde_json::from_str(&text).unwrap();
    assert_eq!(serde_json::to_string(&params).unwrap(), text);
    let round = InputRequests::from_iter([("k", InputRequest::from(params))]);
    let written = serde_json::to_string(&round).unwrap();
    assert_eq!(written, format!(r#"{{"k":{{"method":"elicitation/create","params":{text}}}}}"#));
    assert_eq!(serde_json::from_str::<InputRequests>(&written).unwrap(), round);
}

#[test]
fn schemas_that_are_no_forms_name_the_field() {
    let of = |field: Value| json!({"type": "object", "properties": {"ok": {"type": "string"}, "f": field}});
    #[rustfmt::skip]
    let rows = [
        (of(json!({"type": "object", "properties": {}})),           Some("f")),
        (of(json!({"type": "array", "items": {"type": "string"}})), Some("f")),
        (of(json!({"type": "array"})),                              Some("f")),
        (of(json!({"type": ["string", "integer"]})),                Some("f")),
        (of(json!({"anyOf": [{"type": "string"}, {"type": "integer"}]})), Some("f")),
        (of(json!({"$ref": "#/$defs/X"})),                          Some("f")),
        (of(json!({"enum": [1, 2]})),                               Some("f")),
        (of(json!({"type": "null"})),                               Some("f")),
        (of(json!(true)),                                           Some("f")),
        (json!({"type": "array"}),                                  None),
        (json!({"oneOf": []}),                                      None),
        (json!([]),                                                 None),
    ];
    for (schema, field) in rows {
        let error = FormSchema::read(&schema.clone().into()).unwrap_err();
        assert_eq!(error.field.as_deref(), field, "{schema}");
        assert!(field.is_none_or(|field| error.to_string().contains(field)), "{error}");
    }
}

#[test]
fn what_was_entered_is_completed_or_the_field_is_named() {
    let form = full_form();
    let complete = |entered: Value| form.complete(object(entered));
    assert_eq!(
        Value::Object(complete(json!({"i": 3.0, "t": null, "more": {}})).unwrap()),
        json!({"i": 3, "more": {}, "z": "z@z", "n": 2, "b": true, "e": "y", "a": ["r"]})
    );
    #[rustfmt::skip]
    let rows = [
        (json!({"z": 1}),                   "z", "a text"),
        (json!({"z": ""}),                  "z", "at least 1 characters long"),
        (json!({"z": "a@bcdefghi"}),        "z", "at most 9 characters long"),
        (json!({"z": "zzz"}),               "z", "of the format `email`"),
        (json!({"n": "1"}),                 "n", "a number"),
        (json!({"n": 0.5}),                 "n", "at least 1"),
        (json!({"n": 3}),                   "n", "at most 2"),
        (json!({"i": 1.5}),                 "i", "an integer"),
        (json!({"i": true}),                "i", "an integer"),
        (json!({"b": "true"}),              "b", "true or false"),
        (json!({"e": "z"}),                 "e", "one of `x`, `y`"),
        (json!({"t": "Red"}),               "t", "one of `r`, `g`"),
        (json!({"t": 1}),                   "t", "one of `r`, `g`"),
        (json!({"m": "x"}),                 "m", "a list of texts"),
        (json!({"m": [1]}),                 "m", "a list of texts"),
        (json!({"m": ["z"]}),               "m", "a list of `x`, `y`"),
        (json!({"m": []}),                  "m", "at least 1 choices"),
        (json!({"m": ["x", "y", "x"]}),     "m", "at most 2 choices"),
    ];
    for (entered, field, expected) in rows {
        let fault = complete(entered.clone()).unwrap_err();
        assert_eq!((&*fault.field, &*fault.expected), (field, expected), "{entered}");
    }
    let form = FormSchema::new().with_required("big", NumberSchema::integer().with_maximum(9_007_199_254_740_992_i64));
    assert_eq!(form.complete(Object::new()).unwrap_err().expected, "filled in");
    assert!(form.complete(object(json!({"big": 9_007_199_254_740_993_i64}))).is_err(), "integers are compared exactly");
    // Characters, not bytes.
    let form = FormSchema::new().with_required("s", StringSchema::new().with_max_length(2));
    assert!(form.complete(object(json!({"s": "éé"}))).is_ok());
}

#[test]
fn sampling() {
    let hint = ModelHint::new("h");
    is(
        CreateMessageParams::new(vec![SamplingMessage::user("a").with_meta(Object::new())], 7)
            .with_model_preferences(
                ModelPreferences::new()
                    .with_hints(vec![hint])
                    .with_cost_priority(0.25)
                    .with_speed_priority(0.5)
                    .with_intelligence_priority(1.5),
            )
            .with_system_prompt("s")
            .with_include_context(IncludeContext::ThisServer)
            .with_temperature(0.5)
            .with_stop_sequences(vec!["x".to_owned()])
            .with_metadata(object(json!({"a": 1})))
            .with_tools(vec![Tool::new("t", json!({"type": "object"}))])
            .with_tool_choice(ToolChoice::new(ToolChoiceMode::Required))
            .with_meta(Object::new()),
        json!({"messages": [{"role": "user", "content": {"type": "text", "text": "a"}, "_meta": {}}], "maxTokens": 7,
            "modelPreferences": {"hints": [{"name": "h"}], "costPriority": 0.25, "speedPriority": 0.5, "intelligencePriority": 1.5},
            "systemPrompt": "s", "includeContext": "thisServer", "temperature": 0.5, "stopSequences": ["x"],
            "metadata": {"a": 1}, "tools": [{"name": "t", "inputSchema": {"type": "object"}}],
            "toolChoice": {"mode": "required"}, "_meta": {}}),
    );
    let odd = same::<CreateMessageParams>(
        &json!({"messages": [], "maxTokens": 1, "includeContext": "some", "vendor": 1,
        "task": {"ttl": 1}, "toolChoice": {"mode": "maybe", "x": 1}, "modelPreferences": {"x": 1, "hints": [{"y": 1}]}}),
    );
    assert!(odd.needs_tools() && odd.needs_context());
    let none = CreateMessageParams::new(Vec::new(), 1).with_include_context(IncludeContext::None);
    assert!(!none.needs_tools() && !none.needs_context());

    is(
        CreateMessageResult::new("m", vec![Content::text("a")]).with_stop_reason(StopReason::EndTurn),
        json!({"role": "assistant", "content": {"type": "text", "text": "a"}, "model": "m", "stopReason": "endTurn"}),
    );
    let two = vec![Content::text("a"), ToolUseContent::new("i", "n", json!({})).into()];
    let result = CreateMessageResult::new("m", two.clone()).with_meta(Object::new());
    assert_eq!(
        (result.as_text(), result.clone().into_message()),
        (Some("a"), SamplingMessage::new(Role::Assistant, two))
    );
    is(
        result,
        json!({"role": "assistant", "model": "m", "_meta": {}, "content": [{"type": "text", "text": "a"},
            {"type": "tool_use", "id": "i", "name": "n", "input": {}}]}),
    );
    let odd =
        same::<CreateMessageResult>(&json!({"role": "oracle", "content": [], "model": "m", "stopReason": "bored"}));
    assert_eq!(odd.stop_reason, Some(StopReason::Other("bored".into())));
    // An array of one block is the block.
    let one: SamplingMessage =
        serde_json::from_str(r#"{"role":"user","content":[{"type":"text","text":"a"}]}"#).unwrap();
    assert_eq!(one, SamplingMessage::user("a"));
    assert!(serde_json::from_str::<SamplingMessage>(r#"{"role":"user","content":"a"}"#).is_err());
}

#[test]
fn roots() {
    is(ListRootsParams::new().with_meta(Object::new()), json!({"_meta": {}}));
    is(
        ListRootsResult::new(vec![Root::new("file:///a").with_name("A").with_meta(Object::new())])
            .with_meta(object(json!({"a": 1}))),
        json!({"roots": [{"uri": "file:///a", "name": "A", "_meta": {}}], "_meta": {"a": 1}}),
    );
    same::<ListRootsResult>(&json!({"roots": [{"uri": "x", "vendor": 1}], "vendor": 1}));
    assert!(Root::new("FILE:///a").is_file() && !Root::new("https://a").is_file() && !Root::new("é").is_file());
}

#[test]
fn questions_are_told_apart_by_their_method() {
    let asked = InputRequests::from_iter([
        ("z", ElicitParams::from(ElicitUrlParams::new("m", "u")).into()),
        ("a", CreateMessageParams::new(Vec::new(), 1).into()),
        ("m", ListRootsParams::new().into()),
        ("v", InputRequest::Other { method: "vendor/x".to_owned(), params: Some(json!({"a": 1}).into()) }),
    ]);
    assert_eq!(asked.iter().map(|(key, _)| key).collect::<Vec<_>>(), ["z", "a", "m", "v"]);
    is(
        InputRequiredResult::new().with_input_requests(asked).with_request_state("s").with_meta(Object::new()),
        json!({"resultType": "input_required", "requestState": "s", "_meta": {}, "inputRequests": {
            "z": {"method": "elicitation/create", "params": {"mode": "url", "message": "m", "url": "u"}},
            "a": {"method": "sampling/createMessage", "params": {"messages": [], "maxTokens": 1}},
            "m": {"method": "roots/list"}, "v": {"method": "vendor/x", "params": {"a": 1}}}}),
    );
    let empty = same::<InputRequiredResult>(&json!({"resultType": "input_required", "requestState": "", "vendor": 1}));
    assert_eq!((empty.result_type, empty.request_state.as_deref()), (ResultType::InputRequired, Some("")));
    // The order of the members of a question does not matter, and its shape does not either.
    let turned: InputRequest =
        serde_json::from_str(r#"{"params":{"message":"m","url":"u","mode":"url"},"method":"roots/list"}"#).unwrap();
    assert!(matches!(turned, InputRequest::ListRoots(_)));
    let error = serde_json::from_str::<InputRequest>(r#"{"method":"sampling/createMessage"}"#).unwrap_err();
    assert!(error.to_string().contains("`sampling/createMessage`"), "{error}");
    assert!(serde_json::from_str::<InputRequest>(r#"{"params":{}}"#).is_err());

    let text = r#"{"b":{"action":"accept"},"a":{"roots":[]},"n":1.0}"#;
    let answers: InputResponses = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_string(&answers).unwrap(), text);
    assert_eq!((answers.len(), answers.get("n").unwrap().get()), (3, "1.0"));
    assert!(serde_json::from_str::<InputResponses>("[]").is_err());
    let twice: InputResponses = serde_json::from_str(r#"{"a":1,"a":2}"#).unwrap();
    assert_eq!(twice.into_iter().collect::<Vec<_>>(), [("a".to_owned(), RawJson::from(json!(2)))]);
    assert!(InputResponses::new().is_empty());

    is(
        CallToolParams::new("t")
            .with_input_responses(InputResponses::from_iter([("k", RawJson::from(json!({})))]))
            .with_request_state(" s"),
        json!({"name": "t", "inputResponses": {"k": {}}, "requestState": " s"}),
    );
}

fn fitted<T: Gated + Serialize>(mut value: T, version: Version) -> Value {
    value.fit(version);
    serde_json::to_value(value).unwrap()
}

#[test]
fn older_peers_get_what_they_know() {
    let titled = FormSchema::new().with_required("e", EnumSchema::new([EnumOption::titled_as("a", "A")]));
    let form =
        |version| fitted(ElicitFormParams::new("m", &titled), version)["requestedSchema"]["properties"]["e"].clone();
    let old = json!({"type": "string", "enum": ["a"], "enumNames": ["A"]});
    assert_eq!(form(Version::V2025_06_18), old);
    assert_eq!(form(Version::V2025_11_25), json!({"type": "string", "oneOf": [{"const": "a", "title": "A"}]}));
    let plain = r#"{"properties":{"a":{"type":"string","x":1.0}},"type":"object"}"#;
    let mut params = ElicitFormParams::new("m", RawJson::parse(plain).unwrap()).with_meta(Object::new());
    params.fit(Version::V2025_06_18);
    assert_eq!((params.requested_schema.get(), params.meta.is_some()), (plain, true));
    assert_eq!(fitted(params, Version::MODERN).get("_meta"), None);

    let page = ElicitParams::from(ElicitUrlParams::new("m", "u").with_elicitation_id("7"));
    assert_eq!(fitted(page.clone(), Version::V2025_11_25)["elicitationId"], "7");
    assert_eq!(fitted(page, Version::MODERN).get("elicitationId"), None);
    assert_eq!(fitted(ElicitResult::cancel().with_meta(Object::new()), Version::MODERN), json!({"action": "cancel"}));
    assert_eq!(fitted(ListRootsResult::default().with_meta(Object::new()), Version::MODERN), json!({"roots": []}));

    let result = ToolResultContent::new("i", Vec::new()).with_structured_content(json!([1]));
    let message = SamplingMessage::new(Role::User, vec![Content::text("a"), result.into()]);
    let asked = CreateMessageParams::new(vec![message], 1)
        .with_tools(Vec::new())
        .with_tool_choice(ToolChoice::new(ToolChoiceMode::None));
    let old = fitted(asked.clone(), Version::V2025_06_18);
    assert_eq!(
        old,
        json!({"maxTokens": 1, "messages": [{"role": "user", "content": {"type": "text", "text": "a"}},
            {"role": "user", "content": {"type": "tool_result", "toolUseId": "i", "content": []}}]})
    );
    assert_eq!(fitted(asked.clone(), Version::V2025_11_25)["messages"][0]["content"].as_array().unwrap().len(), 2);
    assert_eq!(fitted(asked, Version::MODERN)["messages"][0]["content"][1]["structuredContent"], json!([1]));

    let retry = CallToolParams::new("t").with_input_responses(InputResponses::new()).with_request_state("s");
    assert_eq!(fitted(retry, Version::V2025_11_25), json!({"name": "t"}));
}

#[test]
fn published_examples() {
    fn each<T: Serialize + DeserializeOwned + PartialEq + Debug>(of: &str, part: Option<&str>) -> usize {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/schema/examples-2026-07-28").join(of);
        let entries: Vec<_> = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()).collect();
        for path in &entries {
            let whole: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
            same::<T>(part.map_or(&whole, |part| &whole[part]));
        }
        entries.len()
    }
    let read = [
        each::<InputRequest>("ElicitRequest", None),
        each::<ElicitParams>("ElicitRequestFormParams", None),
        each::<ElicitParams>("ElicitRequestURLParams", None),
        each::<ElicitResult>("ElicitResult", None),
        each::<InputRequest>("CreateMessageRequest", None),
        each::<CreateMessageParams>("CreateMessageRequestParams", None),
        each::<CreateMessageResult>("CreateMessageResult", None),
        each::<SamplingMessage>("SamplingMessage", None),
        each::<ModelPreferences>("ModelPreferences", None),
        each::<ListRootsResult>("ListRootsResult", None),
        each::<Root>("Root", None),
        each::<InputRequests>("InputRequests", None),
        each::<InputResponses>("InputResponses", None),
        each::<InputRequiredResult>("InputRequiredResult", None),
    ];
    // All or nothing: a folder that was renamed must not pass for one that has no examples.
    assert!(read.iter().all(|&count| count > 0) || read.iter().sum::<usize>() == 0, "{read:?}");
}
