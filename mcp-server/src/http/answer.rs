//! How an answer is put into HTTP: its status, its headers and, when it is a refusal, its body.

use std::time::Duration;

use bytes::Bytes;
use http::header::{ALLOW, CACHE_CONTROL, CONNECTION, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderName, HeaderValue, Response, StatusCode};
use mcp_types::jsonrpc::{ErrorCode, ErrorId, ErrorObject, Id, Malformed, Subject, write_error};
use mcp_types::version::{Era, Version};
use serde_json::json;

use super::headers::HeaderMismatch;

/// The status of the answer to a request that was refused by an error.
///
/// A modern client learns from it what kind of refusal it is; a legacy one looks into the body.
///
/// ```
/// use http::StatusCode;
/// use mcp_server::http::status;
/// use mcp_types::jsonrpc::ErrorCode;
/// use mcp_types::version::Era;
///
/// assert_eq!(status(Era::Modern, ErrorCode::METHOD_NOT_FOUND), StatusCode::NOT_FOUND);
/// assert_eq!(status(Era::Legacy, ErrorCode::METHOD_NOT_FOUND), StatusCode::OK);
/// assert_eq!(status(Era::Modern, ErrorCode::INVALID_PARAMS), StatusCode::OK);
/// ```
#[must_use]
pub const fn status(era: Era, code: ErrorCode) -> StatusCode {
    match (era, code) {
        (_, ErrorCode::PARSE_ERROR | ErrorCode::INVALID_REQUEST) => StatusCode::BAD_REQUEST,
        //= 2026-07-28/basic/transports/streamable-http#protocol-version-header
        //# it **MUST** respond
        //# with `404 Not Found` and a JSON-RPC error with code `-32601`
        (Era::Modern, ErrorCode::METHOD_NOT_FOUND) => StatusCode::NOT_FOUND,
        //= 2026-07-28/basic/transports/streamable-http#server-validation
        //# When rejecting a request due to header validation failure, servers **MUST**
        //# return HTTP status `400 Bad Request`
        (
            Era::Modern,
            ErrorCode::HEADER_MISMATCH
            | ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY
            | ErrorCode::UNSUPPORTED_PROTOCOL_VERSION,
        ) => StatusCode::BAD_REQUEST,
        _ => StatusCode::OK,
    }
}

/// A response of one JSON object.
#[must_use]
pub fn json_response(status: StatusCode, body: impl Into<Bytes>) -> Response<Bytes> {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, JSON);
    response
}

/// The response to a message that needs none: 202 and no body.
#[must_use]
pub fn accepted() -> Response<Bytes> {
    let mut response = Response::new(Bytes::new());
    *response.status_mut() = StatusCode::ACCEPTED;
    response
}

/// A response that is a stream of events. What stands in between is told not to hold them back.
//= 2026-07-28/basic/transports/streamable-http#receiving-messages
//# When initiating an SSE stream, servers **SHOULD** include the
//# `X-Accel-Buffering: no` header in the HTTP response.
#[must_use]
pub fn event_stream<B>(body: B) -> Response<B> {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    response
}

/// A request that gets no further: a status, an error for its body, and what the client has to know besides.
#[derive(Debug)]
pub(crate) struct Refusal(Box<Parts>);

/// What a refusal is made of. It is rare and large, so it stands aside.
#[derive(Debug)]
struct Parts {
    status: StatusCode,
    error: ErrorObject,
    id: Option<Id>,
    version: Option<Version>,
    extra: Option<(HeaderName, HeaderValue)>,
    closes: bool,
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, error: ErrorObject) -> Self {
        Self(Box::new(Parts { status, error, id: None, version: None, extra: None, closes: false }))
    }

    /// Refuses for a reason that HTTP itself has a status for.
    pub(crate) fn http(status: StatusCode, message: impl Into<std::borrow::Cow<'static, str>>) -> Self {
        Self::new(status, ErrorObject::new(ErrorCode::INVALID_REQUEST, message))
    }

    /// Refuses a method of HTTP, and names those that there are.
    pub(crate) fn method(allowed: &'static str) -> Self {
        Self::http(StatusCode::METHOD_NOT_ALLOWED, format!("The methods here are {allowed}"))
            .with(ALLOW, HeaderValue::from_static(allowed))
    }

    /// Refuses for now: the server has as much to do as it may.
    pub(crate) fn overloaded(message: &'static str, retry_after: Duration) -> Self {
        Self::not_now("overloaded", message, retry_after)
    }

    /// Refuses for good: the server ends. Another one may be there soon.
    pub(crate) fn closing_down(retry_after: Duration) -> Self {
        Self::not_now("closing", "the server is closing", retry_after)
    }

    /// Says that there will be no answer. Whether the request was carried out is not known, so that nobody is told to
    /// come again.
    pub(crate) fn cut_off() -> Self {
        let error = ErrorObject::new(ErrorCode::INTERNAL_ERROR, "the request was cut off: the server has ended");
        Self::new(StatusCode::SERVICE_UNAVAILABLE, error)
    }

    fn not_now(reason: &str, message: &'static str, retry_after: Duration) -> Self {
        let error = ErrorObject::new(ErrorCode::INTERNAL_ERROR, message).with_value(&json!({ "reason": reason }));
        let seconds = retry_after.as_secs() + u64::from(retry_after.subsec_nanos() > 0);
        Self::new(StatusCode::SERVICE_UNAVAILABLE, error).with(RETRY_AFTER, seconds.into())
    }

    /// Refuses what is no message. Only the id of a request is one to answer.
    pub(crate) fn malformed(malformed: &Malformed) -> Self {
        let answered = matches!(malformed.subject, Subject::Request | Subject::Unknown);
        let mut refusal = Self::new(StatusCode::BAD_REQUEST, malformed.to_error_object());
        refusal.0.id = malformed.id.clone().filter(|_| answered);
        refusal
    }

    pub(crate) fn with_status(mut self, status: StatusCode) -> Self {
        self.0.status = status;
        self
    }

    /// Names the request that is refused.
    pub(crate) fn of(mut self, id: &Id) -> Self {
        self.0.id = Some(id.clone());
        self
    }

    /// The revision of the client, as far as it is known.
    pub(crate) fn in_version(mut self, version: Option<Version>) -> Self {
        self.0.version = version;
        self
    }

    /// Ends the connection: what the client still sends would be taken for the next request.
    pub(crate) fn closing(mut self) -> Self {
        self.0.closes = true;
        self
    }

    fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.0.extra = Some((name, value));
        self
    }

    pub(crate) fn status(&self) -> StatusCode {
        self.0.status
    }

    pub(crate) fn error(&self) -> &ErrorObject {
        &self.0.error
    }

    /// The response, for a request of this version of HTTP.
    pub(crate) fn into_response(self, http: http::Version) -> Response<Bytes> {
        let mut body = Vec::new();
        let id = match (&self.0.id, self.0.version) {
            (Some(id), _) => ErrorId::Known(id),
            (None, Some(version)) if version.error_without_id() => ErrorId::Absent,
            // Revisions without that freedom need the member, and so does a client that did not tell its revision.
            (None, _) => ErrorId::Null,
        };
        write_error(&mut body, id, &self.0.error);
        let mut response = json_response(self.0.status, body);
        if let Some((name, value)) = self.0.extra {
            response.headers_mut().insert(name, value);
        }
        // Later versions have a way of their own to end a stream, and forbid the header.
        if self.0.closes && http <= http::Version::HTTP_11 {
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }
}

impl From<HeaderMismatch> for Refusal {
    fn from(mismatch: HeaderMismatch) -> Self {
        Self::new(StatusCode::BAD_REQUEST, mismatch.to_error_object())
    }
}

const JSON: HeaderValue = HeaderValue::from_static("application/json");

#[cfg(test)]
mod tests {
    use super::*;
    use mcp_types::jsonrpc::Fault;

    #[test]
    fn errors_have_the_status_of_their_era() {
        #[rustfmt::skip]
        let rows = [
            (ErrorCode::PARSE_ERROR,                        400, 400),
            (ErrorCode::INVALID_REQUEST,                    400, 400),
            (ErrorCode::METHOD_NOT_FOUND,                   404, 200),
            (ErrorCode::INVALID_PARAMS,                     200, 200),
            (ErrorCode::INTERNAL_ERROR,                     200, 200),
            (ErrorCode::HEADER_MISMATCH,                    400, 200),
            (ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY, 400, 200),
            (ErrorCode::UNSUPPORTED_PROTOCOL_VERSION,       400, 200),
            (ErrorCode::RESOURCE_NOT_FOUND,                 200, 200),
            (ErrorCode(17),                                 200, 200),
        ];
        for (code, modern, legacy) in rows {
            assert_eq!(
                (status(Era::Modern, code).as_u16(), status(Era::Legacy, code).as_u16()),
                (modern, legacy),
                "{code}"
            );
        }
    }

    /// Status, headers and body, in one line.
    fn said(response: &Response<Bytes>) -> String {
        let headers: Vec<_> = response
            .headers()
            .iter()
            .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap_or("?")))
            .collect();
        format!("{} {} {}", response.status().as_u16(), headers.join(", "), String::from_utf8_lossy(response.body()))
    }

    #[test]
    fn refusals_are_json_rpc_errors() {
        const MODERN: Option<Version> = Some(Version::MODERN);
        const OLD: Option<Version> = Some(Version::V2025_06_18);
        let malformed = |subject| Malformed::new(Fault::BadVersion, subject, "x").with_id(Some(Id::from(7)));
        #[rustfmt::skip]
        let rows = [
            (Refusal::http(StatusCode::UNSUPPORTED_MEDIA_TYPE, "no").in_version(MODERN), http::Version::HTTP_11,
                r#"415 content-type: application/json {"jsonrpc":"2.0","error":{"code":-32600,"message":"no"}}"#),
            (Refusal::http(StatusCode::UNSUPPORTED_MEDIA_TYPE, "no").in_version(OLD), http::Version::HTTP_11,
                r#"415 content-type: application/json {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}"#),
            (Refusal::http(StatusCode::PAYLOAD_TOO_LARGE, "no").closing().in_version(MODERN), http::Version::HTTP_11,
                r#"413 content-type: application/json, connection: close {"jsonrpc":"2.0","error":{"code":-32600,"message":"no"}}"#),
            (Refusal::http(StatusCode::PAYLOAD_TOO_LARGE, "no").closing().in_version(MODERN), http::Version::HTTP_2,
                r#"413 content-type: application/json {"jsonrpc":"2.0","error":{"code":-32600,"message":"no"}}"#),
            (Refusal::method("POST"), http::Version::HTTP_11,
                r#"405 content-type: application/json, allow: POST {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"The methods here are POST"}}"#),
            (Refusal::overloaded("no", Duration::from_millis(1500)), http::Version::HTTP_11,
                r#"503 content-type: application/json, retry-after: 2 {"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"no","data":{"reason":"overloaded"}}}"#),
            (Refusal::malformed(&malformed(Subject::Request)).in_version(MODERN), http::Version::HTTP_11,
                r#"400 content-type: application/json {"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"wrong JSON-RPC version: x"}}"#),
            (Refusal::malformed(&malformed(Subject::Response)).in_version(MODERN), http::Version::HTTP_11,
                r#"400 content-type: application/json {"jsonrpc":"2.0","error":{"code":-32600,"message":"wrong JSON-RPC version: x"}}"#),
        ];
        for (refusal, http, expected) in rows {
            assert_eq!(said(&refusal.into_response(http)), expected);
        }
    }

    #[test]
    fn what_is_accepted_has_its_headers() {
        assert_eq!(said(&accepted()), "202  ");
        assert_eq!(
            said(&event_stream(Bytes::from_static(b":\n\n"))),
            "200 content-type: text/event-stream, cache-control: no-cache, x-accel-buffering: no :\n\n"
        );
    }
}
