//! The processes that a client has started, by way of its relays.

use std::time::Duration;

use rustix::{
    event::{PollFd, PollFlags, poll},
    fd::OwnedFd,
    process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal},
};
use tokio::time::Instant;

/// What was started and must be gone at the end. A process is held by a descriptor, so that another
/// one which gets its number is never taken for it.
#[derive(Debug, Default)]
pub(super) struct Processes(Vec<(String, OwnedFd)>);

impl Processes {
    /// Holds a process. One that has gone already needs no holding.
    pub(super) fn hold(&mut self, what: &str, pid: i32) {
        let opened = Pid::from_raw(pid).and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
        if let Some(opened) = opened {
            self.0.push((format!("{what} {pid}"), opened));
        }
    }

    /// Those that live on after a moment, in words.
    pub(super) async fn left(&self) -> Vec<String> {
        let deadline = Instant::now() + A_MOMENT;
        loop {
            let alive: Vec<String> =
                self.0.iter().filter(|(_, process)| is_alive(process)).map(|(what, _)| what.clone()).collect();
            if alive.is_empty() || Instant::now() > deadline {
                return alive;
            }
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }

    /// Kills what is left. A process that has gone is no error.
    pub(super) fn kill(&self) {
        for (_, process) in &self.0 {
            pidfd_send_signal(process, Signal::KILL).ok();
        }
    }
}

/// A descriptor of a process can be read once the process has ended.
fn is_alive(process: &OwnedFd) -> bool {
    let mut ended = [PollFd::new(process, PollFlags::IN)];
    let at_once = rustix::event::Timespec { tv_sec: 0, tv_nsec: 0 };
    matches!(poll(&mut ended, Some(&at_once)), Ok(0))
}

/// What was killed is gone within moments.
const A_MOMENT: Duration = Duration::from_millis(500);
