//! The process that started this one.

use std::io;

/// The process that started this one, to learn when it ends.
///
/// It is the process that is watched, by a descriptor of it, and not the thread in it that did the starting, whose end
/// is what the kernel's own signal for the death of a parent means.
#[derive(Debug)]
pub struct Parent(imp::Parent);

impl Parent {
    /// Watches the parent. `None` when there is nothing to see: on other systems than Linux, on a kernel before 5.3, or
    /// when the parent lives in another namespace.
    ///
    /// # Errors
    /// Why the descriptor could not be registered with the runtime.
    ///
    /// # Panics
    /// Outside a tokio runtime, or in one that was built without I/O.
    pub fn watch() -> io::Result<Option<Self>> {
        Ok(imp::watch()?.map(Self))
    }

    /// Resolves when it has ended; at once when it had ended before.
    ///
    /// # Cancel safety
    /// Nothing is lost by dropping the future.
    pub async fn ended(&self) {
        imp::ended(&self.0).await;
    }
}

#[cfg(target_os = "linux")]
mod imp {
    use std::io;
    use std::os::fd::OwnedFd;

    use rustix::process::{PidfdFlags, getppid, pidfd_open};
    use tokio::io::Interest;
    use tokio::io::unix::AsyncFd;

    use super::super::socket::register;

    #[derive(Debug)]
    pub(super) enum Parent {
        Alive(AsyncFd<OwnedFd>),
        /// It ended before it could be watched.
        Ended,
    }

    pub(super) fn watch() -> io::Result<Option<Parent>> {
        let Some(pid) = getppid() else { return Ok(None) };
        let opened = pidfd_open(pid, PidfdFlags::empty());
        // An orphan gets another parent: the descriptor is that of the first one only if it still is the parent.
        if getppid() != Some(pid) {
            return Ok(Some(Parent::Ended));
        }
        match opened {
            Ok(fd) => Ok(Some(Parent::Alive(register(fd, Interest::READABLE)?))),
            Err(error) => {
                tracing::warn!(%error, "the parent process cannot be watched");
                Ok(None)
            }
        }
    }

    pub(super) async fn ended(parent: &Parent) {
        if let Parent::Alive(fd) = parent {
            // Readable once and for ever: the process has ended. It is never read.
            drop(fd.readable().await);
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod imp {
    use std::convert::Infallible;
    use std::io;

    pub(super) type Parent = Infallible;

    pub(super) fn watch() -> io::Result<Option<Parent>> {
        Ok(None)
    }

    pub(super) async fn ended(parent: &Parent) {
        match *parent {}
    }
}
