//! Forms from types, and answers from what was entered.

use mcp_types::elicitation::{ElicitAction, ElicitResult, FormSchema, FormSchemaError};
use mcp_types::{Object, RawJson};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::elicited::Elicited;

/// The form that asks for what a type holds.
pub(super) fn of_type<T: JsonSchema>() -> Result<FormSchema, FormSchemaError> {
    let mut settings = SchemaSettings::draft2020_12();
    settings.meta_schema = None;
    settings.inline_subschemas = true;
    let schema = settings.into_generator().into_root_schema_for::<T>();
    FormSchema::read(&RawJson::from(schema.to_value()))
}

/// Reads what became of a question by a form. Says what does not fit.
pub(super) fn read_form(form: &FormSchema, raw: &RawJson) -> Result<Elicited<Object>, String> {
    match read_action(raw)? {
        Elicited::Accepted(content) => {
            let content = form.complete(content.unwrap_or_default()).map_err(|fault| fault.to_string())?;
            Ok(Elicited::Accepted(content))
        }
        Elicited::Declined => Ok(Elicited::Declined),
        Elicited::Cancelled => Ok(Elicited::Cancelled),
    }
}

/// Reads what a user did, and what was entered, if anything.
pub(super) fn read_action(raw: &RawJson) -> Result<Elicited<Option<Object>>, String> {
    let result: ElicitResult = read(raw, "what an elicitation becomes")?;
    match result.action {
        ElicitAction::Accept => Ok(Elicited::Accepted(result.content)),
        ElicitAction::Decline => Ok(Elicited::Declined),
        ElicitAction::Cancel => Ok(Elicited::Cancelled),
        _ => Err("its `action` has to be `accept`, `decline` or `cancel`".to_owned()),
    }
}

/// Reads an answer. Says what does not fit.
pub(super) fn read<T: DeserializeOwned>(raw: &RawJson, what: &str) -> Result<T, String> {
    raw.decode().map_err(|error| format!("it is not {what}: {}", without_values(&error)))
}

/// Makes a value of the type of what was entered.
pub(super) fn value_of<T: DeserializeOwned>(content: Object) -> Result<T, String> {
    serde_path_to_error::deserialize(Value::Object(content)).map_err(|error| match error.path().to_string() {
        path if path == "." => without_values(error.inner()),
        path => format!("the field `{path}`: {}", without_values(error.inner())),
    })
}

/// What an error says, without the value that it is about: what people enter does not belong into texts of errors.
fn without_values(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let text = text.rsplit_once(" at line ").map_or(&*text, |(text, _)| text);
    match text.rsplit_once(", expected ") {
        Some((_, expected)) => format!("expected {expected}"),
        None if text.starts_with("missing field") => text.to_owned(),
        None => "it has another shape".to_owned(),
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use std::collections::BTreeSet;

    use mcp_types::version::Version;
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Debug, Deserialize, JsonSchema, PartialEq, Eq, PartialOrd, Ord)]
    #[serde(rename_all = "lowercase")]
    enum Colour {
        Red,
        Green,
    }

    #[derive(Debug, Deserialize, JsonSchema, PartialEq)]
    #[serde(rename_all = "lowercase")]
    enum Class {
        /// The good one.
        First,
        /// The cheap one.
        Second,
    }

    #[derive(Debug, Deserialize, JsonSchema, PartialEq)]
    struct Trip {
        /// Where to.
        to: String,
        seats: u8,
        price: Option<f64>,
        #[serde(default)]
        window: bool,
        class: Class,
        colour: Option<Colour>,
        extras: BTreeSet<Colour>,
        #[schemars(email)]
        mail: Option<String>,
    }

    #[test]
    fn a_type_becomes_a_flat_form() {
        let form = of_type::<Trip>().unwrap();
        let schema: Value = form.to_json(Version::MODERN).decode().unwrap();
        assert_eq!(
            schema,
            json!({"type": "object", "required": ["to", "seats", "class", "extras"], "properties": {
                "to": {"type": "string", "description": "Where to."},
                "seats": {"type": "integer", "minimum": 0, "maximum": 255},
                "price": {"type": "number"},
                "window": {"type": "boolean", "default": false},
                "class": {"type": "string", "oneOf": [{"const": "first", "title": "The good one."},
                    {"const": "second", "title": "The cheap one."}]},
                "colour": {"type": "string", "enum": ["red", "green"]},
                "extras": {"type": "array", "items": {"type": "string", "enum": ["red", "green"]}},
                "mail": {"type": "string", "format": "email"},
            }})
        );
        let entered = json!({"to": "Oslo", "seats": 2.0, "class": "second", "extras": ["red"], "price": null});
        let answer: RawJson = json!({"action": "accept", "content": entered}).into();
        let trip: Trip = value_of(read_form(&form, &answer).unwrap().accepted().unwrap()).unwrap();
        let expected = Trip {
            to: "Oslo".to_owned(),
            seats: 2,
            price: None,
            window: false,
            class: Class::Second,
            colour: None,
            extras: [Colour::Red].into(),
            mail: None,
        };
        assert_eq!(trip, expected);
    }

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Nested {
        fine: String,
        inner: Option<Trip>,
    }

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Listed {
        numbers: Vec<u8>,
    }

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Recursive {
        next: Option<Box<Self>>,
    }

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    enum Either {
        This { a: u8 },
        That { b: u8 },
    }

    #[test]
    fn a_type_that_is_no_form_is_told_by_its_field() {
        #[rustfmt::skip]
        let rows = [
            (of_type::<Nested>(),       Some("inner")),
            (of_type::<Listed>(),       Some("numbers")),
            (of_type::<Recursive>(),    Some("next")),
            (of_type::<Either>(),       None),
            (of_type::<Vec<u8>>(),      None),
            (of_type::<String>(),       None),
        ];
        for (form, field) in rows {
            assert_eq!(form.unwrap_err().field.as_deref(), field);
        }
    }
}
