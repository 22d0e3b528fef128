//! Frames as a peer of each era writes them.

use serde_json::{Value, json};

use crate::scenario::Era;

/// A request as this era writes it. Members that `params` already has are kept.
pub fn request(era: Era, id: impl Into<Value>, method: &str, mut params: Value) -> Value {
    if era == Era::Modern {
        for (key, value) in modern_meta() {
            if params["_meta"].get(key).is_none() {
                params["_meta"][key] = value;
            }
        }
    }
    let id: Value = id.into();
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// A call of a tool as this era writes it.
pub fn call(era: Era, id: impl Into<Value>, tool: &str, arguments: Value) -> Value {
    request(era, id, "tools/call", json!({"name": tool, "arguments": arguments}))
}

/// A notification without params.
pub fn notification(method: &str) -> Value {
    json!({"jsonrpc": "2.0", "method": method})
}

/// A cancellation.
pub fn cancel(id: impl Into<Value>) -> Value {
    let id: Value = id.into();
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})
}

/// The legacy opening request for a revision.
pub fn initialize(id: impl Into<Value>, revision: &str) -> Value {
    let params = json!({
        "protocolVersion": revision,
        "capabilities": {"roots": {}},
        "clientInfo": client_info(),
    });
    request(Era::Legacy, id, "initialize", params)
}

/// The legacy answer to `initialize`, as a server with tools gives it.
pub fn initialized(id: &Value) -> Value {
    let result = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": server_capabilities(),
        "serverInfo": client_info(),
    });
    answer(id, result)
}

/// The modern answer to `server/discover`, as a server with tools gives it.
pub fn discovered(id: &Value) -> Value {
    let result = json!({
        "resultType": "complete",
        "supportedVersions": ["2026-07-28"],
        "capabilities": server_capabilities(),
        "ttlMs": 0,
        "cacheScope": "private",
        "_meta": {"io.modelcontextprotocol/serverInfo": client_info()},
    });
    answer(id, result)
}

/// An error answer with a text.
pub fn refusal(id: &Value, code: i64) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": "refused by the script"}})
}

/// A response.
pub fn answer(id: &Value, result: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

/// The `_meta` members that each modern request carries.
fn modern_meta() -> [(&'static str, Value); 3] {
    [
        ("io.modelcontextprotocol/protocolVersion", json!("2026-07-28")),
        ("io.modelcontextprotocol/clientInfo", client_info()),
        ("io.modelcontextprotocol/clientCapabilities", json!({})),
    ]
}

fn server_capabilities() -> Value {
    json!({"tools": {"listChanged": true}, "resources": {}, "prompts": {}})
}

fn client_info() -> Value {
    json!({"name": "mcp-conformance", "version": env!("CARGO_PKG_VERSION")})
}
