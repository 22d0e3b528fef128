//! The thread that looks after a child from its start until nothing is left of it.

use std::io::{self, PipeReader, Read};
use std::os::fd::AsFd;
use std::process::{Child, ChildStderr};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, WaitOptions, waitpid};

use super::group::Group;
use super::ladder::{Act, Ladder};
use super::log::{LogLine, Origin, Scribe};
use super::shared::Shared;
use super::tail::Cutter;
use super::watch::Watch;

/// Looks after a child: drains its standard error, sees its exit, ends it when told to, and reaps it.
#[derive(Debug)]
pub(super) struct Keeper {
    shared: Arc<Shared>,
    scribe: Scribe,
    child: Child,
    watch: Watch,
    group: Group,
    ladder: Ladder,
    stderr: Option<ChildStderr>,
    cutter: Cutter,
    /// Readable after an order.
    bell: PipeReader,
    is_reaped: bool,
    /// The time to the next look at what is left of the group.
    pause: Duration,
}

impl Keeper {
    pub(super) fn new(
        shared: Arc<Shared>,
        bell: PipeReader,
        scribe: Scribe,
        mut child: Child,
        has_own_group: bool,
        ladder: Ladder,
    ) -> Self {
        let pid = pid_of(&child);
        shared.started(child.id());
        Self {
            shared,
            scribe,
            watch: Watch::new(pid),
            group: if has_own_group { Group::Own(pid) } else { Group::Ours(pid) },
            ladder,
            stderr: child.stderr.take(),
            child,
            cutter: Cutter::default(),
            bell,
            is_reaped: false,
            pause: FIRST_PAUSE,
        }
    }

    /// Starts the thread. It ends by itself, and nobody waits for it.
    ///
    /// # Errors
    /// When there can be no further thread. The child is killed and reaped then.
    pub(super) fn start(self) -> io::Result<()> {
        let (pid, shared) = (pid_of(&self.child), Arc::clone(&self.shared));
        let started = thread::Builder::new().name("mcp-child".to_owned()).stack_size(STACK).spawn(move || self.run());
        started.map(drop).inspect_err(|_| {
            Group::Ours(pid).signal(Signal::KILL, false);
            waitpid(Some(pid), WaitOptions::empty()).ok();
            shared.left_alone();
        })
    }

    fn run(mut self) {
        while !self.is_over() {
            self.wait();
            self.read_stderr();
            self.climb();
            if !self.is_reaped && self.watch.has_exited() {
                self.reap();
            }
            if self.is_reaped && !self.group.is_gone() {
                self.group.look();
            }
        }
        self.drain_stderr();
        self.shared.left_alone();
    }

    /// When everybody has gone, only a process that left the group can still write to standard error; it is heard for
    /// as long as the connection is open.
    fn is_over(&self) -> bool {
        self.is_reaped && self.group.is_gone() && (self.stderr.is_none() || self.shared.orders().end)
    }

    /// Waits until there is something to do.
    fn wait(&mut self) {
        let timeout = self.timeout();
        let mut fds = Vec::with_capacity(3);
        fds.push(PollFd::new(&self.bell, PollFlags::IN));
        if let Some(stderr) = &self.stderr {
            fds.push(PollFd::new(stderr, PollFlags::IN));
        }
        if let Some(exit) = self.watch.fd().filter(|_| !self.is_reaped) {
            fds.push(PollFd::from_borrowed_fd(exit, PollFlags::IN));
        }
        let polled = poll(&mut fds, timeout.and_then(|timeout| Timespec::try_from(timeout).ok()).as_ref());
        let has_rung = polled.is_ok() && !fds[0].revents().is_empty();
        drop(fds);
        if has_rung {
            // There are no more bytes in it than orders; what they are stands in the shared state.
            drop(self.bell.read(&mut [0; 8]));
        }
        if polled.is_err_and(|error| error != rustix::io::Errno::INTR) {
            thread::sleep(ASKING);
        }
    }

    fn timeout(&mut self) -> Option<Duration> {
        let deadline = self.ladder.deadline().map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let look = if !self.is_reaped {
            self.watch.fd().is_none().then_some(ASKING)
        } else if !self.group.is_gone() {
            let pause = self.pause;
            self.pause = (pause * 2).min(LONGEST_PAUSE);
            Some(pause)
        } else {
            None
        };
        deadline.into_iter().chain(look).min()
    }

    fn climb(&mut self) {
        let has_exited = self.is_reaped || self.watch.has_exited();
        let orders = self.shared.orders();
        while let Some(act) = self.ladder.climb(Instant::now(), orders, has_exited) {
            let program = self.shared.program();
            match act {
                Act::Terminate => {
                    if !has_exited {
                        tracing::debug!(program, "a child runs on after its input has ended, and gets SIGTERM");
                    }
                    self.group.signal(Signal::TERM, self.is_reaped);
                }
                Act::Kill => {
                    if !has_exited && !orders.kill {
                        tracing::warn!(program, "a child ignores SIGTERM, and is killed");
                    }
                    self.group.signal(Signal::KILL, self.is_reaped);
                }
                Act::GiveUp => {
                    tracing::warn!(program, "a child cannot be killed, and is not waited for");
                    self.shared.ended();
                }
            }
            self.pause = FIRST_PAUSE;
        }
    }

    /// The child has exited. Its last words come first, so that whoever learns of the exit knows them; then what it
    /// leaves behind is signalled, if that is due, while its number is certainly still its own.
    fn reap(&mut self) {
        self.drain_stderr();
        self.climb();
        let status = match self.child.try_wait() {
            Ok(None) => return,
            Ok(status) => status,
            // Somebody else in this process has reaped it.
            Err(_) => None,
        };
        self.is_reaped = true;
        let (program, pid) = (self.shared.program(), self.child.id());
        tracing::debug!(program, pid, status = status.map(tracing::field::display), "a child exited");
        self.shared.exited(status);
    }

    /// Reads what is there, or that it has ended.
    fn read_stderr(&mut self) -> usize {
        let Some(stderr) = &mut self.stderr else { return 0 };
        // Nobody else reads it: what can be read now is read without waiting.
        let is_ready = matches!(
            poll(&mut [PollFd::from_borrowed_fd(stderr.as_fd(), PollFlags::IN)], Some(&Timespec::default())),
            Ok(1..)
        );
        if !is_ready {
            return 0;
        }
        let mut piece = [0; PIECE];
        let scribe = &self.scribe;
        let take = |line| scribe.take_down(LogLine::new(Origin::Stderr, line));
        match stderr.read(&mut piece) {
            Ok(count @ 1..) => {
                self.cutter.feed(&piece[..count], take);
                count
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => 0,
            Ok(0) | Err(_) => {
                self.cutter.finish(take);
                self.stderr = None;
                0
            }
        }
    }

    /// Reads all that was written before now; a descendant may go on writing.
    fn drain_stderr(&mut self) {
        let mut left = LARGEST_PIPE;
        while left > 0 {
            let count = self.read_stderr();
            if count == 0 {
                break;
            }
            left = left.saturating_sub(count);
        }
        let scribe = &self.scribe;
        self.cutter.finish(|line| scribe.take_down(LogLine::new(Origin::Stderr, line)));
    }
}

fn pid_of(child: &Child) -> Pid {
    Pid::from_child(child)
}

/// How often a child is asked after where its exit cannot be polled.
const ASKING: Duration = Duration::from_millis(10);

/// How soon after a signal what is left of a group is looked at, and how often at least.
const FIRST_PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(50);

/// What is read at once.
const PIECE: usize = 16 << 10;

/// The most that a pipe holds unless the administrator allows more.
const LARGEST_PIPE: usize = 1 << 20;

/// The thread calls the standard library and a subscriber of traces.
const STACK: usize = 256 << 10;
