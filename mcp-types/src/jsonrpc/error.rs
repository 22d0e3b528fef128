use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::write::write_string;

/// The code of a JSON-RPC error.
///
/// A newtype and not an enum: peers and applications have codes of their own, and they travel
/// unchanged. Codes that an application makes up should lie outside −32768 to −32000.
///
/// Spec: [Error codes](https://modelcontextprotocol.io/specification/2026-07-28/basic/index#error-codes)
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ErrorCode(pub i64);

impl ErrorCode {
    /// The text is not JSON.
    pub const PARSE_ERROR: Self = Self(-32700);
    /// The JSON is not a valid message, or not one that may come now.
    pub const INVALID_REQUEST: Self = Self(-32600);
    /// The method does not exist here, or its capability is not advertised.
    pub const METHOD_NOT_FOUND: Self = Self(-32601);
    /// The parameters are wrong. Also: no such tool, prompt or (from 2026-07-28) resource.
    pub const INVALID_PARAMS: Self = Self(-32602);
    /// The receiver failed.
    pub const INTERNAL_ERROR: Self = Self(-32603);
    /// Nobody can answer any more. Local only: this code is never put on the wire.
    pub const CONNECTION_CLOSED: Self = Self(-32000);
    /// No such resource, as servers say it up to 2025-11-25; never sent to a modern request.
    pub const RESOURCE_NOT_FOUND: Self = Self(-32002);
    /// An HTTP header contradicts the body (from 2026-07-28).
    pub const HEADER_MISMATCH: Self = Self(-32020);
    /// The request needs a capability that the client did not declare (from 2026-07-28).
    pub const MISSING_REQUIRED_CLIENT_CAPABILITY: Self = Self(-32021);
    /// The server does not speak the revision that the request names (from 2026-07-28).
    pub const UNSUPPORTED_PROTOCOL_VERSION: Self = Self(-32022);
    /// The user must visit a URL first (2025-11-25 only).
    pub const URL_ELICITATION_REQUIRED: Self = Self(-32042);
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The error of a JSON-RPC response, as it is put on the wire.
///
/// ```
/// use mcp_types::jsonrpc::{ErrorCode, ErrorObject};
///
/// let error = ErrorObject::new(ErrorCode::INVALID_PARAMS, "`name` is missing");
/// let mut out = Vec::new();
/// error.write_json(&mut out);
/// assert_eq!(out, br#"{"code":-32602,"message":"`name` is missing"}"#);
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ErrorObject {
    /// What kind of error it is.
    pub code: ErrorCode,
    /// One short sentence.
    pub message: Cow<'static, str>,
    /// Details for programs: any JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Box<RawValue>>,
}

impl ErrorObject {
    /// Creates an error without data.
    pub fn new(code: ErrorCode, message: impl Into<Cow<'static, str>>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    /// Adds details.
    #[must_use]
    pub fn with_data(mut self, data: Box<RawValue>) -> Self {
        self.data = Some(data);
        self
    }

    /// Adds details that are built as a value, such as `json!({"reason": "closing"})`.
    #[must_use]
    pub fn with_value(mut self, data: &Value) -> Self {
        // The text of a `Value` is always JSON.
        self.data = RawValue::from_string(data.to_string()).ok();
        self
    }

    /// Appends the error as a JSON object.
    pub fn write_json(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"code\":");
        out.extend_from_slice(itoa::Buffer::new().format(self.code.0).as_bytes());
        out.extend_from_slice(b",\"message\":");
        write_string(out, &self.message);
        if let Some(data) = &self.data {
            out.extend_from_slice(b",\"data\":");
            out.extend_from_slice(data.get().as_bytes());
        }
        out.push(b'}');
    }
}

/// The message and the code; never the data, which may hold what nobody should log.
impl fmt::Display for ErrorObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.code)
    }
}

/// Equal when code, message and the text of the data are.
impl PartialEq for ErrorObject {
    fn eq(&self, other: &Self) -> bool {
        let data = |error: &Self| error.data.as_ref().map(|data| data.get().to_owned());
        self.code == other.code && self.message == other.message && data(self) == data(other)
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn errors_are_written_as_serde_writes_them() {
        let rows = [
            ErrorObject::new(ErrorCode::PARSE_ERROR, "Parse error"),
            ErrorObject::new(ErrorCode(7), "a \"b\"\n").with_value(&json!({"x": [1, null]})),
            ErrorObject::new(ErrorCode(0), String::new()).with_value(&json!("text")),
        ];
        for error in rows {
            let mut out = Vec::new();
            error.write_json(&mut out);
            assert_eq!(out, serde_json::to_vec(&error).unwrap());
            assert_eq!(serde_json::from_slice::<ErrorObject>(&out).unwrap(), error);
        }
    }

    #[test]
    fn data_makes_a_difference() {
        let plain = ErrorObject::new(ErrorCode(1), "x");
        assert_ne!(plain.clone().with_value(&json!(1)), plain);
        assert_ne!(plain.clone().with_value(&json!(1)), plain.with_value(&json!(2)));
    }
}
