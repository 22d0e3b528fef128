//! Input rounds: a modern server answers a request with questions, and the client asks again with the answers.

use std::fmt;

use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::elicitation::ElicitParams;
use crate::method;
use crate::raw::RawJson;
use crate::result::ResultType;
use crate::roots::ListRootsParams;
use crate::sampling::CreateMessageParams;
use crate::wire::{Object, with};

/// The result of a request that needs answers first (from 2026-07-28): of `tools/call`, `prompts/get` or
/// `resources/read`.
///
/// ```
/// use mcp_types::input::{InputRequest, InputRequests, InputRequiredResult};
/// use mcp_types::roots::ListRootsParams;
///
/// let mut asked = InputRequests::new();
/// asked.insert("where", InputRequest::ListRoots(ListRootsParams::new()));
/// let result = InputRequiredResult::new().with_input_requests(asked).with_request_state("7f3a");
/// assert_eq!(
///     serde_json::to_string(&result)?,
///     r#"{"resultType":"input_required","inputRequests":{"where":{"method":"roots/list"}},"requestState":"7f3a"}"#,
/// );
/// # Ok::<_, serde_json::Error>(())
/// ```
///
/// Spec: [Multi round-trip requests](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr)
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct InputRequiredResult {
    /// What kind of result it is: [`ResultType::InputRequired`].
    pub result_type: ResultType,
    /// What is asked, by key. Absent when the client has only to ask again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_requests: Option<InputRequests>,
    /// What the client has to send back, unchanged and without looking into it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_state: Option<String>,
    /// `_meta`.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Object>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl InputRequiredResult {
    /// Asks nothing yet. A result has to have questions or a state.
    pub fn new() -> Self {
        Self {
            result_type: ResultType::InputRequired,
            input_requests: None,
            request_state: None,
            meta: None,
            extra: Object::new(),
        }
    }

    with! {
        /// Sets what is asked.
        with_input_requests(input_requests: InputRequests);
        /// Sets what the client has to send back.
        with_request_state(request_state: String);
        /// Sets `_meta`.
        with_meta(meta: Object);
    }
}

impl Default for InputRequiredResult {
    fn default() -> Self {
        Self::new()
    }
}

/// One question to a client. On the wire it is told by its `method`, and has neither an id nor `jsonrpc`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum InputRequest {
    /// `elicitation/create`
    Elicit(Box<ElicitParams>),
    /// `sampling/createMessage`
    CreateMessage(Box<CreateMessageParams>),
    /// `roots/list`
    ListRoots(ListRootsParams),
    /// Another method, which nobody here can answer.
    Other {
        /// The method.
        method: String,
        /// Its params.
        params: Option<RawJson>,
    },
}

impl InputRequest {
    /// The method.
    pub fn method(&self) -> &str {
        match self {
            Self::Elicit(_) => method::ELICITATION_CREATE,
            Self::CreateMessage(_) => method::SAMPLING_CREATE_MESSAGE,
            Self::ListRoots(_) => method::ROOTS_LIST,
            Self::Other { method, .. } => method,
        }
    }

    /// The params as JSON; `None` where there are none to send.
    ///
    /// # Errors
    ///
    /// Never for params that were made by this crate: when they cannot be JSON.
    pub fn params(&self) -> Result<Option<RawJson>, serde_json::Error> {
        match self {
            Self::Elicit(params) => RawJson::encode(params).map(Some),
            Self::CreateMessage(params) => RawJson::encode(params).map(Some),
            Self::ListRoots(params) if *params == ListRootsParams::new() => Ok(None),
            Self::ListRoots(params) => RawJson::encode(params).map(Some),
            Self::Other { params, .. } => Ok(params.clone()),
        }
    }
}

impl From<ElicitParams> for InputRequest {
    fn from(params: ElicitParams) -> Self {
        Self::Elicit(Box::new(params))
    }
}

impl From<CreateMessageParams> for InputRequest {
    fn from(params: CreateMessageParams) -> Self {
        Self::CreateMessage(Box::new(params))
    }
}

impl From<ListRootsParams> for InputRequest {
    fn from(params: ListRootsParams) -> Self {
        Self::ListRoots(params)
    }
}

#[derive(Serialize, Deserialize)]
struct Envelope {
    method: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    params: Option<RawJson>,
}

impl Serialize for InputRequest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let params = self.params().map_err(serde::ser::Error::custom)?;
        Envelope { method: self.method().to_owned(), params }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for InputRequest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Envelope { method, params } = Envelope::deserialize(deserializer)?;
        let raw = params.as_ref().map_or("{}", RawJson::get);
        let read = match &*method {
            method::ELICITATION_CREATE => serde_json::from_str(raw).map(Self::Elicit),
            method::SAMPLING_CREATE_MESSAGE => serde_json::from_str(raw).map(Self::CreateMessage),
            method::ROOTS_LIST => serde_json::from_str(raw).map(Self::ListRoots),
            _ => return Ok(Self::Other { method, params }),
        };
        read.map_err(|error| D::Error::custom(format_args!("the params of `{method}`: {error}")))
    }
}

/// A map that keeps the order of its keys and finds one by looking at all: there are few.
macro_rules! ordered {
    ($(#[$attribute:meta])* $name:ident of $value:ty) => {
        $(#[$attribute])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $name(Vec<(String, $value)>);

        impl $name {
            /// Creates an empty map.
            pub fn new() -> Self {
                Self::default()
            }

            /// Adds a value, or replaces the one that has this key.
            pub fn insert(&mut self, key: impl Into<String>, value: $value) {
                let key = key.into();
                match self.0.iter_mut().find(|(other, _)| *other == key) {
                    Some((_, old)) => *old = value,
                    None => self.0.push((key, value)),
                }
            }

            /// The value of a key.
            pub fn get(&self, key: &str) -> Option<&$value> {
                self.0.iter().find(|(other, _)| other == key).map(|(_, value)| value)
            }

            /// Keys and values, in their order.
            pub fn iter(&self) -> impl Iterator<Item = (&str, &$value)> {
                self.0.iter().map(|(key, value)| (&**key, value))
            }

            /// How many there are.
            pub fn len(&self) -> usize {
                self.0.len()
            }

            /// Whether there is none.
            pub fn is_empty(&self) -> bool {
                self.0.is_empty()
            }
        }

        impl<K: Into<String>> FromIterator<(K, $value)> for $name {
            fn from_iter<I: IntoIterator<Item = (K, $value)>>(entries: I) -> Self {
                let mut map = Self::new();
                entries.into_iter().for_each(|(key, value)| map.insert(key, value));
                map
            }
        }

        impl IntoIterator for $name {
            type Item = (String, $value);
            type IntoIter = std::vec::IntoIter<(String, $value)>;

            fn into_iter(self) -> Self::IntoIter {
                self.0.into_iter()
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_map(self.iter())
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Entries;

                impl<'de> Visitor<'de> for Entries {
                    type Value = $name;

                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str("an object")
                    }

                    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<$name, A::Error> {
                        let mut map = $name::new();
                        while let Some((key, value)) = entries.next_entry::<String, $value>()? {
                            map.insert(key, value);
                        }
                        Ok(map)
                    }
                }

                deserializer.deserialize_map(Entries)
            }
        }
    };
}

ordered! {
    /// The questions of one round, by key, in the order in which they were asked.
    InputRequests of InputRequest
}

ordered! {
    /// The answers to the questions of a round, by the same keys. Each is a bare result, whose type follows from the
    /// question and not from its shape.
    InputResponses of RawJson
}
