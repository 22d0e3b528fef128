//! `_meta`: the reserved keys, and what a modern request says in it.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::capabilities::ClientCapabilities;
use crate::implementation::Implementation;
use crate::jsonrpc::{ErrorCode, ErrorObject, Id, Meta, read_string};
use crate::logging::LoggingLevel;
use crate::raw::RawJson;
use crate::version::{Era, SUPPORTED_MODERN, Version};

/// The key of the revision of a modern request.
pub const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// The key of the client's name and version in a modern request.
pub const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
/// The key of the client's capabilities in a modern request.
pub const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// The key of the least log level that a modern request wants to hear of.
pub const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
/// The key of the server's name and version in a modern result.
pub const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
/// The key of the listen request that a notification belongs to.
pub const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";
/// The key of the task that a message belongs to (2025-11-25).
pub const RELATED_TASK: &str = "io.modelcontextprotocol/related-task";
/// The key of the progress token of a request.
pub const PROGRESS_TOKEN: &str = "progressToken";

/// What progress notifications name to say which request they are about.
///
/// A string or an integer; other numbers are kept as they were sent.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ProgressToken(Id);

impl ProgressToken {
    /// Reads a token from its raw JSON. `None` when that is neither a string nor a number.
    pub fn parse(raw: &str) -> Option<Self> {
        Id::parse(raw).map(Self)
    }

    /// Appends the token as JSON: the value and the type that were sent.
    pub fn write_json(&self, out: &mut Vec<u8>) {
        self.0.write_json(out);
    }

    /// The token as a value of the same shape as an id.
    pub fn as_id(&self) -> &Id {
        &self.0
    }
}

impl From<i64> for ProgressToken {
    fn from(number: i64) -> Self {
        Self(number.into())
    }
}

impl From<&str> for ProgressToken {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl From<Id> for ProgressToken {
    fn from(id: Id) -> Self {
        Self(id)
    }
}

impl fmt::Display for ProgressToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What a modern request says about itself.
///
/// ```
/// use mcp_types::jsonrpc::{Message, ScanLimits, Scanned, scan};
/// use mcp_types::meta::{MetaError, RequestMeta};
///
/// let frame = br#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{
///     "io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#;
/// let Ok(Scanned::Message(Message::Request(request))) = scan(frame, &ScanLimits::default()) else {
///     panic!("a request");
/// };
/// let error = RequestMeta::decode(&request.params.meta).unwrap_err();
/// assert_eq!(error, MetaError::Missing { field: "io.modelcontextprotocol/clientCapabilities" });
/// ```
///
/// Spec: [`_meta`](https://modelcontextprotocol.io/specification/2026-07-28/basic/index#meta)
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RequestMeta {
    /// The revision it is written in; never a legacy one.
    pub version: Version,
    /// Who sent it: an object, not looked into. See [`RequestMeta::client_info`].
    pub client_info: Option<RawJson>,
    /// What the client can do: an object, not looked into. See [`RequestMeta::client_capabilities`].
    pub client_capabilities: RawJson,
    /// The least level of log messages that are wanted. None are when it is absent.
    pub log_level: Option<LoggingLevel>,
    /// What progress notifications have to name. None are wanted when it is absent.
    pub progress_token: Option<ProgressToken>,
}

impl RequestMeta {
    /// Describes a request with the members that are required.
    pub fn new(version: Version, client_capabilities: RawJson) -> Self {
        Self { version, client_info: None, client_capabilities, log_level: None, progress_token: None }
    }

    /// Reads what a request says about itself. Optional members may be `null`.
    ///
    /// # Errors
    ///
    /// [`MetaError`] names the first member that is missing or wrong, the revision before all others.
    pub fn decode(meta: &Meta<'_>) -> Result<Self, MetaError> {
        if let Some(raw) = meta.raw.filter(|raw| !raw.starts_with('{') && *raw != "null") {
            return Err(bad("_meta", "an object", raw));
        }
        let version = read_version(meta.protocol_version.filter(not_null))?;
        let capabilities =
            meta.client_capabilities.filter(not_null).ok_or(MetaError::Missing { field: CLIENT_CAPABILITIES })?;
        let mut decoded = Self::new(version, read_object(CLIENT_CAPABILITIES, capabilities)?);
        if let Some(raw) = meta.client_info.filter(not_null) {
            decoded.client_info = Some(read_object(CLIENT_INFO, raw)?);
        }
        if let Some(raw) = meta.log_level.filter(not_null) {
            let level = read_string(raw).ok_or_else(|| bad(LOG_LEVEL, "a string", raw))?;
            decoded.log_level = Some(LoggingLevel::from(&*level));
        }
        if let Some(raw) = meta.progress_token.filter(not_null) {
            let token = ProgressToken::parse(raw).ok_or_else(|| bad(PROGRESS_TOKEN, "a string or an integer", raw))?;
            decoded.progress_token = Some(token);
        }
        Ok(decoded)
    }

    /// Who sent it, decoded. `None` when it does not say so or not in the proper shape.
    pub fn client_info(&self) -> Option<Implementation> {
        self.client_info.as_ref()?.decode().ok()
    }

    /// What the client can do, decoded.
    ///
    /// # Errors
    ///
    /// [`MetaError::Bad`] when a capability does not have its shape.
    pub fn client_capabilities(&self) -> Result<ClientCapabilities, MetaError> {
        self.client_capabilities
            .decode()
            .map_err(|_| bad(CLIENT_CAPABILITIES, "capabilities", self.client_capabilities.get()))
    }
}

fn not_null(raw: &&str) -> bool {
    *raw != "null"
}

fn read_version(raw: Option<&str>) -> Result<Version, MetaError> {
    let raw = raw.ok_or(MetaError::Missing { field: PROTOCOL_VERSION })?;
    let text = read_string(raw).ok_or_else(|| bad(PROTOCOL_VERSION, "a string", raw))?;
    Version::parse(&text)
        .filter(|version| version.era() == Era::Modern)
        .ok_or_else(|| MetaError::UnsupportedVersion { requested: text.into() })
}

fn read_object(field: &'static str, raw: &str) -> Result<RawJson, MetaError> {
    RawJson::parse(raw).ok().filter(RawJson::is_object).ok_or_else(|| bad(field, "an object", raw))
}

fn bad(field: &'static str, expected: &'static str, raw: &str) -> MetaError {
    let found = match raw.as_bytes().first() {
        Some(b'"') => "a string",
        Some(b'{') => "an object",
        Some(b'[') => "an array",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "null",
        _ => "a number",
    };
    MetaError::Bad { field, expected, found }
}

/// Why the `_meta` of a request is not that of a modern request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MetaError {
    /// A required member is missing.
    #[error("`_meta` lacks `{field}`")]
    Missing {
        /// The name of the member.
        field: &'static str,
    },
    /// A member has the wrong type.
    #[error("expected `{field}` to be {expected}, found {found}")]
    Bad {
        /// The name of the member.
        field: &'static str,
        /// What it should be.
        expected: &'static str,
        /// What it is.
        found: &'static str,
    },
    /// The revision is not a modern one that this crate speaks.
    #[error("unsupported protocol version")]
    UnsupportedVersion {
        /// The revision as the client named it.
        requested: Box<str>,
    },
}

impl MetaError {
    /// The error to answer the request with.
    pub fn to_error_object(&self) -> ErrorObject {
        match self {
            Self::UnsupportedVersion { requested } => {
                ErrorObject::new(ErrorCode::UNSUPPORTED_PROTOCOL_VERSION, "Unsupported protocol version")
                    .with_value(&json!({"supported": SUPPORTED_MODERN, "requested": requested}))
            }
            _ => ErrorObject::new(ErrorCode::INVALID_PARAMS, self.to_string()),
        }
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use crate::jsonrpc::{Message, ScanLimits, Scanned, scan};

    fn decode(meta: &str) -> Result<RequestMeta, MetaError> {
        let frame = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"x","params":{{"_meta":{meta}}}}}"#);
        let Ok(Scanned::Message(Message::Request(request))) = scan(frame.as_bytes(), &ScanLimits::default()) else {
            panic!("{frame}");
        };
        RequestMeta::decode(&request.params.meta)
    }

    /// The required members, with one more or another instead.
    fn with(member: &str) -> String {
        format!(r#"{{"{PROTOCOL_VERSION}":"2026-07-28","{CLIENT_CAPABILITIES}":{{"roots":{{}}}},{member}"x":1}}"#)
    }

    #[test]
    fn the_whole_of_it_is_read() {
        let meta = decode(&with(&format!(
            r#""{CLIENT_INFO}":{{"name":"c","version":"1"}},"{LOG_LEVEL}":"warning","{PROGRESS_TOKEN}":"t","#
        )))
        .unwrap();
        assert_eq!(meta.version, Version::MODERN);
        assert_eq!(meta.client_info().unwrap().name, "c");
        assert!(meta.client_capabilities().unwrap().roots.is_some());
        assert_eq!(meta.log_level, Some(LoggingLevel::Warning));
        assert_eq!(meta.progress_token, Some(ProgressToken::from("t")));
    }

    #[test]
    fn optional_members_may_be_absent_or_null() {
        let absent = decode(&with("")).unwrap();
        let null =
            decode(&with(&format!(r#""{CLIENT_INFO}":null,"{LOG_LEVEL}":null,"{PROGRESS_TOKEN}":null,"#))).unwrap();
        assert_eq!(absent, null);
        assert_eq!(absent, RequestMeta::new(Version::MODERN, RawJson::parse(r#"{"roots":{}}"#).unwrap()));
    }

    #[test]
    fn errors_name_the_member() {
        let bad = |field, expected, found| MetaError::Bad { field, expected, found };
        #[rustfmt::skip]
        let rows = [
            ("{}".to_owned(),                                           MetaError::Missing { field: PROTOCOL_VERSION }),
            ("null".to_owned(),                                         MetaError::Missing { field: PROTOCOL_VERSION }),
            ("[]".to_owned(),                                           bad("_meta", "an object", "an array")),
            (format!(r#"{{"{PROTOCOL_VERSION}":null}}"#),               MetaError::Missing { field: PROTOCOL_VERSION }),
            (format!(r#"{{"{PROTOCOL_VERSION}":7}}"#),                  bad(PROTOCOL_VERSION, "a string", "a number")),
            (format!(r#"{{"{PROTOCOL_VERSION}":"2026-07-28"}}"#),       MetaError::Missing { field: CLIENT_CAPABILITIES }),
            (with(&format!(r#""{CLIENT_CAPABILITIES}":true,"#)),        bad(CLIENT_CAPABILITIES, "an object", "a boolean")),
            (with(&format!(r#""{CLIENT_INFO}":"me","#)),                bad(CLIENT_INFO, "an object", "a string")),
            (with(&format!(r#""{LOG_LEVEL}":3,"#)),                     bad(LOG_LEVEL, "a string", "a number")),
            (with(r#""progressToken":{},"#),                            bad(PROGRESS_TOKEN, "a string or an integer", "an object")),
        ];
        for (meta, expected) in rows {
            let error = decode(&meta).unwrap_err();
            assert_eq!(error, expected, "{meta}");
            assert_eq!(error.to_error_object().code, ErrorCode::INVALID_PARAMS);
        }
        // The revision is looked at first: it decides how to read the rest.
        for requested in ["2025-11-25", "9999-01-01", ""] {
            let error = decode(&format!(r#"{{"{PROTOCOL_VERSION}":"{requested}"}}"#)).unwrap_err();
            assert_eq!(error, MetaError::UnsupportedVersion { requested: requested.into() });
            let object = error.to_error_object();
            assert_eq!(object.code, ErrorCode::UNSUPPORTED_PROTOCOL_VERSION);
            let data: serde_json::Value = serde_json::from_str(object.data.unwrap().get()).unwrap();
            assert_eq!(data, json!({"supported": ["2026-07-28"], "requested": requested}));
        }
    }
}
