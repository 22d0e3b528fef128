//! The signals by which a program is told to end.

use std::io::{self, Write};

use mcp_session::engine::CutOff;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// SIGTERM and SIGINT, which mean the same.
pub(crate) struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }

    /// Waits for the next one, and gives its number.
    pub(crate) async fn next(&mut self) -> i32 {
        let kind = tokio::select! {
            _ = self.terminate.recv() => SignalKind::terminate(),
            _ = self.interrupt.recv() => SignalKind::interrupt(),
        };
        kind.as_raw_value()
    }
}

/// Names what was cut off on standard error: whoever started the program has to learn what it lost.
pub(crate) fn tell_of_losses(cut_off: &[CutOff]) {
    if let Some(line) = losses(cut_off) {
        // Standard error may be gone together with the client; there is nobody else to tell.
        drop(writeln!(io::stderr(), "{line}"));
    }
}

/// Names the requests that were cut off, the first few of them one by one.
fn losses(cut_off: &[CutOff]) -> Option<String> {
    const NAMED: usize = 8;
    let requests = match cut_off.len() {
        0 => return None,
        1 => "request",
        _ => "requests",
    };
    let names: Vec<_> = cut_off.iter().take(NAMED).map(|cut| format!("{} {}", cut.method, cut.id)).collect();
    let more = if cut_off.len() > NAMED { ", …" } else { "" };
    Some(format!("{} {requests} cut off at shutdown: {}{more}", cut_off.len(), names.join(", ")))
}
