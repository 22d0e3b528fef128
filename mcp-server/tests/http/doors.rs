//! Who is let in, by the settings.

use mcp_server::http::HttpConfig;

use crate::support::{has_header, message, modern, request, say, serve, verdict};

async fn asked(config: HttpConfig, more: &[(&'static str, &'static str)]) -> String {
    let served = serve(config).await;
    let headers = [&modern("tools/list"), more].concat();
    verdict(&say(served.address, request("POST", &headers, &message("tools/list"))).await)
}

#[tokio::test]
async fn hosts_and_origins_are_let_in_by_the_settings() {
    let page = ("Origin", "https://app.example");
    let host = ("Host", "svc:8080");
    #[rustfmt::skip]
    let rows = [
        (HttpConfig::new(),                                         vec![host],         "403 -32600"),
        (HttpConfig::new().allow_host("svc:8080"),                  vec![host],         "200 Modern"),
        (HttpConfig::new().allow_any_host(),                        vec![host],         "200 Modern"),
        (HttpConfig::new().allow_any_host(),                        vec![host, page],   "403 -32600"),
        (HttpConfig::new().allow_host("svc").allow_origin("https://app.example"), vec![host, page], "200 Modern"),
        (HttpConfig::new().allow_any_host().allow_any_origin(),     vec![host, page],   "200 Modern"),
        (HttpConfig::new().allow_origin("null"),                    vec![("Origin", "null")], "200 Modern"),
        (HttpConfig::new().allow_origin("no origin"),               vec![("Origin", "no origin")], "403 -32600"),
    ];
    for (config, more, expected) in rows {
        assert_eq!(asked(config.clone(), &more).await, expected, "{config:?} {more:?}");
    }
}

#[tokio::test]
async fn one_path_is_served_when_one_is_set() {
    for (path, expected) in
        [("/mcp", "200 Modern"), ("/mcp/", "200 Modern"), ("/", "404 -32600"), ("/mcp/x", "404 -32600")]
    {
        let served = serve(HttpConfig::new().with_path("/mcp/")).await;
        let request = request("POST", &modern("tools/list"), &message("tools/list"));
        let request = request.replacen("/mcp", path, 1);
        assert_eq!(verdict(&say(served.address, request).await), expected, "{path}");
    }
}

#[tokio::test]
async fn a_server_of_the_modern_era_has_no_sessions() {
    let served = serve(HttpConfig::new().modern_only()).await;
    for method in ["GET", "DELETE", "OPTIONS"] {
        let session = [("Mcp-Session-Id", "0123456789abcdef0123456789abcdef")];
        let response = say(served.address, request(method, &session, "")).await;
        assert_eq!(verdict(&response), "405 -32600");
        assert!(has_header(&response, "allow: POST"), "{response}");
    }
    let initialize = request("POST", &[], r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#);
    assert_eq!(verdict(&say(served.address, initialize).await), "400 -32020");
    assert_eq!(served.echo.begun(), 0);
}

#[tokio::test]
async fn heads_have_a_size() {
    let served = serve(HttpConfig::new().with_header_bytes(500)).await;
    let long = "x".repeat(500);
    let [version, method] = modern("tools/list");
    let fits = request("POST", &[version, method], &message("tools/list"));
    assert_eq!(verdict(&say(served.address, fits).await), "200 Modern");
    let over = request("POST", &[version, method, ("X-Long", &long)], &message("tools/list"));
    assert_eq!(verdict(&say(served.address, over).await), "431 -32600");
    let over = request("POST", &[version, method], &message("tools/list")).replacen("/mcp", &format!("/mcp?{long}"), 1);
    assert_eq!(verdict(&say(served.address, over).await), "431 -32600");
}
