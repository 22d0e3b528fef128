//! Listening on a port, to the end.

use std::net::SocketAddr;
use std::time::Duration;

use mcp_server::http::{HttpConfig, HttpHandle};
use mcp_server::{Report, ServeError, Server};
use mcp_session::engine::{By, Close, Reason};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use crate::rig::{Rig, call, initialize};
use crate::support::{connect, has_header, read_all, read_until, request};

const DRAIN: Close = Close::Drain { within: None };

struct Serving {
    rig: Rig,
    address: SocketAddr,
    handle: HttpHandle,
    run: JoinHandle<Result<Report, ServeError>>,
}

async fn serving(set: impl FnOnce(Server) -> Server) -> Serving {
    let rig = Rig::with(HttpConfig::new().with_path("/mcp"), set);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (service, handle) = (rig.service.clone(), rig.service.handle());
    Serving { rig, address, handle, run: tokio::spawn(service.serve(listener)) }
}

impl Serving {
    /// Makes a modern call on a connection that is kept, and waits until the tool runs.
    async fn call(&self, tool: &str) -> TcpStream {
        let mut stream = connect(self.address).await;
        stream.write_all(self.request(tool).as_bytes()).await.unwrap();
        self.rig.shared.started.notified().await;
        stream
    }

    fn request(&self, tool: &str) -> String {
        let mut message = call(1, tool);
        message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
        message["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = serde_json::json!({});
        let version = ("MCP-Protocol-Version", "2026-07-28");
        let headers = [version, ("Mcp-Method", "tools/call"), ("Mcp-Name", tool), ("Connection", "keep-alive")];
        request("POST", &headers, &message.to_string())
    }

    async fn over(self) -> Report {
        tokio::time::timeout(Duration::from_secs(20), self.run).await.unwrap().unwrap().unwrap()
    }
}

#[tokio::test]
async fn an_end_waits_for_what_is_under_way() {
    let serving = serving(|server| server).await;
    let mut idle = connect(serving.address).await;
    idle.write_all(serving.request("echo").as_bytes()).await.unwrap();
    read_until(&mut idle, "\"echo\"").await;
    let mut waits = serving.call("wait").await;
    let mut counts = serving.call("count").await;
    read_until(&mut counts, "\"progress\":1").await;
    drop(serving.handle.end(DRAIN, By::Signal(15)));
    assert_eq!(read_all(&mut idle).await, "", "an idle connection ends at once");
    assert!(TcpStream::connect(serving.address).await.is_err());
    serving.rig.shared.go.0.add_permits(2);
    assert!(read_all(&mut waits).await.contains("waited"));
    assert!(read_all(&mut counts).await.ends_with("\n\n\r\n0\r\n\r\n"), "a stream ends as one");
    let report = serving.over().await;
    assert_eq!((report.reason, report.signal, report.exit_code()), (Reason::Signalled, Some(15), 0));
    assert_eq!((report.tally.received, report.tally.answered, report.tally.drained), (3, 3, 2));
}

#[tokio::test]
async fn what_does_not_end_in_time_is_cut_off_and_named() {
    let serving = serving(|server| server.with_drain(Some(Duration::from_millis(50)))).await;
    let mut waits = serving.call("wait").await;
    let mut counts = serving.call("count").await;
    drop(serving.handle.close());
    assert!(read_all(&mut waits).await.contains("503"));
    assert!(!read_all(&mut counts).await.contains("counted"));
    assert_eq!(serving.rig.shared.alive(), 0);
    let report = serving.over().await;
    assert_eq!((report.reason, report.exit_code()), (Reason::DeadlinePassed, 1));
    assert_eq!(report.tally.cut_off.len(), 2, "{report:?}");
}

#[tokio::test]
async fn a_second_signal_does_not_wait() {
    let serving = serving(|server| server.with_drain(None)).await;
    let mut waits = serving.call("wait").await;
    drop(serving.handle.end(DRAIN, By::Signal(15)));
    drop(serving.handle.end(DRAIN, By::Signal(15)));
    read_all(&mut waits).await;
    let report = serving.over().await;
    assert_eq!((report.reason, report.exit_code()), (Reason::SignalledTwice, 143));
    assert_eq!(report.tally.cut_off.len(), 1);
}

#[tokio::test]
async fn sessions_drain_too() {
    let serving = serving(|server| server).await;
    let session = serving.rig.open("2025-11-25").await;
    let mut answer = session.ask(&call(1, "wait")).await;
    serving.rig.shared.started.notified().await;
    drop(serving.handle.close());
    let refused = serving.rig.ask(crate::rig::post(&[], &initialize("2025-11-25"))).await;
    assert_eq!(refused.status, 503);
    serving.rig.shared.go.0.add_permits(1);
    assert_eq!(crate::rig::text(&answer.message().await), "waited");
    drop(answer);
    let report = serving.run.await.unwrap().unwrap();
    assert_eq!((report.reason, report.tally.drained), (Reason::Closed, 1));
}

#[tokio::test]
async fn who_ends_its_side_after_a_modern_request_has_left() {
    let serving = serving(|server| server).await;
    let mut waits = serving.call("wait").await;
    waits.shutdown().await.unwrap();
    serving.rig.shared.stopped.notified().await;
    assert_eq!(serving.rig.shared.alive(), 0);
    drop(serving.handle.close());
    assert_eq!(serving.over().await.tally.cancelled, 1);
}

#[tokio::test]
async fn an_address_that_is_taken_is_an_error() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let error = Server::new("s", "1").serve_http(listener.local_addr().unwrap()).await.unwrap_err();
    assert!(matches!(error, ServeError::Io(_)), "{error:?}");
}

#[tokio::test]
async fn what_a_layer_answers_goes_out() {
    let rig = Rig::new(HttpConfig::new());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (service, handle) = (rig.service.clone(), rig.service.handle());
    let run = tokio::spawn(service.serve_within(listener, Named));
    let mut stream = connect(address).await;
    let mut message = call(1, "who");
    message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
    message["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = serde_json::json!({});
    let headers = [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/call"), ("Mcp-Name", "who")];
    stream.write_all(request("POST", &headers, &message.to_string()).as_bytes()).await.unwrap();
    let answer = read_all(&mut stream).await;
    assert!(answer.contains("\"anna\"") && has_header(&answer, "connection: close"), "{answer}");
    handle.close().await;
    run.await.unwrap().unwrap();
}

/// Says that everybody is Anna.
#[derive(Clone)]
struct Named(mcp_server::http::HttpService);

impl<B: http_body::Body> tower_service::Service<http::Request<B>> for Named {
    type Response = <mcp_server::http::HttpService as tower_service::Service<http::Request<B>>>::Response;
    type Error = std::convert::Infallible;
    type Future = <mcp_server::http::HttpService as tower_service::Service<http::Request<B>>>::Future;

    fn poll_ready(&mut self, _: &mut std::task::Context<'_>) -> std::task::Poll<Result<(), Self::Error>> {
        std::task::Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: http::Request<B>) -> Self::Future {
        request.extensions_mut().insert(mcp_server::Principal::named("anna"));
        self.0.call(request)
    }
}
