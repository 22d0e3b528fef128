//! What HTTP says beside a frame, and whether it may say so.

use serde_json::Value;

use crate::http::Dialect;

/// Why an error answer may not come with this status, when the specification fixes another.
pub(super) fn wrong_status(dialect: Dialect, status: u16, frame: &Value) -> Option<String> {
    let code = frame["error"]["code"].as_i64().filter(|_| dialect.is_modern())?;
    let required = match code {
        //= 2026-07-28/basic/transports/streamable-http#protocol-version-header
        //# If the server does not implement the requested RPC method, it **MUST** respond with `404 Not Found`
        -32601 => 404,
        -32022..=-32020 => 400,
        _ => return None,
    };
    (status != required).then(|| format!("an error {code} comes with the status {status} instead of {required}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_the_specification_fixes() {
        let wrong =
            |dialect, status, code| wrong_status(dialect, status, &json!({"id": 1, "error": {"code": code}})).is_some();
        assert!(!wrong(Dialect::Json, 404, -32601));
        assert!(wrong(Dialect::Json, 200, -32601));
        assert!(wrong(Dialect::Events, 404, -32020));
        assert!(!wrong(Dialect::Session, 200, -32601));
        assert!(!wrong(Dialect::Json, 200, -32602));
        assert_eq!(wrong_status(Dialect::Json, 200, &json!({"id": 1, "result": {}})), None);
    }
}
