//! The metadata that goes with every modern request.

use mcp_types::logging::LoggingLevel;
use mcp_types::meta::{CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL, PROGRESS_TOKEN, PROTOCOL_VERSION};
use mcp_types::{ClientCapabilities, Implementation, Object, Version};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

/// What every modern request says of its client, made once.
#[derive(Clone, Debug)]
pub(crate) struct Meta {
    members: Object,
    text: Box<RawValue>,
}

impl Meta {
    pub(crate) fn modern(
        identity: &Implementation,
        capabilities: &ClientCapabilities,
        level: Option<&LoggingLevel>,
    ) -> Self {
        let mut members = Object::new();
        members.insert(PROTOCOL_VERSION.to_owned(), Version::MODERN.as_str().into());
        members.insert(CLIENT_INFO.to_owned(), value(identity));
        members.insert(CLIENT_CAPABILITIES.to_owned(), value(capabilities));
        if let Some(level) = level {
            members.insert(LOG_LEVEL.to_owned(), level.as_str().into());
        }
        let text = raw(&members);
        Self { members, text }
    }

    /// The whole of it, for a request that adds nothing.
    pub(crate) const fn text(&self) -> &RawValue {
        &self.text
    }
}

/// The metadata of one request. Members of the caller's are kept, save those that say who the client is; a token for
/// progress that the session has chosen replaces the caller's, so that there is one. `None` when there is nothing to
/// say.
pub(crate) fn of_request(base: Option<&Meta>, own: Option<&Object>, token: Option<i64>) -> Option<Box<RawValue>> {
    let mut members = own.cloned().unwrap_or_default();
    if let Some(base) = base {
        let level = members.remove(LOG_LEVEL);
        members.extend(base.members.clone());
        members.extend(level.map(|level| (LOG_LEVEL.to_owned(), level)));
    }
    if let Some(token) = token {
        members.insert(PROGRESS_TOKEN.to_owned(), token.into());
    }
    (!members.is_empty()).then(|| raw(&members))
}

fn value<T: serde::Serialize>(part: &T) -> Value {
    serde_json::to_value(part).expect("texts, and maps with texts as keys, can always be JSON")
}

fn raw(members: &Object) -> Box<RawValue> {
    to_raw_value(members).expect("a map of JSON values can always be JSON")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn object(value: Value) -> Object {
        let Value::Object(object) = value else { unreachable!("an object") };
        object
    }

    fn made(base: Option<&Meta>, own: Value, token: Option<i64>) -> Option<Value> {
        of_request(base, Some(&object(own)), token).map(|raw| serde_json::from_str(raw.get()).unwrap_or_default())
    }

    #[test]
    fn a_legacy_request_that_says_nothing_has_none() {
        assert!(of_request(None, None, None).is_none());
        assert!(made(None, json!({}), None).is_none());
    }

    #[test]
    fn what_the_caller_says_is_kept_and_there_is_one_token() {
        let own = json!({ "progressToken": "mine", "com.example/a": 1 });
        assert_eq!(made(None, own.clone(), None), Some(own.clone()));
        assert_eq!(made(None, own, Some(7)), Some(json!({ "progressToken": 7, "com.example/a": 1 })));
    }

    #[test]
    fn who_the_client_is_cannot_be_overwritten_and_the_level_can() {
        let base =
            Meta::modern(&Implementation::new("c", "1"), &ClientCapabilities::new(), Some(&LoggingLevel::Warning));
        let own = json!({ "io.modelcontextprotocol/clientInfo": { "name": "evil" }, LOG_LEVEL: "debug" });
        let meta = made(Some(&base), own, None).unwrap_or_default();
        assert_eq!(meta[CLIENT_INFO]["name"], "c");
        assert_eq!(meta[LOG_LEVEL], "debug");
        assert_eq!(made(Some(&base), json!({}), None).unwrap_or_default()[LOG_LEVEL], "warning");
    }
}
