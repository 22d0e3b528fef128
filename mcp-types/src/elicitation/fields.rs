//! The fields that a form can have.

use serde_json::{Value, json};

use super::format::StringFormat;
use crate::wire::{Object, with, with_plain};

/// The schema of one field of a form.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum FieldSchema {
    /// A text.
    String(StringSchema),
    /// A number or an integer.
    Number(NumberSchema),
    /// Yes or no.
    Boolean(BooleanSchema),
    /// One of several texts.
    Enum(EnumSchema),
    /// Some of several texts (from 2025-11-25).
    MultiEnum(MultiEnumSchema),
}

impl FieldSchema {
    /// What is taken where nothing was entered.
    pub fn default(&self) -> Option<Value> {
        match self {
            Self::String(field) => field.default.clone().map(Value::from),
            Self::Number(field) => field.default.clone().map(Value::from),
            Self::Boolean(field) => field.default.map(Value::from),
            Self::Enum(field) => field.default.clone().map(Value::from),
            Self::MultiEnum(field) => field.default.clone().map(Value::from),
        }
    }

    /// The schema as JSON. `named` is how the names of options are written.
    pub(super) fn to_value(&self, named: Named) -> Value {
        let mut members = Object::new();
        let mut set = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                members.insert(name.to_owned(), value);
            }
        };
        let (kind, label) = match self {
            Self::String(field) => ("string", &field.label),
            Self::Number(field) if field.is_integer => ("integer", &field.label),
            Self::Number(field) => ("number", &field.label),
            Self::Boolean(field) => ("boolean", &field.label),
            Self::Enum(field) => ("string", &field.label),
            Self::MultiEnum(field) => ("array", &field.label),
        };
        set("type", Some(kind.into()));
        set("title", label.title.clone().map(Value::from));
        set("description", label.description.clone().map(Value::from));
        match self {
            Self::String(field) => {
                set("minLength", field.min_length.map(Value::from));
                set("maxLength", field.max_length.map(Value::from));
                set("pattern", field.pattern.clone().map(Value::from));
                set("format", field.format.as_ref().map(|format| format.as_str().into()));
            }
            Self::Number(field) => {
                set("minimum", field.minimum.clone().map(Value::from));
                set("maximum", field.maximum.clone().map(Value::from));
            }
            Self::Boolean(_) => {}
            Self::Enum(field) => match (EnumOption::have_titles(&field.options), named) {
                (false, _) => set("enum", Some(EnumOption::values(&field.options))),
                (true, Named::ByConst) => set("oneOf", Some(EnumOption::titled(&field.options))),
                (true, Named::Beside) => {
                    set("enum", Some(EnumOption::values(&field.options)));
                    set("enumNames", Some(EnumOption::titles(&field.options)));
                }
            },
            Self::MultiEnum(field) => {
                set("minItems", field.min_items.map(Value::from));
                set("maxItems", field.max_items.map(Value::from));
                set(
                    "items",
                    Some(match EnumOption::have_titles(&field.options) {
                        true => json!({"anyOf": EnumOption::titled(&field.options)}),
                        false => json!({"type": "string", "enum": EnumOption::values(&field.options)}),
                    }),
                );
            }
        }
        set("default", self.default());
        Value::Object(members)
    }
}

/// How the names of options are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Named {
    /// `oneOf` with `const` and `title` (from 2025-11-25).
    ByConst,
    /// `enum` and `enumNames` (up to 2025-06-18).
    Beside,
}

/// What people see of a field.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Label {
    pub(super) title: Option<String>,
    pub(super) description: Option<String>,
}

macro_rules! fields {
    ($($field:ident($variant:ident);)*) => {$(
        impl $field {
            /// Sets the name for people.
            #[must_use]
            pub fn with_title(mut self, title: impl Into<String>) -> Self {
                self.label.title = Some(title.into());
                self
            }

            /// Says what it is for.
            #[must_use]
            pub fn with_description(mut self, description: impl Into<String>) -> Self {
                self.label.description = Some(description.into());
                self
            }
        }

        impl From<$field> for FieldSchema {
            fn from(field: $field) -> Self {
                Self::$variant(field)
            }
        }
    )*};
}

fields! {
    StringSchema(String);
    NumberSchema(Number);
    BooleanSchema(Boolean);
    EnumSchema(Enum);
    MultiEnumSchema(MultiEnum);
}

/// A text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StringSchema {
    pub(super) label: Label,
    pub(super) min_length: Option<u64>,
    pub(super) max_length: Option<u64>,
    pub(super) pattern: Option<String>,
    pub(super) format: Option<StringFormat>,
    pub(super) default: Option<String>,
}

impl StringSchema {
    /// Any text.
    pub fn new() -> Self {
        Self::default()
    }

    with_plain! {
        /// Sets the least number of characters.
        with_min_length(min_length: u64);
        /// Sets the greatest number of characters.
        with_max_length(max_length: u64);
    }

    with! {
        /// Sets a regular expression for the client. Answers are not checked against it, and not every client knows it.
        with_pattern(pattern: String);
        /// Says what kind of text it is.
        with_format(format: StringFormat);
        /// Sets what is taken where nothing was entered.
        with_default(default: String);
    }
}

/// A number.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NumberSchema {
    pub(super) label: Label,
    pub(super) is_integer: bool,
    pub(super) minimum: Option<serde_json::Number>,
    pub(super) maximum: Option<serde_json::Number>,
    pub(super) default: Option<serde_json::Number>,
}

impl NumberSchema {
    /// Any number.
    pub fn new() -> Self {
        Self::default()
    }

    /// A number without a fraction.
    pub fn integer() -> Self {
        Self { is_integer: true, ..Self::default() }
    }

    with! {
        /// Sets the least number.
        with_minimum(minimum: serde_json::Number);
        /// Sets the greatest number.
        with_maximum(maximum: serde_json::Number);
        /// Sets what is taken where nothing was entered.
        with_default(default: serde_json::Number);
    }
}

/// Yes or no.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BooleanSchema {
    pub(super) label: Label,
    pub(super) default: Option<bool>,
}

impl BooleanSchema {
    /// Yes or no.
    pub fn new() -> Self {
        Self::default()
    }

    with_plain! {
        /// Sets what is taken where nothing was entered.
        with_default(default: bool);
    }
}

/// One of several texts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EnumSchema {
    pub(super) label: Label,
    pub(super) options: Vec<EnumOption>,
    pub(super) default: Option<String>,
}

impl EnumSchema {
    /// One of these.
    pub fn new<O: Into<EnumOption>>(options: impl IntoIterator<Item = O>) -> Self {
        Self { options: options.into_iter().map(O::into).collect(), ..Self::default() }
    }

    /// What there is to choose from.
    pub fn options(&self) -> &[EnumOption] {
        &self.options
    }

    with! {
        /// Sets what is taken where nothing was chosen.
        with_default(default: String);
    }
}

/// Some of several texts (from 2025-11-25).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MultiEnumSchema {
    pub(super) label: Label,
    pub(super) options: Vec<EnumOption>,
    pub(super) min_items: Option<u64>,
    pub(super) max_items: Option<u64>,
    pub(super) default: Option<Vec<String>>,
}

impl MultiEnumSchema {
    /// Some of these.
    pub fn new<O: Into<EnumOption>>(options: impl IntoIterator<Item = O>) -> Self {
        Self { options: options.into_iter().map(O::into).collect(), ..Self::default() }
    }

    /// What there is to choose from.
    pub fn options(&self) -> &[EnumOption] {
        &self.options
    }

    with_plain! {
        /// Sets how many have to be chosen.
        with_min_items(min_items: u64);
        /// Sets how many may be chosen.
        with_max_items(max_items: u64);
    }

    with! {
        /// Sets what is taken where nothing was chosen.
        with_default(default: Vec<String>);
    }
}

/// One thing to choose.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EnumOption {
    /// The text that is sent.
    pub value: String,
    /// The text that people see. The value where it is absent.
    pub title: Option<String>,
}

impl EnumOption {
    /// A value that people see as another text.
    pub fn titled_as(value: impl Into<String>, title: impl Into<String>) -> Self {
        Self { value: value.into(), title: Some(title.into()) }
    }

    fn have_titles(options: &[Self]) -> bool {
        options.iter().any(|option| option.title.is_some())
    }

    fn values(options: &[Self]) -> Value {
        options.iter().map(|option| &*option.value).collect()
    }

    fn shown(&self) -> &str {
        self.title.as_deref().unwrap_or(&self.value)
    }

    fn titles(options: &[Self]) -> Value {
        options.iter().map(Self::shown).collect()
    }

    fn titled(options: &[Self]) -> Value {
        options.iter().map(|option| json!({"const": option.value, "title": option.shown()})).collect()
    }
}

impl From<&str> for EnumOption {
    fn from(value: &str) -> Self {
        Self { value: value.to_owned(), title: None }
    }
}

impl From<String> for EnumOption {
    fn from(value: String) -> Self {
        Self { value, title: None }
    }
}
