//! What a script speaks through: frames of the cell's era over one raw connection.

mod client;
mod frames;
mod http;
mod talk;

use std::{
    collections::HashSet,
    sync::Arc,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

pub use self::{
    frames::{answer, call, cancel, discovered, initialize, initialized, notification, refusal, request},
    http::Requests,
    talk::Talk,
};

use crate::{
    frames::Direction,
    golden,
    scenario::{Era, Ledger, Stop},
    target::{Connection, Ending, Fault, NotApplicable, Order, Received, Signal},
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
    /// What the program told and the script did not ask for yet.
    told: Vec<Value>,
    /// Which of the frames in `seen` were handed to the script.
    handed_out: HashSet<usize>,
    patience: Duration,
    /// How many bytes were sent.
    sent: u64,
    reader_gone: bool,
    ended: bool,
    /// Whether the target is a client that plays a script, and finds out the era by itself.
    scripted: bool,
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
        scripted: bool,
    ) -> Self {
        Self {
            connection,
            era,
            number,
            ledger,
            seen: Vec::new(),
            told: Vec::new(),
            handed_out: HashSet::new(),
            patience,
            sent: 0,
            reader_gone: false,
            ended: false,
            scripted,
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
        self.open_legacy_as(revision, json!({"roots": {}})).await
    }

    /// The same for a client with these capabilities.
    ///
    /// # Errors
    /// Stops the script unless the answer is a result that names the same revision.
    pub async fn open_legacy_as(&mut self, revision: &str, capabilities: Value) -> Result<Value, Stop> {
        let mut hello = initialize("open", revision);
        hello["params"]["capabilities"] = capabilities;
        self.send(&hello).await;
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
        self.sent += line.len() as u64 + 1;
        self.connection.send_line(line).await;
    }

    /// Sends bytes as they are, in one write.
    pub async fn send_bytes(&mut self, bytes: &[u8]) {
        self.log(Direction::ToPeer, String::from_utf8_lossy(bytes).trim_end());
        self.sent += bytes.len() as u64;
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
        match self.hear(patience).await? {
            Heard::Nothing => Ok(None),
            Heard::Line(line) => {
                let frame = self.parsed(&line)?;
                self.handed_out.insert(self.seen.len() - 1);
                Ok(Some(frame))
            }
            Heard::End => Err(Stop("the peer ended instead of sending a frame".to_owned())),
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

    /// The next line as it was written, or nothing when none comes within this time, nor within the
    /// patience of the session. It is not kept in [`Session::seen`].
    ///
    /// # Errors
    /// Stops the script when the peer ends.
    pub async fn line_within(&mut self, patience: Duration) -> Result<Option<String>, Stop> {
        match self.hear(patience.min(self.patience)).await? {
            Heard::Nothing => Ok(None),
            Heard::Line(line) => Ok(Some(line)),
            Heard::End => Err(Stop("the peer ended instead of sending a line".to_owned())),
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

    /// Makes the connection misbehave.
    ///
    /// # Errors
    /// Stops the script when the connection cannot; scenarios name the need instead.
    pub async fn fault(&mut self, fault: Fault) -> Result<(), Stop> {
        self.log(Direction::Event, &fault.to_string());
        self.connection.fault(fault).await.map_err(|error| Stop(error.to_string()))
    }

    /// Tells the program at the other end to do something.
    ///
    /// # Errors
    /// Stops the script when there is none that could be told; scenarios name the need instead.
    pub async fn order(&mut self, order: Order) -> Result<(), Stop> {
        self.log(Direction::Event, &format!("told to {order}"));
        self.connection.order(order).await.map_err(|error| Stop(error.to_string()))
    }

    /// Tells the program to call this method of ours, as call `number`, and waits for the request.
    ///
    /// # Errors
    /// Stops the script when the request does not come.
    pub async fn order_call(&mut self, number: u64, method: &'static str) -> Result<Value, Stop> {
        self.order(Order::Call { number, method, timeout: None }).await?;
        self.until(|frame| frame["method"] == method).await
    }

    /// The first thing told by the program that is as wanted and was not given out yet.
    ///
    /// # Errors
    /// Stops the script when it is not told.
    pub async fn told(&mut self, wanted: impl Fn(&Value) -> bool) -> Result<Value, Stop> {
        let deadline = Instant::now() + self.patience;
        loop {
            if let Some(at) = self.told.iter().position(&wanted) {
                return Ok(self.told.remove(at));
            }
            let left = deadline.saturating_duration_since(Instant::now());
            let Some(told) = self.connection.told(left).await else {
                return Err(Stop(format!("the program did not tell it within {:?}", self.patience)));
            };
            self.log(Direction::Event, &format!("the program tells {told}"));
            self.told.push(told);
        }
    }

    /// What came of a call that the program was told to make.
    ///
    /// # Errors
    /// Stops the script when the call does not settle.
    pub async fn outcome_of(&mut self, number: u64) -> Result<Value, Stop> {
        let outcome = self.told(|told| told["call"] == number).await;
        outcome.map_err(|Stop(why)| Stop(format!("call {number} did not settle: {why}")))
    }

    /// All that the program told until now and the script did not ask for.
    pub async fn told_so_far(&mut self) -> Vec<Value> {
        while let Some(told) = self.connection.told(Duration::ZERO).await {
            self.log(Direction::Event, &format!("the program tells {told}"));
            self.told.push(told);
        }
        std::mem::take(&mut self.told)
    }

    /// Waits until the peer has taken all that was sent.
    ///
    /// # Errors
    /// Stops the script when it does not.
    pub async fn all_taken(&mut self) -> Result<(), Stop> {
        let deadline = Instant::now() + self.patience;
        while self.connection.taken() < self.sent {
            if Instant::now() > deadline {
                return Err(Stop(format!("{} of {} bytes were taken", self.connection.taken(), self.sent)));
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        Ok(())
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
        match self.hear(self.patience).await? {
            Heard::Line(line) => Ok(Some(line)),
            Heard::End => {
                self.ended = true;
                self.log(Direction::Event, "end of the peer's output");
                Ok(None)
            }
            Heard::Nothing => Err(Stop(format!("the peer sent nothing for {:?}", self.patience))),
        }
    }

    /// Waits for a line at most for this time, and records what comes.
    async fn hear(&mut self, patience: Duration) -> Result<Heard, Stop> {
        let deadline = Instant::now() + patience;
        loop {
            match self.connection.recv(deadline.saturating_duration_since(Instant::now())).await {
                Received::Line(line) => {
                    self.log(Direction::FromPeer, &line);
                    return Ok(Heard::Line(line));
                }
                Received::Event(what) => self.log(Direction::Event, &what),
                Received::Wrong(why) => return Err(Stop(why)),
                Received::Ended => return Ok(Heard::End),
                Received::TimedOut => return Ok(Heard::Nothing),
            }
        }
    }

    fn log(&self, direction: Direction, text: &str) {
        self.ledger.frames.add(self.number, direction, text);
    }
}

/// What was heard of the peer.
enum Heard {
    Line(String),
    Nothing,
    End,
}
