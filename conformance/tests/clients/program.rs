//! A small client of the modern era, which is a test of this program that the suite starts by name.

use std::{
    env,
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, Command, ExitStatus, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

/// The test that is the client.
pub(crate) const TEST: &str = "program::this_is_the_client";

/// What is wrong with a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It waits on when its server has gone.
    WaitsForEver,
    /// It does not say that it has given a call up.
    NeverCancels,
    /// It answers lines that it cannot read.
    AnswersNoise,
    /// It takes any answer for that to its call.
    TakesAnyAnswer,
    /// It changes the state of a round.
    ChangesState,
    /// It makes a state up where there was none.
    KeepsState,
    /// It answers less than it was asked.
    AnswersOne,
    /// It never closes the input of its server.
    KeepsInputOpen,
    /// It says that it has closed, and leaves its server alone.
    LeavesServer,
    /// It leaves what its server writes to standard error where it is.
    LeavesStderr,
    /// It waits on when its server has exited as if all were well.
    TrustsACleanExit,
    /// Of two that close it at the same time, it lets one wait for ever.
    ForgetsWhoClosesToo,
}

impl Fault {
    pub(crate) const ALL: [Self; 12] = [
        Self::WaitsForEver,
        Self::NeverCancels,
        Self::AnswersNoise,
        Self::TakesAnyAnswer,
        Self::ChangesState,
        Self::KeepsState,
        Self::AnswersOne,
        Self::KeepsInputOpen,
        Self::LeavesServer,
        Self::LeavesStderr,
        Self::TrustsACleanExit,
        Self::ForgetsWhoClosesToo,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::WaitsForEver => "waits-for-ever",
            Self::NeverCancels => "never-cancels",
            Self::AnswersNoise => "answers-noise",
            Self::TakesAnyAnswer => "takes-any-answer",
            Self::ChangesState => "changes-state",
            Self::KeepsState => "keeps-state",
            Self::AnswersOne => "answers-one",
            Self::KeepsInputOpen => "keeps-input-open",
            Self::LeavesServer => "leaves-server",
            Self::LeavesStderr => "leaves-stderr",
            Self::TrustsACleanExit => "trusts-a-clean-exit",
            Self::ForgetsWhoClosesToo => "forgets-who-closes-too",
        }
    }

    /// The scenario that notices, and its check.
    pub(crate) const fn caught_by(self) -> (&'static str, &'static str) {
        match self {
            Self::WaitsForEver => ("c1-client-call-unanswered", "script"),
            Self::NeverCancels => ("c11-client-times-out", "server-told"),
            Self::AnswersNoise => ("c15-client-noise", "not-answered"),
            Self::TakesAnyAnswer => ("c12-client-foreign-responses", "settles-once"),
            Self::ChangesState => ("rounds-client-state", "echoed"),
            Self::KeepsState => ("rounds-client-state", "absent-stays-absent"),
            Self::AnswersOne => ("rounds-client-answers", "same-keys"),
            Self::KeepsInputOpen => ("c18-good-server", "input-ends"),
            Self::LeavesServer => ("c18-kill", "script"),
            Self::LeavesStderr => ("c18-stderr-drained", "not-blocked"),
            Self::TrustsACleanExit => ("c1-server-exits-cleanly", "script"),
            Self::ForgetsWhoClosesToo => ("c29-client-closes-twice", "script"),
        }
    }
}

/// Does nothing as a test. Started as a client it plays its script, and never comes back.
#[test]
fn this_is_the_client() {
    let Ok(script) = env::var("SCRIPT") else { return };
    let words: Vec<String> = env::args().skip_while(|word| word != "--").skip(1).collect();
    let fault = Fault::ALL.into_iter().find(|fault| env::args().any(|word| word == fault.name()));
    let mut client = Client::start(&words, fault);
    client.play(&script);
    client.close();
    std::process::exit(0);
}

struct Client {
    server: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    fault: Option<Fault>,
    timeout: Duration,
    calls: u64,
    /// The steps whose answers nobody waits for: they are told when it closes.
    started: Vec<String>,
    /// Whether its server has gone.
    is_alone: bool,
}

impl Client {
    fn start(words: &[String], fault: Option<Fault>) -> Self {
        let (program, arguments) = words.split_first().expect("there is a command");
        let started = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let mut server = started.unwrap_or_else(|error| {
            tell(&json!({"step": "connect", "ok": false, "error": {"message": format!("{program}: {error}")}}));
            std::process::exit(0)
        });
        let (send, lines) = channel();
        let mut output = BufReader::new(server.stdout.take().expect("it is piped"));
        std::thread::spawn(move || {
            let mut line = Vec::new();
            while output.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
                if send.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                    return;
                }
                line.clear();
            }
        });
        let mut errors = server.stderr.take();
        if fault == Some(Fault::LeavesStderr) {
            // It stays open, and unread, until the end of the process.
            std::mem::forget(errors.take());
        }
        std::thread::spawn(move || errors.map(|mut errors| std::io::copy(&mut errors, &mut std::io::sink())));
        let input = server.stdin.take();
        Self {
            server,
            input,
            lines,
            fault,
            timeout: Duration::from_secs(60),
            calls: 0,
            started: Vec::new(),
            is_alone: false,
        }
    }

    fn is(&self, fault: Fault) -> bool {
        self.fault == Some(fault)
    }

    fn play(&mut self, script: &str) {
        let connected = self.request("server/discover", json!({}));
        tell(&line("connect", &connected));
        if connected.is_err() {
            return;
        }
        for step in steps(script) {
            let (name, rest) = step.split_once(':').unwrap_or((step, ""));
            let outcome = match name {
                "call" => {
                    let (tool, arguments) = rest.split_once(":{").unwrap_or((rest, "}"));
                    let arguments: Value = serde_json::from_str(&format!("{{{arguments}")).expect("it is JSON");
                    self.request("tools/call", json!({"name": tool, "arguments": arguments}))
                }
                "set" => {
                    let millis = rest.strip_prefix("timeout_ms=").and_then(|millis| millis.parse().ok());
                    self.timeout = millis.map_or(self.timeout, Duration::from_millis);
                    Ok(json!({}))
                }
                "close" => {
                    self.close();
                    Ok(json!({}))
                }
                "close_twice" => {
                    self.close();
                    if self.is(Fault::ForgetsWhoClosesToo) {
                        wait_for_ever();
                    }
                    Ok(json!({}))
                }
                "start" => {
                    self.send("tools/call", json!({"name": rest}));
                    self.started.push(step.to_owned());
                    continue;
                }
                _ => Err("unsupported".to_owned()),
            };
            tell(&line(step, &outcome));
        }
    }

    /// A request, through its rounds.
    fn request(&mut self, method: &str, mut params: Value) -> Result<Value, String> {
        let mut state_before = None;
        loop {
            if self.is_alone {
                return Err("the server has gone".to_owned());
            }
            let id = self.send(method, params.clone());
            let result = self.answer_to(id)?;
            if result["resultType"] != "input_required" {
                return Ok(result);
            }
            let mut asked: Vec<(&String, &Value)> = result["inputRequests"].as_object().into_iter().flatten().collect();
            if self.is(Fault::AnswersOne) {
                asked.truncate(1);
            }
            let given = asked.into_iter().map(|(key, asked)| (key.clone(), answer(asked))).collect();
            params["inputResponses"] = Value::Object(given);
            let mut state = result.get("requestState").cloned();
            if self.is(Fault::ChangesState) {
                state = state.map(|state| format!("{}!", state.as_str().unwrap_or_default()).into());
            }
            if self.is(Fault::KeepsState) {
                state = state.or(state_before);
            }
            match state.clone() {
                Some(state) => params["requestState"] = state,
                None => drop(params.as_object_mut().and_then(|params| params.remove("requestState"))),
            }
            state_before = state;
        }
    }

    fn send(&mut self, method: &str, mut params: Value) -> u64 {
        self.calls += 1;
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "small", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}, "url": {}}, "sampling": {}},
        });
        self.write(&json!({"jsonrpc": "2.0", "id": self.calls, "method": method, "params": params}));
        self.calls
    }

    /// What cannot be written is noticed by the answer that does not come.
    fn write(&mut self, frame: &Value) {
        if let Some(input) = &mut self.input {
            drop(writeln!(input, "{frame}"));
        }
    }

    fn answer_to(&mut self, id: u64) -> Result<Value, String> {
        let deadline = Instant::now() + self.timeout;
        loop {
            let received = self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now()));
            let line = match received {
                Ok(line) => line,
                Err(RecvTimeoutError::Disconnected) if self.is(Fault::WaitsForEver) => wait_for_ever(),
                Err(RecvTimeoutError::Disconnected) => {
                    self.is_alone = true;
                    return Err(self.why_alone());
                }
                Err(RecvTimeoutError::Timeout) => {
                    if !self.is(Fault::NeverCancels) {
                        let params = json!({"requestId": id});
                        self.write(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}));
                    }
                    return Err("it took too long".to_owned());
                }
            };
            let Ok(frame) = serde_json::from_str::<Value>(&line) else {
                if self.is(Fault::AnswersNoise) {
                    let error = json!({"code": -32700, "message": "unreadable"});
                    self.write(&json!({"jsonrpc": "2.0", "id": null, "error": error}));
                }
                continue;
            };
            let ours = frame["id"] == id || (self.is(Fault::TakesAnyAnswer) && frame.get("id").is_some());
            if !ours || frame.get("method").is_some() {
                continue;
            }
            return match frame.get("result") {
                Some(result) => Ok(result.clone()),
                None => Err(frame["error"]["message"].as_str().unwrap_or("no message").to_owned()),
            };
        }
    }

    /// How its server has gone, if that is seen soon.
    fn why_alone(&mut self) -> String {
        let status = self.exits_soon();
        if self.is(Fault::TrustsACleanExit) && status.is_some_and(|status| status.success()) {
            wait_for_ever();
        }
        status.map_or_else(|| "the server has gone".to_owned(), |status| format!("the server has gone: {status}"))
    }

    fn exits_soon(&mut self) -> Option<ExitStatus> {
        let deadline = Instant::now() + Duration::from_millis(500);
        loop {
            match self.server.try_wait() {
                Ok(None) if Instant::now() < deadline => std::thread::yield_now(),
                Ok(status) => return status,
                Err(_) => return None,
            }
        }
    }

    fn close(&mut self) {
        for step in self.started.drain(..) {
            tell(&line(&step, &Err("it is closed".to_owned())));
        }
        if self.is(Fault::LeavesServer) {
            return;
        }
        let Some(input) = self.input.take() else { return };
        if self.is(Fault::KeepsInputOpen) {
            std::mem::forget(input);
        } else {
            drop(input);
        }
        for wait in [Some("-TERM"), Some("-KILL"), None] {
            if let (None, Some(signal)) = (self.exits_soon(), wait) {
                drop(Command::new("kill").args([signal, &self.server.id().to_string()]).status());
            }
        }
    }
}

fn wait_for_ever() -> ! {
    loop {
        std::thread::park();
    }
}

/// What is answered to a question.
fn answer(asked: &Value) -> Value {
    match (asked["method"].as_str(), asked["params"]["mode"].as_str()) {
        (Some("sampling/createMessage"), _) => {
            json!({"role": "assistant", "content": {"type": "text", "text": "Paris"}, "model": "small"})
        }
        (_, Some("url")) => json!({"action": "accept"}),
        _ => json!({"action": "accept", "content": {"name": "x"}}),
    }
}

/// The steps of a script, whose commas outside braces and brackets divide it.
fn steps(script: &str) -> Vec<&str> {
    let mut depth = 0;
    script
        .split(|character| {
            depth += i32::from(matches!(character, '{' | '[')) - i32::from(matches!(character, '}' | ']'));
            character == ',' && depth == 0
        })
        .collect()
}

fn line(step: &str, outcome: &Result<Value, String>) -> Value {
    match outcome {
        Ok(result) => json!({"step": step, "ok": true, "result": result}),
        Err(message) => {
            let unsupported = message == "unsupported";
            json!({"step": step, "ok": false, "error": {"message": message, "unsupported": unsupported}})
        }
    }
}

fn tell(line: &Value) {
    let mut out = std::io::stdout().lock();
    drop(writeln!(out, "{line}").and_then(|()| out.flush()));
}
