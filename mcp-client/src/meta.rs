//! The metadata that goes with every modern request.

use mcp_types::meta::{CLIENT_CAPABILITIES, CLIENT_INFO, PROGRESS_TOKEN, PROTOCOL_VERSION};
use mcp_types::{ClientCapabilities, Implementation, Version};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

/// What is put into the `_meta` of each request: nothing in the legacy era.
#[derive(Clone, Debug, Default)]
pub(crate) struct Meta(Map<String, Value>);

impl Meta {
    pub(crate) fn modern(identity: &Implementation, capabilities: &ClientCapabilities) -> serde_json::Result<Self> {
        let mut members = Map::new();
        members.insert(PROTOCOL_VERSION.to_owned(), Version::MODERN.as_str().into());
        members.insert(CLIENT_INFO.to_owned(), serde_json::to_value(identity)?);
        members.insert(CLIENT_CAPABILITIES.to_owned(), serde_json::to_value(capabilities)?);
        Ok(Self(members))
    }

    /// `params` with this metadata, and with a token for progress if there is one. Metadata of the caller's is kept.
    pub(crate) fn add(&self, mut params: Map<String, Value>, token: Option<i64>) -> Option<Box<RawValue>> {
        let mut members = self.0.clone();
        if let Some(token) = token {
            members.insert(PROGRESS_TOKEN.to_owned(), json!(token));
        }
        if !members.is_empty() {
            let meta = params.entry("_meta").or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(meta) = meta {
                members.extend(std::mem::take(meta));
                *meta = members;
            }
        }
        if params.is_empty() { None } else { serde_json::value::to_raw_value(&params).ok() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_legacy_request_without_parameters_has_none() {
        assert!(Meta::default().add(Map::new(), None).is_none());
    }

    #[test]
    fn metadata_of_the_caller_is_kept() {
        let Value::Object(params) = json!({ "name": "x", "_meta": { "com.example/a": 1 } }) else { unreachable!() };
        let params = Meta::default().add(params, Some(7)).map(|raw| raw.get().to_owned());
        assert_eq!(params.as_deref(), Some(r#"{"name":"x","_meta":{"progressToken":7,"com.example/a":1}}"#));
    }
}
