//! What a script does that speaks to a server in requests of HTTP.

use std::{sync::Arc, time::Duration};

use serde_json::Value;

use super::{Session, Talk};
use crate::{
    frames::Direction,
    http::{Answer, Head, Request, Speech, Wire},
    scenario::{Ledger, Stop},
};

impl Session {
    /// The same client in requests of HTTP, of which the script makes what it likes.
    ///
    /// # Errors
    /// Stops the script when the connection is not over HTTP; scenarios name the transports instead.
    pub fn http(&self) -> Result<Requests, Stop> {
        let speech = self.connection.speech().ok_or_else(|| Stop("the connection is not over HTTP".to_owned()))?;
        Ok(Requests {
            speech: speech.clone(),
            ledger: Arc::clone(&self.ledger),
            number: self.number,
            patience: self.patience,
        })
    }

    /// The server's process.
    ///
    /// # Errors
    /// Stops the script when there is none; scenarios name the need instead.
    pub fn process(&self) -> Result<u32, Stop> {
        self.connection.process().ok_or_else(|| Stop("the server has no process that is known".to_owned()))
    }
}

/// A client as requests of HTTP.
#[derive(Debug, Clone)]
pub struct Requests {
    speech: Speech,
    ledger: Arc<Ledger>,
    number: usize,
    pub(super) patience: Duration,
}

impl Requests {
    /// What the client knows of the conversation.
    pub const fn speech(&self) -> &Speech {
        &self.speech
    }

    /// Another client, which knows nothing of this one's session.
    #[must_use]
    pub fn anew(&self) -> Self {
        Self { speech: self.speech.anew(), ..self.clone() }
    }

    /// The POST of a frame, as a right client sends it.
    pub fn post(&self, frame: &Value) -> Request {
        self.speech.post(frame.to_string().as_bytes())
    }

    /// The POST of a text, as a right client would send it if it were a frame.
    pub fn post_text(&self, text: impl AsRef<[u8]>) -> Request {
        self.speech.post(text.as_ref())
    }

    /// The GET for a stream of the session.
    pub fn get(&self) -> Request {
        self.speech.get()
    }

    /// The GET that continues a stream after this event.
    pub fn resume(&self, last: &str) -> Request {
        self.speech.get().adding("Last-Event-ID", last)
    }

    /// The DELETE of the session.
    pub fn delete(&self) -> Request {
        self.speech.delete()
    }

    /// Opens a connection.
    ///
    /// # Errors
    /// Stops the script when nobody listens.
    pub async fn connect(&self) -> Result<Talk, Stop> {
        let wire = Wire::open(self.speech.site()).await?.with_patience(self.patience);
        Ok(Talk { wire, requests: self.clone() })
    }

    /// Sends a request on a connection of its own.
    ///
    /// # Errors
    /// Stops the script when it cannot be sent.
    pub async fn send(&self, request: &Request) -> Result<Talk, Stop> {
        let mut talk = self.connect().await?;
        talk.send(request).await?;
        Ok(talk)
    }

    /// Sends a request on a connection of its own, and reads the whole response.
    ///
    /// # Errors
    /// Stops the script when there is none.
    pub async fn ask(&self, request: &Request) -> Result<Answer, Stop> {
        self.send(request).await?.answer().await
    }

    /// Sends a request on a connection of its own, and waits for the frame that answers `id`, in whichever form.
    ///
    /// # Errors
    /// Stops the script when it does not come.
    pub async fn answer_to(&self, request: &Request, id: impl Into<Value>) -> Result<Value, Stop> {
        self.send(request).await?.answer_to(id).await
    }

    /// Opens the session by the handshake for this revision, and gives the response to `initialize`.
    ///
    /// # Errors
    /// Stops the script when that is refused.
    pub async fn initialize(&self, revision: &str) -> Result<Head, Stop> {
        let mut talk = self.send(&self.post(&super::initialize("open", revision))).await?;
        let head = talk.head().await?;
        let answer = talk.frame_for("open", &head).await?;
        if head.status != 200 || answer["result"]["protocolVersion"] != revision {
            return Err(Stop(format!("the handshake for {revision} was answered {} {answer}", head.status)));
        }
        self.speech.in_session(head.header("Mcp-Session-Id"));
        self.speech.agreed(revision);
        self.ask(&self.post(&super::notification("notifications/initialized"))).await?;
        Ok(head)
    }

    pub(super) fn log(&self, direction: Direction, text: &str) {
        self.ledger.frames.add(self.number, direction, text);
    }
}
