//! The frames of C15, each with its one answer.

/// Something that cannot be a request, or whose id cannot be read, and the code of its answer.
pub(super) const UNREADABLE: &[(&[u8], i64)] = &[
    (b"not json", PARSE_ERROR),
    (br#"{"jsonrpc": "2.0","#, PARSE_ERROR),
    (br#"{"jsonrpc": "2.0", "id": "#, PARSE_ERROR),
    (b"{'jsonrpc': '2.0', 'id': 1, 'method': 'ping'}", PARSE_ERROR),
    (b"\xFF\xFE", PARSE_ERROR),
    (b"42", INVALID_REQUEST),
    (br#""text""#, INVALID_REQUEST),
    (b"null", INVALID_REQUEST),
    (b"true", INVALID_REQUEST),
    (b"{}", INVALID_REQUEST),
    (br#"{"jsonrpc": "2.0"}"#, INVALID_REQUEST),
    (br#"{"jsonrpc": "2.0", "id": null, "method": "ping"}"#, INVALID_REQUEST),
    (br#"{"jsonrpc": "2.0", "id": true, "method": "ping"}"#, INVALID_REQUEST),
    (br#"{"jsonrpc": "2.0", "id": {"a": 1}, "method": "ping"}"#, INVALID_REQUEST),
    (br#"{"jsonrpc": "2.0", "id": [1], "method": "ping"}"#, INVALID_REQUEST),
];

/// A broken request whose id can be read: the frame, its id, and the code of its answer.
pub(super) const BROKEN: &[(&[u8], &str, i64)] = &[
    (br#"{"id": 99, "method": "ping"}"#, "99", INVALID_REQUEST),
    (br#"{"jsonrpc": "1.0", "id": 98, "method": "ping"}"#, "98", INVALID_REQUEST),
    (br#"{"jsonrpc": 2.0, "id": 97, "method": "ping"}"#, "97", INVALID_REQUEST),
    (br#"{"jsonrpc": null, "id": 96, "method": "ping"}"#, "96", INVALID_REQUEST),
    (br#"{"method": "ping", "id": "late"}"#, r#""late""#, INVALID_REQUEST),
    (br#"{"jsonrpc": "2.0", "id": 95, "method": 7}"#, "95", INVALID_REQUEST),
    (br#"{"jsonrpc": "2.0", "id": 94, "method": ["ping"]}"#, "94", INVALID_REQUEST),
    (br#"{"jsonrpc": "2.0", "method": {}, "id": "93"}"#, r#""93""#, INVALID_REQUEST),
    (br#"{"jsonrpc": "2.0", "id": 92, "method": "ping","#, "92", PARSE_ERROR),
    (
        b"{\"jsonrpc\": \"2.0\", \"id\": 91, \"method\": \"tools/call\", \"params\": \
          {\"name\": \"echo\", \"arguments\": {\"text\": \"\xFF\"}}}",
        "91",
        PARSE_ERROR,
    ),
];

/// What nobody answers: broken notifications, and responses of every shape.
pub(super) const UNANSWERED: &[&[u8]] = &[
    br#"{"jsonrpc": "2.0", "method": "notifications/nope"}"#,
    br#"{"jsonrpc": "2.0", "method": "notifications/nope", "params": [1]}"#,
    br#"{"method": "notifications/nope"}"#,
    br#"{"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "panic", "arguments": {}}}"#,
    br#"{"jsonrpc": "2.0", "id": 5, "error": "boom"}"#,
    br#"{"jsonrpc": "2.0", "id": 5, "error": {}}"#,
    br#"{"jsonrpc": "2.0", "id": 5, "error": {"code": "E1", "message": "x"}}"#,
    br#"{"jsonrpc": "2.0", "id": 5, "result": {}, "error": {"code": 1, "message": "x"}}"#,
    br#"{"jsonrpc": "2.0", "id": {"a": 1}, "result": {}}"#,
];

const PARSE_ERROR: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;
