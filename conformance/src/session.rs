//! What a script speaks through: frames of the cell's era over one raw connection.

use std::{
    collections::HashSet,
    sync::Arc,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    frames::Direction,
    golden,
    scenario::{Era, Ledger, Stop},
    target::{Connection, Ending, NotApplicable, Received, Signal},
};

/// One session with the target.
///
/// Requests are built as the era of the cell writes them: in the modern era each carries its
/// `_meta`. Frames that a script did not wait for are kept, in order: see [`Session::seen`].
pub struct Session {
    connection: Box<dyn Connection>,
    era: Era,
    number: usize,
    ledger: Arc<Ledger>,
    seen: Vec<Value>,
    /// Which of the frames in `seen` were handed to the script.
    handed_out: HashSet<usize>,
    patience: Duration,
    reader_gone: bool,
    ended: bool,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("number", &self.number).finish_non_exhaustive()
    }
}

impl Session {
    pub(crate) fn new(
        connection: Box<dyn Connection>,
        era: Era,
        number: usize,
        ledger: Arc<Ledger>,
        patience: Duration,
    ) -> Self {
        Self {
            connection,
            era,
            number,
            ledger,
            seen: Vec::new(),
            handed_out: HashSet::new(),
            patience,
            reader_gone: false,
            ended: false,
        }
    }

    /// Makes the session ready for requests: by the handshake of 2025-11-25 in the legacy era, by
    /// `server/discover` in the modern one. Afterwards the peer has started, so that what a script
    /// measures is not the time of its start.
    ///
    /// # Errors
    /// Stops the script when that is refused or not answered.
    pub async fn make_ready(&mut self) -> Result<(), Stop> {
        match self.era {
            Era::Legacy => self.open_legacy("2025-11-25").await.map(drop),
            Era::Modern => {
                self.request("open", "server/discover", json!({})).await;
                let answer = self.answer_to("open").await?;
                if answer["result"].is_object() {
                    Ok(())
                } else {
                    Err(Stop(format!("`server/discover` was answered {answer}")))
                }
            }
        }
    }

    /// Performs the legacy handshake for this revision and gives the result of `initialize`.
    /// Its id is the string `"open"`, so that scripts have the numbers for themselves.
    ///
    /// # Errors
    /// Stops the script unless the answer is a result that names the same revision.
    pub async fn open_legacy(&mut self, revision: &str) -> Result<Value, Stop> {
        self.send(&initialize("open", revision)).await;
        let answer = self.answer_to("open").await?;
        if answer["result"]["protocolVersion"] != revision {
            return Err(Stop(format!("the handshake for {revision} was answered {answer}")));
        }
        self.send(&notification("notifications/initialized")).await;
        Ok(answer)
    }

    /// Sends a request as the cell's era writes it.
    pub async fn request(&mut self, id: impl Into<Value>, method: &str, params: Value) {
        let frame = request(self.era, id, method, params);
        self.send(&frame).await;
    }

    /// Calls a tool.
    pub async fn call(&mut self, id: impl Into<Value>, tool: &str, arguments: Value) {
        let frame = call(self.era, id, tool, arguments);
        self.send(&frame).await;
    }

    /// Calls a tool and asks for progress under this token.
    pub async fn call_with_progress(
        &mut self,
        id: impl Into<Value>,
        token: impl Into<Value>,
        tool: &str,
        arguments: Value,
    ) {
        let mut frame = call(self.era, id, tool, arguments);
        frame["params"]["_meta"]["progressToken"] = token.into();
        self.send(&frame).await;
    }

    /// Cancels a request.
    pub async fn cancel(&mut self, id: impl Into<Value>) {
        self.send(&cancel(id)).await;
    }

    /// Sends one frame.
    pub async fn send(&mut self, frame: &Value) {
        self.send_line(&frame.to_string()).await;
    }

    /// Sends several frames in one write.
    pub async fn send_together(&mut self, frames: &[Value]) {
        let text: String = frames.iter().map(|frame| format!("{frame}\n")).collect();
        self.send_bytes(text.as_bytes()).await;
    }

    /// Sends one line as it is.
    pub async fn send_line(&mut self, line: &str) {
        self.log(Direction::ToPeer, line);
        self.connection.send_line(line).await;
    }

    /// Sends bytes as they are, in one write.
    pub async fn send_bytes(&mut self, bytes: &[u8]) {
        self.log(Direction::ToPeer, String::from_utf8_lossy(bytes).trim_end());
        self.connection.send_bytes(bytes).await;
    }

    /// Waits for the next frame, whatever it is.
    ///
    /// # Errors
    /// Stops the script when none comes, or when the line is not JSON.
    pub async fn next(&mut self) -> Result<Value, Stop> {
        match self.receive().await? {
            Some(frame) => {
                self.handed_out.insert(self.seen.len() - 1);
                Ok(frame)
            }
            None => Err(Stop("the peer ended instead of sending a frame".to_owned())),
        }
    }

    /// The next frame, or nothing when none comes within this time.
    ///
    /// # Errors
    /// Stops the script when the peer ends, or when the line is not JSON.
    pub async fn next_within(&mut self, patience: Duration) -> Result<Option<Value>, Stop> {
        match self.connection.recv(patience).await {
            Received::TimedOut => Ok(None),
            Received::Line(line) => {
                self.log(Direction::FromPeer, &line);
                let frame = self.parsed(&line)?;
                self.handed_out.insert(self.seen.len() - 1);
                Ok(Some(frame))
            }
            Received::Ended => Err(Stop("the peer ended instead of sending a frame".to_owned())),
        }
    }

    /// The next line as it was written, for checks that a parsed value cannot make.
    ///
    /// # Errors
    /// Stops the script when none comes.
    pub async fn next_line(&mut self) -> Result<String, Stop> {
        match self.receive_line().await? {
            Some(line) => Ok(line),
            None => Err(Stop("the peer ended instead of sending a line".to_owned())),
        }
    }

    /// The response to this id: one that came while the script waited for something else, or the
    /// next one to come. Other frames on the way are kept in [`Session::seen`].
    ///
    /// # Errors
    /// Stops the script when it does not come.
    pub async fn answer_to(&mut self, id: impl Into<Value>) -> Result<Value, Stop> {
        let id = id.into();
        self.until(|frame| golden::is_answer_to(frame, &id))
            .await
            .map_err(|Stop(why)| Stop(format!("no answer to {id}: {why}")))
    }

    /// The first frame that is as wanted and was not handed out yet; all frames on the way, and
    /// this one, are kept in [`Session::seen`].
    ///
    /// # Errors
    /// Stops the script when none comes.
    pub async fn until(&mut self, mut wanted: impl FnMut(&Value) -> bool) -> Result<Value, Stop> {
        let deadline = Instant::now() + self.patience;
        let mut looked_at = 0;
        loop {
            for (number, frame) in self.seen.iter().enumerate().skip(looked_at) {
                if !self.handed_out.contains(&number) && wanted(frame) {
                    self.handed_out.insert(number);
                    return Ok(frame.clone());
                }
            }
            looked_at = self.seen.len();
            if self.receive().await?.is_none() {
                return Err(Stop("the peer ended instead of sending it".to_owned()));
            }
            if Instant::now() > deadline {
                return Err(Stop(format!("other frames only, for {:?}", self.patience)));
            }
        }
    }

    /// All frames until the peer's end.
    ///
    /// # Errors
    /// Stops the script when the peer neither sends nor ends.
    pub async fn rest(&mut self) -> Result<Vec<Value>, Stop> {
        let mut rest = Vec::new();
        while let Some(frame) = self.receive().await? {
            self.handed_out.insert(self.seen.len() - 1);
            rest.push(frame);
        }
        Ok(rest)
    }

    /// The frames that came so far, in order.
    pub fn seen(&self) -> &[Value] {
        &self.seen
    }

    /// The frames that came so far, in their normal form.
    pub fn seen_normal(&self) -> Vec<Value> {
        self.seen.iter().map(|frame| self.normal(frame)).collect()
    }

    /// A frame in its normal form; see [`golden::normal`].
    pub fn normal(&self, frame: &Value) -> Value {
        golden::normal(self.era, frame)
    }

    /// How many responses came for this id.
    pub fn answers(&self, id: impl Into<Value>) -> usize {
        let id = id.into();
        self.seen.iter().filter(|frame| golden::is_answer_to(frame, &id)).count()
    }

    /// Ends the peer's input.
    pub async fn close_write(&mut self) {
        self.log(Direction::Event, "end of the peer's input");
        self.connection.close_write().await;
    }

    /// Goes away as a reader.
    pub async fn close_read(&mut self) {
        self.log(Direction::Event, "the peer's reader is gone");
        self.reader_gone = true;
        self.connection.close_read().await;
    }

    /// Sends a signal.
    ///
    /// # Errors
    /// Stops the script when the connection has no process; scenarios name the need instead.
    pub async fn signal(&mut self, signal: Signal) -> Result<(), Stop> {
        self.log(Direction::Event, &signal.to_string());
        let sent = self.connection.signal(signal).await;
        sent.map_err(|error: NotApplicable| Stop(format!("{signal}: {error}")))
    }

    /// Whether the peer ends by itself within this time.
    pub async fn ends_by_itself(&mut self, within: Duration) -> bool {
        self.connection.wait_end(within).await
    }

    /// How many bytes of what was sent the peer has taken.
    pub fn taken(&self) -> u64 {
        self.connection.taken()
    }

    /// Ends the session: ends the peer's input, reads what still comes, waits for the peer's end.
    ///
    /// What comes while it ends is kept in the record of frames. The meters of the runner look at
    /// every ending.
    pub async fn finish(mut self) -> Ending {
        self.connection.close_write().await;
        if !self.reader_gone {
            while let Ok(Some(_)) = self.receive().await {}
        }
        let ending = self.connection.finish().await;
        self.ledger.frames.add(self.number, Direction::Event, &ending.exit.to_string());
        self.ledger.ended(ending.clone());
        ending
    }

    async fn receive(&mut self) -> Result<Option<Value>, Stop> {
        match self.receive_line().await? {
            Some(line) => self.parsed(&line).map(Some),
            None => Ok(None),
        }
    }

    fn parsed(&mut self, line: &str) -> Result<Value, Stop> {
        let frame: Value = serde_json::from_str(line)
            .map_err(|error| Stop(format!("the peer wrote a line that is not JSON: {error}")))?;
        self.seen.push(frame.clone());
        Ok(frame)
    }

    async fn receive_line(&mut self) -> Result<Option<String>, Stop> {
        if self.ended {
            return Ok(None);
        }
        match self.connection.recv(self.patience).await {
            Received::Line(line) => {
                self.log(Direction::FromPeer, &line);
                Ok(Some(line))
            }
            Received::Ended => {
                self.ended = true;
                self.log(Direction::Event, "end of the peer's output");
                Ok(None)
            }
            Received::TimedOut => Err(Stop(format!("the peer sent nothing for {:?}", self.patience))),
        }
    }

    fn log(&self, direction: Direction, text: &str) {
        self.ledger.frames.add(self.number, direction, text);
    }
}

/// A request as this era writes it. Members that `params` already has are kept.
pub fn request(era: Era, id: impl Into<Value>, method: &str, mut params: Value) -> Value {
    if era == Era::Modern {
        for (key, value) in modern_meta() {
            if params["_meta"].get(key).is_none() {
                params["_meta"][key] = value;
            }
        }
    }
    let id: Value = id.into();
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// A call of a tool as this era writes it.
pub fn call(era: Era, id: impl Into<Value>, tool: &str, arguments: Value) -> Value {
    request(era, id, "tools/call", json!({"name": tool, "arguments": arguments}))
}

/// A notification without params.
pub fn notification(method: &str) -> Value {
    json!({"jsonrpc": "2.0", "method": method})
}

/// A cancellation.
pub fn cancel(id: impl Into<Value>) -> Value {
    let id: Value = id.into();
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})
}

/// The legacy opening request for a revision.
pub fn initialize(id: impl Into<Value>, revision: &str) -> Value {
    let params = json!({
        "protocolVersion": revision,
        "capabilities": {"roots": {}},
        "clientInfo": client_info(),
    });
    request(Era::Legacy, id, "initialize", params)
}

/// The `_meta` members that each modern request carries.
fn modern_meta() -> [(&'static str, Value); 3] {
    [
        ("io.modelcontextprotocol/protocolVersion", json!("2026-07-28")),
        ("io.modelcontextprotocol/clientInfo", client_info()),
        ("io.modelcontextprotocol/clientCapabilities", json!({})),
    ]
}

fn client_info() -> Value {
    json!({"name": "mcp-conformance", "version": env!("CARGO_PKG_VERSION")})
}
