use std::fmt;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

/// A piece of JSON that is passed on as it is: a schema, a structured result, the data of a log line.
///
/// The text is kept, so that the order of members and the form of numbers survive. Cloning is cheap.
/// Two pieces are equal when their texts are.
///
/// Reading and writing it needs `serde_json`.
///
/// ```
/// use mcp_types::RawJson;
/// use serde_json::json;
///
/// let schema = RawJson::from(json!({"type": "object"}));
/// assert_eq!(schema.get(), r#"{"type":"object"}"#);
/// assert!(schema.is_object());
/// assert_eq!(RawJson::parse("[1, 2.0]").unwrap().decode::<Vec<f64>>().unwrap(), [1.0, 2.0]);
/// assert!(RawJson::parse("[1, ").is_err());
/// ```
#[derive(Clone)]
pub struct RawJson(Arc<RawValue>);

impl RawJson {
    /// Takes a JSON text. Whitespace around it is dropped.
    ///
    /// # Errors
    ///
    /// When the text is not JSON.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// Writes a value as JSON.
    ///
    /// # Errors
    ///
    /// When the value cannot be JSON: a map whose keys are no strings, or a `Serialize` that fails.
    pub fn encode<T: Serialize + ?Sized>(value: &T) -> Result<Self, serde_json::Error> {
        to_raw_value(value).map(Self::from)
    }

    /// Reads the JSON as a value.
    ///
    /// # Errors
    ///
    /// When the JSON does not have the shape of `T`.
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.get())
    }

    /// The text.
    pub fn get(&self) -> &str {
        self.0.get()
    }

    /// Whether it is an object.
    pub fn is_object(&self) -> bool {
        self.get().starts_with('{')
    }
}

impl From<Box<RawValue>> for RawJson {
    fn from(raw: Box<RawValue>) -> Self {
        Self(raw.into())
    }
}

impl From<serde_json::Value> for RawJson {
    fn from(value: serde_json::Value) -> Self {
        RawValue::from_string(value.to_string())
            .expect("a `Value` is written as valid JSON without whitespace around it")
            .into()
    }
}

impl PartialEq for RawJson {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl Eq for RawJson {}

impl fmt::Debug for RawJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.get())
    }
}

impl fmt::Display for RawJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.get())
    }
}

impl Serialize for RawJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RawJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(Self::from)
    }
}
