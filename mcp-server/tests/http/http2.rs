//! HTTP/2, where the host is `:authority` and a stream ends without its connection.

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use mcp_server::http::HttpConfig;

use crate::support::{connect, message, serve};

/// Asks over a connection of its own, with this as the target.
async fn ask(address: std::net::SocketAddr, target: &str, body: String) -> Response<Bytes> {
    let io = TokioIo::new(connect(address).await);
    let (mut sender, connection) = http2::handshake(TokioExecutor::new(), io).await.unwrap();
    tokio::spawn(connection);
    let request = Request::post(target)
        .header("content-type", "application/json")
        .header("mcp-protocol-version", "2026-07-28")
        // Over HTTP/2 nobody trims a value before it comes here.
        .header("mcp-method", "\ttools/list ")
        .body(Full::new(Bytes::from(body)))
        .unwrap();
    let (head, body) = sender.send_request(request).await.unwrap().into_parts();
    Response::from_parts(head, body.collect().await.unwrap().to_bytes())
}

#[tokio::test]
async fn the_authority_is_the_host() {
    let served = serve(HttpConfig::new()).await;
    let response = ask(served.address, "http://localhost:1/mcp", message("tools/list")).await;
    assert_eq!(response.status(), 200, "{response:?}");
    let response = ask(served.address, "http://evil.example/mcp", message("tools/list")).await;
    assert_eq!(response.status(), 403);
    assert!(String::from_utf8_lossy(response.body()).contains("evil.example"));
    let named = serve(HttpConfig::new().allow_host("evil.example")).await;
    assert_eq!(ask(named.address, "http://evil.example/mcp", message("tools/list")).await.status(), 200);
}

#[tokio::test]
async fn a_long_body_ends_its_stream_alone() {
    let served = serve(HttpConfig::new()).await;
    let response = ask(served.address, "http://localhost/mcp", " ".repeat(1001)).await;
    assert_eq!(response.status(), 413);
    assert_eq!(response.headers().get("connection"), None);
}
