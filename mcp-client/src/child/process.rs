//! A handle to a child that runs, or has run.

use std::pin::Pin;
use std::process::ExitStatus;
use std::sync::Arc;
use std::task::{Context, Poll};

use super::exited::ChildExited;
use super::shared::{Shared, Stage, Waiting};

/// A child that runs, or has run.
///
/// It keeps nothing alive: a child ends with its connection, and is reaped, whoever holds this.
#[derive(Clone, Debug)]
pub struct Process {
    shared: Arc<Shared>,
}

impl Process {
    pub(super) const fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    /// The program, as it was given.
    #[must_use]
    pub fn program(&self) -> &str {
        self.shared.program()
    }

    /// The number of the process, which is also the number of its group if it has its own. Once the child has exited the
    /// number may belong to another one.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.shared.id()
    }

    /// How it exited, once it has.
    #[must_use]
    pub fn exit_status(&self) -> Option<ExitStatus> {
        self.shared.exit()?.status
    }

    /// Says whether it has exited.
    #[must_use]
    pub fn has_exited(&self) -> bool {
        self.shared.exit().is_some()
    }

    /// Resolves when it has exited, with how.
    pub fn wait(&self) -> Exited {
        Exited(Waiting::new(Arc::clone(&self.shared), Stage::Exited))
    }

    /// Resolves when it is reaped and its group is gone too: nothing is left of it.
    ///
    /// After the connection has closed, that takes no longer than the graces of
    /// [`ChildProcess`](super::ChildProcess) and one second. Something that cannot be killed, such as a process that
    /// waits for a broken disk, is not waited for beyond that; it is reaped when it ends.
    pub fn ended(&self) -> Ended {
        Ended(Waiting::new(Arc::clone(&self.shared), Stage::Ended))
    }

    /// The last lines that it wrote to standard error; see [`ChildExited::stderr`].
    #[must_use]
    pub fn stderr_tail(&self) -> String {
        self.shared.tail()
    }

    /// How many lines of its standard output were skipped because they cannot be messages.
    #[must_use]
    pub fn stray_lines(&self) -> u64 {
        self.shared.strays()
    }

    /// Kills it and its group, without asking it to end first.
    pub fn kill(&self) {
        self.shared.kill();
    }
}

/// Resolves when a child has exited; made by [`Process::wait`].
///
/// # Cancel safety
///
/// Dropping it changes nothing.
#[derive(Debug)]
#[must_use = "a future does nothing unless it is polled"]
pub struct Exited(Waiting);

impl Future for Exited {
    type Output = ChildExited;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<ChildExited> {
        self.0.poll(cx).map(|()| self.0.shared().verdict())
    }
}

/// Resolves when nothing is left of a child; made by [`Process::ended`].
///
/// # Cancel safety
///
/// Dropping it changes nothing.
#[derive(Debug)]
#[must_use = "a future does nothing unless it is polled"]
pub struct Ended(Waiting);

impl Future for Ended {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        self.0.poll(cx)
    }
}
