//! `completion/complete`.

use mcp_server::{Args, Filled, Prefix, Prompt, ProtocolError, ResourceTemplate, Server, State};
use mcp_types::completion::Completion;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::{Client, Era, assert_error, dressed};

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its schema is looked at")]
struct Weather {
    city: String,
    unit: Unit,
    free: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Unit {
    Celsius,
    Fahrenheit,
}

async fn cities(
    Prefix(prefix): Prefix,
    Filled(filled): Filled,
    State(all): State<&'static [&'static str]>,
) -> Vec<String> {
    let unit = filled.get("unit").cloned().unwrap_or_default();
    all.iter().filter(|city| city.starts_with(&*prefix)).map(|city| format!("{city}{unit}")).collect()
}

async fn many(Prefix(prefix): Prefix) -> Vec<String> {
    (0..prefix.parse().unwrap_or(0)).map(|number: u32| number.to_string()).collect()
}

async fn refuse() -> Result<[&'static str; 0], ProtocolError> {
    Err(ProtocolError::invalid_params("not today"))
}

async fn more() -> Completion {
    Completion::new(vec!["a".to_owned(); 200]).with_total(9000)
}

fn server() -> Server {
    let cities_there_are: &'static [&'static str] = &["Bergen", "Bern", "Oslo"];
    let prompt = Prompt::new("weather", async |_: Args<Weather>| "rain").complete("city", cities);
    let template = ResourceTemplate::new("weather://{city}/{unit}{?n,m,r}", "weather", async |_: Args<Weather>| "rain")
        .complete("n", many)
        .complete("m", more)
        .complete("r", refuse);
    Server::new("s", "1").with_state(cities_there_are).add_prompt(prompt).add_resource_template(template).resource(
        "a:b",
        "fixed",
        async || "",
    )
}

fn of_prompt(argument: &str, value: &str) -> Value {
    json!({"ref": {"type": "ref/prompt", "name": "weather"}, "argument": {"name": argument, "value": value}})
}

fn of_template(variable: &str, value: &str) -> Value {
    let reference = json!({"type": "ref/resource", "uri": "weather://{city}/{unit}{?n,m,r}"});
    json!({"ref": reference, "argument": {"name": variable, "value": value}})
}

#[tokio::test(start_paused = true)]
async fn places_are_completed_by_their_function_or_by_their_type() {
    for era in [Era::Legacy, Era::Modern] {
        let mut client = Client::ready(&server(), era).await;
        let mut with_context = of_prompt("city", "Be");
        with_context["context"] = json!({"arguments": {"unit": "!"}});
        for (params, values) in [
            (of_prompt("city", "Be"), json!(["Bergen", "Bern"])),
            (of_prompt("city", "x"), json!([])),
            (with_context, json!(["Bergen!", "Bern!"])),
            (of_prompt("unit", ""), json!(["celsius", "fahrenheit"])),
            (of_prompt("unit", "F"), json!(["fahrenheit"])),
            (of_prompt("free", ""), json!([])),
            (of_template("unit", "c"), json!(["celsius"])),
            (of_template("city", ""), json!([])),
            (of_template("n", "3"), json!(["0", "1", "2"])),
        ] {
            let total = values.as_array().unwrap().len();
            let expected = json!({"completion": {"values": values, "total": total, "hasMore": false}});
            let answer = client.ask("completion/complete", params).await;
            assert_eq!(answer["result"], dressed(era, expected));
        }
    }
}

//= 2026-07-28/server/utilities/completion#completion-results
//# - Maximum 100 items per response
#[tokio::test(start_paused = true)]
async fn no_more_than_a_hundred_values_are_sent() {
    let mut client = Client::ready(&server(), Era::Modern).await;
    for (value, sent, has_more) in [("99", 99, false), ("100", 100, false), ("101", 100, true), ("5000", 100, true)] {
        let completion = &client.ask("completion/complete", of_template("n", value)).await["result"]["completion"];
        assert_eq!(completion["values"].as_array().unwrap().len(), sent);
        assert_eq!(completion["total"].to_string(), value);
        assert_eq!(completion["hasMore"], has_more);
    }
    let completion = &client.ask("completion/complete", of_template("m", "")).await["result"]["completion"];
    assert_eq!(completion["values"].as_array().unwrap().len(), 100);
    assert_eq!((&completion["total"], &completion["hasMore"]), (&9000.into(), &true.into()));
}

#[tokio::test(start_paused = true)]
async fn what_is_wrong_with_a_completion_is_named() {
    for era in [Era::Legacy, Era::Modern] {
        let mut client = Client::ready(&server(), era).await;
        let argument = json!({"name": "city", "value": ""});
        let reference = |reference: Value| json!({"ref": reference, "argument": argument});
        #[rustfmt::skip]
        let rows = [
            (json!({"argument": argument}),                                     "`ref` is missing"),
            (json!({"ref": {"type": "ref/prompt", "name": "weather"}}),         "`argument` is missing"),
            (json!({"ref": 7, "argument": argument}),                           "invalid `ref`: a reference is an object"),
            (json!({"ref": {"type": "ref/prompt", "name": "weather"}, "argument": {"name": "city", "value": 7}}), "`argument.value`"),
            (reference(json!({"type": "ref/tool", "name": "weather"})),         "`ref` is neither"),
            (reference(json!({"type": "ref/prompt"})),                          "`ref` is neither"),
            (reference(json!({"type": "ref/prompt", "name": "none"})),          "Unknown prompt: none"),
            (reference(json!({"type": "ref/resource", "uri": "x:{y}"})),        "Unknown resource template: x:{y}"),
            (reference(json!({"type": "ref/resource", "uri": "a:b"})),          "the resource `a:b` has no variable `city`"),
            (of_prompt("none", ""),                                             "the prompt `weather` has no argument `none`"),
            (of_template("none", ""),                                           "has no variable `none`"),
            (of_template("r", ""),                                              "not today"),
        ];
        for (params, names) in rows {
            assert_error(&client.ask("completion/complete", params).await, -32602, names);
        }
    }
}
