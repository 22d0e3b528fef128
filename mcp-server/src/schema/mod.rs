//! The schemas of typed arguments and results, in words that every client understands.
//!
//! What is derived from a type is right, but says more than some clients can take: unions with `null`, formats of one
//! language, `true` as a schema, alternatives at the root. Here it is said plainly. What a tool's author wrote by hand
//! is passed on as it is.

mod members;
mod root;

use mcp_types::RawJson;
use schemars::generate::{Contract, SchemaSettings};
use schemars::transform::{Transform, transform_subschemas};
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

pub(crate) use self::members::{Member, members};

/// An object of JSON, in the order in which it was made.
type Object = Map<String, Value>;

/// The schema of a type as the arguments of a tool.
pub(crate) fn input<T: JsonSchema>() -> RawJson {
    let mut schema = derived::<T>(Contract::Deserialize);
    Plain { strips_null: true }.transform(&mut schema);
    let Value::Object(schema) = schema.to_value() else { return no_arguments() };
    if schema.get("type").is_some_and(|kind| kind == "null") {
        return no_arguments();
    }
    Value::Object(root::as_object(schema, &T::schema_name())).into()
}

/// The schema of a type as the structured result of a tool. `None` when it says nothing.
///
/// What may be `null` is said to, because there it can be.
pub(crate) fn output<T: JsonSchema>() -> Option<RawJson> {
    let mut schema = derived::<T>(Contract::Serialize);
    Plain { strips_null: false }.transform(&mut schema);
    let Value::Object(schema) = schema.to_value() else { return None };
    let schema = root::with_type(schema, &T::schema_name());
    (!schema.is_empty()).then(|| Value::Object(schema).into())
}

/// Whether a schema is, at its root, one of objects: others cannot be told to legacy clients as those of results.
pub(crate) fn is_of_object(schema: &RawJson) -> bool {
    schema.decode::<Object>().is_ok_and(|schema| schema.get("type").is_some_and(|kind| kind == "object"))
}

//= 2026-07-28/server/tools#tool
//# For tools with no parameters, use one of these valid approaches:
//# - `{ "type": "object", "additionalProperties": false }` - **Recommended**: explicitly accepts only empty objects
pub(crate) fn no_arguments() -> RawJson {
    json!({ "type": "object", "additionalProperties": false }).into()
}

fn derived<T: JsonSchema>(contract: Contract) -> Schema {
    let mut settings = SchemaSettings::draft2020_12();
    settings.meta_schema = None;
    settings.contract = contract;
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    if let Some(root) = schema.as_object_mut() {
        // The name of a type means nothing to a model.
        root.shift_remove("title");
    }
    schema
}

/// Says things plainly, all the way down.
struct Plain {
    /// A property that may be left out needs no `null` to be left out by.
    strips_null: bool,
}

impl Transform for Plain {
    fn transform(&mut self, schema: &mut Schema) {
        if schema.as_bool().is_some() {
            schema.ensure_object();
            return;
        }
        let Some(object) = schema.as_object_mut() else { return };
        if object.get("format").and_then(Value::as_str).is_some_and(|format| !FORMATS.contains(&format)) {
            object.shift_remove("format");
        }
        if self.strips_null {
            strip_null_of_optional(object);
        }
        // As the end of a list of properties, `false` is known to everybody.
        let closed = object.get("additionalProperties").filter(|closed| closed.is_boolean()).cloned();
        transform_subschemas(self, schema);
        if let (Some(closed), Some(object)) = (closed, schema.as_object_mut()) {
            object.insert("additionalProperties".to_owned(), closed);
        }
    }
}

fn strip_null_of_optional(object: &mut Object) {
    let required = object.get("required").cloned().unwrap_or_default();
    let is_required = |name: &str| required.as_array().is_some_and(|all| all.iter().any(|one| one == name));
    let Some(properties) = object.get_mut("properties").and_then(Value::as_object_mut) else { return };
    for (name, property) in properties {
        if let Some(property) = property.as_object_mut().filter(|_| !is_required(name)) {
            strip_null(property);
        }
    }
}

fn strip_null(schema: &mut Object) {
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [kind] = types.as_slice() {
            let kind = kind.clone();
            schema.insert("type".to_owned(), kind);
        }
    }
    if let Some(Value::Array(values)) = schema.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if schema.get("default").is_some_and(Value::is_null) {
        schema.shift_remove("default");
    }
    for union in ["anyOf", "oneOf"] {
        let Some(Value::Array(branches)) = schema.get_mut(union) else { continue };
        branches.retain(|branch| branch.get("type").is_none_or(|kind| kind != "null"));
        if let [Value::Object(branch)] = branches.as_slice() {
            let branch = branch.clone();
            schema.shift_remove(union);
            // What is said of the property goes before what is said of its type.
            for (key, value) in branch {
                schema.entry(key).or_insert(value);
            }
        }
    }
}

/// The formats of JSON Schema. Others, such as `uint8`, make some clients refuse the whole tool.
const FORMATS: [&str; 19] = [
    "date-time",
    "date",
    "time",
    "duration",
    "email",
    "idn-email",
    "hostname",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "uri",
    "uri-reference",
    "iri",
    "iri-reference",
    "uuid",
    "uri-template",
    "json-pointer",
    "relative-json-pointer",
    "regex",
];

#[cfg(test)]
mod tests;
