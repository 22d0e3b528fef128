//! Whether what was entered fits the form.

use std::fmt;

use serde_json::{Number, Value};

use super::fields::{EnumOption, FieldSchema, MultiEnumSchema, NumberSchema, StringSchema};
use super::form::FormSchema;
use crate::wire::Object;

/// What was entered does not fit the form.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FormFault {
    /// The field.
    pub field: String,
    /// What it should be. Never what was entered.
    pub expected: String,
}

impl fmt::Display for FormFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the field `{}` has to be {}", self.field, self.expected)
    }
}

impl std::error::Error for FormFault {}

impl FormSchema {
    /// Takes what was entered: fills in defaults, drops fields that are `null`, writes `2.0` in a field for integers as
    /// `2`, and checks the rest. Fields that the form does not have are kept.
    ///
    /// # Errors
    ///
    /// [`FormFault`] names the first field that does not fit, and what it should be.
    pub fn complete(&self, entered: Object) -> Result<Object, FormFault> {
        let mut content = entered;
        for field in &self.fields {
            if content.get(&field.name).is_some_and(Value::is_null) {
                content.shift_remove(&field.name);
            }
            let Some(value) = content.get_mut(&field.name) else {
                match field.schema.default() {
                    Some(default) => drop(content.insert(field.name.clone(), default)),
                    None if field.is_required => {
                        return Err(FormFault { field: field.name.clone(), expected: "filled in".to_owned() });
                    }
                    None => {}
                }
                continue;
            };
            if let Some(integer) = as_integer(&field.schema, value) {
                *value = integer;
            }
            check(&field.schema, value).map_err(|expected| FormFault { field: field.name.clone(), expected })?;
        }
        Ok(content)
    }
}

/// The integer that a number with an empty fraction is, in a field for integers.
fn as_integer(schema: &FieldSchema, value: &Value) -> Option<Value> {
    /// Up to here each whole number has one `f64`.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let FieldSchema::Number(NumberSchema { is_integer: true, .. }) = schema else { return None };
    let number = value.as_number().filter(|number| number.is_f64())?.as_f64()?;
    #[expect(clippy::cast_possible_truncation, reason = "whole and small enough")]
    (number.fract() == 0.0 && number.abs() <= EXACT).then(|| (number as i64).into())
}

/// Says what the value should be if it is something else.
fn check(schema: &FieldSchema, value: &Value) -> Result<(), String> {
    match (schema, value) {
        (FieldSchema::String(field), Value::String(text)) => check_string(field, text),
        (FieldSchema::String(_), _) => Err("a text".to_owned()),
        (FieldSchema::Number(field), Value::Number(number)) => check_number(field, number),
        (FieldSchema::Number(field), _) => Err(kind_of(field).to_owned()),
        (FieldSchema::Boolean(_), Value::Bool(_)) => Ok(()),
        (FieldSchema::Boolean(_), _) => Err("true or false".to_owned()),
        (FieldSchema::Enum(field), value) => {
            let is_option = value.as_str().is_some_and(|text| is_option(&field.options, text));
            if is_option { Ok(()) } else { Err(format!("one of {}", listed(&field.options))) }
        }
        (FieldSchema::MultiEnum(field), value) => check_multi(field, value),
    }
}

fn check_string(field: &StringSchema, text: &str) -> Result<(), String> {
    // A text has no more characters than bytes, so most need not be counted.
    let count = || text.chars().count() as u64;
    if let Some(least) = field.min_length.filter(|least| count() < *least) {
        return Err(format!("at least {least} characters long"));
    }
    if let Some(most) = field.max_length.filter(|most| text.len() as u64 > *most && count() > *most) {
        return Err(format!("at most {most} characters long"));
    }
    match &field.format {
        Some(format) if !format.fits(text) => Err(format!("of the format `{format}`")),
        _ => Ok(()),
    }
}

fn check_number(field: &NumberSchema, number: &Number) -> Result<(), String> {
    if field.is_integer && number.is_f64() {
        return Err(kind_of(field).to_owned());
    }
    if let Some(least) = field.minimum.as_ref().filter(|least| is_less(number, least)) {
        return Err(format!("at least {least}"));
    }
    if let Some(most) = field.maximum.as_ref().filter(|most| is_less(most, number)) {
        return Err(format!("at most {most}"));
    }
    Ok(())
}

/// Integers are compared as such: not each of them has an `f64` of its own.
fn is_less(a: &Number, b: &Number) -> bool {
    match (a.as_i128(), b.as_i128()) {
        (Some(a), Some(b)) => a < b,
        _ => a.as_f64() < b.as_f64(),
    }
}

const fn kind_of(field: &NumberSchema) -> &'static str {
    if field.is_integer { "an integer" } else { "a number" }
}

fn check_multi(field: &MultiEnumSchema, value: &Value) -> Result<(), String> {
    let chosen = value.as_array().map(|values| values.iter().map(Value::as_str).collect::<Option<Vec<_>>>());
    let Some(Some(chosen)) = chosen else { return Err("a list of texts".to_owned()) };
    if !chosen.iter().all(|text| is_option(&field.options, text)) {
        return Err(format!("a list of {}", listed(&field.options)));
    }
    let count = chosen.len() as u64;
    if let Some(least) = field.min_items.filter(|least| count < *least) {
        return Err(format!("at least {least} choices"));
    }
    match field.max_items.filter(|most| count > *most) {
        Some(most) => Err(format!("at most {most} choices")),
        None => Ok(()),
    }
}

fn is_option(options: &[EnumOption], text: &str) -> bool {
    options.iter().any(|option| option.value == text)
}

fn listed(options: &[EnumOption]) -> String {
    options.iter().map(|option| format!("`{}`", option.value)).collect::<Vec<_>>().join(", ")
}
