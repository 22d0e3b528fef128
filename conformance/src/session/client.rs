//! What a script says to a client, in the role of its server.

use serde_json::{Value, json};

use super::{Session, frames};
use crate::{
    frames::Direction,
    scenario::{Era, Stop},
    target::{Deed, NotApplicable},
};

impl Session {
    /// Receives a client as a server of the cell's era does. Afterwards it has connected.
    ///
    /// # Errors
    /// Stops the script when the client does something else.
    pub async fn welcome(&mut self) -> Result<(), Stop> {
        self.greet().await?;
        if self.scripted {
            let connected = self.step("connect").await?;
            return if connected["ok"] == true { Ok(()) } else { Err(Stop(format!("the client told {connected}"))) };
        }
        let connected = self.told(|told| told.get("connected").is_some()).await?;
        if connected["connected"] == true { Ok(()) } else { Err(Stop(format!("the client told {connected}"))) }
    }

    /// Answers what a client says first, as a server of the cell's era does: the probe for the era
    /// and the handshake, as far as the client makes them.
    ///
    /// # Errors
    /// Stops the script when the client does something else.
    pub async fn greet(&mut self) -> Result<(), Stop> {
        match self.era {
            Era::Legacy => {
                let hello = self.handshake().await?;
                self.send(&frames::initialized(&hello["id"])).await;
                self.until(|frame| frame["method"] == "notifications/initialized").await?;
            }
            Era::Modern if self.scripted => {
                let first = self.until(is_opening).await?;
                match first["method"].as_str() {
                    Some("server/discover") => self.send(&frames::discovered(&first["id"])).await,
                    Some("initialize") => return Err(Stop("the client begins with a legacy handshake".to_owned())),
                    // It does without the probe; what it asked is not answered yet.
                    _ => self.hand_back(&first),
                }
            }
            // It was told the era, and has nothing to ask.
            Era::Modern => {}
        }
        Ok(())
    }

    /// The `initialize` of a client. If it probes for the era first, it is answered as a legacy
    /// server does.
    ///
    /// # Errors
    /// Stops the script when the client does something else.
    pub async fn handshake(&mut self) -> Result<Value, Stop> {
        let first = self.until(is_opening).await?;
        match first["method"].as_str() {
            Some("initialize") => Ok(first),
            Some("server/discover") => {
                self.send(&frames::refusal(&first["id"], -32601)).await;
                self.until(|frame| frame["method"] == "initialize").await
            }
            _ => Err(Stop(format!("the client does not begin with a handshake but with {first}"))),
        }
    }

    /// What came of a step of the client's script.
    ///
    /// # Errors
    /// Stops the script when the client does not tell, and excuses the cell when it has no such step.
    pub async fn step(&mut self, text: &str) -> Result<Value, Stop> {
        let told = self
            .told(|told| told["step"] == text)
            .await
            .map_err(|Stop(why)| Stop(format!("nothing came of the step `{text}`: {why}")))?;
        if told["error"]["unsupported"] == true {
            let why = format!("the client has no step `{text}`");
            self.ledger.excuse(&why);
            return Err(Stop(why));
        }
        Ok(told)
    }

    /// Tells the process that the client has started as its server to do something.
    ///
    /// # Errors
    /// Stops the script when there is none, or when it cannot.
    pub async fn server(&mut self, deed: Deed) -> Result<(), Stop> {
        self.log(Direction::Event, &format!("the server is told to {deed}"));
        self.connection.server(deed).await.map_err(|NotApplicable(why)| Stop(why))
    }

    /// Waits until this has become of the server's process; see [`Deed`].
    ///
    /// # Errors
    /// Stops the script when it does not.
    pub async fn server_tells(&mut self, what: &str) -> Result<Value, Stop> {
        let told = self.told(|told| told["server"] == what).await;
        told.map_err(|Stop(why)| Stop(format!("the server does not tell `{what}`: {why}")))
    }

    /// Waits until the client has started its server once more. From now on the script speaks for
    /// that one.
    ///
    /// # Errors
    /// Stops the script when it does not.
    pub async fn next_server(&mut self) -> Result<(), Stop> {
        match self.connection.next_server(self.patience).await {
            Ok(true) => {
                self.number += 1;
                self.ended = false;
                self.log(Direction::Event, "the client has started another server");
                Ok(())
            }
            Ok(false) => Err(Stop("the client has started no other server".to_owned())),
            Err(NotApplicable(why)) => Err(Stop(why)),
        }
    }

    /// The next call of this tool by the client.
    ///
    /// # Errors
    /// Stops the script when it does not come.
    pub async fn called(&mut self, tool: &str) -> Result<Value, Stop> {
        let called = self.until(|frame| frame["method"] == "tools/call" && frame["params"]["name"] == tool).await;
        called.map_err(|Stop(why)| Stop(format!("`{tool}` was not called: {why}")))
    }

    /// Answers a request of the client as the cell's era does.
    pub async fn reply(&mut self, request: &Value, mut result: Value) {
        if self.era == Era::Modern && result.get("resultType").is_none() {
            result["resultType"] = "complete".into();
        }
        self.send(&frames::answer(&request["id"], result)).await;
    }

    /// Answers a call of a tool with a text.
    pub async fn reply_text(&mut self, request: &Value, text: &str) {
        self.reply(request, json!({"content": [{"type": "text", "text": text}]})).await;
    }

    /// Has a frame that was waited for wait to be handed out again.
    fn hand_back(&mut self, frame: &Value) {
        if let Some(number) = self.seen.iter().rposition(|one| one == frame) {
            self.handed_out.remove(&number);
        }
    }
}

/// Whether a frame is one that a client may begin with.
fn is_opening(frame: &Value) -> bool {
    let version = &frame["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"];
    frame["method"] == "initialize" || version.is_string()
}
