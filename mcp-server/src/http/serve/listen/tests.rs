#![expect(clippy::unwrap_used, reason = "tests")]

use super::*;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use http_body::Frame;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::{Notify, Semaphore};
use tokio::task::JoinHandle;
use tokio::time::timeout;

const SETTINGS: Settings = Settings {
    connections: 2,
    idle: Duration::from_secs(60),
    write_stall: Some(Duration::from_secs(60)),
    retry_after: Duration::from_secs(7),
    header_bytes: 1000,
    streams: 10,
};

/// Each answer takes a permit: its head one, and its body one more.
#[derive(Clone)]
struct Gate {
    permits: Arc<Semaphore>,
    asked: Arc<Notify>,
}

/// A body that is whole when there is a permit for it.
struct Gated(Option<Pin<Box<dyn Future<Output = ()> + Send>>>);

impl Body for Gated {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let Some(wait) = &mut self.0 else { return Poll::Ready(None) };
        std::task::ready!(wait.as_mut().poll(cx));
        self.0 = None;
        Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(b"the end")))))
    }
}

impl Gate {
    fn take(&self) -> impl Future<Output = ()> + Send + use<> {
        let permits = Arc::clone(&self.permits);
        async move { permits.acquire().await.unwrap().forget() }
    }
}

impl Service<Request<Incoming>> for Gate {
    type Response = Response<Gated>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Gated>, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Request<Incoming>) -> Self::Future {
        let gate = self.clone();
        Box::pin(async move {
            gate.asked.notify_one();
            gate.take().await;
            Ok(Response::new(Gated(Some(Box::pin(gate.take())))))
        })
    }
}

struct Listening {
    address: SocketAddr,
    gate: Gate,
    stage: watch::Sender<Stage>,
    run: JoinHandle<()>,
}

async fn listening(settings: Settings) -> Listening {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let gate = Gate { permits: Arc::new(Semaphore::new(0)), asked: Arc::default() };
    let stage = watch::Sender::new(Stage::Open);
    let run = tokio::spawn(listen(listener, gate.clone(), settings, stage.subscribe()));
    Listening { address, gate, stage, run }
}

impl Listening {
    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    /// Makes a request and waits until it has arrived.
    async fn ask(&self) -> TcpStream {
        let mut stream = self.connect().await;
        stream.write_all(ASK).await.unwrap();
        self.gate.asked.notified().await;
        stream
    }

    async fn over(self) {
        timeout(Duration::from_secs(20), self.run).await.unwrap().unwrap();
    }
}

async fn read(stream: &mut TcpStream, wanted: &str) -> String {
    let mut read = String::new();
    while !read.contains(wanted) {
        let mut buffer = [0; 4096];
        let count = timeout(Duration::from_secs(20), stream.read(&mut buffer)).await.unwrap().unwrap();
        assert_ne!(count, 0, "the connection ended after {read:?}");
        read.push_str(std::str::from_utf8(&buffer[..count]).unwrap());
    }
    read
}

/// Reads to the end of the connection, however that comes.
async fn read_all(stream: &mut TcpStream) -> String {
    let mut read = Vec::new();
    drop(timeout(Duration::from_secs(20), stream.read_to_end(&mut read)).await.unwrap());
    String::from_utf8(read).unwrap()
}

const ASK: &[u8] = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

#[tokio::test]
async fn a_drain_ends_idle_connections_at_once_and_others_with_their_answers() {
    let listening = listening(SETTINGS).await;
    let mut idle = listening.ask().await;
    listening.gate.permits.add_permits(2);
    read(&mut idle, "the end\r\n0\r\n\r\n").await;
    let mut busy = listening.ask().await;
    listening.stage.send_replace(Stage::Draining);
    assert_eq!(read_all(&mut idle).await, "");
    assert!(TcpStream::connect(listening.address).await.is_err(), "nobody listens any more");
    assert!(!listening.run.is_finished());
    listening.gate.permits.add_permits(2);
    let answer = read_all(&mut busy).await;
    assert!(answer.contains("connection: close") && answer.contains("the end"), "{answer}");
    listening.over().await;
}

#[tokio::test]
async fn a_silent_connection_does_not_hold_up_the_end() {
    let listening = listening(SETTINGS).await;
    let mut silent = listening.connect().await;
    let mut asked = listening.ask().await;
    listening.stage.send_replace(Stage::Draining);
    assert_eq!(read_all(&mut silent).await, "");
    listening.gate.permits.add_permits(2);
    read_all(&mut asked).await;
    listening.over().await;
}

#[tokio::test]
async fn what_is_cut_ends_in_the_middle() {
    let listening = listening(SETTINGS).await;
    let mut before = listening.ask().await;
    let mut within = listening.ask().await;
    listening.gate.permits.add_permits(1);
    read(&mut before, "\r\n\r\n").await;
    listening.stage.send_replace(Stage::Draining);
    listening.stage.send_replace(Stage::Cut);
    assert_eq!(read_all(&mut before).await, "");
    assert_eq!(read_all(&mut within).await, "");
    listening.over().await;
}

#[tokio::test]
async fn who_finds_no_place_is_told_so() {
    let listening = listening(SETTINGS).await;
    let (first, _second) = (listening.ask().await, listening.ask().await);
    let mut third = listening.connect().await;
    third.write_all(ASK).await.unwrap();
    let answer = read_all(&mut third).await;
    assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
    assert!(answer.contains("retry-after: 7\r\n") && answer.contains("connection: close\r\n"), "{answer}");
    assert!(answer.contains(r#""reason":"overloaded""#), "{answer}");
    drop(first);
    // Its place is free as soon as its end was seen.
    let mut again = loop {
        let mut stream = listening.connect().await;
        stream.write_all(ASK).await.unwrap();
        tokio::select! {
            () = listening.gate.asked.notified() => break stream,
            answer = read_all(&mut stream) => assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}"),
        }
    };
    // Two are for the other one, which has waited for longer.
    listening.gate.permits.add_permits(4);
    read(&mut again, "the end").await;
}

#[tokio::test]
async fn who_sends_half_a_head_is_given_up() {
    let settings = Settings { idle: Duration::from_millis(50), ..SETTINGS };
    let listening = listening(settings).await;
    for begin in ["", "GET / HTTP/1.1\r\nHost: local"] {
        let mut stream = listening.connect().await;
        stream.write_all(begin.as_bytes()).await.unwrap();
        read_all(&mut stream).await;
    }
    listening.stage.send_replace(Stage::Draining);
    listening.over().await;
}

#[tokio::test]
async fn what_failed_for_one_connection_is_no_failure_of_the_listener() {
    assert!(is_of_one_connection(&io::ErrorKind::ConnectionAborted.into()));
    assert!(!is_of_one_connection(&io::Error::from_raw_os_error(24)), "too many open files");
}
