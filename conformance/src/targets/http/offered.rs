//! Finding out how a server can be spoken to.

use std::time::Duration;

use serde_json::{Value, json};

use super::Http;
use crate::{
    http::{Answer, Dialect, Site, Speech, Wire, WireError},
    scenario::Era,
    session::{initialize, request},
};

/// The ways in which the server at this site can be spoken to, each a column of the matrix.
///
/// A server that answers in none of them is excused from none of the usual ones: their cells run and fail.
pub async fn offered(site: &Site, patience: Duration) -> Vec<Http> {
    let mut dialects = Vec::new();
    let discover = request(Era::Modern, 1, "server/discover", json!({}));
    let hello = initialize(1, "2025-11-25");
    for (dialect, frame) in [(Dialect::Session, &hello), (Dialect::Json, &discover), (Dialect::Events, &discover)] {
        let Ok((answer, result)) = ask(site, dialect, frame, patience).await else { continue };
        let dialect = match dialect {
            Dialect::Session if answer.head.header("Mcp-Session-Id").is_none() => Dialect::Stateless,
            _ => dialect,
        };
        if answer.head.status == 200 && result.is_object() {
            dialects.push(dialect);
        }
    }
    if is_sse(site, patience).await {
        dialects.push(Dialect::Sse);
    }
    if dialects.is_empty() {
        dialects.extend([Dialect::Session, Dialect::Json, Dialect::Events]);
    }
    dialects.into_iter().map(|dialect| Http::running(site.clone(), dialect)).collect()
}

/// The response to a frame, and the result in it.
async fn ask(site: &Site, dialect: Dialect, frame: &Value, patience: Duration) -> Result<(Answer, Value), WireError> {
    let mut wire = Wire::open(site).await?.with_patience(patience);
    let speech = Speech::new(site.clone(), dialect);
    wire.send(&speech.post(frame.to_string().as_bytes())).await?;
    let head = wire.head().await?;
    if !head.is_events() {
        let answer = Answer { head, body: wire.body().await? };
        let frame = answer.json();
        return Ok((answer, frame["result"].clone()));
    }
    let mut result = Value::Null;
    while let Some(event) = wire.event().await? {
        let frame: Value = serde_json::from_str(&event.data).unwrap_or_default();
        if frame["id"] == 1 {
            result = frame["result"].clone();
            break;
        }
    }
    if let Some(id) = head.header("Mcp-Session-Id") {
        // Nothing is to be left of a question.
        speech.in_session(Some(id));
        let mut wire = Wire::open(site).await?.with_patience(patience);
        wire.send(&speech.delete()).await?;
        wire.answer().await?;
    }
    Ok((Answer { head, body: Vec::new() }, result))
}

/// Whether a GET is answered by the stream of 2024-11-05.
async fn is_sse(site: &Site, patience: Duration) -> bool {
    let first = async {
        let mut wire = Wire::open(site).await?.with_patience(patience);
        wire.send(&Speech::new(site.clone(), Dialect::Sse).get()).await?;
        let head = wire.head().await?;
        if head.status == 200 && head.is_events() { wire.event().await } else { Ok(None) }
    };
    matches!(first.await, Ok(Some(event)) if event.kind == "endpoint")
}
