//! An exchange that says what it was given, served by hyper on a port of its own.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use bytes::Bytes;
use http::request::Parts;
use http::{Response, StatusCode};
use http_body::{Body, Frame};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use hyper_util::service::TowerToHyperService;
use mcp_server::Limits;
use mcp_server::http::{
    Exchange, Front, Get, HttpConfig, Post, SessionId, accepted, event_stream, json_response, write_event,
};
use mcp_types::jsonrpc::{Message, Scanned, write_result};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

pub(crate) type EchoBody = UnsyncBoxBody<Bytes, Infallible>;

/// Answers with what it was given. `wait` is never answered, and `stream` by a stream that never ends.
#[derive(Clone, Debug)]
pub(crate) struct Echo {
    begun: Arc<AtomicUsize>,
    gone: UnboundedSender<&'static str>,
}

/// Tells of its end.
struct Guard {
    what: &'static str,
    gone: UnboundedSender<&'static str>,
}

impl Drop for Guard {
    fn drop(&mut self) {
        // A test may have ended before, and then nobody listens.
        self.gone.send(self.what).ok();
    }
}

/// One event, and then silence.
struct Open {
    event: Option<Bytes>,
    _guard: Guard,
}

impl Body for Open {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.event.take().map_or(Poll::Pending, |event| Poll::Ready(Some(Ok(Frame::data(event)))))
    }
}

impl Echo {
    fn guard(&self, what: &'static str) -> Guard {
        self.begun.fetch_add(1, Ordering::Relaxed);
        Guard { what, gone: self.gone.clone() }
    }

    /// How much was handed over.
    pub(crate) fn begun(&self) -> usize {
        self.begun.load(Ordering::Relaxed)
    }
}

impl Exchange for Echo {
    type Body = EchoBody;
    type Future = Pin<Box<dyn Future<Output = Response<EchoBody>> + Send>>;

    fn post(&self, _: Parts, post: Post<'_>) -> Self::Future {
        let Scanned::Message(Message::Request(request)) = &post.message else {
            let _guard = self.guard("note");
            return Box::pin(std::future::ready(accepted().map(full)));
        };
        let guard = self.guard("post");
        if request.method == "wait" {
            return Box::pin(async move {
                let _guard = guard;
                std::future::pending().await
            });
        }
        let mut answer = Vec::new();
        let place = serde_json::json!({"place": format!("{:?}", post.place), "method": request.method});
        write_result(&mut answer, &request.id, place.to_string().as_bytes());
        let response = if request.method == "stream" || !post.acceptable.json() {
            let mut event = Vec::new();
            write_event(&mut event, None, &answer);
            event_stream(Open { event: Some(event.into()), _guard: guard }.boxed_unsync())
        } else {
            json_response(StatusCode::OK, answer).map(full)
        };
        Box::pin(std::future::ready(response))
    }

    fn get(&self, _: Parts, get: Get) -> Self::Future {
        let _guard = self.guard("get");
        Box::pin(std::future::ready(event_stream(full(Bytes::from(format!(": {:?}\n\n", get.after))))))
    }

    fn delete(&self, _: Parts, _: SessionId) -> Self::Future {
        let _guard = self.guard("delete");
        Box::pin(std::future::ready(json_response(StatusCode::OK, "{}").map(full)))
    }

    fn open_sse(&self, _: Parts) -> Self::Future {
        let _guard = self.guard("open");
        Box::pin(std::future::ready(event_stream(full(Bytes::from_static(b": open\n\n")))))
    }

    fn post_sse(&self, _: Parts, _: SessionId, _: &Bytes) -> Self::Future {
        let _guard = self.guard("message");
        Box::pin(std::future::ready(accepted().map(full)))
    }
}

fn full(bytes: Bytes) -> EchoBody {
    Full::new(bytes).boxed_unsync()
}

/// A server that runs.
pub(crate) struct Served {
    pub(crate) address: SocketAddr,
    pub(crate) front: Front<Echo>,
    pub(crate) echo: Echo,
    /// What has ended, one by one.
    pub(crate) gone: UnboundedReceiver<&'static str>,
}

pub(crate) async fn serve(config: HttpConfig) -> Served {
    let mut limits = Limits::default();
    limits.http_body = 1000;
    let (sender, gone) = unbounded_channel();
    let echo = Echo { begun: Arc::default(), gone: sender };
    let front = Front::new(echo.clone(), config, &limits);
    let address = serve_tower(front.clone()).await;
    Served { address, front, echo, gone }
}

/// Serves any service by hyper, over HTTP/1.1 and HTTP/2 as the client wishes.
pub(crate) async fn serve_tower<S, B>(service: S) -> SocketAddr
where
    S: tower_service::Service<http::Request<hyper::body::Incoming>, Response = Response<B>, Error = Infallible>
        + Clone
        + Send
        + 'static,
    S::Future: Send,
    B: Body<Data = Bytes, Error: std::error::Error + Send + Sync> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let service = TowerToHyperService::new(service.clone());
            tokio::spawn(async move {
                // A client that leaves is an error here and no failure of the test.
                drop(auto::Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(stream), service).await);
            });
        }
    });
    address
}

pub(crate) async fn connect(address: SocketAddr) -> TcpStream {
    TcpStream::connect(address).await.unwrap()
}

/// Sends bytes and reads until the server ends the connection.
pub(crate) async fn say(address: SocketAddr, bytes: impl AsRef<[u8]>) -> String {
    let mut stream = connect(address).await;
    stream.write_all(bytes.as_ref()).await.unwrap();
    read_all(&mut stream).await
}

pub(crate) async fn read_all(stream: &mut TcpStream) -> String {
    let mut read = Vec::new();
    // A server that ends a connection with bytes unread resets it after its answer.
    drop(stream.read_to_end(&mut read).await);
    String::from_utf8(read).unwrap()
}

/// Reads until this has come.
pub(crate) async fn read_until(stream: &mut TcpStream, wanted: &str) -> String {
    let mut read = String::new();
    let mut buffer = [0; 4096];
    while !read.contains(wanted) {
        let count = stream.read(&mut buffer).await.unwrap();
        assert_ne!(count, 0, "the connection ended after {read:?}");
        read.push_str(std::str::from_utf8(&buffer[..count]).unwrap());
    }
    read
}

/// A request whose connection ends with its answer. Headers of the same name replace these.
pub(crate) fn request(method: &str, more: &[(&str, &str)], body: &str) -> String {
    let length = body.len().to_string();
    #[rustfmt::skip]
    let usual = [
        ("Host", "localhost"),
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
        ("Connection", "close"),
        ("Content-Length", &*length),
    ];
    let mut text = format!("{method} /mcp HTTP/1.1\r\n");
    let usual = usual.iter().filter(|(name, _)| !more.iter().any(|(other, _)| other.eq_ignore_ascii_case(name)));
    for (name, value) in usual.chain(more) {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    format!("{text}\r\n{body}")
}

/// The headers of a modern request of this method.
pub(crate) fn modern(method: &str) -> [(&str, &str); 2] {
    [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", method)]
}

/// A modern request of this method.
pub(crate) fn message(method: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
    )
}

/// What a response says: status, code of its error if it has one, otherwise its body.
pub(crate) fn verdict(response: &str) -> String {
    let status = response.get(9..12).unwrap_or("no answer");
    let body = response.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    match serde_json::from_str::<serde_json::Value>(body) {
        Ok(json) if json["error"].is_object() => {
            assert!(has_header(response, "content-type: application/json"), "{response}");
            assert_eq!(json["jsonrpc"], "2.0");
            format!("{status} {}", json["error"]["code"])
        }
        Ok(json) if json["result"].is_object() => format!("{status} {}", json["result"]["place"].as_str().unwrap()),
        _ => status.to_owned(),
    }
}

pub(crate) fn has_header(response: &str, line: &str) -> bool {
    let head = response.split_once("\r\n\r\n").map_or(response, |(head, _)| head);
    head.lines().any(|of| of.eq_ignore_ascii_case(line))
}
