//! Where the results of calls wait for those who asked.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::Waker;
use std::time::Duration;

use serde_json::value::RawValue;

use crate::error::CallError;

/// One notification of progress, as the parameters that were sent.
pub(crate) type Progress = Box<RawValue>;

#[derive(Debug)]
pub(crate) struct CallSlot {
    pub(crate) method: Arc<str>,
    pub(crate) outcome: Option<Result<Box<RawValue>, CallError>>,
    pub(crate) progress: VecDeque<Progress>,
    pub(crate) wants_progress: bool,
    pub(crate) idle: Option<Duration>,
    pub(crate) total: Option<Duration>,
    pub(crate) waker: Option<Waker>,
}

impl CallSlot {
    pub(crate) const fn new(
        method: Arc<str>,
        idle: Option<Duration>,
        total: Option<Duration>,
        wants_progress: bool,
    ) -> Self {
        Self { method, outcome: None, progress: VecDeque::new(), wants_progress, idle, total, waker: None }
    }

    /// Keeps the latest progress: beyond what fits, the oldest is given up.
    pub(crate) fn push_progress(&mut self, progress: Progress, limit: usize) -> Option<Waker> {
        if self.wants_progress {
            if self.progress.len() >= limit {
                self.progress.pop_front();
            }
            self.progress.push_back(progress);
        }
        self.waker.take()
    }
}
