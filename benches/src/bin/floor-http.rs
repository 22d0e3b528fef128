//! The floor over HTTP: hyper reads a request and its body, and the answer of the floor is written. It starts and ends
//! as [`announce`] says.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use anyhow::Result;
use benches::announce::announce;
use benches::floor;
use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use memchr::memmem;
use tokio::net::TcpListener;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    announce(listener.local_addr()?)?;
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service_fn(serve)));
    }
}

async fn serve(request: Request<Incoming>) -> hyper::Result<Response<Answer>> {
    if request.method() == Method::GET {
        return Ok(respond(StatusCode::OK, EVENTS, Answer::Stream(Bytes::from_static(b": open\n\n"))));
    }
    let body = request.into_body().collect().await?.to_bytes();
    if memmem::find(&body, LISTEN).is_some() {
        return Ok(respond(StatusCode::OK, EVENTS, Answer::Stream(Bytes::from_static(b"data: {}\n\n"))));
    }
    let mut answer = Vec::new();
    floor::answer(&body, &mut answer);
    let status = if answer.is_empty() { StatusCode::ACCEPTED } else { StatusCode::OK };
    Ok(respond(status, JSON, Answer::Whole(answer.into())))
}

fn respond(status: StatusCode, content: &'static str, body: Answer) -> Response<Answer> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content));
    response
}

enum Answer {
    Whole(Bytes),
    /// A stream on which nothing is said after its beginning.
    Stream(Bytes),
}

impl Body for Answer {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match &mut *self {
            Self::Stream(bytes) if bytes.is_empty() => Poll::Pending,
            Self::Whole(bytes) if bytes.is_empty() => Poll::Ready(None),
            Self::Whole(bytes) | Self::Stream(bytes) => Poll::Ready(Some(Ok(Frame::data(std::mem::take(bytes))))),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Self::Stream(_) => SizeHint::default(),
        }
    }
}

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
const LISTEN: &[u8] = br#""method":"subscriptions/listen""#;
