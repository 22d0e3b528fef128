//! How many requests there may be at once, and when one has ended.

use std::time::Duration;

use mcp_server::http::HttpConfig;
use tokio::io::AsyncWriteExt;

use crate::support::{connect, has_header, message, modern, read_until, request, say, serve, verdict};

#[tokio::test]
async fn who_comes_when_the_house_is_full_is_asked_to_come_again() {
    let config = HttpConfig::new().with_exchanges(1).with_retry_after(Duration::from_secs(7));
    let mut served = serve(config).await;
    let mut stream = connect(served.address).await;
    stream.write_all(request("POST", &modern("stream"), &message("stream")).as_bytes()).await.unwrap();
    read_until(&mut stream, "data: ").await;
    assert_eq!(served.front.exchanges(), 1, "a stream counts as long as it is open");
    let other = request("POST", &modern("tools/list"), &message("tools/list"));
    let response = say(served.address, &other).await;
    assert_eq!(verdict(&response), "503 -32603");
    assert!(has_header(&response, "retry-after: 7"), "{response}");
    drop(stream);
    assert_eq!(served.gone.recv().await, Some("post"));
    assert_eq!(verdict(&say(served.address, &other).await), "200 Modern");
    assert_eq!(served.front.exchanges(), 0);
}

#[tokio::test]
async fn a_request_ends_when_its_client_leaves() {
    let mut served = serve(HttpConfig::new()).await;
    let mut stream = connect(served.address).await;
    let ask = request("POST", &modern("wait"), &message("wait"));
    stream.write_all(ask.as_bytes()).await.unwrap();
    // Another connection is served meanwhile.
    let other = request("POST", &modern("tools/list"), &message("tools/list"));
    while served.echo.begun() == 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(verdict(&say(served.address, &other).await), "200 Modern");
    assert_eq!(served.gone.recv().await, Some("post"));
    drop(stream);
    assert_eq!(served.gone.recv().await, Some("post"));
    assert_eq!(served.front.exchanges(), 0);
}
