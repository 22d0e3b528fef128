//! What is shown on standard error while cells run.

use std::io::{IsTerminal, Write, stderr};

use super::cell::{CellResult, Status};

/// Whether and how progress is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Progress {
    /// Not at all.
    Silent,
    /// One line that is written over and over; needs a terminal.
    OneLine,
    /// A line for each cell that failed.
    Failures,
}

impl Progress {
    /// One line on a terminal, else the failures.
    pub fn for_stderr() -> Self {
        if stderr().is_terminal() { Self::OneLine } else { Self::Failures }
    }

    pub(super) const fn start(self, total: usize) -> Shown {
        Shown { progress: self, total, done: 0, failed: 0 }
    }
}

pub(super) struct Shown {
    progress: Progress,
    total: usize,
    done: usize,
    failed: usize,
}

impl Shown {
    pub(super) fn done(&mut self, cell: &CellResult) {
        self.done += 1;
        let failed = cell.status == Status::Failed;
        self.failed += usize::from(failed);
        let (done, total) = (self.done, self.total);
        let name = cell.name();
        match self.progress {
            Progress::Silent => {}
            Progress::Failures if failed => show(&format!("[{done}/{total}] failed: {name}\n")),
            Progress::Failures => {}
            Progress::OneLine => {
                show(&format!("\r\x1b[K[{done}/{total}] {} failed  {name}", self.failed));
            }
        }
    }

    pub(super) fn end(&self) {
        if self.progress == Progress::OneLine {
            show("\r\x1b[K");
        }
    }
}

/// Progress that cannot be written is no reason to end a run.
fn show(text: &str) {
    let mut stderr = stderr().lock();
    drop(stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush()));
}
