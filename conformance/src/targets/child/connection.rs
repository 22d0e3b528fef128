//! The connection to a child process.

use std::{process::ExitStatus, time::Duration};

use async_trait::async_trait;
use rustix::process::{Pid, kill_process, kill_process_group};
use serde_json::Value;
use tokio::{
    process::{Child, ChildStdout},
    time::{Instant, timeout},
};

use crate::{
    target::{Connection, Ending, Exit, NotApplicable, Received, Signal},
    targets::{
        place::Place,
        streams::{Errors, Input, Lines},
    },
};

pub(super) struct ChildConnection {
    child: Child,
    /// The process, which is also its group. Never used for a signal once it was reaped.
    pid: Option<Pid>,
    input: Input,
    output: Lines<ChildStdout>,
    errors: Errors,
    report: Option<Place>,
    opened: Instant,
    closed: Option<Instant>,
    exited: Option<(ExitStatus, Instant)>,
}

impl ChildConnection {
    pub(super) fn new(mut child: Child, report: Option<Place>) -> Self {
        Self {
            pid: child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?)),
            input: Input::new(child.stdin.take()),
            output: Lines::new(child.stdout.take()),
            errors: Errors::new(child.stderr.take()),
            report,
            opened: Instant::now(),
            closed: None,
            exited: None,
            child,
        }
    }

    async fn exit_within(&mut self, patience: Duration) -> Option<(ExitStatus, Instant)> {
        if self.exited.is_none()
            && let Ok(Ok(status)) = timeout(patience, self.child.wait()).await
        {
            self.exited = Some((status, Instant::now()));
        }
        self.exited
    }

    /// Kills what is left of the group. A group whose members are all gone is no error.
    fn kill_group(&self) {
        if let Some(pid) = self.pid {
            kill_process_group(pid, rustix::process::Signal::KILL).ok();
        }
    }

    fn read_report(&self) -> Result<Value, NotApplicable> {
        match &self.report {
            Some(place) => place.read_report(),
            None => Err(NotApplicable("this program writes no report of its run".to_owned())),
        }
    }
}

#[async_trait]
impl Connection for ChildConnection {
    async fn send_line(&mut self, line: &str) {
        let mut bytes = Vec::with_capacity(line.len() + 1);
        bytes.extend_from_slice(line.as_bytes());
        bytes.push(b'\n');
        self.input.push(bytes);
    }

    async fn send_bytes(&mut self, bytes: &[u8]) {
        self.input.push(bytes.to_vec());
    }

    async fn recv(&mut self, patience: Duration) -> Received {
        self.output.line(patience).await
    }

    async fn close_write(&mut self) {
        self.closed.get_or_insert_with(Instant::now);
        self.input.close();
    }

    async fn close_read(&mut self) {
        self.output.close();
    }

    async fn signal(&mut self, signal: Signal) -> Result<(), NotApplicable> {
        let signal = match signal {
            Signal::Term => rustix::process::Signal::TERM,
            Signal::Int => rustix::process::Signal::INT,
        };
        match (self.pid, self.exited) {
            (Some(pid), None) => {
                kill_process(pid, signal).map_err(|error| NotApplicable(format!("the signal was refused: {error}")))
            }
            _ => Err(NotApplicable("the process has ended".to_owned())),
        }
    }

    fn process(&self) -> Option<u32> {
        self.child.id()
    }

    async fn wait_end(&mut self, patience: Duration) -> bool {
        self.exit_within(patience).await.is_some()
    }

    fn taken(&self) -> u64 {
        self.input.taken()
    }

    async fn finish(mut self: Box<Self>) -> Ending {
        self.close_write().await;
        let by_itself = self.exit_within(GRACE).await;
        self.kill_group();
        self.input.end().await;
        let ended = match by_itself {
            Some(ended) => Some(ended),
            None => self.exit_within(GRACE).await,
        };
        let at = ended.map_or_else(Instant::now, |(_, at)| at);
        Ending {
            exit: by_itself.map_or(Exit::Enforced, |(status, _)| exit_of(status)),
            report: self.read_report(),
            stderr: self.errors.all().await,
            elapsed: at - self.opened,
            after_close: self.closed.map(|closed| at.saturating_duration_since(closed)),
            reaped: ended.is_some(),
            began: true,
            left: Vec::new(),
        }
    }
}

impl Drop for ChildConnection {
    /// Only a script that was cut off comes here with a living child. SIGKILL takes effect within
    /// moments, so that it is reaped at once; should it not, tokio reaps it later.
    fn drop(&mut self) {
        if self.exited.is_some() {
            return;
        }
        self.kill_group();
        let deadline = std::time::Instant::now() + GRACE;
        while matches!(self.child.try_wait(), Ok(None)) && std::time::Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

pub(in crate::targets) fn exit_of(status: ExitStatus) -> Exit {
    use std::os::unix::process::ExitStatusExt;

    match (status.code(), status.signal()) {
        (Some(code), _) => Exit::Code(code),
        (None, Some(signal)) => Exit::Signal(signal),
        (None, None) => Exit::Enforced,
    }
}

/// How long a peer may take to end after its input ended and its output was read.
const GRACE: Duration = Duration::from_secs(3);
