//! A child on a wire that a test plays by hand.

use std::future::poll_fn;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use mcp_client::ChildProcess;
use mcp_client::child::{ChildExited, ChildSink, ChildSource, Process};
use mcp_session::limits::Limits;
use mcp_session::transport::{Frames, Incoming, Sink, Source, Transport};

/// No test that works takes as long, however busy the machine is.
pub(crate) const WATCHDOG: Duration = Duration::from_secs(30);

/// Far less than a grace that would have been waited for in vain, and more than a busy machine takes.
pub(crate) const SOON: Duration = Duration::from_secs(5);

/// A shell script, with graces that are longer than any test may take.
pub(crate) fn sh(script: &str) -> ChildProcess {
    let mut limits = Limits::default();
    limits.child_exit = 2 * WATCHDOG;
    limits.child_term = 2 * WATCHDOG;
    limits.descendant = 2 * WATCHDOG;
    // A busy machine may take its time to tell of an exit.
    limits.exit_status = WATCHDOG;
    ChildProcess::new("sh").args(["-c", script]).limits(&limits)
}

/// Graces that a test waits out.
pub(crate) const SHORT: Duration = Duration::from_millis(50);

pub(crate) struct Wire {
    source: ChildSource,
    sink: ChildSink,
    pub(crate) process: Process,
}

/// What a child said.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Said {
    Frame(String),
    Tail(String),
    Ended,
    Gone(String),
}

impl Wire {
    pub(crate) fn to(child: &ChildProcess) -> Self {
        let transport = child.spawn().unwrap();
        let process = transport.process();
        let (source, sink) = transport.split();
        Self { source, sink, process }
    }

    pub(crate) async fn next(&mut self) -> Said {
        let incoming = within(poll_fn(|cx| self.source.poll_next(cx))).await;
        let frame = || String::from_utf8_lossy(self.source.frame()).into_owned();
        match incoming {
            Incoming::Frame => Said::Frame(frame()),
            Incoming::Tail => Said::Tail(frame()),
            Incoming::Ended => Said::Ended,
            Incoming::Gone(error) => Said::Gone(error.to_string()),
            Incoming::TooLarge(frame) => panic!("{frame:?}"),
        }
    }

    /// The next message, which is a number.
    pub(crate) async fn number(&mut self) -> u32 {
        let Said::Frame(frame) = self.next().await else { panic!("no message") };
        serde_json::from_str::<[Number; 1]>(&frame).unwrap()[0].n
    }

    pub(crate) async fn send(&mut self, line: &str) {
        self.try_send(line).await.unwrap();
    }

    pub(crate) async fn try_send(&mut self, line: &str) -> io::Result<()> {
        let mut bytes = format!("{line}\n").into_bytes();
        while !bytes.is_empty() {
            let count = within(poll_fn(|cx| self.sink.poll_write(cx, Frames::new(&bytes)))).await?;
            bytes.drain(..count);
        }
        Ok(())
    }

    pub(crate) async fn close(&mut self) {
        within(poll_fn(|cx| self.sink.poll_close(cx))).await.unwrap();
    }

    /// Closes, and says how the child exited and how long it took until nothing was left.
    pub(crate) async fn end(&mut self) -> (ChildExited, Duration) {
        let start = Instant::now();
        self.close().await;
        within(self.process.ended()).await;
        (within(self.process.wait()).await, start.elapsed())
    }

    /// Why the output ended.
    pub(crate) fn cause(&mut self) -> Option<ChildExited> {
        Some(self.source.cause()?.downcast_ref::<ChildExited>().unwrap().clone())
    }
}

#[derive(serde::Deserialize)]
struct Number {
    n: u32,
}

pub(crate) async fn within<F: Future>(future: F) -> F::Output {
    tokio::time::timeout(WATCHDOG, future).await.expect("it takes too long")
}

/// The state of a process, as the kernel abbreviates it. `None` when there is none of that number.
pub(crate) fn state(pid: u32) -> Option<char> {
    fields(pid)?.first()?.chars().next()
}

/// The session of a process, which is a process too.
pub(crate) fn session(pid: u32) -> u32 {
    fields(pid).unwrap()[3].parse().unwrap()
}

/// What the kernel says of a process, from its state on.
fn fields(pid: u32) -> Option<Vec<String>> {
    let stat = std::fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("stat")).ok()?;
    let fields = stat.rsplit(')').next()?.split_whitespace();
    Some(fields.map(str::to_owned).collect())
}

/// Whether a process runs. One that its parent, which is not us, has yet to reap does not.
pub(crate) fn runs(pid: u32) -> bool {
    state(pid).is_some_and(|state| !"ZX".contains(state))
}
