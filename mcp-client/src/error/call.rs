//! How a call fails.

use std::time::Duration;

use mcp_session::engine::Reason;
use mcp_session::{Cause, Impossible};
use mcp_types::input::InputRequiredResult;
use mcp_types::jsonrpc::{ErrorCode, ErrorObject};

/// Why a call has no result.
///
/// Whose fault it is can be seen by the variant: the server said no (`Peer`), the server broke the protocol
/// (`Malformed`), the server has ended what was to stay open (`EndedByServer`), the connection failed
/// (`ConnectionClosed`, `TimedOut`), this side cannot do it (`NotPossible`, `Arguments`, `InputRefused`,
/// `TooManyRounds`, `InputRequired`). A local failure never looks like an answer of the server.
///
/// The variants and the predicates are promised; the texts, and the types behind `source()`, are not.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// The server answered with an error.
    #[error("the server answered `{method}` with error {code}: {message}", code = .error.code.0, message = .error.message)]
    Peer {
        /// The method that was called.
        method: Box<str>,
        /// The error as it was sent.
        error: Box<ErrorObject>,
    },
    /// The server answered with something that is not a response, or not a result of the method.
    #[error("the response to `{method}` is malformed: {detail}")]
    Malformed {
        /// The method that was called.
        method: Box<str>,
        /// What is wrong with it, and where in the JSON.
        detail: Box<str>,
    },
    /// Nobody can answer any more, or this side is closing. Whether the server did what was asked is unknown if the
    /// request was sent.
    #[error("connection closed before `{method}` was answered: {}", .reason.map_or_else(|| "closing".to_owned(), |reason| reason.to_string()))]
    ConnectionClosed {
        /// The method that was called.
        method: Box<str>,
        /// Why the session ended, if it has.
        reason: Option<Reason>,
        /// What stands behind it, as far as it is known: the exit of a child, a reset, a frame that was too large.
        #[source]
        cause: Option<Cause>,
    },
    /// The server ended the subscription that the call was by a cancel instead of an answer, as it may at any time.
    #[error("the server has ended the `{method}`")]
    EndedByServer {
        /// The method that was called.
        method: Box<str>,
    },
    /// One of the limits of the call passed. If the request was sent, the server has been told to stop.
    #[error("no answer to `{method}` within {limit:?}")]
    TimedOut {
        /// The method that was called.
        method: Box<str>,
        /// The limit that passed.
        limit: Duration,
    },
    /// The call could not be made: nothing was sent.
    #[error("`{method}` cannot be called here: {why}")]
    NotPossible {
        /// The method that was called.
        method: Box<str>,
        /// Why not.
        why: Impossible,
    },
    /// The arguments or parameters are not a JSON object: nothing was sent.
    #[error("the parameters of `{method}` are not a JSON object: {detail}")]
    Arguments {
        /// The method that was called.
        method: Box<str>,
        /// What is wrong with them.
        detail: Box<str>,
    },
    /// The server asks for something that nobody here answers, or that was refused. The call was given up.
    #[error("`{asked}`, which `{method}` needs, was refused: {message}", message = .error.message)]
    InputRefused {
        /// The method that was called.
        method: Box<str>,
        /// The key of what was asked.
        key: Box<str>,
        /// The method that was asked for, such as `sampling/createMessage`.
        asked: Box<str>,
        /// Why: what the callback answered, or that there is none.
        error: Box<ErrorObject>,
    },
    /// The server asks for input, and this client leaves that to the caller: see
    /// [`Call::hand_over`](crate::Call::hand_over).
    #[error("`{method}` needs input, which is not answered by itself here")]
    InputRequired {
        /// The method that was called.
        method: Box<str>,
        /// What is asked.
        result: Box<InputRequiredResult>,
    },
    /// The server asked for more rounds of input than are allowed.
    #[error("`{method}` asked for more than {rounds} rounds of input")]
    TooManyRounds {
        /// The method that was called.
        method: Box<str>,
        /// How many are allowed.
        rounds: u32,
    },
}

impl CallError {
    /// Whether nobody can answer any more.
    #[must_use]
    pub const fn is_connection_closed(&self) -> bool {
        matches!(self, Self::ConnectionClosed { .. })
    }

    /// Whether a limit passed.
    #[must_use]
    pub const fn is_timeout(&self) -> bool {
        matches!(self, Self::TimedOut { .. })
    }

    /// Whether the server answered, with an error.
    #[must_use]
    pub const fn is_peer(&self) -> bool {
        matches!(self, Self::Peer { .. })
    }

    /// Whether the same call may be made again later, because it certainly was not carried out: too many calls are
    /// pending here, or the server was overloaded or closing.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::NotPossible { why, .. } => *why == Impossible::TooManyCalls,
            Self::Peer { error, .. } => error.code == ErrorCode::INTERNAL_ERROR && says_why(error),
            _ => false,
        }
    }

    /// The method that was called.
    #[must_use]
    pub const fn method(&self) -> &str {
        match self {
            Self::Peer { method, .. }
            | Self::Malformed { method, .. }
            | Self::ConnectionClosed { method, .. }
            | Self::EndedByServer { method }
            | Self::TimedOut { method, .. }
            | Self::NotPossible { method, .. }
            | Self::Arguments { method, .. }
            | Self::InputRefused { method, .. }
            | Self::InputRequired { method, .. }
            | Self::TooManyRounds { method, .. } => method,
        }
    }

    /// The error as other SDKs show it: a closed connection is −32000 "Connection closed". It is for logs and for
    /// programs that expect it; it is never sent.
    #[must_use]
    pub fn to_error_object(&self) -> ErrorObject {
        match self {
            Self::Peer { error, .. } => (**error).clone(),
            Self::ConnectionClosed { .. } => ErrorObject::new(ErrorCode::CONNECTION_CLOSED, "Connection closed"),
            _ => ErrorObject::new(ErrorCode::INTERNAL_ERROR, self.to_string()),
        }
    }

    pub(crate) fn malformed(method: &str, detail: impl Into<Box<str>>) -> Self {
        Self::Malformed { method: method.into(), detail: detail.into() }
    }
}

/// Whether an internal error says that the server had no room, or no time left, for the request.
fn says_why(error: &ErrorObject) -> bool {
    #[derive(serde::Deserialize)]
    struct Data<'a> {
        reason: std::borrow::Cow<'a, str>,
    }
    let data = error.data.as_ref().and_then(|data| serde_json::from_str::<Data<'_>>(data.get()).ok());
    data.is_some_and(|data| matches!(&*data.reason, "overloaded" | "closing"))
}

impl From<mcp_session::CallError> for CallError {
    fn from(error: mcp_session::CallError) -> Self {
        use mcp_session::CallError as Session;
        let detail = error.to_string();
        match error {
            Session::Peer { method, error } => Self::Peer { method: (&*method).into(), error },
            Session::Malformed { method, detail } => Self::Malformed { method: (&*method).into(), detail },
            Session::ConnectionClosed { method, reason, cause } => {
                Self::ConnectionClosed { method: (&*method).into(), reason, cause }
            }
            Session::TimedOut { method, limit } => Self::TimedOut { method: (&*method).into(), limit },
            Session::NotPossible { method, why } => Self::NotPossible { method: (&*method).into(), why },
            Session::EndedByPeer { method } => Self::EndedByServer { method: (&*method).into() },
            // There is none today.
            _ => Self::Malformed { method: "".into(), detail: detail.into() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_was_certainly_not_done_may_be_done_again() {
        let peer = |code, data: serde_json::Value| CallError::Peer {
            method: "tools/call".into(),
            error: Box::new(ErrorObject::new(code, "x").with_value(&data)),
        };
        let impossible = |why| CallError::NotPossible { method: "tools/call".into(), why };
        let closed = CallError::ConnectionClosed { method: "tools/call".into(), reason: None, cause: None };
        #[rustfmt::skip]
        let rows = [
            (peer(ErrorCode::INTERNAL_ERROR, json!({ "reason": "overloaded" })), true),
            (peer(ErrorCode::INTERNAL_ERROR, json!({ "reason": "closing" })),    true),
            (peer(ErrorCode::INTERNAL_ERROR, json!({ "reason": "bug" })),        false),
            (peer(ErrorCode::INTERNAL_ERROR, json!(7)),                          false),
            (peer(ErrorCode(7), json!({ "reason": "overloaded" })),              false),
            (impossible(Impossible::TooManyCalls),                               true),
            (impossible(Impossible::NoCarrier),                                  false),
            (closed,                                                             false),
        ];
        for (error, retryable) in rows {
            assert_eq!(error.is_retryable(), retryable, "{error}");
            assert_eq!(error.method(), "tools/call");
        }
    }

    #[test]
    fn a_subscription_that_the_server_ends_is_no_broken_answer() {
        let error = CallError::from(mcp_session::CallError::EndedByPeer { method: "subscriptions/listen".into() });
        assert!(
            matches!(&error, CallError::EndedByServer { method } if &**method == "subscriptions/listen"),
            "{error}"
        );
        assert_eq!(error.to_string(), "the server has ended the `subscriptions/listen`");
        assert!(!error.is_peer() && !error.is_connection_closed() && !error.is_timeout() && !error.is_retryable());
        assert_eq!(error.method(), "subscriptions/listen");
    }

    #[test]
    fn only_an_answer_of_the_server_looks_like_one() {
        let closed = CallError::ConnectionClosed { method: "x".into(), reason: Some(Reason::PeerGone), cause: None };
        assert_eq!(closed.to_string(), "connection closed before `x` was answered: the peer is gone");
        assert_eq!(closed.to_error_object().code, ErrorCode::CONNECTION_CLOSED);
        assert!(!closed.is_peer() && closed.is_connection_closed());
    }
}
