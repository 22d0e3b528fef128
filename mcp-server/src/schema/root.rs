//! The root of a schema: one object, whatever it was derived from.
//!
//! The arguments of a tool are one object with named members. An enum derives to alternatives instead, which many
//! clients refuse at the root; they are merged into one object that has the members of all of them. It accepts more
//! than the enum does; what it accepts too much fails when it is decoded.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::Object;

/// A schema whose root is one object. `name` is that of the type, for a type that contains itself.
pub(super) fn as_object(mut schema: Object, name: &str) -> Object {
    name_root(&mut schema, name);
    let definitions = take_definitions(&mut schema);
    let is_plain = COMBINED.iter().all(|word| !schema.contains_key(*word))
        && schema.get("type").is_none_or(|kind| kind == "object");
    let mut root = Object::new();
    root.insert("type".to_owned(), "object".into());
    if let Some(description) = schema.shift_remove("description") {
        root.insert("description".to_owned(), description);
    }
    if is_plain {
        root.extend(schema);
    } else {
        Shape::of(&schema, &definitions, DEPTH).unwrap_or_default().write(&mut root);
    }
    put_definitions(root, definitions)
}

/// A schema that says at its root that it is one of objects, if it is.
pub(super) fn with_type(mut schema: Object, name: &str) -> Object {
    name_root(&mut schema, name);
    let definitions = take_definitions(&mut schema);
    if schema.contains_key("type") || !is_of_objects(&schema, &definitions, DEPTH) {
        return put_definitions(schema, definitions);
    }
    let mut root = Object::new();
    root.insert("type".to_owned(), "object".into());
    root.extend(schema);
    put_definitions(root, definitions)
}

fn is_of_objects(schema: &Object, definitions: &Object, depth: usize) -> bool {
    if let Some(kind) = schema.get("type") {
        return kind == "object";
    }
    if depth == 0 {
        return false;
    }
    let is_of_objects = |schema: &Object| is_of_objects(schema, definitions, depth - 1);
    let branches = |word| branches(schema, word);
    referred(schema, definitions).is_some_and(is_of_objects)
        || branches("allOf").any(is_of_objects)
        || ["anyOf", "oneOf"].into_iter().any(|word| schema.contains_key(word) && branches(word).all(is_of_objects))
}

/// A type that contains itself refers to the root, which is no place to refer to once a schema is part of another:
/// it refers to a definition then.
fn name_root(schema: &mut Object, name: &str) {
    if !references(&Value::Object(schema.clone())).contains("#") {
        return;
    }
    let mut definitions = take_definitions(schema);
    let mut name = name.to_owned();
    while definitions.contains_key(&name) {
        name.push('_');
    }
    definitions.insert(name.clone(), Value::Object(schema.clone()));
    let place = format!("{DEFINITIONS}{name}");
    schema.values_mut().chain(definitions.values_mut()).for_each(|value| refer(value, &place));
    schema.insert("$defs".to_owned(), Value::Object(definitions));
}

fn refer(value: &mut Value, place: &str) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                if key == "$ref" && value == "#" {
                    *value = place.into();
                } else {
                    refer(value, place);
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| refer(value, place)),
        _ => {}
    }
}

fn take_definitions(schema: &mut Object) -> Object {
    match schema.shift_remove("$defs") {
        Some(Value::Object(definitions)) => definitions,
        _ => Object::new(),
    }
}

/// Puts those definitions back, last, that something refers to.
fn put_definitions(mut root: Object, mut definitions: Object) -> Object {
    let mut used = references(&Value::Object(root.clone()));
    loop {
        let is_used = |name: &str| used.contains(&format!("{DEFINITIONS}{name}"));
        let named = definitions.iter().filter(|(name, _)| is_used(name));
        let more: BTreeSet<_> = named.flat_map(|(_, definition)| references(definition)).collect();
        let before = used.len();
        used.extend(more);
        if used.len() == before {
            break;
        }
    }
    definitions.retain(|name, _| used.contains(&format!("{DEFINITIONS}{name}")));
    if !definitions.is_empty() {
        root.insert("$defs".to_owned(), Value::Object(definitions));
    }
    root
}

/// All that a schema refers to.
fn references(value: &Value) -> BTreeSet<String> {
    let inner: Vec<&Value> = match value {
        Value::Object(object) => object.values().collect(),
        Value::Array(values) => values.iter().collect(),
        _ => return BTreeSet::new(),
    };
    let own = value.get("$ref").and_then(Value::as_str).map(str::to_owned);
    inner.into_iter().flat_map(references).chain(own).collect()
}

/// What an object may have in it.
#[derive(Debug, Default)]
struct Shape {
    properties: Object,
    required: Vec<String>,
    /// What other members have to be.
    others: Option<Value>,
}

impl Shape {
    /// The shape of the objects that a schema is one of. `None` when it is of none.
    fn of(schema: &Object, definitions: &Object, depth: usize) -> Option<Self> {
        if depth == 0 {
            return Some(Self::default());
        }
        let is_object = match schema.get("type") {
            None => true,
            Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "object"),
            Some(kind) => kind == "object",
        };
        if !is_object || ["const", "enum"].into_iter().any(|word| schema.contains_key(word)) {
            return None;
        }
        let mut shape = Self::own(schema);
        let of = |part: &Object| Self::of(part, definitions, depth - 1);
        for part in referred(schema, definitions).into_iter().chain(branches(schema, "allOf")) {
            shape = shape.and(of(part)?);
        }
        for word in ["anyOf", "oneOf"] {
            if schema.contains_key(word) {
                let alternatives = branches(schema, word).filter_map(|branch| Some(of(branch)?.described(branch)));
                shape = shape.and(alternatives.reduce(Self::or)?);
            }
        }
        Some(shape)
    }

    fn own(schema: &Object) -> Self {
        let properties = schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        let required = required.filter_map(|name| name.as_str().map(str::to_owned)).collect();
        Self { properties, required, others: schema.get("additionalProperties").cloned() }
    }

    /// Lets the member that an alternative is known by say what the alternative is.
    fn described(mut self, branch: &Object) -> Self {
        let Some(description) = branch.get("description").and_then(Value::as_str) else { return self };
        let is_only = self.properties.len() == 1;
        for property in self.properties.values_mut().filter_map(Value::as_object_mut) {
            if property.contains_key("description") {
                continue;
            }
            if let Some(Value::String(tag)) = property.get("const") {
                let line = format!("`{tag}`: {description}");
                property.insert("description".to_owned(), line.into());
            } else if is_only && !property.contains_key("$ref") {
                property.insert("description".to_owned(), description.into());
            }
        }
        self
    }

    fn and(mut self, other: Self) -> Self {
        for (name, property) in other.properties {
            self.properties.entry(name).or_insert(property);
        }
        for name in other.required {
            if !self.required.contains(&name) {
                self.required.push(name);
            }
        }
        self.others = self.others.or(other.others);
        self
    }

    fn or(mut self, other: Self) -> Self {
        for (name, property) in other.properties {
            match self.properties.get_mut(&name) {
                Some(known) => *known = either(known.take(), property),
                None => drop(self.properties.insert(name, property)),
            }
        }
        self.required.retain(|name| other.required.contains(name));
        self.others = self.others.filter(|others| Some(others) == other.others.as_ref());
        self
    }

    fn write(self, root: &mut Object) {
        if !self.properties.is_empty() {
            root.insert("properties".to_owned(), Value::Object(self.properties));
        }
        if !self.required.is_empty() {
            root.insert("required".to_owned(), self.required.into());
        }
        if let Some(others) = self.others {
            root.insert("additionalProperties".to_owned(), others);
        }
    }
}

/// The schema of what is one thing or another.
fn either(one: Value, other: Value) -> Value {
    if one == other {
        return one;
    }
    if let (Some(mut values), Some(more)) = (texts(&one), texts(&other)) {
        values.extend(more);
        let mut known = BTreeSet::new();
        values.retain(|text| known.insert(text.clone()));
        let mut schema = json!({ "type": "string", "enum": values });
        let lines = [&one, &other].into_iter().filter_map(|schema| schema.get("description")?.as_str());
        let lines: Vec<_> = lines.collect();
        if !lines.is_empty() {
            schema["description"] = lines.join("\n").into();
        }
        return schema;
    }
    let mut branches = Vec::new();
    for schema in [one, other] {
        let inner = match schema.get("anyOf").and_then(Value::as_array) {
            Some(inner) if schema.as_object().is_some_and(|object| object.len() == 1) => inner.clone(),
            _ => vec![schema],
        };
        for schema in inner {
            if !branches.contains(&schema) {
                branches.push(schema);
            }
        }
    }
    json!({ "anyOf": branches })
}

/// The texts that a schema allows, if it allows a few texts and nothing else.
fn texts(schema: &Value) -> Option<Vec<String>> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    match (schema.get("const"), schema.get("enum")) {
        (Some(value), _) => text(value).map(|text| vec![text]),
        (None, Some(Value::Array(values))) => values.iter().map(text).collect(),
        _ => None,
    }
}

fn referred<'a>(schema: &Object, definitions: &'a Object) -> Option<&'a Object> {
    definitions.get(schema.get("$ref")?.as_str()?.strip_prefix(DEFINITIONS)?)?.as_object()
}

fn branches<'a>(schema: &'a Object, word: &str) -> impl Iterator<Item = &'a Object> {
    schema.get(word).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object)
}

/// Where definitions are.
const DEFINITIONS: &str = "#/$defs/";

/// The words by which a schema is made of others.
const COMBINED: [&str; 4] = ["$ref", "allOf", "anyOf", "oneOf"];

/// How far references and alternatives are followed: types may contain themselves.
const DEPTH: usize = 16;
