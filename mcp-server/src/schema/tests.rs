//! Schemas as they are told, word for word: their order is told too.
#![expect(dead_code, reason = "the types are only looked at")]

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::*;

fn assert_input<T: JsonSchema>(expected: &str) {
    assert_eq!(input::<T>().get(), expected.replace("\n", "").replace("  ", ""));
}

fn assert_output<T: JsonSchema>(expected: &str) {
    assert_eq!(output::<T>().map(|schema| schema.get().to_owned()), Some(expected.replace("\n", "").replace("  ", "")));
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Unit {
    Celsius,
    Fahrenheit,
}

/// A query.
#[derive(Deserialize, JsonSchema)]
struct Query {
    /// Where.
    zone: String,
    /// Which ones.
    names: Option<Vec<String>>,
    /// In which unit.
    unit: Option<Unit>,
    #[serde(default)]
    above: Option<f32>,
    days: Option<u8>,
    count: u32,
    offset: i64,
    total: usize,
}

#[test]
fn what_may_be_left_out_is_not_null_and_formats_are_those_of_json_schema() {
    assert_input::<Query>(
        r##"{"type":"object","description":"A query.","properties":{
        "zone":{"type":"string","description":"Where."},
        "names":{"type":"array","items":{"type":"string"},"description":"Which ones."},
        "unit":{"description":"In which unit.","$ref":"#/$defs/Unit"},
        "above":{"type":"number"},
        "days":{"type":"integer","minimum":0,"maximum":255},
        "count":{"type":"integer","minimum":0},
        "offset":{"type":"integer"},
        "total":{"type":"integer","minimum":0}},
        "required":["zone","count","offset","total"],
        "$defs":{"Unit":{"type":"string","enum":["celsius","fahrenheit"]}}}"##,
    );
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Anything {
    value: Value,
    more: BTreeMap<String, Value>,
    list: Vec<Option<i32>>,
}

#[test]
fn what_may_be_anything_is_an_empty_schema() {
    assert_input::<Anything>(
        r#"{"type":"object","properties":{
        "value":{},
        "more":{"type":"object","additionalProperties":true},
        "list":{"type":"array","items":{"type":["integer","null"]}}},
        "required":["value","more","list"]}"#,
    );
    assert_input::<Value>(r#"{"type":"object"}"#);
}

#[test]
fn a_tool_without_arguments_says_so() {
    assert_input::<()>(r#"{"type":"object","additionalProperties":false}"#);
}

/// What to do.
#[derive(Deserialize, JsonSchema)]
#[serde(tag = "do", rename_all = "snake_case")]
enum Action {
    /// Adds one.
    Add {
        name: String,
        amount: i64,
    },
    /// Takes one away.
    Remove {
        name: String,
    },
    List,
}

#[derive(Deserialize, JsonSchema)]
enum Outer {
    /// By its number.
    Number(u64),
    Name {
        name: String,
    },
    Nothing,
}

#[derive(Deserialize, JsonSchema)]
struct Named {
    name: String,
    unit: Option<Unit>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum Either {
    Named(Named),
    Numbered { number: u64, name: Option<i32> },
}

#[test]
fn alternatives_are_one_object_at_the_root() {
    assert_input::<Action>(
        r#"{"type":"object","description":"What to do.","properties":{
        "do":{"type":"string","enum":["add","remove","list"],"description":"`add`: Adds one.\n`remove`: Takes one away."},
        "name":{"type":"string"},
        "amount":{"type":"integer"}},
        "required":["do"]}"#,
    );
    assert_input::<Outer>(
        r#"{"type":"object","properties":{
        "Number":{"type":"integer","minimum":0,"description":"By its number."},
        "Name":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}},
        "additionalProperties":false}"#,
    );
    assert_input::<Either>(
        r##"{"type":"object","properties":{
        "name":{"anyOf":[{"type":"string"},{"type":"integer"}]},
        "unit":{"$ref":"#/$defs/Unit"},
        "number":{"type":"integer","minimum":0}},
        "$defs":{"Unit":{"type":"string","enum":["celsius","fahrenheit"]}}}"##,
    );
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "by")]
enum Wrapped {
    Name(Named),
    Number { number: u64 },
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    Name(String),
    Named(Named),
    Nothing,
}

#[test]
fn what_alternatives_refer_to_is_merged_as_well() {
    assert_input::<Wrapped>(
        r##"{"type":"object","properties":{
        "by":{"type":"string","enum":["Name","Number"]},
        "name":{"type":"string"},
        "unit":{"$ref":"#/$defs/Unit"},
        "number":{"type":"integer","minimum":0}},
        "required":["by"],
        "$defs":{"Unit":{"type":"string","enum":["celsius","fahrenheit"]}}}"##,
    );
    assert_input::<Adjacent>(
        r##"{"type":"object","properties":{
        "t":{"type":"string","enum":["Name","Named","Nothing"]},
        "c":{"anyOf":[{"type":"string"},{"$ref":"#/$defs/Named"}]}},
        "required":["t"],
        "$defs":{"Named":{"type":"object","properties":{"name":{"type":"string"},"unit":{"$ref":"#/$defs/Unit"}},"required":["name"]},
        "Unit":{"type":"string","enum":["celsius","fahrenheit"]}}}"##,
    );
}

/// Whatever it is that cannot be the arguments of a tool.
#[derive(Deserialize, JsonSchema)]
struct Text(String);

#[test]
fn the_root_is_an_object_even_for_what_is_none() {
    assert_input::<Vec<i32>>(r#"{"type":"object"}"#);
    assert_eq!(input::<Text>().decode::<Value>().unwrap_or_default()["type"], "object");
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Closed {
    a: i32,
}

#[test]
fn a_closed_object_stays_closed() {
    assert_input::<Closed>(
        r#"{"type":"object","additionalProperties":false,"properties":{"a":{"type":"integer"}},"required":["a"]}"#,
    );
}

#[derive(Deserialize, JsonSchema)]
struct Flat {
    id: u64,
    #[serde(flatten)]
    action: Action,
}

#[test]
fn alternatives_beside_members_are_merged_too() {
    let schema: Value = input::<Flat>().decode().unwrap_or_default();
    assert_eq!(schema["required"], json!(["id", "do"]));
    assert_eq!(schema["properties"]["do"]["enum"], json!(["add", "remove", "list"]));
    assert_eq!(schema["properties"]["id"], json!({"type": "integer", "minimum": 0}));
    assert!(schema.get("oneOf").is_none(), "{schema}");
}

#[test]
fn optional_arguments_are_those_that_there_may_be() {
    assert_eq!(input::<Option<Named>>(), input::<Named>());
    assert_input::<Option<BTreeMap<String, bool>>>(r#"{"type":"object","additionalProperties":{"type":"boolean"}}"#);
}

/// A node.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Node {
    next: Option<Box<Self>>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Trees {
    trees: Vec<Tree>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Tree {
    branches: Vec<Self>,
}

#[test]
fn types_that_contain_themselves_are_definitions() {
    assert_input::<Node>(
        r##"{"type":"object","description":"A node.","properties":{
        "next":{"$ref":"#/$defs/Node"}},
        "$defs":{"Node":{"type":"object","properties":{"next":{"$ref":"#/$defs/Node"}},"description":"A node."}}}"##,
    );
    assert_input::<Trees>(
        r##"{"type":"object","properties":{
        "trees":{"type":"array","items":{"$ref":"#/$defs/Tree"}}},
        "required":["trees"],
        "$defs":{"Tree":{"type":"object","properties":{
        "branches":{"type":"array","items":{"$ref":"#/$defs/Tree"}}},
        "required":["branches"]}}}"##,
    );
}

#[derive(Serialize, JsonSchema)]
struct Reading {
    celsius: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
#[serde(tag = "kind")]
enum Result {
    Good { value: i32 },
    Bad { why: String },
}

#[test]
fn results_may_be_null_where_they_can_be_and_objects_say_that_they_are() {
    assert_output::<Reading>(
        r#"{"type":"object","properties":{
        "celsius":{"type":["number","null"]},
        "at":{"type":["integer","null"],"minimum":0}},
        "required":["celsius"]}"#,
    );
    let schema: Value = output::<Result>().and_then(|schema| schema.decode().ok()).unwrap_or_default();
    assert_eq!((&schema["type"], schema["oneOf"].as_array().map(Vec::len)), (&json!("object"), Some(2)));
    assert_output::<Vec<i32>>(r#"{"type":"array","items":{"type":"integer"}}"#);
    assert_eq!(output::<Value>(), None);
}

#[test]
fn only_schemas_of_objects_are_for_everybody() {
    assert!(output::<Node>().is_some_and(|schema| is_of_object(&schema)));
    assert!(output::<Result>().is_some_and(|schema| is_of_object(&schema)));
    assert!(output::<[i32; 2]>().is_some_and(|schema| !is_of_object(&schema)));
    assert!(output::<Option<Reading>>().is_some_and(|schema| !is_of_object(&schema)));
}
