#![expect(clippy::unwrap_used, reason = "tests")]

use super::*;
use std::future::poll_fn;
use std::sync::Arc;

use http::HeaderMap;
use http::header::{ACCEPT, HeaderValue};
use http_body::Body;
use mcp_types::jsonrpc::ErrorCode;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use crate::http::journal::Journal;
use crate::http::session_id::SessionId;
use crate::http::sse::StreamId;
use crate::http::store::MemoryEvents;

/// Who asks, what it accepts, when a stream opens, what is said, and what comes of it.
type Row = (Era, &'static str, Opens, Vec<(&'static str, What)>, &'static str);

const BOTH: &str = "application/json, text/event-stream";
const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
const SILENCE: Duration = Duration::from_secs(15);

fn manner(era: Era, accept: &'static str, opens: Opens) -> Manner {
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT, HeaderValue::from_static(accept));
    let (keep_alive, retry_after) = (SILENCE, Duration::from_secs(7));
    let acceptable = Acceptable::of(&headers);
    let takes_events = acceptable.events();
    Manner { era, acceptable, takes_events, opens, keep_alive, retry_after, logged: None, session: None }
}

fn answering(manner: Manner, says: &[(&'static str, What)]) -> (UnboundedSender<Said>, impl Future<Output = String>) {
    let (to, exchange) = unbounded_channel();
    for (text, what) in says {
        to.send(Said { json: Bytes::from_static(text.as_bytes()), what: *what, place: None }).unwrap();
    }
    let answering = Answering::new(exchange, Id::from(1), http::Version::HTTP_11, manner);
    (to, answer(answering))
}

/// Status, what kind of body, and the body.
async fn answer<X: Says>(mut answering: Answering<X>) -> String {
    let response = poll_fn(|cx| answering.poll_response(cx)).await;
    let mut text = response.status().as_u16().to_string();
    if response.headers().get("content-type").is_some_and(|of| of == "text/event-stream") {
        text.push_str(" events");
    }
    if let Some(wait) = response.headers().get("retry-after") {
        text.push_str(&format!(" after {}", wait.to_str().unwrap()));
    }
    text.push('|');
    let mut body = std::pin::pin!(response.into_body());
    while let Some(frame) = poll_fn(|cx| body.as_mut().poll_frame(cx)).await {
        text.push_str(std::str::from_utf8(&frame.unwrap().into_data().unwrap()).unwrap());
    }
    text
}

#[tokio::test(start_paused = true)]
async fn one_object_or_a_stream() {
    use Era::{Legacy, Modern};
    use Opens::{AtOnce, WhenNotReady, WithFirst};
    const NOTE: (&str, What) = ("n", What::Note);
    const OK: (&str, What) = ("r", What::Answer(Terminal::Result));
    const fn error(code: ErrorCode) -> (&'static str, What) {
        ("e", What::Answer(Terminal::Error(code)))
    }
    let unknown = error(ErrorCode::METHOD_NOT_FOUND);
    let internal = error(ErrorCode::INTERNAL_ERROR);
    let later = ("{\"later\":1}", What::Answer(Terminal::Closing));
    let cut_off = r#"503|{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"the request was cut off: the server has ended"}}"#;
    #[rustfmt::skip]
    let rows: Vec<Row> = vec![
        (Modern, BOTH,   WithFirst,    vec![OK],             "200|r"),
        (Modern, BOTH,   WithFirst,    vec![NOTE, OK],       "200 events|data: n\n\ndata: r\n\n"),
        (Modern, JSON,   WithFirst,    vec![NOTE, OK],       "200|r"),
        (Modern, EVENTS, WithFirst,    vec![OK],             "200 events|data: r\n\n"),
        (Modern, EVENTS, WithFirst,    vec![internal],       "200 events|data: e\n\n"),
        (Modern, EVENTS, WithFirst,    vec![unknown],        "404|e"),
        (Modern, BOTH,   WithFirst,    vec![unknown],        "404|e"),
        (Modern, BOTH,   WithFirst,    vec![internal],       "200|e"),
        (Modern, BOTH,   WithFirst,    vec![NOTE, unknown],  "200 events|data: n\n\ndata: e\n\n"),
        (Modern, BOTH,   WithFirst,    vec![later],          "503 after 7|{\"later\":1}"),
        (Modern, BOTH,   WithFirst,    vec![],               cut_off),
        (Modern, BOTH,   AtOnce,       vec![NOTE, NOTE, OK], "200 events|data: n\n\ndata: n\n\ndata: r\n\n"),
        (Modern, BOTH,   AtOnce,       vec![],               "200 events|"),
        (Legacy, BOTH,   WhenNotReady, vec![OK],             "200|r"),
        (Legacy, BOTH,   WhenNotReady, vec![unknown],        "200|e"),
        (Legacy, BOTH,   WhenNotReady, vec![NOTE, OK],       "200 events|data: n\n\ndata: r\n\n"),
        (Legacy, BOTH,   WhenNotReady, vec![],               "200 events|"),
        (Legacy, JSON,   WhenNotReady, vec![],               "204|"),
        (Legacy, JSON,   WhenNotReady, vec![NOTE, OK],       "200|r"),
    ];
    for (era, accept, opens, says, expected) in rows {
        let (to, answer) = answering(manner(era, accept, opens), &says);
        drop(to);
        assert_eq!(answer.await, expected, "{era:?} {accept} {opens:?} {says:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn who_waits_long_gets_a_stream_that_shows_that_it_is_alive() {
    let start = Instant::now();
    let (to, answer) = answering(manner(Era::Modern, BOTH, Opens::WithFirst), &[]);
    let answer = tokio::spawn(answer);
    tokio::time::sleep(SILENCE * 5 / 2).await; // tidy: waits for one comment
    to.send(Said { json: Bytes::from_static(b"r"), what: What::Answer(Terminal::Result), place: None }).unwrap();
    drop(to);
    assert_eq!(answer.await.unwrap(), "200 events|:\n\ndata: r\n\n");
    assert_eq!(start.elapsed(), SILENCE * 5 / 2);
    // Who takes no events has to wait.
    let (to, answer) = answering(manner(Era::Modern, JSON, Opens::WithFirst), &[]);
    let answer = tokio::spawn(answer);
    tokio::time::sleep(SILENCE * 5 / 2).await; // tidy: waits for more than the patience of others
    to.send(Said { json: Bytes::from_static(b"r"), what: What::Answer(Terminal::Result), place: None }).unwrap();
    assert_eq!(answer.await.unwrap(), "200|r");
}

#[tokio::test]
async fn a_stream_that_is_logged_has_ids() {
    let journal = Arc::new(Journal::new(Arc::new(MemoryEvents::default()), SessionId::random().unwrap()));
    let logged = Logged::new(journal, StreamId(5), Duration::from_millis(10), 0);
    let manner = Manner { logged: Some(logged), ..manner(Era::Legacy, BOTH, Opens::AtOnce) };
    let (to, exchange) = unbounded_channel();
    let says = [("", What::Prime), ("n", What::Note), ("r", What::Answer(Terminal::Result))];
    for ((text, what), place) in says.into_iter().zip(1..) {
        to.send(Said { json: Bytes::from_static(text.as_bytes()), what, place: Some(place) }).unwrap();
    }
    drop(to);
    let answering = Answering::new(exchange, Id::from(1), http::Version::HTTP_11, manner);
    let expected = "200 events|retry: 10\n\nid: 5-1\ndata:\n\nid: 5-2\ndata: n\n\nid: 5-3\ndata: r\n\n";
    assert_eq!(answer(answering).await, expected);
}

#[tokio::test]
async fn a_session_is_named_in_the_response_that_begins_it() {
    let session = SessionId::random().unwrap();
    let (to, exchange) = unbounded_channel();
    let said = Said { json: Bytes::from_static(b"r"), what: What::Answer(Terminal::Result), place: None };
    to.send(said).unwrap();
    let manner = Manner { session: Some(session), ..manner(Era::Legacy, BOTH, Opens::WhenNotReady) };
    let mut answering = Answering::new(exchange, Id::from(1), http::Version::HTTP_11, manner);
    let response = poll_fn(|cx| answering.poll_response(cx)).await;
    assert_eq!(response.headers()["mcp-session-id"], session.to_string());
}
