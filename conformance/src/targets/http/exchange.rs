//! One POST, from its request to the end of its response.

use std::{sync::Arc, time::Duration};

use serde_json::Value;
use tokio::sync::oneshot;

use super::{
    stream::{self, Client, FOR_EVER},
    verdict,
};
use crate::{
    golden,
    http::{Answer, Dialect, Head, Kind, Outline, Request, Wire, WireError},
    target::Received,
};

/// A message on its way.
pub(super) struct Exchange {
    pub(super) client: Arc<Client>,
    pub(super) outline: Outline,
    pub(super) request: Request,
    /// Told when the server has begun to answer: then it has received the message.
    pub(super) begun: Option<oneshot::Sender<()>>,
    /// Whether an answer has come.
    pub(super) is_answered: bool,
}

impl Exchange {
    pub(super) async fn run(mut self) {
        if let Err(error) = self.carry().await {
            self.client.note(format!("{}: {error}", self.outline)).await;
        }
    }

    async fn carry(&mut self) -> Result<(), WireError> {
        let awaited = match (self.client.speech.dialect(), self.outline.kind, self.outline.ids.first()) {
            (Dialect::Sse, Kind::Request, Some(id)) => Some(self.client.awaits(id)),
            _ => None,
        };
        let client = Arc::clone(&self.client);
        let _door = if self.outline.is_answered() { None } else { client.door().await };
        let mut wire = Wire::open(self.client.speech.site()).await?.with_patience(FOR_EVER);
        wire.send(&self.request).await?;
        self.client.took(self.request.body().len() + 1);
        let head = wire.head().await?;
        self.learn(&head);
        if head.is_events() && head.status == 200 {
            self.begun.take();
            return self.events(wire).await;
        }
        let body = wire.body().await?;
        // 2024-11-05 does not say by which status a message is accepted, nor what stands in the body.
        let is_sse = self.client.speech.dialect() == Dialect::Sse;
        let accepted = matches!(head.status, 202 | 204) && body.is_empty() || is_sse && head.status < 300;
        self.agree(&serde_json::from_slice(&body).unwrap_or_default());
        self.begun.take();
        if !accepted {
            self.whole(Answer { head, body }).await;
        } else if let Some(awaited) = awaited {
            // Gone when the request was cancelled: then nothing comes.
            drop(awaited.await);
        } else if self.outline.is_answered() {
            self.client.note(format!("{}: {}", self.outline, head.status)).await;
        }
        Ok(())
    }

    /// Takes the session from the answer to `initialize`.
    fn learn(&self, head: &Head) {
        if self.is_opening() && head.status == 200 {
            self.client.speech.in_session(head.header("Mcp-Session-Id"));
        }
    }

    /// Takes the revision from the answer to `initialize`.
    fn agree(&self, frame: &Value) {
        if self.is_opening()
            && let Some(version) = frame["result"]["protocolVersion"].as_str()
        {
            self.client.speech.agreed(version);
        }
    }

    fn is_opening(&self) -> bool {
        self.outline.method.as_deref() == Some("initialize")
    }

    /// A response that is one body.
    async fn whole(&mut self, answer: Answer) {
        let status = answer.head.status;
        if !self.outline.is_answered() {
            let summary = answer.summary();
            return match status {
                400..500 => self.client.note(format!("{}: {summary}", self.outline)).await,
                _ => self.wrong(&format!("is answered {summary}")).await,
            };
        }
        if !answer.head.is_json() || !matches!(status, 200 | 400..=599) {
            return self.wrong(&format!("is answered {}", answer.summary())).await;
        }
        if status == 200 && self.client.speech.dialect() == Dialect::Events {
            return self.wrong("is answered with JSON, which was not accepted").await;
        }
        if status != 200 {
            self.client.note(format!("{}: {status}", self.outline)).await;
        }
        self.frame(status, String::from_utf8_lossy(&answer.body).into_owned()).await;
    }

    /// A response that is a stream; and those that continue it when it breaks off.
    async fn events(&mut self, mut wire: Wire) -> Result<(), WireError> {
        let mut last = None;
        let mut wait = Duration::ZERO;
        let mut is_first = true;
        loop {
            let ended = loop {
                match wire.event().await {
                    Ok(Some(event)) => {
                        last = event.id.clone().or(last);
                        wait = event.retry.map_or(wait, Duration::from_millis);
                        if let Some(text) = stream::message(event) {
                            self.frame(200, text).await;
                            if std::mem::take(&mut is_first) && self.is_answered && self.wants_json() {
                                self.wrong("is answered with events, where nothing came before the answer").await;
                            }
                        }
                    }
                    ended => break ended.map(drop),
                }
            };
            let Some(id) = last.take().filter(|_| !self.is_answered && !self.client.is_cancelled(&self.outline.ids))
            else {
                return ended;
            };
            self.client.note(format!("{}: the stream is continued after {id}", self.outline)).await;
            tokio::time::sleep(wait).await;
            let request = self.client.speech.get().adding("Last-Event-ID", &id);
            match stream::open(&self.client, &request).await {
                Ok(Some(next)) => wire = next,
                Ok(None) => return self.lost("the server does not continue it").await,
                Err(why) => return self.lost(&why).await,
            }
        }
    }

    /// Whether the server has promised to answer with JSON where it can.
    fn wants_json(&self) -> bool {
        self.client.strict && self.client.speech.dialect() == Dialect::Json
    }

    async fn lost(&self, why: &str) -> Result<(), WireError> {
        self.client.note(format!("{}: the stream is lost: {why}", self.outline)).await;
        Ok(())
    }

    async fn frame(&mut self, status: u16, text: String) {
        let frame: Value = serde_json::from_str(&text).unwrap_or_default();
        let answers = frame.is_array() || self.outline.ids.iter().any(|id| golden::is_answer_to(&frame, id));
        self.agree(&frame);
        if let Some(why) = verdict::wrong_status(self.client.speech.dialect(), status, &frame) {
            self.wrong(&why).await;
        }
        self.is_answered |= answers;
        self.client.frame(text).await;
    }

    async fn wrong(&self, why: &str) {
        self.client.hear(Received::Wrong(format!("{}: {why}", self.outline))).await;
    }
}
