//! Sees a child exit, without reaping it.

use std::os::fd::{BorrowedFd, OwnedFd};

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

/// Watches a child that nobody but us reaps.
#[derive(Debug)]
pub(super) struct Watch {
    pid: Pid,
    /// Readable once it has exited. `None` where a process cannot be polled.
    fd: Option<OwnedFd>,
}

impl Watch {
    pub(super) fn new(pid: Pid) -> Self {
        Self { pid, fd: open(pid) }
    }

    /// What becomes readable when it exits; without it, it has to be asked for now and then.
    pub(super) fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.fd.as_ref().map(std::os::fd::AsFd::as_fd)
    }

    /// Says whether it has exited. Until it is reaped, its number and that of its group belong to it.
    pub(super) fn has_exited(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        match waitid(WaitId::Pid(self.pid), options) {
            Ok(exited) => exited.is_some(),
            // No such child: this process reaps all its children elsewhere, or has none kept for it.
            Err(error) => error == rustix::io::Errno::CHILD,
        }
    }
}

/// Fails before Linux 5.3, in some sandboxes, and when descriptors run out.
#[cfg(target_os = "linux")]
fn open(pid: Pid) -> Option<OwnedFd> {
    use rustix::process::{PidfdFlags, pidfd_open};

    pidfd_open(pid, PidfdFlags::empty()).ok()
}

#[cfg(not(target_os = "linux"))]
const fn open(_: Pid) -> Option<OwnedFd> {
    None
}
