//! The schema of a form: a flat object of simple fields.

use std::fmt;

use serde_json::Value;

use super::fields::{
    BooleanSchema, EnumOption, EnumSchema, FieldSchema, Label, MultiEnumSchema, Named, NumberSchema, StringSchema,
};
use super::format::StringFormat;
use crate::raw::RawJson;
use crate::version::Version;
use crate::wire::Object;

/// The schema of a form: fields in their order. Whatever cannot be asked for by a form cannot be built.
///
/// ```
/// use mcp_types::elicitation::{EnumSchema, FormSchema, NumberSchema};
///
/// let form = FormSchema::new()
///     .with_required("seats", NumberSchema::integer().with_minimum(1))
///     .with_optional("class", EnumSchema::new(["first", "second"]).with_default("second"));
/// let entered = serde_json::from_str(r#"{"seats":2.0}"#)?;
/// let content = form.complete(entered).unwrap();
/// assert_eq!(serde_json::to_string(&content)?, r#"{"seats":2,"class":"second"}"#);
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FormSchema {
    pub(super) fields: Vec<FormField>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct FormField {
    pub(super) name: String,
    pub(super) is_required: bool,
    pub(super) schema: FieldSchema,
}

impl FormSchema {
    /// A form without fields.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a field that has to be filled in.
    #[must_use]
    pub fn with_required(self, name: impl Into<String>, schema: impl Into<FieldSchema>) -> Self {
        self.with(FormField { name: name.into(), is_required: true, schema: schema.into() })
    }

    /// Adds a field that may be left empty.
    #[must_use]
    pub fn with_optional(self, name: impl Into<String>, schema: impl Into<FieldSchema>) -> Self {
        self.with(FormField { name: name.into(), is_required: false, schema: schema.into() })
    }

    fn with(mut self, field: FormField) -> Self {
        self.fields.retain(|other| other.name != field.name);
        self.fields.push(field);
        self
    }

    /// The fields in their order: name, whether it has to be filled in, schema.
    pub fn fields(&self) -> impl Iterator<Item = (&str, bool, &FieldSchema)> {
        self.fields.iter().map(|field| (&*field.name, field.is_required, &field.schema))
    }

    /// Whether the revision can show it: some of several texts can be chosen from 2025-11-25 on.
    pub fn is_known_to(&self, version: Version) -> bool {
        version >= Version::V2025_11_25
            || !self.fields.iter().any(|field| matches!(field.schema, FieldSchema::MultiEnum(_)))
    }

    /// The schema as JSON, in the form of this revision.
    pub fn to_json(&self, version: Version) -> RawJson {
        let named = if version < Version::V2025_11_25 { Named::Beside } else { Named::ByConst };
        let properties = self.fields.iter().map(|field| (field.name.clone(), field.schema.to_value(named)));
        let required: Value = self.fields.iter().filter(|field| field.is_required).map(|field| &*field.name).collect();
        let mut schema = Object::new();
        schema.insert("type".to_owned(), "object".into());
        schema.insert("properties".to_owned(), Value::Object(properties.collect()));
        if required != Value::Array(Vec::new()) {
            schema.insert("required".to_owned(), required);
        }
        Value::Object(schema).into()
    }

    /// Whether an option of a field has a name for people.
    pub(crate) fn has_titled_options(&self) -> bool {
        let is_titled = |options: &[EnumOption]| options.iter().any(|option| option.title.is_some());
        self.fields.iter().any(|field| match &field.schema {
            FieldSchema::Enum(field) => is_titled(&field.options),
            _ => false,
        })
    }

    /// Reads a schema, also one that was made for a type: a field that may be `null` may be left empty. Keywords that
    /// forms do not have are passed over, as long as they do not make another kind of field.
    ///
    /// # Errors
    ///
    /// [`FormSchemaError`] names the first field that a form cannot have.
    pub fn read(schema: &RawJson) -> Result<Self, FormSchemaError> {
        let whole = |why| FormSchemaError { field: None, why };
        let root: Value = schema.decode().map_err(|_| whole("is not JSON"))?;
        if root.get("type").is_some_and(|kind| kind != "object") || !root.is_object() {
            return Err(whole("is not that of an object"));
        }
        let Some(properties) = root.get("properties") else {
            let has_none = ["$ref", "anyOf", "oneOf", "allOf"].iter().all(|keyword| root.get(keyword).is_none());
            return if has_none { Ok(Self::new()) } else { Err(whole("is not that of one object")) };
        };
        let properties = properties.as_object().ok_or_else(|| whole("has no properties"))?;
        let required: Vec<&str> =
            root.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
        let mut form = Self::new();
        for (name, schema) in properties {
            let (schema, may_be_null) =
                read_field(schema).map_err(|why| FormSchemaError { field: Some(name.clone()), why })?;
            let is_required = !may_be_null && required.contains(&&**name);
            form.fields.push(FormField { name: name.clone(), is_required, schema });
        }
        Ok(form)
    }
}

impl From<FormSchema> for RawJson {
    fn from(form: FormSchema) -> Self {
        form.to_json(Version::MODERN)
    }
}

impl From<&FormSchema> for RawJson {
    fn from(form: &FormSchema) -> Self {
        form.to_json(Version::MODERN)
    }
}

/// Why a schema is not that of a form: forms are flat, with texts, numbers, booleans and choices of texts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FormSchemaError {
    /// The field; `None` for the schema as a whole.
    pub field: Option<String>,
    why: &'static str,
}

impl fmt::Display for FormSchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.field {
            Some(field) => write!(f, "the field `{field}` cannot be asked for by a form: it {}", self.why),
            None => write!(f, "the schema of the form {}", self.why),
        }
    }
}

impl std::error::Error for FormSchemaError {}

/// Reads a field, and whether it may be `null`.
fn read_field(schema: &Value) -> Result<(FieldSchema, bool), &'static str> {
    let is_null = |schema: &Value| schema.get("type").is_some_and(|kind| kind == "null");
    if let Some(Value::Array(either)) = schema.get("anyOf").filter(|_| schema.get("type").is_none()) {
        let others: Vec<_> = either.iter().filter(|schema| !is_null(schema)).collect();
        let [other] = others[..] else { return Err("is one of several kinds") };
        let (field, _) = read_kind(other, other.get("type"))?;
        return Ok((relabelled(field, label(schema)), others.len() < either.len()));
    }
    read_kind(schema, schema.get("type"))
}

fn read_kind(schema: &Value, kind: Option<&Value>) -> Result<(FieldSchema, bool), &'static str> {
    let (kind, may_be_null) = match kind {
        Some(Value::String(kind)) => (&**kind, false),
        Some(Value::Array(kinds)) => {
            let others: Vec<_> = kinds.iter().filter_map(Value::as_str).filter(|kind| *kind != "null").collect();
            let [kind] = others[..] else { return Err("is one of several kinds") };
            (kind, kinds.len() > 1)
        }
        None if schema.get("enum").is_some() || schema.get("oneOf").is_some() => ("string", false),
        _ => return Err("has no type"),
    };
    let label = label(schema);
    let field = match kind {
        "string" => match options(schema)? {
            Some(options) => EnumSchema { label, options, default: text(schema, "default") }.into(),
            None => read_string_field(schema, label).into(),
        },
        "integer" | "number" => read_number(schema, kind == "integer", label).into(),
        "boolean" => BooleanSchema { label, default: schema.get("default").and_then(Value::as_bool) }.into(),
        "array" => read_multi(schema, label)?.into(),
        "object" => return Err("is an object"),
        _ => return Err("is of an unknown type"),
    };
    Ok((field, may_be_null))
}

fn read_string_field(schema: &Value, label: Label) -> StringSchema {
    StringSchema {
        label,
        min_length: count(schema, "minLength"),
        max_length: count(schema, "maxLength"),
        pattern: text(schema, "pattern"),
        format: text(schema, "format").map(|format| StringFormat::from(&*format)).filter(is_standard),
        default: text(schema, "default"),
    }
}

/// Types have formats that no form knows.
fn is_standard(format: &StringFormat) -> bool {
    !matches!(format, StringFormat::Other(_))
}

fn read_number(schema: &Value, is_integer: bool, label: Label) -> NumberSchema {
    let number = |name| schema.get(name).and_then(Value::as_number).cloned();
    NumberSchema {
        label,
        is_integer,
        minimum: number("minimum"),
        maximum: number("maximum"),
        default: number("default"),
    }
}

fn read_multi(schema: &Value, label: Label) -> Result<MultiEnumSchema, &'static str> {
    let items = schema.get("items").ok_or("is a list of anything")?;
    let options = options(items)?.ok_or("is a list of something else than given texts")?;
    let default = schema.get("default").and_then(Value::as_array);
    Ok(MultiEnumSchema {
        label,
        options,
        min_items: count(schema, "minItems"),
        max_items: count(schema, "maxItems"),
        default: default.map(|values| values.iter().filter_map(Value::as_str).map(str::to_owned).collect()),
    })
}

/// What there is to choose from, if this is a choice.
fn options(schema: &Value) -> Result<Option<Vec<EnumOption>>, &'static str> {
    if let Some(Value::Array(values)) = schema.get("enum") {
        let names = schema.get("enumNames").and_then(Value::as_array);
        let options = values.iter().filter(|value| !value.is_null()).enumerate().map(|(at, value)| {
            let value = value.as_str().ok_or("is a choice of something else than texts")?.to_owned();
            let title = names.and_then(|names| names.get(at)).and_then(Value::as_str).map(str::to_owned);
            Ok(EnumOption { value, title })
        });
        return options.collect::<Result<_, _>>().map(Some);
    }
    let Some(Value::Array(choices)) = schema.get("oneOf").or_else(|| schema.get("anyOf")) else { return Ok(None) };
    let mut options = Vec::new();
    for choice in choices {
        let title = text(choice, "title").or_else(|| text(choice, "description"));
        match (choice.get("const"), choice.get("enum")) {
            (Some(Value::String(value)), _) => options.push(EnumOption { value: value.clone(), title }),
            // A type whose variants are told in part and not in part is written so.
            (None, Some(Value::Array(values))) if values.iter().all(Value::is_string) => {
                options.extend(values.iter().filter_map(Value::as_str).map(EnumOption::from));
            }
            _ => return Err("is one of several kinds"),
        }
    }
    Ok(Some(options))
}

fn label(schema: &Value) -> Label {
    Label { title: text(schema, "title"), description: text(schema, "description") }
}

/// What stands beside a reference counts more than what stands in it.
fn relabelled(mut field: FieldSchema, outer: Label) -> FieldSchema {
    let label = match &mut field {
        FieldSchema::String(field) => &mut field.label,
        FieldSchema::Number(field) => &mut field.label,
        FieldSchema::Boolean(field) => &mut field.label,
        FieldSchema::Enum(field) => &mut field.label,
        FieldSchema::MultiEnum(field) => &mut field.label,
    };
    label.title = outer.title.or_else(|| label.title.take());
    label.description = outer.description.or_else(|| label.description.take());
    field
}

fn text(schema: &Value, name: &str) -> Option<String> {
    schema.get(name).and_then(Value::as_str).map(str::to_owned)
}

fn count(schema: &Value, name: &str) -> Option<u64> {
    schema.get(name).and_then(Value::as_u64)
}
