//! The process group of a child: signals for it, and whether anybody is left in it.

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, kill_process, kill_process_group, test_kill_process_group, waitpgid};

/// Whom signals go to.
#[derive(Debug)]
pub(super) enum Group {
    /// The child leads a group of its own.
    Own(Pid),
    /// It is in our group, and is dealt with alone.
    Ours(Pid),
    /// Nobody is left, and the number may belong to others by now.
    Gone,
}

impl Group {
    /// Sends a signal. `is_reaped`: the child itself has no number any more.
    pub(super) fn signal(&self, signal: Signal, is_reaped: bool) {
        let sent = match self {
            Self::Own(group) => kill_process_group(*group, signal),
            Self::Ours(child) if !is_reaped => kill_process(*child, signal),
            Self::Ours(_) | Self::Gone => return,
        };
        // Its members may have gone a moment ago.
        if let Err(error) = sent
            && error != Errno::SRCH
        {
            tracing::debug!(%error, ?signal, "a child cannot be signalled");
        }
    }

    /// Looks whether anybody is left, once the child is reaped.
    ///
    /// A member keeps the number of its group from being given to others. Between two looks it could only pass to
    /// others if all members went and the numbers went once round, and the looks are too close for that.
    pub(super) fn look(&mut self) {
        let is_left = match self {
            Self::Own(group) => is_alive(*group),
            Self::Ours(_) | Self::Gone => false,
        };
        if !is_left {
            *self = Self::Gone;
        }
    }

    pub(super) const fn is_gone(&self) -> bool {
        matches!(self, Self::Gone)
    }
}

fn is_alive(group: Pid) -> bool {
    // Orphans become our children if we are the first process of a container, or their subreaper.
    while matches!(waitpgid(group, WaitOptions::NOHANG), Ok(Some(_))) {}
    test_kill_process_group(group) != Err(Errno::SRCH) && !only_zombies(group)
}

/// Whether all members have exited and wait to be reaped, by an init that may never do so.
#[cfg(target_os = "linux")]
fn only_zombies(group: Pid) -> bool {
    let Ok(processes) = std::fs::read_dir("/proc") else { return false };
    let group = group.as_raw_nonzero().to_string();
    let mut seen = false;
    for process in processes.flatten() {
        if !process.file_name().as_encoded_bytes().first().is_some_and(u8::is_ascii_digit) {
            continue;
        }
        let Ok(stat) = std::fs::read(process.path().join("stat")) else { continue };
        match member(&stat, &group) {
            Some(b'Z' | b'X') => seen = true,
            Some(_) => return false,
            None => {}
        }
    }
    seen
}

/// The state of a process, if it is in the group. Its name comes in parentheses and may contain anything.
#[cfg(target_os = "linux")]
fn member(stat: &[u8], group: &str) -> Option<u8> {
    let name_end = stat.iter().rposition(|byte| *byte == b')')?;
    let mut fields = stat.get(name_end + 1..)?.split(|byte| *byte == b' ').filter(|field| !field.is_empty());
    let state = *fields.next()?.first()?;
    let _parent = fields.next()?;
    (fields.next()? == group.as_bytes()).then_some(state)
}

#[cfg(not(target_os = "linux"))]
const fn only_zombies(_: Pid) -> bool {
    false
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_member_is_known_by_its_group_whatever_it_is_called() {
        assert_eq!(member(b"7 (a) Z 1) R 1 42 42 0 -1", "42"), Some(b'R'));
        assert_eq!(member(b"7 (sh) Z 42 7 7 0 -1", "42"), None);
        assert_eq!(member(b"", "42"), None);
    }
}
