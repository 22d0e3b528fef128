//! How a child ended, as an error to act on.

use std::fmt;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::Arc;

/// A child has ended, or has closed its output.
///
/// It is the cause of what failed for that reason: `cause.downcast_ref::<ChildExited>()`.
///
/// The accessors are promised, the text is not.
#[derive(Clone)]
pub struct ChildExited {
    program: Arc<str>,
    status: Option<ExitStatus>,
    stderr: Arc<str>,
}

impl ChildExited {
    pub(super) const fn new(program: Arc<str>, status: Option<ExitStatus>, stderr: Arc<str>) -> Self {
        Self { program, status, stderr }
    }

    /// The program, as it was given.
    #[must_use]
    pub fn program(&self) -> &str {
        &self.program
    }

    /// How it exited. `None` when it had closed its output without exiting, or when another part of this process reaped
    /// it.
    #[must_use]
    pub const fn status(&self) -> Option<ExitStatus> {
        self.status
    }

    /// The code that it exited with, unless a signal ended it.
    #[must_use]
    pub fn code(&self) -> Option<i32> {
        self.status?.code()
    }

    /// The signal that ended it.
    #[must_use]
    pub fn signal(&self) -> Option<i32> {
        self.status?.signal()
    }

    /// Says whether it exited with code 0.
    #[must_use]
    pub fn success(&self) -> bool {
        self.status.is_some_and(|status| status.success())
    }

    /// The last lines that it wrote to standard error, at most 64 and 16 KiB, and among them, marked with `stdout: `,
    /// the log lines of its standard output. Empty when standard error was not captured and nothing was skipped.
    #[must_use]
    pub fn stderr(&self) -> &str {
        &self.stderr
    }
}

impl fmt::Display for ChildExited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` ", self.program)?;
        match (self.code(), self.signal()) {
            (Some(code), _) => write!(f, "exited with status {code}")?,
            (None, Some(signal)) => {
                write!(f, "was killed by signal {signal}")?;
                if let Some(name) = name(signal) {
                    write!(f, " ({name})")?;
                }
            }
            (None, None) => f.write_str("closed its output")?,
        }
        match self.stderr.lines().rfind(|line| !line.trim().is_empty()) {
            Some(last) => write!(f, ": {}", last.trim()),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for ChildExited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let status = self.status.map(|status| status.to_string());
        f.debug_struct("ChildExited").field("program", &self.program).field("status", &status).finish_non_exhaustive()
    }
}

impl std::error::Error for ChildExited {}

/// The signals that end a process in practice and have the same number everywhere.
const fn name(signal: i32) -> Option<&'static str> {
    Some(match signal {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        6 => "SIGABRT",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(raw: Option<i32>, stderr: &str) -> String {
        ChildExited::new("server".into(), raw.map(ExitStatus::from_raw), stderr.into()).to_string()
    }

    #[test]
    fn the_text_says_how_it_ended_and_what_it_said_last() {
        assert_eq!(text(Some(9), ""), "`server` was killed by signal 9 (SIGKILL)");
        assert_eq!(text(Some(64), ""), "`server` was killed by signal 64");
        assert_eq!(text(Some(1 << 8), "a\nno such file\n\n"), "`server` exited with status 1: no such file");
        assert_eq!(text(None, ""), "`server` closed its output");
    }
}
