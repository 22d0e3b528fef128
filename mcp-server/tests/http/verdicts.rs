//! One request, one exact answer.

use mcp_server::http::HttpConfig;

use crate::support::{has_header, message, modern, request, say, serve, verdict};

const SESSION: &str = "0123456789abcdef0123456789abcdef";

#[tokio::test]
async fn each_request_has_one_answer() {
    let served = serve(HttpConfig::new()).await;
    let list = message("tools/list");
    let with = |more: &[(&'static str, &'static str)]| [&modern("tools/list"), more].concat();
    let post = |more: &[(&'static str, &'static str)]| request("POST", &with(more), &list);
    let old = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    let in_session = format!("Session {{ id: SessionId({}…), version: None }}", &SESSION[..8]);
    #[rustfmt::skip]
    let rows: Vec<(String, String)> = vec![
        (post(&[]),                                                     "200 Modern".into()),
        (post(&[("Content-Type", "Application/JSON; charset=\"UTF-8\"")]), "200 Modern".into()),
        (post(&[("Accept", "application/json")]),                       "200 Modern".into()),
        (post(&[("Accept", "*/*")]),                                    "200 Modern".into()),
        (post(&[("Accept", "text/html")]),                              "406 -32600".into()),
        (post(&[("Accept", "application/json;q=0, text/event-stream;q=0")]), "406 -32600".into()),
        (post(&[("Content-Type", "text/plain")]),                       "415 -32600".into()),
        (post(&[("Content-Encoding", "gzip")]),                         "415 -32600".into()),
        (post(&[("Host", "evil.example")]),                             "403 -32600".into()),
        (post(&[("Host", "")]),                                         "403 -32600".into()),
        (post(&[("Host", "[::1]:1")]),                                  "200 Modern".into()),
        (post(&[("Origin", "http://evil.example")]),                    "403 -32600".into()),
        (post(&[("Origin", "null")]),                                   "403 -32600".into()),
        (post(&[("Origin", "http://localhost:5173")]),                  "200 Modern".into()),
        (post(&[("Mcp-Name", "what ever")]),                            "200 Modern".into()),
        (request("POST", &[("MCP-PROTOCOL-version", " \t2026-07-28\t "), ("mcp-method", "  tools/list")], &list), "200 Modern".into()),
        (request("POST", &[("MCP-Protocol-Version", "2026-07-28")], &list), "400 -32020".into()),
        (request("POST", &modern("tools/call"), &list),                 "400 -32020".into()),
        (request("POST", &modern("tools/list"), old),                   "400 -32602".into()),
        (request("POST", &modern("tools/list"), ""),                    "400 -32700".into()),
        (request("POST", &modern("tools/list"), "{"),                   "400 -32700".into()),
        (request("POST", &modern("tools/list"), "[]"),                  "400 -32600".into()),
        (request("POST", &modern("x"), r#"{"jsonrpc":"2.0","method":"x"}"#), "202".into()),
        (request("POST", &modern("x"), r#"{"jsonrpc":"2.0","id":1,"result":{}}"#), "400 -32600".into()),
        (request("POST", &[], r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#), "200 Opening".into()),
        (request("POST", &[("Mcp-Session-Id", SESSION)], old),          format!("200 {in_session}")),
        (request("POST", &[], old),                                     "400 -32600".into()),
        (request("POST", &[("Mcp-Session-Id", "stale")], old),          "404 -32600".into()),
        (request("GET", &[("Mcp-Session-Id", SESSION)], ""),            "200".into()),
        (request("GET", &[("Mcp-Session-Id", SESSION), ("Last-Event-ID", "garbage")], ""), "400 -32600".into()),
        (request("GET", &[("Mcp-Session-Id", SESSION), ("Accept", "application/json")], ""), "406 -32600".into()),
        (request("GET", &modern("x"), ""),                              "405 -32600".into()),
        (request("DELETE", &[("Mcp-Session-Id", SESSION)], ""),         "200".into()),
        (request("DELETE", &[], ""),                                    "400 -32600".into()),
        (request("PUT", &[], ""),                                       "405 -32600".into()),
        (request("OPTIONS", &[("Origin", "http://localhost")], ""),     "405 -32600".into()),
    ];
    for (request, expected) in rows {
        let response = say(served.address, &request).await;
        assert_eq!(verdict(&response), expected, "{request}\n\n{response}");
    }
    assert_eq!(served.front.exchanges(), 0);
}

#[tokio::test]
async fn refusals_carry_what_the_client_has_to_know() {
    let served = serve(HttpConfig::new()).await;
    let list = message("tools/list");
    let [version, method] = modern("tools/list");
    let refused = say(served.address, request("POST", &[version, method, ("Host", "svc:8080")], &list)).await;
    assert!(refused.contains(r#"Host \"svc:8080\" is not allowed"#), "{refused}");
    assert!(refused.contains("HttpConfig::allow_host"), "{refused}");
    // The revision lets the id be left out, so it is.
    assert!(refused.contains(r#"{"jsonrpc":"2.0","error":"#), "{refused}");
    let refused = say(served.address, request("PATCH", &[], "")).await;
    assert!(has_header(&refused, "allow: GET, POST, DELETE"), "{refused}");
    let refused = say(served.address, request("GET", &[version], "")).await;
    assert!(has_header(&refused, "allow: POST"), "{refused}");
}

#[tokio::test]
async fn who_takes_events_alone_gets_events() {
    let mut served = serve(HttpConfig::new()).await;
    let [version, method] = modern("tools/list");
    let request = request("POST", &[version, method, ("Accept", "text/event-stream")], &message("tools/list"));
    let mut stream = crate::support::connect(served.address).await;
    tokio::io::AsyncWriteExt::write_all(&mut stream, request.as_bytes()).await.unwrap();
    let response = crate::support::read_until(&mut stream, "\n\n\r\n").await;
    for line in ["content-type: text/event-stream", "cache-control: no-cache", "x-accel-buffering: no"] {
        assert!(has_header(&response, line), "{response}");
    }
    assert!(response.contains("data: {\"jsonrpc\""), "{response}");
    drop(stream);
    assert_eq!(served.gone.recv().await, Some("post"));
}
