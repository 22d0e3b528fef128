//! One connection of a script that speaks HTTP.

use std::time::{Duration, Instant};

use serde_json::Value;

use super::Requests;
use crate::{
    frames::Direction,
    golden,
    http::{Answer, Event, Head, Request, Wire, WireError},
    scenario::Stop,
};

/// One connection, with what is said on it for the record. Dropping it closes it (FIN).
#[derive(Debug)]
pub struct Talk {
    pub(super) wire: Wire,
    pub(super) requests: Requests,
}

impl Talk {
    /// Sends a request.
    ///
    /// # Errors
    /// Stops the script when it cannot be sent.
    pub async fn send(&mut self, request: &Request) -> Result<(), Stop> {
        self.requests.log(Direction::ToPeer, &request.summary());
        Ok(self.wire.send(request).await?)
    }

    /// Sends bytes.
    ///
    /// # Errors
    /// As [`Talk::send`].
    pub async fn write(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        self.requests.log(Direction::ToPeer, &String::from_utf8_lossy(bytes));
        Ok(self.wire.write(bytes).await?)
    }

    /// Sends bytes without a record of them.
    ///
    /// # Errors
    /// As [`Talk::send`].
    pub async fn write_silently(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        Ok(self.wire.write(bytes).await?)
    }

    /// Waits for the head of a response.
    ///
    /// # Errors
    /// Stops the script when none comes.
    pub async fn head(&mut self) -> Result<Head, Stop> {
        let head = self.wire.head().await?;
        self.requests.log(Direction::FromPeer, &format!("{} {}", head.status, head.media_type()));
        Ok(head)
    }

    /// Waits for a response and reads it to its end.
    ///
    /// # Errors
    /// As [`Talk::head`]; also when it is cut off.
    pub async fn answer(&mut self) -> Result<Answer, Stop> {
        let answer = self.answer_or_end().await?;
        Ok(answer)
    }

    /// The same, with the reason why there is none.
    ///
    /// # Errors
    /// Why there is none.
    pub async fn answer_or_end(&mut self) -> Result<Answer, WireError> {
        let answer = self.wire.answer().await?;
        self.requests.log(Direction::FromPeer, &answer.summary());
        Ok(answer)
    }

    /// Waits for the next event; `None` when the stream has ended as it should.
    ///
    /// # Errors
    /// Stops the script when nothing comes, or when the stream breaks off.
    pub async fn event(&mut self) -> Result<Option<Event>, Stop> {
        let event = self.wire.event().await?;
        let text = match &event {
            Some(event) => format!("event {}: {}", event.id.as_deref().unwrap_or("-"), event.data),
            None => "the stream ends".to_owned(),
        };
        self.requests.log(Direction::FromPeer, &text);
        Ok(event)
    }

    /// Waits for the next event with a message in it; `None` when the stream has ended as it should.
    ///
    /// # Errors
    /// As [`Talk::event`]; also when the message is no JSON.
    pub async fn message(&mut self) -> Result<Option<(Event, Value)>, Stop> {
        while let Some(event) = self.event().await? {
            if event.data.is_empty() {
                continue;
            }
            let frame = serde_json::from_str(&event.data);
            let frame = frame.map_err(|error| Stop(format!("an event is no JSON: {error}: {}", event.data)))?;
            return Ok(Some((event, frame)));
        }
        Ok(None)
    }

    /// All messages until the stream ends.
    ///
    /// # Errors
    /// As [`Talk::message`].
    pub async fn messages(&mut self) -> Result<Vec<Value>, Stop> {
        let mut messages = Vec::new();
        while let Some((_, frame)) = self.message().await? {
            messages.push(frame);
        }
        Ok(messages)
    }

    /// Waits for a response and in it for the frame that answers `id`, whether it is JSON or events.
    ///
    /// # Errors
    /// Stops the script when it does not come.
    pub async fn answer_to(&mut self, id: impl Into<Value>) -> Result<Value, Stop> {
        let head = self.head().await?;
        self.frame_for(id, &head).await
    }

    /// The same when the head has been read.
    ///
    /// # Errors
    /// Stops the script when it does not come.
    pub async fn frame_for(&mut self, id: impl Into<Value>, head: &Head) -> Result<Value, Stop> {
        let id = id.into();
        if !head.is_events() {
            let body = self.wire.body().await?;
            self.requests.log(Direction::FromPeer, &String::from_utf8_lossy(&body));
            return serde_json::from_slice(&body)
                .map_err(|error| Stop(format!("{} with a body that is no JSON: {error}", head.status)));
        }
        while let Some((_, frame)) = self.message().await? {
            if golden::is_answer_to(&frame, &id) {
                return Ok(frame);
            }
        }
        Err(Stop(format!("the stream ended without an answer to {id}")))
    }

    /// The next message of a response, whose head need not have come; `None` when the response ends, in whichever way.
    ///
    /// # Errors
    /// Stops the script when neither comes within this time.
    pub async fn frame_or_end(&mut self, patience: Duration) -> Result<Option<Value>, Stop> {
        self.wire.set_patience(patience);
        let came = self.frame_or_error().await;
        self.wire.set_patience(self.requests.patience);
        match came {
            Ok(frame) => {
                self.requests
                    .log(Direction::FromPeer, &frame.as_ref().map_or_else(|| "the end".to_owned(), Value::to_string));
                Ok(frame)
            }
            Err(error) if error.is_ended() => {
                self.requests.log(Direction::FromPeer, &error.to_string());
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn frame_or_error(&mut self) -> Result<Option<Value>, WireError> {
        let head = match self.wire.current() {
            Some(head) => head.clone(),
            None => self.wire.head().await?,
        };
        if !head.is_events() {
            let body = self.wire.body().await?;
            let frame = serde_json::from_slice(&body).ok();
            return Ok(frame);
        }
        while let Some(event) = self.wire.event().await? {
            if let Ok(frame) = serde_json::from_str(&event.data) {
                return Ok(Some(frame));
            }
        }
        Ok(None)
    }

    /// Reads what is left of a response, so that the next one can be read.
    ///
    /// # Errors
    /// Stops the script when it is cut off.
    pub async fn rest(&mut self) -> Result<(), Stop> {
        self.wire.body().await?;
        Ok(())
    }

    /// Whether a comment comes in the stream within this time, or has come already.
    ///
    /// # Errors
    /// Stops the script when the stream breaks off.
    pub async fn comment_within(&mut self, patience: Duration) -> Result<bool, Stop> {
        let deadline = Instant::now() + patience;
        while self.wire.comments() == 0 && Instant::now() < deadline {
            self.wire.set_patience(deadline.saturating_duration_since(Instant::now()));
            match self.wire.more_events().await {
                Ok(true) => {}
                Ok(false) | Err(WireError::TimedOut(_)) => break,
                Err(error) => return Err(error.into()),
            }
        }
        self.wire.set_patience(self.requests.patience);
        Ok(self.wire.comments() > 0)
    }

    /// The head of the response that is being read, or was read last.
    pub const fn current(&self) -> Option<&Head> {
        self.wire.current()
    }

    /// Changes how long each wait lasts at most.
    #[must_use]
    pub fn with_patience(mut self, patience: Duration) -> Self {
        self.wire = self.wire.with_patience(patience);
        self
    }

    /// Says that nothing more is written (FIN), and goes on reading.
    pub async fn end_writing(&mut self) {
        self.requests.log(Direction::Event, "nothing more is written");
        self.wire.end_writing().await;
    }

    /// Closes the connection (FIN in both directions).
    pub fn close(self) {
        self.requests.log(Direction::Event, "the connection is closed");
    }

    /// Resets the connection (RST).
    pub fn reset(self) {
        self.requests.log(Direction::Event, "the connection is reset");
        self.wire.reset();
    }

    /// Whether the stream breaks off instead of coming to its end.
    pub async fn is_cut_off(&mut self) -> bool {
        loop {
            match self.wire.piece().await {
                Ok(Some(_)) => {}
                Ok(None) => return false,
                Err(error) => return error.is_ended(),
            }
        }
    }

    /// Whether the server closes the connection within the patience.
    pub async fn is_closed_by_peer(&mut self) -> bool {
        let closed = self.wire.is_closed_by_peer().await;
        self.requests.log(Direction::Event, if closed { "closed by the server" } else { "not closed by the server" });
        closed
    }
}
