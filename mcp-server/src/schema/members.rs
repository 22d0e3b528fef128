//! The members of an object, as its schema has them: what prompts and templates tell of their arguments.

use mcp_types::RawJson;
use serde_json::Value;

use super::Object;

/// A member of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    pub(crate) is_required: bool,
    /// The texts that it can be, where its schema names them all.
    pub(crate) values: Vec<String>,
}

/// The members that the schema of an object names, in its order.
pub(crate) fn members(schema: &RawJson) -> Vec<Member> {
    let root: Object = schema.decode().unwrap_or_default();
    let properties = root.get("properties").and_then(Value::as_object);
    let required = root.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|all| all.iter().any(|one| one == name));
    let member = |(name, schema): (&String, &Value)| Member {
        name: name.clone(),
        description: description(schema, &root, DEPTH),
        is_required: is_required(name),
        values: values(schema, &root, DEPTH),
    };
    properties.into_iter().flatten().map(member).collect()
}

fn description(schema: &Value, root: &Object, depth: usize) -> Option<String> {
    let own = schema.get("description").and_then(Value::as_str).map(str::to_owned);
    own.or_else(|| description(referred(schema, root)?, root, depth.checked_sub(1)?))
}

/// The texts that a schema allows, if it allows a few and nothing else.
fn values(schema: &Value, root: &Object, depth: usize) -> Vec<String> {
    let Some(depth) = depth.checked_sub(1) else { return Vec::new() };
    let text = |value: &Value| value.as_str().map(str::to_owned);
    if let Some(value) = schema.get("const") {
        return text(value).into_iter().collect();
    }
    if let Some(all) = schema.get("enum").and_then(Value::as_array) {
        return all.iter().filter_map(text).collect();
    }
    if schema.get("type").is_some_and(|kind| kind == "boolean") {
        return vec!["true".to_owned(), "false".to_owned()];
    }
    if let Some(referred) = referred(schema, root) {
        return values(referred, root, depth);
    }
    let branches = ["oneOf", "anyOf", "allOf"].iter().find_map(|word| schema.get(*word)?.as_array());
    let branches: Vec<_> = branches.into_iter().flatten().map(|branch| values(branch, root, depth)).collect();
    if branches.iter().any(Vec::is_empty) {
        return Vec::new();
    }
    branches.concat()
}

fn referred<'a>(schema: &Value, root: &'a Object) -> Option<&'a Value> {
    root.get("$defs")?.get(schema.get("$ref")?.as_str()?.strip_prefix("#/$defs/")?)
}

/// How far references and alternatives are followed: types may contain themselves.
const DEPTH: usize = 16;

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde::Deserialize;

    use super::*;
    use crate::schema::input;

    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Weather {
        /// Which city.
        city: String,
        unit: Option<Unit>,
        /// How it is said.
        tone: Tone,
        #[serde(default)]
        short: bool,
    }

    /// Of the temperature.
    #[derive(Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    enum Unit {
        Celsius,
        Fahrenheit,
    }

    /// A tone.
    #[derive(Deserialize, JsonSchema)]
    enum Tone {
        /// Without feeling.
        Dry,
        /// With feeling.
        Warm,
    }

    #[test]
    fn members_follow_from_the_type() {
        let member = |name: &str, description: Option<&str>, is_required, values: &[&str]| Member {
            name: name.to_owned(),
            description: description.map(str::to_owned),
            is_required,
            values: values.iter().map(|value| (*value).to_owned()).collect(),
        };
        assert_eq!(
            members(&input::<Weather>()),
            [
                member("city", Some("Which city."), true, &[]),
                member("unit", Some("Of the temperature."), false, &["celsius", "fahrenheit"]),
                member("tone", Some("How it is said."), true, &["Dry", "Warm"]),
                member("short", None, false, &["true", "false"]),
            ]
        );
        assert_eq!(members(&input::<()>()), []);
    }

    #[test]
    fn a_schema_that_refers_to_itself_has_no_values() {
        let schema = serde_json::json!({
            "properties": {"a": {"$ref": "#/$defs/A"}, "b": {"anyOf": [{"const": "x"}, {"type": "string"}]}},
            "$defs": {"A": {"$ref": "#/$defs/A"}},
        });
        assert!(members(&schema.into()).iter().all(|member| member.values.is_empty()));
    }
}
