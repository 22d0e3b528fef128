//! Bodies that are too long, too slow or never whole.

use std::time::Duration;

use mcp_server::http::HttpConfig;
use tokio::io::AsyncWriteExt;

use crate::support::{connect, has_header, message, modern, read_all, read_until, request, say, serve, verdict};

/// The head of a request whose body comes in chunks.
fn in_chunks(more: &[(&str, &str)]) -> String {
    let head = request("POST", &[more, &[("Transfer-Encoding", "chunked")]].concat(), "");
    head.replace("Content-Length: 0\r\n", "")
}

#[tokio::test]
async fn a_body_that_says_that_it_is_too_long_is_not_read() {
    let served = serve(HttpConfig::new()).await;
    let [version, method] = modern("tools/list");
    // The client would keep the connection, and sends nothing of the body.
    let head = request("POST", &[version, method, ("Content-Length", "5368709120"), ("Connection", "keep-alive")], "");
    let response = say(served.address, head).await;
    assert_eq!(verdict(&response), "413 -32600");
    assert!(has_header(&response, "connection: close"), "{response}");
    assert_eq!(served.echo.begun(), 0);
}

#[tokio::test]
async fn a_body_without_an_end_is_cut() {
    let served = serve(HttpConfig::new()).await;
    let [version, method] = modern("tools/list");
    let head = in_chunks(&[version, method, ("Connection", "keep-alive")]);
    let mut stream = connect(served.address).await;
    stream.write_all(head.as_bytes()).await.unwrap();
    for _ in 0..11 {
        stream.write_all(format!("64\r\n{}\r\n", " ".repeat(100)).as_bytes()).await.unwrap();
    }
    let response = read_all(&mut stream).await;
    assert_eq!(verdict(&response), "413 -32600");
    assert!(has_header(&response, "connection: close"), "{response}");
    assert_eq!((served.echo.begun(), served.front.exchanges()), (0, 0));
}

#[tokio::test]
async fn a_body_of_exactly_the_limit_is_served() {
    let served = serve(HttpConfig::new()).await;
    let message = message("tools/list");
    let padded = |length: usize| format!("{message}{}", " ".repeat(length - message.len()));
    let asked = |length| say(served.address, request("POST", &modern("tools/list"), &padded(length)));
    assert_eq!(verdict(&asked(1000).await), "200 Modern");
    assert_eq!(verdict(&asked(1001).await), "413 -32600");
}

#[tokio::test]
async fn a_body_that_does_not_come_is_given_up() {
    let short = Duration::from_millis(50);
    let served = serve(HttpConfig::new().with_body_timeouts(short, Duration::from_secs(60))).await;
    let [version, method] = modern("tools/list");
    let head = request("POST", &[version, method, ("Content-Length", "500"), ("Connection", "keep-alive")], "{");
    let response = say(served.address, head).await;
    assert_eq!(verdict(&response), "408 -32600");
    assert!(has_header(&response, "connection: close"), "{response}");
    assert_eq!((served.echo.begun(), served.front.exchanges()), (0, 0));
}

#[tokio::test]
async fn a_body_that_is_cut_off_starts_nothing() {
    let served = serve(HttpConfig::new()).await;
    let [version, method] = modern("tools/list");
    let message = message("tools/list");
    let length = (message.len() + 1).to_string();
    let mut stream = connect(served.address).await;
    let cut = request("POST", &[version, method, ("Content-Length", &length)], &message);
    stream.write_all(cut.as_bytes()).await.unwrap();
    stream.shutdown().await.unwrap();
    read_all(&mut stream).await;
    assert_eq!((served.echo.begun(), served.front.exchanges()), (0, 0));
    let whole = say(served.address, request("POST", &[version, method], &message)).await;
    assert_eq!(verdict(&whole), "200 Modern");
}

#[tokio::test]
async fn a_body_in_pieces_is_one_message() {
    let served = serve(HttpConfig::new()).await;
    let [version, method] = modern("tools/list");
    let message = message("tools/list");
    let head = in_chunks(&[version, method]);
    let chunks: String = message.bytes().map(|byte| format!("1\r\n{}\r\n", char::from(byte))).collect();
    let response = say(served.address, format!("{head}{chunks}0\r\n\r\n")).await;
    assert_eq!(verdict(&response), "200 Modern");
}

#[tokio::test]
async fn a_connection_is_kept_from_one_request_to_the_next() {
    let served = serve(HttpConfig::new()).await;
    let [version, method] = modern("tools/list");
    let mut stream = connect(served.address).await;
    for _ in 0..3 {
        let request = request("POST", &[version, method, ("Connection", "keep-alive")], &message("tools/list"));
        stream.write_all(request.as_bytes()).await.unwrap();
        let response = read_until(&mut stream, "\"method\":\"tools/list\"}}").await;
        assert_eq!(verdict(&response), "200 Modern");
    }
    assert_eq!(served.echo.begun(), 3);
}
