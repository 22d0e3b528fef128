//! Nested into a router.

use axum::Router;
use axum::routing::get;
use mcp_server::http::HttpConfig;

use crate::support::{message, modern, request, say, serve, serve_tower, verdict};

#[tokio::test]
async fn a_front_is_nested_with_and_without_a_slash_at_its_end() {
    let served = serve(HttpConfig::new()).await;
    let router = Router::new().route("/health", get(|| async { "fine" })).nest_service("/mcp", served.front.clone());
    let address = serve_tower(router).await;
    let ask = request("POST", &modern("tools/list"), &message("tools/list"));
    for path in ["/mcp", "/mcp/"] {
        assert_eq!(verdict(&say(address, ask.replacen("/mcp", path, 1)).await), "200 Modern", "{path}");
    }
    assert!(say(address, request("GET", &[], "").replacen("/mcp", "/health", 1)).await.ends_with("fine"));
    let evil = request("POST", &[("Host", "evil.example")], &message("tools/list"));
    assert_eq!(verdict(&say(address, evil).await), "403 -32600");
}
