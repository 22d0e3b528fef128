//! One sleep that is set again and again.

use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::time::{Instant, Sleep, sleep};

use crate::engine::Moment;

/// Goes off at a moment.
///
/// Most deadlines are met long before they pass, and a later one takes their place. So the alarm is left as it is when
/// it goes off too early: that costs a look at the deadlines now and then, and saves setting it for every call.
#[derive(Debug, Default)]
pub(super) struct Alarm {
    at: Option<Moment>,
    sleep: Option<Pin<Box<Sleep>>>,
}

impl Alarm {
    /// Whether it goes off no later than `deadline`.
    pub(super) fn is_set_by(&self, deadline: Moment) -> bool {
        self.at.is_some_and(|at| at <= deadline)
    }

    /// When it goes off.
    pub(super) const fn at(&self) -> Option<Moment> {
        self.at
    }

    pub(super) fn set(&mut self, now: Moment, deadline: Moment) {
        let left = deadline.since_start().saturating_sub(now.since_start());
        self.at = Some(deadline);
        match &mut self.sleep {
            Some(sleep) => sleep.as_mut().reset(now_of_tokio() + left),
            None => self.sleep = Some(Box::pin(sleep(left))),
        }
    }

    /// Ready when it goes off, once.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let (Some(sleep), Some(_)) = (&mut self.sleep, self.at) else { return Poll::Pending };
        let poll = sleep.as_mut().poll(cx);
        if poll.is_ready() {
            self.at = None;
        }
        poll
    }
}

#[expect(clippy::disallowed_methods, reason = "a sleep is reset by tokio's own clock")]
fn now_of_tokio() -> Instant {
    Instant::now()
}
